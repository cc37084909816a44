//! Made-up words and texts, the same for the same seed.

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

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + usize::try_from(self.roll((most - least + 1) as u64)).unwrap_or(0)
    }
}

const SYLLABLES: [&str; 32] = [
    "an", "ter", "con", "file", "re", "test", "ing", "pro", "ser", "ver", "de", "code", "log", "in", "data", "er",
    "th", "e", "re", "quest", "un", "wrap", "mod", "ule", "is", "to", "be", "ex", "port", "sys", "tem", "ion",
];
const WORDS: u64 = 20_000;

/// The words that texts are made of.
pub struct Vocabulary(Vec<String>);

impl Vocabulary {
    /// The one vocabulary there is.
    pub fn new() -> Vocabulary {
        Vocabulary((0..WORDS).map(word).collect())
    }

    /// A word: few are frequent and many are rare, as in any language.
    pub fn word(&self, dice: &mut Dice) -> &str {
        let rank = dice.roll(1000) * dice.roll(1000) * dice.roll(1000) * WORDS / 1_000_000_000;
        &self.0[usize::try_from(rank).unwrap_or(0)]
    }

    /// What people and models say, about so many bytes of it.
    pub fn prose(&self, dice: &mut Dice, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(self.word(dice));
            text.push_str(if dice.roll(12) == 0 { ". " } else { " " });
        }
        text
    }

    /// What tools print, about so many bytes of it: numbered lines of a program.
    pub fn code(&self, dice: &mut Dice, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 80);
        let mut number = 1 + dice.roll(900);
        while text.len() < bytes {
            let (a, b, c) = (self.word(dice), self.word(dice), self.word(dice));
            let _ = match dice.roll(6) {
                0 => writeln!(text, "{number:6}\tfn {a}_{b}({c}: &str) -> Option<usize> {{"),
                1 => writeln!(text, "{number:6}\t    let {a} = {b}.{c}({});", dice.roll(100)),
                2 => writeln!(text, "{number:6}\t    if {a}.is_empty() {{ return Err({b}::{c}) }}"),
                3 => writeln!(text, "src/{a}/{b}.rs:{number}: the {c} is not used"),
                4 => writeln!(text, "{number:6}\t    // {a} {b} {c}"),
                _ => writeln!(text, "{number:6}\t}}\n"),
            };
            number += 1;
        }
        text
    }
}

fn word(number: u64) -> String {
    let mut dice = Dice::new(number + 11);
    let syllables = 1 + dice.roll(3);
    (0..syllables).map(|_| SYLLABLES[usize::try_from(dice.roll(32)).unwrap_or(0)]).collect()
}
