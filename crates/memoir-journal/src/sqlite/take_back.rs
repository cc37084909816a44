//! A message that says of the one before that it is not to be kept: recorded, it is a tombstone over that turn and over
//! its own, in the same append.

use super::read::Reader;
use super::sessions;
use crate::forget::{Tombstone, Turn, ranges};
use crate::{JournalError, Seq};
use memoir_event::{Event, EventId, Kind, Source, Speaker};
use rusqlite::Connection;

/// What the forgetting is called that such a message asks for.
pub fn taken_back_by(wish: EventId) -> String {
    format!("wish-{wish}")
}

/// Whether the user says something in their conversation: a sub-agent is spoken to by an agent.
pub fn is_said_by_user(event: &Event) -> bool {
    event.kind() == Kind::UserMessage
        && event.speaker == Speaker::User
        && event.source != Source::Memoir
        && event.thread.as_ref().is_none_or(|thread| *thread == event.session)
}

/// The tombstone that the wish at `seq` asks for: the user's message before it with all that came of that, and the wish
/// itself with what is still to come of it.
pub fn stone(connection: &Connection, seq: Seq, id: EventId, event: &Event) -> Result<Event, JournalError> {
    let placed = sessions::placed(connection, (event.client, &event.session), (0, seq), usize::MAX)?;
    let here = placed.iter().position(|one| one.seq == seq).unwrap_or(placed.len());
    let before = placed.get(..here).unwrap_or_default();
    let prompt = before.iter().rposition(|one| one.kind == Kind::UserMessage && one.thread.is_none());
    let turn_before = prompt.and_then(|from| before.get(from..)).unwrap_or_default();
    let said = match turn_before.first() {
        Some(prompt) => Reader::new(connection).fullest(prompt.seq)?,
        None => None,
    };
    let mut turns: Vec<Turn> = said.and_then(|said| Turn::of(&said.event)).into_iter().collect();
    turns.extend(Turn::of(event).filter(|turn| !turns.contains(turn)));
    let stone = Tombstone {
        version: Tombstone::VERSION,
        name: Some(taken_back_by(id)),
        places: ranges(turn_before.iter().map(|one| one.seq).chain([seq]).collect()),
        turns,
        asked: "what was said last, as the user wished".to_owned(),
        by: event.actor.clone(),
        ..Tombstone::default()
    };
    Ok(stone.event(format!("{}/0", taken_back_by(id))))
}
