//! Why a mirror cannot be written or read.

use memoir_event::EventId;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Who has the lock of a mirror, as far as the lock tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The process.
    pub pid: Option<u32>,
    /// Since when.
    pub since: Option<String>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}")?,
            None => f.write_str("another process")?,
        }
        self.since.as_ref().map_or(Ok(()), |since| write!(f, " since {since}"))
    }
}

/// Why a mirror cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// Nothing is there.
    #[error("there is no mirror at {}", dir.display())]
    Missing {
        /// Where one was looked for.
        dir: PathBuf,
    },
    /// A link stands where a file or directory of the mirror should be.
    #[error("{} is a symbolic link; a mirror is not written through links", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Something else stands where a directory should be.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// What it is called.
        path: PathBuf,
    },
    /// Another process writes.
    #[error("the mirror {} is being written by {holder}; try again when it is done", dir.display())]
    Locked {
        /// The mirror.
        dir: PathBuf,
        /// Who writes.
        holder: Holder,
    },
    /// A later version wrote it.
    #[error("the mirror {} has the format `{schema}`, which this version does not know", dir.display())]
    Schema {
        /// The mirror.
        dir: PathBuf,
        /// What its manifest says.
        schema: String,
    },
    /// No reader would take the line. The writer can go on with other events.
    #[error("event {event_id} takes {bytes} bytes, and a line of a mirror has at most {bytes_max}")]
    TooLong {
        /// The event.
        event_id: EventId,
        /// Its size.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// The event is no JSON. The writer can go on with other events.
    #[error("event {event_id} cannot be written as JSON")]
    NotJson {
        /// The event.
        event_id: EventId,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// All file names that a session could have are taken by others.
    #[error("no file name is left for session `{session_id}`")]
    NoName {
        /// The session.
        session_id: String,
    },
    /// Someone writes to the mirror without its lock.
    #[error("{} changed while it was being written; nothing more was written to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// An earlier call failed, and it is not known how far it came.
    #[error("an earlier write to the mirror {} failed; open it again, which mends it", dir.display())]
    Failed {
        /// The mirror.
        dir: PathBuf,
    },
    /// The system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
}

/// Makes the error of a refused system call.
pub fn refused<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> MirrorError + 'a {
    move |source| MirrorError::Io { doing, path: path.to_owned(), source }
}
