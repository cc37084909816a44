//! Shapes that need more than a prefix: JSON Web Tokens, Telegram bots, Mailchimp, password hashes of directories.

use crate::scan::{Rank, Scan};
use crate::shape;
use crate::{boundary, entropy};

fn run(text: &[u8], from: usize) -> usize {
    text[from..].iter().take_while(|&&b| shape::in_class(b's', b) || b == b'=').count()
}

/// `eyJ….eyJ….sig`: a header, a payload and a signature; also with an empty signature or five parts.
pub(crate) fn jwt_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if !text[at..].starts_with(b"eyJ")
        || at > 0
            && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'-' | b'+' | b'/'))
            && !boundary::starts_at(text, at)
    {
        return;
    }
    let header = run(text, at);
    let mut end = at + header;
    if header < 16 || text.get(end) != Some(&b'.') {
        return;
    }
    let mut parts = 1;
    while parts < 5 && text.get(end) == Some(&b'.') {
        let len = run(text, end + 1);
        if len == 0 && parts > 1 {
            break;
        }
        end += 1 + len;
        parts += 1;
    }
    let payload = &text[at + header + 1..end];
    if parts < 2 || payload.len() < 16 || entropy::is_filler(payload) || entropy::bits(payload) < 3.0 {
        return;
    }
    if parts == 2 && !payload.starts_with(b"eyJ") {
        return;
    }
    scan.hit(at, end, "jwt", Rank::Shape);
}

/// A JSON Web Token that was base64-encoded once more: `ZXlK…`.
pub(crate) fn encoded_jwt_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let first = &text[at..];
    if !first.starts_with(b"ZXlK") || !boundary::starts_at(text, at) {
        return;
    }
    let len = first.iter().take_while(|&&b| shape::in_class(b'B', b)).count();
    // A JWT holds `.eyJ`, which shows in base64 at one of three alignments.
    let body = &first[..len];
    let dotted = [&b"LmV5S"[..], b"5leUp", b"uZXlK", b"ZXlKL", b"LmV5"].iter().any(|d| entropy::contains(body, d));
    if len >= 60 && dotted {
        scan.hit(at, at + len, "jwt", Rank::Shape);
    }
}

/// `123456789:AA…`, 35 characters after the colon.
pub(crate) fn telegram_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let digits = text[..at].iter().rev().take(12).take_while(|b| b.is_ascii_digit()).count();
    let start = at - digits;
    if !(8..=10).contains(&digits)
        || !(boundary::starts_at(text, start) || text[..start].ends_with(b"bot"))
        || !text[at..].starts_with(b":AA")
    {
        return;
    }
    let body = run(text, at + 1);
    if body == 35 && entropy::bits(&text[at + 1..at + 36]) > 2.5 {
        scan.hit(start, at + 36, "telegram-token", Rank::Shape);
    }
}

/// `0123…-us12`: 32 hexadecimal digits and a data centre.
pub(crate) fn mailchimp_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let Some(start) = at.checked_sub(32) else { return };
    let digits = text[at + 3..].iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    let end = at + 3 + digits;
    let hex = text[start..at].iter().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase());
    if hex
        && (1..=2).contains(&digits)
        && boundary::starts_at(text, start)
        && !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
    {
        scan.hit(start, end, "mailchimp-key", Rank::Shape);
    }
}

/// `$krb5asrep$23$…`, `$krb5tgs$23$…`: tickets that can be attacked offline.
pub(crate) fn kerberos_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if !text[at..].starts_with(b"$krb5") {
        return;
    }
    let end = at + text[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"$*@./_:-".contains(b)).count();
    if end - at >= 64 {
        scan.hit(at, end, "kerberos-hash", Rank::Shape);
    }
}

/// `{SSHA}…`: a password hash as directories store it. The scheme stays.
pub(crate) fn ldap_at(scan: &mut Scan<'_>, at: usize) {
    let rest = &scan.bytes[at + 1..];
    let len = rest.iter().take(20).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
    const SCHEMES: [&[u8]; 7] = [b"ssha", b"sha", b"smd5", b"md5", b"crypt", b"pbkdf2", b"argon2"];
    let scheme = rest[..len].to_ascii_lowercase();
    let known = SCHEMES.iter().any(|s| scheme.starts_with(s));
    if scan.bytes[at] != b'{' || !known || rest.get(len) != Some(&b'}') {
        return;
    }
    let start = at + len + 2;
    let body = scan.bytes[start..]
        .iter()
        .take(256)
        .take_while(|&&b| shape::in_class(b'e', b) || matches!(b, b'$' | b'.' | b',' | b'-' | b'_'))
        .count();
    let v = &scan.bytes[start..start + body];
    if body >= 12 && entropy::bits(v) > 2.5 && entropy::Mix::of(v).digit > 0 {
        scan.hit(start, start + body, "password-hash", Rank::Shape);
    }
}
