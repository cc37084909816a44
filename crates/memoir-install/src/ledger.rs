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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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
    /// Whether it only lists MCP servers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    only_servers: bool,
    /// Whether the file was not there before.
    #[serde(default)]
    is_new: bool,
    /// A digest of the file as memoir left it; none if somebody else wrote to it between two changes of memoir's.
    #[serde(default)]
    left: Option<String>,
    /// Where it is kept as it was, if memoir made that copy.
    #[serde(default)]
    backup: Option<PathBuf>,
}

impl Ledger {
    /// Where the list of a home is.
    pub fn file_in(home: &Path) -> PathBuf {
        home.join("installed.json")
    }

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
        let is_of = move |entry: &Entry| entry.client == client && !entry.only_servers;
        self.files.iter().filter(move |(_, entry)| is_of(entry)).filter_map(|(path, _)| path.parent())
    }

    /// A client's files that only list MCP servers.
    pub fn server_files_of(&self, client: Client) -> impl Iterator<Item = &Path> {
        let is_of = move |entry: &Entry| entry.client == client && entry.only_servers;
        self.files.iter().filter(move |(_, entry)| is_of(entry)).map(|(path, _)| path.as_path())
    }

    /// Makes sure that a client's directory is there.
    pub fn create_dir(&mut self, dir: &Path) -> Result<(), InstallError> {
        if dir.is_dir() {
            return Ok(());
        }
        let missing: Vec<PathBuf> = dir.ancestors().take_while(|dir| !dir.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(dir).map_err(InstallError::io("create", dir))?;
        self.dirs.extend(missing);
        Ok(())
    }

    /// Removes directories that are there only because of memoir, and hold nothing.
    pub fn remove_empty_dirs(&mut self) {
        // The inner ones first.
        let emptied: Vec<PathBuf> =
            self.dirs.iter().rev().filter(|dir| fs::remove_dir(dir).is_ok() || !dir.is_dir()).cloned().collect();
        self.dirs.retain(|dir| !emptied.contains(dir));
    }

    /// Makes a change to a list of servers, with a backup before the first one.
    pub fn make_in_list(&mut self, client: Client, change: &Change, list: &Path) -> Result<(), InstallError> {
        self.make_of(client, change, list, !self.knows(&change.path))
    }

    /// Makes a change, with a backup before the first one. First it stands in the list, at that place: whatever happens
    /// in between, the file can be put back.
    pub fn make(&mut self, client: Client, change: &Change, list: &Path) -> Result<(), InstallError> {
        self.make_of(client, change, list, false)
    }

    fn make_of(
        &mut self,
        client: Client,
        change: &Change,
        list: &Path,
        lists_servers: bool,
    ) -> Result<(), InstallError> {
        if !change.is_needed() {
            return Ok(());
        }
        let known = self.files.get(&change.path);
        let is_new = change.before.is_none() || known.is_some_and(|known| known.is_new);
        let is_exact = match (&change.before, known) {
            (Some(before), Some(known)) => known.left.as_deref() == Some(digest(before).as_str()),
            (Some(_), None) => !change.has_ours,
            (None, _) => true,
        };
        let backup = match (&change.before, known) {
            (_, Some(known)) => known.backup.clone(),
            // A copy is of the time before memoir: with hooks of a list that was lost in it, it would be none.
            (Some(before), None) if !change.has_ours => Some(back_up(&change.path, before)?),
            (_, None) => None,
        };
        let only_servers = lists_servers || known.is_some_and(|known| known.only_servers);
        let left = change.after.as_deref().map(digest).filter(|_| is_exact);
        let entry = Entry { client, only_servers, is_new, left, backup: backup.clone() };
        let was = self.files.insert(change.path.clone(), entry);
        let Err(problem) = self.save(list).and_then(|()| change.make()) else { return Ok(()) };
        // A copy that this made nobody needs.
        if let (None, Some(copy)) = (&was, backup) {
            let _ = fs::remove_file(copy);
        }
        match was {
            Some(was) => self.files.insert(change.path.clone(), was),
            None => self.files.remove(&change.path),
        };
        let _ = self.save(list);
        Err(problem)
    }

    /// Takes changes back that were made just now: the list is again what it was before them.
    pub fn take_back(&mut self, was: &Ledger, done: &[&Change], list: &Path) -> Result<(), InstallError> {
        for change in done.iter().rev() {
            let Change { path, before, after, .. } = (*change).clone();
            Change { path, before: after, after: before, has_ours: true }.make()?;
            let entry = self.files.remove(&change.path);
            match was.files.get(&change.path) {
                Some(was) => {
                    self.files.insert(change.path.clone(), was.clone());
                }
                // A copy that these made nobody needs.
                None => entry.and_then(|entry| entry.backup).map_or(Ok(()), fs::remove_file).unwrap_or_default(),
            }
        }
        self.save(list)
    }

    /// What the file was before memoir came, if nobody but memoir has written to it since.
    pub(crate) fn original(&self, path: &Path, now: &str) -> Option<Option<String>> {
        let entry = self.files.get(path).filter(|entry| entry.left.as_deref() == Some(digest(now).as_str()))?;
        if entry.is_new {
            return Some(None);
        }
        read(entry.backup.as_ref()?).ok().flatten().map(Some)
    }

    /// What the file was before memoir came, whoever has written to it since.
    pub(crate) fn before(&self, path: &Path) -> Option<String> {
        read(self.files.get(path)?.backup.as_ref()?).ok().flatten()
    }

    /// Takes over what another home's list knows of these files: that home's hooks in them are this one's now.
    pub fn take_over(&mut self, other: &mut Ledger, files: &[PathBuf]) {
        for file in files {
            if let Some(entry) = other.files.remove(file) {
                self.files.entry(file.clone()).or_insert(entry);
            }
            let around: Vec<PathBuf> = other.dirs.iter().filter(|dir| file.starts_with(dir)).cloned().collect();
            for dir in around {
                other.dirs.remove(&dir);
                self.dirs.insert(dir);
            }
        }
    }

    /// Forgets a file and leaves it, and its copy, alone.
    pub fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Whether memoir has changed the file.
    pub fn knows(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// Whether memoir has changed no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether it is known what became of the first copy of a file: it is in the list, there was none to be made, or
    /// somebody else's copy had taken the name.
    pub(crate) fn has_copy(&self, path: &Path) -> bool {
        let mut second = backup_of(path).into_os_string();
        second.push("-2");
        let is_listed = self.files.get(path).is_some_and(|entry| entry.is_new || entry.backup.is_some());
        is_listed || PathBuf::from(second).symlink_metadata().is_ok()
    }

    /// Whether the file is there only because of memoir.
    pub(crate) fn is_new(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|entry| entry.is_new)
    }

    /// Undoes a change: afterwards the list does not remember the file, nor is there a backup. Only if the file itself
    /// is gone the backup stays, and is given back: it is the last copy.
    pub fn undo(&mut self, change: &Change) -> Result<Option<PathBuf>, InstallError> {
        change.make()?;
        let Some(backup) = self.files.remove(&change.path).and_then(|entry| entry.backup) else { return Ok(None) };
        if change.before.is_none() && backup.exists() {
            return Ok(Some(backup));
        }
        match fs::remove_file(&backup) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(InstallError::io("remove", &backup)(error)),
            _ => Ok(None),
        }
    }
}

/// Where memoir keeps what a file was, if that name is free.
pub(crate) fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP_END);
    PathBuf::from(name)
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Keeps what the file was, with the same rights, under a name that nobody uses.
fn back_up(path: &Path, before: &str) -> Result<PathBuf, InstallError> {
    let named = |end: &str| {
        let mut name = backup_of(path).into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    let more = (2..).map(|number| named(&format!("-{number}")));
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let backup = std::iter::once(named("")).chain(more).take(100).find(is_free).unwrap_or_else(|| named("-last"));
    write_atomically(&backup, before.as_bytes(), None)?;
    let rights = fs::metadata(path).map_err(InstallError::io("read", path))?.permissions();
    fs::set_permissions(&backup, rights).map_err(InstallError::io("write", &backup))?;
    Ok(backup)
}
