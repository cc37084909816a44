//! What the user wants forgotten.

use super::scope::is_for_now;
use super::sentences::Sentence;
use super::words::{begins, find};
use crate::statement::Statement;

/// No longer keep this.
pub(super) const FORGET: &[&str] = &[
    "forget and delete",
    "forget everything about",
    "forget all about",
    "forget about",
    "forget what i said about",
    "forget what i told you about",
    "forget that",
    "forget the",
    "forget my",
    "forget our",
    "forget",
    "stop remembering",
    "no longer remember",
    "delete the memory",
    "delete the note",
    "delete what you know about",
    "remove from memory",
    "erase from memory",
    "delete from memory",
    "drop the memory",
    "vergiss, dass",
    "vergiss das",
    "vergiss den",
    "vergiss die",
    "vergiss alles über",
    "vergiss",
    "oublie que",
    "oublie",
    "oubliez",
    "olvida que",
    "olvida",
    "olvide",
    "忘记",
    "忘掉",
    "erase what you know about",
    "vergiss was ich über",
    "vergiss, was ich über",
    "vergesst",
    "olvídate de",
    "oublie ce que j'ai dit sur",
];

/// What may stand before such a wish.
const LEADS: &[&str] = &[
    "actually",
    "sorry",
    "wait",
    "hm",
    "hmm",
    "hang on",
    "you may",
    "you can",
    "please",
    "would you",
    "will you",
    "tatsächlich",
    "ach",
    "en fait",
    "en realidad",
];

/// Verbs of forgetting that a "not" may follow: then they ask to remember.
const VERBS: &[&str] = &["forget", "vergiss", "vergesst", "vergessen sie", "oublie", "oubliez", "olvides", "olvide"];
const POLITE: &[&str] = &["bitte", "please", "ja", "doch", "auch", "s'il te plaît", "por favor"];
const NOTS: &[&str] = &["nicht", "not", "pas", "nie", "niemals"];

/// What calls a memory by what it is, and says nothing of what it says.
const MEMORY_WORDS: &[&str] = &[
    "rule",
    "rules",
    "note",
    "notes",
    "memory",
    "memories",
    "convention",
    "preference",
    "instruction",
    "instructions",
    "decision",
    "fact",
    "regel",
    "notiz",
    "règle",
    "regla",
];

/// Where what is to be forgotten ends and why begins.
const CUTS: &[&str] = &[", ", "; ", " - ", " – ", " — ", " because ", " since ", " weil "];

/// Words with which a reason begins.
const REASONS: &[&str] = &[
    "we", "we've", "it", "it's", "its", "that", "that's", "this", "they", "i", "our", "the", "now", "because", "since",
    "wir", "es", "das", "der", "die", "on", "c'est",
];

/// Something that the user wants forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unwanted {
    /// In the user's words.
    pub said: String,
    /// Without what comes after it and says why, and without the words that only call it a rule or a note.
    pub named: String,
}

/// Whether a sentence begins with a wish to forget.
pub(super) fn forgets(bare: &Sentence) -> bool {
    begins(&bare.lower, FORGET).is_some() && does_not_forget(bare).is_none()
}

/// "Vergiss bitte nicht …": where it ends.
pub(super) fn does_not_forget(bare: &Sentence) -> Option<usize> {
    let lower = bare.lower.as_str();
    let mut end = begins(lower, VERBS)?;
    loop {
        let rest = lower.get(end..)?;
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if let Some(not) = begins(rest, NOTS) {
            return Some(end + blank + not);
        }
        end += blank + begins(rest, POLITE)?;
    }
}

/// What the user wants forgotten, and what they say beside it.
pub(super) fn to_forget(bare: &Sentence) -> Option<(Unwanted, Option<Sentence>)> {
    let mut bare = bare.clone();
    while let Some(end) = begins(&bare.lower, LEADS) {
        bare = bare.from(end).bare();
    }
    if let Some(named) = never_mind(&bare) {
        return Some((Unwanted { said: named.clone(), named }, None));
    }
    // "Forget it" ends a thought, and "forget the tests for now" puts it off.
    if !forgets(&bare) || is_for_now(&bare.lower) || bare.lower.starts_with("forget to") {
        return None;
    }
    let end = begins(&bare.lower, FORGET)?;
    let target = bare.from(end).bare();
    let cut = CUTS.iter().filter_map(|cut| target.lower.find(cut)).min().unwrap_or(target.lower.len());
    let (first, reason) = (target.to(cut), target.from(cut).bare());
    let named = without_memory_words(&first.said);
    let is_called = named != first.said.trim_end_matches(['.', '!', '?']).trim();
    let stems = Statement::whole(&named).stems.len();
    // One word could mean anything: it takes a reason, or the name of a rule.
    let is_sure = stems >= 2 || is_called || begins(&reason.lower, REASONS).is_some();
    if stems == 0 || !is_sure {
        return None;
    }
    let said = target.said.trim_end_matches('?').to_owned();
    let reason = begins(&reason.lower, REASONS).map(|_| reason);
    Some((Unwanted { said, named }, reason))
}

/// "Never mind about my phone number, forget it."
fn never_mind(bare: &Sentence) -> Option<String> {
    let end = begins(&bare.lower, &["never mind about", "nevermind about", "never mind", "nevermind"])?;
    let rest = bare.from(end).bare();
    let at =
        ["forget it", "forget that", "forget about it", "delete it"].iter().find_map(|it| find(&rest.lower, it))?;
    let named = rest.to(at).said.trim_end_matches([' ', ',', '-', '–', '—', '.']).to_owned();
    (!Statement::whole(&named).is_empty()).then_some(named)
}

fn without_memory_words(said: &str) -> String {
    let said = said.trim_end_matches(['.', '!', '?']);
    let plain = |word: &&str| !MEMORY_WORDS.contains(&word.to_lowercase().as_str());
    let words: Vec<&str> = said.split(' ').filter(plain).collect();
    // "Forget the rule" names nothing else.
    let named = words.join(" ");
    if Statement::whole(&named).is_empty() { said.to_owned() } else { named }
}
