//! `memoir completions`.

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Done;
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;

pub fn run(args: &CompletionsArgs) -> Result<Done> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "memoir", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Done::Well)
}
