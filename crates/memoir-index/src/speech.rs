//! What of an event is speech: words that somebody said, thought or wrote down as a summary.
//!
//! Only speech votes when recall ranks; commands, paths and tool output are found by exact search. A commit message is
//! speech too, though it stands in a command.

use crate::calendar::{MONTHS, WEEKDAYS};
use memoir_event::{Event, Kind, Memory, Telling};
use std::borrow::Cow;

/// More than this of one text is not ranked by.
const SPEECH_BYTES_MAX: usize = 1 << 20;
/// A name before a colon at the start of a text has at most so many bytes.
const NAME_BYTES_MAX: usize = 40;

/// What was said in the event, if anything was.
pub fn speech_of(event: &Event) -> Option<Cow<'_, str>> {
    let text = match event.kind() {
        Kind::UserMessage | Kind::AssistantMessage | Kind::Reasoning | Kind::SessionSummary => event.content.plain(),
        Kind::Telling => Cow::Owned(Telling::of_event(event)?.text()),
        Kind::Memory => Cow::Owned(Memory::of_event(event)?.text),
        Kind::Command => Cow::Owned(commit_message(&event.content.plain())?),
        _ => return None,
    };
    if text.len() <= SPEECH_BYTES_MAX {
        return Some(text);
    }
    Some(Cow::Owned(text.get(..text.floor_char_boundary(SPEECH_BYTES_MAX)).unwrap_or_default().to_owned()))
}

/// The message of the first `git commit` in a script.
fn commit_message(script: &str) -> Option<String> {
    let rest = script.split_once("git commit")?.1;
    let (_, message) =
        rest.split_once(" -m").or_else(|| rest.split_once(" -am")).or_else(|| rest.split_once("--message"))?;
    let message = message.trim_start_matches(['=', ' ']);
    if let Some((_, document)) = message.split_once("<<") {
        let (mark, body) = document.split_once('\n')?;
        let mark = mark.trim().trim_matches(['\'', '"', '-']);
        let end = body.lines().position(|line| line.trim() == mark);
        return Some(body.lines().take(end.unwrap_or(usize::MAX)).collect::<Vec<_>>().join("\n"));
    }
    let quote = message.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = message.get(1..)?;
    Some(inside.split(quote).next().unwrap_or_default().to_owned())
}

/// Facts about a speech that a ranking can use without reading it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(u64);

const ASKS: u64 = 1;
const FIRST_PERSON: u64 = 2;
const NAMES_TIME: u64 = 4;
const NAME_SHIFT: u32 = 8;

impl Traits {
    /// The traits of a text.
    pub fn of(text: &str) -> Traits {
        let mut bits = 0;
        let (name, said) = split_name(text);
        if only_asks(said) {
            bits |= ASKS;
        }
        for word in said.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()) {
            if FIRST_PERSON_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
                bits |= FIRST_PERSON;
            }
            if is_time_word(word) {
                bits |= NAMES_TIME;
            }
        }
        let name = name.map_or(0, |name| u64::from(name_hash(name)));
        Traits(bits | name << NAME_SHIFT)
    }

    /// As an index keeps them.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// From what an index kept.
    pub const fn from_bits(bits: u64) -> Traits {
        Traits(bits)
    }

    /// Whether it only asks.
    pub const fn asks(self) -> bool {
        self.0 & ASKS != 0
    }

    /// Whether somebody speaks of themselves.
    pub const fn first_person(self) -> bool {
        self.0 & FIRST_PERSON != 0
    }

    /// Whether it says when.
    pub const fn names_time(self) -> bool {
        self.0 & NAMES_TIME != 0
    }

    /// Whether it begins with that name and a colon.
    pub fn is_said_by(self, name: &str) -> bool {
        self.0 >> NAME_SHIFT == u64::from(name_hash(name))
    }
}

/// `Name: what was said`, apart.
fn split_name(text: &str) -> (Option<&str>, &str) {
    let Some((name, said)) = text.split_once(": ") else { return (None, text) };
    let is_name = !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && name.split(' ').count() <= 3
        && name.chars().next().is_some_and(char::is_uppercase)
        && name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\''));
    if is_name { (name.split(' ').next(), said) } else { (None, text) }
}

fn only_asks(said: &str) -> bool {
    let said = said.trim_end();
    said.ends_with('?') && !said.trim_end_matches('?').contains(['.', '!', '\n'])
}

const FIRST_PERSON_WORDS: [&str; 8] = ["i", "i'm", "i've", "i'd", "my", "we", "our", "me"];

const TIME_WORDS: [&str; 15] = [
    "yesterday",
    "today",
    "tomorrow",
    "tonight",
    "ago",
    "last",
    "next",
    "week",
    "weekend",
    "month",
    "year",
    "recently",
    "since",
    "morning",
    "evening",
];

fn is_time_word(word: &str) -> bool {
    let year = word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|b| b.is_ascii_digit());
    // `may` is mostly no month, and `summer` no name of one.
    let months = MONTHS.iter().filter(|month| **month != "may").chain(&["summer"]);
    let mut words = TIME_WORDS.iter().chain(&WEEKDAYS).chain(months);
    year || words.any(|known| word.eq_ignore_ascii_case(known))
}

/// FNV-1a over the lower-case name; never 0.
fn name_hash(name: &str) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    for byte in name.to_lowercase().bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_message_is_speech_however_it_is_given() {
        let message = |script| commit_message(script);
        assert_eq!(message("git add . && git commit -m \"Fix the login\" && ls").as_deref(), Some("Fix the login"));
        assert_eq!(message("git commit -am 'x y'").as_deref(), Some("x y"));
        let document = "git commit -m \"$(cat <<'EOF'\nAdd a limit\n\nWhy: load\nEOF\n)\"";
        assert_eq!(message(document).as_deref(), Some("Add a limit\n\nWhy: load"));
        assert_eq!(message("git commit"), None);
        assert_eq!(message("ls -m 'x'"), None);
    }

    #[test]
    fn traits_say_who_asks_and_when() {
        let traits = Traits::of("Caroline: I went there yesterday.");
        assert!(traits.first_person() && traits.names_time() && !traits.asks());
        assert!(traits.is_said_by("caroline") && !traits.is_said_by("melanie"));
        assert!(Traits::of("Really? Where was it?").asks());
        assert!(!Traits::of("It broke. Why?").asks());
        assert!(!Traits::of("fn main: x").is_said_by("fn"));
        assert_eq!(Traits::from_bits(traits.bits()), traits);
    }
}
