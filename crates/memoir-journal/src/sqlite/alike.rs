//! Captures that share no name: one way of capture gives an item an id, another only shows its text.
//!
//! Such a capture is the same thing as an event of its session that says the same, that happened at about the same
//! time, and that this way of capture has not shown before. Of several such events it is the nearest in time.

use super::idrun::{as_i64, as_u64};
use super::read::Reader;
use crate::{JournalError, Seq};
use memoir_event::{Client, Event, Identity, Keys, Kind};
use rusqlite::{Connection, OptionalExtension};

/// A message is recorded within moments by whoever sees it.
const MESSAGE_WINDOW_MS: i64 = 5 * 60 * 1000;

/// Codex writes down what it says when it prints it: what says the same minutes before is of an earlier run.
const PRINTED_WINDOW_MS: i64 = 60 * 1000;

/// A tool call may be seen when it is asked for and again when it is done.
const TOOL_WINDOW_MS: i64 = 60 * 60 * 1000;

/// Two homes that see the same thing in the same way see it at the same moment.
const MOMENT_MS: i64 = 2000;

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

/// Came by an id from another journal, which gives each thing one.
const BY_ID: u8 = 4;

/// The kinds of names that the client gives it, one bit each. What comes by its id has names that were made up again from
/// what it says: they find what is the same, and tell nothing apart.
fn names(event: &Event) -> u8 {
    if comes_by_id(event) {
        return BY_ID;
    }
    event.identities.iter().fold(0, |names, identity| {
        names
            | match identity {
                Identity::Item { .. } | Identity::Record { .. } => 1,
                Identity::InTurn { .. } => 2,
                _ => 0,
            }
    })
}

/// Whether another journal, or a mirror of one, named it.
pub fn comes_by_id(event: &Event) -> bool {
    event.identities.iter().any(|identity| matches!(identity, Identity::Id(_)))
}

/// Whether one of the captures of an event that says this came by an id.
pub fn came_by_id(connection: &Connection, keys: &Keys, event: Seq) -> Result<bool, JournalError> {
    let mut find = connection.prepare_cached("SELECT named FROM alike WHERE key = ?1 AND event = ?2")?;
    for key in &keys.alike {
        let named: Option<u8> = find.query_row((key.as_bytes(), as_i64(event)), |row| row.get(0)).optional()?;
        if named.is_some_and(|named| named & BY_ID != 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The event that says the same and that the capture is another sighting of.
pub fn find(connection: &Connection, keys: &Keys, captured: &Event, now_ms: i64) -> Result<Option<Seq>, JournalError> {
    let names = names(captured);
    let mut statement =
        connection.prepare_cached("SELECT event, named FROM alike WHERE key = ?1 ORDER BY event DESC LIMIT ?2")?;
    let mut best: Option<(Nearness, Seq)> = None;
    let mut reader = Reader::new(connection);
    for key in &keys.alike {
        let mut rows = statement.query((key.as_bytes(), CANDIDATES_MAX))?;
        while let Some(row) = rows.next()? {
            let (event, known): (i64, u8) = (row.get(0)?, row.get(1)?);
            if names & known != 0 {
                continue;
            }
            let event = as_u64(event);
            let is_brought = (names | known) & BY_ID != 0;
            let Some(nearness) = nearness(&mut reader, event, captured, now_ms, is_brought)? else { continue };
            // Of equally near ones the first, so that captures without a time are matched in their order.
            if best.is_none_or(|(nearest, _)| nearness <= nearest) {
                best = Some((nearness, event));
            }
        }
    }
    Ok(best.map(|(_, event)| event))
}

/// How near two captures are: what reads otherwise is further off than any time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    reads_otherwise: bool,
    distance_ms: i64,
}

/// How near the two are, if they can be the same.
fn nearness(
    reader: &mut Reader<'_>,
    event: Seq,
    captured: &Event,
    now_ms: i64,
    is_brought: bool,
) -> Result<Option<Nearness>, JournalError> {
    let is_seen = reader.is_seen_by(event, captured.source)?;
    // What an earlier version read without giving it a name is known by its very time when it is read again.
    let is_named = || captured.identities.iter().any(|identity| matches!(identity, Identity::InTurn { .. }));
    if is_seen && !is_brought && (captured.time.is_none() || !is_named() || reader.has_name(event)?) {
        return Ok(None);
    }
    let Some(known) = reader.fullest(event)? else { return Ok(None) };
    if is_seen && !is_brought && known.event.time != captured.time {
        return Ok(None);
    }
    let at_ms = captured.time.as_ref().map(memoir_event::Time::ms).or(captured.captured_ms).unwrap_or(now_ms);
    let distance_ms = known.ts_ms.saturating_sub(at_ms).saturating_abs();
    if is_seen && distance_ms > MOMENT_MS {
        return Ok(None);
    }
    if are_other_turns(known.event.turn.as_deref(), captured.turn.as_deref()) {
        return Ok(None);
    }
    // Codex names the thread in every way of capture; elsewhere a sub-agent's words may be shown as the session's.
    let is_of_thread = captured.client == Some(Client::Codex) || captured.kind() == Kind::TurnCompleted;
    if is_of_thread && known.event.thread != captured.thread {
        return Ok(None);
    }
    // Of a saved stream it is only known that it was written before: that tells nothing apart.
    let is_captured = |event: &Event| event.captured_ms.is_some() && !event.source.is_stream();
    let said = |event: &Event| event.time.is_some() || is_captured(event);
    // Of two results of one command, the one that says the same.
    let reads_otherwise = known.event.content.plain().trim() != captured.content.plain().trim();
    if known.event.time.is_none() || !said(captured) {
        return Ok(Some(Nearness { reads_otherwise, distance_ms: i64::MAX }));
    }
    let is_of_stream = captured.source.is_stream() || known.event.source.is_stream();
    let window = match captured.kind() {
        Kind::ToolCall | Kind::ToolResult | Kind::Command | Kind::FileChange => TOOL_WINDOW_MS,
        _ if captured.client == Some(Client::Codex) && is_of_stream => PRINTED_WINDOW_MS,
        _ => MESSAGE_WINDOW_MS,
    };
    Ok((distance_ms <= window).then_some(Nearness { reads_otherwise, distance_ms }))
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
