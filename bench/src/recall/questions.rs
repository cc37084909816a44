//! Questions and what answers them.

use super::homes::Homes;
use anyhow::Result;
use memoir_journal::{Audience, Filter, Journal as _, View};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// A question.
#[derive(Debug, Clone)]
pub struct Question {
    pub query: String,
    /// The conversation that it is about.
    pub group: String,
    pub turns: HashSet<String>,
    pub sessions: HashSet<String>,
    pub asked_ms: Option<i64>,
    pub files: Vec<String>,
}

/// The questions of a set.
pub struct Questions {
    pub list: Vec<Question>,
}

impl Questions {
    pub fn read(data: &Path, verbatim: bool) -> Result<Questions> {
        let mut list = Vec::new();
        for line in std::fs::read_to_string(data.join("queries.jsonl"))?.lines() {
            let value: Value = serde_json::from_str(line)?;
            let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let texts = |name: &str| -> Vec<String> {
                let list = value.get(name).and_then(Value::as_array).into_iter().flatten();
                list.filter_map(Value::as_str).map(str::to_owned).collect()
            };
            if !verbatim && value.get("verbatim").and_then(Value::as_bool) == Some(true) {
                continue;
            }
            list.push(Question {
                query: text("query"),
                group: text("group"),
                turns: texts("gold_turns").into_iter().collect(),
                sessions: texts("gold_sessions").into_iter().collect(),
                asked_ms: memoir_event::Time::parse(&text("asked_at")).ok().map(|time| time.ms()),
                files: texts("files"),
            });
        }
        Ok(Questions { list })
    }

    /// Leaves out what nothing answers that was said before the question.
    pub fn keep_answerable(&mut self, homes: &Homes) -> Result<()> {
        let mut kept = Vec::new();
        for question in std::mem::take(&mut self.list) {
            let home = homes.of(&question.group)?;
            let filter = Filter { to_ms: question.asked_ms, ..Filter::default() };
            let view = View::of(Audience::Recall);
            let earlier = home.journal.sessions(&filter, &view, 100_000, 0)?;
            let is_right = |session: &str| home.names_of(session).iter().any(|name| question.sessions.contains(name));
            if earlier.iter().any(|entry| is_right(&entry.session)) {
                kept.push(question);
            }
        }
        self.list = kept;
        Ok(())
    }

    /// Every second one.
    pub fn keep_half(&mut self, half: usize) {
        self.list = std::mem::take(&mut self.list).into_iter().skip(half % 2).step_by(2).collect();
    }
}
