//! Install plans: what a client's settings look like with memoir's hooks in them, and without.
//!
//! Texts in, texts out: whatever else stands in a settings file, comments and order included, stays as it is.

mod events;
mod settings;
mod trust;

pub use events::{HookEvent, hook_events};
pub use settings::{Installed, PlanError, installed, turned_off, with_hooks, without_hooks};
pub use trust::{Trust, runs_no_hooks, trust_entries, trusted, with_trust, without_trust};
