//! The command line: flags, messages and wiring only.

mod cli;
mod commands;
mod exit;
mod home;
mod print;
mod settings;
mod stop;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    let outcome = commands::run(arguments);
    exit::report(outcome)
}
