//! The mirror: the events of a project as JSON lines under `.codaph/`, for people, scripts and other tools.
//!
//! Owns the files of a mirror, their lock, their repair and their reading. Must not know the journal: it is handed
//! envelopes and hands back events. Segments are the truth; all else here can be made anew from them.
//!
//! | file | what it holds |
//! |---|---|
//! | `segments/<session>.jsonl` | the envelopes of a session, one to a line, in the order they came; appended to, and replaced whole when events are removed |
//! | `eventid-index.jsonl` | the id and time of every event, each once; appended to, and replaced whole when some are removed |
//! | `sparse-index.jsonl` | which segment has which session; replaced whole |
//! | `manifest.json` | size, checksum, count and times of every segment; replaced whole, last: it is the commit |
//! | `sync-lock.json` | who is writing |
//! | `project.json` | what project this is |
//!
//! An event stays in the segment it first went to. A fuller capture of it is appended there under the same id, and
//! readers take the fullest. A removed event is gone with all its captures, from every file here. What codaph 0.1.15
//! writes (`events/<repo>/YYYY/MM/DD/segment-*.jsonl`) is read too, and never changed.

mod digest;
mod error;
mod event;
mod files;
mod id_index;
mod ids;
mod layout;
mod lines;
mod lock;
mod manifest;
mod names;
mod problems;
mod project;
mod read;
mod record;
mod scan;
mod span;
mod verify;
mod write;

pub use error::{Holder, MirrorError};
pub use event::MirrorEvent;
pub use problems::{Problem, ProblemKind};
pub use project::ProjectInfo;
pub use read::ReadSummary;
pub use verify::{Finding, Mend, Progress, VerifyReport};
pub use write::{Appended, Removed, Repairs, Summary, Writer};

use layout::Layout;
use memoir_event::EventId;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Milliseconds since 1970, UTC, whenever it is asked.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What a mirror holds in memory at most, apart from some 50 bytes for every event id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read or written; a longer one is skipped and counted.
    pub line_bytes_max: usize,
    /// Lines that wait for their segments, all together.
    pub buffer_bytes_max: usize,
    /// Lines that wait for the event id index; when there are more, what was appended so far is committed.
    pub index_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { line_bytes_max: 64 << 20, buffer_bytes_max: 8 << 20, index_bytes_max: 16 << 20 }
    }
}

/// A mirror, there or not yet. Making one writes nothing.
#[derive(Debug, Clone)]
pub struct Mirror {
    layout: Layout,
    limits: Limits,
    patience: Duration,
}

impl Mirror {
    /// The mirror in `dir`, which is the `.codaph` directory or the one that holds it, or shall.
    pub fn at(dir: &Path) -> Mirror {
        Mirror { layout: Layout::at(dir), limits: Limits::default(), patience: Duration::ZERO }
    }

    /// Waits this long for another writer to be done, instead of not at all.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Mirror {
        self.patience = patience;
        self
    }

    /// Holds more or less in memory.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Mirror {
        self.limits = limits;
        self
    }

    /// The `.codaph` directory.
    pub fn dir(&self) -> &Path {
        self.layout.dir()
    }

    /// Whether there is a mirror.
    pub fn exists(&self) -> bool {
        self.dir().is_dir()
    }

    /// Takes the lock, makes what is missing, mends what a killed writer left, and is ready for events.
    pub fn writer(&self, project: &ProjectInfo, clock: &Clock) -> Result<Writer, MirrorError> {
        Writer::open(&self.layout, self.limits, self.patience, project, clock)
    }

    /// Takes events out of the mirror, with every revision of them, and mends what a killed writer left before.
    ///
    /// Only the segments that hold such an event are written anew; each other line in them stays as it is. The mirror
    /// does not remember what was removed: appended again, an event is new. Where no id is in the mirror nothing is
    /// written, and where there is no mirror none is made. When this returns, the removal is durable; after an error it
    /// may be done in part, and the next call does the rest.
    pub fn remove(&self, ids: &HashSet<EventId>, clock: &Clock) -> Result<Removed, MirrorError> {
        write::remove(&self.layout, self.limits, self.patience, ids, clock)
    }

    /// Hands out every event once, the fullest of those with its id; bad lines are counted and never an error.
    ///
    /// Two passes: the first keeps the size of the fullest for each id (some 50 bytes an event), the second hands out
    /// the first one of that size. What is appended between the two is left for the next reading.
    pub fn read(&self, each: &mut dyn FnMut(MirrorEvent)) -> Result<ReadSummary, MirrorError> {
        read::read(&self.layout, self.limits, each)
    }

    /// Checks everything that can be checked.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, MirrorError> {
        verify::verify(&self.layout, self.limits, progress)
    }
}
