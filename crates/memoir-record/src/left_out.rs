//! What was seen and is not recorded: as the user wishes, or because it could not be read. Counted by why.

use crate::policy::Reason;
use memoir_capture::Counts;
use memoir_journal::{Cursor, Journal, JournalError};
use std::collections::BTreeMap;

/// What the names of these cursors begin with.
const LEFT_OUT: &str = "excluded|";
const UNREAD: &str = "unread|";

/// The cursors that count so many more.
pub fn count_left_out(journal: &dyn Journal, reasons: &BTreeMap<Reason, u64>) -> Result<Vec<Cursor>, JournalError> {
    grown(journal, LEFT_OUT, reasons.iter().map(|(reason, more)| (reason.as_str(), *more)))
}

/// How much hooks and `memoir exec` did not record, by why.
pub fn left_out(journal: &dyn Journal) -> Result<Counts, JournalError> {
    counted(journal, LEFT_OUT)
}

/// The cursors that count so many more lines of streams that could not be read.
pub fn count_unread(journal: &dyn Journal, lines: &Counts) -> Result<Vec<Cursor>, JournalError> {
    grown(journal, UNREAD, lines.iter().map(|(what, more)| (what.as_str(), *more)))
}

/// How many lines of streams could not be read, by what was wrong.
pub fn unread(journal: &dyn Journal) -> Result<Counts, JournalError> {
    counted(journal, UNREAD)
}

fn grown<'a>(
    journal: &dyn Journal,
    prefix: &str,
    more: impl Iterator<Item = (&'a str, u64)>,
) -> Result<Vec<Cursor>, JournalError> {
    let one = |(why, more): (&str, u64)| {
        let stream = format!("{prefix}{why}");
        let known = journal.cursor(&stream)?.map_or(0, |cursor| cursor.sequence);
        Ok(Cursor { stream, sequence: known.saturating_add(more), position: String::new() })
    };
    more.map(one).collect()
}

fn counted(journal: &dyn Journal, prefix: &str) -> Result<Counts, JournalError> {
    let named = |cursor: Cursor| Some((cursor.stream.strip_prefix(prefix)?.to_owned(), cursor.sequence));
    Ok(journal.cursors(prefix)?.into_iter().filter_map(named).collect())
}
