//! Erases the bodies of what was purged, from the file and from its log. Their hashes stay, so that the chain still
//! proves everything else.

use super::idrun::{as_i64, as_u64};
use super::read::Reader;
use super::{SqliteJournal, forget, suppress, with_suffix};
use crate::body;
use crate::{Forgetting, Journal as _, JournalError, Seq};
use memoir_event::{EventId, KeyHasher};
use rusqlite::Connection;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Events whose bodies are erased in one go: the write lock is held for a moment only.
const PORTION: usize = 200;

/// How long to wait for readers that keep the log from being emptied.
const LOG_PATIENCE: Duration = Duration::from_secs(10);

/// Tells one text from another.
pub type TextDigest = [u8; 16];

/// What erasing did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erased {
    /// Records that lost their text.
    pub records: u64,
    /// Whether nothing of it is left in the file and its log; false while other processes read an older state.
    pub is_clean: bool,
    /// The tombstones that asked for it; they ask until [`SqliteJournal::finish_purges`] is told.
    pub purges: Vec<Seq>,
}

impl SqliteJournal {
    /// Erases whatever unfinished purges ask for; `progress` gets done and total and may stop it, to be gone on with
    /// another time. A purge is unfinished until [`SqliteJournal::finish_purges`] is told that nothing of it is left
    /// elsewhere either: killed at any moment, the next one begins again.
    pub fn erase(&self, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Erased, JournalError> {
        let purges: Vec<i64> = self.with_reader(|connection| {
            let mut find = connection.prepare("SELECT by FROM forgetting WHERE purge = 1 AND erased IS NULL")?;
            let rows = find.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let mut erased = Erased { is_clean: true, ..Erased::default() };
        if purges.is_empty() {
            return Ok(erased);
        }
        erased.purges = purges.iter().copied().map(as_u64).collect();
        self.with_writer(|writer| Ok(writer.connection.pragma_update(None, "secure_delete", "ON")?))?;
        for by in purges {
            let events: Vec<i64> = self.with_reader(|connection| {
                let mut find = connection.prepare("SELECT event FROM forgotten WHERE by = ?1 ORDER BY event")?;
                let rows = find.query_map([by], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })?;
            let total = u64::try_from(events.len()).unwrap_or(u64::MAX);
            let mut done = 0;
            for portion in events.chunks(PORTION) {
                erased.records += self.erase_portion(portion, by)?;
                done += u64::try_from(portion.len()).unwrap_or(0);
                if !progress(done, total) {
                    erased.is_clean = false;
                    return Ok(erased);
                }
            }
            self.with_writer(|writer| {
                let transaction = self.queue.begin(&writer.connection)?;
                drop_positions(&transaction, by)?;
                Ok(transaction.commit()?)
            })?;
        }
        erased.is_clean = self.compact()?;
        Ok(erased)
    }

    /// The events that unfinished purges ask to be erased.
    pub fn to_be_erased(&self) -> Result<Vec<Seq>, JournalError> {
        self.with_reader(|connection| {
            let mut find = connection.prepare(
                "SELECT DISTINCT event FROM forgotten
                 WHERE by IN (SELECT by FROM forgetting WHERE purge = 1 AND erased IS NULL) ORDER BY event",
            )?;
            let events = find.query_map([], |row| row.get(0).map(as_u64))?;
            Ok(events.collect::<Result<_, _>>()?)
        })
    }

    /// Every forgetting that holds, so that an older state of this journal can be told of it.
    pub fn wishes(&self) -> Result<Vec<Forgetting>, JournalError> {
        self.in_snapshot(forget::wishes)
    }

    /// The names of purges that have not come to their end.
    pub fn unfinished_purges(&self) -> Result<Vec<String>, JournalError> {
        self.with_reader(|connection| {
            let mut find = connection
                .prepare("SELECT DISTINCT name FROM forgetting WHERE purge = 1 AND erased IS NULL ORDER BY name")?;
            let names = find.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// Notes that nothing is left of what these tombstones asked to be erased.
    pub fn finish_purges(&self, purges: &[Seq]) -> Result<(), JournalError> {
        self.with_writer(|writer| {
            let transaction = self.queue.begin(&writer.connection)?;
            for by in purges {
                transaction.execute("UPDATE forgetting SET erased = 1 WHERE by = ?1", [as_i64(*by)])?;
            }
            Ok(transaction.commit()?)
        })
    }

    fn erase_portion(&self, events: &[i64], by: i64) -> Result<u64, JournalError> {
        let hasher = self.hasher().clone();
        self.with_writer(|writer| {
            let transaction = self.queue.begin(&writer.connection)?;
            let mut records = 0;
            for event in events {
                suppress::note_said(&transaction, &hasher, as_u64(*event), as_u64(by))?;
                records += erase_event(&transaction, *event, &hasher)?;
            }
            transaction.commit()?;
            Ok(records)
        })
    }

    /// The places of what was forgotten under a name; none if nothing was.
    pub fn forgotten_by(&self, name: &str) -> Result<Option<Vec<Seq>>, JournalError> {
        self.with_reader(|connection| {
            let mut find = connection.prepare(
                "SELECT DISTINCT event FROM forgotten WHERE by IN (SELECT by FROM forgetting WHERE name = ?1) ORDER BY event",
            )?;
            let events: Vec<Seq> = find.query_map([name], |row| row.get(0).map(as_u64))?.collect::<Result<_, _>>()?;
            Ok((!events.is_empty()).then_some(events))
        })
    }

    /// The ids of events, hidden ones too.
    pub fn ids_of(&self, events: &[Seq]) -> Result<Vec<EventId>, JournalError> {
        self.in_snapshot(|connection| {
            let mut reader = Reader::new(connection);
            let mut ids = Vec::with_capacity(events.len());
            for seq in events {
                if let Some(record) = reader.record(*seq)? {
                    ids.push(reader.stored(&record)?.id);
                }
            }
            Ok(ids)
        })
    }

    /// A digest of what was said in a session, by which it is found elsewhere without being kept.
    pub fn text_digest(&self, session: &str, text: &[u8]) -> TextDigest {
        let hash = self.hasher().hash(&[session.as_bytes(), b"\0", text].concat());
        hash.first_chunk().copied().unwrap_or_default()
    }

    /// Digests of all that events say, in every revision, hidden ones too.
    pub fn text_digests(&self, events: &[Seq]) -> Result<HashSet<TextDigest>, JournalError> {
        self.in_snapshot(|connection| {
            let mut reader = Reader::new(connection);
            let mut digests = HashSet::new();
            let mut find =
                connection.prepare("SELECT seq FROM record WHERE (seq = ?1 OR event = ?1) AND body IS NOT NULL")?;
            for event in events {
                let places: Vec<Seq> =
                    find.query_map([as_i64(*event)], |row| row.get(0).map(as_u64))?.collect::<Result<_, _>>()?;
                for place in places {
                    if let Some(record) = reader.record(place)? {
                        let said = reader.stored(&record)?.event;
                        digests.insert(self.text_digest(&said.session, said.content.verbatim().as_bytes()));
                    }
                }
            }
            Ok(digests)
        })
    }

    /// The events that say in some revision what `is_it` knows, hidden ones too.
    pub fn saying(&self, is_it: &dyn Fn(&str, &[u8]) -> bool) -> Result<Vec<Seq>, JournalError> {
        self.with_reader(|connection| {
            let mut reader = Reader::new(connection);
            let (mut found, mut after) = (BTreeSet::new(), 0);
            loop {
                let records = reader.records_after(after, PORTION)?;
                let Some(last) = records.last() else { return Ok(found.into_iter().collect()) };
                after = last.seq;
                for record in records.iter().filter(|record| record.body.is_some()) {
                    let said = reader.stored(record)?.event;
                    if is_it(&said.session, said.content.verbatim().as_bytes()) {
                        found.insert(record.event.unwrap_or(record.seq));
                    }
                }
            }
        })
    }

    /// Writes the file anew without what is free in it, and empties the log; false if a reader keeps that from
    /// happening now.
    pub fn compact(&self) -> Result<bool, JournalError> {
        self.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        self.with_writer(|writer| {
            writer.connection.flush_prepared_statement_cache();
            Ok(writer.connection.execute_batch("VACUUM")?)
        })?;
        let deadline = Instant::now() + LOG_PATIENCE;
        loop {
            self.checkpoint()?;
            let log = std::fs::metadata(with_suffix(self.path(), "-wal")).map_or(0, |log| log.len());
            if log == 0 {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Erases every record of an event.
fn erase_event(connection: &Connection, event: i64, hasher: &KeyHasher) -> Result<u64, JournalError> {
    let bodies: Vec<(i64, Vec<u8>)> = connection
        .prepare_cached("SELECT seq, body FROM record WHERE (seq = ?1 OR event = ?1) AND body IS NOT NULL")?
        .query_map([event], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut records = 0;
    for (seq, packed) in bodies {
        let damaged = |problem: String| JournalError::Damaged(format!("record {seq}: {problem}"));
        if let Some(erased) = body::erased(&packed, hasher).map_err(damaged)? {
            connection.prepare_cached("UPDATE record SET body = ?2 WHERE seq = ?1")?.execute((seq, erased))?;
            records += 1;
        }
    }
    Ok(records)
}

/// Places in files may quote what stands there. Without them the files are read from their beginning: what is known or
/// forgotten is not stored again.
pub fn drop_positions(connection: &Connection, by: i64) -> Result<(), JournalError> {
    connection.execute(
        "DELETE FROM cursor WHERE stream >= 'import|' AND stream < 'import}' AND EXISTS (
           SELECT 1 FROM origin WHERE instr(position, session) > 0 AND no IN (
             SELECT origin FROM record WHERE seq IN (SELECT event FROM forgotten WHERE by = ?1)))",
        [by],
    )?;
    Ok(())
}

/// Whether a purge says that the record's text is to be erased.
pub fn is_purged(connection: &Connection, event: Seq) -> Result<bool, JournalError> {
    let purged = connection
        .prepare_cached(
            "SELECT EXISTS(SELECT 1 FROM forgotten JOIN forgetting ON forgetting.by = forgotten.by
                           WHERE forgotten.event = ?1 AND forgetting.purge = 1)",
        )?
        .query_row([as_i64(event)], |row| row.get(0))?;
    Ok(purged)
}
