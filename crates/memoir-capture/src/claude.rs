//! Anthropic Claude Code.

mod answer;
mod hook;
mod notes;
mod record;
mod run_end;
mod speech;
mod tools;
mod transcript;

pub(crate) use answer::answer_place;
pub(crate) use hook::read_hook;
pub(crate) use speech::finish;
pub(crate) use tools::Pending;
pub use transcript::Transcript;
