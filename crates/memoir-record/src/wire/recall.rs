//! Raw recall: what is asked, and stored events as the records that answer it.

use super::encode::{captured, raw_source, to_json};
use super::metadata::{Fields, RECORDER};
use super::record::{Header, RawContent, RawSource};
use super::said::to_blocks;
use memoir_event::{Event, Json, Secrecy, Source, Speaker, Visibility, format_ms};
use memoir_journal::StoredEvent;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// How many records an answer has if the request does not say.
pub const RECALL_LIMIT: usize = 10;

/// When records were stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimeRange {
    /// Not before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Not after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// The body of a raw recall request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallRequest {
    /// Accepted and not read.
    #[serde(default, skip_serializing)]
    pub header: Header,
    /// How many records at most.
    #[serde(default = "recall_limit")]
    pub limit: usize,
    /// Of that session only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// With these words only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Stored in that time only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporal: Option<TimeRange>,
    /// Scratch material too.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub include_private_scratch: bool,
    /// Sealed material too.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub include_sealed: bool,
    /// Of these levels only; public and sensitive if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrecy_levels: Option<Vec<Secrecy>>,
}

impl Default for RecallRequest {
    fn default() -> RecallRequest {
        RecallRequest {
            header: Header,
            limit: RECALL_LIMIT,
            session_id: None,
            query: None,
            temporal: None,
            include_private_scratch: false,
            include_sealed: false,
            secrecy_levels: None,
        }
    }
}

const fn recall_limit() -> usize {
    RECALL_LIMIT
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over that way")]
const fn is_unset(flag: &bool) -> bool {
    !*flag
}

/// One stored record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallRecord {
    /// Its UUID.
    pub id: String,
    /// Its session.
    pub session_id: String,
    /// The conversation turn.
    pub turn_id: Option<String>,
    /// The topic.
    pub topic_id: Option<String>,
    /// What it is a record of.
    pub source: RawSource,
    /// Who said or did it.
    pub speaker: Speaker,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy_level: Secrecy,
    /// When it was stored.
    pub created_at: String,
    /// The same: what is stored does not change.
    pub updated_at: String,
    /// What it says.
    pub content: RawContent,
    /// What its recorder said about it.
    pub metadata: Json,
    /// Always empty here.
    pub derived_memory_ids: Vec<String>,
    /// Always false: what is forgotten is not recalled.
    pub suppressed: bool,
    /// The caller's MetaMemory, or a mark that there is none.
    pub meta: Json,
}

impl From<&StoredEvent> for RecallRecord {
    fn from(stored: &StoredEvent) -> RecallRecord {
        let event = &stored.event;
        let no_meta = || Json::from_value(&json!({"schema_version": 1, "capture_status": "unavailable"}));
        RecallRecord {
            id: stored.uuid().to_string(),
            session_id: event.session.clone(),
            turn_id: event.turn.clone(),
            topic_id: event.topic.clone(),
            source: raw_source(event.kind()),
            speaker: event.speaker,
            visibility: event.visibility,
            secrecy_level: event.secrecy,
            created_at: format_ms(stored.at_ms),
            updated_at: format_ms(stored.at_ms),
            content: to_blocks(&event.content),
            metadata: metadata(event),
            derived_memory_ids: Vec::new(),
            suppressed: false,
            meta: event.meta.clone().unwrap_or_else(no_meta),
        }
    }
}

/// What the recorder said. A sender that is no recorder finds its own fields where it put them, beside ours.
fn metadata(event: &Event) -> Json {
    let fields = Fields { recorder: Some(Cow::Borrowed(RECORDER)), ..captured(event) };
    let as_sent = to_json(&fields).unwrap_or_else(|| Json::from_value(&Value::Object(Map::new())));
    let names_itself = event.action.is_some() || event.adapter.is_some() || event.time.is_some();
    match event.metadata.as_ref().map(Json::to_value) {
        Some(Value::Object(own)) if event.source == Source::Http && (!names_itself || own.contains_key("recorder")) => {
            let mut merged = own;
            if let Value::Object(ours) = as_sent.to_value() {
                ours.into_iter().for_each(|(name, value)| {
                    merged.entry(name).or_insert(value);
                });
            }
            Json::from_value(&Value::Object(merged))
        }
        _ => as_sent,
    }
}

/// The answer to a raw recall request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallAnswer {
    /// The records, oldest first.
    pub records: Vec<RecallRecord>,
    /// How many there were before the limit.
    pub total_candidates: usize,
}
