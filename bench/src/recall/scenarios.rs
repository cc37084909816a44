//! Scenarios of sessions with updates, deletions and distractors: memories that are needed, and memories that must not
//! come back.
//!
//! A scenario's memories go in as its author states them, by `memoir memories import`: with their status, and each old
//! one superseded by what updates it. Deleted ones are forgotten with `memoir forget`.

use super::homes::Home;
use crate::process;
use anyhow::{Context as _, Result};
use memoir_event::Memory;
use memoir_index::{Query, Window};
use memoir_journal::{Audience, Filter, Journal as _, Order, Page, View};
use memoir_recall::{Recall, Request, Weights};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// So many memories are found at most.
const LIMIT: usize = 10;

/// Sums over queries.
#[derive(Default)]
struct Sums {
    queries: f64,
    recall: f64,
    precision: f64,
    with_forbidden: f64,
}

pub fn run(memoir: &Path, data: &Path, homes: &Path, weights: &Weights) -> Result<()> {
    let mut files: Vec<_> = std::fs::read_dir(data)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} holds no set that is known", data.display());
    let (mut plain, mut ours) = (Sums::default(), Sums::default());
    for file in &files {
        let domain: Value = serde_json::from_slice(&std::fs::read(file)?)?;
        for case in domain.get("cases").and_then(Value::as_array).into_iter().flatten() {
            let id = case.get("case_id").and_then(Value::as_str).context("a case without an id")?;
            let dir = homes.join(format!("scenario-{id}"));
            if !dir.join("journal.db").exists() {
                fill(memoir, &dir, case)?;
            }
            let home = Home::open(&dir, HashMap::new())?;
            ask(case, &mut plain, &|query| searched(&home, query))?;
            let recall = Recall::new(Arc::new(memoir_redact::Redactor::builtin())).with_weights(weights.clone());
            ask(case, &mut ours, &|query| recalled(&home, &recall, query))?;
        }
    }
    println!("{} queries that need memories; each gives at most ten", ours.queries);
    println!("{:<12} needed found  of what is found, needed  queries with something forbidden", "");
    for (name, sums) in [("plain BM25", &plain), ("memoir", &ours)] {
        let share = |sum: f64| 100.0 * sum / sums.queries.max(1.0);
        println!(
            "{name:<12} {:10.1} %  {:22.1} %  {:29.1} %",
            share(sums.recall),
            share(sums.precision),
            share(sums.with_forbidden)
        );
    }
    Ok(())
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    let list = value.get(name).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn fill(memoir: &Path, dir: &Path, case: &Value) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    let units: Vec<&Value> = case.get("gold_memory_units").and_then(Value::as_array).into_iter().flatten().collect();
    let newer: HashMap<&str, &str> = units
        .iter()
        .filter_map(|unit| Some((unit.get("update_of")?.as_str()?, unit.get("memory_id")?.as_str()?)))
        .collect();
    let mut memories = Vec::new();
    let mut deleted = Vec::new();
    for unit in &units {
        let text = |name: &str| unit.get(name).and_then(Value::as_str);
        let flag = |name: &str| unit.get(name).and_then(Value::as_bool).unwrap_or(false);
        let Some(id) = text("memory_id").filter(|_| flag("should_store")) else { continue };
        if flag("should_delete") {
            deleted.push(id.to_owned());
        }
        let secret = text("privacy_level").is_some_and(|level| level != "normal");
        memories.push(json!({
            "uid": id, "text": text("content"), "kind": "fact", "project": "scenario",
            "name": unit.pointer("/canonical_form/subject"), "created_at": text("valid_from"),
            "confidence": unit.get("confidence"), "superseded_by": newer.get(id),
            "secrecy": if secret { "secret" } else { "sensitive" },
            "status": text("status").filter(|status| *status == "superseded"),
        }));
    }
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), serde_json::to_vec(&memories)?)?;
    let mut import = Command::new(memoir);
    import.args(["memories", "import"]).arg(file.path()).env("MEMOIR_HOME", dir);
    process::run(&mut import, None)?;
    if deleted.is_empty() {
        return Ok(());
    }
    let home = Home::open(dir, HashMap::new())?;
    let page = home.journal.page(&Filter::default(), &View::owner_all(), &Page::first(10_000, Order::OldestFirst))?;
    let ids: Vec<String> = page
        .events
        .iter()
        .filter(|event| Memory::of_event(&event.event).is_some_and(|memory| deleted.contains(&memory.uid)))
        .map(|event| event.id.to_string())
        .collect();
    drop(home);
    let mut forget = Command::new(memoir);
    forget.args(["forget", "--yes"]).args(ids).env("MEMOIR_HOME", dir);
    process::run(&mut forget, None)?;
    Ok(())
}

/// What plain full-text search finds.
fn searched(home: &Home, query: &str) -> Result<HashSet<String>> {
    let view = View::of(Audience::Recall);
    let selection = home.journal.select(&Filter::default(), &view)?;
    let window = Window { skip: 0, limit: LIMIT };
    let hits = home.index.search(&home.journal, &Query::parse(query), &selection, window, &mut |_, _| true)?;
    let seqs: Vec<_> = hits.hits.iter().map(|hit| hit.seq).collect();
    let events = home.journal.events(&seqs, &view)?;
    Ok(events.iter().filter_map(|event| Memory::of_event(&event.event)).map(|memory| memory.uid).collect())
}

/// What recall finds.
fn recalled(home: &Home, recall: &Recall, query: &str) -> Result<HashSet<String>> {
    let mut request = Request::new(query, View::of(Audience::Recall), 1_794_960_000_000);
    (request.limit, request.budget_tokens) = (LIMIT, None);
    request.projects = vec!["scenario".to_owned()];
    let answer = recall.recall(&home.journal, &home.index, &request, &mut |_, _| true)?;
    Ok(answer.blocks.iter().filter_map(|block| block.memory.as_ref()).map(|memory| memory.uid.clone()).collect())
}

fn ask(case: &Value, sums: &mut Sums, find: &dyn Fn(&str) -> Result<HashSet<String>>) -> Result<()> {
    for query in case.get("queries").and_then(Value::as_array).into_iter().flatten() {
        let (needed, forbidden) = (texts(query, "gold_memory_ids"), texts(query, "forbidden_memory_ids"));
        if needed.is_empty() {
            continue;
        }
        let found = find(query.get("prompt").and_then(Value::as_str).unwrap_or_default())?;
        let right = needed.iter().filter(|id| found.contains(*id)).count() as f64;
        sums.queries += 1.0;
        sums.recall += right / needed.len() as f64;
        sums.precision += if found.is_empty() { 0.0 } else { right / found.len() as f64 };
        sums.with_forbidden += f64::from(u8::from(forbidden.iter().any(|id| found.contains(id))));
    }
    Ok(())
}
