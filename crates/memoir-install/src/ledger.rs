//! Which files memoir has changed for its hooks, so that each can be put back as it was.

use crate::InstallError;
use crate::change::{Change, read, write_atomically};
use memoir_event::Client;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Stands behind the name of a backup.
const BACKUP_END: &str = ".before-memoir";

/// The list, kept in memoir's home.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    #[serde(default)]
    files: BTreeMap<PathBuf, Entry>,
    /// Directories that were not there before.
    #[serde(default)]
    dirs: BTreeSet<PathBuf>,
}

/// What is known of one file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// Whose settings it has.
    client: Client,
    /// Whether the file was not there before.
    #[serde(default)]
    is_new: bool,
    /// A digest of the file as memoir left it; none if somebody else wrote to it between two changes of memoir's.
    #[serde(default)]
    left: Option<String>,
}

impl Ledger {
    /// Reads the list; one that cannot be read says nothing, and files are then put back entry by entry.
    pub fn load(file: &Path) -> Ledger {
        fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Writes the list; an empty one needs no file.
    pub fn save(&self, file: &Path) -> Result<(), InstallError> {
        if self.files.is_empty() && self.dirs.is_empty() {
            return match fs::remove_file(file) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(InstallError::io("remove", file)(error)),
                _ => Ok(()),
            };
        }
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write_atomically(file, format!("{text}\n").as_bytes(), None)
    }

    /// The directories in which a client's settings were changed.
    pub fn dirs_of(&self, client: Client) -> impl Iterator<Item = &Path> {
        self.files.iter().filter(move |(_, entry)| entry.client == client).filter_map(|(path, _)| path.parent())
    }

    /// Makes sure that a client's directory is there.
    pub fn create_dir(&mut self, dir: &Path) -> Result<(), InstallError> {
        if dir.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(dir).map_err(InstallError::io("create", dir))?;
        self.dirs.insert(dir.to_owned());
        Ok(())
    }

    /// Removes directories that are there only because of memoir, and hold nothing.
    pub fn remove_empty_dirs(&mut self) {
        self.dirs.retain(|dir| fs::remove_dir(dir).is_err() && dir.is_dir());
    }

    /// Makes a change, with a backup before the first one.
    pub fn make(&mut self, client: Client, change: &Change) -> Result<(), InstallError> {
        if !change.is_needed() {
            return Ok(());
        }
        let known = self.files.get(&change.path);
        let is_new = change.before.is_none() || known.is_some_and(|known| known.is_new);
        let is_exact = match (&change.before, known) {
            (None, _) => true,
            (Some(before), Some(known)) => known.left.as_deref() == Some(digest(before).as_str()),
            (Some(before), None) => back_up(&change.path, before)?,
        };
        change.make()?;
        let left = change.after.as_deref().map(digest).filter(|_| is_exact);
        self.files.insert(change.path.clone(), Entry { client, is_new, left });
        Ok(())
    }

    /// What the file was before memoir came, if nobody but memoir has written to it since.
    pub(crate) fn original(&self, path: &Path, now: &str) -> Option<Option<String>> {
        let entry = self.files.get(path).filter(|entry| entry.left.as_deref() == Some(digest(now).as_str()))?;
        if entry.is_new {
            return Some(None);
        }
        read(&backup_of(path)).ok().flatten().map(Some)
    }

    /// Whether the file is there only because of memoir.
    pub(crate) fn is_new(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|entry| entry.is_new)
    }

    /// Undoes a change: afterwards neither the backup nor the list remembers the file.
    pub fn undo(&mut self, change: &Change) -> Result<(), InstallError> {
        change.make()?;
        if self.files.remove(&change.path).is_some() {
            let backup = backup_of(&change.path);
            match fs::remove_file(&backup) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(InstallError::io("remove", &backup)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP_END);
    PathBuf::from(name)
}

/// Keeps what the file was, with the same rights. A backup that is there already is older, and stays; whether the backup
/// is that very text.
fn back_up(path: &Path, before: &str) -> Result<bool, InstallError> {
    let backup = backup_of(path);
    if let Some(older) = read(&backup)? {
        return Ok(older == before);
    }
    write_atomically(&backup, before.as_bytes(), None)?;
    let rights = fs::metadata(path).map_err(InstallError::io("read", path))?.permissions();
    fs::set_permissions(&backup, rights).map_err(InstallError::io("write", &backup))?;
    Ok(true)
}
