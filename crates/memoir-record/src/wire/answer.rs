//! What a server answers to a batch, and to anything it refuses.

use super::record::RawRecord;
use memoir_event::{Secrecy, Visibility};
use serde::{Deserialize, Serialize};

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAnswer {
    /// The UUID under which it is stored.
    pub record_id: String,
    /// Its session.
    pub session_id: String,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy_level: Secrecy,
}

impl RecordAnswer {
    /// The answer for `record`, stored as `record_id`.
    pub fn new(record: &RawRecord, record_id: String) -> RecordAnswer {
        RecordAnswer {
            record_id,
            session_id: record.session_id.clone(),
            visibility: record.visibility,
            secrecy_level: record.secrecy_level,
        }
    }
}

/// The answer to a batch: one entry for each record, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchAnswer {
    /// One for each record.
    pub results: Vec<RecordAnswer>,
}

/// The body of every answer that is not a success.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What went wrong, for programs.
    pub code: String,
    /// What went wrong, for people.
    #[serde(default)]
    pub message: String,
    /// More about it.
    #[serde(default)]
    pub details: Option<serde_json::Value>,
    /// How many seconds to wait before trying again.
    #[serde(default)]
    pub retry_after: Option<u64>,
    /// The request's id in the server's log.
    #[serde(default)]
    pub request_id: Option<String>,
    /// Which record of a batch was refused, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<usize>,
}
