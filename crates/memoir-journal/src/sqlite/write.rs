//! Appending: one transaction for a batch, in which every event finds out whether it is new.

use super::alike;
use super::chain::{self, Covered, Link};
use super::fuller::fuller;
use super::idrun::{self, as_i64, as_u64};
use super::ids::Ids;
use super::intern::{Interned, Origin, add_to_fact};
use super::read::Reader;
use super::streams::Streams;
use super::take_back::Hears;
use super::{cite, directive, forget, suppress, take_back};
use crate::body::Packed;
use crate::flags::{self, TimeSpelling};
use crate::{Cursor, JournalError, Outcome, RecordClass, Redacted, Seq};
use memoir_event::{Event, EventId, Identity, Key, KeyHasher, Keys, Kind, Said, Secrecy, Visibility};
use rusqlite::{CachedStatement, Connection, OptionalExtension};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What one append carries through its batch.
pub struct Appending<'a> {
    connection: &'a Connection,
    statements: Statements<'a>,
    interned: &'a mut Interned,
    hasher: &'a KeyHasher,
    takes_back: Option<Hears>,
    now_ms: i64,
    last: Seq,
    /// The last record before this append.
    before: Seq,
    chain: Link,
    has_tombstones: bool,
    /// What nameless events of a session said that are forgotten, for the sessions of this batch.
    said: HashMap<String, HashSet<Key>>,
    /// Whether anything of this batch was suppressed.
    suppressed: bool,
    ids: Ids,
    /// The origin of the event before: a stream rarely leaves one.
    origin: Option<(Origin, u32, Link)>,
    streams: Streams,
    totals: HashMap<u32, Totals>,
    new_events: u64,
    secrets: u64,
}

/// The statements that every event needs, looked up once for a batch.
struct Statements<'a> {
    insert_record: CachedStatement<'a>,
    insert_key: CachedStatement<'a>,
    find_key: CachedStatement<'a>,
    note_id: CachedStatement<'a>,
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
        secret: &[u8; 32],
        hasher: &'a KeyHasher,
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
        let has_tombstones = forget::has_any(connection)?;
        let statements = Statements {
            insert_record: connection.prepare_cached(
                "INSERT INTO record(seq, event, class, origin, shape, flags, ts_ms, lag_ms, number, keys, chain, body)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?,
            insert_key: connection.prepare_cached("INSERT INTO key(key, event) VALUES(?1, ?2)")?,
            find_key: connection.prepare_cached("SELECT event FROM key WHERE key = ?1")?,
            note_id: connection.prepare_cached("INSERT INTO id_tail(seq, prefix) VALUES(?1, ?2)")?,
        };
        Ok(Appending {
            connection,
            statements,
            interned,
            hasher,
            takes_back: None,
            now_ms,
            last,
            before: last,
            chain,
            has_tombstones,
            said: HashMap::new(),
            suppressed: false,
            ids: Ids::new(connection)?,
            origin: None,
            streams: Streams::default(),
            totals: HashMap::new(),
            new_events: 0,
            secrets: 0,
        })
    }

    /// The same, hearing when the user takes back what they said.
    pub fn hearing(self, takes_back: Option<Hears>) -> Appending<'a> {
        Appending { takes_back, ..self }
    }

    /// Appends one event.
    pub fn event(&mut self, redacted: &Redacted) -> Result<Outcome, JournalError> {
        let outcome = self.append(redacted)?;
        self.suppressed |= outcome == Outcome::Suppressed;
        Ok(outcome)
    }

    fn append(&mut self, redacted: &Redacted) -> Result<Outcome, JournalError> {
        let (event, keys) = (redacted.event(), redacted.keys());
        if self.has_tombstones && suppress::is_named(self.connection, self.hasher, event, keys)? {
            return Ok(Outcome::Suppressed);
        }
        if let Some(of) = self.find(event, keys)? {
            if self.has_tombstones && suppress::suppress_with(self.connection, of, keys)? {
                return Ok(Outcome::Suppressed);
            }
            return self.seen(of, event, keys);
        }
        if self.has_tombstones
            && (suppress::is_in_scope(self.connection, event, self.now_ms)?
                || suppress::is_of_turn(self.connection, self.hasher, event)?
                || cite::is_of_nothing_left(self.connection, event)?)
        {
            return Ok(Outcome::Suppressed);
        }
        if self.has_tombstones && (self.is_said_again(event)? || self.is_known_by_number(event, keys)?) {
            return Ok(Outcome::Suppressed);
        }
        let body = match redacted.body() {
            Some(body) => Cow::Borrowed(body),
            None => Cow::Owned(Packed::of(event, self.hasher)?),
        };
        let names = if has_record(event) || alike::comes_by_id(event) {
            self.free(keys)?
        } else {
            keys.all_names().copied().collect()
        };
        let (seq, id) = self.record(RecordClass::Event, None, event, &names, &body)?;
        self.bind(&names, seq)?;
        for place in &keys.growing {
            // The place may be another text's already: then this one is found by its names alone.
            self.bind_if_free(place, seq)?;
        }
        alike::note(self.connection, keys, seq, event)?;
        self.ids.remember_mirror(self.connection, event)?;
        if let Some(tombstones) = directive::apply(self.connection, seq, event)? {
            self.has_tombstones |= tombstones;
            suppress::note_to_come(self.connection, self.hasher, seq, event)?;
            self.said.clear();
        }
        self.new_events += 1;
        self.secrets += redacted.secrets();
        let takes_back = self.takes_back.filter(|_| take_back::is_said_by_user(event));
        if let Some(taken_back) = takes_back.and_then(|takes_back| takes_back(&event.content.plain())) {
            let stone = take_back::stone(self.connection, (seq, id), event, taken_back)?;
            self.append(&Redacted::own(stone, self.hasher))?;
        }
        Ok(Outcome::Stored { seq, id, at_ms: self.now_ms })
    }

    /// Whether nothing but what was given to it on the way in names a capture, and the same was said in its session and forgotten.
    fn is_said_again(&mut self, event: &Event) -> Result<bool, JournalError> {
        let is_given = |identity: &Identity| matches!(identity, Identity::Unique { .. } | Identity::Named(_));
        if !event.identities.iter().all(is_given) {
            return Ok(false);
        }
        let Some(key) = suppress::said_key(self.hasher, event).filter(|_| suppress::is_nameless(event)) else {
            return Ok(false);
        };
        if !self.said.contains_key(&event.session) {
            let said = suppress::said_in(self.connection, self.hasher, event)?;
            self.said.insert(event.session.clone(), said);
        }
        let is_forgotten = self.said.get(&event.session).is_some_and(|said| said.contains(&key));
        Ok(is_forgotten || suppress::was_said(self.connection, &key)?)
    }

    /// Whether the id that an event would get here, by the number that its stream gives it, was forgotten before it came.
    /// Its number is spent, so that what follows it gets the ids it has elsewhere; and its own names are forgotten with
    /// it, as it would get another number the next time.
    fn is_known_by_number(&mut self, event: &Event, keys: &Keys) -> Result<bool, JournalError> {
        if event.sequence.is_some() || !suppress::may_come_later(event.kind()) {
            return Ok(false);
        }
        let numbered = Event { sequence: Some(self.streams.expected(self.connection, event)?), ..event.clone() };
        let Some(id) = numbered.derived_id() else { return Ok(false) };
        let is_forgotten = suppress::suppress_by_id(self.connection, self.hasher, id, event, keys)?;
        if is_forgotten {
            self.streams.skip(self.connection, event)?;
        }
        Ok(is_forgotten)
    }

    /// The event that this is another capture of.
    fn find(&mut self, event: &Event, keys: &Keys) -> Result<Option<Seq>, JournalError> {
        if event.identities.iter().all(|identity| matches!(identity, Identity::Unique { .. })) {
            return Ok(None);
        }
        if let Some(of) = self.find_named(&keys.names)? {
            return Ok(Some(of));
        }
        if let Some(of) = self.ids.find_event(self.connection, event)? {
            return Ok(Some(of));
        }
        if let Some(of) = self.find_named(&keys.in_turn)?
            && !self.is_another(of, event, keys)?
        {
            return Ok(Some(of));
        }
        for place in &keys.growing {
            if let Some(of) = self.find_named(std::slice::from_ref(place))?
                && !self.is_elsewhere(of, event, keys)?
                && alike::continues(self.connection, of, event)?
            {
                return Ok(Some(of));
            }
        }
        if keys.alike.is_empty() { Ok(None) } else { alike::find(self.connection, keys, event, self.now_ms) }
    }

    /// Whether a text has another place than the event at `of`, which it may go on: what came together does, and what one
    /// source showed apart.
    fn is_elsewhere(&self, of: Seq, event: &Event, keys: &Keys) -> Result<bool, JournalError> {
        if alike::comes_by_id(event) && (of > self.before || self.was_brought(of, keys)?) {
            return Ok(true);
        }
        let is_apart = has_record(event) || alike::comes_by_id(event);
        Ok(is_apart && Reader::new(self.connection).is_seen_by(of, event.source)?)
    }

    /// Whether the event at `of`, which may say something else than what has these keys, came by an id.
    fn was_brought(&self, of: Seq, keys: &Keys) -> Result<bool, JournalError> {
        if alike::came_by_id(self.connection, keys, of)? {
            return Ok(true);
        }
        let Some(known) = Reader::new(self.connection).fullest(of)? else { return Ok(false) };
        let identities = vec![Identity::Alike(Said::Content)];
        alike::came_by_id(self.connection, &self.hasher.keys(&Event { identities, ..known.event }), of)
    }

    /// Whether the capture has a record of its own and the event at `of` was another record of the same source: that
    /// source shows each thing in one record. And what came by ids together, or from one source, is told apart by them.
    fn is_another(&self, of: Seq, event: &Event, keys: &Keys) -> Result<bool, JournalError> {
        let is_seen = || Reader::new(self.connection).is_seen_by(of, event.source);
        if alike::comes_by_id(event) {
            return Ok(alike::came_by_id(self.connection, keys, of)? && (of > self.before || is_seen()?));
        }
        Ok(has_record(event) && is_seen()? && self.came_in_record(of, event)?)
    }

    /// Whether one of the captures of the event at `of` had a record with a name: copies of a session may have none.
    fn came_in_record(&self, of: Seq, event: &Event) -> Result<bool, JournalError> {
        let mut names = self.connection.prepare_cached("SELECT keys FROM record WHERE seq = ?1 OR event = ?1")?;
        let mut rows = names.query([as_i64(of)])?;
        while let Some(row) = rows.next()? {
            let keys: Vec<u8> = row.get(0)?;
            let mut keys = keys.chunks(20).filter_map(Key::from_bytes);
            if keys.any(|key| self.hasher.is_of_record(&key, event)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn find_named(&mut self, keys: &[Key]) -> Result<Option<Seq>, JournalError> {
        for key in keys {
            if let Some(event) = self.statements.find_key.query_row([key.as_bytes()], |row| row.get(0)).optional()? {
                return Ok(Some(as_u64(event)));
            }
        }
        Ok(None)
    }

    /// Its names that nothing has yet.
    fn free(&mut self, keys: &Keys) -> Result<Vec<Key>, JournalError> {
        let mut free = Vec::with_capacity(keys.names.len() + keys.in_turn.len());
        for key in keys.all_names() {
            if self.find_named(std::slice::from_ref(key))?.is_none() {
                free.push(*key);
            }
        }
        Ok(free)
    }

    fn bind(&mut self, keys: &[Key], event: Seq) -> Result<(), JournalError> {
        for key in keys {
            self.statements.insert_key.execute((key.as_bytes(), as_i64(event)))?;
        }
        Ok(())
    }

    fn bind_if_free(&self, key: &Key, event: Seq) -> Result<(), JournalError> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO key(key, event) VALUES(?1, ?2)")?
            .execute((key.as_bytes(), as_i64(event)))?;
        Ok(())
    }

    /// A known event was captured again: fuller, from somewhere new, or neither.
    fn seen(&mut self, of: Seq, event: &Event, keys: &Keys) -> Result<Outcome, JournalError> {
        let mut reader = Reader::new(self.connection);
        let Some(known) = reader.fullest(of)? else {
            return Err(JournalError::Damaged(format!("record {of} has a key but is missing")));
        };
        let seen_before = reader.is_seen_by(of, event.source)?;
        let (id, at_ms) = (known.id, known.at_ms);
        let fuller = fuller(event, &known.event);
        // A copy of it in another session has no name there: what is said there later is something else.
        let is_copy = known.event.session != event.session;
        let new_keys = if is_copy { Vec::new() } else { self.free(keys)? };
        if !is_copy {
            for place in &keys.growing {
                self.bind_if_free(place, of)?;
            }
            alike::note(self.connection, keys, of, event)?;
        }
        let (class, body) = if let Some(fuller) = &fuller {
            (RecordClass::Revision, Packed::of(fuller, self.hasher)?)
        } else if !new_keys.is_empty() || !seen_before || self.brings_new_id(event)? {
            (RecordClass::Sighting, Packed::of_sighting(event, self.hasher)?)
        } else {
            return Ok(Outcome::SeenAgain { of, id, at_ms });
        };
        let (seq, _) = self.record(class, Some(of), event, &new_keys, &body)?;
        self.ids.remember_mirror(self.connection, event)?;
        self.bind(&new_keys, of)?;
        if class == RecordClass::Revision {
            cite::note(self.connection, of, event)?;
        }
        Ok(if fuller.is_some() {
            Outcome::Revised { seq, of, id, at_ms }
        } else {
            Outcome::SeenAgain { of, id, at_ms }
        })
    }

    /// Whether another journal knows it under an id that nothing here has: brought again, it is known by that.
    fn brings_new_id(&mut self, event: &Event) -> Result<bool, JournalError> {
        Ok(alike::comes_by_id(event) && self.ids.find_event(self.connection, event)?.is_none())
    }

    /// Writes one record and its link.
    fn record(
        &mut self,
        class: RecordClass,
        of: Option<Seq>,
        event: &Event,
        keys: &[Key],
        body: &Packed,
    ) -> Result<(Seq, EventId), JournalError> {
        let (origin, origin_hash) = self.origin_of(event)?;
        let shape = self.interned.shape(self.connection, &event.shape)?;
        let number = match event.sequence {
            Some(number) => number,
            None => self.streams.next(self.connection, origin, event)?,
        };
        let spelling = TimeSpelling::of(event.time.as_ref());
        let said_ms = event.time.as_ref().map(memoir_event::Time::ms);
        let ts_ms = said_ms.or(event.captured_ms).unwrap_or(self.now_ms);
        let given = event.time.as_ref().map_or("", memoir_event::Time::given);
        let id = EventId::derive(event.source, event.thread.as_deref(), number, &event.shape.event_type, given);
        let seq = self.last + 1;
        let covered = Covered {
            seq,
            event: of,
            class: class_code(class),
            origin: &origin_hash,
            shape: &event.shape,
            flags: flags::pack(event, spelling),
            ts_ms,
            lag_ms: self.now_ms - ts_ms,
            number,
            keys: &keys.iter().flat_map(|key| *key.as_bytes()).collect::<Vec<u8>>(),
        };
        let link = chain::link(&self.chain, &covered, &body.hash);
        self.statements.insert_record.execute(rusqlite::params![
            as_i64(seq),
            of.map(as_i64),
            covered.class,
            origin,
            shape,
            covered.flags,
            ts_ms,
            covered.lag_ms,
            as_i64(number),
            covered.keys,
            link,
            (!body.bytes.is_empty()).then_some(body.bytes.as_slice()),
        ])?;
        self.statements.note_id.execute((as_i64(seq), id.prefix().cast_signed()))?;
        self.ids.note(id, seq);
        self.last = seq;
        self.chain = link;
        if class == RecordClass::Event {
            self.add_to_totals(origin, seq, ts_ms, event);
        }
        Ok((seq, id))
    }

    fn origin_of(&mut self, event: &Event) -> Result<(u32, Link), JournalError> {
        if let Some((origin, no, hash)) = &self.origin
            && origin.is_of(event)
        {
            return Ok((*no, *hash));
        }
        let origin = Origin::of(event);
        let (no, hash) = self.interned.origin(self.connection, &origin)?;
        self.origin = Some((origin, no, hash));
        Ok((no, hash))
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
        self.streams.write(self.connection, cursors)?;
        if self.suppressed {
            suppress::note_read_over(self.connection, cursors)?;
        }
        add_to_fact(self.connection, "events", self.new_events)?;
        add_to_fact(self.connection, "redactions", self.secrets)?;
        idrun::tidy(self.connection)
    }
}

/// Whether the client keeps it in a record with an id: another record may then have its place in the turn.
fn has_record(event: &Event) -> bool {
    event.identities.iter().any(|identity| matches!(identity, Identity::Record { .. }))
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
