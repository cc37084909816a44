//! Files, hook calls and output of clients, made up: a scenario in words of no client, spelt as each client spells it.
//!
//! [`scenario()`] makes up scenarios. [`record`] spells one as a client of today does, and [`expected`] says what a
//! journal must hold of it, each thing once.

#![allow(clippy::needless_pass_by_value, reason = "what a client writes is put together where it is written")]

mod claude;
mod codex;
mod expected;
mod gemini;
mod scenario;
mod strategy;
mod tape;

pub use expected::{Thing, Way, expected};
pub use scenario::{
    Agent, Block, BlockKind, Call, End, Fork, INJECTED, Manner, Reply, Run, Scenario, Side, Turn, Write,
};
pub use strategy::{scenario, turn};
pub use tape::{Beat, Made, Recording};

use crate::Client;
use std::path::Path;

/// Spells a scenario as that client does, for a user with that home.
pub fn record(client: Client, scenario: &Scenario, home: &Path) -> Recording {
    match client {
        Client::Codex => codex::record(scenario, home),
        Client::Claude => claude::record(scenario, home),
        Client::Gemini => gemini::record(scenario, home),
    }
}

/// What Gemini CLI wrote of the same sessions until early 2026: one JSON object for each.
pub fn in_old_gemini_form(recording: &Recording) -> Recording {
    gemini::in_old_form(recording)
}

/// What Codex wrote of the same sessions until early 2026; without `names_turns`, as in 2025, no line tells its turn.
pub fn in_old_codex_form(recording: &Recording, names_turns: bool) -> Recording {
    codex::in_old_form(recording, names_turns)
}
