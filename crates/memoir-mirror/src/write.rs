//! Writing a mirror: append, then commit; or remove, then commit.
//!
//! A commit makes the segments durable, then the event id index, then the sparse index and last the manifest. Killed
//! at any moment, a writer leaves a manifest that is true and perhaps bytes that it does not name yet: the next writer
//! takes up the whole lines among them and cuts off what is torn.

mod asked;
mod commit;
mod cuts;
mod load;
mod remove;
mod segment;
mod store;
mod tail;
mod weigh;

use crate::error::{MirrorError, refused};
use crate::files;
use crate::layout::Layout;
use crate::lock::{Lock, TookOver};
use crate::project::{self, ProjectInfo};
use crate::{Clock, Limits, record};
use memoir_event::Envelope;
pub use remove::{Removed, remove};
use std::fs;
use std::time::Duration;
use store::Store;

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is in the mirror now.
    New,
    /// It was there; this fuller capture is there now too, and readers take it.
    Revised,
    /// It was there, as full as this or fuller.
    Known,
}

/// What a writer found broken and mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// The manifest was missing or unreadable though there were segments.
    pub manifests: u64,
    /// The event id index was missing, unreadable, or did not fit the segments.
    pub id_indexes: u64,
    /// The sparse index was missing, or did not fit the manifest.
    pub sparse_indexes: u64,
    /// Segments that the manifest names and that are gone.
    pub segments_missing: u64,
    /// Segments that are shorter than the manifest says.
    pub segments_cut: u64,
    /// Segments that the manifest does not name, with events in them.
    pub segments_adopted: u64,
    /// Segments whose committed bytes are not what they were.
    pub checksums: u64,
    /// Whole lines that had been written and not committed.
    pub lines_recovered: u64,
    /// Torn lines at the end of files, cut off.
    pub lines_cut: u64,
    /// Locks of writers that are gone.
    pub locks: u64,
}

impl Repairs {
    /// Whether there was anything to mend.
    pub fn any(&self) -> bool {
        *self != Repairs::default()
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Events that were not in the mirror.
    pub new: u64,
    /// Events that came in fuller.
    pub revised: u64,
    /// Events that were in the mirror.
    pub known: u64,
    /// Events in the mirror now.
    pub events: u64,
    /// Segments in the mirror now.
    pub segments: u64,
    /// What was mended.
    pub repairs: Repairs,
}

/// Whether the writer can go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Failed,
}

/// Appends events to a mirror. Nothing is promised until [`Writer::finish`]; dropped before that, it leaves what the
/// next writer mends.
pub struct Writer {
    store: Store,
    summary: Summary,
    state: State,
    line: Vec<u8>,
    /// Last, so that everything else is let go under it.
    lock: Lock,
}

impl Writer {
    pub(crate) fn open(
        layout: &Layout,
        limits: Limits,
        patience: Duration,
        project: &ProjectInfo,
        clock: &Clock,
    ) -> Result<Writer, MirrorError> {
        files::ensure_dir(layout.dir())?;
        let lock = Lock::take(layout, clock, patience)?;
        furnish(layout)?;
        project::record(layout, project, clock())?;
        let store = Store::open(layout, limits)?;
        Ok(Writer { store, summary: Summary::default(), state: State::Good, line: Vec::new(), lock })
    }

    /// Appends an event, unless it is there already and no fuller.
    pub fn append(&mut self, envelope: &Envelope) -> Result<Appended, MirrorError> {
        self.check()?;
        let weight = self.write_line(envelope)?;
        // Whatever fails from here on may have been done in part.
        self.state = State::Failed;
        let appended = self.store.append(envelope, &self.line, weight)?;
        self.state = State::Good;
        match appended {
            Appended::New => self.summary.new += 1,
            Appended::Revised => self.summary.revised += 1,
            Appended::Known => self.summary.known += 1,
        }
        Ok(appended)
    }

    /// Commits: what was appended is durable when this returns.
    pub fn finish(mut self) -> Result<Summary, MirrorError> {
        self.check()?;
        self.store.commit()?;
        let mut summary = self.summary;
        (summary.events, summary.segments) = self.store.counts();
        summary.repairs = *self.store.repairs();
        summary.repairs.locks = u64::from(self.lock.took_over == TookOver::Yes);
        Ok(summary)
    }

    fn check(&self) -> Result<(), MirrorError> {
        match self.state {
            State::Good => Ok(()),
            State::Failed => Err(MirrorError::Failed { dir: self.store.layout().dir().to_owned() }),
        }
    }

    /// Writes the event's line, newline included, and gives its weight.
    fn write_line(&mut self, envelope: &Envelope) -> Result<u32, MirrorError> {
        let event_id = envelope.event_id;
        self.line.clear();
        serde_json::to_writer(&mut self.line, envelope).map_err(|source| MirrorError::NotJson { event_id, source })?;
        // A payload stands as its client spelt it, perhaps over several lines. Newlines inside strings are escaped, so
        // these are all between tokens, where a blank means the same.
        self.line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        let (bytes, bytes_max) = (self.line.len(), self.store.limits().line_bytes_max);
        if bytes > bytes_max {
            return Err(MirrorError::TooLong { event_id, bytes, bytes_max });
        }
        self.line.push(b'\n');
        let digits = envelope.journal_sequence.checked_ilog10().map_or(1, |log| log + 1);
        Ok(record::weight(bytes, usize::try_from(digits).unwrap_or(1)))
    }
}

/// Completes a new mirror, under its lock. It is kept out of version control: it holds what people said.
fn furnish(layout: &Layout) -> Result<(), MirrorError> {
    let dir = layout.dir();
    let failed = |error| refused("read", dir)(error);
    let mut is_new = true;
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        // These may be all that a writer got done which was killed at once.
        is_new &= [&b"sync-lock.json"[..], b".gitignore"].iter().any(|ours| name.as_encoded_bytes().starts_with(ours));
    }
    if is_new {
        files::replace(&layout.ignore_file(), b"*\n")?;
        files::sync_dir(dir).map_err(refused("write", dir))?;
    }
    files::ensure_dir(&layout.segments())
}
