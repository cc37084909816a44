//! What hooks saw and did not record, as the user wishes: counted by why.

use crate::policy::Reason;
use memoir_journal::{Cursor, Journal, JournalError};
use std::collections::BTreeMap;

/// What the names of these cursors begin with.
const PREFIX: &str = "excluded|";

/// The cursors that count so many more.
pub fn count_left_out(journal: &dyn Journal, reasons: &BTreeMap<Reason, u64>) -> Result<Vec<Cursor>, JournalError> {
    let one = |(reason, more): (&Reason, &u64)| {
        let stream = format!("{PREFIX}{}", reason.as_str());
        let known = journal.cursor(&stream)?.map_or(0, |cursor| cursor.sequence);
        Ok(Cursor { stream, sequence: known.saturating_add(*more), position: String::new() })
    };
    reasons.iter().map(one).collect()
}

/// How much hooks did not record, by why.
pub fn left_out(journal: &dyn Journal) -> Result<BTreeMap<String, u64>, JournalError> {
    let named = |cursor: Cursor| Some((cursor.stream.strip_prefix(PREFIX)?.to_owned(), cursor.sequence));
    Ok(journal.cursors(PREFIX)?.into_iter().filter_map(named).collect())
}
