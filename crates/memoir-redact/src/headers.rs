//! `Authorization`, `Cookie`, and the schemes `Bearer` and `Basic` wherever they stand.

use crate::assign::{self, Name};
use crate::names::Named;
use crate::scan::{Rank, Scan};
use crate::value;
use crate::{boundary, entropy};

/// Schemes with one credential after them.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "apikey",
    "api-key",
    "key",
    "jwt",
    "negotiate",
    "ntlm",
    "ssws",
    "geniekey",
    "splunk",
    "sharedkey",
    "sharedkeylite",
    "x-api-key",
    "bot",
    "client-id",
    "oauth2",
    "pat",
    "apitoken",
    "private-token",
    "gogs",
    "discogs",
    "deepl-auth-key",
    "klaviyo-api-key",
    "snowflake",
];
/// Schemes with a list of parameters after them: all of it goes.
const LISTS: &[&str] = &["digest", "oauth", "aws4-hmac-sha256", "aws", "hawk", "hmac", "signature", "mac"];

/// `Authorization: Bearer x`, also quoted, escaped, in code and in curl commands. True if there was a value.
pub(crate) fn authorization(scan: &mut Scan<'_>, name: Name) -> bool {
    let text = scan.bytes;
    let mut pos = name.end;
    skip_close(text, &mut pos);
    pos = assign::skip_blanks(text, pos);
    match text.get(pos) {
        Some(b':' | b'=' | b',') => pos += 1,
        _ => return false,
    }
    if text.get(pos) == Some(&b'>') {
        pos += 1;
    }
    pos = assign::skip_blanks(text, pos);
    pos += boundary::ansi_len(&text[pos..]);
    skip_close(text, &mut pos);
    pos = assign::skip_blanks(text, pos);
    let end = line_end(text, pos);
    let line = &text[pos..end];
    let word_len = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let scheme = String::from_utf8_lossy(&line[..word_len]).to_ascii_lowercase();
    let spaced = line.get(word_len) == Some(&b' ');
    if spaced && LISTS.contains(&scheme.as_str()) {
        let start = assign::skip_blanks(text, pos + word_len);
        let end = list_end(text, name, pos, start);
        let rest = &text[start..end];
        if rest.contains(&b'=') && !value::is_placeholder(rest) {
            scan.hit(start, end, "authorization", Rank::Named);
            return true;
        }
        return false;
    }
    if spaced && SCHEMES.contains(&scheme.as_str()) {
        let start = assign::skip_blanks(text, pos + word_len);
        return credential(scan, start, end, Least::Any);
    }
    credential(scan, pos, end, Least::Random)
}

/// Where a list of parameters ends: they are quoted themselves, so only the quote around the header ends it early.
fn list_end(text: &[u8], name: Name, value: usize, start: usize) -> usize {
    let limit = text.len().min(start + value::VALUE_BYTES_MAX);
    let quote = [name.start, value]
        .into_iter()
        .filter_map(|at| text.get(at.checked_sub(1)?))
        .find(|b| matches!(b, b'"' | b'\'' | b'`'));
    let mut pos = start;
    while pos < limit && !matches!(text[pos], b'\n' | b'\r' | 0x1b) {
        if Some(&text[pos]) == quote && text[pos - 1] != b'\\' || text[pos..limit].starts_with(b"\\n") {
            break;
        }
        pos += 1;
    }
    pos
}

/// How much a credential must look like one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    Any,
    Random,
}

fn credential(scan: &mut Scan<'_>, start: usize, end: usize, least: Least) -> bool {
    let found = value::unquoted(&scan.bytes[..end], start);
    let v = &scan.bytes[found.start..found.end];
    if v.len() < 4 || value::is_placeholder(v) || value::is_code(v) && !entropy::looks_random(v, 16) {
        return false;
    }
    let enough = match least {
        Least::Any => v.len() >= 6 && (entropy::Mix::of(v).seams > 0 || entropy::looks_random(v, 12)),
        Least::Random => {
            entropy::looks_random(v, 12) || v.len() >= 16 && entropy::Mix::of(v).seams > 1 && entropy::bits(v) > 3.0
        }
    };
    if enough {
        scan.hit(found.start, found.end, "authorization", Rank::Named);
    }
    enough
}

/// `Bearer x` or `Basic x` with something after it that is a credential, not the next word.
pub(crate) fn scheme_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if at > 0 && text[at - 1].is_ascii_alphanumeric() && !boundary::starts_at(text, at) {
        return;
    }
    let rest = &text[at..];
    let word = rest.iter().take(8).take_while(|b| b.is_ascii_alphabetic()).count();
    let basic = rest[..word].eq_ignore_ascii_case(b"basic");
    if !basic && !rest[..word].eq_ignore_ascii_case(b"bearer") && !rest[..word].eq_ignore_ascii_case(b"ssws") {
        return;
    }
    let mut pos = at + word;
    if text.get(pos) == Some(&b':') {
        pos += 1;
    }
    if text.get(pos..).is_some_and(|r| r.starts_with(b"%20")) {
        pos += 3;
    }
    let start = assign::skip_blanks(text, pos);
    if start == at + word {
        return;
    }
    let found = value::unquoted(text, start);
    let v = &text[found.start..found.end];
    if value::is_placeholder(v) || !v.iter().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=:%|".contains(b)) {
        return;
    }
    let mix = entropy::Mix::of(v);
    let seen = if basic {
        v.len() >= 8
            && (v.ends_with(b"=") && v.len().is_multiple_of(4)
                || mix.digit > 0 && mix.upper > 0 && mix.lower > 0 && entropy::looks_random(v, 8))
    } else {
        entropy::looks_random(v, 10) && !value::is_code(v)
    };
    if seen {
        scan.hit(found.start, found.end, if basic { "basic-auth" } else { "bearer-token" }, Rank::Named);
    }
}

/// `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`: pairs, not prose about biscuits.
pub(crate) fn cookie(scan: &mut Scan<'_>, name: Name) -> bool {
    let text = scan.bytes;
    let mut pos = name.end;
    skip_close(text, &mut pos);
    pos = assign::skip_blanks(text, pos);
    let flag = name.start >= 2 && &text[name.start - 2..name.start] == b"--";
    match text.get(pos) {
        Some(b':' | b'=') => pos += 1,
        _ if flag => {}
        _ => return false,
    }
    pos = assign::skip_blanks(text, pos);
    skip_close(text, &mut pos);
    pos = assign::skip_blanks(text, pos);
    cookie_value(scan, pos)
}

/// Redacts a cookie string that starts at `pos`.
pub(crate) fn cookie_value(scan: &mut Scan<'_>, pos: usize) -> bool {
    let text = scan.bytes;
    let end = line_end(text, pos);
    let line = &text[pos..end];
    let key = line.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_-.[]$!".contains(b)).count();
    let pair = key > 0
        && line.get(key) == Some(&b'=')
        && line.get(key + 1).is_some_and(|b| !b.is_ascii_whitespace() && *b != b'=');
    if !pair
        || value::is_placeholder(&line[key + 1..])
        || value::is_code(&line[key + 1..]) && line[key + 1..].contains(&b'(')
    {
        return false;
    }
    let end = pos + line.trim_ascii_end().len();
    let stop = if line.contains(&b';') { end } else { value::unquoted(&text[..end], pos).end.max(pos + key + 2) };
    scan.hit(pos, stop.min(end), Named::Cookie.rule(), Rank::Named);
    true
}

fn skip_close(text: &[u8], pos: &mut usize) {
    let slashes = text[*pos..].iter().take(32).take_while(|&&b| b == b'\\').count();
    if matches!(text.get(*pos + slashes), Some(b'"' | b'\'' | b'`')) {
        *pos += slashes + 1;
    }
}

/// Where a header's value ends: at the line's end, a quote, or an escaped one.
fn line_end(text: &[u8], from: usize) -> usize {
    let limit = text.len().min(from + value::VALUE_BYTES_MAX);
    text[from..limit]
        .iter()
        .enumerate()
        .position(|(i, &b)| {
            matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' | 0x1b)
                || b == b'\\'
                    && matches!(text.get(from + i + 1), None | Some(b'n' | b'r' | b'"' | b'\\' | b'u' | b'\''))
        })
        .map_or(limit, |n| from + n)
}
