//! Why a raw record cannot be taken.

use memoir_event::MetaError;

/// How a refusal is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 400 `VALIDATION_ERROR`.
    Invalid,
    /// 413 `CONTENT_TOO_LARGE`.
    TooLarge,
}

impl Refusal {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Refusal::Invalid => 400,
            Refusal::TooLarge => 413,
        }
    }

    /// The `code` of the error body.
    pub const fn code(self) -> &'static str {
        match self {
            Refusal::Invalid => "VALIDATION_ERROR",
            Refusal::TooLarge => "CONTENT_TOO_LARGE",
        }
    }
}

/// Why a raw record cannot be taken. The texts may quote the record: redact them before they go anywhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Not JSON, or JSON of another shape.
    #[error("is not a raw record: {0}")]
    Shape(String),
    /// A session id that says nothing.
    #[error("has a blank `session_id`")]
    BlankSession,
    /// Nothing is said.
    #[error("has no content blocks")]
    NoBlocks,
    /// A text block that is no text.
    #[error("has a text block ({block}) that is not valid UTF-8")]
    NotUtf8 {
        /// Which block.
        block: usize,
    },
    /// A structured block that is no JSON.
    #[error("has a structured block ({block}) that is not JSON: {reason}")]
    NotJson {
        /// Which block.
        block: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An embedding that is no vector.
    #[error("has an embedding (block {block}) that is not an array of numbers")]
    Embedding {
        /// Which block.
        block: usize,
    },
    /// A block over the limit of its modality.
    #[error("has a block ({block}) of {bytes} bytes; {modality} may have up to {bytes_max}")]
    TooLarge {
        /// Which block.
        block: usize,
        /// Its modality.
        modality: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// A MetaMemory that no reader would accept.
    #[error("has a bad `meta`: {0}")]
    Meta(#[from] MetaError),
}

impl WireError {
    /// How to answer it.
    pub const fn refusal(&self) -> Refusal {
        match self {
            WireError::TooLarge { .. } => Refusal::TooLarge,
            _ => Refusal::Invalid,
        }
    }
}

/// Why a batch cannot be taken, and which of its records is to blame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", sentence(.record, .error))]
pub struct BatchError {
    /// The record, counted from 0; none if the request itself is wrong.
    pub record: Option<usize>,
    /// What is wrong.
    #[source]
    pub error: WireError,
}

fn sentence(record: &Option<usize>, error: &WireError) -> String {
    match record {
        Some(at) => format!("record {at} {error}"),
        None => format!("the request {error}"),
    }
}
