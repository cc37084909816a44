//! Lines that say something, and addresses that read like something.
//!
//! A pattern is looked up by its words in the index, so that it costs the same in a large journal; what is found is then
//! matched line by line.

use crate::fault::Fault;
use crate::memories::Reader;
use crate::search::HITS_MAX;
use crate::uri::{self, Place};
use crate::{Openviking, VIEW};
use memoir_event::{Kind, Memory};
use memoir_index::{Query, Window};
use memoir_journal::{Filter, Journal as _};
use memoir_recall::clean;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

/// A longer pattern is none.
const PATTERN_BYTES_MAX: usize = 1_000;
/// A pattern may take so much memory.
const PATTERN_SIZE_MAX: usize = 1 << 20;
/// So many events are looked through.
const EVENTS_MAX: usize = 500;
/// A line is told up to so many characters.
const LINE_CHARS_MAX: usize = 500;
/// Alternatives of a pattern beyond these are not looked up.
const ALTERNATIVES_MAX: usize = 16;

/// What a grep may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grep {
    uri: Option<String>,
    pattern: String,
    case_insensitive: bool,
    node_limit: Option<usize>,
    level_limit: Option<usize>,
    exclude_uri: Option<String>,
    limit: Option<usize>,
}

/// What a glob may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Glob {
    pattern: String,
    uri: Option<String>,
    node_limit: Option<usize>,
    limit: Option<usize>,
}

impl Grep {
    /// Reads a grep.
    pub fn parse(body: &[u8]) -> Result<Grep, Fault> {
        serde_json::from_slice(body).map_err(|error| Fault::invalid("body", error.to_string()))
    }

    fn regex(&self) -> Result<Regex, Fault> {
        if self.pattern.trim().is_empty() || self.pattern.len() > PATTERN_BYTES_MAX {
            let message = format!("a pattern has 1 to {PATTERN_BYTES_MAX} bytes");
            return Err(Fault::invalid("pattern", message));
        }
        let built = |pattern: &str| {
            RegexBuilder::new(pattern).case_insensitive(self.case_insensitive).size_limit(PATTERN_SIZE_MAX).build()
        };
        // What is no expression is a text.
        built(&self.pattern)
            .or_else(|_| built(&regex::escape(&self.pattern)))
            .map_err(|_| Fault::invalid("pattern", "the pattern is too large"))
    }
}

impl Glob {
    /// Reads a glob.
    pub fn parse(body: &[u8]) -> Result<Glob, Fault> {
        serde_json::from_slice(body).map_err(|error| Fault::invalid("body", error.to_string()))
    }
}

impl Openviking {
    /// The lines that match a pattern, below an address.
    pub fn grep(&self, grep: &Grep, go_on: &mut dyn FnMut() -> bool) -> Result<Value, Fault> {
        let regex = grep.regex()?;
        let queries = words_of(&grep.pattern);
        if queries.is_empty() {
            return Err(Fault::invalid("pattern", "the pattern needs a word of two letters or more to be looked up"));
        }
        let place = Place::parse(grep.uri.as_deref().unwrap_or("viking://~"))?;
        let mut filter = Filter::default();
        match &place {
            Place::Session(spoken)
            | Place::History(spoken)
            | Place::Archive(spoken, _)
            | Place::OfArchive(spoken, ..)
            | Place::Event(spoken, _) => filter.session = Some(spoken.shown()),
            Place::Memories | Place::Kind(_) | Place::Memory(..) | Place::Profile => {
                filter.event_type = Some(Kind::Memory.as_str().to_owned());
            }
            Place::Root | Place::Users | Place::User | Place::Sessions => {}
            Place::Nothing => return Ok(answer(&[], 0)),
        }
        let selection = self.journal.select(&filter, &VIEW)?;
        let window = Window { skip: 0, limit: EVENTS_MAX };
        let query = Query::parse(&queries.join(" "));
        let mut progress = |_, _| go_on();
        let hits = self.index.search(&*self.journal, &query, &selection, window, &mut progress)?.hits;
        let limit = grep.limit.or(grep.node_limit).unwrap_or(HITS_MAX).min(HITS_MAX);
        let (mut matches, mut scanned) = (Vec::new(), 0usize);
        for chunk in hits.chunks(64) {
            let seqs: Vec<u64> = chunk.iter().map(|hit| hit.seq).collect();
            for stored in self.shown().events(&seqs, &VIEW)? {
                scanned += 1;
                let memory = Memory::of_event(&stored.event);
                if let (Place::Kind(kind), Some(memory)) = (&place, &memory)
                    && memory.kind != *kind
                {
                    continue;
                }
                let uri = match &memory {
                    Some(memory) if memory.status.is_current() => {
                        format!("{}/{}", uri::of_kind(memory.kind), crate::memories::file_name(memory, stored.id))
                    }
                    Some(_) => continue,
                    None => Openviking::uri_of_event(stored.event.client, &stored.event.session, stored.id),
                };
                let said = memory.map_or_else(|| stored.event.content.plain().into_owned(), |memory| memory.text);
                let text = clean(&said, &self.redactor);
                for (line, content) in (1u64..).zip(text.lines()).filter(|(_, line)| regex.is_match(line)) {
                    if matches.len() >= limit {
                        return Ok(answer(&matches, scanned));
                    }
                    let content: String = content.chars().take(LINE_CHARS_MAX).collect();
                    matches.push(json!({"line": line, "uri": uri, "content": content}));
                }
            }
        }
        Ok(answer(&matches, scanned))
    }

    /// The addresses below one that match a pattern.
    pub fn glob(&self, glob: &Glob, reader: &Reader) -> Result<Value, Fault> {
        let root = glob.uri.as_deref().filter(|uri| !uri.trim().is_empty()).unwrap_or("viking://~");
        if glob.pattern.is_empty() || glob.pattern.len() > PATTERN_BYTES_MAX {
            return Err(Fault::invalid("pattern", format!("a pattern has 1 to {PATTERN_BYTES_MAX} bytes")));
        }
        let limit = glob.limit.or(glob.node_limit).unwrap_or(crate::tree::ROWS_MAX).min(crate::tree::ROWS_MAX);
        let (form, depth) = (crate::tree::Form::Agent, crate::tree::Depth::All);
        let rows = self.ls(root, form, depth, crate::tree::ROWS_MAX, reader)?.rows;
        let regex = glob_regex(&glob.pattern)?;
        let fits = |row: &&Value| {
            [&row["rel_path"], &row["uri"]].iter().filter_map(|path| path.as_str()).any(|path| regex.is_match(path))
        };
        let found: Vec<Value> = rows.iter().filter(fits).take(limit).map(|row| row["uri"].clone()).collect();
        Ok(json!({"count": found.len(), "matches": found}))
    }
}

fn answer(matches: &[Value], scanned: usize) -> Value {
    json!({"count": matches.len(), "match_count": matches.len(), "files_scanned": scanned, "matches": matches})
}

/// A query for each alternative of a pattern: the words that stand in it whole, or their beginnings.
fn words_of(pattern: &str) -> Vec<String> {
    let mut queries = Vec::new();
    for alternative in pattern.split('|').take(ALTERNATIVES_MAX) {
        let literal = !alternative.chars().any(|c| r"\.^$*+?()[]{}".contains(c));
        if literal {
            let words: Vec<&str> = alternative.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [word] if word.chars().count() >= 2 => queries.push(format!("\"{}\"", word.replace('"', " "))),
                words => queries.push(format!("\"{}\"", words.join(" ").replace('"', " "))),
            }
            // The last word may go on in the text.
            let last = words.last().copied().unwrap_or_default();
            if last.chars().count() >= 2 && last.chars().all(|c| c.is_alphanumeric() || c == '_') {
                queries.push(format!("{last}*"));
            }
            continue;
        }
        if let Some(run) = longest_run(alternative) {
            queries.push(format!("{run}*"));
        }
    }
    queries
}

/// The longest word of an expression that no sign makes optional, and that no escape is part of.
fn longest_run(expression: &str) -> Option<String> {
    let mut best = String::new();
    let mut run = String::new();
    let mut chars = expression.chars().peekable();
    let mut depth = 0usize;
    let mut keep = |run: &mut String| {
        if run.chars().count() > best.chars().count() {
            best.clone_from(run);
        }
        run.clear();
    };
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
                keep(&mut run);
            }
            '[' | '{' => {
                depth += 1;
                keep(&mut run);
            }
            ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            c if c.is_alphanumeric() => {
                let is_optional = matches!(chars.peek(), Some('?' | '*' | '{'));
                if is_optional { keep(&mut run) } else { run.push(c) }
            }
            _ => keep(&mut run),
        }
    }
    keep(&mut run);
    (best.chars().count() >= 2).then_some(best)
}

/// A glob as an expression: `**` goes over directories, `*` and `?` do not.
fn glob_regex(pattern: &str) -> Result<Regex, Fault> {
    let mut out = String::from("(?:^|/)");
    let mut chars = pattern.trim_start_matches('/').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                if chars.peek() == Some(&'/') {
                    chars.next();
                    out.push_str("(?:.*/)?");
                } else {
                    out.push_str(".*");
                }
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            c => out.push_str(&regex::escape(&c.to_string())),
        }
    }
    out.push('$');
    RegexBuilder::new(&out)
        .size_limit(PATTERN_SIZE_MAX)
        .build()
        .map_err(|_| Fault::invalid("pattern", "the pattern is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_is_looked_up_by_its_words() {
        assert_eq!(words_of("cargo fmt"), ["\"cargo fmt\"", "fmt*"]);
        assert_eq!(words_of("E0277"), ["\"E0277\"", "E0277*"]);
        assert_eq!(words_of(r"fn \w+_total\("), ["total*"]);
        assert_eq!(words_of("deploys?|release"), ["deploy*", "\"release\"", "release*"]);
        assert!(words_of(".*").is_empty() && words_of("[a-z]+").is_empty() && words_of("x").len() <= 1);
    }

    #[test]
    fn a_glob_goes_over_directories_only_with_two_stars() {
        let fits = |pattern: &str, path: &str| glob_regex(pattern).unwrap().is_match(path);
        assert!(fits("*.md", "profile.md") && fits("*.md", "preferences/tabs.md") && fits("**/*.md", "a/b/c.md"));
        assert!(fits("preferences/*", "preferences/tabs.md") && !fits("pre*.md", "preferences/tabs.md"));
        assert!(!fits("*.md", "tabs.txt") && fits("t?bs.md", "tabs.md") && !fits("a+b", "aab"));
    }

    proptest! {
        #[test]
        fn any_pattern_is_looked_up_or_refused(pattern in "\\PC{0,60}") {
            let _ = words_of(&pattern);
            let _ = glob_regex(&pattern);
            let _ = Grep { pattern, ..Grep::default() }.regex();
        }
    }
}
