//! What goes into an append beside the events, and what comes out.

use crate::Seq;
use memoir_event::{EventId, RecordUuid};

/// What became of an appended event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Stored {
        /// Its place.
        seq: Seq,
        /// Its id.
        id: EventId,
        /// When it was stored.
        at_ms: i64,
    },
    /// It was known, and this capture is fuller: readers now see this one.
    Revised {
        /// The place of the revision.
        seq: Seq,
        /// The place of the event's first record.
        of: Seq,
        /// The event's id.
        id: EventId,
        /// When it was first stored.
        at_ms: i64,
    },
    /// It was known, and this capture adds nothing to what it says.
    SeenAgain {
        /// The place of the event's first record.
        of: Seq,
        /// The event's id.
        id: EventId,
        /// When it was first stored.
        at_ms: i64,
    },
    /// It was forgotten, and stays so: nothing was stored.
    Suppressed,
}

impl Outcome {
    /// The id under which the event is known; none if it is suppressed.
    pub const fn id(&self) -> Option<EventId> {
        match self {
            Outcome::Stored { id, .. } | Outcome::Revised { id, .. } | Outcome::SeenAgain { id, .. } => Some(*id),
            Outcome::Suppressed => None,
        }
    }

    /// The UUID that clients of the raw journal know the event by; none if it is suppressed.
    pub fn uuid(&self) -> Option<RecordUuid> {
        match self {
            Outcome::Stored { id, at_ms, .. }
            | Outcome::Revised { id, at_ms, .. }
            | Outcome::SeenAgain { id, at_ms, .. } => Some(RecordUuid::new(*at_ms, id)),
            Outcome::Suppressed => None,
        }
    }
}

/// Stands before the name of a stream that is counted on, never in the journal.
const MORE: char = '+';

/// How far a stream (a history file, an exec run) has been taken in. Without a number and without a position it is
/// taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The stream's name.
    pub stream: String,
    /// The number of its last record.
    pub sequence: u64,
    /// Where to go on; its meaning belongs to whoever reads the stream.
    pub position: String,
}

impl Cursor {
    /// Takes a stream's cursor away.
    pub const fn gone(stream: String) -> Cursor {
        Cursor { stream, sequence: 0, position: String::new() }
    }

    /// Adds so many to a stream's number, whatever that is by then: others may count on it at the same time.
    pub fn more(stream: &str, count: u64, position: String) -> Cursor {
        Cursor { stream: format!("{MORE}{stream}"), sequence: count, position }
    }

    /// The stream to whose number this adds, if it does not say the number itself.
    pub fn adds_to(&self) -> Option<&str> {
        self.stream.strip_prefix(MORE)
    }

    /// Whether it says nothing any more.
    pub(crate) const fn is_gone(&self) -> bool {
        self.sequence == 0 && self.position.is_empty()
    }
}
