//! Proof that hooks have really fired: how often each event of each client was seen, and when last.

use memoir_event::Client;
use memoir_journal::{Cursor, Journal, JournalError};

const PREFIX: &str = "hook|";

/// The name under which payloads that cannot be understood are counted.
pub(crate) const BAD_PAYLOAD: &str = "!bad payload";

/// What the names begin with under which calls are counted that met a setting which cannot be understood.
pub(crate) const MISREAD: &str = "!setting ";

/// What is known of one event of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// The client.
    pub client: Client,
    /// The event, as the client spells it.
    pub event: String,
    /// How often.
    pub count: u64,
    /// When last, in milliseconds since 1970.
    pub last_ms: i64,
}

impl Fired {
    /// Whether this counts payloads that could not be understood.
    pub fn is_bad_payload(&self) -> bool {
        self.event == BAD_PAYLOAD
    }

    /// The setting that cannot be understood, if this counts calls that met it.
    pub fn misread(&self) -> Option<&str> {
        self.event.strip_prefix(MISREAD)
    }

    /// Whether this counts calls of an event.
    pub fn is_event(&self) -> bool {
        !self.is_bad_payload() && self.misread().is_none()
    }
}

/// The cursor that counts one more call.
pub(crate) fn once_more(client: Client, event: &str, now_ms: i64) -> Cursor {
    let name: String = event.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(64).collect();
    Cursor::more(&format!("{PREFIX}{client}|{name}"), 1, now_ms.to_string())
}

/// Forgets payloads that could not be understood: session files have told what they were about.
pub fn forgive(journal: &dyn Journal) -> Result<(), JournalError> {
    let bad = |cursor: &Cursor| cursor.sequence > 0 && cursor.stream.ends_with(BAD_PAYLOAD);
    let cursors = journal.cursors(PREFIX)?.into_iter().filter(bad);
    let cursors: Vec<Cursor> =
        cursors.map(|cursor| Cursor { sequence: 0, position: "0".to_owned(), ..cursor }).collect();
    if !cursors.is_empty() {
        journal.append(&[], &cursors)?;
    }
    Ok(())
}

/// Every event that has fired.
pub fn fired(journal: &dyn Journal) -> Result<Vec<Fired>, JournalError> {
    let cursors = journal.cursors(PREFIX)?.into_iter().filter(|cursor| cursor.sequence > 0);
    let read = |cursor: Cursor| {
        let (client, event) = cursor.stream.strip_prefix(PREFIX)?.split_once('|')?;
        Some(Fired {
            client: Client::parse(client)?,
            event: event.to_owned(),
            count: cursor.sequence,
            last_ms: cursor.position.parse().ok()?,
        })
    };
    Ok(cursors.filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::late::{count_late, late};
    use memoir_journal::{SqliteJournal, SqliteOptions};
    use std::sync::Arc;

    #[test]
    fn calls_that_are_counted_at_once_are_all_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.db");
        let open = || SqliteJournal::open(&path, SqliteOptions::long_lived(), Arc::new(|| 7)).unwrap();
        let journal = open();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let journal = open();
                    for _ in 0..25 {
                        journal.append(&[], &[once_more(Client::Codex, "Stop", 7)]).unwrap();
                        count_late(&journal, Client::Codex, 7).unwrap();
                    }
                });
            }
        });
        let counts = (fired(&journal).unwrap().first().unwrap().count, late(&journal).unwrap().first().unwrap().count);
        assert_eq!(counts, (100, 100));
    }
}
