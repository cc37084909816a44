//! OpenAI Codex CLI.

mod exec;
mod hook;
mod rollout;
mod waiting;

pub use exec::{ExecStream, Now};
pub(crate) use hook::read_hook;
pub use rollout::Rollout;
