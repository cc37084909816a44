//! One thing that the user told: by which rule it was heard, what it is, how far it holds.

use super::habits::is_manner;
use super::scope::{is_of_self, reach};
use super::sentences::Sentence;
use super::words::{begins, has};
use super::{Reach, Rule};
use crate::phrase::lifts;
use memoir_event::MemoryKind;

/// A statement has at least so many words.
pub(super) const WORDS_MIN: usize = 3;
/// And at most so many characters.
const CHARS_MAX: usize = 1_000;

/// One thing that the user told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub rule: Rule,
    pub kind: MemoryKind,
    pub text: String,
    pub reach: Reach,
    /// Whether part of it stands in the user's message before.
    pub with_before: bool,
}

/// Kept as what its words say it is.
pub(super) fn kept(rule: Rule, what: &Sentence, whole: &str) -> Option<Told> {
    // "You can answer in English again."
    let asked = lifts(&what.lower).map_or(what.lower.as_str(), |(asked, _)| asked);
    let is_liked = rule == Rule::FromNowOn || (rule == Rule::Update && is_manner(asked));
    let usual = if is_liked { MemoryKind::Preference } else { MemoryKind::Fact };
    keep(rule, kind_of(&what.lower, usual), &what.said, whole)
}

/// Kept, if there is enough of it.
pub(super) fn keep(rule: Rule, kind: MemoryKind, text: &str, whole: &str) -> Option<Told> {
    let text = text.trim();
    let quoted = text.strip_prefix(['"', '“']).and_then(|text| text.strip_suffix(['"', '”']));
    let text = quoted.filter(|text| !text.contains('"')).unwrap_or(text).trim();
    let words = text.split_whitespace().count();
    let is_enough =
        words >= WORDS_MIN || (text.chars().count() >= 4 && !text.is_ascii()) || (rule.is_wish() && words >= 2);
    if !is_enough || text.chars().count() > CHARS_MAX || is_only_of_secret(text) {
        return None;
    }
    Some(Told { rule, kind, text: text.to_owned(), reach: reach_of(kind, text, whole), with_before: false })
}

/// How far it holds, as the sentence says; who tells of themselves tells it for everywhere.
fn reach_of(kind: MemoryKind, text: &str, whole: &str) -> Reach {
    match reach(kind, whole) {
        Reach::Project if is_of_self(text) => Reach::User,
        reach => reach,
    }
}

/// Whether all that is told was taken out of it: "the API key is [redacted:…]".
fn is_only_of_secret(text: &str) -> bool {
    let Some((before, rest)) = text.split_once("[redacted:") else { return false };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_joint =
        matches!(last.trim_end_matches([':', '=', '`', '"']), "is" | "are" | "" | "ist" | "est" | "es" | "as" | "to")
            || last.ends_with([':', '=']);
    is_joint && !after.contains(char::is_alphanumeric)
}

/// Ways to say what is done to reach an end.
const TO_DO: &[&str] = &["to deploy", "to release", "to build", "to test"];

/// What a statement is, by its words.
pub(super) fn kind_of(lower: &str, usual: MemoryKind) -> MemoryKind {
    let early = lower.get(..lower.floor_char_boundary(120)).unwrap_or_default();
    let tells_how =
        || begins(early, TO_DO).is_some() || (has(early, TO_DO) && has(early, &["run", "use", "call", "how"]));
    if has(early, &["prefer", "prefers", "preference", "style", "favorite", "favourite", "tone", "rather"]) {
        MemoryKind::Preference
    } else if has(early, &["decided", "decision", "agreed", "chose", "we moved", "we switched"]) {
        MemoryKind::Decision
    } else if has(early, &["procedure", "steps", "runbook", "first run", "then run"]) || tells_how() {
        MemoryKind::Procedure
    } else if has(
        early,
        &["never", "always", "must", "constraint", "rule", "policy", "convention", "only", "do not", "don't"],
    ) {
        MemoryKind::Convention
    } else {
        usual
    }
}
