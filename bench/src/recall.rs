//! Recall on labelled sets, through the product's own ingest or import and its own recall, with plain BM25 beside it.

use crate::process;
use crate::scores::{Scores, Table};
use anyhow::{Context as _, Result};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Audience, Filter, SqliteJournal, SqliteOptions, View};
use memoir_recall::{Recall, Request, Signal, Weights};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// How to measure recall.
#[derive(clap::Args)]
pub struct RecallArgs {
    /// The set: locomo, beam100k or coding
    #[arg(long)]
    set: String,
    /// Where the sets are
    #[arg(long)]
    data: PathBuf,
    /// The memoir binary (default: the one built beside this)
    #[arg(long)]
    memoir: Option<PathBuf>,
    /// Keep the homes here and use them again (default: temporary ones)
    #[arg(long)]
    homes: Option<PathBuf>,
    /// All conversations in one home
    #[arg(long)]
    pooled: bool,
    /// Coding: only what was said before the question
    #[arg(long)]
    earlier: bool,
    /// Only every second question, beginning with the first (0) or the second (1)
    #[arg(long)]
    half: Option<usize>,
    /// Other weights, as JSON
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Print the questions whose right sessions are not among the first ten
    #[arg(long)]
    misses: bool,
    /// Each signal switched off in turn
    #[arg(long)]
    ablate: bool,
}

struct Question {
    query: String,
    group: String,
    turns: HashSet<String>,
    sessions: HashSet<String>,
    asked_ms: Option<i64>,
}

/// A home and the names that its sessions have in the set.
struct Home {
    journal: SqliteJournal,
    index: Index,
    names: HashMap<String, Vec<String>>,
}

/// Prints every figure with plain BM25 beside it.
pub fn run(args: &RecallArgs) -> Result<()> {
    let memoir = process::memoir(args.memoir.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let homes = args.homes.as_deref().unwrap_or(temporary.path());
    let data = args.data.join(&args.set);
    let questions = questions(&data, args)?;
    let homes = match args.set.as_str() {
        "coding" => coding_home(&memoir, &data, homes)?,
        _ => chat_homes(&memoir, &data, homes, args.pooled)?,
    };
    let weights = match &args.weights {
        Some(path) => serde_json::from_slice(&std::fs::read(path)?)?,
        None => Weights::default(),
    };
    println!("{}, {} questions, {} homes", args.set, questions.len(), homes.len());
    let mut table = Table::new(args.set != "coding");
    let mut measure = |name: &str, weights: &Weights| -> Result<()> {
        let (turns, sessions) = ask_all(&questions, &homes, weights, args)?;
        table.row(name, &turns, &sessions);
        Ok(())
    };
    measure("plain BM25", &Weights::plain())?;
    measure("memoir", &weights)?;
    if args.ablate {
        for signal in Signal::ALL.into_iter().filter(|signal| *signal != Signal::Words) {
            let mut without = weights.clone();
            without.off.push(signal);
            measure(&format!("without {}", signal.name()), &without)?;
        }
    }
    Ok(())
}

fn ask_all(
    questions: &[Question],
    homes: &BTreeMap<String, Home>,
    weights: &Weights,
    args: &RecallArgs,
) -> Result<(Scores, Scores)> {
    let redactor = Arc::new(memoir_redact::Redactor::builtin());
    let new = || Recall::new(Arc::clone(&redactor)).with_weights(weights.clone());
    let recall: HashMap<&String, Recall> = homes.keys().map(|name| (name, new())).collect();
    let (mut turns, mut sessions) = (Scores::default(), Scores::default());
    for question in questions {
        let name = if homes.contains_key(&question.group) {
            &question.group
        } else {
            homes.keys().next().context("no home")?
        };
        let (home, recall) = (homes.get(name).context("no home")?, recall.get(name).context("no home")?);
        let mut request = Request::new(
            &question.query,
            View::of(Audience::Recall),
            question.asked_ms.filter(|_| args.earlier).unwrap_or(0),
        );
        (request.limit, request.budget_tokens, request.min_confidence) = (10, None, 0.0);
        request.filter = Filter { to_ms: question.asked_ms.filter(|_| args.earlier), ..Filter::default() };
        let answer = recall.recall(&home.journal, &home.index, &request, &mut |_, _| true)?;
        let found: Vec<&str> = answer.blocks.iter().filter_map(|block| block.turn.as_deref()).collect();
        turns.add(&found, &question.turns);
        let found: Vec<String> = answer
            .sessions
            .iter()
            .map(|block| {
                let names = home.names.get(&block.session);
                let right = names.and_then(|names| names.iter().find(|name| question.sessions.contains(*name)));
                right.or_else(|| names?.first()).unwrap_or(&block.session).clone()
            })
            .collect();
        if false {
            let rank = found.iter().position(|name| question.sessions.contains(name));
            println!(
                "missed\t{}\t{:?}\t{:?}\t{:?}\t{:?}",
                question.query,
                question.sessions,
                rank,
                found.first(),
                answer
                    .sessions
                    .iter()
                    .take(3)
                    .map(|s| (s.session.clone(), s.score, s.signals.clone()))
                    .collect::<Vec<_>>()
            );
        }
        sessions.add(&found.iter().map(String::as_str).collect::<Vec<_>>(), &question.sessions);
    }
    Ok((turns, sessions))
}

fn questions(data: &Path, args: &RecallArgs) -> Result<Vec<Question>> {
    let text = std::fs::read_to_string(data.join("queries.jsonl"))?;
    let mut questions = Vec::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)?;
        let texts = |name: &str| -> HashSet<String> {
            let list = value.get(name).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        if value.get("verbatim").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let asked_ms = memoir_event::Time::parse(&text("asked_at")).ok().map(|time| time.ms());
        questions.push(Question {
            query: text("query"),
            group: text("group"),
            turns: texts("gold_turns"),
            sessions: texts("gold_sessions"),
            asked_ms,
        });
    }
    if let Some(half) = args.half {
        questions = questions.into_iter().skip(half % 2).step_by(2).collect();
    }
    Ok(questions)
}

fn open(home: &Path, names: HashMap<String, Vec<String>>) -> Result<Home> {
    let clock = Arc::new(|| 1_794_960_000_000);
    let journal = SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), clock)?;
    let index = Index::open(&home.join("index"), IndexOptions::default());
    index.catch_up(&journal, &mut |_, _| true)?;
    Ok(Home { journal, index, names })
}

/// A home for each conversation, or one for all.
fn chat_homes(memoir: &Path, data: &Path, homes: &Path, pooled: bool) -> Result<BTreeMap<String, Home>> {
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    for line in gunzip(&data.join("events.jsonl.gz"))?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let topic = value.get("topic_id").and_then(Value::as_str).unwrap_or_default();
        let group = groups.entry(if pooled { "all".to_owned() } else { topic.to_owned() }).or_default();
        group.push_str(line);
        group.push('\n');
    }
    let set = data.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut opened = BTreeMap::new();
    for (group, lines) in groups {
        let home = homes.join(format!("{set}-{}", group.replace('/', "-")));
        if !home.join("journal.db").exists() {
            std::fs::create_dir_all(&home)?;
            let file = homes.join("events.jsonl");
            std::fs::write(&file, lines)?;
            let ingest = ["ingest", "--max-event-bytes", "4194304"];
            process::run(Command::new(memoir).args(ingest).env("MEMOIR_HOME", &home), Some(&file))?;
        }
        opened.insert(group, open(&home, HashMap::new())?);
    }
    Ok(opened)
}

/// One home with all sessions, imported as an agent left them.
fn coding_home(memoir: &Path, data: &Path, homes: &Path) -> Result<BTreeMap<String, Home>> {
    let home = homes.join("coding");
    let files = homes.join("coding-sessions");
    let fresh = !home.join("journal.db").exists();
    std::fs::create_dir_all(&files)?;
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    for entry in std::fs::read_dir(data.join("sessions"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let target = files.join(&name);
        if !target.exists() {
            std::fs::write(&target, gunzip(&path)?)?;
        }
        let text = std::fs::read_to_string(&target)?;
        let stem = name.trim_end_matches(".jsonl").trim_end_matches(".json").to_owned();
        names.entry(session_in(&text).unwrap_or_else(|| stem.clone())).or_default().push(stem);
    }
    if fresh {
        let mut import = Command::new(memoir);
        import.arg("import").arg("--path").arg(&files).env("MEMOIR_HOME", &home);
        process::run(&mut import, None)?;
    }
    Ok(BTreeMap::from([("coding".to_owned(), open(&home, names)?)]))
}

/// The session id that the first record with one names.
fn session_in(text: &str) -> Option<String> {
    let named = |value: &Value| value.get("sessionId").and_then(Value::as_str).map(str::to_owned);
    serde_json::from_str::<Value>(text).ok().as_ref().and_then(named).or_else(|| {
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|value| named(&value))
    })
}

fn gunzip(path: &Path) -> Result<String> {
    let output = Command::new("gzip").arg("-dc").arg(path).output()?;
    anyhow::ensure!(output.status.success(), "gzip cannot read {}", path.display());
    Ok(String::from_utf8(output.stdout)?)
}
