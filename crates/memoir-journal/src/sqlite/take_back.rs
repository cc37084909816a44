//! A message that says of what was said before that it is not to be kept: recorded, it is a tombstone over that, in the
//! same append.

use super::read::Reader;
use super::sessions;
use crate::forget::{Scope, Tombstone, Turn, ranges};
use crate::{JournalError, Seq};
use memoir_event::{Event, EventId, Kind, Source, Speaker};
use rusqlite::Connection;

/// What a message takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBack {
    /// The turn before.
    TurnBefore,
    /// The turn before, and the message that says so with all that comes of it.
    ThisToo,
    /// Its whole session, what is still to come as well.
    Session,
}

/// Says what a message of the user takes back, if it does.
pub type Hears = fn(&str) -> Option<TakenBack>;

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

/// The tombstone that the wish at this place asks for: over the user's message before it with all that came of that, over
/// the wish itself with what is still to come of it, or over its session.
pub fn stone(
    connection: &Connection,
    (seq, id): (Seq, EventId),
    event: &Event,
    taken_back: TakenBack,
) -> Result<Event, JournalError> {
    let name = taken_back_by(id);
    let stone = Tombstone {
        version: Tombstone::VERSION,
        name: Some(name.clone()),
        by: event.actor.clone(),
        ..Tombstone::default()
    };
    let stone = if taken_back == TakenBack::Session {
        let session = Some(event.session.clone());
        let scope = Some(Scope { client: event.client, session, ..Scope::default() });
        Tombstone { scope, asked: "its session, as the user wished".to_owned(), ..stone }
    } else {
        let turn_before = turn_before(connection, seq, event)?;
        let said = match turn_before.first() {
            Some(prompt) => Reader::new(connection).fullest(*prompt)?,
            None => None,
        };
        let mut turns: Vec<Turn> = said.and_then(|said| Turn::of(&said.event)).into_iter().collect();
        let mut places = turn_before;
        let own_turn = Turn::of(event);
        if taken_back == TakenBack::ThisToo {
            places.push(seq);
            turns.extend(own_turn.filter(|turn| !turns.contains(turn)));
        } else {
            // A client that gives both the same turn goes on in it.
            turns.retain(|turn| Some(turn) != own_turn.as_ref());
        }
        let asked = "what was said last, as the user wished".to_owned();
        Tombstone { places: ranges(places), turns, asked, ..stone }
    };
    Ok(stone.event(format!("{name}/0")))
}

/// The places of the user's message before and of what came of it.
fn turn_before(connection: &Connection, seq: Seq, event: &Event) -> Result<Vec<Seq>, JournalError> {
    let placed = sessions::placed(connection, (event.client, &event.session), (0, seq), usize::MAX)?;
    let here = placed.iter().position(|one| one.seq == seq).unwrap_or(placed.len());
    let before = placed.get(..here).unwrap_or_default();
    let prompt = before.iter().rposition(|one| one.kind == Kind::UserMessage && one.thread.is_none());
    let turn = prompt.and_then(|from| before.get(from..)).unwrap_or_default();
    Ok(turn.iter().map(|one| one.seq).collect())
}
