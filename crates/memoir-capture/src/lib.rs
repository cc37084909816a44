//! What coding agents write, parsed into events: hook payloads, session files, live streams.
//!
//! Nothing here touches a disk, a clock or a journal. A [`Parser`] takes one line after another and gives events with
//! the names by which other captures of the same thing are found; its state is a text, so that it can go on later.
//! [`read_hook`] understands one hook call, [`Telling`] a conversation that a program tells message by message, and [`RegainedNames`] gives what comes from another journal its names again.

mod aside;
mod boundary;
pub mod claude;
pub mod codex;
mod content;
pub mod copilot;
pub mod gemini;
mod hook;
mod lenient;
mod likeness;
mod masked;
mod media;
pub mod opencode;
mod out;
mod parser;
mod patch;
mod payload;
mod regained;
mod scene;
mod shell;
mod told;
mod turns;
mod when;

pub use hook::{HookCall, HookError, Moment, Start, read_hook};
pub use out::{Captured, Counts, Out, Tally};
pub use parser::{Parser, Salt};
pub use regained::{RegainedNames, open_names};
pub use shell::is_shell_tool;
pub use told::{Telling, ToldMessage, ToldPart, ToldPlace, ToldTool};
