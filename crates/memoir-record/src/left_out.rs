//! What was seen and is not recorded: as the user wishes, or because it could not be read. Counted by why.

use crate::policy::Reason;
use memoir_capture::Counts;
use memoir_journal::{Cursor, Journal, JournalError};
use std::collections::BTreeMap;

/// What the names of these cursors begin with.
const LEFT_OUT: &str = "excluded|";
const UNREAD: &str = "unread|";

/// The cursors that count so many more.
pub fn count_left_out(reasons: &BTreeMap<Reason, u64>) -> Vec<Cursor> {
    grown(LEFT_OUT, reasons.iter().map(|(reason, more)| (reason.as_str(), *more)))
}

/// How much hooks and `memoir exec` did not record, by why.
pub fn left_out(journal: &dyn Journal) -> Result<Counts, JournalError> {
    counted(journal, LEFT_OUT)
}

/// The cursors that count so many more lines of streams that could not be read.
pub fn count_unread(lines: &Counts) -> Vec<Cursor> {
    grown(UNREAD, lines.iter().map(|(what, more)| (what.as_str(), *more)))
}

/// How many lines of streams could not be read, by what was wrong.
pub fn unread(journal: &dyn Journal) -> Result<Counts, JournalError> {
    counted(journal, UNREAD)
}

fn grown<'a>(prefix: &str, more: impl Iterator<Item = (&'a str, u64)>) -> Vec<Cursor> {
    more.map(|(why, more)| Cursor::more(&format!("{prefix}{why}"), more, String::new())).collect()
}

fn counted(journal: &dyn Journal, prefix: &str) -> Result<Counts, JournalError> {
    let named = |cursor: Cursor| Some((cursor.stream.strip_prefix(prefix)?.to_owned(), cursor.sequence));
    Ok(journal.cursors(prefix)?.into_iter().filter_map(named).collect())
}
