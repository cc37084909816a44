//! Takes secrets out of text and JSON. Pure: no I/O, no environment, no clock.
//!
//! What is replaced says what it was: `[redacted:github-token]`. Only the secret itself goes; the name, the header,
//! the scheme, the user and the host around it stay. Redacting twice changes nothing.

mod assign;
mod boundary;
mod commands;
mod context;
mod entropy;
mod findings;
mod foreign;
mod glue;
mod headers;
mod hosts;
mod json;
mod names;
mod pem;
mod providers;
mod scan;
mod settings;
mod shape;
mod special;
mod urls;
mod value;

use std::borrow::Cow;

pub use findings::Findings;
pub use settings::{CustomRule, RuleError, Settings};

use scan::Rank;

/// Most passes over a text that changed: a second one finds nothing but in contrived texts.
const PASSES_MAX: usize = 6;

/// Rules, ready to use. Cheap to make: the built-in ones are shared by the whole process.
#[derive(Debug, Default)]
pub struct Redactor {
    custom: Vec<settings::Compiled>,
    allow: Vec<regex::Regex>,
}

impl Redactor {
    /// The built-in rules, plus the rules and exceptions of the user.
    pub fn new(settings: &Settings) -> Result<Redactor, RuleError> {
        let (custom, allow) = settings::compile(settings)?;
        Ok(Redactor { custom, allow })
    }

    /// The built-in rules alone.
    pub fn builtin() -> Redactor {
        Redactor::default()
    }

    /// Takes the secrets out of a text. Borrowed when nothing was found.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.text_with(text, &mut Findings::default())
    }

    /// Takes the secrets out of a JSON document, by the names of its keys too.
    ///
    /// Everything that is not redacted keeps its bytes: key order, the spelling of numbers, white space, escapes. A
    /// text that is not JSON is treated as text.
    pub fn json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        self.json_with(json, &mut Findings::default())
    }

    /// As [`Redactor::text`], and adds what was found to `found`.
    pub fn text_with<'a>(&self, text: &'a str, found: &mut Findings) -> Cow<'a, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        spans.iter().for_each(|s| found.add(&s.rule));
        Cow::Owned(render(text, &spans))
    }

    /// As [`Redactor::json`], and adds what was found to `found`.
    pub fn json_with<'a>(&self, json: &'a str, found: &mut Findings) -> Cow<'a, str> {
        json::redact(self, json, found)
    }

    /// What to replace in `text`, in order and apart.
    ///
    /// What was replaced is looked at again until nothing more is found: that is what makes a second redaction
    /// change nothing, whatever the rules do to each other.
    pub(crate) fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = self.pass(text);
        if spans.is_empty() {
            return spans;
        }
        for _ in 0..PASSES_MAX {
            let more = self.pass(&render(text, &spans));
            if more.is_empty() {
                break;
            }
            let more: Vec<Span> = more.into_iter().map(|s| s.back(&spans)).collect();
            spans = merge(spans, more);
        }
        spans
    }

    /// One pass of all rules.
    fn pass(&self, text: &str) -> Vec<Span> {
        let mut hits = scan::scan(text);
        for rule in &self.custom {
            rule.find(text, &mut hits);
        }
        if hits.is_empty() {
            return Vec::new();
        }
        let markers = markers(text);
        hits.retain_mut(|h| {
            // A marker is never cut: a hit ends before it or starts after it, or holds all of it.
            for &(start, end) in &markers {
                if h.start < start && start < h.end && h.end < end {
                    h.end = start;
                } else if start < h.start && h.start < end && end < h.end {
                    h.start = end;
                } else if start <= h.start && h.end <= end {
                    return false;
                }
            }
            text.is_char_boundary(h.start)
                && text.is_char_boundary(h.end)
                && !self.is_kept(text, h.start, h.end, h.rank)
        });
        hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end)));
        let mut spans: Vec<(Span, Rank)> = Vec::with_capacity(hits.len());
        for hit in hits {
            match spans.last_mut() {
                Some((last, rank)) if hit.start < last.end => {
                    last.end = last.end.max(hit.end);
                    if hit.rank > *rank {
                        *rank = hit.rank;
                        last.rule = hit.rule;
                    }
                }
                _ => spans.push((Span { start: hit.start, end: hit.end, rule: hit.rule }, hit.rank)),
            }
        }
        spans.into_iter().map(|(span, _)| span).collect()
    }

    fn is_kept(&self, text: &str, start: usize, end: usize, rank: Rank) -> bool {
        let secret = &text[start..end];
        let inside_marker = rank != Rank::Block && secret.contains(MARKER) && value::is_marker(secret.as_bytes());
        inside_marker || !self.allow.is_empty() && (self.is_allowed(secret) || self.is_allowed(word(text, start, end)))
    }

    /// Whether the user's allow list covers all of `secret`.
    pub(crate) fn is_allowed(&self, secret: &str) -> bool {
        self.allow.iter().any(|a| a.is_match(secret))
    }
}

/// The run of characters around a secret that holds neither blanks nor quotes.
fn word(text: &str, start: usize, end: usize) -> &str {
    let outside = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
    let from = text[..start].rfind(outside).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let to = text[end..].find(outside).map_or(text.len(), |i| end + i);
    text[from..to].trim_end_matches('\\')
}

/// A part of a text to replace, and the rule that says so.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
    pub rule: Cow<'static, str>,
}

impl Span {
    /// The same span in the text that was rendered with `spans`.
    fn back(self, spans: &[Span]) -> Span {
        let (mut start, mut end) = (self.start, self.end);
        let mut shift = 0isize;
        let original = |pos: usize, shift: isize| pos.saturating_add_signed(shift);
        let (mut from, mut to) = (None, None);
        for span in spans {
            let marker_start = span.start.saturating_add_signed(-shift);
            let marker_end = marker_start + marker_len(&span.rule);
            from = from
                .or_else(|| (start <= marker_start).then(|| original(start, shift)))
                .or_else(|| (start < marker_end).then_some(span.start));
            to = to
                .or_else(|| (end <= marker_start).then(|| original(end, shift)))
                .or_else(|| (end <= marker_end).then_some(span.end));
            shift += (span.end - span.start) as isize - marker_len(&span.rule) as isize;
        }
        start = from.unwrap_or_else(|| original(start, shift));
        end = to.unwrap_or_else(|| original(end, shift));
        Span { start, end, rule: self.rule }
    }
}

/// Unites two lists of spans; where they overlap the first list names the rule.
fn merge(first: Vec<Span>, second: Vec<Span>) -> Vec<Span> {
    let mut all: Vec<(Span, bool)> =
        first.into_iter().map(|s| (s, true)).chain(second.into_iter().map(|s| (s, false))).collect();
    all.sort_by_key(|(s, _)| (s.start, s.end));
    let mut out: Vec<(Span, bool)> = Vec::with_capacity(all.len());
    for (span, older) in all {
        match out.last_mut() {
            Some((last, known)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if older && !*known {
                    last.rule = span.rule;
                    *known = true;
                }
            }
            _ => out.push((span, older)),
        }
    }
    out.into_iter().map(|(s, _)| s).collect()
}

fn render(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for span in spans {
        out.push_str(&text[done..span.start]);
        push_marker(&mut out, &span.rule);
        done = span.end;
    }
    out.push_str(&text[done..]);
    out
}

const MARKER: &str = "[redacted:";

fn marker_len(rule: &str) -> usize {
    MARKER.len() + rule.len() + 1
}

/// Where markers of ours stand in `text`.
fn markers(text: &str) -> Vec<(usize, usize)> {
    memchr::memmem::find_iter(text.as_bytes(), MARKER)
        .filter_map(|start| {
            let body = &text.as_bytes()[start + MARKER.len()..];
            let len = body
                .iter()
                .take(64)
                .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-')
                .count();
            (body.get(len) == Some(&b']')).then_some((start, start + MARKER.len() + len + 1))
        })
        .collect()
}

/// Appends the marker that stands for what `rule` found.
fn push_marker(out: &mut String, rule: &str) {
    out.push_str(MARKER);
    out.push_str(rule);
    out.push(']');
}
