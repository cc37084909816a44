//! The command line: flags, messages and wiring only.

mod ask;
mod budget;
mod cli;
mod clients;
mod commands;
mod dropped;
mod exit;
mod home;
mod print;
mod process_table;
mod processes;
mod program;
mod settings;
mod stop;
mod umask;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    umask::make_private();
    stop::survive_file_limits();
    let words = words::protect(std::env::args_os());
    let arguments = match cli::Cli::try_parse_from(&words) {
        Ok(arguments) => arguments,
        // A hook that cannot be understood, of an older or newer memoir, must still not harm its client.
        Err(error) => match commands::answer_misspelt_hook(&words, &error) {
            Some(code) => return code,
            None => error.exit(),
        },
    };
    let outcome = commands::run(arguments);
    exit::report(outcome)
}
