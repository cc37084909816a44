//! What dreaming left out so far, and what waits: nothing is left out silently.

use crate::dreamer::{ALL, Dreamt};
use memoir_event::Kind;
use memoir_journal::{Cursor, Journal, JournalError};
use serde::{Deserialize, Serialize};

/// The row that keeps the sums.
const LEFT_OUT: &str = "dreamt|left out";

/// Sums over all that was dreamt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    /// Events that dream may not see.
    pub withheld: u64,
    /// Messages of which the user wanted nothing kept.
    pub private: u64,
    /// Statements that pass by themselves.
    pub passing: u64,
    /// Statements that nobody vouches for.
    pub hearsay: u64,
    /// Findings that are older or weigh less than what is known.
    pub outweighed: u64,
    /// Findings that were forgotten before.
    pub forgotten: u64,
}

impl LeftOut {
    /// The sums so far.
    pub fn read(journal: &dyn Journal) -> Result<LeftOut, JournalError> {
        let row = journal.cursor(LEFT_OUT)?;
        Ok(row.and_then(|row| serde_json::from_str(&row.position).ok()).unwrap_or_default())
    }

    pub(crate) const fn of(dreamt: &Dreamt) -> LeftOut {
        LeftOut {
            withheld: dreamt.withheld,
            private: dreamt.private,
            passing: dreamt.passing,
            hearsay: dreamt.hearsay,
            outweighed: dreamt.outweighed,
            forgotten: dreamt.forgotten,
        }
    }

    /// These sums and what came since another count of the same pass.
    pub(crate) const fn and_since(self, before: LeftOut, now: LeftOut) -> LeftOut {
        LeftOut {
            withheld: self.withheld + now.withheld - before.withheld,
            private: self.private + now.private - before.private,
            passing: self.passing + now.passing - before.passing,
            hearsay: self.hearsay + now.hearsay - before.hearsay,
            outweighed: self.outweighed + now.outweighed - before.outweighed,
            forgotten: self.forgotten + now.forgotten - before.forgotten,
        }
    }

    pub(crate) fn row(&self) -> Cursor {
        let position = serde_json::to_string(self).unwrap_or_default();
        Cursor { stream: LEFT_OUT.to_owned(), sequence: 1, position }
    }
}

/// How many archives are still to be dreamt.
pub fn waiting_archives(journal: &dyn Journal) -> Result<usize, JournalError> {
    let seen = journal.cursor(ALL)?.map_or(0, |cursor| cursor.sequence);
    Ok(journal.of_kind(Kind::Archive, seen)?.len())
}
