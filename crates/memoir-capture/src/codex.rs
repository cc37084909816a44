//! OpenAI Codex CLI.

mod code;
mod exec;
mod hook;
mod rollout;
mod team;
mod waiting;

pub use code::ANY_TOOL;
pub use exec::{ExecStream, Now};
pub(crate) use hook::read_hook;
pub use rollout::Rollout;
