//! Coding agents for tests only: real ones against a scripted model, and what they leave behind, made up.
//!
//! [`model`] answers as OpenAI, Anthropic and Google would, from a script, and remembers what it was asked and what it
//! said. [`clients`] finds or installs the agents. [`run`] gives each test a home and a project of its own, runs the
//! agents in it and ends whatever they started. [`files`] needs no agents: it makes up what they leave behind. Nor does
//! [`provider`], which embeds texts and answers prompts for memoir itself.
//!
//! ```no_run
//! use memoir_testkit::{Client, Model, World, model};
//!
//! let Some(world) = World::with_clients() else { return };
//! let model = Model::start(vec![model::shell("echo hello"), model::text("It said hello.")]);
//! world.codex(&model).prompt("say hello").run().ok();
//! assert_eq!(model.transcript(Client::Codex).len(), 4);
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "test support: what is unexpected fails the test"
)]

pub mod clients;
pub mod files;
pub mod model;
pub mod provider;
pub mod run;

pub use clients::Clients;
pub use model::{Heard, Model, Purpose, Reply, Said, Seen};
pub use provider::{Asked, Mode, Provider};
pub use run::{Done, Run, Signal, Terminal, World};

/// A coding agent that the kit can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// OpenAI's Codex CLI.
    Codex,
    /// Anthropic's Claude Code.
    Claude,
    /// Google's Gemini CLI.
    Gemini,
}

impl Client {
    /// Every client, in a fixed order.
    pub const ALL: [Client; 3] = [Client::Codex, Client::Claude, Client::Gemini];

    /// The client's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Client::Codex => "codex",
            Client::Claude => "claude",
            Client::Gemini => "gemini",
        }
    }
}
