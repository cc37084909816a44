//! Dreaming: conversations with updates, deletions, hearsay and secrets, through the product's own ingest, commit, dream
//! and recall; and how long a million events take.

mod facts;
mod speed;

use crate::process;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Measures what is dreamt.
#[derive(Args)]
pub struct DreamArgs {
    /// The directory of the set `automemorybench`
    #[arg(long)]
    data: Option<PathBuf>,
    /// How fast: so many events in sessions of 2,000
    #[arg(long)]
    events: Option<u64>,
    /// The memoir binary (default: the one beside this program)
    #[arg(long)]
    memoir: Option<PathBuf>,
    /// So many blocks are asked for
    #[arg(long, default_value_t = 12)]
    blocks: usize,
    /// Only this domain of the set
    #[arg(long)]
    domain: Option<String>,
    /// Print what is missed and what leaks
    #[arg(long)]
    misses: bool,
}

/// Prints the figures that were asked for.
pub fn run(args: &DreamArgs) -> Result<()> {
    anyhow::ensure!(args.data.is_some() || args.events.is_some(), "say --data DIR or --events N");
    if let Some(data) = &args.data {
        let memoir = process::memoir(args.memoir.as_deref())?;
        facts::run(&memoir, data, args)?;
    }
    if let Some(events) = args.events {
        speed::run(events)?;
    }
    Ok(())
}
