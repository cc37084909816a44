//! Whether recording is paused.

use crate::home::{Home, now_ms};

/// Until when nothing is recorded; none if it is.
pub fn paused_until(home: &Home) -> Option<i64> {
    let text = std::fs::read_to_string(home.pause_file()).ok()?;
    // A file that cannot be understood still says that somebody wanted a pause.
    let until_ms = text.trim().parse().unwrap_or(i64::MAX);
    (until_ms > now_ms()).then_some(until_ms)
}

/// Whether nothing is recorded now.
pub fn is_paused(home: &Home) -> bool {
    paused_until(home).is_some()
}
