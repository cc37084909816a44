//! What the user has and is, who is who, and where things are.

use super::Rule;
use super::sentences::Sentence;
use super::told::{Told, keep, kind_of};
use super::words::{begins, has};
use crate::kindred::is_known;
use memoir_event::MemoryKind;

/// Words that a finding of something wrong has: such a state passes.
pub(crate) const TROUBLE: &[&str] = &[
    "error", "errors", "fail", "fails", "failing", "failed", "broken", "bug", "crash", "crashes", "wrong", "slow",
    "missing", "stuck", "hangs", "flaky", "red", "down", "flake", "flakes",
];

/// Where something is takes at most so many words.
const PLACE_WORDS_MAX: usize = 14;

/// What joins a thing to what is said of it.
const JOINTS: &[&str] = &[
    " is ",
    " are ",
    " lives ",
    " live ",
    " runs ",
    " uses ",
    " belongs ",
    " goes ",
    " ist ",
    " sind ",
    " est ",
    " es ",
    "是",
];

/// What the user's things begin with.
const OWN: &[&str] =
    &["my", "our", "mein", "meine", "unser", "unsere", "mon", "ma", "notre", "mi", "nuestro", "nuestra"];

/// What others begin with.
const THE: &[&str] = &["the", "der", "die", "das", "le", "la", "el"];

/// What the user has and is, who is who, and where things are.
pub(super) fn fact(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    // What should be otherwise is a matter of work.
    if has(lower, TROUBLE) || has(lower, &["but should", "but it should", "but must be"]) {
        return None;
    }
    if is_person(bare) || asks_for_person(bare) {
        return keep(Rule::Person, MemoryKind::Entity, &bare.said, lower);
    }
    if tells_of_self(lower) {
        return keep(Rule::Fact, MemoryKind::Fact, &bare.said, lower);
    }
    let first = lower.split(' ').next().unwrap_or_default();
    let joint = JOINTS.iter().filter_map(|joint| lower.find(joint)).min()?;
    let subject_words = lower.get(..joint)?.split(' ').count();
    if is_of_the_moment(lower, joint) {
        return None;
    }
    if OWN.contains(&first) || lower.starts_with("我的") || lower.starts_with("我们的") {
        return (subject_words <= 8)
            .then(|| keep(Rule::Fact, kind_of(lower, MemoryKind::Fact), &bare.said, lower))
            .flatten();
    }
    // A long sentence about "the" something tells of the work at hand.
    let is_place = THE.contains(&first)
        && subject_words <= 5
        && bare.words() <= PLACE_WORDS_MAX
        && lower.get(joint..).is_some_and(|said| said.split(' ').any(is_value));
    is_place.then(|| keep(Rule::Fact, MemoryKind::Fact, &bare.said, lower)).flatten()
}

/// "I'm a backend engineer", "I work at Initech".
fn tells_of_self(lower: &str) -> bool {
    const WHO: &[&str] = &["i am a", "i'm a", "i am an", "i'm an", "i am the", "i'm the", "we are a", "we're a"];
    const WHERE: &[&str] =
        &["i work at", "i work for", "i work as", "i work in", "i work from", "i work with", "i live in", "i live at"];
    let Some(end) = begins(lower, WHO) else { return begins(lower, WHERE).is_some() };
    let next = lower.get(end..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
    !matches!(next, "bit" | "little" | "lot" | "one" | "few" | "couple" | "tad" | "idiot" | "moron" | "")
}

/// Things of which it is told where the work stands.
pub(super) const AT_WORK: &[&str] = &[
    "issue",
    "issues",
    "problem",
    "problems",
    "culprit",
    "pr",
    "mr",
    "ticket",
    "cause",
    "reason",
    "fix",
    "change",
    "changes",
    "diff",
    "typo",
    "mistake",
    "exception",
    "regression",
    "question",
    "answer",
    "point",
    "idea",
    "goal",
    "task",
    "question",
    "thing",
    "failure",
    "stacktrace",
    "warning",
    "warnings",
    "output",
    "response",
    "user",
    "users",
    "request",
    "count",
    "total",
    "result",
    "difference",
    "deadline",
];

/// How something is at a moment.
pub(super) const STATES: &[&str] = &[
    "green", "red", "passing", "slow", "fast", "fine", "ok", "okay", "good", "bad", "great", "done", "ready", "up",
    "down", "stuck", "empty", "dirty", "clean", "behind", "ahead", "online", "offline", "working", "running",
    "finished", "merged", "deployed", "fixed", "late", "busy", "away", "back", "here", "gone", "open", "closed",
    "unstable", "stable", "grün", "rot", "langsam", "fertig", "kaputt", "vert", "rouge", "lent", "prêt", "verde",
    "rojo", "lento", "listo",
];
/// What somebody thinks of something.
const VERDICTS: &[&str] = &[
    "a mess",
    "too",
    "a disaster",
    "terrible",
    "ugly",
    "horrible",
    "confusing",
    "awful",
    "a pain",
    "a nightmare",
    "hard to read",
    "unreadable",
    "garbage",
    "crap",
    "awesome",
    "amazing",
    "a joke",
    "weird",
    "messy",
];
/// Such a verdict is short.
const VERDICT_WORDS_MAX: usize = 6;
/// What is said beside that.
const BESIDE: &[&str] = &[
    "now",
    "again",
    "still",
    "currently",
    "already",
    "all",
    "very",
    "so",
    "too",
    "really",
    "finally",
    "completely",
    "not",
    "and",
    "but",
    "jetzt",
    "wieder",
    "noch",
    "sehr",
    "ahora",
    "otra",
    "vez",
    "maintenant",
    "encore",
];

/// Whether it tells how something is now, or where the matter lies that is being worked on: both pass.
fn is_of_the_moment(lower: &str, joint: usize) -> bool {
    let (subject, said) = lower.split_at_checked(joint).unwrap_or_default();
    let subject = begins(subject, &["the", "my", "our"]).map_or(subject, |end| subject.get(end..).unwrap_or_default());
    let subject = [" with ", " of ", " in ", " for ", " at ", " about "]
        .iter()
        .filter_map(|lead| subject.split_once(lead).map(|(thing, _)| thing))
        .min_by_key(|thing| thing.len())
        .unwrap_or(subject);
    let head = subject.split([' ', '-']).rfind(|word| !word.is_empty()).unwrap_or_default();
    let is_mark = |c: char| !c.is_alphanumeric();
    let mut words = said.split_whitespace().skip(1).map(|word| word.trim_matches(is_mark)).peekable();
    let is_state = words.peek().is_some() && words.all(|word| STATES.contains(&word) || BESIDE.contains(&word));
    // "The server is running on …" is what a program says when it starts.
    let is_doing =
        said.split_whitespace().nth(1).is_some_and(|word| matches!(word, "running" | "listening" | "waiting"));
    let is_verdict = said.split_whitespace().count() <= VERDICT_WORDS_MAX && has(said, VERDICTS);
    AT_WORK.contains(&head) || is_state || is_doing || is_verdict
}

/// "Mara owns the billing service", "Jo is our DBA", "Jo now owns it".
fn is_person(bare: &Sentence) -> bool {
    let mut words = bare.said.split(' ');
    let name = words.next().unwrap_or_default();
    let is_name = name.chars().next().is_some_and(char::is_uppercase)
        && name.len() >= 2
        && name.chars().all(char::is_alphabetic)
        && !matches!(
            name,
            "The"
                | "This"
                | "That"
                | "It"
                | "There"
                | "Here"
                | "We"
                | "They"
                | "He"
                | "She"
                | "You"
                | "What"
                | "Everything"
        );
    let verb = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.take(2).collect();
    let next = rest.first().copied().unwrap_or_default();
    is_name
        && bare.words() <= 20
        && (matches!(verb, "owns" | "maintains" | "leads" | "manages" | "reviews" | "approves")
            || (verb == "is" && matches!(next, "our" | "my")))
}

/// "Ask Priya about the billing", "for anything about leave go to Colm", "the billing module is Marek's".
fn asks_for_person(bare: &Sentence) -> bool {
    let words: Vec<&str> = bare.said.split(' ').collect();
    let is_name = |word: Option<&&str>| word.is_some_and(|word| word.starts_with(char::is_uppercase) && word.len() > 2);
    let is = |at: usize, said: &[&str]| words.get(at).is_some_and(|word| said.contains(&word.to_lowercase().as_str()));
    let asks = is(0, &["ask"])
        && is_name(words.get(1))
        && is(2, &["about", "before"])
        && words.len() > 3
        && !has(&bare.lower, &["it", "this", "that"]);
    let last = words.len().saturating_sub(1);
    let goes =
        is(0, &["for"]) && is(last.saturating_sub(1), &["to", "ask"]) && is_name(words.get(last)) && words.len() > 3;
    let owner = words.last().and_then(|word| word.trim_end_matches(['.', '!']).strip_suffix("'s"));
    let owns = is(last.saturating_sub(1), &["is", "are"]) && is_name(owner.as_ref()) && is(0, &["the", "our"]);
    // "Priya does the infra, ask her before you touch it."
    let sends = is_name(words.first())
        && !is_known(&words.first().unwrap_or(&"").to_lowercase())
        && has(&bare.lower, &["ask her", "ask him"]);
    let is_short = words.len() <= 14;
    is_short && (asks || goes || owns || sends)
}

/// A path, an address, a port, a version: something that can be looked up.
fn is_value(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '`' && c != '.');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    word.starts_with('`')
        || word.contains("://")
        || word.contains('/')
        || digits >= 2
        || (word.contains('.') && word.len() > 3 && digits > 0)
}
