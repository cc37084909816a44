//! How often a conversation went on without memory because there was no time left.

use memoir_event::Client;
use memoir_journal::{Cursor, Journal, JournalError};

const PREFIX: &str = "hook|late|";

/// How often a client's hooks were late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Late {
    /// The client.
    pub client: Client,
    /// How often.
    pub count: u64,
    /// When last, in milliseconds since 1970.
    pub last_ms: i64,
}

/// Counts one more.
pub fn count_late(journal: &dyn Journal, client: Client, now_ms: i64) -> Result<(), JournalError> {
    let more = Cursor::more(&format!("{PREFIX}{client}"), 1, now_ms.to_string());
    journal.append(&[], &[more]).map(drop)
}

/// Every client whose hooks were late.
pub fn late(journal: &dyn Journal) -> Result<Vec<Late>, JournalError> {
    let read = |cursor: Cursor| {
        let client = Client::parse(cursor.stream.strip_prefix(PREFIX)?)?;
        Some(Late { client, count: cursor.sequence, last_ms: cursor.position.parse().ok()? })
    };
    Ok(journal.cursors(PREFIX)?.into_iter().filter_map(read).collect())
}
