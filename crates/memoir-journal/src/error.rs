//! What can go wrong with a journal, in the words of whoever has to mend it.

use std::path::PathBuf;

/// Why a journal could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened.
    #[error("cannot open the journal {path}: {reason}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is something else.
    #[error(
        "{path} is not a memoir journal or a backup of one; move it away, or bring a backup back with `memoir restore`"
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// A newer memoir wrote it.
    #[error("{path} has schema version {found}, this memoir knows up to {known}; install a newer memoir")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Another process holds the write lock.
    #[error("the journal is locked by another process; try again")]
    Locked,
    /// Another journal took its place while this process had it open.
    #[error("the journal was replaced by a restore; start this process anew")]
    Replaced,
    /// No space is left.
    #[error("the disk is full; free some space and try again")]
    Full,
    /// The file or its directory cannot be written.
    #[error("the journal is read-only; check the permissions of its directory")]
    ReadOnly,
    /// The file is damaged.
    #[error("the journal is damaged ({0}); `memoir restore` brings a backup back")]
    Damaged(String),
    /// The system failed to read or write.
    #[error("the journal cannot be read or written: {0}")]
    Io(String),
    /// Anything else the engine says.
    #[error("the journal failed: {0}")]
    Engine(#[source] rusqlite::Error),
}

impl JournalError {
    /// Whether trying again later can help without anyone doing anything.
    pub const fn is_transient(&self) -> bool {
        matches!(self, JournalError::Locked)
    }
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => JournalError::Locked,
            Some(ErrorCode::DiskFull) => JournalError::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => JournalError::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => JournalError::Damaged(error.to_string()),
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => JournalError::Io(error.to_string()),
            _ => JournalError::Engine(error),
        }
    }
}
