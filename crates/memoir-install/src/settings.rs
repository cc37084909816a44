//! What a client's settings look like with memoir's hooks in them, and without; and whether the client takes them.
//!
//! Texts in, texts out: whatever else stands in a settings file, comments and order included, stays as it is.

mod events;
mod hooks;
mod one_line;
mod refused;
mod servers;
mod trust;

pub(crate) use events::hook_events;
pub use hooks::PlanError;
pub(crate) use hooks::{Frame, Installed, installed, turned_off, with_hooks, without_hooks, without_hooks_in};
pub(crate) use refused::refused;
pub(crate) use servers::{Listed, listed, with_server, without_server};
pub(crate) use trust::{Trust, runs_no_hooks, trust_entries, trusted, turned_off_entries, with_trust, without_trust};

/// Some editors put it in front of a text; it is none of it.
const MARK: char = '\u{feff}';

/// A text behind its byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Changes a text behind its byte order mark, which stays.
fn behind_mark(text: &str, change: impl FnOnce(&str) -> Result<String, PlanError>) -> Result<String, PlanError> {
    match text.strip_prefix(MARK) {
        Some(rest) => change(rest).map(|rest| format!("{MARK}{rest}")),
        None => change(text),
    }
}

/// The same of JSON, which stays on one line if it is on one.
fn in_json(text: &str, change: impl FnOnce(&str) -> Result<String, PlanError>) -> Result<String, PlanError> {
    behind_mark(text, |text| change(text).map(|after| one_line::as_it_was(text, after)))
}
