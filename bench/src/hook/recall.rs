//! The calls that recall, each in a cold process: prompts of several lengths, and the beginning of a session.

use super::{Bench, RECALL_CPU_LIMIT};
use crate::process::{self, Cost, ms, verdict};
use crate::words::Dice;
use anyhow::Result;
use serde_json::json;
use std::time::Duration;

/// Words of a prompt: as people ask, as they explain, as they paste.
const LENGTHS: [(&str, usize); 3] = [("a question", 40), ("a paragraph", 300), ("a page", 4_000)];

/// Memories of the project: some of them are told when a session begins.
const MEMORIES: usize = 300;

/// Prints every figure with its limit.
pub fn run(bench: &mut Bench, events: u64) -> Result<()> {
    let work = bench.home.join("work");
    remember(bench, &work)?;
    println!("memoir hook where it recalls, {} calls of each, {events} events and {MEMORIES} memories", bench.runs);
    println!("  CPU: mean and worst; wall: median; asked: <= 30 ms of CPU; the peer: 256 to 290 ms, 961 ms wall");
    let empty = process::repeat(20, |_| process::empty())?;
    println!("  {:<34}{} CPU, {} wall", "an empty process", ms(empty.cpu), ms(empty.wall));
    for (what, bytes) in LENGTHS {
        measure(bench, &format!("UserPromptSubmit, {what}"), |bench, n| {
            let prompt = bench.vocabulary.prose(&mut Dice::new(n + 7_000), bytes);
            json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt, "turn_id": format!("t{n}")})
        })?;
    }
    for source in ["startup", "resume", "compact"] {
        measure(
            bench,
            &format!("SessionStart, {source}"),
            |_, _| json!({"hook_event_name": "SessionStart", "source": source}),
        )?;
    }
    measure(
        bench,
        "Stop",
        |_, n| json!({"hook_event_name": "Stop", "last_assistant_message": format!("done {n}"), "turn_id": format!("t{n}")}),
    )
}

fn measure(bench: &mut Bench, what: &str, payload: impl Fn(&Bench, u64) -> serde_json::Value) -> Result<()> {
    let input = bench.home.join("payload.json");
    let mut costs: Vec<Cost> = Vec::new();
    for n in 0..u64::from(bench.runs) {
        let mut call = payload(bench, n);
        if let Some(fields) = call.as_object_mut() {
            fields.insert("session_id".to_owned(), format!("{what} {n}").replace([' ', ','], "-").into());
            fields.insert("transcript_path".to_owned(), serde_json::Value::Null);
            fields.insert("cwd".to_owned(), bench.home.join("work").display().to_string().into());
        }
        std::fs::write(&input, call.to_string())?;
        costs.push(process::run(&mut bench.memoir(&["hook", "codex"]), Some(&input))?);
    }
    let sum: Duration = costs.iter().map(|cost| cost.cpu).sum();
    let mean = sum / u32::try_from(costs.len().max(1)).unwrap_or(1);
    let worst = costs.iter().map(|cost| cost.cpu).max().unwrap_or_default();
    let wall = process::part(costs.iter().map(|cost| cost.wall), 50);
    let met = verdict(mean <= RECALL_CPU_LIMIT);
    println!("  {what:<34}{}, {} CPU, {} wall  {met}", ms(mean), ms(worst), ms(wall));
    Ok(())
}

/// Memories of all kinds, as a file brings them.
fn remember(bench: &Bench, work: &std::path::Path) -> Result<()> {
    let kinds = ["convention", "decision", "preference", "procedure", "fact", "fix"];
    let line = |n: usize| {
        let text = bench.vocabulary.prose(&mut Dice::new(n as u64 + 90_000), 120);
        format!("{}\n", json!({"text": text, "kind": kinds[n % kinds.len()], "uid": format!("bench-{n}")}))
    };
    let file = bench.home.join("memories.jsonl");
    std::fs::write(&file, (0..MEMORIES).map(line).collect::<String>())?;
    let mut import = bench.memoir(&["memories", "import"]);
    process::run(import.arg(&file).arg("--project").arg(work), None)?;
    process::run(&mut bench.memoir(&["search", "request"]), None)?;
    Ok(())
}
