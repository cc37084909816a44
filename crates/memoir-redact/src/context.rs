//! Tokens without a prefix, beside a word that says what they are: `algolia key 0a1b…`, `cloudplanSECRET-ABCD…`.

use crate::assign::Name;
use crate::names::Named;
use crate::providers::contextual::CONTEXTUAL;
use crate::scan::{Rank, Scan};
use crate::{boundary, entropy, shape};

/// How far before a value its provider's name may stand, and how far after a word its value.
pub(crate) const REACH_BYTES: usize = 64;
/// Words that may stand between the name and the value.
const WORDS_BETWEEN_MAX: usize = 4;
const CANDIDATE_BYTES_MIN: usize = 10;

/// Looks for a token after `name`.
pub(crate) fn after(scan: &mut Scan<'_>, name: Name, named: Named) {
    let Some(run) = candidate(scan.bytes, name.end) else { return };
    judge(scan, name, named, run);
}

/// A keyword that is enough on its own: `wandb 0a1b…`.
pub(crate) fn bare_at(scan: &mut Scan<'_>, at: usize) {
    let end = scan.bytes[at..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count() + at;
    let Some(run) = candidate(scan.bytes, end) else { return };
    let from = line_start(scan.bytes, run.0);
    let before = scan.bytes[from..run.0].to_ascii_lowercase();
    for start in starts(scan.bytes, run) {
        let found = CONTEXTUAL
            .iter()
            .filter(|p| p.bare)
            .find(|p| entropy::contains(&before, p.keyword.as_bytes()) && fits(p.shapes, scan.bytes, start, run.1));
        if let Some(provider) = found {
            scan.hit(start, run.1, format!("{}-token", provider.keyword), Rank::Shape);
            return;
        }
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(REACH_BYTES);
    memchr::memrchr(b'\n', &text[from..at]).map_or(from, |n| from + n + 1)
}

/// The first run after `from` that is not a word: its start and end.
fn candidate(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let limit = text.len().min(from + REACH_BYTES);
    let mut pos = from;
    for _ in 0..=WORDS_BETWEEN_MAX {
        while pos < limit && is_gap(text[pos]) {
            pos += 1;
        }
        pos += boundary::ansi_len(&text[pos..]);
        while pos < limit && is_gap(text[pos]) {
            pos += 1;
        }
        let start = pos;
        while pos < text.len() && is_token_byte(text[pos]) && pos - start < 2048 {
            pos += 1;
        }
        let run = &text[start..pos];
        if run.is_empty() {
            return None;
        }
        let word = run.len() < 24
            && run.iter().filter(|b| b.is_ascii_digit()).count() <= 8
            && (entropy::Mix::of(run).digit == 0 || run.len() < CANDIDATE_BYTES_MIN || entropy::contains(run, b"key"));
        if !word {
            let mut end = pos;
            while end > start && matches!(text[end - 1], b'.' | b',' | b'-' | b'/') {
                end -= 1;
            }
            return (end - start >= CANDIDATE_BYTES_MIN).then_some((start, end));
        }
        if pos >= limit {
            return None;
        }
    }
    None
}

fn is_gap(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>' | b',' | b'(' | b'{' | b'|' | b'\\' | b'*' | b'-')
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'%' | b'~' | b':')
}

/// Places in a run where the token itself may start: at its start, and after each mark.
fn starts(text: &[u8], (start, end): (usize, usize)) -> impl Iterator<Item = usize> {
    std::iter::once(start).chain(
        (start..end.saturating_sub(CANDIDATE_BYTES_MIN))
            .filter(move |&i| matches!(text[i], b'-' | b'_' | b'.' | b'=' | b':' | b'/'))
            .map(|i| i + 1)
            .take(12),
    )
}

fn judge(scan: &mut Scan<'_>, name: Name, named: Named, run: (usize, usize)) {
    let bytes = scan.bytes;
    let from = line_start(bytes, name.start.max(1)).min(name.start);
    let before = bytes[from..run.0].to_ascii_lowercase();
    let filler = entropy::is_filler(&bytes[run.0..run.1]);
    if filler || entropy::contains(&bytes[run.0..run.1], b"://") {
        return;
    }
    for start in starts(bytes, run) {
        let body = &bytes[start..run.1];
        if entropy::bits(body) < 2.2 || body.len() < 20 && entropy::Mix::of(body).seams == 0 {
            continue;
        }
        if is_words(body) {
            continue;
        }
        let found = CONTEXTUAL
            .iter()
            .find(|p| fits(p.shapes, bytes, start, run.1) && entropy::contains(&before, p.keyword.as_bytes()));
        if let Some(provider) = found {
            scan.hit(start, run.1, format!("{}-token", provider.keyword.replace(['.', '_'], "-")), Rank::Shape);
            return;
        }
    }
    if matches!(named, Named::Token | Named::Secret | Named::Password) {
        generic(scan, name, named, run);
    }
}

/// A token of no known provider: letters and digits well mixed, directly after the name.
fn generic(scan: &mut Scan<'_>, name: Name, named: Named, run: (usize, usize)) {
    let bytes = scan.bytes;
    let between = &bytes[name.end..run.0];
    if between.len() > 24 || between.contains(&b'(') || between.contains(&b'{') {
        return;
    }
    for start in starts(bytes, run) {
        let body = &bytes[start..run.1];
        let marks = body.iter().filter(|b| matches!(b, b'.' | b'/' | b'-' | b':')).count();
        if body.len() >= 20 && marks * 12 <= body.len() && entropy::looks_random(body, 20) {
            let rule = if start == run.0 || named != Named::Password { named.rule() } else { "token" };
            scan.hit(start, run.1, rule, Rank::Named);
            return;
        }
    }
}

/// Words joined by marks, or a path: `kubernetes/pkg/util`, `some-long-label`.
fn is_words(body: &[u8]) -> bool {
    let mix = entropy::Mix::of(body);
    mix.digit == 0 && mix.other > 0 && !entropy::looks_random(body, 16)
}

fn fits(shapes: &str, text: &[u8], start: usize, end: usize) -> bool {
    shapes
        .split('|')
        .any(|s| shape::match_at(s, &text[..end], start).is_some_and(|m| m.end == end))
}
