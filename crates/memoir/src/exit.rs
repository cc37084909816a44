//! Exit codes, in one place: 0 done, 1 failed or partly refused, 2 wrong usage or settings; of a
//! program that memoir runs, its own.

use crate::print;
use std::io;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// As asked.
    Well,
    /// It ran, and part of it was refused or failed; what and why has been said.
    Partly,
    /// As a program that memoir ran ended: with that code.
    Code(u8),
    /// Or by that signal.
    Signal(i32),
}

/// A mistake of whoever typed the command or wrote the settings.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Says what went wrong, in one line, and gives the exit code.
pub fn report(outcome: anyhow::Result<Done>) -> ExitCode {
    let error = match outcome {
        Ok(Done::Well) => return ExitCode::SUCCESS,
        Ok(Done::Partly) => return ExitCode::from(1),
        Ok(Done::Code(code)) => return ExitCode::from(code),
        Ok(Done::Signal(signal)) => return end_by(signal),
        Err(error) => error,
    };
    let closed_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe);
    if closed_pipe {
        // Whoever read our output has seen enough; that is no failure.
        return ExitCode::SUCCESS;
    }
    print::warn(&format!("{error:#}"));
    ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
}

/// Ends as a program does that dies of that signal, so that whoever started memoir sees what it would have seen.
fn end_by(signal: i32) -> ExitCode {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}
