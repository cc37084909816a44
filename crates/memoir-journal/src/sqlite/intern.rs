//! Origins and shapes: what many records share is stored once and referred to by number.

use super::chain::{Link, origin_hash};
use crate::{JournalError, OriginEntry};
use memoir_event::{Client, Event, Kind, Shape, Source};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Where an event comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub source: Source,
    pub client: Option<Client>,
    pub session: String,
    pub thread: Option<String>,
    pub repo: String,
    pub actor: Option<String>,
}

impl Origin {
    pub fn of(event: &Event) -> Origin {
        Origin {
            source: event.source,
            client: event.client,
            session: event.session.clone(),
            thread: event.thread.clone(),
            repo: event.repo.clone(),
            actor: event.actor.clone(),
        }
    }

    /// Whether that is where the event comes from.
    pub fn is_of(&self, event: &Event) -> bool {
        self.source == event.source
            && self.client == event.client
            && self.session == event.session
            && self.thread == event.thread
            && self.repo == event.repo
            && self.actor == event.actor
    }

    pub fn hash(&self) -> Link {
        let texts = [Some(self.session.as_str()), self.thread.as_deref(), Some(&self.repo), self.actor.as_deref()];
        origin_hash(self.source.code(), client_code(self.client), texts)
    }
}

/// The stored code of a client; 0 is none.
pub fn client_code(client: Option<Client>) -> u8 {
    client.map_or(0, Client::code)
}

/// Origins and shapes that this process has met. Their rows never change, so what is known stays true.
#[derive(Default)]
pub struct Interned {
    origins: HashMap<Origin, (u32, Link)>,
    shapes: HashMap<Shape, u32>,
}

/// A long-lived process forgets its origins and shapes beyond this many, so that its memory stays bounded.
const ORIGINS_MAX: usize = 20_000;

impl Interned {
    /// Forgets everything: a rolled-back transaction may have taken rows away again.
    pub fn clear(&mut self) {
        self.origins.clear();
        self.shapes.clear();
    }

    /// The number and hash of an origin, which is stored if it is new.
    pub fn origin(&mut self, connection: &Connection, origin: &Origin) -> Result<(u32, Link), JournalError> {
        if let Some(known) = self.origins.get(origin) {
            return Ok(*known);
        }
        let client = client_code(origin.client);
        // A project has any number of sessions: left to itself, SQLite looks through all of them.
        let found = connection
            .prepare_cached(
                "SELECT no FROM origin INDEXED BY origin_session WHERE session = ?1 AND source = ?2 AND client = ?3 AND thread IS ?4 AND repo = ?5 AND actor IS ?6",
            )?
            .query_row(
                (&origin.session, origin.source.code(), client, &origin.thread, &origin.repo, &origin.actor),
                |row| row.get(0),
            )
            .optional()?;
        let no = match found {
            Some(no) => no,
            None => insert_origin(connection, origin)?,
        };
        if self.origins.len() >= ORIGINS_MAX {
            self.origins.clear();
        }
        let entry = (no, origin.hash());
        self.origins.insert(origin.clone(), entry);
        Ok(entry)
    }

    /// The number of a shape, which is stored if it is new.
    pub fn shape(&mut self, connection: &Connection, shape: &Shape) -> Result<u32, JournalError> {
        if let Some(no) = self.shapes.get(shape) {
            return Ok(*no);
        }
        let fields = (shape.kind.code(), &shape.event_type, &shape.item_type);
        let found = connection
            .prepare_cached("SELECT no FROM shape WHERE kind = ?1 AND event_type = ?2 AND item_type IS ?3")?
            .query_row(fields, |row| row.get(0))
            .optional()?;
        let no = match found {
            Some(no) => no,
            None => connection
                .prepare_cached("INSERT INTO shape(kind, event_type, item_type) VALUES(?1, ?2, ?3) RETURNING no")?
                .query_row(fields, |row| row.get(0))?,
        };
        if self.shapes.len() >= ORIGINS_MAX {
            self.shapes.clear();
        }
        self.shapes.insert(shape.clone(), no);
        Ok(no)
    }
}

fn insert_origin(connection: &Connection, origin: &Origin) -> Result<u32, JournalError> {
    let client = client_code(origin.client);
    let known_session: bool = connection
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM origin WHERE session = ?1 AND client = ?2)")?
        .query_row((&origin.session, client), |row| row.get(0))?;
    if !known_session && origin.source != Source::Memoir {
        add_to_fact(connection, "sessions", 1)?;
    }
    let no = connection
        .prepare_cached(
            "INSERT INTO origin(source, client, session, thread, repo, actor) VALUES(?1, ?2, ?3, ?4, ?5, ?6) RETURNING no",
        )?
        .query_row(
            (origin.source.code(), client, &origin.session, &origin.thread, &origin.repo, &origin.actor),
            |row| row.get(0),
        )?;
    Ok(no)
}

/// Adds to a running total.
pub fn add_to_fact(connection: &Connection, name: &str, by: u64) -> Result<(), JournalError> {
    if by > 0 {
        connection
            .prepare_cached(
                "INSERT INTO fact(name, value) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = value + excluded.value",
            )?
            .execute((name, i64::try_from(by).unwrap_or(i64::MAX)))?;
    }
    Ok(())
}

/// A running total.
pub fn fact(connection: &Connection, name: &str) -> Result<u64, JournalError> {
    let value: Option<i64> = connection
        .prepare_cached("SELECT value FROM fact WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(value.map_or(0, |value| u64::try_from(value).unwrap_or(0)))
}

/// Origins and shapes by number, for reading.
#[derive(Default)]
pub struct Numbered {
    origins: HashMap<u32, Origin>,
    shapes: HashMap<u32, Shape>,
}

impl Numbered {
    /// The origin of that number.
    pub fn origin(&mut self, connection: &Connection, no: u32) -> Result<&Origin, JournalError> {
        if self.origins.len() >= ORIGINS_MAX {
            self.origins.clear();
        }
        match self.origins.entry(no) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(slot) => {
                let origin = connection
                    .prepare_cached("SELECT source, client, session, thread, repo, actor FROM origin WHERE no = ?1")?
                    .query_row([no], |row| {
                        Ok(Origin {
                            source: Source::from_code(row.get(0)?).unwrap_or(Source::Memoir),
                            client: Client::from_code(row.get(1)?),
                            session: row.get(2)?,
                            thread: row.get(3)?,
                            repo: row.get(4)?,
                            actor: row.get(5)?,
                        })
                    })
                    .map_err(|error| missing(error, "origin", no))?;
                Ok(slot.insert(origin))
            }
        }
    }

    /// The shape of that number.
    pub fn shape(&mut self, connection: &Connection, no: u32) -> Result<&Shape, JournalError> {
        match self.shapes.entry(no) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(slot) => {
                let shape = connection
                    .prepare_cached("SELECT kind, event_type, item_type FROM shape WHERE no = ?1")?
                    .query_row([no], |row| {
                        let kind = Kind::from_code(row.get(0)?).unwrap_or(Kind::Other);
                        Ok(Shape { kind, event_type: row.get(1)?, item_type: row.get(2)? })
                    })
                    .map_err(|error| missing(error, "shape", no))?;
                Ok(slot.insert(shape))
            }
        }
    }
}

/// The origins numbered above `after`.
pub fn origins(connection: &Connection, after: u32, take: &mut dyn FnMut(OriginEntry<'_>)) -> Result<(), JournalError> {
    let mut find = connection
        .prepare_cached("SELECT no, source, client, session, thread, repo FROM origin WHERE no > ?1 ORDER BY no")?;
    let mut rows = find.query([after])?;
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
        take(OriginEntry {
            no: row.get(0)?,
            source: Source::from_code(row.get(1)?).unwrap_or(Source::Memoir),
            client: Client::from_code(row.get(2)?),
            session: text(3)?,
            thread: row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            repo: text(5)?,
        });
    }
    Ok(())
}

fn missing(error: rusqlite::Error, what: &str, no: u32) -> JournalError {
    match error {
        rusqlite::Error::QueryReturnedNoRows => JournalError::Damaged(format!("{what} {no} is missing")),
        error => error.into(),
    }
}
