//! What the spool holds, for people.

use super::{Lane, SpoolError, ms_in_name, private};
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

/// One file that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpoolFile {
    /// Its name.
    pub name: String,
    /// Where its records are meant to go.
    pub lane: Lane,
    /// How many records it holds.
    pub records: u64,
    /// Its size.
    pub bytes: u64,
    /// When it was written.
    pub at_ms: Option<i64>,
}

/// All that a spool holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpoolListing {
    /// The files that wait, the oldest first.
    pub files: Vec<SpoolFile>,
    /// How many records they hold.
    pub records: u64,
    /// Their size.
    pub bytes: u64,
    /// When the oldest was written.
    pub oldest_ms: Option<i64>,
    /// Records for a server that are held back because they were forgotten.
    pub held: u64,
    /// How many files were set aside.
    pub quarantined: u64,
    /// Their size.
    pub quarantined_bytes: u64,
    /// Files being written, or left by a process that was killed.
    pub unfinished: u64,
}

impl SpoolListing {
    /// What the spool in `dir` holds; a directory that is not there holds nothing.
    pub fn read(dir: &Path) -> Result<SpoolListing, SpoolError> {
        let mut listing = SpoolListing::default();
        if !private::check(dir)? {
            return Ok(listing);
        }
        let failed = |source| SpoolError::Io { doing: "read", path: dir.to_owned(), source };
        for entry in fs::read_dir(dir).map_err(failed)? {
            listing.add(&entry.map_err(failed)?);
        }
        listing.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        listing.records = listing.files.iter().map(|file| file.records).sum();
        listing.bytes = listing.files.iter().map(|file| file.bytes).sum();
        listing.oldest_ms = listing.files.iter().filter_map(|file| file.at_ms).min();
        Ok(listing)
    }

    /// Adds a file; one that another process took meanwhile is left out.
    fn add(&mut self, entry: &DirEntry) {
        let Ok(name) = entry.file_name().into_string() else { return };
        let Ok(bytes) = entry.metadata().map(|metadata| metadata.len()) else { return };
        if name.ends_with(".tmp") {
            self.unfinished += 1;
        } else if name.contains(".bad-") {
            self.quarantined += 1;
            self.quarantined_bytes += bytes;
        } else if let Some(lane) = Lane::of(&name)
            && let Ok(records) = lines_in(&entry.path())
        {
            if lane == Lane::Held {
                self.held += records;
                return;
            }
            let at_ms = ms_in_name(&name);
            self.files.push(SpoolFile { name, lane, records, bytes, at_ms });
        }
    }
}

fn lines_in(path: &Path) -> io::Result<u64> {
    use std::io::Read as _;
    let mut file = fs::File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    let mut lines = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(lines);
        }
        let newlines = memchr::memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()).count();
        lines += u64::try_from(newlines).unwrap_or(0);
    }
}

/// Files and bytes in the directory, whatever they are.
pub fn usage(dir: &Path) -> io::Result<(u64, u64)> {
    let sizes = fs::read_dir(dir)?.filter_map(|entry| entry.ok()?.metadata().ok()).map(|metadata| metadata.len());
    Ok(sizes.fold((0, 0), |(files, bytes), size| (files + 1, bytes + size)))
}
