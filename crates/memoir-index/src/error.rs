//! What can go wrong with the index. A search itself only fails with its journal: the index is a cache.

use memoir_journal::JournalError;
use std::path::PathBuf;

/// Why the index could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The journal cannot be read.
    #[error("cannot search the journal")]
    Journal(#[from] JournalError),
    /// The index cannot be written.
    #[error("cannot write the search index in {dir}: {reason}; searches go on without it, but slower")]
    Write {
        /// Its directory.
        dir: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The index cannot be read.
    #[error("cannot read the search index: {0}; delete it with `memoir doctor --rebuild-index`, or try again")]
    Read(String),
    /// The index cannot be deleted.
    #[error("cannot delete the search index in {dir}: {reason}")]
    Delete {
        /// Its directory.
        dir: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl IndexError {
    pub(crate) fn unreadable(error: &std::io::Error) -> IndexError {
        IndexError::Read(error.to_string())
    }
}
