//! What the user states and did not ask to be kept: limits, corrections, decisions, what is open.

use super::Rule;
use super::changes::{changed, plainly};
use super::doubt::{begins_reported, orders_now};
use super::facts::fact;
use super::habits::{PREFER, habit, preference};
use super::headings::under_heading;
use super::leads::without_leads_until;
use super::sentences::Sentence;
use super::told::{Told, WORDS_MIN, keep, kept};
use super::words::{begins, has};
use crate::about::change_in;
use crate::kindred::is_known;
use crate::phrase::lifts;
use crate::statement::Statement;
use memoir_event::MemoryKind;

/// It may be used so and not otherwise.
pub(super) const LIMITS: &[&str] = &[
    "may be used only",
    "may only be used",
    "must only be used",
    "can only be used",
    "only to be used",
    "use this only for",
    "use it only for",
    "use that only for",
    "use only for",
    "only use this for",
    "only use it for",
    "only use it when",
    "use this only when",
    "use it only when",
    "is only for",
    "are only for",
    "must not be used",
    "must not be reused",
    "not authorized for",
    "nur verwenden für",
    "uniquement pour",
    "solo para",
];

/// What follows was wrong, and is now otherwise.
const CORRECTIONS: &[&str] = &[
    "update this",
    "update",
    "correction",
    "to correct myself",
    "correct that",
    "correcting myself",
    "i was wrong",
    "scratch that",
    "i misspoke",
    "change of plans",
    "change of plan",
    "actually",
    "korrektur",
    "tatsächlich",
    "rectification",
    "corrección",
    "更正",
    "更新",
];

/// Something was changed: the whole sentence says what.
const CHANGES: &[&str] = &[
    "we moved from",
    "we switched from",
    "we migrated from",
    "we changed from",
    "we replaced",
    "we no longer",
    "we stopped using",
    "we dropped",
    "we upgraded",
    "we updated",
    "we bumped",
    "we downgraded",
    "you no longer need to",
    "you no longer have to",
    "you do not need to",
    "you don't need to",
    "you don't have to",
    "no need to",
    "it's no longer true that",
    "it is no longer true that",
    "wir sind von",
];

/// This still holds.
pub(super) const CONFIRM: &[&str] = &[
    "confirm this still matters",
    "confirm that",
    "confirming that",
    "confirming",
    "confirmed",
    "still true",
    "still valid",
    "still the case",
    "as before",
    "confirm",
    "reaffirm",
    "weiterhin gilt",
    "toujours valable",
    "sigue siendo",
];

/// This was decided.
pub(super) const DECIDED: &[&str] = &[
    "we decided",
    "we've decided",
    "we have decided",
    "i decided",
    "i've decided",
    "i have decided",
    "it was decided",
    "it is decided",
    "the team decided",
    "the team agreed",
    "the team chose",
    "it's decided",
    "final call",
    "i think we'll go with",
    "i think we will go with",
    "we agreed",
    "we've agreed",
    "we have agreed",
    "we chose",
    "we settled on",
    "we went with",
    "go with",
    "we'll go with",
    "we will go with",
    "we are going with",
    "we're going with",
    "stick with",
    "stick to",
    "we're not going to use",
    "we are not going to use",
    "we won't use",
    "we will not use",
    "wir haben beschlossen",
    "wir haben uns entschieden",
    "wir haben entschieden",
    "on a décidé",
    "nous avons décidé",
    "hemos decidido",
    "decidimos",
    "我们决定",
    "决定",
];

/// A decision to go with something is said shortly.
const SHORT_WORDS_MAX: usize = 30;

/// The same, told after how it came to it: "talked it over, we're going with tailwind".
const GOING_WITH: &[&str] =
    &["we're going with", "we are going with", "we'll go with", "we went with", "we decided to use", "we decided on"];

/// A decision of this hour: it settles nothing.
const ERRANDS: &[&str] = &[
    "nothing",
    "on nothing",
    "to go to",
    "to go home",
    "to go for",
    "to have lunch",
    "to have a break",
    "to take a break",
    "to grab",
    "to meet",
    "to call it a day",
    "to stop here",
    "to wait",
    "to continue tomorrow",
    "to sleep",
    "by",
];

/// Something is left to do.
pub(super) const OPEN: &[&str] = &[
    "todo",
    "to do",
    "open question",
    "still open",
    "remains open",
    "we still need to",
    "i still need to",
    "still need to",
    "still to do",
    "left to do",
    "still missing",
    "still unclear",
    "we need to figure out",
    "needs to be decided",
    "to be decided",
    "tbd",
    "noch offen",
    "noch zu tun",
    "offene frage",
    "reste à faire",
    "question ouverte",
    "queda pendiente",
    "pendiente",
    "待办",
];

/// What leaves something open wherever it stands.
const OPEN_ANYWHERE: &[&str] =
    &["open question", "we still need to", "still to do", "remains open", "is still open", "needs to be decided"];

/// What the user states and did not ask to be kept.
pub(super) fn stated(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    if lower.contains(['?', '？']) {
        return None;
    }
    if (has(lower, LIMITS) || limits(lower)) && !begins_reported(lower) {
        return keep(Rule::Limit, MemoryKind::Convention, &bare.said, lower);
    }
    if let Some(end) = begins(lower, CONFIRM) {
        let rest = bare.from(end).bare();
        let rest = if rest.lower.starts_with("that ") { rest.from(5) } else { rest };
        return kept(Rule::Confirm, &rest, lower);
    }
    let says_so = begins(lower, CHANGES).is_some() && says_what_changed(bare);
    if let Some(told) = says_so.then(|| kept(Rule::Update, bare, lower)).flatten().or_else(|| changed(bare)) {
        return Some(told);
    }
    if let Some(end) = begins(lower, CORRECTIONS) {
        let what = bare.from(end).bare();
        let is_announced = bare.from(end).lower.starts_with([':', ',', '：', '，', '.']);
        // "Actually" is said of much: without a mark, what follows must tell something by itself.
        let is_said_of_much = || begins(lower, &["actually", "tatsächlich", "en fait", "en realidad"]).is_some();
        let corrects = if is_announced {
            says_what_changed(&what) || (is_said_of_much() && plainly(&what).is_some())
        } else {
            is_said_of_much() && plainly(&what).is_some()
        };
        return corrects.then(|| kept(Rule::Update, &what, lower)).flatten();
    }
    // "Ok, postgres it is."
    let settled = lower.trim_end_matches(['.', '!']).strip_suffix(" it is").is_some_and(is_known);
    if settled {
        return keep(Rule::Decision, MemoryKind::Decision, &bare.said, lower);
    }
    let is_gone_with = |(_, last): (&str, &str)| begins(last, GOING_WITH).is_some();
    let told_after = [", ", "; "].iter().filter_map(|mark| lower.rsplit_once(mark)).any(is_gone_with);
    if told_after && bare.words() <= SHORT_WORDS_MAX {
        return keep(Rule::Decision, MemoryKind::Decision, &bare.said, lower);
    }
    if let Some(end) = begins(lower, DECIDED).filter(|_| bare.words() > WORDS_MIN + 1) {
        let is_short = lower.starts_with("go with") || lower.starts_with("stick");
        let is_errand = begins(&bare.from(end).bare().lower, ERRANDS).is_some();
        return (!is_errand && (!is_short || bare.words() <= SHORT_WORDS_MAX))
            .then(|| keep(Rule::Decision, MemoryKind::Decision, &bare.said, lower))
            .flatten();
    }
    if is_open(bare) {
        return keep(Rule::Open, MemoryKind::Question, &bare.said, lower);
    }
    if begins(lower, PREFER).is_some() {
        return preference(bare);
    }
    let is_work = || orders_now(lower) || begins_reported(lower);
    under_heading(bare).or_else(|| (!is_work()).then(|| habit(bare).or_else(|| fact(bare))).flatten())
}

/// "Let's use tokio for the async runtime": a choice for a purpose.
pub(super) fn proposed(sentence: &Sentence) -> Option<Told> {
    const PROPOSING: &[&str] = &[
        "let's use",
        "lets use",
        "let us use",
        "let's adopt",
        "let us adopt",
        "let's standardize on",
        "let's standardise on",
    ];
    let not = without_leads_until(sentence, &["let's not use", "let us not use"]).0;
    if let Some(end) = begins(&not.lower, &["let's not use", "let us not use"]) {
        let first = not.from(end).bare().lower;
        let is_at_hand =
            begins(&first, &["this", "that", "it", "the", "these", "those", "them", "a", "an", "any"]).is_some();
        return (!is_at_hand).then(|| keep(Rule::Always, MemoryKind::Convention, &not.said, &not.lower)).flatten();
    }
    let (bare, _) = without_leads_until(sentence, PROPOSING);
    let rest = bare.from(begins(&bare.lower, PROPOSING)?).bare();
    let first = rest.lower.split(' ').next().unwrap_or_default();
    let is_named = !matches!(
        first,
        "the" | "a" | "an" | "this" | "that" | "it" | "these" | "those" | "your" | "option" | "one" | ""
    );
    let purpose = [" for ", " as ", " instead of ", " everywhere", " rather than "]
        .iter()
        .find_map(|lead| rest.lower.split_once(lead).map(|(_, purpose)| purpose));
    let is_lasting = purpose.is_some_and(|purpose| {
        let first = purpose.split([' ', '.', ',']).next().unwrap_or_default();
        !matches!(first, "this" | "that" | "it" | "now" | "these" | "those")
    });
    (is_named && is_lasting && !orders_now(&bare.lower))
        .then(|| keep(Rule::Decision, MemoryKind::Decision, &bare.said, &bare.lower))
        .flatten()
}

/// Whether it says something of a subject, or what was left.
fn says_what_changed(what: &Sentence) -> bool {
    let statement = Statement::of(&what.said);
    // "Line 48, not 84" says nothing to whoever does not know of what.
    let left = || change_in(&what.said).left.iter().any(|thing| !thing.starts_with(|c: char| c.is_ascii_digit()));
    statement.subject().is_some()
        || left()
        || (!statement.claims.is_empty() && !statement.left.is_empty())
        || lifts(&what.lower).is_some()
}

/// "Use it just for that, nothing else", "it is for reports only", "you may use it for that but not for this".
fn limits(lower: &str) -> bool {
    let lower = lower.trim_end_matches(['.', '!']);
    let is_alone = begins(lower, &["use", "only use", "it's", "it is"]).is_some()
        && ["nothing else", "not for anything else", "for nothing else"].iter().any(|end| lower.ends_with(end));
    let is_for = lower.ends_with(" only") && [" is for ", " are for "].iter().any(|lead| lower.contains(lead));
    let allows = begins(lower, &["you may use", "you can use"]).is_some() && lower.contains(" but not ");
    is_alone || is_for || allows
}

fn is_open(bare: &Sentence) -> bool {
    let lower = bare.lower.as_str();
    let begins_open = begins(lower, OPEN).is_some_and(|end| {
        // "To do this, …" leaves nothing open.
        let is_mark = lower.starts_with("to") || lower.starts_with("tbd");
        let after = lower.get(end..).unwrap_or_default().trim_start();
        !is_mark || after.starts_with([':', '：', '-', '–'])
    });
    begins_open || has(lower, OPEN_ANYWHERE)
}
