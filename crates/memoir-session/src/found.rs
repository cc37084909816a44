//! Finds sessions that got something new without anybody saying so: by an import, a push, an exec run.

use crate::state::{Old, Rows, SEEN, is_there};
use crate::{SessionError, SessionName, Sessions};
use memoir_journal::{Cursor, Seq};

/// So many rows are written at once.
const PORTION: usize = 500;

impl Sessions<'_> {
    /// Notes every such session. Where another process does the same, it has done it for both.
    pub(crate) fn find(&self) -> Result<(), SessionError> {
        let seen = self.journal.cursor(SEEN)?.unwrap_or_else(|| Cursor::gone(SEEN.to_owned()));
        let mut expected = seen.clone();
        let last = self.journal.last_seq()?;
        if seen.sequence > last {
            // The row speaks of another journal.
            self.journal.append_if(&[expected], &[], &[Cursor::gone(SEEN.to_owned())])?;
            return Ok(());
        }
        let now_ms = self.now_ms();
        let touched = self.journal.touched(seen.sequence)?;
        for portion in touched.chunks(PORTION) {
            let mut rows = Vec::new();
            let mut reached_seq: Seq = expected.sequence;
            for one in portion {
                let session = SessionName { client: one.client, id: one.session.clone() };
                let known = Rows::read(self.journal, &session)?;
                // Sealed up to there already: nothing is new.
                if !(is_there(&known.sealed) && self.reached(&session, &known.sealed)?.last_seq >= one.last_seq) {
                    rows.push(Old::new(one.last_ms, now_ms).row(&session, one.last_seq));
                }
                reached_seq = reached_seq.max(one.last_seq);
            }
            let row = Cursor { stream: SEEN.to_owned(), sequence: reached_seq, position: String::new() };
            rows.push(row.clone());
            if self.journal.append_if(&[expected], &[], &rows)?.is_none() {
                return Ok(());
            }
            expected = row;
        }
        Ok(())
    }
}
