//! What was decided, and why: sentences that state a choice or a reason.

use super::sentences::{says_any, sentences};
use super::{Mark, point};
use memoir_event::{Point, Section};

/// A sentence with less weight than this is no decision.
const WEIGHT_MIN: u32 = 3;

/// Longer sentences than this are no statements, but pasted text.
const SENTENCE_BYTES_MAX: usize = 600;

/// A text is looked through that far.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// Phrases that state a choice.
const CHOICES: [&str; 38] = [
    "we decided",
    "i decided",
    "decided to",
    "decided against",
    "decision:",
    "decision is",
    "let's use",
    "let's go with",
    "let's keep",
    "we'll use",
    "we will use",
    "going with",
    "go with",
    "i chose",
    "i went with",
    "we chose",
    "opted for",
    "settled on",
    "agreed to",
    "we use",
    "we moved",
    "we switched",
    "switched to",
    "moved from",
    "migrated to",
    "from now on",
    "stick with",
    "keep using",
    "root cause is",
    "root cause was",
    "root cause:",
    "we should use",
    "wir nehmen",
    "entschieden",
    "wir verwenden",
    "ab jetzt",
    "wir bleiben bei",
    "the bug was",
];

/// Phrases that give a reason.
const REASONS: [&str; 14] = [
    "because",
    "so that",
    "the reason",
    "turned out",
    "turns out",
    "in order to",
    "which is why",
    "to avoid",
    "rather than",
    "instead of",
    "weil",
    "damit",
    "ursache",
    "statt",
];

/// How a wish begins that is more than a request for now.
const RULES: [&str; 27] = [
    "always ",
    "never ",
    "don't ",
    "do not ",
    "please don't ",
    "please never ",
    "prefer ",
    "use ",
    "only use ",
    "keep ",
    "let's not ",
    "let's only ",
    "let's always ",
    "let's never ",
    "let's go ",
    "let's drop ",
    "let's remove ",
    "let's abandon ",
    "let's leave ",
    "let's stick ",
    "let's switch ",
    "let's do without ",
    "stop using ",
    "avoid ",
    "immer ",
    "niemals ",
    "nie ",
];

/// Talk of how the work goes on, though it begins like a choice.
const TALK: [&str; 8] = [
    "let's keep going",
    "let's go on",
    "let's go ahead",
    "let's go back",
    "let's go over",
    "let's go through",
    "let's leave it there",
    "never mind",
];

/// A statement has at least so many words; less is a heading.
const WORDS_MIN: usize = 4;

/// What begins like this asks, or says what comes next.
const NO_STATEMENTS: [&str; 20] = [
    "let me ",
    "i'll ",
    "i will ",
    "now ",
    "next",
    "i'm going to ",
    "why ",
    "how ",
    "what ",
    "can ",
    "could ",
    "should ",
    "would ",
    "is ",
    "are ",
    "do you ",
    "did ",
    "does ",
    "if ",
    "but also now wondering",
];

/// Who says this is not sure.
const DOUBTS: [&str; 8] = ["might", "maybe", "wondering", "i guess", "perhaps", "would have", "not sure", "vielleicht"];

/// Sentences that decide something.
#[derive(Default)]
pub(crate) struct Decisions {
    found: Vec<(Mark, u32)>,
}

impl Decisions {
    pub fn look_at(&mut self, mark: Mark, text: &str, by_user: bool) {
        let Some((weight, _)) = best(text) else { return };
        let weight = (weight + u32::from(by_user)).saturating_sub(u32::from(mark.is_aside) * 2);
        if weight >= WEIGHT_MIN {
            self.found.push((mark, weight));
        }
    }

    /// The weightiest, in their order; of equal ones the later.
    pub fn chosen(&self, max: usize) -> Vec<Point> {
        let mut found = self.found.clone();
        found.sort_by_key(|(mark, weight)| std::cmp::Reverse((*weight, mark.at)));
        found.truncate(max);
        found.sort_by_key(|(mark, _)| mark.at);
        found.into_iter().map(|(mark, _)| point(Section::Decided, &[mark.id], 1)).collect()
    }
}

/// The sentence of a text that decides most.
pub(crate) fn decision_in(text: &str) -> Option<&str> {
    best(text).map(|(_, sentence)| sentence)
}

fn best(text: &str) -> Option<(u32, &str)> {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let mut best: Option<(u32, &str)> = None;
    for sentence in sentences(text.get(..end).unwrap_or_default()) {
        let weight = weight(sentence);
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, sentence));
        }
    }
    best
}

/// A choice counts most, and a rule if it is the user's; a reason alone is none, and a doubt takes from it.
fn weight(sentence: &str) -> u32 {
    if sentence.len() > SENTENCE_BYTES_MAX || sentence.ends_with(['?', ':']) {
        return 0;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    if NO_STATEMENTS.iter().any(|begin| lower.starts_with(begin)) || TALK.iter().any(|talk| begins(&lower, talk)) {
        return 0;
    }
    // A row of a table says nothing by itself, and a mark without its other half is what was cut off.
    let is_torn = sentence.starts_with('|') || sentence.matches("**").count() % 2 == 1;
    if is_torn || sentence.split_whitespace().count() < WORDS_MIN {
        return 0;
    }
    let counts = |phrases: &[&str], weight: u32| if says_any(&lower, phrases) { weight } else { 0 };
    let rules = if RULES.iter().any(|begin| begins(&lower, begin)) { 2 } else { 0 };
    let stated = counts(&CHOICES, 3).max(rules);
    if stated == 0 {
        return 0;
    }
    (stated + counts(&REASONS, 1)).saturating_sub(counts(&DOUBTS, 2))
}

/// Words that only lead to what is said.
const LEADS: [&str; 9] = ["ok", "okay", "yes", "yeah", "yep", "so", "and", "well", "no"];

/// Whether a sentence, or the part of it behind a first nod, begins like that.
fn begins(lower: &str, begin: &str) -> bool {
    let behind_comma = lower.split_once(", ").filter(|(nod, _)| nod.len() <= 12).map(|(_, rest)| rest);
    let behind_word = lower.split_once(' ').filter(|(word, _)| LEADS.contains(word)).map(|(_, rest)| rest);
    [Some(lower), behind_comma, behind_word].into_iter().flatten().any(|rest| rest.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_the_sentence_that_says_it() {
        let text = "I looked at both. We decided to keep SQLite because one file is enough. The tests pass.";
        assert_eq!(decision_in(text), Some("We decided to keep SQLite because one file is enough."));
        assert_eq!(decision_in("The tests pass."), None);
        assert_eq!(decision_in("Should we use npm?"), None);
    }

    #[test]
    fn the_users_word_counts_more_than_the_agents() {
        let id = memoir_event::EventId::parse("0123456789abcdef01234567").unwrap();
        let mark = Mark { id, at: 0, is_aside: false };
        let decides = |text: &str, by_user: bool| {
            let mut decisions = Decisions::default();
            decisions.look_at(mark, text, by_user);
            decisions.chosen(9).len()
        };
        assert_eq!((decides("never touch the lockfile", true), decides("never touch the lockfile", false)), (1, 0));
        assert_eq!((decides("fix the test", true), decides("I went with a retry.", false)), (0, 1));
        assert_eq!((decides("ok, let's go 100", true), decides("let's go 100", false)), (1, 0));
    }

    #[test]
    fn talk_and_headings_decide_nothing_even_if_the_user_says_them() {
        let id = memoir_event::EventId::parse("0123456789abcdef01234567").unwrap();
        for text in [
            "let's continue please",
            "ok let's keep going",
            "yes, let's do that",
            "never mind, we'll look at it later.",
            "let's get back to the review please",
            "Let's talk about secrets.",
            "Let's add a few table tests.",
            "let's respond to the PR comments",
            "## Phase 1: Root Cause Investigation",
            "**FOUND THE ROOT CAUSE!**",
            "TokenUsage** - Moved from one file to another",
            "| **Root cause:** | Old uncommitted work exists because of that | x |",
            "I've completed the root cause investigation.",
        ] {
            let mut decisions = Decisions::default();
            decisions.look_at(Mark { id, at: 0, is_aside: false }, text, true);
            assert!(decisions.chosen(9).is_empty(), "{text}");
        }
        let mut decisions = Decisions::default();
        let said = "yeah let's abandon the current branch, and begin a new one from main";
        decisions.look_at(Mark { id, at: 0, is_aside: false }, said, true);
        assert_eq!(decisions.chosen(9).len(), 1);
        assert!(decision_in("Root cause: the lock was never released after a crash.").is_some());
    }

    #[test]
    fn plans_questions_and_doubts_decide_nothing() {
        for text in [
            "Let me verify and then move to final verification:",
            "why don't you just clone it instead",
            "I might be wrong, but we only create commits if something changed, so that it is clean.",
            "the only trick is if we have sessions spanning days...",
            "I'll use a retry because it is simple.",
        ] {
            assert_eq!(decision_in(text).filter(|_| best(text).is_some_and(|(weight, _)| weight >= 2)), None, "{text}");
        }
    }
}
