//! The events that must not be shown, read once for each state of the journal.

use super::idrun::as_u64;
use crate::{JournalError, Seq, View};
use rusqlite::{Connection, OptionalExtension};
use std::sync::{Arc, Mutex, PoisonError};

/// What was read last: for readers of history, and for all others. What is hidden changes only when a record is
/// appended, so the last record's place tells whether it still holds.
#[derive(Default)]
pub struct Hidden([Mutex<Option<(Seq, Arc<[Seq]>)>>; 2]);

impl Hidden {
    /// The hidden events, sorted. The connection must be in a snapshot.
    pub fn of(&self, connection: &Connection, view: &View) -> Result<Arc<[Seq]>, JournalError> {
        let [current, history] = &self.0;
        let slot = if view.shows_history() { history } else { current };
        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last_seq(connection)?;
        if let Some((at, hidden)) = &*known
            && *at == last
        {
            return Ok(Arc::clone(hidden));
        }
        let hidden: Arc<[Seq]> = read(connection, view)?.into();
        // An equal list stays the same one, and so does what others keep about it.
        let hidden = known.take().map(|(_, before)| before).filter(|before| *before == hidden).unwrap_or(hidden);
        *known = Some((last, Arc::clone(&hidden)));
        Ok(hidden)
    }
}

fn read(connection: &Connection, view: &View) -> Result<Vec<Seq>, JournalError> {
    let sql = if view.shows_history() {
        "SELECT DISTINCT event FROM forgotten ORDER BY event"
    } else {
        "SELECT event FROM forgotten UNION SELECT event FROM superseded ORDER BY event"
    };
    let mut find = connection.prepare_cached(sql)?;
    let hidden = find.query_map([], |row| row.get(0).map(as_u64))?;
    Ok(hidden.collect::<Result<_, _>>()?)
}

/// The place of the last record; 0 for an empty journal.
pub fn last_seq(connection: &Connection) -> Result<Seq, JournalError> {
    let mut last = connection.prepare_cached("SELECT seq FROM record ORDER BY seq DESC LIMIT 1")?;
    let last: Option<i64> = last.query_row([], |row| row.get(0)).optional()?;
    Ok(last.map_or(0, as_u64))
}
