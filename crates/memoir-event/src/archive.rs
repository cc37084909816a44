//! An archive: the sealed part of a session.
//!
//! It is stored as the payload of an event of kind `archive`. It holds no text of the session: it names the events that
//! tell what was asked, decided, changed and left open, and whoever shows it reads them anew. What is forgotten is gone
//! from it without anybody touching it.

use crate::access::vocabulary;
use crate::content::{Content, Json};
use crate::event::{Event, Identity};
use crate::id::EventId;
use crate::kind::Kind;
use crate::source::{Client, Source};
use serde::{Deserialize, Serialize};

/// More points than this are no overview.
pub const ARCHIVE_POINTS_MAX: usize = 64;
/// A point that names more events than this names the first ones.
pub const POINT_EVENTS_MAX: usize = 8;

vocabulary! {
    /// Why a session was committed.
    Trigger {
        /// Its conversation is about to be compacted.
        Compaction = 0 "compaction",
        /// Another session began, and this one is taken for ended.
        Replaced = 1 "replaced",
        /// Nobody touched it for a while.
        Idle = 2 "idle",
        /// Its client said that it is over.
        Ended = 3 "ended",
        /// Somebody asked for it.
        Asked = 4 "asked",
    }
}

vocabulary! {
    /// What a point of an overview tells.
    Section {
        /// What the user asked for.
        Asked = 0 "asked",
        /// What was decided, and why.
        Decided = 1 "decided",
        /// A file that was changed.
        Changed = 2 "changed",
        /// A command that was run, and how it ended.
        Ran = 3 "ran",
        /// What failed; with what mended it, if something did.
        Failed = 4 "failed",
        /// What the agent said at the end.
        Outcome = 5 "outcome",
        /// What is left to do.
        Open = 6 "open",
    }
}

/// One point of an overview: the events that tell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// What it tells.
    pub section: Section,
    /// The events, the first is the one that is quoted.
    pub events: Vec<EventId>,
    /// How often, if more than once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

fn is_once(times: &u32) -> bool {
    *times == 1
}

/// An archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// The version of this form.
    pub version: u32,
    /// The agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The client's own id of the session.
    pub session: String,
    /// Which archive of its session it is; the first is 1.
    pub number: u32,
    /// The place in the journal after which it begins.
    pub after_seq: u64,
    /// The last place that it may hold.
    pub last_seq: u64,
    /// When its first event happened, in milliseconds since 1970.
    pub first_ms: i64,
    /// When its last event happened.
    pub last_ms: i64,
    /// How many events it has.
    pub events: u64,
    /// How many times the user asked something.
    pub turns: u64,
    /// Why it was made.
    pub trigger: Trigger,
    /// The overview.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
}

impl Archive {
    /// The version that this memoir writes.
    pub const VERSION: u32 = 1;

    /// The archive that an event holds.
    pub fn of_event(event: &Event) -> Option<Archive> {
        if event.kind() != Kind::Archive {
            return None;
        }
        let archive: Archive = serde_json::from_str(event.content.verbatim()).ok()?;
        (archive.version <= Archive::VERSION).then_some(archive)
    }

    /// The event that says it, in a project: in the session that it is of, though no part of the conversation.
    pub fn into_event(self, project: &str) -> Event {
        let name = named("archive", self.client, &self.session, self.number);
        let content = Content::Payload(Json::from_value(&serde_json::to_value(&self).unwrap_or_default()));
        let mut event = Event::new(Source::Memoir, &self.session, Kind::Archive, content);
        event.client = self.client;
        project.clone_into(&mut event.repo);
        event.identities = vec![name];
        event
    }

    /// Its name within its session.
    pub fn name(&self) -> String {
        format!("archive_{:03}", self.number)
    }

    /// The session as people see it.
    pub fn shown_session(&self) -> String {
        Client::shown_session(self.client, &self.session)
    }
}

/// What the event of an archive, or of what is told of it, is named by.
pub(crate) fn named(what: &str, client: Option<Client>, session: &str, number: u32) -> Identity {
    Identity::Named(format!("{what}/{}/{number}", Client::shown_session(client, session)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Archive {
        Archive {
            version: Archive::VERSION,
            client: Some(Client::Codex),
            session: "0193".to_owned(),
            number: 2,
            after_seq: 7,
            last_seq: 19,
            first_ms: 1_000,
            last_ms: 2_000,
            events: 11,
            turns: 2,
            trigger: Trigger::Compaction,
            points: vec![Point {
                section: Section::Asked,
                events: vec![EventId::parse("0123456789abcdef01234567").unwrap()],
                times: 1,
            }],
        }
    }

    #[test]
    fn an_archive_survives_its_event() {
        let event = archive().into_event("acme/shop");
        assert_eq!((event.repo.as_str(), event.session.as_str()), ("acme/shop", "0193"));
        assert_eq!(Archive::of_event(&event), Some(archive()));
        assert_eq!((archive().name(), archive().shown_session()), ("archive_002".to_owned(), "cx-0193".to_owned()));
    }

    #[test]
    fn the_stored_form_is_as_promised() {
        let golden = r#"{"version":1,"client":"codex","session":"0193","number":2,"after_seq":7,"last_seq":19,"first_ms":1000,"last_ms":2000,"events":11,"turns":2,"trigger":"compaction","points":[{"section":"asked","events":["0123456789abcdef01234567"]}]}"#;
        let event = archive().into_event("p");
        assert_eq!(event.content.verbatim(), golden);
        let newer = golden.replace("\"version\":1", "\"version\":2");
        let event = Event::new(Source::Memoir, "m", Kind::Archive, Content::Payload(Json::parse(newer).unwrap()));
        assert_eq!(Archive::of_event(&event), None);
    }
}
