//! Puts records into the spool: complete and durable under their final name, or not there at all.

use super::{Lane, Spool, SpoolError};
use crate::wire::RawRecord;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How often a name is tried that another process happens to look into.
const TRIES_MAX: usize = 8;

/// A record that a server refused, and why.
#[derive(Serialize)]
struct Rejected<'a> {
    status: Option<u16>,
    reason: &'a str,
    record: &'a RawRecord,
}

impl Spool {
    /// Keeps records, durable when this returns; gives the file. Refuses them if the spool is full.
    pub fn keep(&self, lane: Lane, records: &[RawRecord]) -> Result<PathBuf, SpoolError> {
        let lines = to_lines(records);
        self.ensure()?;
        self.reserve(u64::try_from(lines.len()).unwrap_or(u64::MAX))?;
        self.write_lines(lane, self.names().now_ms(), &lines)
    }

    /// Keeps records that are in the spool already, under a new name: needs no room that is not there.
    pub(super) fn keep_again(&self, lane: Lane, at_ms: i64, records: &[RawRecord]) -> Result<PathBuf, SpoolError> {
        self.write_lines(lane, at_ms, &to_lines(records))
    }

    pub(super) fn write_lines(&self, lane: Lane, at_ms: i64, lines: &[u8]) -> Result<PathBuf, SpoolError> {
        self.write_file(lines, || format!("{}{at_ms:013}-{}.jsonl", lane.prefix(), self.names().uuid()))
    }

    pub(super) fn write_held(&self, name: &str, records: &[RawRecord]) -> Result<PathBuf, SpoolError> {
        let (at_ms, name) = (self.names().now_ms(), name.replace(['.', '/', '\\'], "_"));
        let under = if name.is_empty() { String::new() } else { format!(".{name}") };
        let prefix = Lane::Held.prefix();
        self.write_file(&to_lines(records), || format!("{prefix}{at_ms:013}-{}{under}.jsonl", self.names().uuid()))
    }

    /// Sets a record aside that will never be taken; `reason` is redacted and short.
    pub fn set_aside(&self, record: &RawRecord, status: Option<u16>, reason: &str) -> Result<PathBuf, SpoolError> {
        let mut line = serde_json::to_vec(&Rejected { status, reason, record }).unwrap_or_default();
        line.push(b'\n');
        self.ensure()?;
        self.reserve(u64::try_from(line.len()).unwrap_or(u64::MAX))?;
        self.write_file(&line, || {
            let names = self.names();
            format!("rejected-{:013}-{}.jsonl.bad-{}", names.now_ms(), names.uuid(), names.uuid())
        })
    }

    /// Sets bytes aside that are no records, under the name of the file they were in.
    pub(super) fn quarantine(&self, from: &str, bytes: &[u8]) -> Result<PathBuf, SpoolError> {
        self.write_file(bytes, || format!("{from}.bad-{}", self.names().uuid()))
    }

    fn write_file(&self, bytes: &[u8], name: impl Fn() -> String) -> Result<PathBuf, SpoolError> {
        for _ in 0..TRIES_MAX {
            let name = name();
            let tmp = self.dir.join(format!("{name}.tmp"));
            let path = self.dir.join(name);
            match write_durably(&tmp, &path, bytes) {
                Ok(Wrote::Done) => return Ok(path),
                Ok(Wrote::Taken) => {}
                Err(source) => {
                    let _ = fs::remove_file(&tmp);
                    return Err(SpoolError::Io { doing: "write to", path: self.dir.clone(), source });
                }
            }
        }
        Err(self.failed("write to", io::Error::other("another process takes every new file for a leftover")))
    }
}

fn to_lines(records: &[RawRecord]) -> Vec<u8> {
    let mut lines = Vec::new();
    for record in records {
        lines.extend_from_slice(record.to_line().as_bytes());
        lines.push(b'\n');
    }
    lines
}

enum Wrote {
    Done,
    /// Someone took the unfinished file for a leftover between its creation and its lock.
    Taken,
}

fn write_durably(tmp: &Path, path: &Path, bytes: &[u8]) -> io::Result<Wrote> {
    let mut file = private_file(tmp)?;
    if file.try_lock().is_err() || !is_still(&file, tmp) {
        return Ok(Wrote::Taken);
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(tmp, path)?;
    path.parent().map_or(Ok(()), sync_dir)?;
    Ok(Wrote::Done)
}

/// A new file that only we can read.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// Whether `path` still names the open file.
#[cfg(unix)]
pub fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::symlink_metadata(path)), (Ok(open), Ok(named)) if same(&open, &named))
}

/// Whether `path` still names the open file: elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
pub fn is_still(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Makes the names in a directory durable.
#[cfg(unix)]
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes the names in a directory durable: elsewhere a rename is.
#[cfg(not(unix))]
pub fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}
