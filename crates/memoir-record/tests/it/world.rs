//! What the tests stand on: a clock, a place, a spool, a journal.

use memoir_event::repo_id_of_path;
use memoir_journal::{Clock, SqliteJournal, SqliteOptions};
use memoir_record::{Place, Spool, SpoolLimits};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that moves one millisecond each time it is asked.
pub fn clock() -> Clock {
    let now = AtomicI64::new(1_790_000_000_000);
    Arc::new(move || now.fetch_add(1, Ordering::Relaxed))
}

pub const PLACE: Place<'static> =
    Place { cwd: Some("/home/dev/demo"), actor: None, repo_of: &|cwd| repo_id_of_path(cwd.unwrap_or("/")) };

pub fn spool(dir: &Path) -> Spool {
    Spool::new(dir.to_owned(), SpoolLimits::default(), clock()).unwrap()
}

pub fn journal(dir: &Path) -> SqliteJournal {
    SqliteJournal::open(&dir.join("journal.db"), SqliteOptions::short_lived(), clock()).unwrap()
}

pub fn line(text: &str) -> String {
    format!("{{\"session_id\":\"demo\",\"event_type\":\"user_message\",\"content\":{}}}\n", serde_json::json!(text))
}

pub fn lines(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().map(|text| line(&text)).collect()
}
