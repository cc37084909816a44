//! Puts memoir's hooks, and memoir as an MCP server, into the settings of agents, looks whether they are there, and takes
//! them out again.
//!
//! Owns what a settings file looks like with hooks in it, the files that are changed for that, their backups and the list
//! of them, and the name by which hooks call memoir. Who is asked and what is shown is the caller's.

mod change;
mod error;
mod instructions;
mod ledger;
mod link;
mod place;
mod plan;
mod program;
mod project_script;
mod register;
mod settings;
mod state;

pub use change::{Change, write_atomically};
pub use error::InstallError;
pub use instructions::{has_instructions, instructions_change, instructions_without, rules_in};
pub use ledger::Ledger;
pub use link::Launcher;
pub use place::{Place, place};
pub use plan::{Plan, plan, undo_plan};
pub use program::stable_path;
pub use project_script::{ScriptFiles, ScriptOptions, write_script};
pub use register::{Registered, Registration, register, registered, undo_registration};
pub use settings::PlanError;
pub use state::{State, state};
