//! What stands between a name and its value, and where the value is.

use super::Name;
use crate::value::{self, Value};
use crate::{boundary, entropy};

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sep {
    /// `=` with no blank around it: shell, `.env`, connection strings, queries.
    Tight,
    /// `=` or `:=` with blanks, `=>`.
    Equals,
    Colon,
    /// `==`, `===`.
    Compare,
    /// `password is 'x'`.
    Is,
    /// `--password x`, `password "x"`.
    Blank,
    /// `"name", "value"`.
    Comma,
    /// `<password>x`.
    Tag,
    /// `| name | value |`.
    Cell,
    /// `name="password" value="x"`, `"name": "password", "value": "x"`.
    NameValue,
}

/// The separator after a name and where the value starts.
pub(super) fn separator(text: &[u8], name: Name) -> Option<(Sep, usize)> {
    let mut pos = name.end;
    pos += boundary::ansi_len(&text[pos..]);
    let quoted_name = skip_quote(text, &mut pos);
    if quoted_name && text.get(pos) == Some(&b']') {
        pos += 1;
    }
    pos += boundary::ansi_len(&text[pos..]);
    let after_name = pos;
    pos = skip_blanks(text, pos);
    let gap = pos > after_name;
    if text.get(pos) == Some(&b'?') {
        pos += 1;
    }
    let rest = text.get(pos..)?;
    let (sep, len) = match rest {
        [b'=', b'=', b'=', ..] => (Sep::Compare, 3),
        [b'=' | b'!', b'=', ..] => (Sep::Compare, 2),
        [b'=', b'>', ..] => (Sep::Equals, 2),
        [b':', b'=', ..] => (Sep::Equals, 2),
        [b':', b':', ..] => return None,
        [b'=', next, ..] => (if gap || next.is_ascii_whitespace() { Sep::Equals } else { Sep::Tight }, 1),
        [b'%', b'3', b'D' | b'd', ..] => (Sep::Tight, 3),
        [b':', ..] => (Sep::Colon, 1),
        [b'>', ..] if !gap && name.start > 0 && matches!(text[name.start - 1], b'<' | b':') => (Sep::Tag, 1),
        [b',', ..] if quoted_name => (Sep::Comma, 1),
        [b'|', ..] => (Sep::Cell, 1),
        [b'i' | b'I', b's', b' ', ..] if gap => (Sep::Is, 2),
        [b'"' | b'\'', ..] if gap && !quoted_name => (Sep::Blank, 0),
        _ if gap && name.start > 0 && text[name.start - 1] == b'-' => (Sep::Blank, 0),
        _ if gap && is_netrc(text, name) => (Sep::Blank, 0),
        _ if quoted_name => return name_value(text, pos),
        _ => return stated(text, pos),
    };
    if sep == Sep::Comma
        && let Some(found) = name_value(text, pos)
    {
        return Some(found);
    }
    let at = skip_blanks(text, pos + len);
    let at = at + boundary::ansi_len(&text[at..]);
    let at = skip_blanks(text, at);
    if sep == Sep::Colon
        && let Some(assigned) = after_type(text, at)
    {
        return Some((Sep::Equals, assigned));
    }
    Some((sep, at))
}

/// `the password for the user "x" is "y"`: a quoted value after `is`, on the same line.
fn stated(text: &[u8], pos: usize) -> Option<(Sep, usize)> {
    let line = &text[pos..text.len().min(pos + 64)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let is = memchr::memmem::find(line, b" is ")?;
    let at = pos + is + 4;
    matches!(text.get(at), Some(b'"' | b'\'' | b'`')).then_some((Sep::Is, at))
}

/// `"name": "X", "value": "…"` and `key="X" value="…"`: the value has a name of its own.
fn name_value(text: &[u8], mut pos: usize) -> Option<(Sep, usize)> {
    while pos < text.len()
        && (text[pos].is_ascii_whitespace() || matches!(text[pos], b',' | b'\\' | b'"' | b'\'' | b'n'))
    {
        pos += 1;
    }
    let rest = text.get(pos..)?;
    let word = [&b"value"[..], b"Value", b"content"].into_iter().find(|w| rest.starts_with(w))?;
    pos += word.len();
    skip_quote(text, &mut pos);
    pos = skip_blanks(text, pos);
    matches!(text.get(pos), Some(b'=' | b':')).then(|| (Sep::NameValue, skip_blanks(text, pos + 1)))
}

/// `password: &str = "x"`: where the value after the type starts.
fn after_type(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let len = rest
        .iter()
        .take(40)
        .take_while(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'\'' | b'|' | b' ' | b'.' | b':' | b'*')
        })
        .count();
    if len == 0
        || rest[..len].iter().all(u8::is_ascii_digit)
        || !matches!(rest.get(len), Some(b'='))
        || rest[len - 1] != b' '
    {
        return None;
    }
    let at = skip_blanks(text, at + len + 1);
    matches!(text.get(at), Some(b'"' | b'\'' | b'`')).then_some(at)
}

/// `machine h login u password p`, also over several lines.
fn is_netrc(text: &[u8], name: Name) -> bool {
    let from = name.start.saturating_sub(160);
    let before = &text[from..name.start];
    &text[name.start..name.end] == b"password"
        && entropy::contains(before, b"login ")
        && (entropy::contains(before, b"machine ") || entropy::contains(before, b"default"))
}

fn skip_quote(text: &[u8], pos: &mut usize) -> bool {
    let slashes = text[*pos..].iter().take(64).take_while(|&&b| b == b'\\').count();
    if matches!(text.get(*pos + slashes), Some(b'"' | b'\'' | b'`')) {
        *pos += slashes + 1;
        return true;
    }
    false
}

pub(crate) fn skip_blanks(text: &[u8], mut pos: usize) -> usize {
    while pos < text.len() && matches!(text[pos], b' ' | b'\t') {
        pos += 1;
    }
    pos
}

/// Reads the value at `at`.
pub(super) fn read(text: &[u8], sep: Sep, at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    if rest.is_empty() || matches!(rest[0], b'\n' | b'\r') {
        return None;
    }
    if sep == Sep::Tag {
        let end = memchr::memchr3(b'<', b'\n', b'>', rest)?;
        return rest[end..].starts_with(b"</").then_some(Value { start: at, end: at + end, quoted: true });
    }
    // String prefixes of Python, Rust, C# and the shell: b"", r#"", @"", $''.
    let lead =
        rest.iter().take(3).take_while(|b| matches!(b, b'b' | b'r' | b'f' | b'u' | b'L' | b'@' | b'$' | b'#')).count();
    for skip in [lead, 0] {
        if let Some(value) = value::quoted(text, at + skip) {
            return Some(value);
        }
    }
    Some(value::unquoted(text, at))
}
