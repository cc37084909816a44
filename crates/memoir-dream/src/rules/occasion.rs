//! What is said on one occasion and reads like a rule: an outburst, an errand, what code is to do, what a role is to say.

use super::Rule;
use super::sentences::Sentence;
use super::things::{CODE, ORDERS};
use super::told::Told;
use super::words::{begins, find, has};
use crate::statement::Statement;

/// What is to be thought of once, unless it says that it is to be thought of again and again.
const ERRANDS: &[&str] = &[
    "don't forget to",
    "do not forget to",
    "dont forget to",
    "can you remember to",
    "could you remember to",
    "will you remember to",
    "would you remember to",
];
/// Words that say that it holds in general.
const IN_GENERAL: &[&str] = &[
    "always",
    "never",
    "every",
    "each",
    "any",
    "whenever",
    "when",
    "in general",
    "generally",
    "everywhere",
    "next time",
    "from now on",
    "in future",
    "in the future",
    "before you",
    "before committing",
    "before pushing",
    "after you",
    "in this repo",
    "in this project",
];
/// Whose thing is meant is not told: "you have to remember the context".
const MUST_REMEMBER: &[&str] =
    &["you have to remember", "you need to remember", "you should remember", "you must remember"];
/// States of what a program has in its hands.
const DATA: &[&str] = &[
    "empty",
    "missing",
    "null",
    "none",
    "undefined",
    "nil",
    "nan",
    "zero",
    "invalid",
    "true",
    "false",
    "found",
    "set",
    "unset",
    "present",
    "absent",
    "negative",
    "blank",
    "exists",
    "exist",
    "expired",
    "loading",
    "loaded",
    "clicks",
    "clicked",
];
/// What programs do.
const DOES: &[&str] = &[
    "show",
    "return",
    "returns",
    "throw",
    "throws",
    "raise",
    "fall back",
    "fallback",
    "render",
    "display",
    "default",
    "print",
    "hide",
    "redirect",
    "emit",
    "panic",
];
/// What code does with what it is given.
const GIVES: &[&str] = &[
    "returns", "return", "takes", "take", "accepts", "accept", "throws", "throw", "raises", "renders", "render",
    "prints", "expects", "gets", "has", "calls", "must", "should", "needs",
];
/// Things of code beside those that are worked on.
const OF_CODE: &[&str] = &["endpoint", "endpoints", "route", "api", "app", "server", "client", "tests", "callback"];
const CONDITIONS: &[&str] = &["if", "when", "whenever", "wenn", "si"];
const ROLES: &[&str] =
    &["act as", "act like", "you are a", "you are an", "you're a", "pretend", "play the role", "your role is", "role:"];
/// What somebody has seen, thought and known tells nothing of how it is to be.
const LIVED: &[&str] = &[
    "in my life",
    "mind",
    "been",
    "seen",
    "heard",
    "had",
    "thought",
    "knew",
    "felt",
    "would have",
    "could have",
    "have i",
    "have we",
];
const HAVING: &[&str] = &["have", "has", "had"];
const DONE: &[&str] = &[
    "been", "done", "gone", "made", "run", "put", "cut", "let", "got", "known", "heard", "thought", "left", "lost",
    "kept", "told", "had", "seen",
];

/// Whether something was only said for the matter at hand.
pub(super) fn is_of_occasion(told: &Told, sentence: &Sentence, bare: &Sentence) -> bool {
    let (whole, lower) = (sentence.lower.as_str(), bare.lower.as_str());
    match told.rule {
        Rule::Remember => is_errand(whole) || names_only(whole, &told.text),
        Rule::FromNowOn => is_of_code(&told.text.to_lowercase()) || points_into_text(lower),
        Rule::Always | Rule::Convention => {
            is_outburst(lower)
                || is_of_program(lower)
                || is_of_code(lower)
                || turns_to_work(lower)
                || points_into_text(lower)
                || has(lower, &["the wrong"])
        }
        _ => points_into_text(lower),
    }
}

/// "Act as a reviewer": what is said after it is said of that role.
pub(super) fn plays_role(first: &Sentence) -> bool {
    begins(&first.bare().lower, ROLES).is_some()
}

/// "Don't forget to push": and not "don't forget to run the linter before every push".
fn is_errand(lower: &str) -> bool {
    let rest = ERRANDS.iter().find_map(|errand| lower.get(find(lower, errand)? + errand.len()..));
    rest.is_some_and(|rest| !has(rest, IN_GENERAL))
}

/// "You have to remember the context of the file", "remember me when you write".
fn names_only(lower: &str, text: &str) -> bool {
    let is_told = || !Statement::of(text).claims.is_empty();
    begins(&text.to_lowercase(), &["me", "us"]).is_some() || (has(lower, MUST_REMEMBER) && !is_told())
}

/// "You should never have deleted that", "never in my life …".
fn is_outburst(lower: &str) -> bool {
    let mut after = ["never", "always"].iter().filter_map(|often| lower.get(find(lower, often)? + often.len()..));
    after.any(|after| {
        let after = after.trim_start();
        let mut words = after.split([' ', ',', '.', '!']);
        let is_had = words.next().is_some_and(|word| HAVING.contains(&word));
        let is_done =
            words.next().is_some_and(|word| word.ends_with("ed") || word.ends_with("en") || DONE.contains(&word));
        begins(after, LIVED).is_some() || (is_had && is_done)
    })
}

/// "If the list is empty, always show the placeholder": what a program is to do, and not whoever is told.
fn is_of_program(lower: &str) -> bool {
    let condition = CONDITIONS.iter().find_map(|lead| Some(find(lower, lead)? + lead.len()));
    let Some(condition) = condition.and_then(|at| lower.get(at..)) else { return false };
    let (condition, rest) = condition.split_once(", ").unwrap_or((condition, lower));
    let rest = begins(rest, &["always", "never", "then"]).map_or(rest, |end| rest.get(end..).unwrap_or_default());
    let does = begins(rest.trim_start(), DOES).is_some() && !has(rest, &["me", "us"]);
    (has(condition, DATA) && (has(condition, CODE) || has(condition, &["user", "value"]))) || does
}

/// "The endpoint must not …", "the function returns an Option".
fn is_of_code(lower: &str) -> bool {
    let mut words = lower.split([' ', ',', '.']);
    let is_at_hand = words.next().is_some_and(|word| matches!(word, "the" | "this" | "that"));
    let words: Vec<&str> = words.take(4).collect();
    is_at_hand
        && words.windows(2).any(|pair| {
            let [thing, does] = pair else { return false };
            (CODE.contains(thing) || OF_CODE.contains(thing)) && GIVES.contains(does)
        })
}

/// "Don't fix anything, just validate it", "don't change the tests, only the code": what is to be done instead is work.
fn turns_to_work(lower: &str) -> bool {
    let is_once = ["do", "avoid"].iter().any(|lead| lower.starts_with(lead));
    let mut clauses = [", ", "; ", " but ", " - "].iter().filter_map(|mark| lower.split_once(mark));
    is_once
        && clauses.any(|(_, clause)| {
            let narrowed =
                begins(clause, &["but just", "but only", "just"]).map(|end| clause.get(end..).unwrap_or_default());
            let verb =
                begins(clause, &["but"]).map_or(clause, |end| clause.get(end..).unwrap_or_default()).trim_start();
            let is_order = begins(verb, ORDERS).is_some() && begins(verb, &["use", "prefer"]).is_none();
            let is_at_hand = || has(verb, &["the", "it", "this", "that", "them", "your"]);
            begins(clause, CONDITIONS).is_some()
                || narrowed.is_some_and(|rest| begins(rest.trim_start(), &["use", "prefer"]).is_none())
                || begins(clause, &["only the", "only this", "only that"]).is_some()
                || (is_order && is_at_hand() && !verb.ends_with("instead"))
        })
}

/// "In line 12", "option 2 of your suggestions".
fn points_into_text(lower: &str) -> bool {
    const PLACES: [&str; 6] = ["line", "lines", "option", "point", "step", "item"];
    let mut words = lower.split_whitespace().peekable();
    let mut is_place = false;
    while let Some(word) = words.next() {
        let is_number = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit());
        is_place |= PLACES.contains(&word) && words.peek().is_some_and(is_number);
    }
    is_place || has(lower, &["your suggestion", "your suggestions", "your proposal", "your proposals"])
}
