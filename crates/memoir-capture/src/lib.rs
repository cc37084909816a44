//! What coding agents write, parsed into events: hook payloads, session files, live streams.
mod boundary;
pub mod claude;
pub mod codex;
mod hook;
mod lenient;
mod media;
mod out;
mod parser;
mod patch;
mod payload;
mod scene;
mod shell;
mod turns;
mod when;
pub use hook::{HookCall, HookError, Moment, read_hook};
pub use out::{Captured, Counts, Out, Tally};
pub use parser::Parser;
mod gemini {
    pub(crate) fn read_hook(_: &str, _: &memoir_event::Time) -> Result<crate::HookCall, crate::HookError> {
        Err(crate::HookError::NotJson)
    }
}
