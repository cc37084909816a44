//! Benchmarks: each figure is printed with its peer or its limit beside it.

mod commit;
mod dream;
mod events;
mod hook;
mod import;
mod ingest;
mod openviking;
mod process;
mod recall;
mod recall_speed;
mod redact;
mod scores;
mod search;
mod server;
mod sessions;
mod vectors;
mod words;

use clap::Parser;

/// Measures memoir, with the peer or the limit beside each figure.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Sealing sessions of 2,000 events into archives
    Commit(commit::CommitArgs),
    /// What is dreamt of labelled conversations, and how fast
    Dream(dream::DreamArgs),
    /// One call of every hook event of every client, with short and long transcripts
    Hook(hook::HookArgs),
    /// First imports, imports with nothing new, memory and size of the journal
    Import(import::ImportArgs),
    /// One event in a process of its own, and many from a pipe
    Ingest(ingest::IngestArgs),
    /// Messages that the OpenViking API takes in, in short and long sessions
    Openviking(openviking::OpenvikingArgs),
    /// Ranking on labelled sets, with plain BM25 beside it
    Recall(recall::RecallArgs),
    /// How long recall, indexing and forgetting take
    RecallSpeed(recall_speed::RecallSpeedArgs),
    /// Secrets found, false alarms, speed
    Redact(redact::RedactArgs),
    /// Building the index and searching it
    Search(search::SearchArgs),
    /// Batches over HTTP, and memory
    Server(server::ServerArgs),
    /// Vectors: how right, how fast, how large
    Vectors(vectors::VectorsArgs),
    /// Nothing: the cost of a process itself
    #[command(hide = true)]
    Noop,
}

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("noop") {
        return Ok(());
    }
    match Cli::parse().command {
        Command::Commit(args) => commit::run(&args),
        Command::Dream(args) => dream::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Ingest(args) => ingest::run(&args),
        Command::Openviking(args) => openviking::run(&args),
        Command::Recall(args) => recall::run(&args),
        Command::RecallSpeed(args) => recall_speed::run(&args),
        Command::Redact(args) => redact::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Server(args) => server::run(&args),
        Command::Vectors(args) => vectors::run(&args),
        Command::Noop => Ok(()),
    }
}
