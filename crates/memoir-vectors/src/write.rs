//! Grows the files. Whoever gets here holds the lock for writing, and has just read what is there.

use crate::block::{Entry, Reached, encode};
use crate::header::Header;
use crate::lock::Lock;
use crate::names::{self, COARSE, COARSE_NEW};
use crate::place::{open_private, sync_dir};
use crate::snapshot::Snapshot;
use memoir_journal::Seq;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Starts a store with nothing in it in place of whatever is there.
pub(crate) fn create(dir: &Path, header: &Header, lock: &Lock) -> io::Result<()> {
    let fine = new_file(&names::fine(dir, header.generation))?;
    let mut coarse = new_file(&dir.join(COARSE_NEW))?;
    coarse.write_all(&header.encode())?;
    put_in_place(dir, header, &coarse, &fine, lock)
}

/// Makes new files the store: at every moment there is a whole one.
pub(crate) fn put_in_place(dir: &Path, header: &Header, coarse: &File, fine: &File, lock: &Lock) -> io::Result<()> {
    fine.sync_all()?;
    coarse.sync_all()?;
    if !lock.is_current() {
        return Err(io::Error::other("it was deleted meanwhile"));
    }
    fs::rename(dir.join(COARSE_NEW), dir.join(COARSE))?;
    sync_dir(dir)?;
    names::clear_but(dir, Some(header.generation))
}

/// An empty file of that name.
pub(crate) fn new_file(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// A generation that no other store has.
pub(crate) fn new_generation() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u64::from_le_bytes(bytes))
}

/// Adds a block behind the last whole one; what a killed writer left behind it is cut off.
pub(crate) fn append(
    dir: &Path,
    snapshot: &Snapshot,
    entries: &[Entry],
    reached: Reached,
    lock: &Lock,
) -> io::Result<()> {
    if !lock.is_current() {
        return Err(io::Error::other("it was deleted meanwhile"));
    }
    let replaced: Vec<Seq> =
        entries.iter().map(|entry| entry.seq).filter(|seq| snapshot.find(*seq).is_some()).collect();
    let mut fine = open_private(OpenOptions::new().append(true), &names::fine(dir, snapshot.header.generation))?;
    let fine_at = fine.metadata()?.len();
    let (block, finer) = encode(entries, &replaced, reached, fine_at, snapshot.header.generation);
    let mut coarse = open_private(OpenOptions::new().write(true), &dir.join(COARSE))?;
    coarse.set_len(snapshot.end)?;
    coarse.seek(SeekFrom::Start(snapshot.end))?;
    let written = fine.write_all(&finer).and_then(|()| coarse.write_all(&block));
    if written.is_err() {
        // On a full disk half a block may be there; it would be found out, but need not be.
        let _ = coarse.set_len(snapshot.end);
        let _ = fine.set_len(fine_at);
    }
    written
}

/// Makes sure that what was added is there after a power cut.
pub(crate) fn sync(dir: &Path, snapshot: &Snapshot) -> io::Result<()> {
    File::open(names::fine(dir, snapshot.header.generation))?.sync_data()?;
    File::open(dir.join(COARSE))?.sync_data()
}
