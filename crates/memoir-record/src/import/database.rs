//! The database of opencode, read while opencode uses it.

use super::files::SourceFile;
use super::position::{Fate, Position, Stamp};
use super::read::{Go, Reading};
use super::shrink::read_shrunk;
use memoir_capture::Out;
use memoir_capture::opencode::{PartRow, SessionRow, read_message, read_part, read_session};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Row};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

/// What is longer is read piece by piece: nobody holds it whole, and nobody sorts it.
const SMALL_BYTES: i64 = 1 << 20;

/// Sub-agents of sub-agents: no deeper than this.
const DEPTH_MAX: usize = 32;

/// Reads every row that was written since the last time.
pub(super) fn read(reading: &mut Reading<'_, '_>, file: &SourceFile, known: Option<&Position>) -> io::Result<()> {
    let stamp = stamp(&file.path)?;
    if reading.fate(file, stamp, known) == Some(Fate::Same) {
        return Ok(());
    }
    let since: i64 = known.and_then(|known| known.state.parse().ok()).unwrap_or(i64::MIN);
    match rows(reading, file, since) {
        Ok(Some((latest, count))) => {
            reading.hand_over_end(file, stamp, latest.to_string(), count);
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The database and the log beside it.
pub(super) fn stamp(path: &Path) -> io::Result<Stamp> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = fs::metadata(log).ok().map(|metadata| Stamp::of(&metadata));
    Ok(Stamp::of(&fs::metadata(path)?).with(log))
}

/// Hands over the rows; the time of the latest and their count, or nothing if it was stopped.
fn rows(reading: &mut Reading<'_, '_>, file: &SourceFile, since: i64) -> Result<Option<(i64, u64)>, rusqlite::Error> {
    if fs::metadata(&file.path).is_ok_and(|metadata| metadata.len() == 0) {
        // Made, and nothing written yet: not even tables.
        return Ok(Some((since, 0)));
    }
    let connection =
        Connection::open_with_flags(&file.path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    let sessions = sessions(reading, &connection)?;
    let (mut latest, mut number) = (since, 0);
    for session in sessions.values() {
        number += 1;
        let mut out = Out::default();
        read_session(session, number, &mut out);
        reading.take(out);
    }
    let mut parts = connection.prepare(
        "SELECT part.id, part.session_id, iif(octet_length(part.data) > ?2, NULL, part.data), part.time_created,
             part.time_updated, message.id, iif(octet_length(message.data) > ?2, NULL, message.data), part.rowid,
             message.rowid
         FROM part JOIN message ON message.id = part.message_id
         WHERE part.time_updated >= ?1 ORDER BY part.time_created, part.id",
    )?;
    let mut rows = parts.query((since, SMALL_BYTES))?;
    while let Some(row) = rows.next()? {
        number += 1;
        latest = latest.max(row.get(4).unwrap_or(since));
        reading.report.lines += 1;
        match (text(reading, row, 1), part(reading, &connection, row, number)) {
            (Some(session), Some(part)) => {
                if let Some(session) = sessions.get(&session) {
                    let mut out = Out::default();
                    read_part(session, &part, &mut out);
                    reading.take(out);
                }
            }
            _ => reading.out_problem(BAD_ROW),
        }
        if let Go::Stop = reading.hand_over_if_full() {
            return Ok(None);
        }
    }
    // After the prompts: what went wrong with a private one is private too.
    let mut messages = connection.prepare(
        "SELECT id, session_id, iif(octet_length(data) > ?2, NULL, data), time_updated, rowid FROM message
         WHERE time_updated >= ?1 ORDER BY time_created, id",
    )?;
    let mut rows = messages.query((since, SMALL_BYTES))?;
    while let Some(row) = rows.next()? {
        number += 1;
        latest = latest.max(row.get(3).unwrap_or(since));
        let data = data(reading, &connection, row, ("message", 2, 4));
        match (text(reading, row, 0), text(reading, row, 1), data) {
            (Some(id), Some(session), Some(data)) => {
                if let Some(session) = sessions.get(&session) {
                    let mut out = Out::default();
                    read_message(session, &id, &data, number, &mut out);
                    reading.take(out);
                }
            }
            _ => reading.out_problem(BAD_ROW),
        }
        if let Go::Stop = reading.hand_over_if_full() {
            return Ok(None);
        }
    }
    Ok(Some((latest, number)))
}

fn part(reading: &mut Reading<'_, '_>, connection: &Connection, row: &Row<'_>, number: u64) -> Option<PartRow> {
    Some(PartRow {
        id: text(reading, row, 0)?,
        data: data(reading, connection, row, ("part", 2, 7))?,
        created_ms: row.get(3).unwrap_or_default(),
        message: text(reading, row, 5)?,
        message_data: data(reading, connection, row, ("message", 6, 8))?,
        number,
    })
}

/// What a row holds: as it was selected, or if that would have been too much, piece by piece.
fn data(
    reading: &mut Reading<'_, '_>,
    connection: &Connection,
    row: &Row<'_>,
    (table, column, rowid): (&str, usize, usize),
) -> Option<String> {
    if !matches!(row.get_ref(column).ok()?, ValueRef::Null) {
        return text(reading, row, column);
    }
    let mut pieces = connection.blob_open(MAIN_DB, table, "data", row.get(rowid).ok()?, true).ok()?;
    let whole = pieces.len();
    shrunk(reading, &mut pieces, whole)
}

/// The text in a column, if there is one; of a huge one what is worth keeping.
fn text(reading: &mut Reading<'_, '_>, row: &Row<'_>, column: usize) -> Option<String> {
    let (ValueRef::Text(mut bytes) | ValueRef::Blob(mut bytes)) = row.get_ref(column).ok()? else { return None };
    let whole = bytes.len();
    shrunk(reading, &mut bytes, whole)
}

fn shrunk(reading: &mut Reading<'_, '_>, bytes: &mut dyn Read, whole: usize) -> Option<String> {
    let text = read_shrunk(bytes).ok()??;
    if text.len() < whole {
        reading.out_problem("huge row, shortened");
    }
    Some(text)
}

/// What is wrong with a row that has something else where a text should be.
const BAD_ROW: &str = "row of a wrong form";

fn sessions(
    reading: &mut Reading<'_, '_>,
    connection: &Connection,
) -> Result<HashMap<String, SessionRow>, rusqlite::Error> {
    let mut find = connection.prepare("SELECT id, parent_id, directory, version, time_created FROM session")?;
    let mut rows = find.query([])?;
    let mut sessions: HashMap<String, SessionRow> = HashMap::new();
    while let Some(row) = rows.next()? {
        let Some(id) = text(reading, row, 0) else {
            reading.out_problem(BAD_ROW);
            continue;
        };
        let session = SessionRow {
            root: id.clone(),
            id: id.clone(),
            parent: text(reading, row, 1),
            directory: text(reading, row, 2).unwrap_or_default(),
            version: text(reading, row, 3).unwrap_or_default(),
            created_ms: row.get(4).unwrap_or_default(),
        };
        sessions.insert(id, session);
    }
    let parents: HashMap<String, String> =
        sessions.values().filter_map(|row| row.parent.clone().map(|parent| (row.id.clone(), parent))).collect();
    for session in sessions.values_mut() {
        for _ in 0..DEPTH_MAX {
            match parents.get(&session.root) {
                Some(parent) => session.root.clone_from(parent),
                None => break,
            }
        }
    }
    Ok(sessions)
}
