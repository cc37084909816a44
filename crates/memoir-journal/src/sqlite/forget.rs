//! What tombstones add up to: which events are hidden, by which of them, and what must not come again.
//!
//! An event may be forgotten several times over; it is shown again only when each of them was undone.

use super::grep::comparable;
use super::idrun::{self, as_i64, as_u64};
use super::intern::client_code;
use super::read::Reader;
use super::{cite, directive, erase, select};
use crate::forget::{Chosen, Depth, Forgetting, ForgettingEntry, Scope, Tombstone, Turn};
use crate::{Cursor, Filter, JournalError, Seq};
use memoir_event::{Client, Event, EventId, Key, KeyHasher, Keys, Kind, Memory, MemoryScope, Source};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashSet;

/// Applies what the tombstone at `seq` says.
pub fn apply(connection: &Connection, seq: Seq, stone: &Tombstone) -> Result<(), JournalError> {
    if let Some(name) = &stone.undo {
        return undo(connection, seq, name);
    }
    let name = stone.name.clone().unwrap_or_else(|| format!("f-{seq}"));
    connection.prepare_cached("INSERT INTO forgetting(by, name, purge, events) VALUES(?1, ?2, ?3, 0)")?.execute((
        as_i64(seq),
        name,
        stone.purge,
    ))?;
    for key in stone.events.iter().filter_map(|key| Key::parse(key).ok()) {
        note_name(connection, key.as_bytes(), seq)?;
        hide_known(connection, key, seq)?;
    }
    for id in stone.ids.iter().filter_map(|id| EventId::parse(id).ok()) {
        note_name(connection, id.as_bytes(), seq)?;
        let places = idrun::find(connection, id.prefix())?;
        for event in Reader::new(connection).events_of(id, &places)? {
            hide(connection, event, seq)?;
        }
    }
    for (first, last) in &stone.places {
        connection
            .prepare_cached(&format!(
                "INSERT OR IGNORE INTO forgotten(event, by)
                 SELECT seq, ?3 FROM record WHERE seq BETWEEN ?1 AND ?2 AND event IS NULL AND {FORGETTABLE}"
            ))?
            .execute((as_i64(*first), as_i64(*last), as_i64(seq)))?;
    }
    if let Some(scope) = &stone.scope {
        note_scope(connection, scope, seq)?;
        hide_scope(connection, scope, seq)?;
    }
    let hidden = count_hidden(connection, seq, Sign::Hidden)?;
    connection
        .prepare_cached("UPDATE forgetting SET events = ?2 WHERE by = ?1")?
        .execute((as_i64(seq), as_i64(hidden)))?;
    follow_sources(connection)?;
    if stone.purge {
        purge_made_of(connection, seq)?;
    }
    if hides_memories(connection, seq)? {
        directive::supersede_anew(connection)?;
    }
    Ok(())
}

/// Whether a tombstone hides memories, or some went with their sources: what they took the place of holds again.
fn hides_memories(connection: &Connection, by: Seq) -> Result<bool, JournalError> {
    let memory = Kind::Memory.code();
    let hides = connection
        .prepare_cached(&format!(
            "SELECT EXISTS(SELECT 1 FROM forgotten JOIN record ON record.seq = forgotten.event
                           WHERE forgotten.by IN (?1, ?2) AND shape IN (SELECT no FROM shape WHERE kind = {memory}))"
        ))?
        .query_row((as_i64(by), as_i64(SOURCES_GONE)), |row| row.get(0))?;
    Ok(hides)
}

/// What memoir says about events is never forgotten: it would bring back what it hides.
const FORGETTABLE: &str = "shape NOT IN (SELECT no FROM shape WHERE kind IN (34, 35, 36))";

const _: () = assert!(Kind::Tombstone.code() == 34 && Kind::Supersede.code() == 35 && Kind::Alias.code() == 36);

fn note_name(connection: &Connection, name: &[u8], by: Seq) -> Result<(), JournalError> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO tombstone(key, by) VALUES(?1, ?2)")?
        .execute((name, as_i64(by)))?;
    Ok(())
}

/// Whether that is new.
fn hide(connection: &Connection, event: Seq, by: Seq) -> Result<bool, JournalError> {
    let hidden = connection
        .prepare_cached(&format!(
            "INSERT OR IGNORE INTO forgotten(event, by) SELECT seq, ?2 FROM record WHERE seq = ?1 AND {FORGETTABLE}"
        ))?
        .execute((as_i64(event), as_i64(by)))?;
    Ok(hidden > 0)
}

fn hide_known(connection: &Connection, key: Key, by: Seq) -> Result<bool, JournalError> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT event FROM key WHERE key = ?1")?
        .query_row([key.as_bytes()], |row| row.get(0))
        .optional()?;
    known.map_or(Ok(false), |event| hide(connection, as_u64(event), by))
}

fn note_scope(connection: &Connection, scope: &Scope, by: Seq) -> Result<(), JournalError> {
    connection
        .prepare_cached(
            "INSERT INTO forgotten_scope(by, client, session, repo, actor, from_ms, to_ms)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((
            as_i64(by),
            scope.client.map(Client::code),
            &scope.session,
            &scope.repo,
            &scope.actor,
            scope.from_ms,
            scope.to_ms,
        ))?;
    Ok(())
}

fn hide_scope(connection: &Connection, scope: &Scope, by: Seq) -> Result<(), JournalError> {
    let (from, to) = (scope.from_ms.unwrap_or(i64::MIN), scope.to_ms.unwrap_or(i64::MAX));
    let Some(origins) = origins_of(connection, scope)? else {
        connection
            .prepare_cached(&format!(
                "INSERT OR IGNORE INTO forgotten(event, by)
                 SELECT seq, ?3 FROM record INDEXED BY by_time
                 WHERE event IS NULL AND ts_ms BETWEEN ?1 AND ?2 AND {FORGETTABLE}"
            ))?
            .execute((from, to, as_i64(by)))?;
        return Ok(());
    };
    let mut hide = connection.prepare_cached(&format!(
        "INSERT OR IGNORE INTO forgotten(event, by)
         SELECT seq, ?4 FROM record INDEXED BY by_origin
         WHERE event IS NULL AND origin = ?1 AND ts_ms BETWEEN ?2 AND ?3 AND {FORGETTABLE}"
    ))?;
    for origin in origins {
        hide.execute((origin, from, to, as_i64(by)))?;
    }
    Ok(())
}

/// The origins in a scope; none if it is only about time.
fn origins_of(connection: &Connection, scope: &Scope) -> Result<Option<Vec<u32>>, JournalError> {
    let session = scope.session.as_ref().map(|id| Client::shown_session(scope.client, id));
    let filter = Filter { repo: scope.repo.clone(), session, actor: scope.actor.clone(), ..Filter::default() };
    select::origins(connection, &filter)
}

/// What is made of sources that are all gone is hidden by none of the tombstones, but by this.
const SOURCES_GONE: Seq = 0;

/// Memories whose sources are all gone, or one of them if they quote it, as a telling does; what was made of those too.
/// A session that nothing is known of was not forgotten: what is said to be from there stays. An origin that never had an event of its own has no first time.
const MADE_OF_NOTHING: &str = "
  SELECT made FROM (SELECT made FROM cites UNION SELECT made FROM cites_session) AS all_made
  WHERE NOT EXISTS (
    SELECT 1 FROM cites WHERE cites.made = all_made.made AND cites.source NOT IN (SELECT event FROM forgotten))
  AND NOT EXISTS (
    SELECT 1 FROM cites_session AS named
    WHERE named.made = all_made.made AND coalesce((
      SELECT sum(origin.events) FROM origin
      WHERE origin.session = named.session AND (named.client = 0 OR origin.client = named.client)
        AND origin.first_ms IS NOT NULL), 1) > 0)
  UNION
  SELECT part.made FROM cites AS whole JOIN cites AS part ON part.made = whole.made
  WHERE whole.source = 0 AND part.source IN (SELECT event FROM forgotten)";

const _: () = assert!(cite::QUOTES == 0);

/// Hides what is made of nothing that is left, and shows again what has a source again.
fn follow_sources(connection: &Connection) -> Result<(), JournalError> {
    let has_any: bool = connection
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM cites) OR EXISTS(SELECT 1 FROM cites_session)")?
        .query_row([], |row| row.get(0))?;
    if !has_any {
        return Ok(());
    }
    count_hidden(connection, SOURCES_GONE, Sign::Shown)?;
    connection.prepare_cached("DELETE FROM forgotten WHERE by = ?1")?.execute([as_i64(SOURCES_GONE)])?;
    loop {
        let gone = connection
            .prepare_cached(&format!(
                "INSERT OR IGNORE INTO forgotten(event, by) SELECT made, ?1 FROM ({MADE_OF_NOTHING})"
            ))?
            .execute([as_i64(SOURCES_GONE)])?;
        if gone == 0 {
            break;
        }
    }
    count_hidden(connection, SOURCES_GONE, Sign::Hidden)?;
    Ok(())
}

/// What was made of purged texts alone is purged with them.
fn purge_made_of(connection: &Connection, by: Seq) -> Result<(), JournalError> {
    loop {
        let gone = connection
            .prepare_cached(&format!(
                "INSERT OR IGNORE INTO forgotten(event, by)
                 SELECT made, ?1 FROM ({MADE_OF_NOTHING}) AS gone
                 WHERE made IN (SELECT made FROM cites WHERE source IN (SELECT event FROM forgotten WHERE by = ?1))
                    OR made IN (SELECT made FROM cites_session JOIN origin ON origin.session = cites_session.session
                                  JOIN record ON record.origin = origin.no
                                WHERE record.seq IN (SELECT event FROM forgotten WHERE by = ?1))"
            ))?
            .execute([as_i64(by)])?;
        if gone == 0 {
            return Ok(());
        }
    }
}

/// Whether events leave the totals or come back to them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Hidden,
    Shown,
}

/// Moves the totals of origins by the events that nothing but `by` hides; says how many those are.
fn count_hidden(connection: &Connection, by: Seq, sign: Sign) -> Result<u64, JournalError> {
    // Access 0 and 4 are normal and not secret: what the open total counts.
    let change = if sign == Sign::Hidden { "-" } else { "+" };
    connection
        .prepare_cached(&format!(
            "UPDATE origin SET events = origin.events {change} moved.all_events, open_events = origin.open_events {change} moved.open
             FROM (SELECT origin AS no, count(*) AS all_events, sum(flags & 15 IN (0, 4)) AS open
                   FROM record WHERE seq IN (SELECT event FROM forgotten WHERE by = ?1)
                     AND NOT EXISTS (SELECT 1 FROM forgotten AS other WHERE other.event = seq AND other.by <> ?1)
                   GROUP BY origin) AS moved
             WHERE origin.no = moved.no"
        ))?
        .execute([as_i64(by)])?;
    let alone: i64 = connection
        .prepare_cached(
            "SELECT count(*) FROM forgotten WHERE by = ?1
               AND NOT EXISTS (SELECT 1 FROM forgotten AS other WHERE other.event = forgotten.event AND other.by <> ?1)",
        )?
        .query_row([as_i64(by)], |row| row.get(0))?;
    Ok(as_u64(alone))
}

/// Takes back every tombstone of that name; what was purged stays gone.
fn undo(connection: &Connection, seq: Seq, name: &str) -> Result<(), JournalError> {
    let parts: Vec<i64> = connection
        .prepare_cached("SELECT by FROM forgetting WHERE name = ?1 AND purge = 0 AND undone IS NULL")?
        .query_map([name], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut had_memories = false;
    for by in parts {
        had_memories |= hides_memories(connection, as_u64(by))?;
        // What arrived meanwhile was read over: it is read again.
        erase::drop_positions(connection, by)?;
        count_hidden(connection, as_u64(by), Sign::Shown)?;
        for table in ["forgotten", "tombstone", "forgotten_scope"] {
            connection.prepare_cached(&format!("DELETE FROM {table} WHERE by = ?1"))?.execute([by])?;
        }
        connection.prepare_cached("UPDATE forgetting SET undone = ?2 WHERE by = ?1")?.execute((by, as_i64(seq)))?;
    }
    read_over_again(connection)?;
    follow_sources(connection)?;
    if had_memories { directive::supersede_anew(connection) } else { Ok(()) }
}

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
fn read_over_again(connection: &Connection) -> Result<(), JournalError> {
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

/// Whether anything was ever forgotten.
pub fn has_any(connection: &Connection) -> Result<bool, JournalError> {
    let has = "SELECT EXISTS(SELECT 1 FROM forgetting WHERE undone IS NULL) OR EXISTS(SELECT 1 FROM tombstone)";
    Ok(connection.prepare_cached(has)?.query_row([], |row| row.get(0))?)
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

/// The events that a wish would take, hidden ones too.
pub fn chosen(connection: &Connection, chosen: &Chosen) -> Result<Vec<Seq>, JournalError> {
    let places = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<Vec<Seq>, JournalError> {
        let mut find = connection.prepare_cached(sql)?;
        let rows = find.query_map(values, |row| row.get(0).map(as_u64))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let mut found = Vec::new();
    match chosen {
        Chosen::Events(seqs) => {
            let sql = format!("SELECT seq FROM record WHERE seq = ?1 AND event IS NULL AND {FORGETTABLE}");
            for seq in seqs {
                found.extend(places(&sql, &[&as_i64(*seq)])?);
            }
        }
        Chosen::Ids(ids) | Chosen::Turns { ids, .. } => {
            for id in ids {
                found.extend(Reader::new(connection).events_of(*id, &idrun::find(connection, id.prefix())?)?);
            }
        }
        Chosen::Scope(scope) => {
            let (from, to) = (scope.from_ms.unwrap_or(i64::MIN), scope.to_ms.unwrap_or(i64::MAX));
            let within = format!("event IS NULL AND ts_ms BETWEEN ?1 AND ?2 AND {FORGETTABLE}");
            match origins_of(connection, scope)? {
                None => {
                    found = places(&format!("SELECT seq FROM record INDEXED BY by_time WHERE {within}"), &[&from, &to])?
                }
                Some(origins) => {
                    let sql = format!("SELECT seq FROM record INDEXED BY by_origin WHERE origin = ?3 AND {within}");
                    for origin in origins {
                        found.extend(places(&sql, &[&from, &to, &origin])?);
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// How many events nothing hides but the forgetting of that name: those that come back when it is undone.
pub fn hidden_by_alone(connection: &Connection, name: &str) -> Result<u64, JournalError> {
    let count = connection
        .prepare_cached(
            "WITH named AS (SELECT by FROM forgetting WHERE name = ?1)
             SELECT count(DISTINCT event) FROM forgotten WHERE by IN named
               AND NOT EXISTS (SELECT 1 FROM forgotten AS other WHERE other.event = forgotten.event AND other.by NOT IN named)",
        )?
        .query_row([name], |row| row.get(0))?;
    Ok(as_u64(count))
}

/// Every forgetting, the latest first.
pub fn list(connection: &Connection) -> Result<Vec<ForgettingEntry>, JournalError> {
    let mut find = connection.prepare_cached(
        "SELECT min(by), name, max(purge), sum(events), max(undone IS NOT NULL), min(purge = 0 OR erased IS NOT NULL)
         FROM forgetting GROUP BY name ORDER BY min(by) DESC",
    )?;
    let mut rows = find.query([])?;
    let mut reader = Reader::new(connection);
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(record) = reader.record(as_u64(row.get(0)?))? else { continue };
        let stored = reader.stored(&record)?;
        let stone = Tombstone::read(&stored.event.content).unwrap_or_default();
        entries.push(ForgettingEntry {
            name: row.get(1)?,
            at_ms: stored.at_ms,
            asked: stone.asked,
            reason: stone.reason,
            by: stone.by,
            events: as_u64(row.get(3)?),
            depth: if row.get(2)? { Depth::Purge } else { Depth::Forget },
            undone: row.get(4)?,
            finished: row.get(5)?,
        });
    }
    Ok(entries)
}

/// Every forgetting that holds, as a wish that another state of this journal can be told: events go by their ids.
pub fn wishes(connection: &Connection) -> Result<Vec<Forgetting>, JournalError> {
    let stones: Vec<(i64, String)> = connection
        .prepare_cached("SELECT by, name FROM forgetting WHERE undone IS NULL ORDER BY by")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut reader = Reader::new(connection);
    let mut wishes: Vec<Forgetting> = Vec::new();
    for (by, name) in stones {
        let Some(record) = reader.record(as_u64(by))? else { continue };
        let stone = Tombstone::read(&reader.stored(&record)?.event.content).unwrap_or_default();
        if let Some(scope) = stone.scope.clone() {
            wishes.push(stone.wish(&name, Chosen::Scope(scope)));
            continue;
        }
        let mut ids: Vec<EventId> = stone.ids.iter().filter_map(|id| EventId::parse(id).ok()).collect();
        let places: Vec<i64> = connection
            .prepare_cached(
                "SELECT event FROM forgotten WHERE by = ?1
                 UNION SELECT record.seq FROM forgotten JOIN record ON record.event = forgotten.event WHERE by = ?1",
            )?
            .query_map([by], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for place in places {
            if let Some(record) = reader.record(as_u64(place))? {
                ids.push(reader.stored(&record)?.id);
            }
        }
        let known = wishes.iter_mut().find(|wish| wish.name == name).map(|wish| &mut wish.chosen);
        match known {
            Some(Chosen::Ids(known) | Chosen::Turns { ids: known, .. }) => known.extend(ids),
            _ if !stone.turns.is_empty() => {
                let turns = stone.turns.clone();
                wishes.push(stone.wish(&name, Chosen::Turns { turns, ids }));
            }
            _ => wishes.push(stone.wish(&name, Chosen::Ids(ids))),
        }
    }
    Ok(wishes)
}
