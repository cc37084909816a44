//! What a request was about, in words that say something later: "yes, do both" is part of what was asked for before.

use super::facts::TROUBLE;
use super::leads::without_leads;
use super::sentences::{Sentence, sentences};
use super::words::{begins, has};
use crate::statement::Statement;

/// A goal that is longer is a story.
const GOAL_CHARS_MAX: usize = 160;
/// Who says so much names something, whatever else is pointed at.
const STEMS_BESIDE_POINTERS: usize = 7;
/// A request has at least so much in it.
const STEMS_MIN: usize = 2;

/// Words with which somebody agrees, and goes on.
const AGREEING: &[&str] = &[
    "yes",
    "yeah",
    "yep",
    "yup",
    "no",
    "nope",
    "nah",
    "ok",
    "okay",
    "sure",
    "lol",
    "right",
    "great",
    "perfect",
    "nice",
    "cool",
    "good",
    "thanks",
    "thank you",
    "exactly",
    "correct",
    "agreed",
    "fine",
    "alright",
    "both",
    "all of",
    "option",
    "sorry",
    "oh",
    "ah",
    "hm",
    "hmm",
    "ja",
    "nein",
    "oui",
    "sí",
    "i think",
    "i was",
    "do both",
    "do all",
    "do it",
    "do that",
];
/// Words with which somebody asks, and asks for nothing.
const WONDERING: &[&str] = &[
    "why", "what", "what's", "when", "where", "who", "which", "how", "how's", "does", "do", "did", "is", "are", "was",
    "were", "question", "have", "has", "warum", "wieso", "was", "wie", "wo", "pourquoi", "comment", "por qué", "cómo",
];

/// What is pointed at stands elsewhere.
const POINTING: &[&str] = &[
    "this",
    "it",
    "it's",
    "its",
    "them",
    "these",
    "those",
    "both",
    "above",
    "same",
    "here",
    "there",
    "that",
    "they",
    "option",
    "following",
    "below",
];
/// Pointing words that name where the work is.
const AROUND: &[&str] =
    &["this repo", "this repository", "this project", "this codebase", "this crate", "this package"];

/// Stems of what is done in any project, and names nothing of one.
const CHORES: &[&str] = &[
    "commit",
    "push",
    "rebas",
    "rebase",
    "merg",
    "merge",
    "pr",
    "prs",
    "comment",
    "review",
    "feedback",
    "branch",
    "main",
    "master",
    "address",
    "fix",
    "test",
    "lint",
    "error",
    "fail",
    "failur",
    "failure",
    "pass",
    "run",
    "continu",
    "continue",
    "next",
    "step",
    "plan",
    "implement",
    "follow",
    "updat",
    "update",
    "ci",
    "check",
    "again",
    "add",
    "make",
    "sure",
    "chang",
    "change",
    "work",
    "issu",
    "issue",
    "problem",
    "first",
    "now",
    "need",
    "want",
    "look",
    "help",
    "start",
    "finish",
    "done",
    "go",
    "ahead",
    "thing",
    "code",
    "file",
    "let",
    "pleas",
    "please",
    "can",
    "could",
    "us",
    "we",
    "build",
    "creat",
    "create",
    "new",
    "some",
    "more",
    "minor",
    "clean",
    "few",
    "read",
    "write",
    "see",
    "do",
    "close",
    "open",
    "get",
    "got",
    "use",
    "request",
    "pull",
    "job",
    "rest",
    "nitpick",
    "docum",
    "doc",
    "docs",
    "document",
    "summari",
    "summarize",
    "one",
    "two",
    "three",
];

/// The first sentence, if it is short enough to say what it is about.
pub(super) fn goal_of(text: &str) -> Option<String> {
    let first = sentences(text).into_iter().find(|one| one.words() >= 3)?;
    let said = first.said.trim_end_matches(['.', '!', '?', ':']);
    (said.chars().count() <= GOAL_CHARS_MAX).then(|| said.to_owned())
}

/// Whether it says what was asked for to somebody who has not read what stands before it.
pub(super) fn stands_alone(goal: &str) -> bool {
    let sentence = Sentence::new(goal);
    let begins_well = goal.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '"' | '@' | '.'));
    let bare = without_leads(&sentence).0;
    if !begins_well || begins(&sentence.lower, AGREEING).is_some() || begins(&bare.lower, WONDERING).is_some() {
        return false;
    }
    let stems = Statement::whole(&bare.said).stems;
    let names = stems.iter().any(|stem| !CHORES.contains(&stem.as_str()));
    let around = AROUND.iter().fold(bare.lower.clone(), |lower, around| lower.replace(around, ""));
    let points = has(&around, POINTING);
    names && stems.len() >= if points { STEMS_BESIDE_POINTERS } else { STEMS_MIN }
}

/// Verbs of doing what commands do.
const RUNNING: &[&str] = &[
    "run",
    "rerun",
    "re-run",
    "execute",
    "build",
    "rebuild",
    "test",
    "deploy",
    "redeploy",
    "release",
    "install",
    "start",
    "restart",
    "lint",
    "format",
    "publish",
    "generate",
    "regenerate",
    "migrate",
    "set up",
    "setup",
    "compile",
    "package",
    "benchmark",
    "launch",
    "boot",
    "seed",
    "bauen",
    "baue",
    "starte",
    "teste",
    "lance",
    "ejecuta",
];
/// Ways to ask for it.
const ASKING: &[&str] = &[
    "we should",
    "could we",
    "can we",
    "could you",
    "can you",
    "try to",
    "go ahead and",
    "i want you to",
    "we need to",
    "first",
];

/// Whether it asks to run something that it names; what is wrong with it is no goal, and neither is a question.
pub(super) fn asks_to_run(goal: &str) -> bool {
    let mut bare = without_leads(&Sentence::new(goal)).0;
    while let Some(end) = begins(&bare.lower, ASKING) {
        bare = without_leads(&bare.from(end).bare()).0;
    }
    let Some(end) = begins(&bare.lower, RUNNING) else { return false };
    let rest = bare.from(end).bare();
    let next = rest.lower.split(' ').next().unwrap_or_default();
    // "Start working on …", "test that …", "build it": none of them names what is run.
    let names_it = !next.is_empty() && !next.ends_with("ing") && !POINTING.contains(&next);
    names_it && !has(&bare.lower, TROUBLE) && !has(&bare.lower, &["issue", "issues", "showing"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_says_something_to_whoever_has_not_read_what_stands_before_it() {
        let unclear = [
            "Rename the walrus module",
            "Please add a login form to the admin page",
            "Shadow branch migration can overwrite other checkpoints",
            "should READMEs be embedded files",
            "document the retry policy in this repo",
            "can you move the session ids into the storage crate so that it compiles without the parser",
        ]
        .into_iter()
        .filter(|goal| !stands_alone(goal));
        assert_eq!(unclear.collect::<Vec<_>>(), [""; 0]);
        let clear = [
            "yeah, address all of them",
            "yes do option 1",
            "few more PR comments",
            "and make sure this is tested",
            "eval this feedback",
            "Can you add this to CLAUDE.md",
            "rebase off main, push",
            "add a test please",
            "fix lint errors",
            "Implement the following plan",
            "* The function only handles JSON objects",
            "+ // Get or create a stable id",
            "lol - reentrant sessions",
            "why does the parser keep the old state",
            "did we fix the logger comment",
        ]
        .into_iter()
        .filter(|goal| stands_alone(goal));
        assert_eq!(clear.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn what_is_to_be_run_is_the_first_thing_that_is_asked_for() {
        for goal in [
            "Run the login tests",
            "please deploy the shop",
            "can you build the docs",
            "set up the database",
            "let's release version 2",
        ] {
            assert!(asks_to_run(goal), "{goal}");
        }
        for goal in [
            "All test cases use the --force flag",
            "can you check the test setup",
            "could we add tests for that method now",
            "can you build it setting the version",
            "let's start working our way through the feedback",
            "the test should check the content",
            "tests tests tests",
            "we got test failures",
            "fix the parallel tests first",
            "why does the login test flake",
            "git fetch is run without a timeout",
            "test that it works",
        ] {
            assert!(!asks_to_run(goal), "{goal}");
        }
    }
}
