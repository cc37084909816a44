//! What the user asked for: all of it, or what matters most of it.

use super::sentences::cut;
use super::{Mark, point};
use memoir_event::{Point, Section};

/// Fewer characters than this ask for little.
const SHORT_CHARS: usize = 24;
const LONG_CHARS: usize = 120;

/// A nod has at most so many words.
const NOD_WORDS_MAX: usize = 5;

/// Words that a nod may have beside itself.
const NOD_FILLERS: [&str; 12] =
    ["it", "that", "this", "was", "is", "do", "so", "then", "now", "just", "right", "bitte"];

/// What clients put into the place of a request.
const NOT_ASKED: [&str; 3] = ["<agent-notification>", "Operation stopped by hook", "[image/"];

/// Words that only let the work go on.
const NODS: [&str; 26] = [
    "yes",
    "y",
    "yep",
    "ok",
    "okay",
    "sure",
    "go",
    "go on",
    "go ahead",
    "continue",
    "proceed",
    "thanks",
    "thank you",
    "good",
    "great",
    "perfect",
    "nice",
    "do it",
    "please do",
    "please",
    "next",
    "ja",
    "weiter",
    "danke",
    "no",
    "stop",
];

/// Requests, in their order.
#[derive(Default)]
pub(crate) struct Requests {
    asked: Vec<(Mark, u32)>,
    unanswered: Option<Mark>,
}

impl Requests {
    pub fn take(&mut self, mark: Mark, text: &str) {
        // What a sub-agent is told is the agent's own wish.
        if mark.is_aside {
            return;
        }
        let weight = weight(text);
        self.asked.push((mark, weight));
        if weight > 0 {
            self.unanswered = Some(mark);
        }
    }

    /// The agent answered.
    pub fn answered(&mut self) {
        self.unanswered = None;
    }

    /// The last request, if nobody answered it.
    pub fn unanswered(&self) -> Option<Mark> {
        self.unanswered
    }

    /// The first and the last request always, of the others the weightiest, all in their order.
    pub fn chosen(&self, max: usize) -> Vec<Point> {
        let mut asked: Vec<(Mark, u32)> = self.asked.iter().filter(|(_, weight)| *weight > 0).copied().collect();
        if asked.is_empty() {
            asked = self.asked.iter().take(1).copied().collect();
        }
        if asked.len() > max {
            let ends = [asked.first(), asked.last()].map(|one| one.map(|(mark, _)| mark.at));
            asked.sort_by_key(|(mark, weight)| {
                (std::cmp::Reverse((ends.contains(&Some(mark.at)), *weight)), std::cmp::Reverse(mark.at))
            });
            asked.truncate(max);
            asked.sort_by_key(|(mark, _)| mark.at);
        }
        asked.into_iter().map(|(mark, _)| point(Section::Asked, &[mark.id], 1)).collect()
    }
}

/// How much a request asks for: nothing, if it is a nod.
fn weight(text: &str) -> u32 {
    let (begin, is_long) = cut(text, LONG_CHARS);
    let plain = begin.to_lowercase();
    let plain = plain.trim_matches(|c: char| !c.is_alphanumeric());
    if plain.is_empty() || is_nod(plain) || NOT_ASKED.iter().any(|begin| text.trim_start().starts_with(begin)) {
        return 0;
    }
    let chars = begin.chars().count();
    1 + u32::from(chars >= SHORT_CHARS) + u32::from(is_long) + u32::from(begin.contains(['?', '`', '/']))
}

/// Whether a text only lets the work go on: a nod, alone or with words that add nothing to it.
fn is_nod(plain: &str) -> bool {
    if NODS.contains(&plain) {
        return true;
    }
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let adds_nothing = |word: &&str| NODS.contains(word) || NOD_FILLERS.contains(word);
    words.len() <= NOD_WORDS_MAX
        && words.first().is_some_and(|first| NODS.contains(first))
        && words.iter().all(adds_nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nod_asks_for_nothing() {
        for nod in [
            "yes",
            "OK!",
            " go ahead. ",
            "…",
            "Weiter",
            "yes please do",
            "yes, that was it",
            "<agent-notification> <agent-id>x",
        ] {
            assert_eq!(weight(nod), 0, "{nod}");
        }
        assert!(weight("fix it") < weight("please make the login test in tests/login.rs wait for the port"));
    }
}
