//! Memories that must and must not come back: beliefs go in by `memoir memories import`, cases are asked of recall.
//!
//! A case tells which beliefs are relevant. Beliefs that are pinned, open questions, or hold for the user everywhere
//! have rules of their own there and are counted apart.

use super::homes::Home;
use crate::process;
use anyhow::{Context as _, Result};
use memoir_event::{Kind, Memory, MemoryKind, MemoryScope};
use memoir_index::{Query, Window};
use memoir_journal::{Audience, Filter, Journal as _, View};
use memoir_recall::{Recall, Request, Signal, Weights};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// One question and what belongs to its answer.
struct Case {
    name: String,
    query: String,
    projects: Vec<String>,
    user: String,
    limit: usize,
    relevant: HashSet<String>,
    /// Pinned beliefs and open questions that must be there, and all that must not.
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

pub fn run(memoir: &Path, data: &Path, homes: &Path, weights: &Weights, ablate: bool) -> Result<()> {
    let beliefs: Vec<Value> = serde_json::from_slice(&std::fs::read(data.join("beliefs.seed.json"))?)?;
    let mut users: HashMap<String, Vec<Value>> = HashMap::new();
    for belief in beliefs {
        users.entry(text(&belief, "user_id")).or_default().push(belief);
    }
    let mut opened: HashMap<String, Home> = HashMap::new();
    for (user, beliefs) in users {
        let home = homes.join(format!("beliefs-{user}"));
        if !home.join("journal.db").exists() {
            std::fs::create_dir_all(&home)?;
            let file = tempfile::NamedTempFile::new()?;
            std::fs::write(file.path(), serde_json::to_vec(&beliefs)?)?;
            let mut import = Command::new(memoir);
            import.args(["memories", "import"]).arg(file.path()).env("MEMOIR_HOME", &home);
            process::run(&mut import, None)?;
        }
        opened.insert(user, Home::open(&home, HashMap::new())?);
    }
    let cases = cases(data)?;
    println!("{} cases", cases.len());
    println!("{:<20} precision  recall  exact  pinned and open found  unwanted found", "");
    measure("plain BM25", &cases, &opened, &plain)?;
    let of_recall = |weights: Weights| {
        let redactor = Arc::new(memoir_redact::Redactor::builtin());
        let recalls: HashMap<String, Recall> = opened
            .keys()
            .map(|user| (user.clone(), Recall::new(Arc::clone(&redactor)).with_weights(weights.clone())))
            .collect();
        move |case: &Case, home: &Home| recalled(case, home, recalls.get(&case.user))
    };
    measure("memoir", &cases, &opened, &of_recall(weights.clone()))?;
    if ablate {
        for signal in [Signal::Name, Signal::Reinforced] {
            let mut without = weights.clone();
            without.off.push(signal);
            measure(&format!("without {}", signal.name()), &cases, &opened, &of_recall(without))?;
        }
    }
    Ok(())
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(value: &Value, path: &str) -> Vec<String> {
    let list = value.pointer(path).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn cases(data: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let single: Vec<Value> = serde_json::from_slice(&std::fs::read(data.join("retrieval.cases.json"))?)?;
    for case in &single {
        cases.push(one(case, &text(case, "caseId"), &text(case, "query")));
    }
    let sessions = data.join("session-retrieval.cases.json");
    if sessions.exists() {
        let sessions: Vec<Value> = serde_json::from_slice(&std::fs::read(sessions)?)?;
        for session in &sessions {
            for turn in session.get("turns").and_then(Value::as_array).into_iter().flatten() {
                let number = turn.get("turnIndex").and_then(Value::as_u64).unwrap_or(0);
                let name = format!("{}/{number}", text(session, "caseId"));
                cases.push(one(turn, &name, &text(turn, "userMessage")));
            }
        }
    }
    Ok(cases)
}

fn one(case: &Value, name: &str, query: &str) -> Case {
    let scopes = texts(case, "/scope");
    let projects = scopes.iter().map(|scope| scope.split_once(':').map_or(scope.as_str(), |(_, name)| name).to_owned());
    let user = text(case, "userId");
    Case {
        name: name.to_owned(),
        query: query.to_owned(),
        projects: projects.collect(),
        user: if user.is_empty() { "test-user".to_owned() } else { user },
        limit: case
            .pointer("/budget/maxBeliefs")
            .and_then(Value::as_u64)
            .map_or(16, |max| usize::try_from(max).unwrap_or(16)),
        relevant: texts(case, "/expect/relevantBeliefs/shouldOnlyInclude").into_iter().collect(),
        wanted: [texts(case, "/expect/pinnedFacts/mustInclude"), texts(case, "/expect/openQuestions/mustInclude")]
            .concat(),
        unwanted: [
            texts(case, "/expect/relevantBeliefs/mustExclude"),
            texts(case, "/expect/openQuestions/mustExclude"),
            texts(case, "/expect/noiseCheck/mustNotSurface"),
        ]
        .concat(),
    }
}

/// A belief that came back, and whether it has rules of its own.
type Found = (String, bool);

fn found(memory: &Memory) -> Found {
    let apart = memory.pinned || memory.kind == MemoryKind::Question || memory.scope == MemoryScope::User;
    (memory.uid.clone(), apart)
}

/// What plain full-text search finds among the beliefs of the projects.
fn plain(case: &Case, home: &Home) -> Result<Vec<Found>> {
    let view = View::of(Audience::Recall);
    let mut all = Vec::new();
    for project in &case.projects {
        let event_type = Some(Kind::Memory.as_str().to_owned());
        let filter = Filter { repo: Some(project.clone()), event_type, ..Filter::default() };
        let selection = home.journal.select(&filter, &view)?;
        let window = Window { skip: 0, limit: case.limit };
        let query = Query::parse(&case.query);
        let hits = home.index.search(&home.journal, &query, &selection, window, &mut |_, _| true)?;
        let seqs: Vec<_> = hits.hits.iter().map(|hit| hit.seq).collect();
        let events = home.journal.events(&seqs, &view)?;
        all.extend(events.iter().filter_map(|event| Memory::of_event(&event.event)).map(|memory| found(&memory)));
    }
    Ok(all)
}

/// What recall finds.
fn recalled(case: &Case, home: &Home, recall: Option<&Recall>) -> Result<Vec<Found>> {
    let mut request = Request::new(&case.query, View::of(Audience::Recall), 1_794_960_000_000);
    (request.limit, request.budget_tokens) = (case.limit, None);
    request.projects.clone_from(&case.projects);
    let answer = recall.context("no home")?.recall(&home.journal, &home.index, &request, &mut |_, _| true)?;
    Ok(answer.blocks.iter().filter_map(|block| block.memory.as_ref()).map(found).collect())
}

fn measure(
    name: &str,
    cases: &[Case],
    homes: &HashMap<String, Home>,
    ask: &dyn Fn(&Case, &Home) -> Result<Vec<Found>>,
) -> Result<()> {
    let (mut precision, mut recall, mut answerable, mut exact) = (0.0, 0.0, 0.0, 0.0);
    let (mut wanted, mut wanted_found, mut unwanted_found) = (0_usize, 0_usize, 0_usize);
    for case in cases {
        let found = homes.get(&case.user).map(|home| ask(case, home)).transpose()?.unwrap_or_default();
        let relevant: Vec<&String> = found.iter().filter(|(_, apart)| !apart).map(|(uid, _)| uid).collect();
        let right = relevant.iter().filter(|uid| case.relevant.contains(**uid)).count();
        let this = if relevant.is_empty() { 1.0 } else { right as f64 / relevant.len() as f64 };
        precision += this;
        if !case.relevant.is_empty() {
            answerable += 1.0;
            recall += right as f64 / case.relevant.len() as f64;
        }
        let is_exact = right == relevant.len() && right == case.relevant.len();
        exact += f64::from(u8::from(is_exact));
        if !is_exact && std::env::var_os("MEMOIR_BENCH_SHOW").is_some() {
            println!("  {}: {:?} instead of {:?}", case.name, relevant, case.relevant);
        }
        wanted += case.wanted.len();
        wanted_found += case.wanted.iter().filter(|uid| found.iter().any(|(known, _)| known == *uid)).count();
        unwanted_found += case.unwanted.iter().filter(|uid| found.iter().any(|(known, _)| known == *uid)).count();
    }
    let all = cases.len().max(1) as f64;
    println!(
        "{name:<20}      {:.3}   {:.3}  {:.3}  {wanted_found:5} of {wanted}  {unwanted_found:20}",
        precision / all,
        recall / f64::max(answerable, 1.0),
        exact / all
    );
    Ok(())
}
