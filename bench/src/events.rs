//! Made-up capture events of a given size, the same for the same seed.

use crate::words::{Dice, Vocabulary};
use std::fmt::Write as _;

const TYPES: [&str; 8] = [
    "user_message",
    "assistant_message",
    "tool_call",
    "tool_result",
    "command",
    "file_change",
    "session_summary",
    "error",
];

/// Lines of about `line_bytes`, from event `first` on.
pub fn lines(first: u64, count: u64, per_session: u64, line_bytes: usize) -> String {
    let vocabulary = Vocabulary::new();
    let mut text = String::with_capacity(usize::try_from(count).unwrap_or(0) * (line_bytes + 1));
    for number in first..first + count {
        let start = text.len();
        let mut dice = Dice::new(number + 1);
        let kind = TYPES[usize::try_from(number % 8).unwrap_or(0)];
        let second = number % 86_400;
        let (hour, minute) = (second / 3600, second / 60 % 60);
        let _ = write!(
            text,
            r#"{{"session_id":"session-{}","event_type":"{kind}","turn_id":"turn-{number}","timestamp":"2026-05-{:02}T{hour:02}:{minute:02}:{:02}Z","source":"codex","metadata":{{"cwd":"/home/dev/project"}},"content":""#,
            number / per_session,
            1 + number / 86_400 % 28,
            second % 60
        );
        while text.len() - start < line_bytes - 3 {
            text.push_str(vocabulary.word(&mut dice));
            text.push(' ');
        }
        text.truncate(start + line_bytes - 3);
        text.push_str(".\"}\n");
    }
    text
}
