//! Reading records back into events.

use super::chain::Link;
use super::directive;
use super::fuller::is_of_agent;
use super::idrun::{self, as_i64, as_u64};
use super::intern::Numbered;
use super::write::class_of;
use crate::body::{self, Body};
use crate::flags::Flags;
use crate::{Change, JournalError, Lookup, RecordClass, Seq, Sighting, StoredEvent, View};
use memoir_event::{Content, Event, EventId, Key, Source};
use rusqlite::{Connection, OptionalExtension, Row};

/// One row of the record table.
pub struct Record {
    pub seq: Seq,
    pub event: Option<Seq>,
    pub class: RecordClass,
    pub origin: u32,
    pub shape: u32,
    pub flags: u32,
    pub ts_ms: i64,
    pub lag_ms: i64,
    pub number: u64,
    pub keys: Vec<u8>,
    pub chain: Link,
    pub body: Option<Vec<u8>>,
}

const COLUMNS: &str = "seq, event, class, origin, shape, flags, ts_ms, lag_ms, number, keys, chain, body";

impl Record {
    fn from_row(row: &Row<'_>) -> Result<Record, rusqlite::Error> {
        let code: u8 = row.get(2)?;
        Ok(Record {
            seq: as_u64(row.get(0)?),
            event: row.get::<_, Option<i64>>(1)?.map(as_u64),
            class: class_of(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(2, i64::from(code)))?,
            origin: row.get(3)?,
            shape: row.get(4)?,
            flags: row.get(5)?,
            ts_ms: row.get(6)?,
            lag_ms: row.get(7)?,
            number: as_u64(row.get(8)?),
            keys: row.get(9)?,
            chain: row.get(10)?,
            body: row.get(11)?,
        })
    }

    /// The unpacked body; a record without one has an empty one.
    pub fn unpacked(&self) -> Result<Vec<u8>, JournalError> {
        let unpacked = self.body.as_deref().map_or_else(|| Ok(Vec::new()), body::unpack);
        unpacked.map_err(|problem| JournalError::Damaged(format!("record {}: {problem}", self.seq)))
    }
}

/// Reads through one connection, remembering what records share.
pub struct Reader<'a> {
    connection: &'a Connection,
    pub numbered: Numbered,
    has_aliases: Option<bool>,
}

impl<'a> Reader<'a> {
    pub fn new(connection: &'a Connection) -> Reader<'a> {
        Reader { connection, numbered: Numbered::default(), has_aliases: None }
    }

    /// The record at that place.
    pub fn record(&self, seq: Seq) -> Result<Option<Record>, JournalError> {
        let mut find = self.connection.prepare_cached(&format!("SELECT {COLUMNS} FROM record WHERE seq = ?1"))?;
        Ok(find.query_row([as_i64(seq)], Record::from_row).optional()?)
    }

    /// Records after that place, in order.
    pub fn records_after(&self, after: Seq, limit: usize) -> Result<Vec<Record>, JournalError> {
        let mut find = self
            .connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM record WHERE seq > ?1 ORDER BY seq LIMIT ?2"))?;
        let rows = find.query_map((as_i64(after), i64::try_from(limit).unwrap_or(i64::MAX)), Record::from_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The event whose first record is at `seq`, as its last revision tells it.
    pub fn fullest(&mut self, seq: Seq) -> Result<Option<StoredEvent>, JournalError> {
        let Some(first) = self.record(seq)? else { return Ok(None) };
        if first.class != RecordClass::Event {
            return Ok(None);
        }
        let mut stored = self.stored(&first)?;
        let mut revisions = self
            .connection
            .prepare_cached("SELECT seq, origin FROM record WHERE event = ?1 AND class = 1 ORDER BY seq DESC")?;
        let revisions = revisions.query_map([as_i64(seq)], |row| Ok((as_u64(row.get(0)?), row.get(1)?)))?;
        let revisions: Vec<(Seq, u32)> = revisions.collect::<Result<_, _>>()?;
        if let Some((last, _)) = revisions.first()
            && let Some(last) = self.record(*last)?
        {
            let fuller = self.stored(&last)?;
            for (_, origin) in &revisions {
                if !is_of_agent(&stored.event) {
                    let origin = self.numbered.origin(self.connection, *origin)?;
                    if origin.session == stored.event.session {
                        stored.event.thread.clone_from(&origin.thread);
                    }
                }
            }
            stored.event.content = fuller.event.content;
            stored.event.metadata = fuller.event.metadata.or(stored.event.metadata);
            stored.event.meta = fuller.event.meta.or(stored.event.meta);
            stored.event.reasoning = fuller.event.reasoning;
            stored.event.turn = fuller.event.turn.or(stored.event.turn);
            stored.event.topic = fuller.event.topic.or(stored.event.topic);
            stored.event.action = fuller.event.action.or(stored.event.action);
        }
        Ok(Some(stored))
    }

    /// Whether any capture of the event at `seq` gave it a name.
    pub fn has_name(&self, seq: Seq) -> Result<bool, JournalError> {
        let mut find = self.connection.prepare_cached(
            "SELECT EXISTS(SELECT 1 FROM record WHERE seq = ?1 AND length(keys) > 0)
                 OR EXISTS(SELECT 1 FROM record WHERE event = ?1 AND length(keys) > 0)",
        )?;
        Ok(find.query_row([as_i64(seq)], |row| row.get(0))?)
    }

    /// What one record says.
    pub fn stored(&mut self, record: &Record) -> Result<StoredEvent, JournalError> {
        let damaged = |what: &str| JournalError::Damaged(format!("record {}: {what}", record.seq));
        let flags = Flags::unpack(record.flags).ok_or_else(|| damaged("unknown flags"))?;
        let unpacked = record.unpacked()?;
        let mut body =
            (!unpacked.is_empty()).then(|| Body::decode(&unpacked).map_err(|problem| damaged(&problem))).transpose()?;
        let shape = self.numbered.shape(self.connection, record.shape)?.clone();
        let origin = self.numbered.origin(self.connection, record.origin)?;
        let time = flags.spelling.spell(record.ts_ms, body.as_ref().and_then(|body| body.time.as_deref()));
        let given = time.as_ref().map_or("", memoir_event::Time::given);
        let id = EventId::derive(origin.source, origin.thread.as_deref(), record.number, &shape.event_type, given);
        let mut event = Event {
            source: origin.source,
            client: origin.client,
            adapter: None,
            repo: origin.repo.clone(),
            actor: origin.actor.clone(),
            session: origin.session.clone(),
            thread: origin.thread.clone(),
            turn: None,
            topic: None,
            action: None,
            time,
            captured_ms: None,
            sequence: Some(record.number),
            shape,
            speaker: flags.speaker,
            visibility: flags.visibility,
            secrecy: flags.secrecy,
            reasoning: flags.reasoning,
            content: body.as_mut().map_or_else(|| Content::Text(String::new()), Body::take_content),
            metadata: None,
            meta: None,
            identities: Vec::new(),
        };
        if let Some(body) = body {
            event.adapter = body.adapter;
            event.turn = body.turn;
            event.topic = body.topic;
            event.action = body.action;
            event.metadata = body.metadata;
            event.meta = body.meta;
        }
        if self.has_aliases()? {
            event.repo = directive::project_of(self.connection, event.client, &event.session, &event.repo)?;
        }
        Ok(StoredEvent {
            seq: record.seq,
            id,
            keys: record.keys.chunks(20).filter_map(Key::from_bytes).collect(),
            ts_ms: record.ts_ms,
            at_ms: record.ts_ms + record.lag_ms,
            origin: record.origin,
            shape: record.shape,
            event,
        })
    }

    fn has_aliases(&mut self) -> Result<bool, JournalError> {
        if let Some(known) = self.has_aliases {
            return Ok(known);
        }
        let has: bool =
            self.connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM alias)")?.query_row([], |row| row.get(0))?;
        Ok(*self.has_aliases.insert(has))
    }

    /// Whether the view shows the event.
    pub fn is_shown(&self, event: &StoredEvent, view: &View) -> Result<bool, JournalError> {
        if !view.admits(event.event.visibility, event.event.secrecy) {
            return Ok(false);
        }
        let (forgotten, superseded): (bool, bool) = self
            .connection
            .prepare_cached(
                "SELECT EXISTS(SELECT 1 FROM forgotten WHERE event = ?1), EXISTS(SELECT 1 FROM superseded WHERE event = ?1)",
            )?
            .query_row([as_i64(event.seq)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(!forgotten && (view.shows_history() || !superseded))
    }

    /// The events at those places that the view shows, in that order.
    pub fn events(&mut self, seqs: &[Seq], view: &View) -> Result<Vec<StoredEvent>, JournalError> {
        let mut events = Vec::with_capacity(seqs.len());
        for seq in seqs {
            if let Some(event) = self.fullest(*seq)?
                && self.is_shown(&event, view)?
            {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// The event that an id or a UUID names.
    pub fn lookup(&mut self, lookup: &Lookup, view: &View) -> Result<Option<StoredEvent>, JournalError> {
        let prefix = match lookup {
            Lookup::Id(id) => id.prefix(),
            Lookup::Uuid(uuid) => uuid.id_prefix(),
        };
        for seq in idrun::find(self.connection, prefix)? {
            let Some(record) = self.record(seq)? else { continue };
            let captured = self.stored(&record)?;
            let Some(event) = self.fullest(record.event.unwrap_or(seq))? else { continue };
            let named = match lookup {
                Lookup::Id(id) => captured.id == *id,
                Lookup::Uuid(uuid) => event.uuid() == *uuid,
            };
            if named && self.is_shown(&event, view)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The events of which one of the records at `places` has that id.
    pub fn events_of(&mut self, id: EventId, places: &[Seq]) -> Result<Vec<Seq>, JournalError> {
        let mut found = Vec::new();
        for seq in places {
            let Some(record) = self.record(*seq)? else { continue };
            if self.stored(&record)?.id == id {
                found.push(record.event.unwrap_or(*seq));
            }
        }
        Ok(found)
    }

    /// The change feed.
    pub fn changes(&mut self, after: Seq, limit: usize) -> Result<Vec<Change>, JournalError> {
        let records = self.records_after(after, limit)?;
        records
            .into_iter()
            .map(|record| match (record.class, record.event) {
                (RecordClass::Event, _) => Ok(Change::Event(Box::new(self.stored(&record)?))),
                (RecordClass::Revision, Some(of)) => {
                    let event = self.fullest(of)?;
                    let event = event.ok_or_else(|| JournalError::Damaged(format!("record {of} is missing")))?;
                    Ok(Change::Revision { seq: record.seq, event: Box::new(event) })
                }
                (_, of) => Ok(Change::Sighting { seq: record.seq, of: of.unwrap_or(record.seq) }),
            })
            .collect()
    }

    /// Whether that way of capture has shown the event.
    pub fn is_seen_by(&mut self, seq: Seq, source: Source) -> Result<bool, JournalError> {
        let mut origins = self.connection.prepare_cached("SELECT origin FROM record WHERE seq = ?1 OR event = ?1")?;
        let mut rows = origins.query([as_i64(seq)])?;
        while let Some(row) = rows.next()? {
            if self.numbered.origin(self.connection, row.get(0)?)?.source == source {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Every capture of an event.
    pub fn sightings(&mut self, seq: Seq) -> Result<Vec<Sighting>, JournalError> {
        let others: Vec<i64> = self
            .connection
            .prepare_cached("SELECT seq FROM record WHERE event = ?1 ORDER BY seq")?
            .query_map([as_i64(seq)], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut sightings = Vec::with_capacity(others.len() + 1);
        for place in std::iter::once(seq).chain(others.into_iter().map(as_u64)) {
            let Some(record) = self.record(place)? else { continue };
            let captured = self.stored(&record)?;
            let source: Source = captured.event.source;
            sightings.push(Sighting {
                seq: place,
                class: record.class,
                source,
                id: captured.id,
                at_ms: captured.at_ms,
            });
        }
        Ok(sightings)
    }
}
