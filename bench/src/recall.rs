//! Recall on labelled sets, through the product's own ingest or import and its own recall, with plain BM25 beside it.
//!
//! What a set is, its directory tells: `events.jsonl.gz` are conversations, `sessions/` are session files of agents,
//! `beliefs.seed.json` are memories with cases, other JSON files are scenarios. All are asked in one way.

mod ask;
mod beliefs;
mod embedding;
pub mod homes;
mod questions;
mod scenarios;
mod silence;

use crate::process;
use crate::scores::Table;
use anyhow::{Context as _, Result};
use ask::{Asking, ask_all};
use memoir_recall::{Signal, Weights};
use questions::Questions;
use std::path::{Path, PathBuf};

/// How to measure recall.
#[derive(clap::Args)]
pub struct RecallArgs {
    /// The set: the name of a directory in the data
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
    /// Session files: only what was said before the question; questions that nothing earlier answers are left out
    #[arg(long)]
    earlier: bool,
    /// Session files: tell recall which files the question is about
    #[arg(long)]
    files: bool,
    /// Session files: also questions that stand in a session word by word
    #[arg(long)]
    verbatim: bool,
    /// Only every second question, beginning with the first (0) or the second (1)
    #[arg(long)]
    half: Option<usize>,
    /// Other weights, as JSON
    #[arg(long)]
    weights: Option<PathBuf>,
    /// An OpenAI-compatible address for embeddings, such as http://127.0.0.1:11434/v1; or "nonsense"
    #[arg(long)]
    embeddings: Option<String>,
    /// The embedding model
    #[arg(long, default_value = "all-minilm")]
    model: String,
    /// Each signal switched off in turn
    #[arg(long)]
    ablate: bool,
    /// How sure recall is against how often it is right, and how often it says something where nothing helps
    #[arg(long)]
    silence: bool,
    /// Print the questions whose right sessions are not among the first ten
    #[arg(long)]
    misses: bool,
}

/// Prints every figure with plain BM25 beside it.
pub fn run(args: &RecallArgs) -> Result<()> {
    let memoir = process::memoir(args.memoir.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let homes = args.homes.as_deref().unwrap_or(temporary.path());
    let data = args.data.join(&args.set);
    let weights = match &args.weights {
        Some(path) => serde_json::from_slice(&std::fs::read(path)?)?,
        None => Weights::default(),
    };
    if data.join("beliefs.seed.json").exists() {
        return beliefs::run(&memoir, &data, homes, &weights, args.ablate);
    }
    if !data.join("queries.jsonl").exists() {
        return scenarios::run(&memoir, &data, homes, &weights);
    }
    let questions = Questions::read(&data, args.verbatim)?;
    let is_chat = data.join("events.jsonl.gz").exists();
    let mut homes = if is_chat {
        homes::of_chats(&memoir, &data, homes, args.pooled)?
    } else {
        homes::of_sessions(&memoir, &data, homes)?
    };
    if let Some(url) = &args.embeddings {
        homes.embed(&embedding::model(url, &args.model)?)?;
    }
    let mut questions = questions;
    if args.earlier {
        questions.keep_answerable(&homes)?;
    }
    if let Some(half) = args.half {
        questions.keep_half(half);
    }
    println!("{}, {} questions, {} homes", args.set, questions.list.len(), homes.len());
    let asking = Asking { earlier: args.earlier, files: args.files, misses: args.misses };
    if args.silence {
        return silence::run(&questions, &homes, &weights, asking);
    }
    let mut table = Table::new(is_chat);
    let mut measure = |name: &str, weights: &Weights| -> Result<()> {
        let (turns, sessions) = ask_all(&questions, &homes, weights, asking)?;
        table.row(name, &turns, &sessions);
        Ok(())
    };
    measure("plain BM25", &Weights::plain())?;
    measure("memoir", &weights)?;
    if args.embeddings.is_some() && !args.ablate {
        let mut without = weights.clone();
        without.off.push(Signal::Meaning);
        measure("without embeddings", &without)?;
    }
    if args.ablate {
        for signal in Signal::ALL.into_iter().filter(|signal| *signal != Signal::Words) {
            let mut without = weights.clone();
            without.off.push(signal);
            measure(&format!("without {}", signal.name()), &without)?;
        }
    }
    Ok(())
}

/// What a packed file holds.
fn gunzip(path: &Path) -> Result<String> {
    let output = std::process::Command::new("gzip").arg("-dc").arg(path).output().context("gzip is needed")?;
    anyhow::ensure!(output.status.success(), "gzip cannot read {}", path.display());
    Ok(String::from_utf8(output.stdout)?)
}
