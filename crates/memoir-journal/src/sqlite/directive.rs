//! Events that say something about other events: tombstones, supersessions, project aliases.
//!
//! The events are the truth; the tables here only answer quickly what they add up to.

use super::idrun::as_i64;
use crate::alias::{Alias, session_key};
use crate::{JournalError, Seq};
use memoir_event::{Client, Content, Event, Key, Kind};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

/// Applies what the event at `seq` says; `Some(true)` if something was forgotten by it.
pub fn apply(connection: &Connection, seq: Seq, event: &Event) -> Result<Option<bool>, JournalError> {
    let Content::Payload(payload) = &event.content else { return Ok(None) };
    match event.kind() {
        Kind::Tombstone => {
            for key in keys(&payload.to_value()) {
                connection
                    .prepare_cached("INSERT OR IGNORE INTO tombstone(key, by) VALUES(?1, ?2)")?
                    .execute((key.as_bytes(), as_i64(seq)))?;
                forget_known(connection, seq, key)?;
            }
            Ok(Some(true))
        }
        Kind::Supersede => {
            for key in keys(&payload.to_value()) {
                connection
                    .prepare_cached(
                        "INSERT OR IGNORE INTO superseded(event, by) SELECT event, ?2 FROM key WHERE key = ?1",
                    )?
                    .execute((key.as_bytes(), as_i64(seq)))?;
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
        _ => Ok(None),
    }
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

fn keys(payload: &Value) -> Vec<Key> {
    let events = payload.get("events").and_then(Value::as_array);
    events.into_iter().flatten().filter_map(|key| Key::parse(key.as_str()?).ok()).collect()
}

fn forget_known(connection: &Connection, seq: Seq, key: Key) -> Result<(), JournalError> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT event FROM key WHERE key = ?1")?
        .query_row([key.as_bytes()], |row| row.get(0))
        .optional()?;
    let Some(event) = known else { return Ok(()) };
    let new = connection
        .prepare_cached("INSERT OR IGNORE INTO forgotten(event, by) VALUES(?1, ?2)")?
        .execute((event, as_i64(seq)))?;
    if new > 0 {
        // Access 0 and 4 are normal and not secret: what the open total counts.
        connection
            .prepare_cached(
                "UPDATE origin SET events = events - 1,
                   open_events = open_events - (SELECT flags & 15 IN (0, 4) FROM record WHERE seq = ?1)
                 WHERE no = (SELECT origin FROM record WHERE seq = ?1)",
            )?
            .execute([event])?;
        // Every other key of the same event is forgotten with it.
        let keys: Vec<u8> = connection
            .prepare_cached("SELECT keys FROM record WHERE seq = ?1")?
            .query_row([event], |row| row.get(0))?;
        for other in keys.chunks(20).filter_map(Key::from_bytes) {
            connection
                .prepare_cached("INSERT OR IGNORE INTO tombstone(key, by) VALUES(?1, ?2)")?
                .execute((other.as_bytes(), as_i64(seq)))?;
        }
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
