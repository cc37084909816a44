//! One observed thing, in the form that everything inside memoir passes on.

use crate::access::{Reasoning, Secrecy, Speaker, Visibility};
use crate::content::{Content, Json};
use crate::id::EventId;
use crate::kind::{Kind, Shape};
use crate::source::{Client, Source};
use crate::time::Time;

/// What makes two captures of something the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A capture event with an explicit turn, action or time: these and the content.
    Explicit,
    /// The sender's own name for this record: sent again after a lost answer, it is the same record.
    Named(String),
    /// The client's own id of the item in its session, whoever sees it: a call id, a message id.
    Item {
        /// The client's id.
        id: String,
        /// Which block of that item.
        block: u32,
    },
    /// The client's own id of a record that it wrote with its time: a copy in another session is the same thing.
    Record {
        /// The client's id.
        id: String,
        /// Which block of that record.
        block: u32,
    },
    /// What was said in a turn that the client names: the turn, the text, and its number among equal ones.
    InTurn {
        /// Thread, turn, speaker and a digest of the text.
        name: String,
        /// Its number among equal ones.
        nth: u32,
    },
    /// The place of a text that may still grow: known under it only if one text begins with the other.
    Growing(String),
    /// What it says: another way of capture may have seen the same in this session at about this time.
    Alike(Said),
    /// The id under which another journal, or a mirror of one, knows it.
    Id(EventId),
    /// Nothing names it: each capture is a thing of its own.
    Unique {
        /// When it was captured.
        at_ms: i64,
        /// Differs for each capture.
        nonce: u64,
    },
}

/// The text by which two captures are found to say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The content itself.
    Content,
    /// A text of its own, such as the command of a tool call.
    Own(String),
}

/// One observed thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// How it was captured.
    pub source: Source,
    /// The agent program whose session it is.
    pub client: Option<Client>,
    /// The adapter's free-form name for itself.
    pub adapter: Option<String>,
    /// The project.
    pub repo: String,
    /// The contributor.
    pub actor: Option<String>,
    /// The client's own session id.
    pub session: String,
    /// The thread inside the session.
    pub thread: Option<String>,
    /// The conversation turn.
    pub turn: Option<String>,
    /// The topic it belongs to.
    pub topic: Option<String>,
    /// The tool call or action it belongs to.
    pub action: Option<String>,
    /// When it happened, if the source said so.
    pub time: Option<Time>,
    /// When it was captured, if that was before it reached a journal: it may have waited. Milliseconds since 1970.
    pub captured_ms: Option<i64>,
    /// Its number in its stream; none lets the journal count.
    pub sequence: Option<u64>,
    /// What it is.
    pub shape: Shape,
    /// Who said or did it.
    pub speaker: Speaker,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy: Secrecy,
    /// How much reasoning it carries.
    pub reasoning: Reasoning,
    /// What it says.
    pub content: Content,
    /// The caller's metadata.
    pub metadata: Option<Json>,
    /// The caller's MetaMemory.
    pub meta: Option<Json>,
    /// What names it; known under any of these, it is known.
    pub identities: Vec<Identity>,
}

impl Event {
    /// An event of that kind with every optional part left out; its session is its thread.
    pub fn new(source: Source, session: &str, kind: Kind, content: Content) -> Event {
        Event {
            source,
            client: None,
            adapter: None,
            repo: String::new(),
            actor: None,
            session: session.to_owned(),
            thread: Some(session.to_owned()),
            turn: None,
            topic: None,
            action: None,
            time: None,
            captured_ms: None,
            sequence: None,
            shape: Shape::from(kind),
            speaker: kind.inferred_speaker(),
            visibility: Visibility::Normal,
            secrecy: Secrecy::Sensitive,
            reasoning: Reasoning::Unavailable,
            content,
            metadata: None,
            meta: None,
            identities: Vec::new(),
        }
    }

    /// The id that it will have in a journal, if it does not depend on what the journal holds.
    pub fn derived_id(&self) -> Option<EventId> {
        let given = self.time.as_ref().map_or("", Time::given);
        let number = self.sequence?;
        Some(EventId::derive(self.source, self.thread.as_deref(), number, &self.shape.event_type, given))
    }

    /// The kind of the event.
    pub const fn kind(&self) -> Kind {
        self.shape.kind
    }
}
