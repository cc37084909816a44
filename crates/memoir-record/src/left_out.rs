//! What hooks saw and did not record, as the user wishes: counted by why.

use crate::policy::Reason;
use memoir_journal::{Cursor, Journal, JournalError};
use std::collections::BTreeMap;

/// What the names of these cursors begin with.
const PREFIX: &str = "excluded|";

/// The cursors that count so many more.
pub fn count_left_out(reasons: &BTreeMap<Reason, u64>) -> Vec<Cursor> {
    let one =
        |(reason, more): (&Reason, &u64)| Cursor::more(&format!("{PREFIX}{}", reason.as_str()), *more, String::new());
    reasons.iter().map(one).collect()
}

/// How much hooks did not record, by why.
pub fn left_out(journal: &dyn Journal) -> Result<BTreeMap<String, u64>, JournalError> {
    let named = |cursor: Cursor| Some((cursor.stream.strip_prefix(PREFIX)?.to_owned(), cursor.sequence));
    Ok(journal.cursors(PREFIX)?.into_iter().filter_map(named).collect())
}
