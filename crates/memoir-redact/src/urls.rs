//! Passwords and signatures in URLs.

use crate::entropy;
use crate::names::{self, Named};
use crate::scan::{Rank, Scan};
use crate::value;

const URL_BYTES_MAX: usize = 8 * 1024;
const USERINFO_BYTES_MAX: usize = 512;

/// Looks at the URL whose `://` is at `at`.
pub(crate) fn at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let host = at + 3;
    if at == 0 || !text[at - 1].is_ascii_alphanumeric() || at < scan.url_done {
        return;
    }
    let end = end_of(text, host);
    userinfo(scan, host, end);
    if let Some(question) = memchr::memchr(b'?', &text[host..end]) {
        query(scan, host + question + 1, end);
    }
    scan.url_done = host;
}

fn end_of(text: &[u8], from: usize) -> usize {
    let limit = text.len().min(from + URL_BYTES_MAX);
    text[from..limit]
        .iter()
        .position(|&b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x1b))
        .map_or(limit, |n| from + n)
}

/// `user:password@` and `token@`: the last `@` before the path ends it.
fn userinfo(scan: &mut Scan<'_>, host: usize, end: usize) {
    let text = scan.bytes;
    let area = &text[host..end.min(host + USERINFO_BYTES_MAX)];
    let stop = area.iter().position(|&b| matches!(b, b'?' | b'#')).unwrap_or(area.len());
    let slash = memchr::memchr(b'/', &area[..stop]).unwrap_or(stop);
    let at = match memchr::memrchr(b'@', &area[..slash]) {
        Some(at) => at,
        // A password may hold a slash: `user:pa/ss@host`, if nothing before the slash looks like host and port.
        None => {
            let Some(at) = memchr::memchr(b'@', &area[..stop]) else { return };
            let Some(colon) = memchr::memchr(b':', &area[..slash]) else { return };
            if area[colon + 1..slash].iter().all(u8::is_ascii_digit) || area[..colon].contains(&b'.') {
                return;
            }
            at
        }
    };
    let info = &area[..at];
    let (start, secret) = match memchr::memchr(b':', info) {
        Some(colon) => (host + colon + 1, &info[colon + 1..]),
        None if info.len() >= 16 && entropy::looks_random(info, 16) => (host, info),
        None => return,
    };
    let user = &info[..info.len() - secret.len()];
    if value::is_teaching_pair(user.strip_suffix(b":").unwrap_or(user), secret) {
        return;
    }
    if secret.is_empty() || value::is_placeholder(secret) || secret.contains(&b',') {
        return;
    }
    if matches!(area.get(at + 1), None | Some(b'/' | b'@')) {
        return;
    }
    scan.hit(start, host + at, "url-password", Rank::Named);
}

/// `?token=…&sig=…`
fn query(scan: &mut Scan<'_>, from: usize, end: usize) {
    let mut pos = from;
    while pos < end {
        let part_end = scan.bytes[pos..end].iter().position(|&b| matches!(b, b'&' | b'#')).map_or(end, |n| pos + n);
        if let Some(equals) = memchr::memchr(b'=', &scan.bytes[pos..part_end])
            && let Some(name) = scan.text.get(pos..pos + equals)
        {
            let name = name.strip_prefix("amp;").unwrap_or(name);
            let start = pos + equals + 1;
            let mut stop = part_end;
            while stop > start && matches!(scan.bytes[stop - 1], b')' | b',' | b'.' | b';' | b']' | b'}') {
                stop -= 1;
            }
            let v = &scan.bytes[start..stop];
            let named = match names::classify(name) {
                Named::Pwd if !value::is_path(v) => Named::Password,
                other => other,
            };
            let strong = matches!(named, Named::Password | Named::Secret | Named::Token);
            let known = names::is_query_secret(name) && entropy::looks_random(v, 10);
            let counts = strong && v.len() >= 4 && !v.iter().all(u8::is_ascii_digit) || known;
            if counts
                && !value::is_placeholder(v)
                && !(strong && named != Named::Password && value::is_code(v) && v.len() < 16)
            {
                scan.hit(start, stop, "url-secret", Rank::Named);
            }
        }
        pos = part_end + 1;
    }
}

/// A signature parameter outside a full URL: `X-Amz-Signature=…`.
pub(crate) fn signature_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let end = text[at..].iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count() + at;
    if text.get(end) != Some(&b'=') || text[at..end].len() < 4 {
        return;
    }
    let stop =
        text[end + 1..].iter().take(600).take_while(|b| b.is_ascii_alphanumeric() || b"%+/=_-.~".contains(b)).count()
            + end
            + 1;
    let v = &text[end + 1..stop];
    let word = text[at..end].to_ascii_lowercase();
    if (word.ends_with(b"signature")
        || word.ends_with(b"ature")
        || word.ends_with(b"token")
        || word.ends_with(b"credential"))
        && entropy::looks_random(v, 20)
    {
        scan.hit(end + 1, stop, "url-secret", Rank::Named);
    }
}
