//! Captures that share no name: one way of capture gives an item an id, another only shows its text.
//!
//! Such a capture is the same thing as an event of its session that says the same, that happened at about the same
//! time, and that this way of capture has not shown before. Of several such events it is the nearest in time.

use super::idrun::{as_i64, as_u64};
use super::read::Reader;
use crate::{JournalError, Seq};
use memoir_event::{Event, Identity, Keys, Kind};
use rusqlite::Connection;

/// A message is recorded within moments by whoever sees it.
const MESSAGE_WINDOW_MS: i64 = 5 * 60 * 1000;

/// A tool call may be seen when it is asked for and again when it is done.
const TOOL_WINDOW_MS: i64 = 60 * 60 * 1000;

/// At most so many events that say the same are looked at, the latest: a session may say "continue" a thousand times.
const CANDIDATES_MAX: i64 = 256;

/// Marks turns that memoir counted itself, where the client names none: they are no reason to tell events apart.
const OWN_TURN: char = '~';

/// Remembers what the event says.
pub fn note(connection: &Connection, keys: &Keys, event: Seq, captured: &Event) -> Result<(), JournalError> {
    if keys.alike.is_empty() {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO alike(key, event, named) VALUES(?1, ?2, ?3)
         ON CONFLICT(key, event) DO UPDATE SET named = named | excluded.named WHERE named <> named | excluded.named",
    )?;
    for key in &keys.alike {
        insert.execute((key.as_bytes(), as_i64(event), names(captured)))?;
    }
    Ok(())
}

/// The kinds of names that the client gives it, one bit each.
fn names(event: &Event) -> u8 {
    event.identities.iter().fold(0, |names, identity| {
        names
            | match identity {
                Identity::Item { .. } | Identity::Record { .. } => 1,
                Identity::InTurn { .. } => 2,
                // One id for each thing: whatever else has a name is something else.
                Identity::Id(_) => 3,
                _ => 0,
            }
    })
}

/// The event that says the same and that the capture is another sighting of.
pub fn find(connection: &Connection, keys: &Keys, captured: &Event, now_ms: i64) -> Result<Option<Seq>, JournalError> {
    let names = names(captured);
    let mut statement =
        connection.prepare_cached("SELECT event, named FROM alike WHERE key = ?1 ORDER BY event DESC LIMIT ?2")?;
    let mut best: Option<(i64, Seq)> = None;
    let mut reader = Reader::new(connection);
    for key in &keys.alike {
        let mut rows = statement.query((key.as_bytes(), CANDIDATES_MAX))?;
        while let Some(row) = rows.next()? {
            let (event, known): (i64, u8) = (row.get(0)?, row.get(1)?);
            if names & known != 0 {
                continue;
            }
            let event = as_u64(event);
            let Some(distance) = distance(&mut reader, event, captured, now_ms)? else { continue };
            // Of equally near ones the first, so that captures without a time are matched in their order.
            if best.is_none_or(|(nearest, _)| distance <= nearest) {
                best = Some((distance, event));
            }
        }
    }
    Ok(best.map(|(_, event)| event))
}

/// How far apart in time the two are, if they can be the same.
fn distance(reader: &mut Reader<'_>, event: Seq, captured: &Event, now_ms: i64) -> Result<Option<i64>, JournalError> {
    if reader.is_seen_by(event, captured.source)? {
        return Ok(None);
    }
    let Some(known) = reader.fullest(event)? else { return Ok(None) };
    if are_other_turns(known.event.turn.as_deref(), captured.turn.as_deref()) {
        return Ok(None);
    }
    let said = |event: &Event| event.time.is_some() || event.captured_ms.is_some();
    if known.event.time.is_none() || !said(captured) {
        return Ok(Some(i64::MAX));
    }
    let at_ms = captured.time.as_ref().map(memoir_event::Time::ms).or(captured.captured_ms).unwrap_or(now_ms);
    let distance = known.ts_ms.saturating_sub(at_ms).saturating_abs();
    let window = match captured.kind() {
        Kind::ToolCall | Kind::ToolResult | Kind::Command | Kind::FileChange => TOOL_WINDOW_MS,
        _ => MESSAGE_WINDOW_MS,
    };
    Ok((distance <= window).then_some(distance))
}

fn are_other_turns(known: Option<&str>, captured: Option<&str>) -> bool {
    let given = |turn: Option<&str>| turn.filter(|turn| !turn.starts_with(OWN_TURN)).map(str::to_owned);
    matches!((given(known), given(captured)), (Some(known), Some(captured)) if known != captured)
}

/// Whether one of the two is the beginning of the other, as a hook may see it.
pub fn continues(connection: &Connection, event: Seq, captured: &Event) -> Result<bool, JournalError> {
    let mut reader = Reader::new(connection);
    let Some(known) = reader.fullest(event)? else { return Ok(false) };
    let known_is_part = reader.sightings(event)?.iter().all(|sighting| sighting.source.is_hook());
    let captured_is_part = captured.source.is_hook();
    let (known, captured) = (known.event.content.plain(), captured.content.plain());
    let (known, captured) = (known.trim(), captured.trim());
    let is_beginning = known_is_part && captured.starts_with(known) || captured_is_part && known.starts_with(captured);
    Ok(is_beginning || known == captured)
}
