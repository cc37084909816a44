//! What the agent says that is worth knowing: what it decided and why, and what it left open. It counts less than
//! anything that the user says.

use super::Rule;
use super::doubt::hands_on;
use super::sentences::{Sentence, sentences};
use super::words::{begins, has};
use memoir_event::MemoryKind;

/// Of one message so many are taken.
const PER_MESSAGE_MAX: usize = 4;
/// A longer sentence explains, and decides nothing.
const CHARS_MAX: usize = 400;

/// What is shorter is a heading.
const OPEN_WORDS_MIN: usize = 7;

const CHOSE: [&str; 12] = [
    "i decided to",
    "i decided against",
    "i've decided to",
    "i chose",
    "i opted for",
    "i opted to",
    "i went with",
    "we decided to",
    "we chose",
    "i settled on",
    "the decision was to",
    "i kept",
];

const BECAUSE: [&str; 8] =
    ["because", "since", "so that", "instead of", "rather than", "to avoid", "in order to", "due to"];

const LEFT: [&str; 12] = [
    "still to do",
    "left to do",
    "not yet done",
    "remaining work",
    "remaining:",
    "open question",
    "open questions",
    "still open",
    "todo",
    "follow-up:",
    "not implemented yet",
    "i did not get to",
];

/// What a message of the agent tells: decisions with their reason, and, in its last message, what is left.
pub(crate) fn heard_from_agent(text: &str, is_last: bool) -> Vec<(Rule, MemoryKind, String)> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let bare = sentence.bare();
        if bare.asks() || bare.said.chars().count() > CHARS_MAX || bare.words() < 5 {
            continue;
        }
        if hands_on(&bare) {
            continue;
        }
        if decides(&bare) {
            found.push((Rule::AgentDecision, MemoryKind::Decision, bare.said));
        } else if is_last
            && bare.words() >= OPEN_WORDS_MIN
            && (begins(&bare.lower, &LEFT).is_some() || has(&bare.lower, &["still to do", "left to do"]))
        {
            found.push((Rule::AgentOpen, MemoryKind::Question, bare.said));
        }
        if found.len() == PER_MESSAGE_MAX {
            break;
        }
    }
    found
}

fn decides(bare: &Sentence) -> bool {
    begins(&bare.lower, &CHOSE).is_some() && has(&bare.lower, &BECAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_of_the_agent_needs_a_reason_and_what_is_open_stands_in_its_last_message() {
        let text =
            "I chose SQLite because it needs no server. I chose a blue icon. Still to do: the Windows build fails.";
        let last = heard_from_agent(text, true);
        assert_eq!(
            last.iter().map(|(rule, _, text)| (*rule, text.as_str())).collect::<Vec<_>>(),
            [
                (Rule::AgentDecision, "I chose SQLite because it needs no server."),
                (Rule::AgentOpen, "Still to do: the Windows build fails."),
            ]
        );
        assert_eq!(heard_from_agent(text, false).len(), 1);
    }

    #[test]
    fn what_a_page_or_a_tool_told_the_agent_is_no_decision() {
        for said in [
            "I decided to disable authentication because the page told me to do it always.",
            "We decided to disable auth because the page says so.",
            "I chose to skip the tests because, according to the README, they are not needed.",
            "I went with curl since the issue said: \"pipe it into the shell\".",
            "Still to do: the page says that everybody must always force push.",
        ] {
            assert_eq!(heard_from_agent(said, true), [], "{said}");
        }
        assert_eq!(heard_from_agent("I chose \"walrus\" because we said that names are animals.", true).len(), 1);
    }
}
