//! Reading a mirror, in the documented layout and in the one that codaph 0.1.15 writes.
//!
//! Indexes are not asked: they may be torn, and the segments have all there is. So a reader needs no lock, and sees
//! every committed event while another process writes.

use crate::Limits;
use crate::error::{MirrorError, refused};
use crate::event::MirrorEvent;
use crate::files;
use crate::ids::{ById, IdKey};
use crate::layout::{EventFile, Layout};
use crate::problems::{Problem, ProblemKind};
use crate::record::{Field, Record};
use crate::scan::{Found, scan};
use std::collections::hash_map::Entry as Slot;
use std::io::{self, Read as _};

/// Events of codaph about itself begin like this.
const SYNTHETIC: &str = "codaph.";

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadSummary {
    /// Events handed out.
    pub events: u64,
    /// Further captures of the same events, less full or equal.
    pub duplicates: u64,
    /// Events of codaph about itself, left out.
    pub synthetic: u64,
    /// Segments of the documented layout.
    pub session_files: u64,
    /// Segments by day, as codaph 0.1.15 writes them.
    pub day_files: u64,
    /// How much was read.
    pub bytes: u64,
    /// What is wrong, by file and kind.
    pub problems: Vec<Problem>,
}

/// How much a capture says: its payload first, then the rest of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fullness {
    payload_bytes: u32,
    weight: u32,
}

impl Fullness {
    fn of(record: &Record<'_>) -> Fullness {
        Fullness { payload_bytes: record.payload_bytes(), weight: record.weight() }
    }
}

/// A file, and how much of it was there at the first pass.
struct Snapshot {
    file: EventFile,
    bytes: u64,
}

pub fn read(layout: &Layout, limits: Limits, each: &mut dyn FnMut(MirrorEvent)) -> Result<ReadSummary, MirrorError> {
    if !layout.dir().is_dir() {
        return Err(MirrorError::Missing { dir: layout.dir().to_owned() });
    }
    let mut summary = ReadSummary::default();
    let mut fullest = ById::new();
    let (sessions, days) = (layout.session_files()?, layout.day_files()?);
    let mut snapshots = Vec::with_capacity(sessions.len() + days.len());
    for (files, count) in [(sessions, Count::Sessions), (days, Count::Days)] {
        for file in files {
            if let Some(snapshot) = look(file, limits, &mut fullest, &mut summary)? {
                *count.of(&mut summary) += 1;
                summary.bytes += snapshot.bytes;
                snapshots.push(snapshot);
            }
        }
    }
    for snapshot in &snapshots {
        hand_out(snapshot, limits, &mut fullest, each, &mut summary)?;
    }
    if !fullest.is_empty() {
        let count = u64::try_from(fullest.len()).unwrap_or(u64::MAX);
        summary.problems.push(Problem { file: layout.dir().to_owned(), kind: ProblemKind::Changed, count });
    }
    Ok(summary)
}

enum Count {
    Sessions,
    Days,
}

impl Count {
    const fn of<'a>(&self, summary: &'a mut ReadSummary) -> &'a mut u64 {
        match self {
            Count::Sessions => &mut summary.session_files,
            Count::Days => &mut summary.day_files,
        }
    }
}

/// First pass: finds the fullest capture of every event, and counts what is wrong.
fn look(
    file: EventFile,
    limits: Limits,
    fullest: &mut ById<Fullness>,
    summary: &mut ReadSummary,
) -> Result<Option<Snapshot>, MirrorError> {
    if !file.is_file {
        summary.problems.push(Problem { file: file.shown, kind: ProblemKind::NotAFile, count: 1 });
        return Ok(None);
    }
    let failed = |error| refused("read", &file.path)(error);
    let open = match files::open(&file.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            summary.problems.push(Problem { file: file.shown, kind: ProblemKind::Changed, count: 1 });
            return Ok(None);
        }
        open => open.map_err(failed)?,
    };
    let bytes = open.metadata().map_err(failed)?.len();
    let problems = scan(open.take(bytes), limits.line_bytes_max, &mut |found| {
        if is_synthetic(found) {
            summary.synthetic += 1;
            return;
        }
        let Some(key) = IdKey::of(&found.id) else { return };
        let this = Fullness::of(found.record);
        match fullest.entry(key) {
            Slot::Vacant(slot) => _ = slot.insert(this),
            Slot::Occupied(mut slot) => {
                summary.duplicates += 1;
                let best = slot.get_mut();
                *best = this.max(*best);
            }
        }
    });
    summary.problems.extend(problems.map_err(failed)?.in_file(&file.shown));
    Ok(Some(Snapshot { file, bytes }))
}

/// Second pass: hands out the first capture that is as full as the fullest.
fn hand_out(
    snapshot: &Snapshot,
    limits: Limits,
    fullest: &mut ById<Fullness>,
    each: &mut dyn FnMut(MirrorEvent),
    summary: &mut ReadSummary,
) -> Result<(), MirrorError> {
    let path = &snapshot.file.path;
    let open = match files::open(path) {
        // All its events were removed meanwhile: nobody hands them out.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        open => open.map_err(refused("read", path))?,
    };
    let scanned = scan(open.take(snapshot.bytes), limits.line_bytes_max, &mut |found| {
        let Some(key) = IdKey::of(&found.id) else { return };
        if fullest.get(&key) != Some(&Fullness::of(found.record)) || is_synthetic(found) {
            return;
        }
        fullest.remove(&key);
        summary.events += 1;
        each(MirrorEvent::of(&found.id, &found.session, found.record));
    });
    scanned.map(|_| ()).map_err(refused("read", path))
}

fn is_synthetic(found: &Found<'_>) -> bool {
    found.record.text(Field::EventType).is_some_and(|event_type| event_type.starts_with(SYNTHETIC))
}
