//! Takes files out of the spool, each by one process at a time, and mends what a killed process left.

use super::write::{is_still, sync_dir};
use super::{Lane, Spool, SpoolError, ms_in_name, name_of};
use crate::wire::RawRecord;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The outcome of asking for a file.
pub enum Claimed {
    /// It is ours; its records are to be delivered.
    Ours(Claim),
    /// Another process has it, or had it and is done.
    Others,
    /// It held nothing that could be delivered and was set aside.
    SetAside(PathBuf),
}

/// A file that this process owns until this value is gone.
pub struct Claim {
    path: PathBuf,
    lane: Lane,
    records: Vec<RawRecord>,
    bad_lines: Option<PathBuf>,
    /// Holds the lock.
    _file: File,
}

/// What was mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Records in files that a killed process had not finished.
    pub records: u64,
    /// Files with half a line, or with lines that are no records.
    pub quarantined: u64,
}

impl Claim {
    /// Takes the records out, in order.
    pub fn take_records(&mut self) -> Vec<RawRecord> {
        std::mem::take(&mut self.records)
    }

    /// Where lines of the file went that are no records.
    pub fn bad_lines(&self) -> Option<&Path> {
        self.bad_lines.as_deref()
    }

    /// All of it is delivered: the file goes.
    pub fn done(self, spool: &Spool) -> Result<(), SpoolError> {
        remove(&self.path).map_err(|error| spool.failed("clean up", error))
    }

    /// Only `rest` is left to deliver: it takes the place of the file.
    pub fn keep_rest(self, spool: &Spool, rest: &[RawRecord]) -> Result<(), SpoolError> {
        let at_ms = ms_in_name(name_of(&self.path)).unwrap_or_default();
        spool.keep_again(self.lane, at_ms, rest)?;
        self.done(spool)
    }
}

impl Spool {
    /// Asks for a file that [`Spool::waiting`] named.
    pub fn claim(&self, path: &Path) -> Result<Claimed, SpoolError> {
        let name = name_of(path);
        let lane = Lane::of(name).unwrap_or(Lane::Server);
        let (file, content) = match lock(path).and_then(read_locked) {
            Ok(Some(owned)) => owned,
            Ok(None) => return Ok(Claimed::Others),
            // A file that cannot be read must not keep the others waiting.
            Err(_) => return self.rename_aside(path),
        };
        let Sorted { records, bad } = sort(&content);
        if bad.is_empty() {
            return Ok(Claimed::Ours(Claim { path: path.to_owned(), lane, records, bad_lines: None, _file: file }));
        }
        if records.is_empty() {
            return self.rename_aside(path);
        }
        let set_aside = self.quarantine(name, &bad)?;
        let good = self.keep_again(lane, ms_in_name(name).unwrap_or_default(), &records)?;
        remove(path).map_err(|error| self.failed("clean up", error))?;
        match self.claim(&good)? {
            Claimed::Ours(claim) => Ok(Claimed::Ours(Claim { bad_lines: Some(set_aside), ..claim })),
            other => Ok(other),
        }
    }

    fn rename_aside(&self, path: &Path) -> Result<Claimed, SpoolError> {
        let to = self.dir().join(format!("{}.bad-{}", name_of(path), self.names().uuid()));
        let renamed = fs::rename(path, &to).and_then(|()| sync_dir(self.dir()));
        renamed.map(|()| Claimed::SetAside(to)).map_err(|error| self.failed("set aside a file of", error))
    }

    /// Finds what killed processes left unfinished: complete records wait again, half a line is set aside.
    pub fn recover(&self) -> Result<Recovered, SpoolError> {
        let mut recovered = Recovered::default();
        for name in self.names_where(|name| name.ends_with(".tmp"))? {
            let path = self.dir().join(&name);
            let Ok(Some((_lock, content))) = lock(&path).and_then(read_locked) else { continue };
            let finished = name.strip_suffix(".tmp").unwrap_or(&name);
            // Half of something that was being set aside goes: what it came from is still there.
            if let Some(lane) = Lane::of(finished) {
                self.recover_lines(lane, finished, &content, &mut recovered)?;
            }
            remove(&path).map_err(|error| self.failed("clean up", error))?;
        }
        Ok(recovered)
    }

    fn recover_lines(&self, lane: Lane, name: &str, content: &[u8], done: &mut Recovered) -> Result<(), SpoolError> {
        let Sorted { records, bad } = sort(content);
        if !records.is_empty() {
            self.keep_again(lane, ms_in_name(name).unwrap_or_default(), &records)?;
            done.records += u64::try_from(records.len()).unwrap_or(0);
        }
        if !bad.is_empty() {
            self.quarantine(name, &bad)?;
            done.quarantined += 1;
        }
        Ok(())
    }
}

/// Opens and locks a file; none if another process has it or it is gone.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    Ok((file.try_lock().is_ok() && is_still(&file, path)).then_some(file))
}

fn read_locked(file: Option<File>) -> io::Result<Option<(File, Vec<u8>)>> {
    let Some(mut file) = file else { return Ok(None) };
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    Ok(Some((file, content)))
}

/// Removes a file for good; one that is gone already is as good.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => path.parent().map_or(Ok(()), sync_dir),
    }
}

struct Sorted {
    records: Vec<RawRecord>,
    bad: Vec<u8>,
}

fn sort(content: &[u8]) -> Sorted {
    let mut sorted = Sorted { records: Vec::new(), bad: Vec::new() };
    for line in content.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match RawRecord::parse(line) {
            Ok(record) => sorted.records.push(record),
            Err(_) => {
                sorted.bad.extend_from_slice(line);
                sorted.bad.push(b'\n');
            }
        }
    }
    sorted
}
