//! Values: where one ends, and whether it is a secret or code, a placeholder or prose.

use crate::boundary;
use crate::entropy::{self, Mix};

/// Longest value that is taken under one name.
pub(crate) const VALUE_BYTES_MAX: usize = 16 * 1024;

/// A value found after a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub start: usize,
    pub end: usize,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

/// Reads a quoted value whose opening quote (with its backslashes) starts at `at`.
///
/// JSON inside a JSON string writes its quotes as `\"`, one level deeper `\\\"`. A quote ends the value when it has
/// as many backslashes as the opening one, or fewer; escaped quotes inside have more, in odd multiples.
pub(crate) fn quoted(text: &[u8], at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    let depth = rest.iter().take(64).take_while(|&&b| b == b'\\').count();
    let quote = *rest.get(depth)?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let triple = depth == 0 && rest.len() > 5 && rest[1] == quote && rest[2] == quote;
    let start = at + depth + if triple { 3 } else { 1 };
    let limit = text.len().min(start + VALUE_BYTES_MAX);
    let mut pos = start;
    let mut slashes = 0;
    while pos < limit {
        let b = text[pos];
        if b == b'\\' {
            slashes += 1;
        } else if b == quote {
            let units = (slashes + 1) / (depth + 1);
            if slashes <= depth || (units % 2 == 1 && (slashes + 1) % (depth + 1) == 0) {
                let end = pos - slashes.min(depth);
                // Markdown quotes code in backticks: what is inside is judged as code.
                return Some(Value { start, end, quoted: quote != b'`' });
            }
            slashes = 0;
        } else if b == b'\n' && !triple && quote != b'`' {
            break;
        } else {
            slashes = 0;
        }
        pos += 1;
    }
    // Never closed: cut off, or not a quotation at all.
    let end = text[start..pos].iter().position(u8::is_ascii_whitespace).map_or(pos, |n| start + n);
    Some(Value { start, end, quoted: false })
}

/// Reads an unquoted value at `at`: up to white space, a quote, or punctuation that closes what is around it.
pub(crate) fn unquoted(text: &[u8], at: usize) -> Value {
    let limit = text.len().min(at + VALUE_BYTES_MAX);
    let mut pos = at;
    let mut open = 0i32;
    while pos < limit {
        let b = text[pos];
        match b {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'`' | b'<' | b'>' | b'|' | 0x1b => break,
            b'\'' if pos > at => break,
            b'\\' => {
                let next = text.get(pos + 1).copied().unwrap_or(b' ');
                if matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'\n' | b'\r')
                    || boundary::ansi_len(&text[pos..]) > 0
                    || text[pos..].starts_with(b"\\u00")
                {
                    break;
                }
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => {
                if open == 0 {
                    break;
                }
                open -= 1;
            }
            b';' | b',' | b'&' if ends_item(&text[pos + 1..limit], b) => break,
            _ => {}
        }
        pos += 1;
    }
    let mut end = pos;
    while end > at && matches!(text[end - 1], b',' | b';' | b'.' | b':') {
        end -= 1;
    }
    Value { start: at, end, quoted: false }
}

/// Whether `,`, `;` or `&` ends a value: when nothing, a blank or another `name=` follows.
fn ends_item(rest: &[u8], mark: u8) -> bool {
    let Some(&next) = rest.first() else { return true };
    if next.is_ascii_whitespace() || matches!(next, b'"' | b'\'' | b'\\' | b')' | b'}' | b']' | b'&' | b'$' | b'/') {
        return true;
    }
    let name = rest
        .iter()
        .take(48)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b' ' | b'[' | b']'))
        .count();
    name > 0 && (matches!(rest.get(name), Some(b'=' | b':')) || mark == b';' && rest.get(name).is_none())
}

/// `${VAR}`, `$VAR`, `{{ x }}`, `<your-token>`, `%ENV%`, `[REDACTED]`, `****`, `process.env.X`: nothing to hide.
pub(crate) fn is_placeholder(v: &[u8]) -> bool {
    let v = trim(v);
    if v.is_empty() || is_marker(v) || entropy::is_filler(v) {
        return true;
    }
    let first = v[0];
    let second = v.get(1).copied().unwrap_or(0);
    if first == b'$' && (second.is_ascii_alphabetic() || matches!(second, b'{' | b'(' | b'_' | b'1'..=b'9' | b'@')) {
        // `$6$…` is a hash and comes by its shape; `$ecret$1` is rare enough.
        return true;
    }
    if matches!(first, b'<') && (v.ends_with(b">") || second == b'%')
        || first == b'%' && v.len() > 2 && v.ends_with(b"%")
        || v.starts_with(b"{{")
        || v.starts_with(b"#{")
        || v.starts_with(b"&lt;")
        || v.starts_with(b"@@")
        || first == b'{'
            && v.ends_with(b"}")
            && !entropy::looks_random(&v[1..v.len() - 1], 12)
            && v[1..v.len() - 1]
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b' ' | b':'))
        || first == b'[' && v.ends_with(b"]") && !v.contains(&b'"')
        || v.starts_with(b"__") && v.ends_with(b"__")
    {
        return true;
    }
    if entropy::contains(v, b"${") || entropy::contains(v, b"{{") || entropy::contains(v, b"$(") {
        return true;
    }
    let mix = Mix::of(v);
    if mix.letters() + mix.digit == 0 || v.len() >= 3 && v[0].is_ascii_alphabetic() && v.iter().all(|b| *b == v[0]) {
        return true;
    }
    const WORDS: &[&[u8]] = &[
        b"changeme",
        b"change_me",
        b"change-me",
        b"changeit",
        b"placeholder",
        b"redacted",
        b"hidden",
        b"masked",
        b"removed",
        b"none",
        b"null",
        b"nil",
        b"undefined",
        b"true",
        b"false",
        b"todo",
        b"tbd",
        b"n/a",
        b"empty",
        b"example",
        b"string",
        b"required",
        b"optional",
        b"unset",
    ];
    WORDS.iter().any(|w| v.eq_ignore_ascii_case(w))
}

/// Longest marker of any tool.
const MARKER_BYTES_MAX: usize = 96;
/// Letters and digits after a mask that somebody may have left to tell secrets apart: `****1a2b`.
const MASK_TAIL_MAX: usize = 6;
/// Letters and digits after a marker that are no secret yet.
const MARKER_TAIL_MAX: usize = 3;

/// Our own marker, or that of another tool, with nothing secret after it.
pub(crate) fn is_marker(v: &[u8]) -> bool {
    let solid = |s: &[u8]| s.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    if v.starts_with(b"***") {
        return solid(v) <= MASK_TAIL_MAX;
    }
    let tail = after_markers(v);
    tail.len() < v.len() && solid(tail) <= MARKER_TAIL_MAX || v.eq_ignore_ascii_case(b"redacted")
}

/// What follows the markers that a value starts with: all of it if there are none.
pub(crate) fn after_markers(mut v: &[u8]) -> &[u8] {
    while let Some(len) = marker_len(v) {
        v = v[len..].trim_ascii_start();
    }
    v
}

/// The length of the marker that `v` starts with.
fn marker_len(v: &[u8]) -> Option<usize> {
    const WORDS: [&[u8]; 7] = [b"redacted", b"secret", b"hidden", b"masked", b"filtered", b"removed", b"scrubbed"];
    let Some((open @ (b'[' | b'<' | b'(' | b'{'), inner)) = v.split_first() else { return None };
    let at = WORDS.iter().position(|w| inner.get(..w.len()).is_some_and(|i| i.eq_ignore_ascii_case(w)))?;
    match inner.iter().take(MARKER_BYTES_MAX).position(|b| matches!(b, b']' | b'>' | b')' | b'}')) {
        Some(close) => Some(close + 2),
        // A marker of ours or one like it, cut off.
        None => (at == 0 && *open == b'[' && inner.len() <= MARKER_BYTES_MAX).then_some(v.len()),
    }
}

/// `/work`, `~`, `./x`, `C:\\x`: a place in the file system.
pub(crate) fn is_path(v: &[u8]) -> bool {
    match *v {
        [b'/' | b'~', ..] | [b'\\', b'\\', ..] | [b'.'] => true,
        [b'.', b'/' | b'\\', ..] | [b'.', b'.', ..] => true,
        [drive, b':'] | [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// `test:test`, `username:password`: what manuals write where a user and a password belong.
pub(crate) fn is_teaching_pair(user: &[u8], password: &[u8]) -> bool {
    const USERS: [&[u8]; 9] = [b"user", b"username", b"test", b"admin", b"name", b"login", b"demo", b"guest", b"foo"];
    let taught = USERS.iter().any(|u| user.eq_ignore_ascii_case(u));
    taught
        && (user.eq_ignore_ascii_case(password)
            || [&b"password"[..], b"passwd"].iter().any(|p| password.eq_ignore_ascii_case(p))
            || user == b"foo" && password == b"bar")
}

fn trim(v: &[u8]) -> &[u8] {
    let v = v.trim_ascii();
    let v = v.strip_prefix(b"'").unwrap_or(v);
    v.strip_suffix(b"'").unwrap_or(v).trim_ascii()
}

/// An expression rather than a literal: calls, paths of identifiers, types, references.
pub(crate) fn is_code(v: &[u8]) -> bool {
    let v = v.strip_suffix(b"?").unwrap_or(v);
    if v.is_empty() || matches!(v[0], b'[' | b'(' | b'{') {
        return true;
    }
    if entropy::contains(v, b"(") && !starts_with_symbol(v) {
        let head = v.iter().take_while(|&&b| b != b'(').count();
        if v[..head]
            .iter()
            .all(|b| is_identifier_byte(*b) || matches!(b, b'.' | b':' | b'!' | b'&' | b'*' | b'<' | b'>' | b'?'))
        {
            return true;
        }
    }
    if entropy::contains(v, b"[\"")
        || entropy::contains(v, b"['")
        || entropy::contains(v, b"::")
        || entropy::contains(v, b"=>")
        || entropy::contains(v, b"->")
    {
        return true;
    }
    if v.ends_with(b"]") && entropy::contains(v, b"[") {
        return true;
    }
    let body = v.strip_prefix(b"&").or(v.strip_prefix(b"*")).or(v.strip_prefix(b"!")).unwrap_or(v);
    is_identifier_path(body)
}

fn starts_with_symbol(v: &[u8]) -> bool {
    v.first().is_some_and(|b| matches!(b, b'!' | b'@' | b'#' | b'%' | b'^'))
}

fn is_identifier_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// `string`, `process.env.SECRET`, `user_password`, `Identifier`, `u32`, `self.token2`: reads like a name.
fn is_identifier_path(v: &[u8]) -> bool {
    if !v.iter().all(|&b| is_identifier_byte(b) || matches!(b, b'.' | b'?' | b'!' | b'/')) || v[0].is_ascii_digit() {
        return false;
    }
    v.split(|b| matches!(b, b'.' | b'_' | b'?' | b'!' | b'/')).all(|segment| {
        let mix = Mix::of(segment);
        // Letters with at most a short number at the end, as in `utf8`, `token2`, `int64`, `sha256`.
        mix.digit == 0 && mix.letters() <= 32 && (mix.letters() <= 20 || !scrambled(segment))
            || (mix.seams <= 1 && mix.digit <= 3 && is_known_numbered(segment))
    })
}

fn scrambled(segment: &[u8]) -> bool {
    entropy::looks_random(segment, 16)
}

/// `hunter2` is a password, `int64` is a type: only known stems may carry a number.
fn is_known_numbered(segment: &[u8]) -> bool {
    if segment.iter().all(u8::is_ascii_digit) {
        return true;
    }
    let stem_len = segment.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    const STEMS: &[&[u8]] = &[
        b"u",
        b"i",
        b"f",
        b"int",
        b"uint",
        b"float",
        b"utf",
        b"sha",
        b"md",
        b"base",
        b"oauth",
        b"str",
        b"string",
        b"token",
        b"key",
        b"password",
        b"pass",
        b"secret",
        b"arg",
        b"v",
        b"s",
        b"t",
        b"p",
        b"x",
        b"y",
        b"a",
        b"b",
        b"k",
        b"tok",
        b"pw",
        b"bytes",
        b"char",
        b"c",
        b"e",
        b"n",
        b"r",
        b"user",
        b"var",
        b"value",
        b"test",
        b"auth",
        b"http",
        b"ec",
        b"rsa",
        b"ed",
    ];
    STEMS.iter().any(|s| segment[..stem_len].eq_ignore_ascii_case(s))
}

/// A quoted value that talks: blanks, and words about passwords or tokens, or a path, a selector, a route.
pub(crate) fn is_prose(v: &[u8]) -> bool {
    let lower = v.to_ascii_lowercase();
    let blank = lower.contains(&b' ');
    const ABOUT: &[&[u8]] = &[
        b"password",
        b"token",
        b"secret",
        b"api key",
        b"credential",
        b"passphrase",
        b"authenticat",
        b"your ",
        b"enter ",
        b"invalid",
        b"required",
        b"the ",
        b"must ",
        b"please",
        b" for ",
        b" is ",
        b" of ",
        b"cookie",
    ];
    if blank && ABOUT.iter().any(|w| entropy::contains(&lower, w)) {
        return true;
    }
    if v.iter().any(|b| !b.is_ascii()) && blank {
        return true;
    }
    let first = v.first().copied().unwrap_or(0);
    let path = matches!(first, b'/' | b'.' | b'~')
        && v.len() > 2
        && v[1..]
            .iter()
            .all(|b| b.is_ascii_lowercase() || matches!(b, b'/' | b'-' | b'_' | b'.' | b':' | b'@' | b'0'..=b'9'))
        && (v.iter().filter(|&&b| b == b'/').count() >= 2 || first == b'.')
        && Mix::of(v).digit < 5;
    let selector = first == b'#' && v[1..].iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_'));
    let url = entropy::contains(v, b"://") || v.starts_with(b"arn:");
    let closing = matches!(first, b',' | b')' | b';' | b']' | b'}')
        || matches!(first, b'+' | b'.') && (blank || v.contains(&b'(') || v.get(1) == Some(&b'$'));
    path || selector || url || closing
}
