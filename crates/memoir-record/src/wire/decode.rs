//! A record as the event it stands for.

use super::encode::raw_source;
use super::error::WireError;
use super::kept::Kept;
use super::metadata::{Fields, Metadata, Origin};
use super::record::{RawRecord, RawSource};
use super::said::from_blocks;
use memoir_event::{
    Client, Event, Identity, Json, Keys, Kind, Source, Speaker, Time, check_meta, parse_ms, repo_id_of_path,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// How a record was captured, and what names it if nothing in it does.
#[derive(Debug, Clone, Copy)]
pub struct Capture {
    /// The way it came in: `Source::Http` on a server.
    pub source: Source,
    /// When it arrived.
    pub at_ms: i64,
    /// Differs for each record that arrives.
    pub nonce: u64,
}

impl RawRecord {
    /// The event, not yet redacted.
    pub fn into_event(self, capture: Capture) -> Result<Event, WireError> {
        if self.session_id.trim().is_empty() {
            return Err(WireError::BlankSession);
        }
        if let Some(meta) = &self.meta {
            check_meta(&meta.to_value())?;
        }
        let content = from_blocks(self.content)?;
        let mut event = Event::new(capture.source, &self.session_id, Kind::Other, content);
        event.turn = self.turn_id.filter(|id| !id.trim().is_empty());
        event.topic = self.topic_id.filter(|id| !id.trim().is_empty());
        event.visibility = self.visibility;
        event.secrecy = self.secrecy_level;
        event.meta = self.meta;
        let (named, kept) = describe(&mut event, self.metadata, self.source, self.speaker);
        event.identities = vec![identity(&event, named, capture)];
        if let Some(kept) = kept.filter(Kept::is_captured) {
            kept.restore(&mut event);
        }
        Ok(event)
    }

    /// The directory the session worked in, if the sender says so.
    pub fn cwd(&self) -> Option<String> {
        let metadata = Metadata::read(self.metadata.as_ref()?);
        (metadata.origin != Origin::Foreign).then(|| cwd(&metadata.fields)).flatten()
    }

    /// The event that waited in the spool as this record, and the keys that it had.
    pub fn into_kept_event(self, capture: Capture) -> Result<(Event, Keys), WireError> {
        let kept = self.metadata.as_ref().and_then(|json| Metadata::read(json).fields.kept);
        let mut event = self.into_event(capture)?;
        let Some(kept) = kept else { return Ok((event, Keys::default())) };
        let keys = kept.keys();
        kept.restore(&mut event);
        Ok((event, keys))
    }

    /// The name that its sender gave this record.
    pub fn idempotency_key(&self) -> Option<String> {
        said(Metadata::read(self.metadata.as_ref()?).fields.idempotency_key.as_ref())
    }
}

/// Moves what the metadata says into the event; returns the sender's name for the record, and what it kept of the event.
fn describe(
    event: &mut Event,
    metadata: Option<Json>,
    source: RawSource,
    speaker: Speaker,
) -> (Option<String>, Option<Kept>) {
    event.speaker = speaker;
    let Some(metadata) = metadata else {
        event.shape = kind_of(source, speaker).into();
        return (None, None);
    };
    let Metadata { mut fields, origin } = Metadata::read(&metadata);
    let time = fields.observed_at.as_deref().map(Time::parse).transpose();
    // A recorder whose time cannot be read is no recorder we know: nothing of what it says may get lost.
    let origin = if time.is_ok() { origin } else { Origin::Foreign };
    event.shape = kind(&fields, source, speaker).into();
    if origin != Origin::Foreign {
        event.action = said(fields.action_id.as_ref());
        event.adapter = said(fields.capture_source.as_ref());
        event.client = event.adapter.as_deref().and_then(Client::from_adapter);
        event.time = time.ok().flatten();
        event.captured_ms = fields.captured_at.as_deref().and_then(|given| parse_ms(given).ok());
        event.actor = said(fields.actor_id.as_ref());
        let repo = said(fields.repo_id.as_ref());
        event.repo = repo.or_else(|| cwd(&fields).map(|cwd| repo_id_of_path(&cwd))).unwrap_or_default();
    }
    let name = said(fields.idempotency_key.as_ref());
    let kept = fields.kept.take().filter(|_| origin == Origin::Recorder);
    event.metadata = match origin {
        Origin::Recorder => fields.capture_metadata.map(Json::from),
        Origin::NewerRecorder | Origin::Foreign => Some(metadata),
    };
    (name, kept)
}

/// A field that says something.
fn said(field: Option<&Cow<'_, str>>) -> Option<String> {
    field.filter(|text| !text.trim().is_empty()).map(|text| text.as_ref().to_owned())
}

/// The directory the session worked in: the one the adapter saw, or else the recorder's own.
fn cwd(fields: &Fields<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct WithCwd {
        cwd: Option<String>,
    }
    let seen = fields.capture_metadata.map(RawValue::get).filter(|json| json.contains("\"cwd\""));
    seen.and_then(|json| serde_json::from_str::<WithCwd>(json).ok()?.cwd).or_else(|| said(fields.recorder_cwd.as_ref()))
}

/// The kind a record names, as long as that agrees with its source; otherwise the one its source and speaker mean.
fn kind(fields: &Fields<'_>, source: RawSource, speaker: Speaker) -> Kind {
    let named = fields.event_type.as_deref().and_then(Kind::parse);
    named
        .filter(|kind| Kind::CAPTURED.contains(kind) && raw_source(*kind) == source)
        .unwrap_or_else(|| kind_of(source, speaker))
}

/// Every source leads to a kind that leads back to it, so that recall shows the source that came in.
const fn kind_of(source: RawSource, speaker: Speaker) -> Kind {
    match (source, speaker) {
        (RawSource::Conversation, Speaker::User) => Kind::UserMessage,
        // What the client itself says in a conversation is never the user's words.
        (RawSource::Conversation, _) => Kind::AssistantMessage,
        (RawSource::ToolIo, Speaker::Assistant) => Kind::ToolCall,
        (RawSource::ToolIo, Speaker::User) => Kind::Command,
        (RawSource::ToolIo, Speaker::Tool | Speaker::System) => Kind::ToolResult,
        (RawSource::Scratchpad, _) => Kind::Reasoning,
        (RawSource::Summary, _) => Kind::SessionSummary,
        (RawSource::Imported, _) => Kind::Other,
    }
}

fn identity(event: &Event, name: Option<String>, capture: Capture) -> Identity {
    if event.turn.is_some() || event.action.is_some() || event.time.is_some() {
        return Identity::Explicit;
    }
    name.map_or(Identity::Unique { at_ms: capture.at_ms, nonce: capture.nonce }, Identity::Named)
}
