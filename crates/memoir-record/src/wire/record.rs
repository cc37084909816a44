//! One raw record and the request that carries many.

use super::bytes;
use super::error::{BatchError, WireError};
use memoir_event::{Json, Secrecy, Speaker, Visibility};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The request header: sent as null; whatever comes is accepted and nothing is read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header;

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Header, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Header)
    }
}

/// What a raw record is a record of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawSource {
    /// What user and agent said.
    Conversation,
    /// What tools were asked and what they answered.
    ToolIo,
    /// The agent's notes to itself.
    Scratchpad,
    /// A summary.
    Summary,
    /// Anything brought in from elsewhere.
    Imported,
}

/// What kind of material a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// UTF-8 text.
    Text,
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// A JSON document.
    Structured,
    /// Places.
    Spatial,
    /// Times.
    Temporal,
    /// Inner states.
    Interoceptive,
}

impl Modality {
    /// The name used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Modality::Text => "text",
            Modality::Image => "image",
            Modality::Audio => "audio",
            Modality::Video => "video",
            Modality::Structured => "structured",
            Modality::Spatial => "spatial",
            Modality::Temporal => "temporal",
            Modality::Interoceptive => "interoceptive",
        }
    }

    /// The most bytes a block of it may hold; none where only the request's own limit applies.
    pub const fn bytes_max(self) -> Option<usize> {
        const MIB: usize = 1 << 20;
        match self {
            Modality::Text | Modality::Structured => Some(MIB),
            Modality::Image => Some(10 * MIB),
            Modality::Audio | Modality::Video => Some(50 * MIB),
            Modality::Spatial | Modality::Temporal | Modality::Interoceptive => None,
        }
    }
}

/// One piece of content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What kind of material it is.
    pub modality: Modality,
    /// Its media type.
    pub format: String,
    /// Its bytes.
    #[serde(with = "bytes")]
    pub data: Vec<u8>,
    /// A vector for it, kept as it was written.
    #[serde(default)]
    pub embedding: Option<Json>,
}

/// What a raw record says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawContent {
    /// The pieces, at least one.
    pub blocks: Vec<Block>,
    /// A summary of them.
    #[serde(default)]
    pub summary: Option<String>,
}

/// One record as a recorder sends it: an element of a batch, or a line of a spool file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawRecord {
    /// Always null.
    #[serde(default)]
    pub header: Header,
    /// The session or conversation.
    pub session_id: String,
    /// The conversation turn.
    #[serde(default)]
    pub turn_id: Option<String>,
    /// The topic.
    #[serde(default)]
    pub topic_id: Option<String>,
    /// What it is a record of.
    pub source: RawSource,
    /// Who said or did it.
    pub speaker: Speaker,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy_level: Secrecy,
    /// What it says.
    pub content: RawContent,
    /// The sender's metadata.
    #[serde(default)]
    pub metadata: Option<Json>,
    /// The caller's MetaMemory; left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Json>,
}

impl RawRecord {
    /// Reads one record: the body of a single request, or a line of a spool file.
    pub fn parse(json: &[u8]) -> Result<RawRecord, WireError> {
        serde_json::from_slice(json).map_err(|error| WireError::Shape(error.to_string()))
    }

    /// The record as one line, without the newline.
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        // JSON kept verbatim may have newlines between its tokens; inside a string they are escaped.
        if line.contains('\n') {
            line = line.replace('\n', " ");
        }
        line
    }
}

/// The body of a batch request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchRequest {
    /// Always null.
    #[serde(default)]
    pub header: Header,
    /// The records, in order.
    pub records: Vec<RawRecord>,
}

impl BatchRequest {
    /// Reads the body of a batch request; the error names the record that has the wrong shape.
    pub fn parse(json: &[u8]) -> Result<BatchRequest, BatchError> {
        serde_json::from_slice(json).map_err(|error| {
            let whole = BatchError { record: None, error: WireError::Shape(error.to_string()) };
            misshapen_record(json).unwrap_or(whole)
        })
    }
}

/// The body of a batch request, without taking the records.
#[derive(Serialize)]
pub(crate) struct BatchRequestRef<'a> {
    pub(crate) header: Header,
    pub(crate) records: &'a [RawRecord],
}

/// Reads the records one by one: only a request that failed pays for knowing which of them it was.
fn misshapen_record(json: &[u8]) -> Option<BatchError> {
    #[derive(Deserialize)]
    struct Unread<'a> {
        #[serde(borrow)]
        records: Vec<&'a RawValue>,
    }
    let batch: Unread<'_> = serde_json::from_slice(json).ok()?;
    batch.records.iter().enumerate().find_map(|(at, raw)| {
        let error = RawRecord::parse(raw.get().as_bytes()).err()?;
        Some(BatchError { record: Some(at), error })
    })
}
