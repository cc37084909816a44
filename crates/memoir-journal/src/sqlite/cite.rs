//! What memories and tellings are made of, so that they are gone with it.

use super::idrun::{self, as_i64, as_u64};
use super::intern::client_code;
use super::read::Reader;
use crate::{JournalError, Seq};
use memoir_event::{Client, Event, EventId, Kind, Memory, MemoryScope, MemorySource, Telling};
use rusqlite::Connection;

/// Noted as a source of what quotes all of its sources. No record has this place.
pub const QUOTES: Seq = 0;

/// What something is made of.
struct Made {
    sources: Vec<MemorySource>,
    /// It quotes all of them: it is gone with the first one.
    quotes: bool,
}

impl Made {
    fn of(event: &Event) -> Option<Made> {
        match event.kind() {
            Kind::Memory => {
                let memory = Memory::of_event(event)?;
                // What holds in one session only goes with it.
                let session = match memory.scope {
                    MemoryScope::Session(session) if memory.sources.is_empty() => Some(session),
                    _ => None,
                };
                let own = session.map(|session| MemorySource { session: Some(session), ..MemorySource::default() });
                Some(Made { sources: memory.sources.into_iter().chain(own).collect(), quotes: memory.quotes })
            }
            Kind::Telling => {
                let shown = Telling::of_event(event)?.made_of;
                let source = |id: &EventId| MemorySource { event: Some(id.to_string()), ..MemorySource::default() };
                Some(Made { sources: shown.iter().map(source).collect(), quotes: true })
            }
            _ => None,
        }
    }
}

/// Notes the sources of what the event at `seq` says; those of an earlier revision no longer count.
pub fn note(connection: &Connection, seq: Seq, event: &Event) -> Result<(), JournalError> {
    let Some(made) = Made::of(event) else { return Ok(()) };
    for table in ["cites", "cites_session"] {
        connection.prepare_cached(&format!("DELETE FROM {table} WHERE made = ?1"))?.execute([as_i64(seq)])?;
    }
    for source in &made.sources {
        note_source(connection, seq, source)?;
    }
    if made.quotes {
        connection
            .prepare_cached("INSERT OR IGNORE INTO cites(made, source) VALUES(?1, ?2)")?
            .execute((as_i64(seq), as_i64(QUOTES)))?;
    }
    Ok(())
}

/// Whether everything that it is made of was forgotten, or anything that it quotes: then it is not made again.
pub fn is_of_nothing_left(connection: &Connection, event: &Event) -> Result<bool, JournalError> {
    let Some(made) = Made::of(event).filter(|made| !made.sources.is_empty()) else { return Ok(false) };
    for source in &made.sources {
        if is_gone(connection, source)? == made.quotes {
            return Ok(made.quotes);
        }
    }
    Ok(!made.quotes)
}

fn is_gone(connection: &Connection, source: &MemorySource) -> Result<bool, JournalError> {
    let mut hidden = connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM forgotten WHERE event = ?1)")?;
    if let Some(id) = source.event.as_deref().and_then(|id| EventId::parse(id).ok()) {
        let events = Reader::new(connection).events_of(id, &idrun::find(connection, id.prefix())?)?;
        for event in &events {
            if !hidden.query_row([as_i64(*event)], |row| row.get(0))? {
                return Ok(false);
            }
        }
        return Ok(!events.is_empty());
    }
    let Some(session) = &source.session else { return Ok(false) };
    let (client, id) = Client::split_session(session);
    let left: Option<i64> = connection
        .prepare_cached(
            "SELECT sum(events) FROM origin
             WHERE session = ?1 AND (?2 = 0 OR client = ?2) AND first_ms IS NOT NULL",
        )?
        .query_row((id, client_code(client)), |row| row.get(0))?;
    Ok(left == Some(0))
}

/// What names an event as its source, the first one first.
pub fn made_of(connection: &Connection, seq: Seq) -> Result<Vec<Seq>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT made FROM cites WHERE source = ?1 ORDER BY made")?;
    let made = statement.query_map([as_i64(seq)], |row| row.get(0).map(as_u64))?;
    Ok(made.collect::<Result<_, _>>()?)
}

fn note_source(connection: &Connection, made: Seq, source: &MemorySource) -> Result<(), JournalError> {
    if let Some(id) = source.event.as_deref().and_then(|id| EventId::parse(id).ok()) {
        for event in Reader::new(connection).events_of(id, &idrun::find(connection, id.prefix())?)? {
            connection
                .prepare_cached("INSERT OR IGNORE INTO cites(made, source) VALUES(?1, ?2)")?
                .execute((as_i64(made), as_i64(event)))?;
        }
        return Ok(());
    }
    if let Some(session) = &source.session {
        let (client, id) = Client::split_session(session);
        connection
            .prepare_cached("INSERT OR IGNORE INTO cites_session(made, client, session) VALUES(?1, ?2, ?3)")?
            .execute((as_i64(made), client_code(client), id))?;
    }
    Ok(())
}
