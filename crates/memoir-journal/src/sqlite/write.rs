//! Appending: one transaction for a batch, in which every event finds out whether it is new.

use super::body;
use super::chain::{self, Covered, Link};
use super::directive;
use super::flags::{self, TimeSpelling};
use super::idrun::{self, as_i64, as_u64};
use super::intern::{Interned, Origin, add_to_fact};
use super::read::Reader;
use crate::{Cursor, JournalError, Outcome, RecordClass, Redacted, Seq};
use memoir_event::{Event, EventId, Identity, Key, Kind, Secrecy, Visibility};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

/// What one append carries through its batch.
pub struct Appending<'a> {
    connection: &'a Connection,
    interned: &'a mut Interned,
    secret: &'a [u8; 32],
    now_ms: i64,
    last: Seq,
    chain: Link,
    has_tombstones: bool,
    counters: HashMap<String, u64>,
    totals: HashMap<u32, Totals>,
    new_events: u64,
    secrets: u64,
    bytes: Vec<u8>,
    packed: Vec<u8>,
}

/// What a batch adds to an origin.
#[derive(Default)]
struct Totals {
    events: u64,
    open_events: u64,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
    first_prompt: Option<Seq>,
}

impl<'a> Appending<'a> {
    /// Begins inside a transaction that already holds the write lock.
    pub fn begin(
        connection: &'a Connection,
        interned: &'a mut Interned,
        secret: &'a [u8; 32],
        now_ms: i64,
    ) -> Result<Appending<'a>, JournalError> {
        let present: [u8; 32] = connection
            .prepare_cached("SELECT value FROM fact WHERE name = 'secret'")?
            .query_row([], |row| row.get(0))?;
        if present != *secret {
            return Err(JournalError::Replaced);
        }
        let tail = connection
            .prepare_cached("SELECT seq, chain FROM record ORDER BY seq DESC LIMIT 1")?
            .query_row([], |row| Ok((as_u64(row.get(0)?), row.get::<_, Link>(1)?)))
            .optional()?;
        let (last, chain) = tail.unwrap_or((0, chain::START));
        let has_tombstones =
            connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM tombstone)")?.query_row([], |row| row.get(0))?;
        Ok(Appending {
            connection,
            interned,
            secret,
            now_ms,
            last,
            chain,
            has_tombstones,
            counters: HashMap::new(),
            totals: HashMap::new(),
            new_events: 0,
            secrets: 0,
            bytes: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// Appends one event.
    pub fn event(&mut self, redacted: &Redacted) -> Result<Outcome, JournalError> {
        let (event, keys) = (redacted.event(), redacted.keys());
        if self.has_tombstones && self.is_forgotten(keys)? {
            return Ok(Outcome::Suppressed);
        }
        let never_known = event.identities.iter().all(|identity| matches!(identity, Identity::Unique { .. }));
        if !never_known && let Some(of) = self.find(keys)? {
            return self.seen(of, event, keys);
        }
        let (seq, id) = self.record(RecordClass::Event, None, event, keys)?;
        let mut insert = self.connection.prepare_cached("INSERT INTO key(key, event) VALUES(?1, ?2)")?;
        for key in keys {
            insert.execute((key.as_bytes(), as_i64(seq)))?;
        }
        if let Some(tombstones) = directive::apply(self.connection, seq, event)? {
            self.has_tombstones |= tombstones;
        }
        self.new_events += 1;
        self.secrets += redacted.secrets();
        Ok(Outcome::Stored { seq, id, at_ms: self.now_ms })
    }

    fn is_forgotten(&self, keys: &[Key]) -> Result<bool, JournalError> {
        let mut find = self.connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM tombstone WHERE key = ?1)")?;
        for key in keys {
            if find.query_row([key.as_bytes()], |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn find(&self, keys: &[Key]) -> Result<Option<Seq>, JournalError> {
        let mut find = self.connection.prepare_cached("SELECT event FROM key WHERE key = ?1")?;
        for key in keys {
            if let Some(event) = find.query_row([key.as_bytes()], |row| row.get(0)).optional()? {
                return Ok(Some(as_u64(event)));
            }
        }
        Ok(None)
    }

    /// A known event was captured again: fuller, from somewhere new, or neither.
    fn seen(&mut self, of: Seq, event: &Event, keys: &[Key]) -> Result<Outcome, JournalError> {
        let mut reader = Reader::new(self.connection);
        let Some(known) = reader.fullest(of)? else {
            return Err(JournalError::Damaged(format!("record {of} has a key but is missing")));
        };
        let first_source = reader.sightings(of)?;
        let (id, at_ms) = (known.id, known.at_ms);
        let fuller = event.content.verbatim().len() > known.event.content.verbatim().len();
        let new_keys = self.unknown(keys)?;
        let class = if fuller {
            RecordClass::Revision
        } else if !new_keys.is_empty() || !first_source.iter().any(|sighting| sighting.source == event.source) {
            RecordClass::Sighting
        } else {
            return Ok(Outcome::SeenAgain { of, id, at_ms });
        };
        let (seq, _) = self.record(class, Some(of), event, &new_keys)?;
        let mut insert = self.connection.prepare_cached("INSERT INTO key(key, event) VALUES(?1, ?2)")?;
        for key in &new_keys {
            insert.execute((key.as_bytes(), as_i64(of)))?;
        }
        Ok(if fuller { Outcome::Revised { seq, of, id, at_ms } } else { Outcome::SeenAgain { of, id, at_ms } })
    }

    fn unknown(&self, keys: &[Key]) -> Result<Vec<Key>, JournalError> {
        let mut unknown = Vec::new();
        for key in keys {
            if self.find(std::slice::from_ref(key))?.is_none() {
                unknown.push(*key);
            }
        }
        Ok(unknown)
    }

    /// Writes one record and its link.
    fn record(
        &mut self,
        class: RecordClass,
        of: Option<Seq>,
        event: &Event,
        keys: &[Key],
    ) -> Result<(Seq, EventId), JournalError> {
        let (origin, origin_hash) = self.interned.origin(self.connection, &Origin::of(event))?;
        let shape = self.interned.shape(self.connection, &event.shape)?;
        let number = match event.sequence {
            Some(number) => number,
            None => self.count(event)?,
        };
        let spelling = TimeSpelling::of(event.time.as_ref());
        let ts_ms = event.time.as_ref().map_or(self.now_ms, memoir_event::Time::ms);
        let given = event.time.as_ref().map_or("", memoir_event::Time::given);
        let id = EventId::derive(event.source, event.thread.as_deref(), number, &event.shape.event_type, given);
        let seq = self.last + 1;
        let flags = flags::pack(event, spelling);
        let key_bytes: Vec<u8> = keys.iter().flat_map(|key| *key.as_bytes()).collect();

        self.bytes.clear();
        if class != RecordClass::Sighting {
            let time = (spelling == TimeSpelling::Body).then_some(given);
            body::encode(event, time, &mut self.bytes)?;
        } else if spelling == TimeSpelling::Body {
            // A sighting says nothing new, but its id still needs the exact time it gave.
            body::encode_time_only(given, &mut self.bytes)?;
        }
        let has_body = !self.bytes.is_empty();
        if has_body {
            body::pack(&self.bytes, &mut self.packed);
        }
        let lag_ms = self.now_ms - ts_ms;
        let class_code = class_code(class);
        let covered = Covered {
            seq,
            event: of,
            class: class_code,
            origin: &origin_hash,
            shape: &event.shape,
            flags,
            ts_ms,
            lag_ms,
            number,
            keys: &key_bytes,
        };
        let link = chain::link(&self.chain, &covered, &chain::body_hash(self.secret, &self.bytes));
        self.connection
            .prepare_cached(
                "INSERT INTO record(seq, event, class, origin, shape, flags, ts_ms, lag_ms, number, keys, chain, body)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(rusqlite::params![
                as_i64(seq),
                of.map(as_i64),
                class_code,
                origin,
                shape,
                flags,
                ts_ms,
                lag_ms,
                as_i64(number),
                key_bytes,
                link,
                has_body.then_some(self.packed.as_slice()),
            ])?;
        idrun::note(self.connection, seq, id.prefix())?;
        self.last = seq;
        self.chain = link;
        if class == RecordClass::Event {
            self.add_to_totals(origin, seq, ts_ms, event);
        }
        Ok((seq, id))
    }

    /// The next number of a stream that the journal counts itself.
    fn count(&mut self, event: &Event) -> Result<u64, JournalError> {
        let stream = format!("{}|{}", event.source, event.thread.as_deref().unwrap_or("no-thread"));
        let next = match self.counters.get(&stream) {
            Some(last) => last + 1,
            None => {
                self.connection
                    .prepare_cached("SELECT sequence FROM cursor WHERE stream = ?1")?
                    .query_row([&stream], |row| row.get(0))
                    .optional()?
                    .map_or(0, as_u64)
                    + 1
            }
        };
        self.counters.insert(stream, next);
        Ok(next)
    }

    fn add_to_totals(&mut self, origin: u32, seq: Seq, ts_ms: i64, event: &Event) {
        let totals = self.totals.entry(origin).or_default();
        totals.events += 1;
        let open = event.visibility == Visibility::Normal && event.secrecy != Secrecy::Secret;
        totals.open_events += u64::from(open);
        totals.first_ms = Some(totals.first_ms.map_or(ts_ms, |first| first.min(ts_ms)));
        totals.last_ms = Some(totals.last_ms.map_or(ts_ms, |last| last.max(ts_ms)));
        if open && event.kind() == Kind::UserMessage {
            totals.first_prompt.get_or_insert(seq);
        }
    }

    /// Writes what the batch added up to. The caller commits.
    pub fn finish(self, cursors: &[Cursor]) -> Result<(), JournalError> {
        let mut update = self.connection.prepare_cached(
            "UPDATE origin SET events = events + ?2, open_events = open_events + ?3,
               first_ms = min(coalesce(first_ms, ?4), ?4), last_ms = max(coalesce(last_ms, ?5), ?5),
               first_prompt = coalesce(first_prompt, ?6)
             WHERE no = ?1",
        )?;
        for (origin, totals) in &self.totals {
            update.execute((
                origin,
                as_i64(totals.events),
                as_i64(totals.open_events),
                totals.first_ms,
                totals.last_ms,
                totals.first_prompt.map(as_i64),
            ))?;
        }
        let counted = self.counters.iter().map(|(stream, sequence)| (stream.as_str(), *sequence, ""));
        let moved = cursors.iter().map(|cursor| (cursor.stream.as_str(), cursor.sequence, cursor.position.as_str()));
        let mut move_to = self.connection.prepare_cached(
            "INSERT INTO cursor(stream, sequence, position) VALUES(?1, ?2, ?3)
             ON CONFLICT(stream) DO UPDATE SET sequence = excluded.sequence, position = excluded.position",
        )?;
        for (stream, sequence, position) in counted.chain(moved) {
            move_to.execute((stream, as_i64(sequence), position))?;
        }
        add_to_fact(self.connection, "events", self.new_events)?;
        add_to_fact(self.connection, "redactions", self.secrets)?;
        idrun::tidy(self.connection)
    }
}

/// The stored code of a record's class.
pub const fn class_code(class: RecordClass) -> u8 {
    match class {
        RecordClass::Event => 0,
        RecordClass::Revision => 1,
        RecordClass::Sighting => 2,
    }
}

/// The class behind a stored code.
pub const fn class_of(code: u8) -> Option<RecordClass> {
    match code {
        0 => Some(RecordClass::Event),
        1 => Some(RecordClass::Revision),
        2 => Some(RecordClass::Sighting),
        _ => None,
    }
}
