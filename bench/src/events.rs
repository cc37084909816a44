//! Made-up capture events of a given size, the same for the same seed.

use std::fmt::Write as _;

/// A small generator of numbers.
pub struct Dice(u64);

impl Dice {
    /// The dice of that seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides.max(1)
    }
}

const SYLLABLES: [&str; 32] = [
    "an", "ter", "con", "file", "re", "test", "ing", "pro", "ser", "ver", "de", "code", "log", "in", "data", "er",
    "th", "e", "re", "quest", "un", "wrap", "mod", "ule", "is", "to", "be", "ex", "port", "sys", "tem", "ion",
];
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
const WORDS: u64 = 20_000;

fn word(number: u64) -> String {
    let mut dice = Dice::new(number + 11);
    let syllables = 1 + dice.roll(3);
    (0..syllables).map(|_| SYLLABLES[usize::try_from(dice.roll(32)).unwrap_or(0)]).collect()
}

/// Lines of about `line_bytes`, from event `first` on.
pub fn lines(first: u64, count: u64, per_session: u64, line_bytes: usize) -> String {
    let vocabulary: Vec<String> = (0..WORDS).map(word).collect();
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
            // Few words are frequent and many are rare, as in any language.
            let rank = dice.roll(1000) * dice.roll(1000) * dice.roll(1000) * WORDS / 1_000_000_000;
            text.push_str(&vocabulary[usize::try_from(rank).unwrap_or(0)]);
            text.push(' ');
        }
        text.truncate(start + line_bytes - 3);
        text.push_str(".\"}\n");
    }
    text
}
