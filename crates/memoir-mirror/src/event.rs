//! An event as a mirror gives it back.

use crate::record::{Field, Record};
use memoir_event::Json;
use std::borrow::Cow;

/// An event as it was read. What a line did not have is empty; what it had in another type is kept as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorEvent {
    /// The id, never blank.
    pub event_id: String,
    /// How it was captured.
    pub source: String,
    /// The project.
    pub repo_id: String,
    /// The contributor.
    pub actor_id: Option<String>,
    /// The session.
    pub session_id: String,
    /// The thread.
    pub thread_id: Option<String>,
    /// When it happened.
    pub ts: String,
    /// The event type.
    pub event_type: String,
    /// What it says, exactly as it is written; an empty object if it says nothing.
    pub payload: Json,
    /// How much reasoning it carries.
    pub reasoning_availability: String,
    /// Our kind.
    pub kind: Option<String>,
    /// The agent program.
    pub client: Option<String>,
    /// The adapter's name for itself.
    pub capture_source: Option<String>,
    /// The conversation turn.
    pub turn_id: Option<String>,
    /// The topic.
    pub topic_id: Option<String>,
    /// The tool call or action.
    pub action_id: Option<String>,
    /// Who said or did it.
    pub speaker: Option<String>,
    /// Where it may appear.
    pub visibility: Option<String>,
    /// How confidential it is.
    pub secrecy_level: Option<String>,
    /// The caller's metadata.
    pub metadata: Option<Json>,
    /// The caller's MetaMemory.
    pub meta: Option<Json>,
    /// Its number in its stream.
    pub sequence: Option<u64>,
}

impl MirrorEvent {
    pub(crate) fn of(id: &str, session: &str, record: &Record<'_>) -> MirrorEvent {
        let optional = |field| record.text(field).map(Cow::into_owned);
        let text = |field| optional(field).unwrap_or_default();
        let json = |field| record.json(field).map(Json::from);
        MirrorEvent {
            event_id: id.to_owned(),
            source: text(Field::Source),
            repo_id: text(Field::RepoId),
            actor_id: optional(Field::ActorId),
            session_id: session.to_owned(),
            thread_id: optional(Field::ThreadId),
            ts: text(Field::Ts),
            event_type: text(Field::EventType),
            payload: json(Field::Payload).unwrap_or_else(|| Json::from_value(&serde_json::json!({}))),
            reasoning_availability: text(Field::ReasoningAvailability),
            kind: optional(Field::Kind),
            client: optional(Field::Client),
            capture_source: optional(Field::CaptureSource),
            turn_id: optional(Field::TurnId),
            topic_id: optional(Field::TopicId),
            action_id: optional(Field::ActionId),
            speaker: optional(Field::Speaker),
            visibility: optional(Field::Visibility),
            secrecy_level: optional(Field::SecrecyLevel),
            metadata: json(Field::Metadata),
            meta: json(Field::Meta),
            sequence: record.text(Field::Sequence).and_then(|number| number.trim().parse().ok()),
        }
    }
}
