//! Standing orders without "never" and "always": of a kind, of everybody, of every time.

use super::Rule;
use super::facts::{AT_WORK, TROUBLE};
use super::sentences::Sentence;
use super::things::{OPENERS, ORDERS, POINTING};
use super::told::{Told, keep};
use super::words::{begins, has};
use crate::kindred::is_known;
use memoir_event::MemoryKind;

/// What there is none of, and nobody forbids.
const ABSENT: &[&str] = &[
    "need",
    "one",
    "idea",
    "problem",
    "problems",
    "rush",
    "hurry",
    "way",
    "luck",
    "worries",
    "reason",
    "matter",
    "changes",
    "change",
    "output",
    "results",
    "result",
    "matches",
    "match",
    "data",
    "difference",
    "answer",
    "logs",
    "response",
    "clue",
    "more",
    "longer",
    "doubt",
    "thanks",
    "wonder",
    "tests",
    "test",
];
/// Where something is absent, and not forbidden.
const SEEN_IN: &[&str] =
    &["console", "terminal", "output", "logs", "log", "stdout", "stderr", "screen", "browser", "yet", "there"];
const LEADS_ON: &[&str] = &["in", "on", "after", "before", "at", "during", "without", "for"];
const HERE: &[&str] = &[
    "in this project",
    "in this repo",
    "in this repository",
    "in this codebase",
    "in our repo",
    "in our codebase",
    "in all files",
    "everywhere",
    "in general",
];
/// A project does so.
const DOES_HERE: &[&str] = &["uses", "follows", "targets", "requires", "supports", "adheres to", "is built with"];
const THIS_ONE: &[&str] =
    &["this repo", "this repository", "this project", "this codebase", "our repo", "our codebase"];
const EACH_TIME: &[&str] = &[
    "whenever you",
    "whenever we",
    "every time you",
    "every time we",
    "each time you",
    "each time we",
    "before any",
    "before every",
    "before each",
    "before you run",
    "before you commit",
    "before you push",
    "before you merge",
    "before you deploy",
];
const MUST: &[&str] = &["have to", "must", "need to", "needs to", "has to", "should", "needs", "may", "can"];
const MEASURES: &[&str] =
    &["more than", "less than", "fewer than", "at least", "at most", "without", "exactly", "is allowed"];
const EVERYBODY: &[&str] = &["nobody", "no one", "everyone", "everybody", "anyone"];
const BEYOND: &[&str] =
    &["over", "under", "above", "below", "without", "older", "bigger", "larger", "longer", "smaller"];
const GOES: &[&str] = &["go", "goes", "get", "gets", "need", "needs", "belong", "belongs", "must"];
/// A ban is said shortly.
const BAN_WORDS_MAX: usize = 10;

/// What is to be done in general, as it is told.
pub(super) fn standing(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.trim_end_matches(['.', '!']);
    let words: Vec<&str> = lower.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    let is_rule = forbids_kind(lower, &words)
        || chooses(lower, &words)
        || is_done_here(lower)
        || is_of_each_time(lower)
        || is_of_everybody(lower, &words)
        || is_called_forbidden(lower, &words)
        || is_called_important(lower);
    if is_manner_asked(bare) {
        return keep(Rule::Preference, MemoryKind::Preference, &bare.said, &bare.lower);
    }
    is_rule.then(|| keep(Rule::Convention, MemoryKind::Convention, &bare.said, &bare.lower)).flatten()
}

/// "No emojis in commit messages": and not "no errors in the console".
fn forbids_kind(lower: &str, words: &[&str]) -> bool {
    let Some(("no", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) else { return false };
    let Some(at) = rest.iter().take(4).position(|word| LEADS_ON.contains(word)).filter(|at| *at > 0) else {
        return false;
    };
    let (what, place) = (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
    let is_at_hand =
        place.first().is_none_or(|first| matches!(*first, "the" | "this" | "that" | "a" | "an" | "my" | "it"));
    let is_absent = what.iter().any(|word| ABSENT.contains(word) || TROUBLE.contains(word) || AT_WORK.contains(word));
    let is_seen = place.iter().any(|word| SEEN_IN.contains(word));
    !is_at_hand && !is_absent && !is_seen && words.len() <= BAN_WORDS_MAX && !lower.contains(": ")
}

/// "Use pnpm, not npm", "only use British spelling in docs".
fn chooses(lower: &str, words: &[&str]) -> bool {
    let is_named = |word: Option<&&str>| {
        word.is_some_and(|word| !POINTING.contains(word) && !matches!(*word, "the" | "a" | "an" | "your" | "my"))
    };
    if begins(lower, &["only use"]).is_some() {
        return is_named(words.get(2))
            && words.len() > 3
            && !has(lower, &["here", "for now", "the", "this", "that", "it", "one"]);
    }
    let Some(not) = words.iter().position(|word| *word == "not").filter(|_| words.first() == Some(&"use")) else {
        return false;
    };
    let (what, instead) = (words.get(1..not).unwrap_or_default(), words.get(not + 1..).unwrap_or_default());
    let is_of_known =
        what.len() == 1 && instead.len() == 1 && [what, instead].concat().iter().all(|word| is_known(word));
    is_named(what.first()) && is_named(instead.first()) && (is_of_known || has(lower, HERE))
}

/// "This repo uses conventional commits."
fn is_done_here(lower: &str) -> bool {
    let rest = begins(lower, THIS_ONE).and_then(|end| lower.get(end..)).unwrap_or_default().trim_start();
    begins(rest, DOES_HERE).is_some() && !has(rest, &["this", "that", "it", "the wrong"])
}

/// "You have to bump the version whenever you touch it", "ask me before you run it".
fn is_of_each_time(lower: &str) -> bool {
    let is_duty = begins(lower, &["you", "we", "before", "whenever"]).is_some() && has(lower, MUST);
    has(lower, EACH_TIME) && (is_duty || begins(lower, ORDERS).is_some())
}

/// "Deploys on Fridays are forbidden."
fn is_called_forbidden(lower: &str, words: &[&str]) -> bool {
    const FORBIDDEN: [&str; 8] = [
        " are forbidden",
        " is forbidden",
        " are not allowed",
        " is not allowed",
        " are prohibited",
        " is prohibited",
        " are banned",
        " is banned",
    ];
    let is_at_hand =
        words.first().is_none_or(|first| matches!(*first, "the" | "this" | "that" | "it" | "a" | "an" | "why" | "if"));
    !is_at_hand
        && words.len() <= BAN_WORDS_MAX
        && FORBIDDEN.iter().any(|end| lower.ends_with(end))
        && !lower.contains(", ")
}

/// "It's important that shopping lists are sorted by aisle."
fn is_called_important(lower: &str) -> bool {
    let rest =
        begins(lower, &["it's important that", "it is important that", "it's essential that", "it is essential that"]);
    let rest = rest.and_then(|end| lower.get(end..)).unwrap_or_default().trim_start();
    !rest.is_empty() && begins(rest, &["the", "this", "that", "it", "you", "we", "i", "your", "these"]).is_none()
}

/// "Call me Ines", "answer in German please", "keep your answers short".
fn is_manner_asked(bare: &Sentence) -> bool {
    const LANGUAGES: &[&str] = &[
        "in english",
        "in german",
        "in french",
        "in spanish",
        "in italian",
        "in dutch",
        "in portuguese",
        "in polish",
        "in russian",
        "in chinese",
        "in japanese",
        "auf deutsch",
        "auf englisch",
    ];
    const SPEAKING: &[&str] =
        &["answer", "reply", "respond", "talk", "speak", "talk to me", "speak to me", "answer me"];
    let lower = bare.lower.trim_end_matches(['.', '!']);
    let lower = lower.strip_suffix(" please").unwrap_or(lower);
    let is_named = begins(lower, &["call me"])
        .is_some_and(|end| bare.said.get(end..).unwrap_or_default().trim_start().starts_with(char::is_uppercase));
    let spoken = begins(lower, SPEAKING).and_then(|end| lower.get(end..)).unwrap_or_default().trim_start();
    let is_of_answers =
        begins(lower, &["keep your answers", "keep answers", "keep your replies", "keep your explanations"]).is_some();
    let is_short = ["short", "brief", "concise", "terse", "to the point"].iter().any(|end| lower.ends_with(end));
    is_named || LANGUAGES.contains(&spoken) || (is_of_answers && is_short)
}

/// "Everyone must have one weekend off", "there must be at least one", "anything over 500 needs a signature".
fn is_of_everybody(lower: &str, words: &[&str]) -> bool {
    if begins(lower, EVERYBODY).is_some() {
        return has(lower, MEASURES) || has(lower, &["must", "has to", "may"]);
    }
    if begins(lower, &["there must be", "there has to be", "there have to be"]).is_some() {
        return has(lower, &["at least", "at most", "exactly", "no more than", "always"]);
    }
    let (Some(kind), Some(beyond)) = (words.first(), words.get(1)) else { return false };
    let is_kind = matches!(*kind, "anything" | "everything")
        || (kind.ends_with('s')
            && kind.len() > 3
            && !OPENERS.contains(kind)
            && !ORDERS.contains(kind)
            && !POINTING.contains(kind));
    is_kind && BEYOND.contains(beyond) && words.iter().skip(3).any(|word| GOES.contains(word))
}
