//! What tombstones add up to: which events are hidden, and by which of them.
//!
//! An event may be forgotten several times over; it is shown again only when each of them was undone.

use super::idrun::{self, as_i64, as_u64};
use super::read::Reader;
use super::{cite, directive, erase, select, suppress};
use crate::forget::{Chosen, Depth, Forgetting, ForgettingEntry, Scope, Tombstone};
use crate::{Filter, JournalError, Seq};
use memoir_event::{Client, EventId, Key, Kind};
use rusqlite::{Connection, OptionalExtension};

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

pub(super) fn note_name(connection: &Connection, name: &[u8], by: Seq) -> Result<(), JournalError> {
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

pub(super) fn hide_known(connection: &Connection, key: Key, by: Seq) -> Result<bool, JournalError> {
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
pub(super) const SOURCES_GONE: Seq = 0;

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
pub(super) fn follow_sources(connection: &Connection) -> Result<(), JournalError> {
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
    suppress::read_over_again(connection)?;
    follow_sources(connection)?;
    if had_memories { directive::supersede_anew(connection) } else { Ok(()) }
}

/// Whether anything was ever forgotten.
pub fn has_any(connection: &Connection) -> Result<bool, JournalError> {
    let has = "SELECT EXISTS(SELECT 1 FROM forgetting WHERE undone IS NULL) OR EXISTS(SELECT 1 FROM tombstone)";
    Ok(connection.prepare_cached(has)?.query_row([], |row| row.get(0))?)
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
