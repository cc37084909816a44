//! Whether two statements are about one thing, and what a statement says about change.

use crate::phrase::Phrase;
use memoir_index::{name_stem, stems_in};
use std::collections::BTreeSet;

/// A statement and its denial that share this much are about one thing.
const SAME_SHARE: f32 = 0.6;
/// If they share this much they may be.
const NEAR_SHARE: f32 = 0.4;
/// What is left behind must be this much of an older statement for that one to be about it.
const LEFT_SHARE: f32 = 0.25;

/// What two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same.
    Equal,
    /// They are about one thing, and the newer one counts.
    About,
    /// They are near, and one denies what the other says: nobody can tell which holds.
    Against,
    /// They have nothing to do with each other.
    Apart,
}

/// What a statement says was left, and what came instead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// What holds no more.
    pub left: Vec<String>,
    /// What came instead.
    pub came: Vec<String>,
}

/// What two statements of one scope and kind are to each other.
pub(crate) fn likeness(newer: &str, older: &str) -> Likeness {
    let (a, b) = (Phrase::of(newer), Phrase::of(older));
    if a.words == b.words {
        return if a.denies == b.denies { Likeness::Equal } else { Likeness::About };
    }
    if a.denies != b.denies && a.subject() == b.subject() {
        return match share(&set(newer), &set(older)) {
            share if share >= SAME_SHARE => Likeness::About,
            share if share >= NEAR_SHARE => Likeness::Against,
            _ => Likeness::Apart,
        };
    }
    if a.says_otherwise(&b) { Likeness::About } else { Likeness::Apart }
}

fn set(text: &str) -> BTreeSet<String> {
    stems_in(text).into_iter().collect()
}

fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let (both, all) = (a.intersection(b).count(), a.union(b).count());
    if all == 0 { 0.0 } else { both as f32 / all as f32 }
}

/// What a text says was left behind.
pub fn change_in(text: &str) -> Change {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.')).collect();
    let mut change = Change::default();
    for at in 0..words.len() {
        let word = |step: usize| words.get(at + step).copied().unwrap_or_default();
        let thing = |from: usize| {
            let from = from + usize::from(is_article(word(from)));
            words.get(at + from).and_then(|word| named(word))
        };
        match word(0) {
            // moved from X to Y
            "moved" | "switched" | "migrated" | "changed" | "went" | "converted" | "moving" | "switching"
            | "migrating"
                if word(1) == "from" =>
            {
                change.left.extend(thing(2));
                change.came.extend((word(3) == "to").then(|| thing(4)).flatten());
            }
            // replaced X with Y
            "replaced" | "swapped" | "replace" | "swap" if matches!(word(2), "with" | "by" | "for") => {
                change.left.extend(thing(1));
                change.came.extend(thing(3));
            }
            // Y replaces X
            "replaces" => {
                change.left.extend(thing(1));
                let before = at.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| named(word));
                change.came.extend(before);
            }
            // Y instead of X
            "instead" if word(1) == "of" => {
                change.left.extend(thing(2));
                let before = at.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| named(word));
                change.came.extend(before);
            }
            // Y statt X
            "statt" | "anstatt" => {
                change.left.extend(thing(1));
                let before = at.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| named(word));
                change.came.extend(before);
            }
            // no longer use X, stopped using X, dropped X
            "longer" if at > 0 && words.get(at - 1) == Some(&"no") => {
                let is_verb = matches!(word(1), "use" | "uses" | "using" | "need" | "run" | "on");
                change.left.extend(thing(if is_verb { 2 } else { 1 }));
            }
            "stopped" if word(1) == "using" => change.left.extend(thing(2)),
            "dropped" | "abandoned" | "removed" | "retired" => change.left.extend(thing(1)),
            _ => {}
        }
    }
    change
}

fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "our" | "my" | "den" | "die" | "das")
}

/// A word that can name something.
fn named(word: &str) -> Option<String> {
    let word = word.trim_matches('.');
    name_stem(word).map(|_| word.to_owned())
}

/// Whether an older statement is about what was left behind, and says nothing of what came.
pub(crate) fn is_left_behind(older: &str, names: &[&str], change: &Change) -> bool {
    let stems = stems_in(older);
    let says = |thing: &String| name_stem(thing).is_some_and(|stem| stems.contains(&stem));
    if change.came.iter().any(says) && !change.left.iter().any(says) {
        return false;
    }
    change.left.iter().any(|left| {
        let is_name = names.iter().any(|name| name_stem(name) == name_stem(left));
        let part = 1.0 / set(older).len().max(1) as f32;
        is_name || (says(left) && part >= LEFT_SHARE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_said_again_is_equal_whatever_its_little_words() {
        assert_eq!(likeness("We deploy with ./ship", "we deploy with the ./ship"), Likeness::Equal);
        assert_eq!(likeness("never deploy with ship", "deploy with ship"), Likeness::About);
    }

    #[test]
    fn a_newer_statement_about_the_same_thing_is_told_from_the_same_statement() {
        for (older, newer) in [
            ("the staging database is on port 5433", "the staging database is on port 5434"),
            ("we prefer tabs over spaces", "we prefer spaces over tabs"),
            ("run the migration before the deploy", "run the migration after the deploy"),
            ("the cache is turned on in staging", "the cache is turned off in staging"),
            ("merge main into the release branch", "merge the release branch into main"),
            ("Use C for the driver", "Use C++ for the driver"),
            ("deploys go through ./ship", "deploys go through kubectl"),
            ("the package manager is npm", "the package manager is pnpm now"),
            ("we use npm for packages", "we now use pnpm for packages"),
            ("tests run on CI only", "tests run locally only"),
            ("staging is at 10.0.0.1", "staging is at 10.0.0.2"),
            ("deploys go through ./ship", "deploys go through ./ship behind the gate"),
            ("integration tests run in docker on CI", "integration tests never run in CI"),
        ] {
            assert_eq!(likeness(newer, older), Likeness::About, "{older} / {newer}");
        }
    }

    #[test]
    fn what_is_true_beside_another_statement_does_not_take_its_place() {
        for (older, newer) in [
            ("a staging deploy needs approval of Mara", "a production deploy needs approval of Mara"),
            ("unit tests of the parser live in tests/parser", "unit tests of the lexer live in tests/lexer"),
            ("timeout of the login request is 30 seconds", "timeout of the upload request is 30 seconds"),
            ("timeouts of redis are 5s", "timeouts of postgres are 5s"),
            ("Mara owns the billing service", "Mara owns the search service"),
            ("run make lint before a commit", "run make test before a commit"),
            ("the API listens on port 8080", "the metrics listen on port 8080"),
            ("the good one is here", "the other good one is here"),
            ("Alice reviews Bob", "Bob reviews Alice"),
            ("the office is in Berlin", "the office is loud and the coffee is bad"),
            ("unit tests never touch the network", "integration tests touch the network"),
            ("tests need docker", "the editor has dark mode"),
            ("push hotfixes straight to main", "do not push to main without review"),
            ("we use redis for sessions", "we use postgres for users"),
        ] {
            assert_eq!(likeness(newer, older), Likeness::Apart, "{older} / {newer}");
        }
    }

    #[test]
    fn a_change_names_what_was_left_and_what_came() {
        let left = |text: &str| change_in(text).left;
        assert_eq!(
            change_in("we moved from npm to pnpm"),
            Change { left: vec!["npm".into()], came: vec!["pnpm".into()] }
        );
        assert_eq!(left("replaced Jest with Vitest"), ["jest"]);
        assert_eq!(left("use pnpm instead of npm"), ["npm"]);
        assert_eq!(change_in("pnpm replaces npm"), Change { left: vec!["npm".into()], came: vec!["pnpm".into()] });
        assert_eq!(left("we no longer use Jenkins."), ["jenkins"]);
        assert_eq!(left("stopped using redis for sessions"), ["redis"]);
        assert_eq!(left("we no longer run the linter"), ["linter"]);
        assert_eq!(left("Wir nutzen pnpm statt npm"), ["npm"]);
        assert_eq!(change_in("deploys go through ./ship"), Change::default());
    }

    #[test]
    fn an_older_statement_is_left_behind_only_if_it_is_about_that() {
        let change = change_in("we moved from npm to pnpm");
        assert!(is_left_behind("install packages with npm", &[], &change));
        assert!(is_left_behind("anything at all about how the registry is configured for us", &["npm"], &change));
        assert!(!is_left_behind("pnpm is pinned to version 9", &[], &change));
        assert!(!is_left_behind(
            "the token for publishing to the npm registry is in the vault of the platform team",
            &[],
            &change
        ));
    }

    proptest! {
        #[test]
        fn any_two_texts_can_be_compared(a in ".*", b in ".*") {
            let _ = likeness(&a, &b);
            prop_assert!(likeness(&a, &a) == Likeness::Equal);
            let _ = is_left_behind(&b, &[], &change_in(&a));
        }
    }
}
