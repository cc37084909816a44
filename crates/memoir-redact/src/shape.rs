//! A small pattern language for token shapes, matched by hand: no regex is compiled for them.
//!
//! A pattern is literal text with runs in braces: `ghp_{a36-255}` is `ghp_` and 36 to 255 letters or digits.
//! Runs are greedy and never backtrack, so a match is linear; where a run is longer than its maximum and the
//! pattern goes on, the next part starts at the maximum.

use crate::boundary;

/// One part of a pattern.
pub(crate) enum Part<'p> {
    Literal(&'p [u8]),
    Run { class: u8, min: usize, max: usize },
}

/// The parts of a pattern, in order.
pub(crate) fn parts(pattern: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = pattern.as_bytes();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        if first != b'{' {
            let end = memchr::memchr(b'{', rest).unwrap_or(rest.len());
            let (literal, tail) = rest.split_at(end);
            rest = tail;
            return Some(Part::Literal(literal));
        }
        let end = memchr::memchr(b'}', rest)?;
        let body = rest.get(1..end)?;
        rest = rest.get(end + 1..)?;
        let (&class, count) = body.split_first()?;
        let (min, max) = match memchr::memchr(b'-', count) {
            Some(dash) => (number(&count[..dash]), number(&count[dash + 1..])),
            None => (number(count), number(count)),
        };
        Some(Part::Run { class, min, max })
    })
}

fn number(digits: &[u8]) -> usize {
    digits.iter().fold(0, |n, d| n * 10 + usize::from(d.wrapping_sub(b'0')))
}

/// The character classes of the pattern language.
pub(crate) fn in_class(class: u8, b: u8) -> bool {
    match class {
        b'd' => b.is_ascii_digit(),
        b'h' => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
        b'H' => b.is_ascii_hexdigit(),
        b'K' => matches!(b, b'0'..=b'9' | b'A'..=b'F'),
        b'a' => b.is_ascii_alphanumeric(),
        b'l' => matches!(b, b'0'..=b'9' | b'a'..=b'z'),
        b'u' => matches!(b, b'0'..=b'9' | b'A'..=b'Z'),
        b'L' => b.is_ascii_lowercase(),
        b'U' => b.is_ascii_uppercase(),
        b'r' => matches!(b, b'A'..=b'Z' | b'2'..=b'7'),
        b'w' => b.is_ascii_alphanumeric() || b == b'_',
        b'g' => b.is_ascii_alphanumeric() || b == b'-',
        b's' => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
        b't' => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'),
        b'q' => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'~'),
        b'b' => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'),
        b'e' => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
        b'B' => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-'),
        b'f' => b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/'),
        b'p' => b.is_ascii_alphanumeric() || matches!(b, b'%' | b'_' | b'-' | b'.' | b'+' | b'/' | b'='),
        b'v' => matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-'),
        _ => false,
    }
}

/// Where a match ends, and where its first run starts (the part that must be random).
pub(crate) struct Matched {
    pub end: usize,
    pub body: usize,
    /// Whether the ending of a file's name follows.
    pub file_name: bool,
}

/// Matches `pattern` at `at`, up to a right boundary: the run must end where the token ends.
pub(crate) fn match_at(pattern: &str, text: &[u8], at: usize) -> Option<Matched> {
    let mut pos = at;
    let mut body = None;
    let mut last_class = 0;
    for part in parts(pattern) {
        match part {
            Part::Literal(literal) => {
                if !text.get(pos..)?.starts_with(literal) {
                    return None;
                }
                pos += literal.len();
                last_class = 0;
            }
            Part::Run { class, min, max } => {
                body.get_or_insert(pos);
                let rest = text.get(pos..)?;
                let len = rest.iter().take(max).take_while(|&&b| in_class(class, b)).count();
                if len < min {
                    return None;
                }
                pos += len;
                last_class = class;
            }
        }
    }
    let open = text.get(pos).is_some_and(|&b| in_class(last_class, b) || b.is_ascii_alphanumeric());
    (!open).then(|| Matched { end: pos, body: body.unwrap_or(at), file_name: boundary::is_file_name(&text[pos..]) })
}

/// The literal text a pattern starts with.
pub(crate) fn prefix(pattern: &str) -> &str {
    pattern.split('{').next().unwrap_or("")
}
