//! Proves the hash chain: every record is read, unpacked and hashed again.

use super::chain::{self, Covered};
use super::erase;
use super::idrun::as_i64;
use super::intern::fact;
use super::read::{Reader, Record};
use super::write::class_code;
use crate::body;
use crate::{JournalError, RecordClass, Seq, Verified};
use memoir_event::KeyHasher;
use rusqlite::Connection;

/// Records are read in portions of this size, so that no reader holds back the log for long.
const PORTION: usize = 2048;

/// Walks the chain; the first break ends the walk.
pub fn verify(
    connection: &Connection,
    hasher: &KeyHasher,
    progress: &mut dyn FnMut(Seq, Seq) -> bool,
) -> Result<Verified, JournalError> {
    let total: i64 = connection.query_row("SELECT coalesce(max(seq), 0) FROM record", [], |row| row.get(0))?;
    let total = u64::try_from(total).unwrap_or(0);
    let mut walk =
        Walk { reader: Reader::new(connection), connection, hasher, before: chain::START, done: 0, events: 0 };
    let mut result = Verified::default();
    while walk.done < total {
        let records = match walk.reader.records_after(walk.done, PORTION) {
            Ok(records) if records.is_empty() => {
                result.bad = Some((walk.done + 1, "is missing".to_owned()));
                break;
            }
            Ok(records) => records,
            Err(error) => {
                result.bad = Some((walk.first_unreadable(), format!("cannot be read: {error}")));
                result.unreadable = Some(error);
                break;
            }
        };
        if let Some(bad) = records.iter().find_map(|record| walk.step(record).err()) {
            result.bad = Some(bad);
            break;
        }
        if !progress(walk.done, total) {
            result.stopped = true;
            break;
        }
    }
    if result.bad.is_none() && !result.stopped {
        result.bad = walk.check_totals()?;
    }
    result.records = walk.done;
    if !result.stopped {
        result.tables = damaged_tables(connection);
    }
    Ok(result)
}

/// The records can be whole while an index over them is not: then they cannot all be found.
fn damaged_tables(connection: &Connection) -> Option<String> {
    let checked = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    checked.map_or_else(|error| Some(error.to_string()), |said| (said != "ok").then_some(said))
}

struct Walk<'a> {
    reader: Reader<'a>,
    connection: &'a Connection,
    hasher: &'a KeyHasher,
    before: chain::Link,
    done: Seq,
    events: u64,
}

impl Walk<'_> {
    fn step(&mut self, record: &Record) -> Result<(), (Seq, String)> {
        let expected = self.done + 1;
        if record.seq != expected {
            return Err((expected, "is missing".to_owned()));
        }
        let bad = |error: JournalError| (expected, error.to_string());
        let body = self.body_hash(record).map_err(bad)?;
        let origin = self.reader.numbered.origin(self.connection, record.origin).map_err(bad)?.hash();
        let shape = self.reader.numbered.shape(self.connection, record.shape).map_err(bad)?;
        let covered = Covered {
            seq: record.seq,
            event: record.event,
            class: class_code(record.class),
            origin: &origin,
            shape,
            flags: record.flags,
            ts_ms: record.ts_ms,
            lag_ms: record.lag_ms,
            number: record.number,
            keys: &record.keys,
        };
        let link = chain::link(&self.before, &covered, &body);
        if link != record.chain {
            return Err((expected, "does not match its hash: it or the record before it was changed".to_owned()));
        }
        self.before = link;
        self.done = expected;
        self.events += u64::from(record.class == RecordClass::Event);
        Ok(())
    }

    /// The hash of the body, or the one that a purge left in its place: then a purge must say so.
    fn body_hash(&self, record: &Record) -> Result<chain::Link, JournalError> {
        let Some(hash) = record.body.as_deref().and_then(body::erased_hash) else {
            return Ok(self.hasher.hash(&record.unpacked()?));
        };
        if !erase::is_purged(self.connection, record.event.unwrap_or(record.seq))? {
            return Err(JournalError::Damaged("its text was erased, and no purge says so".to_owned()));
        }
        Ok(hash)
    }

    /// Which record of an unreadable portion is the first that cannot be read.
    fn first_unreadable(&self) -> Seq {
        let mut seq = self.done + 1;
        while matches!(self.reader.record(seq), Ok(Some(_))) {
            seq += 1;
        }
        seq
    }

    /// The end of a chain can be cut off without a break; the running total shows that.
    fn check_totals(&self) -> Result<Option<(Seq, String)>, JournalError> {
        let later: bool = self.connection.query_row(
            "SELECT EXISTS(SELECT 1 FROM record WHERE seq > ?1)",
            [as_i64(self.done)],
            |row| row.get(0),
        )?;
        let expected = fact(self.connection, "events")?;
        let cut = !later && expected > self.events;
        Ok(cut
            .then(|| (self.done + 1, format!("is missing: {expected} events were stored, {} are there", self.events))))
    }
}
