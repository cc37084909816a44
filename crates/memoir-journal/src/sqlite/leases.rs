//! Cursors and leases: small rows that say how far work has come and who does it.

use super::idrun::{as_i64, as_u64};
use crate::{Cursor, JournalError, Lease};
use rusqlite::{Connection, OptionalExtension, Transaction};

/// No lease runs longer than this; one that seems to was taken before the clock went back.
const TTL_MS_MAX: i64 = 24 * 60 * 60 * 1000;

/// Where a stream stands.
pub fn cursor(connection: &Connection, stream: &str) -> Result<Option<Cursor>, JournalError> {
    let found = connection
        .prepare_cached("SELECT sequence, position FROM cursor WHERE stream = ?1")?
        .query_row([stream], |row| {
            Ok(Cursor { stream: stream.to_owned(), sequence: as_u64(row.get(0)?), position: row.get(1)? })
        })
        .optional()?;
    Ok(found)
}

/// Whether every one of those stands as it is given here.
pub fn are_at(connection: &Connection, expected: &[Cursor]) -> Result<bool, JournalError> {
    for wanted in expected {
        let found = cursor(connection, &wanted.stream)?;
        let is_there = match &found {
            Some(found) => found == wanted,
            None => wanted.is_gone(),
        };
        if !is_there {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where every stream stands whose name begins like that.
pub fn cursors(connection: &Connection, prefix: &str) -> Result<Vec<Cursor>, JournalError> {
    let mut find = connection.prepare_cached("SELECT stream, sequence, position FROM cursor WHERE stream >= ?1")?;
    let mut rows = find.query([prefix])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let stream: String = row.get(0)?;
        if !stream.starts_with(prefix) {
            break;
        }
        found.push(Cursor { stream, sequence: as_u64(row.get(1)?), position: row.get(2)? });
    }
    Ok(found)
}

/// Takes or renews a lease.
pub fn take(
    transaction: Transaction<'_>,
    name: &str,
    owner: &str,
    now_ms: i64,
    ttl_ms: i64,
) -> Result<Option<Lease>, JournalError> {
    let held: Option<(String, i64, i64)> = transaction
        .prepare_cached("SELECT owner, until_ms, fence FROM lease WHERE name = ?1")?
        .query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let fence = match &held {
        Some((holder, until_ms, fence)) if *until_ms > now_ms && *until_ms <= now_ms + TTL_MS_MAX => {
            if holder != owner {
                return Ok(None);
            }
            *fence
        }
        Some((.., fence)) => fence + 1,
        None => 1,
    };
    let until_ms = now_ms + ttl_ms.clamp(0, TTL_MS_MAX);
    transaction
        .prepare_cached("INSERT OR REPLACE INTO lease(name, owner, until_ms, fence) VALUES(?1, ?2, ?3, ?4)")?
        .execute((name, owner, until_ms, fence))?;
    transaction.commit()?;
    Ok(Some(Lease { name: name.to_owned(), owner: owner.to_owned(), until_ms, fence: as_u64(fence) }))
}

/// Gives a lease back. The row stays, so that the fence goes on growing.
pub fn release(connection: &Connection, lease: &Lease) -> Result<(), JournalError> {
    connection
        .prepare_cached("UPDATE lease SET until_ms = 0 WHERE name = ?1 AND owner = ?2 AND fence = ?3")?
        .execute((&lease.name, &lease.owner, as_i64(lease.fence)))?;
    Ok(())
}
