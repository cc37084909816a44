//! Checks a mirror against itself: every checksum, count, time and index.
//!
//! Reads everything and changes nothing.

mod days;
mod sessions;

use crate::error::MirrorError;
use crate::layout::Layout;
use crate::manifest::Manifest;
use crate::problems::{ProblemKind, Problems};
use crate::{Limits, lock};
use std::fmt;
use std::path::{Path, PathBuf};

/// More than these are counted and not described.
const FINDINGS_MAX: usize = 1000;
/// How often a mirror is checked that is written meanwhile.
const ATTEMPTS_MAX: usize = 3;

/// How far the check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Segments that were read.
    pub files_done: u64,
    /// All segments.
    pub files: u64,
    /// Bytes that were read.
    pub bytes_done: u64,
    /// All bytes.
    pub bytes: u64,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, as a path inside the mirror.
    pub file: PathBuf,
    /// What is wrong with it, in words.
    pub what: String,
    /// Who mends it.
    pub mend: Mend,
}

/// Who mends what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mend {
    /// The next export: it makes manifest and indexes anew, and writes what is missing.
    Export,
    /// Nobody, while the file is there: an export changes no committed line, nor what is not its own.
    Never,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

/// What a check showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Findings beyond the first thousand.
    pub findings_left_off: u64,
    /// What could not be checked, and why.
    pub notes: Vec<String>,
    /// Segments of the documented layout.
    pub session_files: u64,
    /// Segments by day, as codaph 0.1.15 writes them.
    pub day_files: u64,
    /// Different events in each of the layouts.
    pub events: u64,
    /// How much was read.
    pub bytes: u64,
}

impl VerifyReport {
    /// Whether all is as it should be.
    pub const fn ok(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether an export mends all that is wrong.
    pub fn is_mended_by_export(&self) -> bool {
        self.findings.iter().all(|finding| finding.mend == Mend::Export)
    }

    fn add(&mut self, file: impl Into<PathBuf>, what: impl Into<String>) {
        self.add_as(Mend::Export, file, what);
    }

    /// What an export leaves as it is.
    fn add_lasting(&mut self, file: impl Into<PathBuf>, what: impl Into<String>) {
        self.add_as(Mend::Never, file, what);
    }

    fn add_as(&mut self, mend: Mend, file: impl Into<PathBuf>, what: impl Into<String>) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Finding { file: file.into(), what: what.into(), mend });
        } else {
            self.findings_left_off += 1;
        }
    }

    /// `torn` says who mends a torn end: of its own segments an export cuts it off.
    fn add_problems(&mut self, file: &Path, problems: &Problems, torn: Mend) {
        for (kind, count) in problems.iter() {
            let what = match kind {
                ProblemKind::Unparsable => counted(count, "line is not a JSON object", "lines are not JSON objects"),
                ProblemKind::Torn => "the last line is torn".to_owned(),
                ProblemKind::Glued => counted(count, "line holds several events", "lines hold several events each"),
                ProblemKind::TooLong => counted(count, "line is too long to be read", "lines are too long to be read"),
                ProblemKind::InvalidUtf8 => counted(count, "line is not UTF-8", "lines are not UTF-8"),
                ProblemKind::NoEventId => counted(count, "object has no event id", "objects have no event id"),
                ProblemKind::NoSessionId => counted(count, "event has no session", "events have no session"),
                ProblemKind::NotAFile => "it is not a file".to_owned(),
                ProblemKind::Changed => "it changed while it was read".to_owned(),
            };
            self.add_as(if kind == ProblemKind::Torn { torn } else { Mend::Never }, file, what);
        }
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Counts what is done and tells it.
struct Meter<'a> {
    progress: Progress,
    tell: &'a mut dyn FnMut(Progress),
}

impl Meter<'_> {
    fn file_done(&mut self, bytes: u64) {
        self.progress.files_done += 1;
        self.progress.bytes_done += bytes;
        (self.tell)(self.progress);
    }
}

pub fn verify(layout: &Layout, limits: Limits, tell: &mut dyn FnMut(Progress)) -> Result<VerifyReport, MirrorError> {
    if !layout.dir().is_dir() {
        return Err(MirrorError::Missing { dir: layout.dir().to_owned() });
    }
    for _ in 0..ATTEMPTS_MAX {
        let before = Manifest::read(layout)?;
        let report = check(layout, limits, &before, tell)?;
        // What is written meanwhile fits together again when it is committed: only then it can be judged.
        if report.ok() || (!lock::is_held(layout) && Manifest::read(layout)? == before) {
            return Ok(report);
        }
    }
    Err(MirrorError::Locked { dir: layout.dir().to_owned(), holder: lock::holder(layout) })
}

fn check(
    layout: &Layout,
    limits: Limits,
    manifest: &Manifest,
    tell: &mut dyn FnMut(Progress),
) -> Result<VerifyReport, MirrorError> {
    let mut report = VerifyReport::default();
    let listing = layout.list_segments()?;
    let days = layout.day_files()?;
    let mut progress = Progress::default();
    let size = |path: &Path| std::fs::symlink_metadata(path).map_or(0, |found| found.len());
    let sizes = listing.segments.iter().map(|listed| listed.bytes).chain(days.iter().map(|file| size(&file.path)));
    for bytes in sizes {
        progress.files += 1;
        progress.bytes += bytes;
    }
    let mut meter = Meter { progress, tell };
    sessions::check(layout, limits, manifest, &listing, &mut meter, &mut report)?;
    if !days.is_empty() {
        days::check(layout, limits, &days, &mut meter, &mut report)?;
    }
    Ok(report)
}
