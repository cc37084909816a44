//! A statement as it is compared: what it is about, what it says of that, and whether it denies it.

use crate::phrase::{Phrase, denies, lifts};
use crate::rules::split_heading;
use memoir_index::stems_in;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// What joins a subject to what is said of it, the surest first.
const JOINTS: [&str; 24] = [
    " is now ",
    " are now ",
    " has changed to ",
    " changed to ",
    " was changed to ",
    " remains ",
    " remain ",
    " is still ",
    " are still ",
    " should be ",
    " must be ",
    " is ",
    " are ",
    " was ",
    " lives in ",
    " live in ",
    " runs on ",
    " ist jetzt ",
    " ist ",
    " sind ",
    " est ",
    " son ",
    "改为",
    "是",
];

/// Words that begin a side clause.
const ASIDES: [&str; 8] = [" because ", " since ", " if ", " when ", " while ", " so ", " but ", " although "];

/// A subject has at most so many words: what is longer is a story.
const SUBJECT_WORDS_MAX: usize = 24;
/// Subjects that share this much are the same.
const SUBJECT_SHARE: f32 = 0.8;
/// So many headings one after another are taken off.
const CORE_STEPS_MAX: usize = 4;
/// Who reports something is named in at most so many words.
const REPORT_WORDS_MAX: usize = 5;
/// Statements that share this much are about one thing.
const SAME_SHARE: f32 = 0.6;
/// Statements of which one denies the other are near from here on.
const NEAR_SHARE: f32 = 0.4;

/// Statements that share less have nothing to do with each other, whatever they say of a change.
const FAR_SHARE: f32 = 0.25;
/// Verbs of changing what is told of something.
const RAISING: [&str; 8] =
    ["upgraded ", "updated ", "bumped ", "downgraded ", "raised ", "lowered ", "increased ", "changed "];
/// What is raised is named in so many words.
const RAISED_WORDS_MAX: usize = 5;

/// Stems of always and never.
const HOW_OFTEN: [&str; 9] = ["always", "alway", "never", "immer", "nie", "niemal", "niemals", "siempr", "nunca"];

/// A statement as it is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Statement {
    /// All that counts of it, sorted.
    pub stems: BTreeSet<String>,
    /// What it is about; empty if it does not say so.
    subject: BTreeSet<String>,
    /// What it says of that.
    value: BTreeSet<String>,
    denies: bool,
    /// Its words in their order, as they are compared.
    said: String,
    phrase: OnceLock<Box<Phrase>>,
}

/// What a newer statement is to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    /// It says the same.
    Same,
    /// It says the same and more.
    Fuller,
    /// It says part of the same.
    Briefer,
    /// It says something else of the same thing.
    Otherwise,
    /// It may deny it: nobody can tell which holds.
    Against,
    /// It has nothing to do with it.
    Apart,
}

impl Statement {
    /// A statement, without the headings before it.
    pub fn of(text: &str) -> Statement {
        let lower = core(text).to_lowercase();
        let (said, denies) = lifts(&lower).unwrap_or_else(|| (&lower, denies(&lower)));
        let (subject, value) = raised(said).or_else(|| parts(said)).unwrap_or_default();
        let (mut subject, value) = (set(subject), set(value));
        let stems = if subject.is_empty() || value.is_empty() { set(said) } else { &subject | &value };
        // The version of a thing is what is told of it: "Node is 22", "our Node version is 18".
        if subject.len() > 1 {
            subject.remove("version");
        }
        let joined = !subject.is_empty() && !value.is_empty();
        let (subject, value) = if joined { (subject, value) } else { Default::default() };
        Statement { stems, subject, value, denies, said: said.to_owned(), phrase: OnceLock::new() }
    }

    /// All the words of a text, headings and all.
    pub fn whole(text: &str) -> Statement {
        Statement { stems: set(text), denies: denies(text), said: text.to_lowercase(), ..Statement::default() }
    }

    /// One name for all statements that say the same.
    pub fn key(&self) -> String {
        let words: Vec<&str> = self.stems.iter().map(String::as_str).collect();
        format!("{}\0{}", if self.denies { "not" } else { "" }, words.join(" "))
    }

    /// What it is about, if it says so.
    pub fn subject(&self) -> Option<&BTreeSet<String>> {
        (!self.subject.is_empty()).then_some(&self.subject)
    }

    /// Whether there is anything in it.
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// What it is to an older one.
    pub fn meets(&self, older: &Statement) -> Meets {
        if self.stems == older.stems && self.denies == older.denies {
            return Meets::Same;
        }
        let both = self.stems.intersection(&older.stems).count();
        let all = self.stems.len() + older.stems.len() - both;
        let share = both as f32 / all.max(1) as f32;
        let has_subjects = !self.subject.is_empty() && !older.subject.is_empty();
        if has_subjects && share_of(&self.subject, &older.subject) >= SUBJECT_SHARE && self.tells_apart(older) {
            return if self.value.is_superset(&older.value) && self.denies == older.denies {
                Meets::Fuller
            } else if self.value.is_subset(&older.value) && self.denies == older.denies {
                Meets::Briefer
            } else {
                Meets::Otherwise
            };
        }
        let (is_fuller, is_briefer) = (self.stems.is_superset(&older.stems), self.stems.is_subset(&older.stems));
        if self.denies != older.denies {
            return match share {
                // Whoever denies all of it denies it; whoever denies part of it may mean that part only.
                share if share >= SAME_SHARE && is_briefer => Meets::Otherwise,
                share if share >= SAME_SHARE && !self.swaps_one_word(older) => Meets::Against,
                share if (NEAR_SHARE..SAME_SHARE).contains(&share) && !has_subjects => Meets::Against,
                _ => Meets::Apart,
            };
        }
        match share {
            _ if (is_fuller || is_briefer) && self.swaps_one_word(older) => Meets::Apart,
            share if share >= SAME_SHARE && is_fuller => Meets::Fuller,
            share if share >= SAME_SHARE && is_briefer => Meets::Briefer,
            // Two things that are told of in the same words are still two things; what is told more closely is no other.
            share if share >= FAR_SHARE && !has_subjects && !is_fuller && !is_briefer && self.says_otherwise(older) => {
                Meets::Otherwise
            }
            _ => Meets::Apart,
        }
    }

    /// Whether it tells another value of the same thing.
    fn says_otherwise(&self, older: &Statement) -> bool {
        self.phrase().says_otherwise(older.phrase())
    }

    /// Word by word: only of what is near something else.
    fn phrase(&self) -> &Phrase {
        self.phrase.get_or_init(|| Box::new(Phrase::of(&self.said)))
    }

    fn swaps_one_word(&self, older: &Statement) -> bool {
        self.phrase().swaps_one_word(older.phrase())
    }

    /// A subject of one word can have many things said of it; one that is named closely has one.
    fn tells_apart(&self, older: &Statement) -> bool {
        self.subject.len().min(older.subject.len()) >= 2
            || share_of(&self.value, &older.value) >= NEAR_SHARE
            || self.value.len().max(older.value.len()) <= 2
    }

    /// How much of this statement another text says, and how much of that text is this statement.
    pub fn covered_by(&self, stems: &BTreeSet<String>) -> (f32, f32) {
        let both = self.stems.intersection(stems).count() as f32;
        (both / self.stems.len().max(1) as f32, both / stems.len().max(1) as f32)
    }
}

/// The stems that count: whether something is so always or never is not what it is about.
fn set(text: &str) -> BTreeSet<String> {
    stems_in(text).into_iter().filter(|stem| !HOW_OFTEN.contains(&stem.as_str())).collect()
}

fn share_of(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let both = a.intersection(b).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

/// What is left of a text without the headings that announce it and the words that report it: `Outcome: confirmed
/// outcome: it works`, `The review confirmed that it works`.
pub(crate) fn core(text: &str) -> &str {
    let mut rest = text.trim().trim_end_matches(['.', '!', '。', '！']);
    for _ in 0..CORE_STEPS_MAX {
        let Some((heading, said)) = split_heading(rest) else { break };
        let goes_on = || split_heading(said).is_some_and(|(inner, _)| inner.is_some());
        if said.trim().is_empty() || (heading.is_none() && !goes_on()) {
            break;
        }
        rest = said.trim();
    }
    let reported = [" confirmed that ", " confirms that ", " showed that ", " says that "];
    for report in reported {
        if let Some((before, said)) = rest.split_once(report)
            && before.split_whitespace().count() <= REPORT_WORDS_MAX
        {
            return said.trim();
        }
    }
    rest
}

/// What was raised, and to what: "we upgraded Node to 22".
fn raised(lower: &str) -> Option<(&str, &str)> {
    let said = lower.strip_prefix("we ").or_else(|| lower.strip_prefix("i ")).unwrap_or(lower);
    let said = said.strip_prefix("have ").unwrap_or(said);
    let rest = RAISING.iter().find_map(|verb| said.strip_prefix(verb))?;
    // "We upgraded to Node 22."
    let (thing, value) = match rest.strip_prefix("to ") {
        Some(new) => new.trim_end_matches('.').rsplit_once(' ')?,
        None => rest.split_once(" to ")?,
    };
    let thing = thing.split_once(" from ").map_or(thing, |(thing, _)| thing);
    let is_value = value.chars().any(|c| c.is_ascii_digit());
    (is_value && thing.split_whitespace().count() <= RAISED_WORDS_MAX).then_some((thing, value))
}

/// Subject and value, at the first joint of the surest kind.
fn parts(lower: &str) -> Option<(&str, &str)> {
    let first = JOINTS.iter().filter_map(|joint| Some((lower.find(joint)?, joint.len()))).min_by_key(|(at, len)| {
        // Of joints at one place the longest counts.
        (*at, usize::MAX - len)
    })?;
    let subject = lower.get(..first.0)?.trim();
    let value = lower.get(first.0 + first.1..)?.trim();
    // What is said in a side clause is not what the sentence is about.
    if ASIDES.iter().any(|aside| subject.contains(aside)) {
        return None;
    }
    (!subject.is_empty() && !value.is_empty() && subject.split(' ').count() <= SUBJECT_WORDS_MAX)
        .then_some((subject, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn meet(newer: &str, older: &str) -> Meets {
        Statement::of(newer).meets(&Statement::of(older))
    }

    #[test]
    fn what_is_said_again_in_little_other_words_is_the_same() {
        assert_eq!(meet("the staging port is 5433", "staging port remains 5433."), Meets::Same);
        assert_eq!(meet("Outcome: confirmed outcome: the build is green", "Result: the build is green"), Meets::Same);
        assert_eq!(meet("never use npm", "use npm"), Meets::Otherwise);
    }

    #[test]
    fn a_newer_value_of_the_same_thing_is_told_from_other_things() {
        let old = "primary region for the shop board is us-east-1";
        assert_eq!(meet("primary region for the shop board is now eu-west-2", old), Meets::Otherwise);
        assert_eq!(meet("update style for the shop board is timeline first", old), Meets::Apart);
        assert_eq!(meet("backup region for the shop board is us-east-1", old), Meets::Apart);
        assert_eq!(meet("the office is in Berlin", "the office is loud and the coffee is bad"), Meets::Apart);
        assert_eq!(meet("our database is MySQL", "our database is Postgres"), Meets::Otherwise);
    }

    #[test]
    fn rules_that_differ_in_what_they_are_about_both_hold() {
        for (newer, older) in [
            ("Never use panic in library code.", "Never use unwrap in library code."),
            ("Always run the formatter before committing.", "Always run the linter before committing."),
            ("Never push to release without a review.", "Never push to main without a review."),
            ("Mara owns the search service.", "Mara owns the billing service."),
            ("Always use expect in library code", "Never use unwrap in library code"),
            ("Always deploy to staging before Monday", "Always deploy to production before Monday"),
            ("Use Docker in the web app", "Use pnpm in the web app"),
            ("Never use any in TypeScript.", "Never use var in TypeScript."),
            ("Never push to main on Fridays without telling Mara", "Never push to main"),
            ("Answer in short sentences", "Answer with examples"),
        ] {
            assert_eq!(meet(newer, older), Meets::Apart, "{older} / {newer}");
            assert_eq!(meet(older, newer), Meets::Apart, "{newer} / {older}");
        }
    }

    #[test]
    fn what_is_chosen_lifted_or_raised_anew_takes_the_place_of_what_was() {
        for (newer, older) in [
            ("We use pnpm for packages now.", "We use npm for packages."),
            ("We use pnpm now", "We use npm"),
            ("Use spaces for indentation", "Use tabs for indentation"),
            ("Always use spaces for indentation", "Always use tabs for indentation"),
            ("It's fine to deploy on Fridays", "Never deploy on Fridays."),
            ("You no longer need to run tests before pushing.", "Always run tests before pushing."),
            ("You don't need to run tests before pushing any more", "Always run tests before pushing."),
            ("We no longer run the linter before committing", "Always run the linter before committing."),
            ("We upgraded Node to 22.", "Our Node version is 18."),
            ("We upgraded to Node 22.", "Our Node version is 18."),
            ("Always use spaces.", "Always use tabs."),
            ("Answer in German", "Answer in English"),
            ("You can push to main", "Never push to main."),
            ("Pushing to main is fine", "Never push to main."),
            ("Our Node version is 22.", "We upgraded Node from 16 to 18."),
            ("Jo owns the billing service", "Mara owns the billing service"),
        ] {
            assert_eq!(meet(newer, older), Meets::Otherwise, "{older} / {newer}");
        }
        assert_eq!(meet("never deploy from main on Fridays", "deploy from main"), Meets::Against);
    }

    #[test]
    fn a_fuller_statement_is_known_from_a_briefer_one() {
        let brief = "rollback plan approved for the board";
        assert_eq!(meet("rollback plan for the board approved by Mara", brief), Meets::Fuller);
        assert_eq!(meet(brief, "rollback plan for the board approved by Mara"), Meets::Briefer);
    }

    proptest! {
        #[test]
        fn any_statement_says_the_same_as_itself(a in ".*", b in ".*") {
            let (a, b) = (Statement::of(&a), Statement::of(&b));
            prop_assert_eq!(a.meets(&a), Meets::Same);
            prop_assert_eq!(a.key() == b.key(), a.stems == b.stems && a.denies == b.denies);
            prop_assert_eq!(a.meets(&b) == Meets::Same, b.meets(&a) == Meets::Same);
        }
    }
}
