//! Forgetting: what a tombstone event says.
//!
//! A tombstone never holds what is forgotten, only where it is. Said again it changes nothing; undone it is as if it
//! had never been said, unless bodies were erased.

use crate::Seq;
use memoir_event::{Client, Content, Event, EventId, Identity, Json, Kind, Source};
use serde::{Deserialize, Serialize};

/// A tombstone with more than so many ranges or ids is cut into several.
const PART_ENTRIES: usize = 10_000;

/// What becomes of what is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It is never shown again; undoing brings it back.
    Forget,
    /// Its text is erased too.
    Purge,
}

/// Which events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// The events at these places.
    Events(Vec<Seq>),
    /// The events of these ids; one that is not known is forgotten when it comes.
    Ids(Vec<EventId>),
    /// Everything in a scope, also what comes later and happened before the end of it.
    Scope(Scope),
    /// The events of these ids, which are what is known of some turns, and all of those turns that is to come.
    Turns {
        /// The turns.
        turns: Vec<Turn>,
        /// The events.
        ids: Vec<EventId>,
    },
}

/// A turn of a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Turn {
    /// The session's client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The session, by its client's own id.
    pub session: String,
    /// The turn, by its client's own id.
    pub turn: String,
}

impl Turn {
    /// The turn of an event, if it is in one.
    pub fn of(event: &Event) -> Option<Turn> {
        Some(Turn { client: event.client, session: event.session.clone(), turn: event.turn.clone()? })
    }
}

/// A part of everything; what is not set is not asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Scope {
    /// The session's client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The session, by its client's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The project, under any id it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The contributor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// From this moment on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<i64>,
    /// Up to and including this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<i64>,
}

/// A wish to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgetting {
    /// By which it can be undone.
    pub name: String,
    /// Which events.
    pub chosen: Chosen,
    /// What becomes of them.
    pub depth: Depth,
    /// What somebody asked for, in words that tell nothing of it: `session cx-1`, `text`.
    pub asked: String,
    /// Why.
    pub reason: Option<String>,
    /// Who wants it.
    pub by: Option<String>,
}

/// A forgetting in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgettingEntry {
    /// By which it can be undone.
    pub name: String,
    /// When it was said.
    pub at_ms: i64,
    /// What somebody asked for.
    pub asked: String,
    /// Why.
    pub reason: Option<String>,
    /// Who wanted it.
    pub by: Option<String>,
    /// How many events it hid that nothing had hidden before.
    pub events: u64,
    /// What became of them.
    pub depth: Depth,
    /// Whether it was undone.
    pub undone: bool,
    /// Whether erasing bodies has come to its end; true where none are to be erased.
    pub finished: bool,
}

/// What a tombstone says, as it is stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tombstone {
    pub version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Ranges of places, both ends included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(Seq, Seq)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// Keys: how the first version named events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub purge: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub asked: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The forgetting that this undoes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

impl Tombstone {
    pub(crate) const VERSION: u32 = 2;

    pub fn read(content: &Content) -> Option<Tombstone> {
        serde_json::from_str(content.verbatim()).ok()
    }

    /// The wish behind it, for what somebody chooses.
    pub fn wish(self, name: &str, chosen: Chosen) -> Forgetting {
        let depth = if self.purge { Depth::Purge } else { Depth::Forget };
        Forgetting { name: name.to_owned(), chosen, depth, asked: self.asked, reason: self.reason, by: self.by }
    }

    pub(crate) fn event(&self, identity: String) -> Event {
        let payload = Json::from_value(&serde_json::to_value(self).unwrap_or_default());
        let mut event = Event::new(Source::Memoir, "memoir", Kind::Tombstone, Content::Payload(payload));
        event.actor.clone_from(&self.by);
        event.identities = vec![Identity::Named(identity)];
        event
    }
}

impl Forgetting {
    /// The events that say so; to be appended together.
    pub fn into_events(self) -> Vec<Event> {
        let base = Tombstone {
            version: Tombstone::VERSION,
            name: Some(self.name.clone()),
            purge: self.depth == Depth::Purge,
            asked: self.asked,
            reason: self.reason,
            by: self.by,
            ..Tombstone::default()
        };
        let parts: Vec<Tombstone> = match self.chosen {
            Chosen::Scope(scope) => vec![Tombstone { scope: Some(scope), ..base }],
            // Nothing is here yet, and what waits elsewhere is held back under this name.
            Chosen::Events(seqs) if seqs.is_empty() => vec![base],
            Chosen::Events(seqs) => {
                let ranges = ranges(seqs);
                let part = |places: &[(Seq, Seq)]| Tombstone { places: places.to_vec(), ..base.clone() };
                ranges.chunks(PART_ENTRIES).map(part).collect()
            }
            Chosen::Ids(ids) => of_ids(&base, &ids),
            Chosen::Turns { turns, ids } => {
                let mut parts = of_ids(&base, &ids);
                match parts.first_mut() {
                    Some(first) => first.turns = turns,
                    None => parts.push(Tombstone { turns, ..base }),
                }
                parts
            }
        };
        let event = |(part, tombstone): (usize, &Tombstone)| tombstone.event(format!("{}/{part}", self.name));
        parts.iter().enumerate().map(event).collect()
    }

    /// The event that undoes the forgetting of that name.
    pub fn undoing(name: &str, by: Option<String>) -> Event {
        let undo = Some(name.to_owned());
        Tombstone { version: Tombstone::VERSION, undo, by, ..Tombstone::default() }.event(format!("{name}/undo"))
    }
}

fn of_ids(base: &Tombstone, ids: &[EventId]) -> Vec<Tombstone> {
    let texts = |ids: &[EventId]| ids.iter().map(ToString::to_string).collect();
    ids.chunks(PART_ENTRIES).map(|ids| Tombstone { ids: texts(ids), ..base.clone() }).collect()
}

/// Neighbours as one range.
pub(crate) fn ranges(mut seqs: Vec<Seq>) -> Vec<(Seq, Seq)> {
    seqs.sort_unstable();
    let mut ranges: Vec<(Seq, Seq)> = Vec::new();
    for seq in seqs {
        match ranges.last_mut() {
            Some((_, last)) if seq <= *last + 1 => *last = seq.max(*last),
            _ => ranges.push((seq, seq)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgetting(chosen: Chosen) -> Forgetting {
        let (name, asked) = ("f-1".to_owned(), "2 events".to_owned());
        Forgetting { name, chosen, depth: Depth::Forget, asked, reason: Some("why".to_owned()), by: None }
    }

    #[test]
    fn the_stored_form_is_as_promised() {
        let events = forgetting(Chosen::Events(vec![9, 3, 4, 4])).into_events();
        let golden = r#"{"version":2,"name":"f-1","places":[[3,4],[9,9]],"asked":"2 events","reason":"why"}"#;
        assert_eq!(events.iter().map(|event| event.content.verbatim()).collect::<Vec<_>>(), [golden]);
        let scope = Scope { session: Some("s".to_owned()), to_ms: Some(5), ..Scope::default() };
        let events = forgetting(Chosen::Scope(scope)).into_events();
        let golden =
            r#"{"version":2,"name":"f-1","scope":{"session":"s","to_ms":5},"asked":"2 events","reason":"why"}"#;
        assert_eq!(events[0].content.verbatim(), golden);
        assert_eq!(Forgetting::undoing("f-1", None).content.verbatim(), r#"{"version":2,"undo":"f-1"}"#);
    }

    #[test]
    fn a_long_list_is_cut_into_tombstones_of_one_name() {
        let far_apart: Vec<Seq> = (0..25_000).map(|n| n * 2).collect();
        let events = forgetting(Chosen::Events(far_apart)).into_events();
        assert_eq!(events.len(), 3);
        let stones: Vec<Tombstone> = events.iter().map(|event| Tombstone::read(&event.content).unwrap()).collect();
        assert!(stones.iter().all(|stone| stone.name.as_deref() == Some("f-1")));
        assert_eq!(stones.iter().map(|stone| stone.places.len()).sum::<usize>(), 25_000);
    }
}
