//! The command line: flags, messages and wiring only.

mod cli;
mod clients;
mod commands;
mod exit;
mod home;
mod print;
mod settings;
mod stop;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Whatever a library creates, it is for the owner alone.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let arguments = cli::Cli::parse_from(words::protect(std::env::args_os()));
    let outcome = commands::run(arguments);
    exit::report(outcome)
}
