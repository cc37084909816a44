//! Secrets in JSON documents: by the names of keys, and in every string by the rules for text.
//!
//! The document is walked, not parsed into values: what is not redacted is copied byte for byte.

use std::borrow::Cow;

use crate::names::{self, Named};
use crate::{Findings, Redactor, push_marker, value};

/// Deepest nesting that is walked; a deeper document is treated as text.
const DEPTH_MAX: usize = 256;
/// How often a string that holds JSON is opened in turn.
const STRINGS_DEPTH_MAX: usize = 6;

/// Redacts a JSON document; a text that is not one goes through the rules for text.
pub(crate) fn redact<'a>(redactor: &Redactor, json: &'a str, found: &mut Findings) -> Cow<'a, str> {
    redact_nested(redactor, json, found, 0).unwrap_or_else(|| redactor.text_with(json, found))
}

fn redact_nested<'a>(redactor: &Redactor, json: &'a str, found: &mut Findings, opened: usize) -> Option<Cow<'a, str>> {
    let mut local = Findings::default();
    let mut walk = Walk { redactor, json, bytes: json.as_bytes(), pos: 0, copied: 0, out: String::new(), found: &mut local, opened, changed: false };
    walk.blanks();
    walk.value(Under::Neutral, "", 0)?;
    walk.blanks();
    if walk.pos != walk.bytes.len() {
        return None;
    }
    let out = walk.finish();
    found.merge(&local);
    Some(out)
}

/// What the keys above a value say of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Neutral,
    Secret(Named),
}

struct Walk<'r, 'j> {
    redactor: &'r Redactor,
    json: &'j str,
    bytes: &'j [u8],
    pos: usize,
    /// Everything before this has been written to `out`.
    copied: usize,
    out: String,
    found: &'r mut Findings,
    opened: usize,
    changed: bool,
}

impl<'j> Walk<'_, 'j> {
    fn finish(mut self) -> Cow<'j, str> {
        if !self.changed {
            return Cow::Borrowed(self.json);
        }
        self.out.push_str(&self.json[self.copied..]);
        Cow::Owned(self.out)
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.pos), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, b: u8) -> Option<()> {
        (self.bytes.get(self.pos) == Some(&b)).then(|| self.pos += 1)
    }

    fn value(&mut self, under: Under, key: &str, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match *self.bytes.get(self.pos)? {
            b'{' => self.object(under, depth),
            b'[' => self.array(under, key, depth),
            b'"' => self.string(under, key),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(under, key),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.bytes[self.pos..].starts_with(word.as_bytes()).then(|| self.pos += word.len())
    }

    fn object(&mut self, under: Under, depth: usize) -> Option<()> {
        self.eat(b'{')?;
        self.blanks();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        let mut named_by: Option<Named> = None;
        loop {
            self.blanks();
            let raw = self.string_end()?;
            let key = unescape(&self.json[raw.0..raw.1])?;
            self.key(&key, raw);
            self.blanks();
            self.eat(b':')?;
            self.blanks();
            // `{"name": "DB_PASSWORD", "value": "…"}`
            let names_next = matches!(key.as_ref(), "name" | "key" | "Name" | "Key");
            let start = self.pos;
            let inner = match (under, secret_name(&key), named_by) {
                (_, Some(named), _) => Under::Secret(named),
                (_, None, Some(named)) if matches!(key.as_ref(), "value" | "Value") => Under::Secret(named),
                (Under::Secret(named), None, _) => Under::Secret(named),
                (Under::Neutral, None, _) => Under::Neutral,
            };
            if self.bytes.get(self.pos) == Some(&b'"') && names_next && under == Under::Neutral {
                self.value(Under::Neutral, &key, depth + 1)?;
                let text = self.json.get(start + 1..self.pos - 1)?;
                named_by = secret_name(text);
            } else {
                self.value(inner, &key, depth + 1)?;
            }
            self.blanks();
            if self.eat(b'}').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    fn array(&mut self, under: Under, key: &str, depth: usize) -> Option<()> {
        self.eat(b'[')?;
        self.blanks();
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.value(under, key, depth + 1)?;
            self.blanks();
            if self.eat(b']').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    /// Steps over a string; the offsets of what is between its quotes.
    fn string_end(&mut self) -> Option<(usize, usize)> {
        self.eat(b'"')?;
        let start = self.pos;
        loop {
            let rest = &self.bytes[self.pos..];
            let n = memchr::memchr2(b'"', b'\\', rest)?;
            self.pos += n;
            if self.bytes[self.pos] == b'"' {
                self.pos += 1;
                return Some((start, self.pos - 1));
            }
            self.pos += 2;
        }
    }

    /// A secret in a key itself goes by the rules for text.
    fn key(&mut self, key: &str, raw: (usize, usize)) {
        if key.len() >= 12
            && let Cow::Owned(clean) = self.redactor.text_with(key, self.found)
        {
            self.replace(raw, &escape(&clean));
        }
    }

    fn string(&mut self, under: Under, key: &str) -> Option<()> {
        let raw = self.string_end()?;
        let source = &self.json[raw.0..raw.1];
        if source.bytes().any(|b| b < 0x20) {
            return None;
        }
        let text = unescape(source)?;
        if let Under::Secret(named) = under
            && self.is_secret(named, &text)
        {
            self.found.add(named.rule());
            let mut marker = String::new();
            push_marker(&mut marker, named.rule());
            self.replace(raw, &marker);
            return Some(());
        }
        if text.len() < 6 {
            return Some(());
        }
        if self.opened < STRINGS_DEPTH_MAX
            && looks_like_json(&text)
            && let Some(inner) = redact_nested(self.redactor, &text, self.found, self.opened + 1)
        {
            if let Cow::Owned(inner) = inner {
                self.replace(raw, &escape(&inner));
            }
            return Some(());
        }
        if let Cow::Owned(clean) = self.redactor.text_with(&text, self.found) {
            self.replace(raw, &escape(&clean));
        } else if names::classify(key) == Named::Weak && is_weak_secret(&text) && !self.redactor.is_allowed(&text) {
            self.found.add("token");
            self.replace(raw, "[redacted:token]");
        }
        Some(())
    }

    fn is_secret(&self, named: Named, text: &str) -> bool {
        let bytes = text.as_bytes();
        let _ = named;
        !text.trim().is_empty() && !value::is_marker(bytes) && !is_template(bytes) && !self.redactor.is_allowed(text)
    }

    fn number(&mut self, under: Under, key: &str) -> Option<()> {
        let start = self.pos;
        let len = self.bytes[start..].iter().take_while(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let spelled = &self.json[start..start + len];
        if !is_number(spelled.as_bytes()) {
            return None;
        }
        self.pos += len;
        // A number under `token` or `tokens` is a count.
        if let Under::Secret(named @ (Named::Password | Named::Secret)) = under
            && !key.is_empty()
            && !self.redactor.is_allowed(spelled)
        {
            self.found.add(named.rule());
            let mut marker = String::from("\"");
            push_marker(&mut marker, named.rule());
            marker.push('"');
            self.replace((start, self.pos), &marker);
        }
        Some(())
    }

    fn replace(&mut self, (start, end): (usize, usize), with: &str) {
        self.out.push_str(&self.json[self.copied..start]);
        self.out.push_str(with);
        self.copied = end;
        self.changed = true;
    }
}

/// Names whose whole value is secret in JSON.
fn secret_name(key: &str) -> Option<Named> {
    match names::classify(key) {
        Named::Plain | Named::Weak => None,
        named => Some(named),
    }
}

fn is_weak_secret(text: &str) -> bool {
    let v = text.as_bytes();
    crate::entropy::looks_random(v, 16)
        && v.iter().all(|b| b.is_ascii_alphanumeric() || b"-_+/=.~:".contains(b))
        && !crate::entropy::is_uuid(v)
        && !v.contains(&b'/')
        && !value::is_placeholder(v)
}

/// `${VAR}`, `{{ x }}`, `<your-token>`: a hole for a secret.
fn is_template(v: &[u8]) -> bool {
    v.starts_with(b"${") && v.ends_with(b"}")
        || v.starts_with(b"{{") && v.ends_with(b"}}")
        || v.starts_with(b"<") && v.ends_with(b">")
        || v.len() > 1 && v[0] == b'$' && v[1..].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        || v.iter().all(|b| matches!(b, b'*' | b'.' | b'x' | b'X' | b'-'))
}

fn looks_like_json(text: &str) -> bool {
    let t = text.trim();
    t.starts_with('{') && t.ends_with('}') || t.starts_with('[') && t.ends_with(']') || t.len() > 8 && t.starts_with("\"{") && t.ends_with('"')
}

fn is_number(s: &[u8]) -> bool {
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
fn unescape(source: &str) -> Option<Cow<'_, str>> {
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

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |n, &b| Some(n * 16 + char::from(b).to_digit(16)?))
}

/// Writes a text as the inside of a JSON string.
fn escape(text: &str) -> String {
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
