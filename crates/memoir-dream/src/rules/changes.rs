//! What the user says is otherwise than it was: "we switched to pnpm", "Jo now owns billing", "we don't … any more", "you
//! can use lodash again".
//!
//! Who works on something tells of changes, too: "I moved the function to utils.rs" is one in a file, not in how things
//! are. What is ours, what has a name or a value, and what somebody does by habit are told from that.

use super::Rule;
use super::doubt::{begins_reported, orders_now};
use super::facts::{AT_WORK, STATES, TROUBLE, fact};
use super::habits::{habit, preference};
use super::sentences::Sentence;
use super::told::{Told, kept};
use super::words::{begins, has};
use crate::phrase::lifts;

/// Verbs of going from one thing to another.
const GOING: &[&str] = &[
    "switched",
    "moved",
    "migrated",
    "changed",
    "upgraded",
    "downgraded",
    "converted",
    "transitioned",
    "went",
    "renamed",
];
/// What took the place of a thing: the words after it.
const REPLACED: &[&str] = &[
    "replaced by",
    "replaced with",
    "superseded by",
    "succeeded by",
    "renamed to",
    "deprecated",
    "obsolete",
    "retired",
    "discontinued",
    "abgelöst durch",
    "ersetzt durch",
    "remplacé par",
    "reemplazado por",
];
/// Verbs of being, before those.
const BEING: &[&str] =
    &["is", "are", "was", "were", "got", "has been", "have been", "is now", "are now", "wurde", "wurden", "est", "fue"];
/// A change of today.
const NOW: &[&str] =
    &["now", "meanwhile", "nowadays", "jetzt", "inzwischen", "nun", "désormais", "maintenant", "ahora"];
/// A rule that ends.
const ANY_MORE: &[&str] = &["anymore", "any more", "any longer", "nicht mehr", "ne plus", "ya no"];
/// Verbs of seeing and knowing: what is seen no more is missing.
const SEEING: &[&str] = &[
    "see",
    "get",
    "have",
    "know",
    "understand",
    "think",
    "find",
    "remember",
    "care",
    "work",
    "works",
    "believe",
    "recall",
    "notice",
    "hear",
    "loads",
    "load",
    "appears",
    "appear",
    "shows",
    "show",
];
/// What stands between a subject and its verb.
const BETWEEN: &[&str] =
    &["have", "has", "just", "recently", "finally", "also", "now", "since", "meanwhile", "'ve", "officially"];
/// Who does things by habit.
const WHO: &[&str] =
    &["we", "i", "we've", "i've", "you", "they", "they've", "everyone", "everybody", "the team", "our team"];
/// What points at a thing of the moment.
const POINTING: &[&str] = &["it", "this", "that", "them", "these", "those", "there", "here"];
const ARTICLES: &[&str] = &["the", "a", "an", "another", "next", "some", "your", "this", "that", "each", "both", "one"];

/// A thing is named in so many words before its verb.
const SUBJECT_WORDS_MAX: usize = 5;
/// And in so many between that and what it became.
const OBJECT_WORDS_MAX: usize = 4;

/// What the user says has changed, told whole.
pub(super) fn changed(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.trim_end_matches(['.', '!']);
    if has(lower, TROUBLE) || orders_now(lower) || begins_reported(lower) {
        return None;
    }
    let is_change = goes_to(lower)
        || is_replaced(lower)
        || replaces(lower)
        || has_ended(lower)
        || is_at(lower)
        || is_now(lower)
        || takes_over(lower)
        || is_allowed(lower);
    (is_change || is_new(bare)).then(|| kept(Rule::Update, bare, &bare.lower)).flatten()
}

/// What is told so and not otherwise: a fact, a habit, a preference.
pub(super) fn plainly(bare: &Sentence) -> Option<Told> {
    changed(bare).or_else(|| habit(bare)).or_else(|| fact(bare)).or_else(|| preference(bare))
}

fn words(lower: &str) -> Vec<&str> {
    let is_mark = |c: char| matches!(c, ',' | ';' | ':' | '"' | '`' | '(' | ')' | '!');
    lower.split_whitespace().map(|word| word.trim_matches(is_mark)).filter(|word| !word.is_empty()).collect()
}

/// Whether it can be the name of something: no article stands before it, and it is not pointed at.
fn is_named(words: &[&str]) -> bool {
    words.first().is_some_and(|first| !ARTICLES.contains(first) && !POINTING.contains(first))
}

/// Whether these words are one of the user's own things, one with a name, or `the` thing.
fn is_thing(words: &[&str]) -> bool {
    let is_short = !words.is_empty() && words.len() <= SUBJECT_WORDS_MAX;
    let begins_well = words.first().is_some_and(|first| {
        !POINTING.contains(first)
            && !matches!(*first, "if" | "when" | "why" | "what" | "how" | "it's" | "that's" | "he" | "she")
    });
    is_short
        && begins_well
        && !words.iter().any(|word| matches!(*word, "warning" | "error" | "use" | "button" | "test"))
}

/// "We switched to pnpm", "we migrated our CI to Buildkite", "the staging host changed to 10.0.0.2".
fn goes_to(lower: &str) -> bool {
    let words = words(lower);
    let Some(verb) = words.iter().take(SUBJECT_WORDS_MAX + 2).position(|word| GOING.contains(word)) else {
        return false;
    };
    let (before, after) = words.split_at(verb);
    let subject: Vec<&str> = before.iter().filter(|word| !BETWEEN.contains(word)).copied().collect();
    let after = after.get(1..).unwrap_or_default();
    let Some(to) =
        after.iter().take(OBJECT_WORDS_MAX + 1).position(|word| matches!(*word, "to" | "over" | "auf" | "zu"))
    else {
        return false;
    };
    let (object, became) = (after.get(..to).unwrap_or_default(), after.get(to + 1..).unwrap_or_default());
    let became = if became.first() == Some(&"to") { became.get(1..).unwrap_or_default() } else { became };
    if WHO.contains(&subject.join(" ").as_str()) {
        let is_ours = object.first().is_none_or(|first| matches!(*first, "our" | "everything" | "all"));
        // "We changed the deploy command to ./release", and not "we moved the function to utils.rs".
        let is_the_one =
            subject == ["we"] && object.first() == Some(&"the") && became.first().is_some_and(|word| is_value(word));
        return (is_ours && is_named(became)) || (is_the_one && !is_worked_on(object));
    }
    // What one thing became is a value or a name, and "the form moved to the left" tells neither.
    object.is_empty() && is_thing(&subject) && is_named(became)
}

/// "`./ship` was replaced by `./deploy`", "the old API is deprecated, use v2".
fn is_replaced(lower: &str) -> bool {
    let rest_of = |at: usize| lower.get(at..).unwrap_or_default().trim_start();
    let places = lower.match_indices(' ').take(SUBJECT_WORDS_MAX).map(|(at, _)| at);
    places.into_iter().any(|at| {
        let rest = rest_of(at);
        let Some(end) = begins(rest, BEING) else { return false };
        let said = rest.get(end..).unwrap_or_default().trim_start();
        begins(said, REPLACED).is_some() && is_thing(&words(lower.get(..at).unwrap_or_default()))
    })
}

/// "Kubernetes replaced Nomad".
fn replaces(lower: &str) -> bool {
    let words = words(lower);
    let verb = words
        .iter()
        .take(OBJECT_WORDS_MAX)
        .position(|word| matches!(*word, "replaced" | "replaces" | "supersedes" | "ersetzt"));
    let Some((subject, rest)) = verb.filter(|at| *at > 0).map(|at| words.split_at(at)) else { return false };
    let object = rest.get(1..).unwrap_or_default();
    let is_short = object.len() <= OBJECT_WORDS_MAX && !object.contains(&"with");
    is_short
        && !WHO.contains(&subject.join(" ").as_str())
        && is_thing(subject)
        && !is_worked_on(subject)
        && is_named(object)
}

/// "Bob took over the payments service from Mara."
fn takes_over(lower: &str) -> bool {
    let words = words(lower);
    matches!(words.as_slice(), [who, "took" | "takes", "over", what, ..] if is_named(&[who]) && !POINTING.contains(what))
}

/// "CI now runs on Buildkite", "the default branch is now called trunk": where something is or what it is called.
fn is_now(lower: &str) -> bool {
    const IS_NOW: &[&str] = &[
        "is now in",
        "are now in",
        "is now at",
        "are now at",
        "is now on",
        "is now called",
        "are now called",
        "is now named",
        "is now under",
        "are now under",
        "now runs on",
        "now run on",
        "now runs in",
        "now lives in",
        "now live in",
        "now lives at",
        "now lives under",
        "now goes through",
        "now go through",
        "now points to",
        "now listens on",
        "now belongs to",
        "now belong to",
        "now deploys to",
        "now uses",
        "now use",
        "now requires",
        "now require",
        "ist jetzt",
        "sind jetzt",
        "läuft jetzt",
        "heißt jetzt",
        "est maintenant",
        "ahora está",
    ];
    let places = lower.match_indices(' ').take(SUBJECT_WORDS_MAX).map(|(at, _)| at);
    places.into_iter().any(|at| {
        let rest = lower.get(at..).unwrap_or_default().trim_start();
        let Some(end) = begins(rest, IS_NOW) else { return false };
        let (subject, became) =
            (words(lower.get(..at).unwrap_or_default()), words(rest.get(end..).unwrap_or_default()));
        let is_state = became.iter().all(|word| STATES.contains(word));
        is_thing(&subject)
            && !is_worked_on(&subject)
            && is_named(&became)
            && !is_state
            && became.len() <= OBJECT_WORDS_MAX
    })
}

/// Whether it is a thing that is being worked on: what is told of it is told of the work.
fn is_worked_on(subject: &[&str]) -> bool {
    const CODE: &[&str] = &[
        "function",
        "method",
        "class",
        "struct",
        "component",
        "helper",
        "parser",
        "handler",
        "file",
        "page",
        "form",
        "button",
        "module",
        "import",
        "imports",
        "field",
        "variable",
        "code",
        "diff",
        "branch",
        "commit",
        "script",
        "query",
        "color",
        "logic",
        "test",
    ];
    // The default branch is nobody's branch at work.
    let is_default = subject.iter().any(|word| matches!(*word, "default" | "main" | "release"));
    subject.last().is_some_and(|head| (CODE.contains(head) && !is_default) || AT_WORK.contains(head))
}

/// A path, an address, a number.
fn is_value(word: &str) -> bool {
    word.contains(['/', '.', ':']) || word.starts_with('`') || word.chars().any(|c| c.is_ascii_digit())
}

/// "I no longer prefer dark mode", "we don't run make lint before pushing anymore".
fn has_ended(lower: &str) -> bool {
    let words = words(lower);
    let first = |at: usize| words.get(at).copied().unwrap_or_default();
    if !matches!(first(0), "we" | "i" | "you" | "our" | "wir" | "ich") && !is_owning_no_more(&words) {
        return false;
    }
    if let Some(at) =
        words.iter().take(SUBJECT_WORDS_MAX).position(|word| *word == "longer").filter(|at| first(at - 1) == "no")
    {
        return words.len() > at + 2 && !SEEING.contains(&first(at + 1));
    }
    let denies = matches!(first(1), "don't" | "do" | "won't" | "aren't" | "no");
    let ends = ANY_MORE.iter().any(|more| has(lower, &[more]));
    (denies || has(lower, &["nicht mehr"]))
        && ends
        && words.len() >= 5
        && !SEEING.contains(&first(2))
        && !SEEING.contains(&first(3))
}

/// "Mara no longer owns the billing service."
fn is_owning_no_more(words: &[&str]) -> bool {
    const OWNING: [&str; 6] = ["owns", "maintains", "leads", "manages", "reviews", "runs"];
    matches!(words, [_, "no", "longer", verb, ..] if OWNING.contains(verb))
}

/// "We're on Node 22 now."
fn is_at(lower: &str) -> bool {
    let Some(end) = begins(
        lower,
        &["we're on", "we are on", "we're now on", "we are now on", "we're at version", "wir sind jetzt auf"],
    ) else {
        return false;
    };
    let words = words(lower.get(end..).unwrap_or_default());
    let is_new = NOW.iter().any(|now| has(lower, &[now]));
    let has_value = words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    is_named(&words) && words.len() <= OBJECT_WORDS_MAX && (is_new || has_value)
}

/// "It's fine to push to main on Fridays now", "you can use lodash again": and not "you can run the tests again".
fn is_allowed(lower: &str) -> bool {
    const AGAIN: [&str; 3] = ["again", "now", "from now on"];
    let Some(rest) = AGAIN.iter().find_map(|again| lower.strip_suffix(again)) else { return false };
    // "Pushing to main is allowed again."
    if lifts(rest)
        .is_some_and(|(said, _)| rest.trim().starts_with(said) && said.contains(' ') && is_named(&words(said)))
    {
        return true;
    }
    let Some((said, _)) = lifts(lower) else { return false };
    let words = words(said);
    let object = words.get(1..).unwrap_or_default();
    let object: Vec<&str> = object.iter().filter(|word| !AGAIN.contains(word)).copied().collect();
    let is_general = words.first() == Some(&"use") || object.len() >= 2;
    rest.ends_with(' ') && is_general && is_named(&object) && !object.iter().any(|word| POINTING.contains(word))
}

/// "Jo now owns the billing service": told without its "now", it is a fact or a habit.
fn is_new(bare: &Sentence) -> bool {
    let words: Vec<&str> = bare.said.split(' ').collect();
    let is_now = |word: &&str| NOW.contains(&word.to_lowercase().as_str());
    let Some(at) = words.iter().take(SUBJECT_WORDS_MAX + 2).position(is_now).filter(|at| *at > 0) else { return false };
    let rest = [words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default()].concat();
    let plain = Sentence::new(&rest.join(" "));
    rest.len() > 2
        && habit(bare).is_none()
        && fact(bare).is_none()
        && (habit(&plain).is_some() || fact(&plain).is_some() || preference(&plain).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::user::heard;
    use super::*;

    fn rules(said: &str) -> Vec<Rule> {
        heard(said).told.into_iter().map(|told| told.rule).collect()
    }

    #[test]
    fn what_is_otherwise_now_is_heard_in_everyday_words() {
        let missed = [
            "Actually the staging port is 5434 now.",
            "actually, the staging port is 5434",
            "We switched to pnpm.",
            "We've switched over to pnpm",
            "We now use pnpm for linting instead of npm.",
            "it's fine to push to main on Fridays now",
            "You can use lodash again.",
            "You can push to main again.",
            "Jo now owns the billing service.",
            "Mara no longer owns the billing service.",
            "I no longer prefer dark mode.",
            "We don't run make lint before pushing anymore.",
            "The staging host changed to hawk.internal:80",
            "The prod database moved to db2.internal:5432.",
            "Our docs have moved to Notion.",
            "We migrated our CI to GitHub Actions.",
            "We recently moved everything to Hetzner.",
            "We're on Node 22 now.",
            "we upgraded to Rust 1.85",
            "./ship was replaced by ./deploy",
            "The old payments API is deprecated, use v2",
            "The design team was renamed to Studio",
            "Wir benutzen npm nicht mehr zum Bauen",
            "CI now runs on Buildkite",
            "Tests are now in tests/unit",
            "The default branch is now called trunk",
            "We changed the deploy command to ./release",
            "Kubernetes replaced Nomad",
            "Bob took over the payments service from Mara",
            "Pushing to main is allowed again",
        ]
        .into_iter()
        .filter(|said| rules(said) != [Rule::Update]);
        assert_eq!(missed.map(|said| (said, rules(said))).collect::<Vec<_>>(), []);
        assert_eq!(rules("Wir verwenden jetzt GitLab"), [Rule::Convention]);
        assert_eq!(rules("Remember: the build tool is just."), [Rule::Remember]);
    }

    #[test]
    fn what_changed_in_the_work_at_hand_is_no_update() {
        let heard = [
            "I moved the function to utils.rs",
            "I changed the color to blue",
            "We moved to the next step",
            "I switched to another branch",
            "You can run the tests again",
            "You can continue now",
            "You can merge it now",
            "it's fine to delete that now",
            "I don't see the button anymore",
            "the page no longer loads",
            "it was replaced by a stub",
            "the button moved to the left",
            "We updated the readme to mention pnpm",
            "Actually the tests are slow",
            "Actually I think we should wait",
            "Actually, never mind",
            "now the tests are green",
            "We're on it now",
            "We're on the same page now",
            "The docs say we switched to pnpm",
            "did we switch to pnpm?",
            "We moved the function to utils.rs",
            "the parser now uses serde",
            "The tests are now green",
            "the form now uses a map",
            "No need to save this",
        ]
        .into_iter()
        .filter(|said| !rules(said).is_empty());
        assert_eq!(heard.map(|said| (said, rules(said))).collect::<Vec<_>>(), []);
    }
}
