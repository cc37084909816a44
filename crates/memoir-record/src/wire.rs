//! Raw records: how events travel between a recorder and a server, and how they wait in the spool.
//!
//! Owns the JSON shapes of the raw journal's HTTP contract and their translation from and to events. Must not know
//! HTTP, files or redaction: what is encoded here has been redacted before, what is decoded here has not.

mod answer;
mod base64;
mod bytes;
mod decode;
mod encode;
mod error;
mod kept;
mod metadata;
mod recall;
mod record;
mod run;
mod said;

pub use answer::{BatchAnswer, ErrorBody, RecordAnswer};
pub use decode::Capture;
pub use encode::{Destination, Sender, encode};
pub use error::{BatchError, Refusal, WireError};
pub use recall::{RECALL_LIMIT, RecallAnswer, RecallRecord, RecallRequest, TimeRange};
pub(crate) use record::BatchRequestRef;
pub use record::{BatchRequest, Block, Header, Modality, RawContent, RawRecord, RawSource};
pub use run::{RunAnswer, RunId, RunIdError, RunRequest};
