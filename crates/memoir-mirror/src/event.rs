//! An event as a mirror gives it back.

use crate::record::{Field, Record};
use memoir_event::{
    Client, Envelope, Event, EventId, Identity, Json, Kind, Reasoning, Said, Secrecy, Source, Speaker, Visibility,
};
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

    /// The event, known by its id. What a line leaves open is as it usually is.
    pub fn into_event(self) -> Event {
        let item = self.payload.to_value().pointer("/item/type").and_then(|kind| kind.as_str().map(str::to_owned));
        let kind = self.kind.as_deref().and_then(Kind::parse);
        let kind = kind.unwrap_or_else(|| Kind::of_shape(&self.event_type, item.as_deref()));
        let source = Source::parse(&self.source);
        // A tool that memoir does not know is named as an adapter is.
        let adapter = self.capture_source.or_else(|| Some(self.source.clone()).filter(|_| source.is_none()));
        let source = source.unwrap_or(Source::Recorder);
        let client = self.client.as_deref().and_then(Client::parse).or_else(|| Client::of_source(source));
        let envelope = Envelope {
            event_id: EventId::parse(&self.event_id).unwrap_or_else(|_| id_of_another_make(source, &self.event_id)),
            source,
            repo_id: self.repo_id,
            actor_id: self.actor_id,
            session_id: self.session_id,
            thread_id: self.thread_id,
            ts: self.ts,
            event_type: self.event_type,
            payload: self.payload,
            reasoning_availability: Reasoning::parse(&self.reasoning_availability).unwrap_or(Reasoning::Unavailable),
            kind,
            client,
            capture_source: adapter,
            turn_id: self.turn_id,
            topic_id: self.topic_id,
            action_id: self.action_id,
            speaker: self.speaker.as_deref().and_then(Speaker::parse).unwrap_or_else(|| kind.inferred_speaker()),
            visibility: self.visibility.as_deref().and_then(Visibility::parse).unwrap_or(Visibility::Normal),
            secrecy_level: self.secrecy_level.as_deref().and_then(Secrecy::parse).unwrap_or(Secrecy::Sensitive),
            metadata: self.metadata,
            meta: self.meta,
            ts_ms: 0,
            recorded_at: String::new(),
            journal_sequence: 0,
            sequence: self.sequence.unwrap_or(0),
        };
        let mut event = envelope.into_event();
        if matches!(kind, Kind::UserMessage | Kind::AssistantMessage | Kind::Reasoning | Kind::Error) {
            event.identities.push(Identity::Alike(Said::Content));
        }
        event
    }
}

/// What an event is called in a journal whose id in the mirror is not 24 hexadecimal characters.
pub fn id_of_another_make(source: Source, id: &str) -> EventId {
    EventId::derive(source, None, 0, "", id)
}
