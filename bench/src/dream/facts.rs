//! Of the facts that a query needs, how many are among the memories recalled; and how often something comes back that
//! was superseded, deleted or restricted. Only memories count.
//!
//! A fact is there if its author's value stands in a memory, capitals and marks aside. A forbidden one leaks if its value
//! does; one that is only a remark about others if the remark's own words do.

use super::DreamArgs;
use crate::recall::homes::{Home, ingest};
use anyhow::{Context as _, Result};
use memoir_dream::{DreamWish, Dreamer};
use memoir_event::{Kind, Trigger, parse_ms};
use memoir_journal::{Audience, Clock, Filter, Journal as _, View};
use memoir_recall::{Recall, Request};
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Effort, SessionName, Sessions};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Sums over queries.
#[derive(Default)]
struct Sums {
    queries: u64,
    needed: u64,
    found: u64,
    per_query: f64,
    shown: u64,
    forbidding: u64,
    leaking: u64,
}

pub fn run(memoir: &Path, data: &Path, args: &DreamArgs) -> Result<()> {
    let mut files: Vec<_> = std::fs::read_dir(data)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} holds no set that is known", data.display());
    let mut by_domain: BTreeMap<String, Sums> = BTreeMap::new();
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if args.domain.as_ref().is_some_and(|domain| *domain != name) {
            continue;
        }
        let domain: Value = serde_json::from_slice(&std::fs::read(file)?)?;
        for case in domain.get("cases").and_then(Value::as_array).into_iter().flatten() {
            let dir = tempfile::tempdir()?;
            let home = live(memoir, dir.path(), case)?;
            ask(&home, case, by_domain.entry(name.clone()).or_default(), args)?;
        }
    }
    println!("{} blocks asked for; only memories count", args.blocks);
    println!("{:<24} needed facts found  queries with something forbidden  memories shown", "");
    for (name, sums) in &by_domain {
        print(name, sums);
    }
    print("all", &by_domain.values().fold(Sums::default(), |all, one| all.and(one)));
    Ok(())
}

impl Sums {
    fn and(self, other: &Sums) -> Sums {
        Sums {
            queries: self.queries + other.queries,
            needed: self.needed + other.needed,
            found: self.found + other.found,
            per_query: self.per_query + other.per_query,
            shown: self.shown + other.shown,
            forbidding: self.forbidding + other.forbidding,
            leaking: self.leaking + other.leaking,
        }
    }
}

fn print(name: &str, sums: &Sums) {
    let share = |part: f64, all: u64| 100.0 * part / all.max(1) as f64;
    println!(
        "{name:<24} {:5.1} % ({} of {})  {:5.1} % ({} of {})  {:.1}",
        share(sums.found as f64, sums.needed),
        sums.found,
        sums.needed,
        share(sums.leaking as f64, sums.forbidding),
        sums.leaking,
        sums.forbidding,
        sums.shown as f64 / sums.queries.max(1) as f64,
    );
}

/// A home in which the sessions of a case happened, each committed at its end, and were dreamt.
fn live(memoir: &Path, dir: &Path, case: &Value) -> Result<Home> {
    let sessions: Vec<&Value> = case.get("sessions").and_then(Value::as_array).into_iter().flatten().collect();
    let (redactor, clock): (Redactor, Clock) = (Redactor::builtin(), Arc::new(|| 1_794_960_000_000));
    for session in sessions {
        let id = session.get("session_id").and_then(Value::as_str).context("a session without an id")?;
        ingest(memoir, dir, &lines(session, id)?)?;
        let home = Home::open(dir, HashMap::new())?;
        let is_alive = |_: &memoir_session::Process| false;
        let (journal, redactor, clock, rules) = (&home.journal, &redactor, &clock, CommitRules::default());
        let all = Sessions { journal, redactor, clock, rules, owner: "bench", is_alive: &is_alive };
        all.commit(&SessionName::parse(id), Trigger::Ended, Effort::ALL)?;
        Dreamer { journal, redactor, clock }.dream(&DreamWish::default(), &mut |_, _| true)?;
    }
    Home::open(dir, HashMap::new())
}

/// A session as capture events, a minute after one another.
fn lines(session: &Value, id: &str) -> Result<String> {
    let begun = session.get("timestamp").and_then(Value::as_str).context("a session without a time")?;
    let begun = parse_ms(begun)?;
    let mut lines = String::new();
    for (at, turn) in session.get("turns").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let text = |name: &str| turn.get(name).and_then(Value::as_str).unwrap_or_default();
        let event_type = if text("role") == "assistant" { "assistant_message" } else { "user_message" };
        let line = json!({
            "session_id": id, "event_type": event_type, "content": text("content"), "turn_id": text("turn_id"),
            "timestamp": memoir_event::format_ms(begun + i64::try_from(at)? * 60_000),
        });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    Ok(lines)
}

fn ask(home: &Home, case: &Value, sums: &mut Sums, args: &DreamArgs) -> Result<()> {
    let recall = Recall::new(Arc::new(Redactor::builtin()));
    let values = values(case);
    for query in case.get("queries").and_then(Value::as_array).into_iter().flatten() {
        let ids = |name: &str| {
            let list = query.get(name).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let (needed, forbidden) = (ids("gold_memory_ids"), ids("forbidden_memory_ids"));
        if needed.is_empty() && forbidden.is_empty() {
            continue;
        }
        let prompt = query.get("prompt").and_then(Value::as_str).unwrap_or_default();
        let asked_ms = query.get("timestamp").and_then(Value::as_str).and_then(|ts| parse_ms(ts).ok()).unwrap_or(0);
        let shown = recalled(home, &recall, prompt, asked_ms, args.blocks)?;
        let says = |id: &String| values.get(id).is_some_and(|value| shown.iter().any(|text| text.contains(value)));
        let found = needed.iter().filter(|id| says(id)).count();
        // What a query needs is not forbidden to it, though a forbidden remark quotes it.
        let leaks: Vec<&String> = forbidden.iter().filter(|id| says(id)).collect();
        if args.misses {
            needed.iter().filter(|id| !says(id)).for_each(|id| println!("missed {id} for: {prompt}"));
            leaks.iter().for_each(|id| println!("leaked {id} for: {prompt}"));
        }
        sums.queries += 1;
        sums.needed += needed.len() as u64;
        sums.found += found as u64;
        sums.per_query += if needed.is_empty() { 0.0 } else { found as f64 / needed.len() as f64 };
        sums.shown += shown.len() as u64;
        sums.forbidding += u64::from(!forbidden.is_empty());
        sums.leaking += u64::from(!leaks.is_empty());
    }
    Ok(())
}

/// What the author of a case calls the value of each fact.
fn values(case: &Value) -> HashMap<String, String> {
    let units = case.get("gold_memory_units").and_then(Value::as_array).into_iter().flatten();
    let value = |unit: &Value| {
        let id = unit.get("memory_id")?.as_str()?;
        let value = unit.pointer("/canonical_form/object").and_then(Value::as_str).unwrap_or_default();
        Some((id.to_owned(), plain(value)))
    };
    units.filter_map(value).filter(|(_, value)| !value.is_empty()).collect()
}

/// The texts of the memories that are recalled at that time.
fn recalled(home: &Home, recall: &Recall, query: &str, asked_ms: i64, blocks: usize) -> Result<Vec<String>> {
    let mut request = Request::new(query, View::of(Audience::Recall), asked_ms);
    (request.limit, request.budget_tokens) = (blocks, None);
    request.filter = Filter { to_ms: Some(asked_ms), ..Filter::default() };
    request.blocked_kinds =
        home.journal.kinds()?.into_iter().map(|(_, kind)| kind).filter(|kind| *kind != Kind::Memory).collect();
    let answer = recall.recall(&home.journal, &home.index, &request, &mut |_, _| true)?;
    Ok(answer.blocks.iter().filter_map(|block| block.memory.as_ref()).map(|memory| plain(&memory.text)).collect())
}

/// In small letters, with single blanks for marks.
fn plain(text: &str) -> String {
    let spaced: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}
