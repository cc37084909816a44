//! A memory: something worth knowing later, and what it knows of itself.
//!
//! It is stored as the payload of an event of kind `memory`. What keeps wrong memories out of an answer is not a score
//! but its scope, its status and its names, so these are part of the record.

use crate::access::vocabulary;
use crate::content::{Content, Json};
use crate::event::{Event, Identity};
use crate::kind::Kind;
use crate::source::Source;
use serde::{Deserialize, Serialize};

/// A longer text is a document, not a memory.
pub const MEMORY_CHARS_MAX: usize = 8_000;
/// A longer name is a text.
pub const MEMORY_NAME_CHARS_MAX: usize = 120;
/// More other names than this are left out.
pub const MEMORY_ALIASES_MAX: usize = 32;

vocabulary! {
    /// What a memory is about.
    MemoryKind {
        /// Something that is so.
        Fact = 0 "fact",
        /// How somebody wants things done.
        Preference = 1 "preference",
        /// Something that was decided.
        Decision = 2 "decision",
        /// How something is done.
        Procedure = 3 "procedure",
        /// What was wrong and how it was mended.
        Fix = 4 "fix",
        /// Something that happened.
        Episode = 5 "episode",
        /// A thing, a person or a place.
        Entity = 6 "entity",
        /// How two of them belong together.
        Relation = 7 "relation",
        /// Something that is still open.
        Question = 8 "question",
        /// How things are done here.
        Convention = 9 "convention",
    }
}

vocabulary! {
    /// How far a memory holds.
    MemoryStatus {
        /// It holds.
        Active = 0 "active",
        /// It is being tried or weighed.
        Exploratory = 1 "exploratory",
        /// It was concluded, nobody said it.
        Inferred = 2 "inferred",
        /// It is settled: nothing is open any more.
        Resolved = 3 "resolved",
        /// Something newer took its place.
        Superseded = 4 "superseded",
    }
}

impl MemoryStatus {
    /// Whether it may be handed out as what is so now.
    pub const fn is_current(self) -> bool {
        matches!(self, MemoryStatus::Active | MemoryStatus::Exploratory | MemoryStatus::Inferred)
    }
}

/// For whom a memory holds. The project is the event's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// Wherever the user works.
    User,
    /// In one project.
    #[default]
    Project,
    /// In one session, by its client's own id.
    Session(String),
}

impl MemoryScope {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            MemoryScope::User => "user",
            MemoryScope::Project => "project",
            MemoryScope::Session(_) => "session",
        }
    }
}

/// Where a memory is from: an event, or a session or turn as far as somebody told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySource {
    /// The event's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The session, with or without its client's prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The version of this form.
    pub version: u32,
    /// What its maker calls it: said again under the same, it is the same memory.
    pub uid: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// What it says.
    pub text: String,
    /// What it is called.
    pub name: String,
    /// What else it is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Those of its names that somebody gave it; the others were taken from its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_names: Vec<String>,
    /// For whom it holds.
    pub scope: MemoryScope,
    /// How far it holds.
    pub status: MemoryStatus,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// Whether the user wants it always at hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// How often it was said again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reinforced: u32,
    /// When it was last said again, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reinforced_ms: Option<i64>,
    /// Ids of memories that belong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Ids of memories that say otherwise, and nobody knows which is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<String>,
    /// Where it is from; none if somebody just said it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MemorySource>,
    /// Who or what made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// It quotes all that it is made of: it is gone with the first of them, not with the last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quotes: bool,
    /// The user looked at it and left it like this: whatever made it leaves it so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_user: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Memory {
    /// The version that this memoir writes.
    pub const VERSION: u32 = 1;

    /// A memory of that kind which somebody just said.
    pub fn new(uid: &str, kind: MemoryKind, text: &str, name: &str) -> Memory {
        Memory {
            version: Memory::VERSION,
            uid: uid.to_owned(),
            kind,
            text: text.to_owned(),
            name: name.to_owned(),
            aliases: Vec::new(),
            given_names: Vec::new(),
            scope: MemoryScope::Project,
            status: MemoryStatus::Active,
            confidence: 1.0,
            pinned: false,
            reinforced: 0,
            reinforced_ms: None,
            related: Vec::new(),
            contradicts: Vec::new(),
            sources: Vec::new(),
            made_by: None,
            quotes: false,
            by_user: false,
        }
    }

    /// The memory that an event holds.
    pub fn of_event(event: &Event) -> Option<Memory> {
        if event.kind() != Kind::Memory {
            return None;
        }
        let memory: Memory = serde_json::from_str(event.content.verbatim()).ok()?;
        (memory.version <= Memory::VERSION).then_some(memory)
    }

    /// The session that events of memories are in; it is no conversation.
    pub const SESSION: &str = "memories";

    /// The event that says it, in a project; for the user everywhere the project is empty.
    pub fn into_event(self, project: &str) -> Event {
        let mut event = Event::new(Source::Memoir, Memory::SESSION, Kind::Memory, self.content());
        if self.scope != MemoryScope::User {
            project.clone_into(&mut event.repo);
        }
        event.identities = vec![Identity::Named(format!("memory/{}", self.uid))];
        event
    }

    /// As the content of an event.
    pub fn content(&self) -> Content {
        Content::Payload(Json::from_value(&serde_json::to_value(self).unwrap_or_default()))
    }

    /// Whether somebody gave it that name, whatever its capitals.
    pub fn is_given_name(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.given_names.iter().any(|given| given.to_lowercase() == name)
    }

    /// Somebody gives it one more name.
    pub fn give_name(&mut self, name: &str) {
        let is_known = self.names().any(|known| known.to_lowercase() == name.to_lowercase());
        if !is_known {
            self.aliases.push(name.to_owned());
        }
        if !self.is_given_name(name) {
            self.given_names.push(name.to_owned());
        }
    }

    /// All that it is called.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str())
            .chain(self.aliases.iter().map(String::as_str))
            .filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_survives_its_event() {
        let mut memory = Memory::new("m-1", MemoryKind::Procedure, "deploys go through ./ship", "deploys");
        memory.aliases = vec!["ship".to_owned()];
        memory.scope = MemoryScope::Session("s".to_owned());
        memory.sources = vec![MemorySource { event: Some("0123".to_owned()), ..MemorySource::default() }];
        let event = memory.clone().into_event("acme/shop");
        assert_eq!((event.repo.as_str(), event.session.as_str()), ("acme/shop", "memories"));
        assert_eq!(Memory::of_event(&event), Some(memory.clone()));
        assert_eq!(memory.names().collect::<Vec<_>>(), ["deploys", "ship"]);
    }

    #[test]
    fn names_that_somebody_gave_are_told_from_those_that_were_found() {
        let mut memory = Memory::new("m-1", MemoryKind::Fact, "it is so", "it");
        memory.aliases = vec!["so".to_owned()];
        memory.give_name("Thing");
        memory.give_name("So");
        assert_eq!(memory.names().collect::<Vec<_>>(), ["it", "so", "Thing"]);
        assert_eq!(["it", "so", "thing"].map(|name| memory.is_given_name(name)), [false, true, true]);
        assert_eq!(Memory::of_event(&memory.clone().into_event("p")), Some(memory));
    }

    #[test]
    fn the_stored_form_is_as_promised() {
        let memory = Memory::new("m-1", MemoryKind::Fact, "it is so", "it");
        let golden = r#"{"version":1,"uid":"m-1","kind":"fact","text":"it is so","name":"it","scope":"project","status":"active","confidence":1.0}"#;
        assert_eq!(memory.content().verbatim(), golden);
        let newer = golden.replace("\"version\":1", "\"version\":2");
        let event = Event::new(Source::Memoir, "m", Kind::Memory, Content::Payload(Json::parse(newer).unwrap()));
        assert_eq!(Memory::of_event(&event), None);
    }
}
