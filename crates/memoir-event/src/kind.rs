//! What an event is, and how each outside vocabulary calls it. `docs/EVENTS.md` shows this table to people.

use crate::access::{Speaker, vocabulary};
use serde::{Deserialize, Serialize};

vocabulary! {
    /// The kind of an event.
    Kind {
        /// What the user asked.
        UserMessage = 1 "user_message",
        /// What the agent answered.
        AssistantMessage = 2 "assistant_message",
        /// A tool call of the agent.
        ToolCall = 3 "tool_call",
        /// What the tool returned.
        ToolResult = 4 "tool_result",
        /// A shell command.
        Command = 5 "command",
        /// A change to files.
        FileChange = 6 "file_change",
        /// A summary of a session.
        SessionSummary = 7 "session_summary",
        /// Something failed.
        Error = 8 "error",
        /// The agent's reasoning.
        Reasoning = 9 "reasoning",
        /// A session or thread began.
        SessionStarted = 10 "session_started",
        /// A turn began.
        TurnStarted = 11 "turn_started",
        /// A turn ended.
        TurnCompleted = 12 "turn_completed",
        /// What a model response cost: tokens, model, price.
        Usage = 13 "usage",
        /// What a client or a plugin put into the conversation; nobody's words.
        Context = 14 "context",
        /// Anything else a client wrote, kept as it is.
        Other = 16 "other",
        /// A derived memory.
        Memory = 32 "memory",
        /// A sealed part of a session.
        Archive = 33 "archive",
        /// Something was forgotten.
        Tombstone = 34 "tombstone",
        /// Something took the place of something older.
        Supersede = 35 "supersede",
        /// A project is known under another id.
        Alias = 36 "alias",
        /// An archive in a model's words.
        Telling = 37 "telling",
    }
}

impl Kind {
    /// The kinds that a capture event of the recorder can have.
    pub const CAPTURED: [Kind; 8] = [
        Kind::UserMessage,
        Kind::AssistantMessage,
        Kind::ToolCall,
        Kind::ToolResult,
        Kind::Command,
        Kind::FileChange,
        Kind::SessionSummary,
        Kind::Error,
    ];

    /// Whether only memoir itself makes such events: from elsewhere they would change what a journal says.
    pub const fn is_own(self) -> bool {
        matches!(self, Kind::Memory | Kind::Archive | Kind::Telling | Kind::Tombstone | Kind::Supersede | Kind::Alias)
    }

    /// The speaker when the event names none.
    pub const fn inferred_speaker(self) -> Speaker {
        match self {
            Kind::UserMessage => Speaker::User,
            Kind::AssistantMessage | Kind::Reasoning => Speaker::Assistant,
            Kind::ToolCall | Kind::ToolResult | Kind::Command => Speaker::Tool,
            _ => Speaker::System,
        }
    }

    /// `eventType` of the envelope.
    pub const fn event_type(self) -> &'static str {
        match self {
            Kind::UserMessage => "prompt.submitted",
            Kind::Error => "error",
            Kind::SessionStarted => "thread.started",
            Kind::TurnStarted => "turn.started",
            Kind::TurnCompleted => "turn.completed",
            Kind::Usage => "usage.recorded",
            Kind::Context => "context.added",
            Kind::Other => "other",
            Kind::Memory => "memoir.memory",
            Kind::Archive => "memoir.archive",
            Kind::Tombstone => "memoir.tombstone",
            Kind::Supersede => "memoir.supersede",
            Kind::Alias => "memoir.alias",
            Kind::Telling => "memoir.telling",
            _ => "item.completed",
        }
    }

    /// `payload.item.type` of the envelope, where the kind has an item.
    pub const fn item_type(self) -> Option<&'static str> {
        match self {
            Kind::AssistantMessage => Some("agent_message"),
            Kind::ToolCall => Some("tool_call"),
            Kind::ToolResult => Some("tool_result"),
            Kind::Command => Some("command_execution"),
            Kind::FileChange => Some("file_change"),
            Kind::SessionSummary => Some("session_summary"),
            Kind::Reasoning => Some("reasoning"),
            _ => None,
        }
    }

    /// `source` of the raw journal's wire format.
    pub const fn raw_source(self) -> &'static str {
        match self {
            Kind::UserMessage | Kind::AssistantMessage => "conversation",
            Kind::Reasoning => "scratchpad",
            Kind::SessionSummary | Kind::Archive | Kind::Telling | Kind::Memory => "summary",
            Kind::Other => "imported",
            _ => "tool_io",
        }
    }

    /// Whether a filter for this type can find anything: one of our kinds, one of their event types, or a client's own
    /// event type, which has a dot in it.
    pub fn is_type(name: &str) -> bool {
        name.contains('.') || Kind::ALL.iter().any(|kind| kind.as_str() == name || kind.event_type() == name)
    }

    /// The kind that an envelope's `eventType` and item type mean.
    pub fn of_shape(event_type: &str, item_type: Option<&str>) -> Kind {
        Kind::ALL
            .iter()
            .copied()
            .find(|kind| kind.event_type() == event_type && kind.item_type() == item_type)
            .unwrap_or(Kind::Other)
    }
}

/// A kind with the exact type names that its envelope carries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Our kind.
    pub kind: Kind,
    /// `eventType`.
    pub event_type: String,
    /// `payload.item.type`, if the payload has an item.
    pub item_type: Option<String>,
}

impl From<Kind> for Shape {
    fn from(kind: Kind) -> Shape {
        Shape { kind, event_type: kind.event_type().to_owned(), item_type: kind.item_type().map(str::to_owned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_again_from_its_own_shape() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_shape(kind.event_type(), kind.item_type()), *kind);
            assert!(Kind::is_type(kind.as_str()) && Kind::is_type(kind.event_type()));
        }
    }
}
