//! What can go wrong with a session.

use memoir_journal::JournalError;

/// Why something could not be done with a session. Its state is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl SessionError {
    /// Whether trying again later can help without anyone doing anything.
    pub const fn is_transient(&self) -> bool {
        match self {
            SessionError::Journal(error) => error.is_transient(),
        }
    }
}
