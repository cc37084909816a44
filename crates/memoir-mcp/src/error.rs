//! Why a tool did not do what it was asked. The model reads these, so each says what to do instead.

use memoir_dream::MemoryError;
use memoir_index::IndexError;
use memoir_journal::JournalError;
use memoir_recall::{ForgetError, RecallError};
use memoir_session::SessionError;

/// Why a tool did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    /// The arguments are wrong.
    #[error("{0}")]
    Wrong(String),
    /// There is nothing of that name, or it may not be shown.
    #[error("{0}")]
    Unknown(String),
    /// The caller may not do that.
    #[error("{0}")]
    Refused(String),
    /// Something failed here.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    pub(crate) fn wrong(message: impl Into<String>) -> ToolError {
        ToolError::Wrong(message.into())
    }

    pub(crate) fn unknown(message: impl Into<String>) -> ToolError {
        ToolError::Unknown(message.into())
    }
}

impl From<JournalError> for ToolError {
    /// What names files stays here: the user's own command line tells it.
    fn from(error: JournalError) -> ToolError {
        ToolError::Failed(match error {
            JournalError::Locked | JournalError::Full | JournalError::ReadOnly => error.to_string(),
            _ => "memoir's journal cannot be read or written; `memoir doctor` tells the user why".to_owned(),
        })
    }
}

impl From<SessionError> for ToolError {
    fn from(error: SessionError) -> ToolError {
        match error {
            SessionError::Journal(error) => error.into(),
        }
    }
}

impl From<IndexError> for ToolError {
    fn from(error: IndexError) -> ToolError {
        match error {
            IndexError::Journal(error) => error.into(),
            _ => ToolError::Failed(
                "memoir's index cannot be read or written; `memoir doctor` tells the user why".to_owned(),
            ),
        }
    }
}

impl From<RecallError> for ToolError {
    fn from(error: RecallError) -> ToolError {
        match error {
            RecallError::Journal(error) => error.into(),
            RecallError::Index(error) => error.into(),
        }
    }
}

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> ToolError {
        match error {
            MemoryError::Journal(error) => error.into(),
            error => ToolError::Wrong(error.to_string()),
        }
    }
}

impl From<ForgetError> for ToolError {
    fn from(error: ForgetError) -> ToolError {
        match error {
            ForgetError::Recall(error) => error.into(),
            ForgetError::Unknown(id) => {
                ToolError::Unknown(format!("nothing is known as `{id}`: pass ids that search, recall or read showed"))
            }
            error => ToolError::Wrong(error.to_string()),
        }
    }
}
