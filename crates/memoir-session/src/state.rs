//! What is known of sessions that wait to be committed, as rows of the journal's cursor table.
//!
//! `session|live|…`: a hook or an API touched it. `session|old|…`: something new was found in the journal that neither
//! had announced: an import, a push, an exec run. `session|sealed|…`: up to where it is committed, and in how many
//! archives. A row that cannot be read is worked out again from the journal by whoever reads it.

use crate::{Process, SessionName};
use memoir_event::Trigger;
use memoir_journal::{Cursor, Journal, JournalError, Seq};
use serde::{Deserialize, Serialize};

/// Where the search for what nobody announced has come to.
pub(crate) const SEEN: &str = "session|seen";
pub(crate) const LIVE: &str = "session|live|";
pub(crate) const OLD: &str = "session|old|";
const SEALED: &str = "session|sealed|";

/// The version of the rows that this memoir writes.
const VERSION: u32 = 1;

/// A session that was touched and is not committed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Live {
    pub v: u32,
    /// When it was last touched.
    #[serde(rename = "touched")]
    pub touched_ms: i64,
    /// When it was first touched after its last archive.
    #[serde(rename = "created")]
    pub created_ms: i64,
    /// When it was last seen to go on, by a client that is known to be running, if that was no end of a turn.
    #[serde(rename = "seen", default, skip_serializing_if = "Option::is_none")]
    pub seen_ms: Option<i64>,
    /// The process of its client, if that belongs to it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// It is to be committed at the next occasion, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Trigger>,
}

impl Live {
    /// Touched for the first time.
    pub const fn new(now_ms: i64) -> Live {
        Live { v: VERSION, touched_ms: now_ms, created_ms: now_ms, seen_ms: None, process: None, due: None }
    }

    /// Seen for the first time, in the middle of a turn.
    pub const fn seen(now_ms: i64) -> Live {
        Live { touched_ms: 0, seen_ms: Some(now_ms), ..Live::new(now_ms) }
    }

    /// When anything was last known of it.
    pub fn last_ms(&self) -> i64 {
        self.seen_ms.map_or(self.touched_ms, |seen_ms| seen_ms.max(self.touched_ms))
    }

    /// The row, if it can be read.
    pub fn of(row: &Cursor) -> Option<Live> {
        serde_json::from_str::<Live>(&row.position).ok().filter(|live| live.v == VERSION)
    }

    /// The row to write.
    pub fn row(&self, session: &SessionName) -> Cursor {
        let position = serde_json::to_string(self).unwrap_or_default();
        Cursor { stream: format!("{LIVE}{}", session.in_row()), sequence: 1, position }
    }
}

/// A session in which something was found that nobody had announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Old {
    pub v: u32,
    /// When its last event happened.
    #[serde(rename = "last")]
    pub last_ms: i64,
    /// When it was found.
    #[serde(rename = "found")]
    pub found_ms: i64,
}

impl Old {
    pub const fn new(last_ms: i64, found_ms: i64) -> Old {
        Old { v: VERSION, last_ms, found_ms }
    }

    pub fn of(row: &Cursor) -> Option<Old> {
        serde_json::from_str::<Old>(&row.position).ok().filter(|old| old.v == VERSION)
    }

    pub fn row(&self, session: &SessionName, last_seq: Seq) -> Cursor {
        let position = serde_json::to_string(self).unwrap_or_default();
        Cursor { stream: format!("{OLD}{}", session.in_row()), sequence: last_seq.max(1), position }
    }

    /// When it was last touched. An event may be dated after it was found; nobody touched it later than that.
    pub fn touched_ms(&self) -> i64 {
        self.last_ms.min(self.found_ms)
    }
}

/// How far a session is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reached {
    /// The last place that an archive of it may hold.
    pub last_seq: Seq,
    /// How many archives it has.
    pub archives: u32,
}

impl Reached {
    /// The row, if it can be read and speaks of this journal.
    pub fn of(row: &Cursor, last_seq: Seq) -> Option<Reached> {
        let archives = row.position.parse().ok()?;
        (row.sequence <= last_seq).then_some(Reached { last_seq: row.sequence, archives })
    }

    pub fn row(&self, session: &SessionName) -> Cursor {
        Cursor {
            stream: format!("{SEALED}{}", session.in_row()),
            sequence: self.last_seq,
            position: self.archives.to_string(),
        }
    }
}

/// The rows of one session as they stand; one that is not there is gone.
pub(crate) struct Rows {
    pub live: Cursor,
    pub old: Cursor,
    pub sealed: Cursor,
}

impl Rows {
    pub fn read(journal: &dyn Journal, session: &SessionName) -> Result<Rows, JournalError> {
        let row = |prefix: &str| {
            let stream = format!("{prefix}{}", session.in_row());
            Ok::<Cursor, JournalError>(journal.cursor(&stream)?.unwrap_or_else(|| Cursor::gone(stream)))
        };
        Ok(Rows { live: row(LIVE)?, old: row(OLD)?, sealed: row(SEALED)? })
    }

    /// What takes away that it waits.
    pub fn no_longer(&self) -> Vec<Cursor> {
        let rows = [&self.live, &self.old].into_iter().filter(|row| is_there(row));
        rows.map(|row| Cursor::gone(row.stream.clone())).collect()
    }
}

/// Whether a row is in the table.
pub(crate) const fn is_there(row: &Cursor) -> bool {
    row.sequence > 0 || !row.position.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_and_those_of_another_version_are_not_believed() {
        let session = SessionName::parse("cx-0193");
        let live = Live { process: Some(Process { pid: 7, started: 9 }), due: Some(Trigger::Ended), ..Live::new(5) };
        assert_eq!(Live::of(&live.row(&session)), Some(live));
        assert_eq!(live.row(&session).stream, "session|live|cx-0193");
        let row = |position: &str| Cursor { stream: String::new(), sequence: 1, position: position.to_owned() };
        assert_eq!(
            live.row(&session).position,
            r#"{"v":1,"touched":5,"created":5,"process":{"pid":7,"started":9},"due":"ended"}"#
        );
        for bad in ["", "7", "{}", r#"{"v":2,"touched":5,"created":5}"#, r#"{"v":1,"touched":"x","created":5}"#] {
            assert_eq!((Live::of(&row(bad)), Old::of(&row(bad))), (None, None), "{bad}");
        }
        let reached = Reached { last_seq: 40, archives: 3 };
        assert_eq!(Reached::of(&reached.row(&session), 40), Some(reached));
        assert_eq!(Reached::of(&reached.row(&session), 39), None);
    }
}
