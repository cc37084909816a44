//! The database of opencode, read while opencode uses it.

use super::files::SourceFile;
use super::position::{Position, Stamp};
use super::read::{Go, Reading};
use memoir_capture::Out;
use memoir_capture::opencode::{PartRow, SessionRow, read_message, read_part, read_session};
use rusqlite::{Connection, OpenFlags};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Sub-agents of sub-agents: no deeper than this.
const DEPTH_MAX: usize = 32;

/// Reads every row that was written since the last time.
pub(super) fn read(reading: &mut Reading<'_, '_>, file: &SourceFile, known: Option<&Position>) -> io::Result<()> {
    let stamp = stamp(&file.path)?;
    if reading.is_unchanged(stamp, known) {
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
    let connection =
        Connection::open_with_flags(&file.path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    let sessions = sessions(&connection)?;
    let (mut latest, mut number) = (since, 0);
    for session in sessions.values() {
        number += 1;
        let mut out = Out::default();
        read_session(session, number, &mut out);
        reading.take(out);
    }
    let mut messages = connection.prepare(
        "SELECT id, session_id, data, time_updated FROM message WHERE time_updated >= ?1 ORDER BY time_created, id",
    )?;
    let mut rows = messages.query([since])?;
    while let Some(row) = rows.next()? {
        let (id, session, data): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        latest = latest.max(row.get(3)?);
        number += 1;
        if let Some(session) = sessions.get(&session) {
            let mut out = Out::default();
            read_message(session, &id, &data, number, &mut out);
            reading.take(out);
        }
        if let Go::Stop = reading.hand_over_if_full() {
            return Ok(None);
        }
    }
    let mut parts = connection.prepare(
        "SELECT part.id, part.session_id, part.data, part.time_created, part.time_updated, message.id, message.data
         FROM part JOIN message ON message.id = part.message_id
         WHERE part.time_updated >= ?1 ORDER BY part.time_created, part.id",
    )?;
    let mut rows = parts.query([since])?;
    while let Some(row) = rows.next()? {
        number += 1;
        let session: String = row.get(1)?;
        latest = latest.max(row.get(4)?);
        let part = PartRow {
            id: row.get(0)?,
            data: row.get(2)?,
            created_ms: row.get(3)?,
            message: row.get(5)?,
            message_data: row.get(6)?,
            number,
        };
        reading.report.lines += 1;
        if let Some(session) = sessions.get(&session) {
            let mut out = Out::default();
            read_part(session, &part, &mut out);
            reading.take(out);
        }
        if let Go::Stop = reading.hand_over_if_full() {
            return Ok(None);
        }
    }
    Ok(Some((latest, number)))
}

fn sessions(connection: &Connection) -> Result<HashMap<String, SessionRow>, rusqlite::Error> {
    let mut find = connection.prepare("SELECT id, parent_id, directory, version, time_created FROM session")?;
    let rows = find.query_map([], |row| {
        let id: String = row.get(0)?;
        Ok(SessionRow {
            root: id.clone(),
            id,
            parent: row.get(1)?,
            directory: row.get(2)?,
            version: row.get(3)?,
            created_ms: row.get(4)?,
        })
    })?;
    let mut sessions: HashMap<String, SessionRow> =
        rows.map(|row| row.map(|row| (row.id.clone(), row))).collect::<Result<_, _>>()?;
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
