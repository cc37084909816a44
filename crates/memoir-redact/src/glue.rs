//! What may stand directly before a token: `-AKIA…` in a diff, `backup-AKIA….txt`, `cache_ghp_…`, and what may not,
//! because the token's prefix turns up in it by chance: base64, hashes, words that end like a prefix.

use crate::shape::{self, Part};
use crate::{boundary, entropy};

/// Longest lead of a line that is looked through: diff marks, quotes, lists, comments.
const LEAD_BYTES_MAX: usize = 8;
/// How far back a run of base64 is looked at.
const BLOB_BYTES: usize = 32;
/// Shortest run before a token that can be base64.
const BLOB_BYTES_MIN: usize = 9;
/// Bits that a shape must fix to turn up in base64 less than once in many gigabytes.
const STRONG_BITS: f32 = 36.0;
/// Bits that a shape must fix to be one in anything but base64.
const SOLID_BITS: f32 = 30.0;
/// Bits in a character of base64.
const CHARACTER_BITS: f32 = 6.0;
/// Shortest body that is random enough by the kinds of its characters.
const MIXED_BYTES_MIN: usize = 16;
/// Shortest body after a prefix that words end with: nobody's task has a name that long.
const LONG_BYTES_MIN: usize = 32;
/// Longest word that a token may be glued to.
const WORD_BYTES_MAX: usize = 24;

/// Prefixes that are words, or that words end with: `cache-key-9f8e…`, `task-1a2b…`, `core_…`.
#[rustfmt::skip]
const WORDY: [&str; 28] = [
    "key", "api", "sdk", "mob", "pub", "sub", "sec", "live", "test", "secret", "sandbox", "sess", "oauth", "pat",
    "sat", "sk", "pk", "ak", "as", "at", "re", "cr", "pa", "fc", "st", "sl", "ico", "nf",
];

/// A prefixed shape that was matched, as far as its neighbours are judged by it.
pub(crate) struct Glue<'p> {
    pub prefix: &'p str,
    pub pattern: &'p str,
    /// Whether the shape alone decides, whatever the body is made of.
    pub any_body: bool,
}

impl Glue<'_> {
    /// A prefix that ends in a separator is one wherever it stands: `x_ghp_…`.
    fn is_distinct(&self) -> bool {
        let end = self.prefix.as_bytes().last();
        match end {
            Some(b'_') => self.prefix.len() >= 4,
            Some(b'-' | b'.') => self.prefix.len() >= 5,
            _ => false,
        }
    }

    fn is_wordy(&self) -> bool {
        let stem = self.prefix.trim_end_matches(['_', '-', '.', ':']);
        stem.is_empty() || WORDY.iter().any(|w| stem.eq_ignore_ascii_case(w))
    }

    /// Bits of a shape whose prefix no word in small letters ends with, and no hash.
    fn bits(&self) -> f32 {
        let hash = self.prefix.starts_with(|c: char| c.is_ascii_digit());
        let plain = hash || self.prefix.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'));
        if plain || self.prefix.len() < 3 || self.is_wordy() { 0.0 } else { bits(self.pattern) }
    }

    /// Whether neither base64 nor prose holds such a text by chance.
    fn is_strong(&self) -> bool {
        self.is_distinct() && !self.is_wordy() || self.bits() >= STRONG_BITS
    }

    /// Whether a token may be part of a file's name: `backup-ghp_….json`, but not `ac9f8e….png`.
    pub fn names_file(&self, text: &[u8], at: usize, body: &[u8]) -> bool {
        let apart = at == 0 || !text[at - 1].is_ascii_alphanumeric();
        let named = self.prefix.ends_with('_') && !self.is_wordy();
        apart && (named || self.is_strong() || self.bits() >= SOLID_BITS) && entropy::looks_random(body, 12)
    }

    /// Whether a token that starts at `at` and has the given body may stand where it does.
    pub fn stands(&self, text: &[u8], at: usize, body: &[u8]) -> bool {
        let Some(&before) = at.checked_sub(1).and_then(|i| text.get(i)) else { return true };
        if starts_line(text, at) {
            return true;
        }
        let mark = matches!(before, b'+' | b'-' | b'.' | b'_' | b'/');
        if !mark && boundary::starts_at(text, at) {
            return true;
        }
        if self.any_body {
            return false;
        }
        if before == b'/' {
            return self.prefix.len() >= 5 || self.is_strong() || blob_before(text, at) == 0;
        }
        // `cache-key-9f8e…`, `DISK9f8e…`: a word and a hash.
        let joined = !mark || self.prefix.ends_with(['-', '_', '.']);
        if self.is_wordy() && joined && body.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-') {
            return false;
        }
        let blob = blob_before(text, at);
        if self.is_strong() || self.is_distinct() {
            // Four characters do turn up in the middle of a long text in base64.
            return mark || self.prefix.len() > 4 || self.bits() >= STRONG_BITS || blob < BLOB_BYTES;
        }
        if blob > 0 {
            return false;
        }
        if self.bits() >= SOLID_BITS {
            return true;
        }
        if mark {
            return entropy::looks_random(body, 8) || !self.is_wordy() && is_mixed(body, MIXED_BYTES_MIN);
        }
        if !after_word(text, at) {
            return false;
        }
        if self.is_wordy() {
            return is_mixed(body, LONG_BYTES_MIN) && entropy::looks_random(body, LONG_BYTES_MIN);
        }
        let lettered = self.prefix.as_bytes()[0].is_ascii_alphabetic();
        let long = self.prefix.len() >= 4 || self.prefix.len() == 3 && self.prefix.ends_with(['_', '-', '.']);
        lettered && long && is_mixed(body, MIXED_BYTES_MIN)
    }
}

/// Random enough where a prefix vouches for it: digits among letters, or both cases.
fn is_mixed(body: &[u8], len_min: usize) -> bool {
    let mix = entropy::Mix::of(body);
    let cases = mix.upper >= 3 && mix.lower >= 3;
    body.len() >= len_min && entropy::bits(body) > 3.0 && (mix.digit > 0 && mix.letters() > 0 || cases)
}

/// `+`, `- `, `> `, `# `, `  * `: only marks between the line's start and `at`.
fn starts_line(text: &[u8], at: usize) -> bool {
    let marks = text[..at]
        .iter()
        .rev()
        .take(LEAD_BYTES_MAX)
        .take_while(|b| matches!(b, b'+' | b'-' | b'<' | b'>' | b'!' | b'#' | b'*' | b'|' | b' ' | b'\t'))
        .count();
    let lead = &text[..at - marks];
    lead.is_empty() || lead.ends_with(b"\n") || lead.ends_with(b"\r") || lead.ends_with(b"\\n")
}

/// How many bits a shape fixes: its literals, and runs of classes that hashes and words have no part in.
///
/// A shape of one length fixes where it ends, too.
fn bits(pattern: &str) -> f32 {
    let mut sum = 0.0;
    let mut fixed = true;
    for part in shape::parts(pattern) {
        match part {
            Part::Literal(literal) => sum += literal.len() as f32 * CHARACTER_BITS,
            Part::Run { class, min, max } => {
                let spare = match class {
                    b'r' => 1.0,
                    b'u' => 0.8,
                    _ => 0.0,
                };
                sum += min as f32 * spare;
                fixed &= min == max;
            }
        }
    }
    if fixed { sum + CHARACTER_BITS } else { sum }
}

/// How much base64 ends at `at`, or at the mark in front of it, up to [`BLOB_BYTES`].
fn blob_before(text: &[u8], at: usize) -> usize {
    let at = at - usize::from(!text[at - 1].is_ascii_alphanumeric());
    let run = text[..at]
        .iter()
        .rev()
        .take(BLOB_BYTES)
        .take_while(|&&b| shape::in_class(b'b', b) || matches!(b, b'-' | b'_'))
        .count();
    if entropy::looks_random(&text[at - run..at], BLOB_BYTES_MIN) { run } else { 0 }
}

/// What ends at `at` is a word in one case, or a number, and not the end of something longer.
fn after_word(text: &[u8], at: usize) -> bool {
    let run = text[..at].iter().rev().take(WORD_BYTES_MAX + 1).take_while(|b| b.is_ascii_alphanumeric()).count();
    let word = &text[at - run..at];
    let mix = entropy::Mix::of(word);
    let plain = mix.lower == run || mix.upper == run || mix.digit == run;
    let before = at.checked_sub(run + 1).and_then(|i| text.get(i));
    run <= WORD_BYTES_MAX && plain && !matches!(before, Some(b'+' | b'/' | b'='))
}
