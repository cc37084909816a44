//! What a journal hands out.

use crate::filter::PageToken;
use crate::{JournalError, Seq};
use memoir_event::{Client, Envelope, Event, EventId, Key, Kind, RecordUuid, Source};

/// An event as stored, in its fullest revision.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// The place of its first record: its name inside this journal.
    pub seq: Seq,
    /// Its id.
    pub id: EventId,
    /// Its keys.
    pub keys: Vec<Key>,
    /// When it happened, or else was stored.
    pub ts_ms: i64,
    /// When it was stored.
    pub at_ms: i64,
    /// The origin's number (source, session, thread, project, contributor).
    pub origin: u32,
    /// The shape's number (kind, event type, item type).
    pub shape: u32,
    /// The event; `sequence` is its number in its stream, `identities` is empty.
    pub event: Event,
}

impl StoredEvent {
    /// The UUID that clients of the raw journal know it by.
    pub fn uuid(&self) -> RecordUuid {
        RecordUuid::new(self.at_ms, &self.id)
    }

    /// Visibility and secrecy in four bits.
    pub const fn access(&self) -> u8 {
        crate::view::access_code(self.event.visibility, self.event.secrecy)
    }

    /// The event as the outside sees it.
    pub fn into_envelope(self) -> Envelope {
        Envelope::new(self.event, self.id, self.ts_ms, self.at_ms, self.seq)
    }
}

/// One page of events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    /// The events.
    pub events: Vec<StoredEvent>,
    /// Where the next page begins, if there is more.
    pub next: Option<PageToken>,
}

/// Where events come from, by the number that they and indexes carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginEntry<'a> {
    /// Its number.
    pub no: u32,
    /// How they were captured.
    pub source: Source,
    /// The agent program.
    pub client: Option<Client>,
    /// The client's own session id.
    pub session: &'a str,
    /// The thread.
    pub thread: Option<&'a str>,
    /// The project they were recorded under.
    pub repo: &'a str,
}

/// How to name one event.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// By an id of any of its sightings.
    Id(EventId),
    /// By the UUID that raw clients know.
    Uuid(RecordUuid),
}

impl Lookup {
    /// Reads an event id or a record UUID.
    pub fn parse(text: &str) -> Option<Lookup> {
        EventId::parse(text).map(Lookup::Id).ok().or_else(|| RecordUuid::parse(text).map(Lookup::Uuid))
    }
}

/// What a record is to its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordClass {
    /// Its first record.
    Event,
    /// A fuller capture.
    Revision,
    /// Another capture that says no more.
    Sighting,
}

/// One entry of the change feed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new event.
    Event(Box<StoredEvent>),
    /// A fuller capture of the event at `of`; carries what readers now see.
    Revision {
        /// The place of this record.
        seq: Seq,
        /// The event as it now reads.
        event: Box<StoredEvent>,
    },
    /// Another capture of the event at `of`.
    Sighting {
        /// The place of this record.
        seq: Seq,
        /// The place of the event's first record.
        of: Seq,
    },
}

impl Change {
    /// The place of the record that made the change.
    pub const fn seq(&self) -> Seq {
        match self {
            Change::Event(event) => event.seq,
            Change::Revision { seq, .. } | Change::Sighting { seq, .. } => *seq,
        }
    }
}

/// One capture of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The place of the record.
    pub seq: Seq,
    /// What it is to the event.
    pub class: RecordClass,
    /// How it was captured.
    pub source: Source,
    /// The id that this capture would have had alone.
    pub id: EventId,
    /// When it was stored.
    pub at_ms: i64,
}

/// One session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// The agent program.
    pub client: Option<Client>,
    /// The client's own id.
    pub session: String,
    /// Its project.
    pub repo: String,
    /// How many of its events the reader may see.
    pub events: u64,
    /// When its first event happened.
    pub first_ms: i64,
    /// When its last event happened.
    pub last_ms: i64,
    /// The first thing the user asked in it, if the reader may see it.
    pub title: Option<String>,
    /// The event whose text is the title, whole.
    pub title_is: Option<EventId>,
}

impl SessionEntry {
    /// The id as people see it.
    pub fn shown(&self) -> String {
        Client::shown_session(self.client, &self.session)
    }
}

/// A conversation that got something new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The agent program.
    pub client: Option<Client>,
    /// The client's own id.
    pub session: String,
    /// Its project.
    pub repo: String,
    /// The place of its last event.
    pub last_seq: Seq,
    /// How many events are new.
    pub events: u64,
    /// When the last of them happened.
    pub last_ms: i64,
}

/// Where an event of a conversation lies, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its place.
    pub seq: Seq,
    /// When it happened.
    pub ts_ms: i64,
    /// Its kind.
    pub kind: Kind,
    /// The thread, of a sub-agent.
    pub thread: Option<String>,
}

/// One project in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectEntry {
    /// Its present id.
    pub repo: String,
    /// Ids under which events of it were recorded before.
    pub aliases: Vec<String>,
    /// How many sessions it has.
    pub sessions: u64,
    /// How many events, whoever may see them.
    pub events: u64,
    /// When its first event happened.
    pub first_ms: i64,
    /// When its last event happened.
    pub last_ms: i64,
}

/// Figures about a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Records: events, revisions and sightings.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// Sessions.
    pub sessions: u64,
    /// Forgotten events.
    pub forgotten: u64,
    /// Secrets that were taken out on the way in.
    pub redactions: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// When the last record was stored.
    pub last_at_ms: Option<i64>,
}

/// The result of a verification.
#[derive(Debug, Default)]
pub struct Verified {
    /// How many records were proven.
    pub records: u64,
    /// The first bad record and what is wrong with it.
    pub bad: Option<(Seq, String)>,
    /// What is wrong with the tables and indexes around the records.
    pub tables: Option<String>,
    /// Set when `progress` stopped it.
    pub stopped: bool,
    /// What kept the rest from being read, if anything did.
    pub unreadable: Option<JournalError>,
}

impl Verified {
    /// Whether everything was looked at and found whole.
    pub const fn is_whole(&self) -> bool {
        self.bad.is_none() && self.tables.is_none() && !self.stopped
    }
}
