//! What can go wrong with vectors. A search never fails with them: they are a cache.

use memoir_journal::JournalError;
use memoir_model::ModelError;
use std::io;
use std::path::{Path, PathBuf};

/// Why vectors could not be made or kept.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The model does not do its part.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The files cannot be written.
    #[error("cannot write the vectors in {dir}: {reason}; recall goes on without them")]
    Write {
        /// Their directory.
        dir: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl VectorsError {
    pub(crate) fn write(dir: &Path, error: &io::Error) -> VectorsError {
        VectorsError::Write { dir: dir.to_owned(), reason: error.to_string() }
    }
}
