//! Benchmarks: each figure is printed with its peer or its limit beside it.

mod redact;

use clap::Parser;

/// Measures memoir, with the peer or the limit beside each figure.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Secrets found, false alarms, speed
    Redact(redact::RedactArgs),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Redact(args) => redact::run(&args),
    }
}
