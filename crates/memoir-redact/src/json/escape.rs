//! How JSON spells strings and numbers.

use std::borrow::Cow;

/// Whether `s` is spelled as JSON spells a number.
pub(super) fn is_number(s: &[u8]) -> bool {
    let mut rest = s.strip_prefix(b"-").unwrap_or(s);
    let digits = |r: &[u8]| r.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or(rest.strip_prefix(b"E")) {
        let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let n = digits(exponent);
        return n > 0 && n == exponent.len();
    }
    rest.is_empty()
}

/// The text a JSON string stands for; nothing if it is not a valid one.
///
/// A lone surrogate has no text: it becomes U+FFFD, and only if the string is redacted does that show.
pub(super) fn unescape(source: &str) -> Option<Cow<'_, str>> {
    let bytes = source.as_bytes();
    let Some(first) = memchr::memchr(b'\\', bytes) else { return Some(Cow::Borrowed(source)) };
    let mut out = String::with_capacity(source.len());
    let mut pos = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&source[pos..at]);
        pos = at + 2;
        match *bytes.get(at + 1)? {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'"' => out.push('"'),
            b'\\' => out.push('\\'),
            b'/' => out.push('/'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let unit = hex4(bytes, pos)?;
                pos += 4;
                if (0xD800..0xDC00).contains(&unit)
                    && bytes.get(pos..pos + 2) == Some(b"\\u")
                    && let Some(low) = hex4(bytes, pos + 2)
                    && (0xDC00..0xE000).contains(&low)
                {
                    pos += 6;
                    let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    out.push(char::from_u32(code)?);
                } else {
                    out.push(char::from_u32(unit).unwrap_or('\u{FFFD}'));
                }
            }
            _ => return None,
        }
        next = memchr::memchr(b'\\', bytes.get(pos..)?).map(|n| pos + n);
    }
    out.push_str(source.get(pos..)?);
    Some(Cow::Owned(out))
}

/// Where offsets in the text of a string (in order) stand in its source.
pub(super) fn offsets(source: &str, wanted: impl Iterator<Item = usize>) -> Vec<usize> {
    let bytes = source.as_bytes();
    let (mut raw, mut text) = (0, 0);
    wanted
        .map(|want| {
            while text < want && raw < bytes.len() {
                let (raw_len, text_len) = unit(bytes, raw);
                raw += raw_len;
                text += text_len;
            }
            raw
        })
        .collect()
}

/// The length of one character or escape in the source, and of what it stands for.
fn unit(bytes: &[u8], at: usize) -> (usize, usize) {
    if bytes[at] != b'\\' {
        return (1, 1);
    }
    if bytes.get(at + 1) != Some(&b'u') {
        return (2, 1);
    }
    let code = hex4(bytes, at + 2).unwrap_or(0xFFFD);
    let low = (bytes.get(at + 6..at + 8) == Some(b"\\u")).then(|| hex4(bytes, at + 8)).flatten();
    if (0xD800..0xDC00).contains(&code) && low.is_some_and(|l| (0xDC00..0xE000).contains(&l)) {
        return (12, 4);
    }
    (6, char::from_u32(code).unwrap_or('\u{FFFD}').len_utf8())
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |n, &b| Some(n * 16 + char::from(b).to_digit(16)?))
}

/// Writes a text as the inside of a JSON string.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                out.push_str("\\u00");
                out.push(char::from_digit(c as u32 / 16, 16).unwrap_or('0'));
                out.push(char::from_digit(c as u32 % 16, 16).unwrap_or('0'));
            }
            c => out.push(c),
        }
    }
    out
}
