//! The spool: a private directory of records that could not be stored or delivered yet.
//!
//! Owns the files, their names and their locks. Must not know servers or journals: it keeps records and hands them out.
//! Many processes share one spool: whoever holds the lock of a file owns it, whoever finds it gone goes on.
//!
//! | file | what it holds |
//! |---|---|
//! | `batch-<ms>-<uuid>.jsonl` | records for a server, one to a line |
//! | `journal-<ms>-<uuid>.jsonl` | records for the journal here |
//! | `notes/*.json` | cursors for the journal here, and private requests that it has not heard of |
//! | `held-<ms>-<uuid>.<name>.jsonl` | records for a server that were forgotten, and under which name |
//! | `*.tmp` | being written, or left by a process that was killed |
//! | `*.bad-<uuid>` | lines that are no records; records that a server refused, with its reason |

mod claim;
mod error;
mod list;
mod notes;
mod private;
mod write;

pub use claim::{Claim, Claimed, Recovered};
pub use error::SpoolError;
pub use list::{SpoolFile, SpoolListing};
pub use notes::{Note, Notes};

use crate::names::Names;
use crate::wire::RawRecord;
use memoir_journal::Clock;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the records of a file are meant to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// To a server.
    Server,
    /// Into the journal here.
    Journal,
    /// Nowhere: they were meant for a server and are forgotten, until that is undone.
    Held,
}

impl Lane {
    const fn prefix(self) -> &'static str {
        match self {
            Lane::Server => "batch-",
            Lane::Journal => "journal-",
            Lane::Held => "held-",
        }
    }

    /// The lane of a file that waits to be taken, by its name.
    fn of(name: &str) -> Option<Lane> {
        let waiting = name.ends_with(".jsonl");
        [Lane::Server, Lane::Journal, Lane::Held].into_iter().find(|lane| waiting && name.starts_with(lane.prefix()))
    }
}

/// How much a spool may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoolLimits {
    /// All files together.
    pub bytes_max: u64,
    /// How many files.
    pub files_max: u64,
}

impl Default for SpoolLimits {
    fn default() -> SpoolLimits {
        SpoolLimits { bytes_max: 256 << 20, files_max: 100_000 }
    }
}

/// A spool directory. Making one touches nothing: the directory is created when something is first written to it.
pub struct Spool {
    dir: PathBuf,
    limits: SpoolLimits,
    names: Names,
    /// What the directory held when last looked at, plus what was written since.
    used_bytes: AtomicU64,
    used_files: AtomicU64,
    writes_until_look: AtomicU64,
}

impl Spool {
    /// The spool in `dir`.
    pub fn new(dir: PathBuf, limits: SpoolLimits, clock: Clock) -> Result<Spool, SpoolError> {
        let names = Names::new(clock)?;
        let unknown = || AtomicU64::new(0);
        Ok(Spool { dir, limits, names, used_bytes: unknown(), used_files: unknown(), writes_until_look: unknown() })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) const fn names(&self) -> &Names {
        &self.names
    }

    /// Creates the directory if it is missing, and refuses one that others could read or swap.
    pub fn ensure(&self) -> Result<(), SpoolError> {
        private::ensure(&self.dir)
    }

    /// The files of a lane that wait, the oldest first; none if there is no directory.
    pub fn waiting(&self, lane: Lane) -> Result<Vec<PathBuf>, SpoolError> {
        let mut names = self.names_where(|name| Lane::of(name) == Some(lane))?;
        names.sort_unstable();
        Ok(names.into_iter().map(|name| self.dir.join(name)).collect())
    }

    /// Holds records back that were forgotten under a name; with none, that were found to be forgotten when they were to
    /// be sent.
    pub fn hold(&self, name: &str, records: &[RawRecord]) -> Result<(), SpoolError> {
        if records.is_empty() {
            return Ok(());
        }
        self.ensure()?;
        self.write_held(name, records).map(drop)
    }

    /// Has what was held back under a name, or under none, wait for the server again. Says how many records.
    pub fn let_go(&self, name: &str) -> Result<usize, SpoolError> {
        let mut number = 0;
        for path in self.waiting(Lane::Held)? {
            if held_under(name_of(&path)).is_some_and(|held| held != name) {
                continue;
            }
            if let Claimed::Ours(mut claim) = self.claim(&path)? {
                let records = claim.take_records();
                self.keep(Lane::Server, &records)?;
                claim.done(self)?;
                number += records.len();
            }
        }
        Ok(number)
    }

    /// Deletes what was held back under a name.
    pub fn drop_held(&self, name: &str) -> Result<(), SpoolError> {
        for path in self.waiting(Lane::Held)? {
            if held_under(name_of(&path)) == Some(name)
                && let Claimed::Ours(claim) = self.claim(&path)?
            {
                claim.done(self)?;
            }
        }
        Ok(())
    }

    fn names_where(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, SpoolError> {
        if !private::check(&self.dir)? {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&self.dir).map_err(|error| self.failed("read", error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter(|name| wanted(name)).collect())
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> SpoolError {
        SpoolError::Io { doing, path: self.dir.clone(), source }
    }

    /// Writes that a directory is in order and can be written, by doing so.
    pub fn probe(&self) -> Result<(), SpoolError> {
        self.ensure()?;
        let path = self.dir.join(format!(".probe-{}", self.names.uuid()));
        let failed = |doing| move |source| SpoolError::Io { doing, path: self.dir.clone(), source };
        write::private_file(&path).map_err(failed("write to"))?;
        fs::remove_file(&path).map_err(failed("clean up"))
    }

    /// Refuses `bytes` more if they would not fit.
    fn reserve(&self, bytes: u64) -> Result<(), SpoolError> {
        /// Other processes write too: this often the directory is looked at again.
        const WRITES_BETWEEN_LOOKS: u64 = 64;
        let left = self.writes_until_look.load(Ordering::Relaxed);
        if left == 0 || !self.fits(bytes) {
            let (files, used) = list::usage(&self.dir).map_err(|error| self.failed("read", error))?;
            self.used_bytes.store(used, Ordering::Relaxed);
            self.used_files.store(files, Ordering::Relaxed);
            self.writes_until_look.store(WRITES_BETWEEN_LOOKS, Ordering::Relaxed);
        } else {
            self.writes_until_look.store(left - 1, Ordering::Relaxed);
        }
        if !self.fits(bytes) {
            let dir = self.dir.clone();
            let (files, used) = (self.used_files.load(Ordering::Relaxed), self.used_bytes.load(Ordering::Relaxed));
            return Err(SpoolError::Full { dir, files, bytes: used, limits: self.limits });
        }
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.used_files.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn fits(&self, bytes: u64) -> bool {
        self.used_bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.limits.bytes_max
            && self.used_files.load(Ordering::Relaxed) < self.limits.files_max
    }
}

/// The forgetting that a file was held back under, if its name says one.
fn held_under(file: &str) -> Option<&str> {
    let (_, name) = file.strip_suffix(".jsonl")?.rsplit_once('.')?;
    Some(name)
}

/// The milliseconds in the name of a spool file.
fn ms_in_name(name: &str) -> Option<i64> {
    name.split_once('-')?.1.split_once('-')?.0.parse().ok()
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}
