//! Notes beside what waits for the journal: cursors that it could not take, and private requests that nobody could tell
//! it of. They say what may be stored of what comes next, so every hook looks at them; mostly there are none.

use super::write::{is_still, private_file, sync_dir};
use super::{Lane, Spool, SpoolError, private};
use memoir_event::Client;
use memoir_journal::Cursor;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The directory of notes, in the spool.
const DIR: &str = "notes";

/// So many files of notes may wait; beyond them nothing is noted, and that is said.
const FILES_MAX: usize = 4096;

/// What the journal is still to hear of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// A cursor.
    Cursor {
        /// Its name.
        stream: String,
        /// Its number.
        sequence: u64,
        /// Its text.
        position: String,
    },
    /// A private request began when no journal was there to make digests for.
    Private {
        /// The client.
        client: Client,
        /// Its session.
        session: String,
        /// The turn in which the user asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<String>,
        /// When.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_ms: Option<i64>,
    },
}

impl Note {
    /// The note of a cursor.
    pub fn of(cursor: &Cursor) -> Note {
        let Cursor { stream, sequence, position } = cursor.clone();
        Note::Cursor { stream, sequence, position }
    }
}

/// Notes that were read, until they are done with.
#[derive(Debug, Default)]
pub struct Notes {
    files: Vec<(PathBuf, Option<File>)>,
    /// What they say, the oldest first.
    pub notes: Vec<Note>,
}

impl Notes {
    /// The journal has heard of them: those that are ours go.
    pub fn done(self) {
        for (path, file) in self.files {
            if file.is_some() {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }
}

impl Spool {
    /// Keeps notes, durable when this returns.
    pub fn note(&self, notes: &[Note]) -> Result<(), SpoolError> {
        if notes.is_empty() {
            return Ok(());
        }
        self.ensure()?;
        let dir = self.dir().join(DIR);
        private::ensure(&dir)?;
        let mut text: Vec<u8> = Vec::new();
        for note in notes {
            text.extend(serde_json::to_vec(note).unwrap_or_default());
            text.push(b'\n');
        }
        self.reserve(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
        if names(&dir).len() >= FILES_MAX {
            return Err(self.failed("write to", io::Error::other("too many notes wait there")));
        }
        let name = format!("{:013}-{}", self.names().now_ms(), self.names().uuid());
        let (tmp, path) = (dir.join(format!("{name}.tmp")), dir.join(format!("{name}.json")));
        write(&tmp, &path, &text).map_err(|error| {
            let _ = fs::remove_file(&tmp);
            self.failed("write to", error)
        })
    }

    /// Whether anything waits for the journal here, records or notes.
    pub fn waits_for_journal(&self) -> Result<bool, SpoolError> {
        Ok(!self.waiting(Lane::Journal)?.is_empty() || !names(&self.dir().join(DIR)).is_empty())
    }

    /// The notes that wait, for whoever only wants to know.
    pub fn notes(&self) -> Vec<Note> {
        let dir = self.dir().join(DIR);
        let read = |name: &String| fs::read(dir.join(name)).map(|text| parse(&text)).unwrap_or_default();
        names(&dir).iter().flat_map(read).collect()
    }

    /// The notes that wait, for whoever tells the journal: nobody else gets them meanwhile.
    pub fn take_notes(&self) -> Notes {
        let dir = self.dir().join(DIR);
        let mut taken = Notes::default();
        for name in names(&dir) {
            let path = dir.join(name);
            let Ok(text) = fs::read(&path) else { continue };
            taken.notes.extend(parse(&text));
            let lock = File::open(&path).ok().filter(|file| file.try_lock().is_ok() && is_still(file, &path));
            taken.files.push((path, lock));
        }
        taken
    }
}

/// The names of the files, the oldest first.
fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| Path::new(name).extension() == Some(OsStr::new("json"))).collect();
    names.sort_unstable();
    names
}

fn parse(text: &[u8]) -> Vec<Note> {
    text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn write(tmp: &Path, path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = private_file(tmp)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(tmp, path)?;
    path.parent().map_or(Ok(()), sync_dir)
}
