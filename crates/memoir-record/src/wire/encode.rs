//! An event as the record that a recorder sends.

use super::kept::Kept;
use super::metadata::{Fields, RECORDER};
use super::record::{Header, RawRecord, RawSource};
use super::said::to_blocks;
use memoir_event::{Event, Json, Keys, Kind, format_ms};
use std::borrow::Cow;

/// What a recorder says about itself, and where its records go.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'a> {
    /// Its working directory, redacted.
    pub cwd: Option<&'a str>,
    /// Where the record goes.
    pub to: Destination<'a>,
}

/// Where a record goes.
#[derive(Debug, Clone, Copy)]
pub enum Destination<'a> {
    /// To a server.
    Server,
    /// Into the spool of the journal here, with the event's keys if that journal could be asked for them: made before
    /// redaction, they cannot be made again after it.
    Spool(Option<&'a Keys>),
}

/// The record of a redacted event; `idempotency_key` is made once for each accepted event and stays with it.
pub fn encode(event: &Event, sender: Sender<'_>, idempotency_key: Option<&str>) -> RawRecord {
    let metadata = Fields {
        actor_id: event.actor.as_deref().map(Cow::Borrowed),
        captured_at: event.captured_ms.filter(|_| event.time.is_none()).map(|ms| Cow::Owned(format_ms(ms))),
        kept: match sender.to {
            Destination::Server => Kept::for_server(event),
            Destination::Spool(keys) => Some(Kept::new(event, keys)),
        },
        repo_id: Some(event.repo.as_str()).filter(|repo| !repo.is_empty()).map(Cow::Borrowed),
        idempotency_key: idempotency_key.map(Cow::Borrowed),
        recorder: Some(Cow::Borrowed(RECORDER)),
        recorder_cwd: sender.cwd.map(Cow::Borrowed),
        ..captured(event)
    };
    RawRecord {
        header: Header,
        session_id: event.session.clone(),
        turn_id: event.turn.clone(),
        topic_id: event.topic.clone(),
        source: raw_source(event.kind()),
        speaker: event.speaker,
        visibility: event.visibility,
        secrecy_level: event.secrecy,
        content: to_blocks(&event.content),
        metadata: to_json(&metadata),
        meta: event.meta.clone(),
    }
}

/// What the metadata of a record says about the event itself.
pub fn captured(event: &Event) -> Fields<'_> {
    Fields {
        action_id: event.action.as_deref().map(Cow::Borrowed),
        capture_metadata: event.metadata.as_ref().and_then(|json| serde_json::from_str(json.as_str()).ok()),
        capture_source: event.adapter.as_deref().map(Cow::Borrowed),
        event_type: Some(Cow::Borrowed(event.kind().as_str())),
        observed_at: event.time.as_ref().map(|time| Cow::Borrowed(time.given())),
        ..Fields::default()
    }
}

pub fn to_json(metadata: &Fields<'_>) -> Option<Json> {
    serde_json::to_string(metadata).ok().and_then(|text| Json::parse(text).ok())
}

/// The wire's word for what a kind is a record of.
pub fn raw_source(kind: Kind) -> RawSource {
    match kind.raw_source() {
        "conversation" => RawSource::Conversation,
        "scratchpad" => RawSource::Scratchpad,
        "summary" => RawSource::Summary,
        "imported" => RawSource::Imported,
        _ => RawSource::ToolIo,
    }
}
