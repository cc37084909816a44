//! What must not come again: captures of what was forgotten, and of what is forgotten before it comes.

use super::directive;
use super::forget::{SOURCES_GONE, follow_sources, hide_known, note_name};
use super::grep::comparable;
use super::idrun::{as_i64, as_u64};
use super::intern::client_code;
use super::read::Reader;
use crate::forget::{Tombstone, Turn};
use crate::{Cursor, JournalError, Seq};
use memoir_event::{Client, Event, EventId, Key, KeyHasher, Keys, Kind, Memory, MemoryScope, Source};
use rusqlite::Connection;
use std::collections::HashSet;

/// Marks the places in files that moved past something which was suppressed.
const READ_OVER: &str = "read-over|";

/// Notes that these streams moved past something that was suppressed.
pub fn note_read_over(connection: &Connection, cursors: &[Cursor]) -> Result<(), JournalError> {
    for cursor in cursors.iter().filter(|cursor| cursor.stream.starts_with("import|") && !cursor.is_gone()) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO cursor(stream, sequence, position) VALUES(?1, 1, '')")?
            .execute([format!("{READ_OVER}{}", cursor.stream)])?;
    }
    Ok(())
}

/// Files of which something was suppressed are read from their beginning: what is known or still forgotten is not stored
/// again.
pub fn read_over_again(connection: &Connection) -> Result<(), JournalError> {
    let marked: Vec<String> = connection
        .prepare_cached("SELECT stream FROM cursor WHERE stream >= 'read-over|' AND stream < 'read-over}'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut remove = connection.prepare_cached("DELETE FROM cursor WHERE stream IN (?1, ?2)")?;
    for mark in marked {
        remove.execute((&mark, mark.strip_prefix(READ_OVER)))?;
    }
    Ok(())
}

/// Whether a capture event has nothing that tells it apart when it is sent again: neither a turn, nor an action, nor a
/// time.
pub fn is_nameless(event: &Event) -> bool {
    let is_sent = matches!(event.source, Source::Recorder | Source::Http);
    is_sent && event.turn.is_none() && event.action.is_none() && event.time.is_none()
}

/// What a capture that nothing names is known by once it is forgotten: what was said, and in which session.
pub fn said_key(hasher: &KeyHasher, event: &Event) -> Option<Key> {
    let said = event.content.verbatim();
    if said.is_empty() {
        return None;
    }
    let parts = ["said", &event.session, event.kind().as_str(), event.speaker.as_str(), said];
    let hash = hasher.hash(parts.join("\0").as_bytes());
    hash.first_chunk::<20>().and_then(|key| Key::from_bytes(key))
}

/// What a memory that was forgotten is known by when it is brought again under another name: what it says, and for whom.
fn memory_key(hasher: &KeyHasher, project: &str, scope: &MemoryScope, text: &str) -> Option<Key> {
    let (project, session) = match scope {
        MemoryScope::User => ("", ""),
        MemoryScope::Project => (project, ""),
        MemoryScope::Session(session) => (project, session.as_str()),
    };
    let hash = hasher.hash(["memory", scope.name(), project, session, &comparable(text)].join("\0").as_bytes());
    hash.first_chunk::<20>().and_then(|key| Key::from_bytes(key))
}

/// What all of a turn goes by that is to come.
fn turn_key(hasher: &KeyHasher, turn: &Turn) -> Option<Key> {
    let client = turn.client.map_or("", Client::as_str);
    let hash = hasher.hash(["turn", client, &turn.session, &turn.turn].join("\0").as_bytes());
    hash.first_chunk::<20>().and_then(|key| Key::from_bytes(key))
}

/// Whether an event is of a turn that was forgotten.
pub fn is_of_turn(connection: &Connection, hasher: &KeyHasher, event: &Event) -> Result<bool, JournalError> {
    match Turn::of(event).and_then(|turn| turn_key(hasher, &turn)) {
        Some(key) => was_said(connection, &key),
        None => Ok(false),
    }
}

/// Notes what the tombstone at `by` keeps away that is to come: turns, and what the memories say, and ever said, that it
/// hides.
pub fn note_to_come(connection: &Connection, hasher: &KeyHasher, by: Seq, event: &Event) -> Result<(), JournalError> {
    let turns = Tombstone::read(&event.content).map(|stone| stone.turns).unwrap_or_default();
    for key in turns.iter().filter_map(|turn| turn_key(hasher, turn)) {
        note_name(connection, key.as_bytes(), by)?;
    }
    let kind = Kind::Memory.code();
    let memories: Vec<i64> = connection
        .prepare_cached(&format!(
            "SELECT seq FROM forgotten JOIN record ON record.seq = forgotten.event
             WHERE forgotten.by = ?1 AND shape IN (SELECT no FROM shape WHERE kind = {kind})"
        ))?
        .query_map([as_i64(by)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut reader = Reader::new(connection);
    for seq in memories {
        for sighting in reader.sightings(as_u64(seq))? {
            let Some(record) = reader.record(sighting.seq)? else { continue };
            let event = reader.stored(&record)?.event;
            let Some(memory) = Memory::of_event(&event) else { continue };
            if let Some(key) = memory_key(hasher, &event.repo, &memory.scope, &memory.text) {
                note_name(connection, key.as_bytes(), by)?;
            }
        }
    }
    Ok(())
}

/// Whether a memory that says that was forgotten.
pub fn is_memory_forgotten(
    connection: &Connection,
    hasher: &KeyHasher,
    project: &str,
    scope: &MemoryScope,
    text: &str,
) -> Result<bool, JournalError> {
    memory_key(hasher, project, scope, text).map_or(Ok(false), |key| was_said(connection, &key))
}

/// Keeps what a nameless event said suppressed when its text is erased.
pub fn note_said(connection: &Connection, hasher: &KeyHasher, event: Seq, by: Seq) -> Result<(), JournalError> {
    let Some(stored) = Reader::new(connection).fullest(event)? else { return Ok(()) };
    match said_key(hasher, &stored.event).filter(|_| is_nameless(&stored.event)) {
        Some(key) => note_name(connection, key.as_bytes(), by),
        None => Ok(()),
    }
}

/// Whether what a nameless event said was purged in its session.
pub fn was_said(connection: &Connection, key: &Key) -> Result<bool, JournalError> {
    let mut find = connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM tombstone WHERE key = ?1)")?;
    Ok(find.query_row([key.as_bytes()], |row| row.get(0))?)
}

/// What was said by nameless events of a session that are forgotten.
pub fn said_in(connection: &Connection, hasher: &KeyHasher, event: &Event) -> Result<HashSet<Key>, JournalError> {
    let places: Vec<i64> = connection
        .prepare_cached(
            "SELECT DISTINCT forgotten.event FROM origin
               JOIN record INDEXED BY by_origin ON record.origin = origin.no
               JOIN forgotten ON forgotten.event = record.seq
             WHERE origin.session = ?1 AND origin.source IN (?2, ?3) AND record.event IS NULL AND forgotten.by <> ?4",
        )?
        .query_map((&event.session, Source::Recorder.code(), Source::Http.code(), as_i64(SOURCES_GONE)), |row| {
            row.get(0)
        })?
        .collect::<Result<_, _>>()?;
    let mut reader = Reader::new(connection);
    let mut said = HashSet::new();
    for place in places {
        if let Some(stored) = reader.fullest(as_u64(place))?.filter(|stored| is_nameless(&stored.event)) {
            said.extend(said_key(hasher, &stored.event));
        }
    }
    Ok(said)
}

/// Whether a capture must not be stored, by its names or by the id that it will have.
pub fn is_named(connection: &Connection, hasher: &KeyHasher, event: &Event, keys: &Keys) -> Result<bool, JournalError> {
    let mut find = connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM tombstone WHERE key = ?1)")?;
    for key in keys.all_names() {
        if find.query_row([key.as_bytes()], |row| row.get(0))? {
            return Ok(true);
        }
    }
    let brought = event.identities.iter().find_map(|identity| match identity {
        memoir_event::Identity::Id(id) => Some(*id),
        _ => None,
    });
    match brought.or_else(|| event.derived_id()) {
        Some(id) => suppress_by_id(connection, hasher, id, event, keys),
        None => Ok(false),
    }
}

/// Whether an event of that kind can be forgotten before it comes: what memoir says about events holds always.
pub const fn may_come_later(kind: Kind) -> bool {
    !kind.is_own() || matches!(kind, Kind::Memory | Kind::Archive | Kind::Telling)
}

/// Whether the id of a capture was forgotten before it came: then it is forgotten under its own names too, and so is what
/// came before it of the same under another id.
pub fn suppress_by_id(
    connection: &Connection,
    hasher: &KeyHasher,
    id: EventId,
    event: &Event,
    keys: &Keys,
) -> Result<bool, JournalError> {
    let by: Vec<i64> = connection
        .prepare_cached("SELECT by FROM tombstone WHERE key = ?1")?
        .query_map([id.as_bytes()], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let said = said_key(hasher, event).filter(|_| is_nameless(event));
    let mut hidden = false;
    for by in by.iter().map(|by| as_u64(*by)) {
        for key in keys.all_names().chain(&said) {
            note_name(connection, key.as_bytes(), by)?;
            hidden |= hide_known(connection, *key, by)?;
        }
    }
    if hidden {
        follow_sources(connection)?;
    }
    Ok(!by.is_empty())
}

/// Whether a capture that nothing is known of lies in a scope that was forgotten.
pub fn is_in_scope(connection: &Connection, event: &Event, now_ms: i64) -> Result<bool, JournalError> {
    if !may_come_later(event.kind()) {
        return Ok(false);
    }
    let ts_ms = event.time.as_ref().map(memoir_event::Time::ms).or(event.captured_ms).unwrap_or(now_ms);
    let mut find = connection.prepare_cached(
        "SELECT repo, actor FROM forgotten_scope
         WHERE ((session = ?1 AND (client IS NULL OR client = ?2)) OR (session = ?4 AND client = ?5) OR session IS NULL)
           AND ?3 BETWEEN coalesce(from_ms, ?3) AND coalesce(to_ms, ?3)",
    )?;
    // Where no client is known, the whole id may name one.
    let (shown_client, shown_id) = match event.client {
        None => Client::split_session(&event.session),
        known => (known, event.session.as_str()),
    };
    let (client, shown_client) = (client_code(event.client), client_code(shown_client));
    let mut rows = find.query((&event.session, client, ts_ms, shown_id, shown_client))?;
    while let Some(row) = rows.next()? {
        let (repo, actor): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        let of_project = match repo {
            Some(repo) => {
                directive::project_of(connection, event.client, &event.session, &event.repo)?
                    == directive::resolve(connection, &repo)?
            }
            None => true,
        };
        if of_project && actor.is_none_or(|actor| event.actor.as_deref() == Some(&actor)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the event at `of` was forgotten: then what is the same as it is forgotten under its own names too. What went
/// with its sources has no tombstone of its own: its names are free again as soon as a source is.
pub fn suppress_with(connection: &Connection, of: Seq, keys: &Keys) -> Result<bool, JournalError> {
    let by: Vec<i64> = connection
        .prepare_cached("SELECT by FROM forgotten WHERE event = ?1")?
        .query_map([as_i64(of)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for by in by.iter().filter(|by| **by != as_i64(SOURCES_GONE)) {
        for key in keys.all_names() {
            note_name(connection, key.as_bytes(), as_u64(*by))?;
        }
    }
    Ok(!by.is_empty())
}
