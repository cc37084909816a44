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
            let payload = payload.to_value();
            let texts = |name: &str| {
                let list = payload.get(name).and_then(Value::as_array).into_iter().flatten();
                list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
            };
            for key in texts("events").iter().filter_map(|key| Key::parse(key).ok()) {
                connection
                    .prepare_cached(
                        "INSERT OR IGNORE INTO superseded(event, by) SELECT event, ?2 FROM key WHERE key = ?1",
                    )?
                    .execute((key.as_bytes(), as_i64(seq)))?;
            }
            for id in texts("ids").iter().filter_map(|id| EventId::parse(id).ok()) {
                for event in Reader::new(connection).events_of(id, &idrun::find(connection, id.prefix())?)? {
                    connection
                        .prepare_cached("INSERT OR IGNORE INTO superseded(event, by) VALUES(?1, ?2)")?
                        .execute((as_i64(event), as_i64(seq)))?;
                }
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
        Kind::Memory | Kind::Archive => {
            cite::note(connection, seq, event)?;
            Ok(None)
        }
        _ => Ok(None),
    }
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
