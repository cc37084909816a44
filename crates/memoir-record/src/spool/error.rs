//! Why the spool cannot keep or hand out records.

use super::SpoolLimits;
use crate::names::NamesError;
use std::io;
use std::path::PathBuf;

/// Why the spool cannot keep or hand out records.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// The directory is a link.
    #[error("the spool {dir} is a symbolic link; name the directory itself")]
    Link {
        /// The directory.
        dir: PathBuf,
    },
    /// It is something else.
    #[error("the spool {dir} is not a directory")]
    NotADirectory {
        /// The path.
        dir: PathBuf,
    },
    /// Others may read or write it.
    #[error("the spool {dir} is open to other users (mode {mode:03o}); run `chmod 700 {dir}` or choose another")]
    NotPrivate {
        /// The directory.
        dir: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Another user owns it.
    #[error("the spool {dir} belongs to another user (uid {owner}, not {ours}); choose another")]
    NotOurs {
        /// The directory.
        dir: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        ours: u32,
    },
    /// It holds as much as it may.
    #[error(
        "the spool {dir} is full ({files} files, {bytes} bytes; limits {} and {}); \
         see `memoir spool list`, deliver it with `memoir spool flush` or raise its limit",
        limits.files_max, limits.bytes_max
    )]
    Full {
        /// The directory.
        dir: PathBuf,
        /// How many files it holds.
        files: u64,
        /// How many bytes they have.
        bytes: u64,
        /// What it may hold.
        limits: SpoolLimits,
    },
    /// The system refused.
    #[error("cannot {doing} the spool {path}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// No names can be made.
    #[error(transparent)]
    Names(#[from] NamesError),
}
