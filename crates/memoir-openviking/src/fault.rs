//! What can go wrong, in the words of the API.

use memoir_dream::MemoryError;
use memoir_index::IndexError;
use memoir_journal::JournalError;
use memoir_recall::{ForgetError, RecallError};

/// Why a request cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Something in the request is wrong.
    #[error("{message}")]
    Invalid {
        /// Where: the name of a field or parameter.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// It names nothing that is there.
    #[error("{0}")]
    NotFound(String),
    /// There is one already.
    #[error("{0}")]
    Exists(String),
    /// It is not for this API.
    #[error("{0}")]
    Denied(String),
    /// Somebody else is at it; the same request can succeed a moment later.
    #[error("{0}")]
    Busy(String),
    /// It was stopped, for the server is.
    #[error("the server is stopping")]
    Stopped,
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl Fault {
    /// Something in the request is wrong.
    pub fn invalid(field: &str, message: impl Into<String>) -> Fault {
        Fault::Invalid { field: field.to_owned(), message: message.into() }
    }

    /// Nothing is called that.
    pub(crate) fn no_such(uri: &str) -> Fault {
        Fault::NotFound(format!("there is nothing at {uri}"))
    }
}

impl From<RecallError> for Fault {
    fn from(error: RecallError) -> Fault {
        match error {
            RecallError::Journal(error) => Fault::Journal(error),
            RecallError::Index(error) => Fault::Index(error),
        }
    }
}

impl From<MemoryError> for Fault {
    fn from(error: MemoryError) -> Fault {
        match error {
            MemoryError::Journal(error) => Fault::Journal(error),
            error => Fault::invalid("content", error.to_string()),
        }
    }
}

impl From<ForgetError> for Fault {
    fn from(error: ForgetError) -> Fault {
        match error {
            ForgetError::Recall(error) => error.into(),
            ForgetError::Stopped => Fault::Stopped,
            error => Fault::NotFound(error.to_string()),
        }
    }
}
