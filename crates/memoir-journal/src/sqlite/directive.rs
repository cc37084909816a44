//! Events that say something about other events: tombstones, supersessions, project aliases.
//!
//! The events are the truth; the tables here only answer quickly what they add up to.

use super::idrun::{self, as_i64, as_u64};
use super::read::Reader;
use super::{cite, forget};
use crate::alias::{Alias, session_key};
use crate::forget::Tombstone;
use crate::{JournalError, Seq};
use memoir_event::{Client, Content, Event, EventId, Key, Kind};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Applies what the event at `seq` says; `Some(true)` if something was forgotten by it.
pub fn apply(connection: &Connection, seq: Seq, event: &Event) -> Result<Option<bool>, JournalError> {
    let Content::Payload(payload) = &event.content else { return Ok(None) };
    match event.kind() {
        Kind::Tombstone => {
            if let Some(stone) = Tombstone::read(&event.content) {
                forget::apply(connection, seq, &stone)?;
            }
            Ok(Some(true))
        }
        Kind::Supersede => {
            for event in older_of(connection, &payload.to_value())? {
                connection
                    .prepare_cached("INSERT OR IGNORE INTO superseded(event, by) VALUES(?1, ?2)")?
                    .execute((as_i64(event), as_i64(seq)))?;
            }
            Ok(None)
        }
        Kind::Alias => {
            if let Some(alias) = Alias::read(&payload.to_value()) {
                end_circle(connection, &alias)?;
                connection
                    .prepare_cached(
                        "INSERT INTO alias(repo, to_repo, by) VALUES(?1, ?2, ?3)
                         ON CONFLICT(repo) DO UPDATE SET to_repo = excluded.to_repo, by = excluded.by",
                    )?
                    .execute((alias.key(), alias.to(), as_i64(seq)))?;
            }
            Ok(None)
        }
        Kind::Memory | Kind::Telling => {
            cite::note(connection, seq, event)?;
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// Works out anew what is superseded: what took the place of it may have been forgotten, or may be there again. What has
/// nothing left that took its place holds again.
pub fn supersede_anew(connection: &Connection) -> Result<(), JournalError> {
    let kind = Kind::Supersede.code();
    let said: Vec<i64> = connection
        .prepare_cached(&format!(
            "SELECT seq FROM record INDEXED BY by_shape
             WHERE event IS NULL AND shape IN (SELECT no FROM shape WHERE kind = {kind}) ORDER BY seq"
        ))?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut links: HashMap<Seq, Vec<Link>> = HashMap::new();
    let mut reader = Reader::new(connection);
    for by in said {
        let Some(record) = reader.record(as_u64(by))? else { continue };
        let payload: Value = serde_json::from_str(reader.stored(&record)?.event.content.verbatim()).unwrap_or_default();
        let newer = payload.get("by").and_then(Value::as_str).and_then(|id| EventId::parse(id).ok());
        let newer = newer.map(|id| events_of(connection, id)).transpose()?.and_then(|found| found.first().copied());
        let is_there = newer.map(|newer| is_there(connection, newer)).transpose()?.unwrap_or(true);
        for older in older_of(connection, &payload)? {
            links.entry(older).or_default().push(Link { newer, is_there, by });
        }
    }
    connection.prepare_cached("DELETE FROM superseded")?.execute([])?;
    for (older, by) in &links {
        let Some(link) = by.iter().find(|link| link.is_there).or_else(|| by.iter().find(|link| leads_on(link, &links)))
        else {
            continue;
        };
        connection
            .prepare_cached("INSERT OR IGNORE INTO superseded(event, by) VALUES(?1, ?2)")?
            .execute((as_i64(*older), link.by))?;
    }
    Ok(())
}

/// That something took the place of something else.
struct Link {
    newer: Option<Seq>,
    is_there: bool,
    by: i64,
}

/// Whether what took the place of what is gone now is there, or what took the place of that.
fn leads_on(link: &Link, links: &HashMap<Seq, Vec<Link>>) -> bool {
    let (mut seen, mut next) = (HashSet::new(), vec![link]);
    while let Some(link) = next.pop() {
        if link.is_there {
            return true;
        }
        if let Some(newer) = link.newer.filter(|newer| seen.insert(*newer)) {
            next.extend(links.get(&newer).into_iter().flatten());
        }
    }
    false
}

fn is_there(connection: &Connection, event: Seq) -> Result<bool, JournalError> {
    let mut find = connection.prepare_cached("SELECT NOT EXISTS(SELECT 1 FROM forgotten WHERE event = ?1)")?;
    Ok(find.query_row([as_i64(event)], |row| row.get(0))?)
}

fn events_of(connection: &Connection, id: EventId) -> Result<Vec<Seq>, JournalError> {
    Reader::new(connection).events_of(id, &idrun::find(connection, id.prefix())?)
}

/// The events whose place something took.
fn older_of(connection: &Connection, payload: &Value) -> Result<Vec<Seq>, JournalError> {
    let texts = |name: &str| {
        let list = payload.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut older = Vec::new();
    for key in texts("events").iter().filter_map(|key| Key::parse(key).ok()) {
        let mut find = connection.prepare_cached("SELECT event FROM key WHERE key = ?1")?;
        older.extend(find.query_row([key.as_bytes()], |row| row.get(0).map(as_u64)).optional()?);
    }
    for id in texts("ids").iter().filter_map(|id| EventId::parse(id).ok()) {
        older.extend(events_of(connection, id)?);
    }
    Ok(older)
}

/// What took the place of an event: the end of its supersessions, as far as they name what came.
pub fn successor(connection: &Connection, seq: Seq) -> Result<Option<Seq>, JournalError> {
    let mut reader = Reader::new(connection);
    let mut now = seq;
    // Supersessions could go in a circle; a chain longer than this is one.
    for _ in 0..32 {
        let by: Option<i64> = connection
            .prepare_cached("SELECT by FROM superseded WHERE event = ?1")?
            .query_row([as_i64(now)], |row| row.get(0))
            .optional()?;
        let Some(record) = by.map(|by| reader.record(as_u64(by))).transpose()?.flatten() else { break };
        let said: Value = serde_json::from_str(reader.stored(&record)?.event.content.verbatim()).unwrap_or_default();
        let newer = said.get("by").and_then(Value::as_str).and_then(|id| EventId::parse(id).ok());
        let Some(id) = newer else { break };
        let Some(next) = reader.events_of(id, &idrun::find(connection, id.prefix())?)?.first().copied() else { break };
        if next == seq {
            break;
        }
        now = next;
    }
    Ok((now != seq).then_some(now))
}

/// A project that belonged to what now belongs to it is a project of its own again.
fn end_circle(connection: &Connection, alias: &Alias) -> Result<(), JournalError> {
    if let Alias::Project { from, to } = alias
        && resolve(connection, to)? == *from
    {
        connection.prepare_cached("DELETE FROM alias WHERE repo = ?1")?.execute([to])?;
    }
    Ok(())
}

/// The project that a session's events belong to now: where an alias put the session, or else the end of the aliases of
/// the project it was recorded under.
pub fn project_of(
    connection: &Connection,
    client: Option<Client>,
    session: &str,
    repo: &str,
) -> Result<String, JournalError> {
    match alias_of(connection, &session_key(client, session))? {
        Some(to) => resolve(connection, &to),
        None => resolve(connection, repo),
    }
}

fn alias_of(connection: &Connection, name: &str) -> Result<Option<String>, JournalError> {
    let found = connection
        .prepare_cached("SELECT to_repo FROM alias WHERE repo = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(found)
}

/// A project's present id: the end of its aliases.
pub fn resolve(connection: &Connection, repo: &str) -> Result<String, JournalError> {
    let mut now = repo.to_owned();
    // Aliases could go in a circle; a chain longer than this is one.
    for _ in 0..32 {
        match alias_of(connection, &now)? {
            Some(to) if to != repo && to != now => now = to,
            _ => break,
        }
    }
    Ok(now)
}
