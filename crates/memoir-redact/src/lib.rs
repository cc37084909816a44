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

use scan::{Hit, Rank};

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
        let mut current = Cow::Borrowed(text);
        for _ in 0..PASSES_MAX {
            let Some(next) = self.pass(&current, found) else { break };
            current = Cow::Owned(next);
        }
        current
    }

    /// As [`Redactor::json`], and adds what was found to `found`.
    pub fn json_with<'a>(&self, json: &'a str, found: &mut Findings) -> Cow<'a, str> {
        json::redact(self, json, found)
    }

    /// One pass: the text with its secrets replaced, or nothing if there were none.
    fn pass(&self, text: &str, found: &mut Findings) -> Option<String> {
        let mut hits = scan::scan(text);
        for rule in &self.custom {
            rule.find(text, &mut hits);
        }
        if hits.is_empty() {
            return None;
        }
        let hits = self.settle(text, hits);
        if hits.is_empty() {
            return None;
        }
        let mut out = String::with_capacity(text.len() + 16);
        let mut done = 0;
        for hit in &hits {
            out.push_str(&text[done..hit.start]);
            push_marker(&mut out, &hit.rule);
            found.add(&hit.rule);
            done = hit.end;
        }
        out.push_str(&text[done..]);
        Some(out)
    }

    /// Sorts, merges what overlaps, and drops what is allowed or already redacted.
    fn settle(&self, text: &str, mut hits: Vec<Hit>) -> Vec<Hit> {
        hits.retain(|h| {
            text.is_char_boundary(h.start) && text.is_char_boundary(h.end) && !self.is_kept(&text[h.start..h.end], h.rank)
        });
        hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end)));
        let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
        for hit in hits {
            match merged.last_mut() {
                Some(last) if hit.start < last.end => {
                    last.end = last.end.max(hit.end);
                    if hit.rank > last.rank {
                        last.rank = hit.rank;
                        last.rule = hit.rule;
                    }
                }
                _ => merged.push(hit),
            }
        }
        merged
    }

    fn is_kept(&self, secret: &str, rank: Rank) -> bool {
        let inside_marker = rank != Rank::Block && secret.contains("[redacted:") && value::is_marker(secret.as_bytes());
        inside_marker || self.is_allowed(secret)
    }

    /// Whether the user's allow list covers all of `secret`.
    pub(crate) fn is_allowed(&self, secret: &str) -> bool {
        self.allow.iter().any(|a| a.is_match(secret))
    }
}

/// Appends the marker that stands for what `rule` found.
fn push_marker(out: &mut String, rule: &str) {
    out.push_str("[redacted:");
    out.push_str(rule);
    out.push(']');
}
