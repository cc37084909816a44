//! Secrets in JSON documents: by the names of keys, and in every string by the rules for text.
//!
//! The document is walked, not parsed into values: what is not redacted is copied byte for byte.

mod escape;

use std::borrow::Cow;

use escape::{escape, is_number, offsets, unescape};

use crate::names::{self, Named};
use crate::{Findings, Redactor, push_marker, value};

/// Deepest nesting that is walked; a deeper document is treated as text.
const DEPTH_MAX: usize = 256;
/// How often a string that holds JSON is opened in turn.
const STRINGS_DEPTH_MAX: usize = 6;

/// Redacts a JSON document; a text that is not one goes through the rules for text.
pub(crate) fn redact<'a>(redactor: &Redactor, json: &'a str, found: &mut Findings) -> Cow<'a, str> {
    let Some(edits) = edits(redactor, json, 0) else { return redactor.text_with(json, found) };
    if edits.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    let mut copied = 0;
    for edit in &edits {
        found.add(&edit.rule);
        out.push_str(&json[copied..edit.start]);
        out.push_str(&edit.with);
        copied = edit.end;
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// What to replace in a document, in order; nothing if it is not a valid one.
fn edits(redactor: &Redactor, json: &str, opened: usize) -> Option<Vec<Edit>> {
    let mut walk = Walk { redactor, json, bytes: json.as_bytes(), pos: 0, edits: Vec::new(), opened };
    walk.blanks();
    walk.value(Under::Neutral, 0)?;
    walk.blanks();
    (walk.pos == walk.bytes.len()).then_some(walk.edits)
}

/// A replacement, already escaped for the document it is in.
struct Edit {
    start: usize,
    end: usize,
    with: String,
    rule: Cow<'static, str>,
}

/// What the keys above a value say of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Neutral,
    /// Only a value that looks random counts.
    Weak,
    Secret(Named),
}

impl Under {
    /// Whether a number is a secret too. Under `token` or `tokens` it is a count.
    fn hides_numbers(self) -> bool {
        matches!(self, Under::Secret(Named::Password | Named::Pwd | Named::Secret))
    }

    fn key(name: &str) -> Under {
        match names::classify(name) {
            // A key that was redacted itself says nothing any more.
            _ if name.contains('[') => Under::Neutral,
            Named::Plain => Under::Neutral,
            Named::Weak => Under::Weak,
            named => Under::Secret(named),
        }
    }
}

struct Walk<'r, 'j> {
    redactor: &'r Redactor,
    json: &'j str,
    bytes: &'j [u8],
    pos: usize,
    edits: Vec<Edit>,
    opened: usize,
}

impl<'j> Walk<'_, 'j> {
    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.pos), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, b: u8) -> Option<()> {
        (self.bytes.get(self.pos) == Some(&b)).then(|| self.pos += 1)
    }

    fn value(&mut self, under: Under, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match *self.bytes.get(self.pos)? {
            b'{' => self.object(under, depth),
            b'[' => self.array(under, depth),
            b'"' => self.string(under),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(under),
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
        // `{"name": "DB_PASSWORD", "value": "…"}`: one value names the other.
        let mut named_by = Under::Neutral;
        loop {
            self.blanks();
            let raw = self.string_end()?;
            let key = self.unescaped(&raw)?;
            self.key(&key, &raw);
            self.blanks();
            self.eat(b':')?;
            self.blanks();
            let own = Under::key(&key);
            let start = self.pos;
            let inner = match (own, under) {
                // The stricter of the two: a key may be redacted itself and then says nothing any more.
                (Under::Secret(_), _) if own.hides_numbers() || !under.hides_numbers() => own,
                (_, Under::Secret(_)) => under,
                _ if named_by != Under::Neutral && matches!(key.as_ref(), "value" | "Value") => named_by,
                _ => own,
            };
            self.value(inner, depth + 1)?;
            if matches!(key.as_ref(), "name" | "key" | "Name" | "Key") && self.bytes.get(start) == Some(&b'"') {
                named_by = Under::key(self.json.get(start + 1..self.pos - 1)?);
            }
            self.blanks();
            if self.eat(b'}').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    fn array(&mut self, under: Under, depth: usize) -> Option<()> {
        self.eat(b'[')?;
        self.blanks();
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.value(under, depth + 1)?;
            self.blanks();
            if self.eat(b']').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    /// Steps over a string.
    fn string_end(&mut self) -> Option<Raw> {
        self.eat(b'"')?;
        let start = self.pos;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.pos..)?;
            self.pos += memchr::memchr2(b'"', b'\\', rest)?;
            if self.bytes[self.pos] == b'"' {
                self.pos += 1;
                return Some(Raw { start, end: self.pos - 1, escaped });
            }
            escaped = true;
            self.pos += 2;
        }
    }

    fn unescaped(&self, raw: &Raw) -> Option<Cow<'j, str>> {
        let source = self.json.get(raw.start..raw.end)?;
        if raw.escaped { unescape(source) } else { Some(Cow::Borrowed(source)) }
    }

    /// A secret in a key itself goes by the rules for text.
    fn key(&mut self, key: &str, raw: &Raw) {
        if key.len() >= 12 {
            self.text(key, raw);
        }
    }

    fn string(&mut self, under: Under) -> Option<()> {
        let raw = self.string_end()?;
        let text = self.unescaped(&raw)?;
        if let Under::Secret(named) = under
            && self.is_secret(&text)
            && !(named == Named::Pwd && value::is_path(text.as_bytes()))
        {
            self.replace(raw.start, raw.end, marker(named.rule()), named.rule().into());
            return Some(());
        }
        if text.len() < 6 {
            return Some(());
        }
        if self.opened < STRINGS_DEPTH_MAX
            && looks_like_json(&text)
            && let Some(inner) = edits(self.redactor, &text, self.opened + 1)
        {
            let at = offsets(&self.json[raw.start..raw.end], inner.iter().flat_map(|e| [e.start, e.end]));
            for (edit, at) in inner.into_iter().zip(at.chunks_exact(2)) {
                self.replace(raw.start + at[0], raw.start + at[1], escape(&edit.with), edit.rule);
            }
            return Some(());
        }
        let before = self.edits.len();
        self.text(&text, &raw);
        if before == self.edits.len()
            && under == Under::Weak
            && is_weak_secret(&text)
            && !self.redactor.is_allowed(&text)
        {
            self.replace(raw.start, raw.end, marker("token"), "token".into());
        }
        Some(())
    }

    /// Applies the rules for text to what a string stands for.
    fn text(&mut self, text: &str, raw: &Raw) {
        let spans = self.redactor.spans(text);
        if spans.is_empty() {
            return;
        }
        let at = offsets(&self.json[raw.start..raw.end], spans.iter().flat_map(|s| [s.start, s.end]));
        for (span, at) in spans.into_iter().zip(at.chunks_exact(2)) {
            self.replace(raw.start + at[0], raw.start + at[1], marker(&span.rule), span.rule);
        }
    }

    fn is_secret(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        !text.trim().is_empty() && !value::is_marker(bytes) && !is_template(bytes) && !self.redactor.is_allowed(text)
    }

    fn number(&mut self, under: Under) -> Option<()> {
        let start = self.pos;
        let len = self.bytes[start..]
            .iter()
            .take_while(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        let spelled = &self.json[start..start + len];
        if !is_number(spelled.as_bytes()) {
            return None;
        }
        self.pos += len;
        if let Under::Secret(named) = under
            && under.hides_numbers()
            && !self.redactor.is_allowed(spelled)
        {
            let with = format!("\"{}\"", marker(named.rule()));
            self.replace(start, self.pos, with, named.rule().into());
        }
        Some(())
    }

    fn replace(&mut self, start: usize, end: usize, with: String, rule: Cow<'static, str>) {
        self.edits.push(Edit { start, end, with, rule });
    }
}

/// A string between its quotes, as it stands in the document.
struct Raw {
    start: usize,
    end: usize,
    escaped: bool,
}

fn marker(rule: &str) -> String {
    let mut out = String::new();
    push_marker(&mut out, rule);
    out
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
        || v.len() > 1
            && v[0] == b'$'
            && v[1..].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        || v.iter().all(|b| *b == b'*')
        || v.len() >= 4 && v.iter().all(|b| matches!(b, b'.' | b'x' | b'X' | b'-'))
}

fn looks_like_json(text: &str) -> bool {
    let t = text.trim();
    t.starts_with('{') && t.ends_with('}')
        || t.starts_with('[') && t.ends_with(']')
        || t.len() > 8 && t.starts_with("\"{") && t.ends_with('"')
}
