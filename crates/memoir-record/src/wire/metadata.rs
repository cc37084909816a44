//! The `metadata` object of a record: what a recorder says about an event beside its content.

use super::kept::Kept;
use memoir_event::Json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What our recorder calls itself.
pub const RECORDER: &str = "memoir";
const RECORDERS: [&str; 2] = [RECORDER, "cerememory-recorder"];

/// The fields in the order in which recorders send them.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fields<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub action_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub actor_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub capture_metadata: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub capture_source: Option<Cow<'a, str>>,
    /// When an event that names no time was captured: it may wait in the spool.
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub captured_at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub event_type: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub idempotency_key: Option<Cow<'a, str>>,
    /// What only memoir knows: for the spool of the journal here, or for another memoir.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub observed_at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub recorder: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub recorder_cwd: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub repo_id: Option<Cow<'a, str>>,
}

/// Those of the fields that any sender's metadata may have; what else it has is its own.
#[derive(Debug, Default, Deserialize)]
pub struct Lenient<'a> {
    #[serde(default, borrow)]
    action_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    actor_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    capture_metadata: Option<&'a RawValue>,
    #[serde(default, borrow)]
    capture_source: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    captured_at: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    event_type: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    idempotency_key: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    observed_at: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    recorder: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    recorder_cwd: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    repo_id: Option<Cow<'a, str>>,
}

impl<'a> From<Lenient<'a>> for Fields<'a> {
    fn from(from: Lenient<'a>) -> Fields<'a> {
        Fields {
            action_id: from.action_id,
            actor_id: from.actor_id,
            capture_metadata: from.capture_metadata,
            capture_source: from.capture_source,
            captured_at: from.captured_at,
            event_type: from.event_type,
            idempotency_key: from.idempotency_key,
            kept: None,
            observed_at: from.observed_at,
            recorder: from.recorder,
            recorder_cwd: from.recorder_cwd,
            repo_id: from.repo_id,
        }
    }
}

/// Whose metadata it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A recorder's, all of it understood.
    Recorder,
    /// A recorder's, with fields we do not know: these must be kept.
    NewerRecorder,
    /// Someone else's: kept as it is.
    Foreign,
}

/// The metadata of a record, as far as it is understood.
#[derive(Debug)]
pub struct Metadata<'a> {
    pub fields: Fields<'a>,
    pub origin: Origin,
}

impl<'a> Metadata<'a> {
    /// Reads the metadata of a record, which may be any JSON.
    pub fn read(json: &'a Json) -> Metadata<'a> {
        let strict = serde_json::from_str::<Fields<'a>>(json.as_str());
        let of_recorder = if strict.is_ok() { Origin::Recorder } else { Origin::NewerRecorder };
        let lenient = || serde_json::from_str::<Lenient<'a>>(json.as_str()).map(Fields::from);
        let fields = strict.or_else(|_| lenient()).unwrap_or_default();
        let known = fields.recorder.as_deref().is_some_and(|name| RECORDERS.contains(&name));
        Metadata { origin: if known { of_recorder } else { Origin::Foreign }, fields }
    }
}
