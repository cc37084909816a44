//! How random a string looks. Knows nothing of rules or names.

/// Shannon entropy of the bytes, in bits per byte.
pub(crate) fn bits(s: &[u8]) -> f32 {
    if s.is_empty() {
        return 0.0;
    }
    let mut counts = [0u32; 256];
    for &b in s {
        counts[usize::from(b)] += 1;
    }
    let n = s.len() as f32;
    counts
        .iter()
        .filter(|&&c| c > 0)
        .map(|&c| {
            let p = c as f32 / n;
            -p * p.log2()
        })
        .sum()
}

/// What kinds of characters a string is made of.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mix {
    pub lower: usize,
    pub upper: usize,
    pub digit: usize,
    pub other: usize,
    /// Places where a digit and a letter stand side by side.
    pub seams: usize,
}

impl Mix {
    pub fn of(s: &[u8]) -> Mix {
        let mut mix = Mix::default();
        let mut last_digit = None;
        for &b in s {
            let digit = match b {
                b'a'..=b'z' => {
                    mix.lower += 1;
                    Some(false)
                }
                b'A'..=b'Z' => {
                    mix.upper += 1;
                    Some(false)
                }
                b'0'..=b'9' => {
                    mix.digit += 1;
                    Some(true)
                }
                _ => {
                    mix.other += 1;
                    None
                }
            };
            if let (Some(a), Some(b)) = (last_digit, digit)
                && a != b
            {
                mix.seams += 1;
            }
            last_digit = digit;
        }
        mix
    }

    pub fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// A value that nobody would type as a word: letters and digits mixed, and enough different characters.
///
/// Words, paths, versions and identifiers with a number at the end (`sha256`, `getToken2`) stay below this line.
pub(crate) fn looks_random(s: &[u8], len_min: usize) -> bool {
    if s.len() < len_min {
        return false;
    }
    let mix = Mix::of(s);
    let floor = if s.len() >= 24 { 3.0 } else { 2.7 };
    if bits(s) < floor {
        return false;
    }
    if mix.digit == 0 || mix.letters() == 0 {
        return mix.digit == 0 && without_digits(s, &mix);
    }
    (mix.seams >= 2 || s.len() >= 16 && mix.digit >= 4 && mix.letters() >= 4) && mix.other * 4 <= s.len()
}

/// Letters alone, in both cases about as often. Identifiers with a short form in them reach a third
/// (`TranscriptUUIDAtStart`).
pub(crate) fn is_balanced(s: &[u8]) -> bool {
    let mix = Mix::of(s);
    mix.letters() == s.len() && mix.upper.min(mix.lower) * 5 >= s.len() * 2 && bits(s) > 3.5
}

/// Base64 without a digit happens (one in forty at 24 characters): many changes of case give it away.
fn without_digits(s: &[u8], mix: &Mix) -> bool {
    if mix.upper < 4 || mix.lower < 4 || mix.other > 1 {
        return false;
    }
    let changes = s.windows(2).filter(|w| w[0].is_ascii_uppercase() != w[1].is_ascii_uppercase()).count();
    changes * 9 >= s.len() * 4 && bits(s) > 3.5
}

/// `xxxxxxxx`, `********`, `....`, `EXAMPLE`: what people write in place of a secret.
pub(crate) fn is_filler(s: &[u8]) -> bool {
    let mut run = 1;
    for w in s.windows(2) {
        let same = w[0].eq_ignore_ascii_case(&w[1]) && matches!(w[0], b'x' | b'X' | b'*' | b'#' | b'.' | b'?');
        run = if same { run + 1 } else { 1 };
        if run >= 6 {
            return true;
        }
    }
    contains(s, b"EXAMPLE")
}

/// Fewest digits in order that nobody gets by chance: `123456789012`.
const SEQUENCE_MIN: usize = 12;
/// Fewest equal characters in a row that count as a run.
const RUN_MIN: usize = 5;

/// Made up for a page of documentation: digits in order, or mostly runs of one character.
///
/// Asked only where no provider's shape vouches for the value. Letters in order are not asked for: most of what the
/// public scanners call a secret in their own tests is written that way, and next to nothing of what they do not.
pub(crate) fn is_sample(s: &[u8]) -> bool {
    has_sequence(s) || is_runs(s)
}

fn has_sequence(s: &[u8]) -> bool {
    let mut len = 1;
    s.windows(2).any(|w| {
        let follows = w[0].is_ascii_digit() && w[1].is_ascii_digit() && w[1] == w[0] + 1;
        len = if follows || w == b"90" { len + 1 } else { 1 };
        len >= SEQUENCE_MIN
    })
}

/// Runs of one character make up a third of it, or more.
pub(crate) fn is_runs(s: &[u8]) -> bool {
    let runs: usize = s.chunk_by(|a, b| a == b).map(<[u8]>::len).filter(|&n| n >= RUN_MIN).sum();
    runs * 3 >= s.len() && runs > 0
}

pub(crate) fn contains(hay: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(hay, needle).is_some()
}

/// 8-4-4-4-12 hexadecimal digits.
pub(crate) fn is_uuid(s: &[u8]) -> bool {
    s.len() == 36
        && s.iter().enumerate().all(|(i, &b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
