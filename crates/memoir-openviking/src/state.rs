//! What is kept of a session between requests: how many messages it has, what they were as digests, and what is open.
//!
//! It stands in the journal's cursors and moves with the events that it speaks of. The digests lie in rows of [`ROW`], so
//! that an append costs the same however long the session is. A digest is keyed with the journal's secret: it tells
//! nothing of a text that was forgotten.

use crate::fault::Fault;
use crate::session::Spoken;
use memoir_journal::{Cursor, Journal, Seq};
use memoir_redact::Redactor;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// How the rows begin that tell of sessions.
pub const SESSIONS: &str = "openviking|session|";

/// How the rows begin that hold digests.
const DIGESTS: &str = "openviking|said|";

/// So many digests are in a row.
const ROW: u64 = 128;

/// A digest has so many hexadecimal characters.
const DIGEST_CHARS: usize = 12;

/// A digest has so many bits.
pub const DIGEST_MASK: u64 = (1 << 48) - 1;

/// Of so many speakers the last message is remembered.
const SPEAKERS_MAX: usize = 8;

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// The version of this form.
    pub version: u32,
    /// When it began, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it got something last.
    pub updated_ms: i64,
    /// Its project.
    pub project: String,
    /// So many messages are in no archive yet.
    pub live: u64,
    /// So many tokens these have.
    pub live_tokens: u64,
    /// So many archives there were when it got something last.
    pub archives: u64,
    /// What of the latest archive is told as live all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// Where a replay stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<u64>,
    /// The last message of each speaker.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub last: BTreeMap<String, u64>,
    /// Calls that wait for their results.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub open: String,
    /// Whether it was deleted, and nothing came since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_gone: bool,
}

/// What whoever committed a session wanted to keep of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// So many messages.
    pub count: u64,
    /// They lie after this place of the journal.
    pub after: Seq,
}

/// A session's state, and where it is kept.
pub struct State {
    name: String,
    /// How many messages it has.
    pub total: u64,
    /// What else is known of it.
    pub known: Known,
    /// Whether anything was known of it.
    pub is_new: bool,
    /// Its row as it was read.
    pub as_read: Cursor,
    rows: HashMap<u64, Vec<u64>>,
}

impl State {
    const VERSION: u32 = 1;

    /// What is known of a session. What cannot be read counts as nothing.
    pub fn read(journal: &dyn Journal, redactor: &Redactor, spoken: &Spoken) -> Result<State, Fault> {
        let name = redactor.text(&spoken.given).into_owned();
        let stream = format!("{SESSIONS}{name}");
        let row = journal.cursor(&stream)?;
        let known = row.as_ref().and_then(|row| serde_json::from_str::<Known>(&row.position).ok());
        let known = known.filter(|known| known.version <= State::VERSION);
        let is_new = known.is_none();
        let known = known.unwrap_or_default();
        // Should the state be unreadable, the digests are still there.
        let total = row.as_ref().map_or(0, |row| row.sequence);
        Ok(State {
            name,
            total,
            known,
            is_new,
            as_read: row.unwrap_or_else(|| Cursor::gone(stream)),
            rows: HashMap::new(),
        })
    }

    /// Under which name it is kept.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The digests from a place on, at most so many.
    pub fn digests(&mut self, journal: &dyn Journal, from: u64, most: usize) -> Result<Vec<u64>, Fault> {
        let to = self.total.min(from.saturating_add(u64::try_from(most).unwrap_or(u64::MAX)));
        let mut digests = Vec::new();
        let mut at = from;
        while at < to {
            let (row, skip) = (at / ROW, at % ROW);
            let stored = self.row(journal, row)?;
            let end = (to - row * ROW).min(ROW);
            let (skip, end) = (usize::try_from(skip).unwrap_or(0), usize::try_from(end).unwrap_or(0));
            let Some(part) = stored.get(skip..end.min(stored.len())).filter(|part| !part.is_empty()) else { break };
            digests.extend_from_slice(part);
            at += u64::try_from(part.len()).unwrap_or(ROW);
        }
        Ok(digests)
    }

    fn row(&mut self, journal: &dyn Journal, row: u64) -> Result<&[u64], Fault> {
        if !self.rows.contains_key(&row) {
            let stored = journal.cursor(&self.row_name(row))?;
            let digests = stored.map(|stored| unpacked(&stored.position)).unwrap_or_default();
            self.rows.insert(row, digests);
        }
        Ok(self.rows.get(&row).map(Vec::as_slice).unwrap_or_default())
    }

    fn row_name(&self, row: u64) -> String {
        format!("{DIGESTS}{row}|{}", self.name)
    }

    /// Adds messages at the end; the rows that change.
    pub fn push(&mut self, journal: &dyn Journal, digests: &[u64]) -> Result<Vec<Cursor>, Fault> {
        let mut changed = Vec::new();
        for digest in digests {
            let (row, at) = (self.total / ROW, usize::try_from(self.total % ROW).unwrap_or(0));
            self.row(journal, row)?;
            let stored = self.rows.entry(row).or_default();
            // A row that lost something is filled up with what nothing says.
            stored.resize(at, 0);
            stored.push(digest & DIGEST_MASK);
            self.total += 1;
            if changed.last() != Some(&row) {
                changed.push(row);
            }
        }
        let cursor = |row: u64| Cursor {
            stream: self.row_name(row),
            sequence: row * ROW + 1,
            position: packed(self.rows.get(&row).map(Vec::as_slice).unwrap_or_default()),
        };
        Ok(changed.into_iter().map(cursor).collect())
    }

    /// The row that tells of the session.
    pub fn cursor(&mut self) -> Cursor {
        self.known.version = State::VERSION;
        let position = serde_json::to_string(&self.known).unwrap_or_default();
        Cursor { stream: format!("{SESSIONS}{}", self.name), sequence: self.total, position }
    }

    /// Notes the last message of a speaker.
    pub fn note_speaker(&mut self, role: &str, digest: u64) {
        let last = &mut self.known.last;
        if last.contains_key(role) || last.len() < SPEAKERS_MAX {
            last.insert(role.to_owned(), digest & DIGEST_MASK);
        }
    }
}

fn packed(digests: &[u64]) -> String {
    digests.iter().map(|digest| format!("{:012x}", digest & DIGEST_MASK)).collect()
}

fn unpacked(text: &str) -> Vec<u64> {
    let chunk = |at: usize| u64::from_str_radix(text.get(at..at + DIGEST_CHARS)?, 16).ok();
    (0..text.len()).step_by(DIGEST_CHARS).map_while(chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digests_are_read_as_they_were_written(digests in proptest::collection::vec(0..=DIGEST_MASK, 0..200)) {
            prop_assert_eq!(unpacked(&packed(&digests)), digests);
        }

        #[test]
        fn any_text_is_some_digests(text in "\\PC{0,60}") {
            let _ = unpacked(&text);
        }
    }
}
