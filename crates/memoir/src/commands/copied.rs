//! Where copies of what is recorded went: backups, mirrors, servers. Forgetting follows the mirrors; purging says what
//! else there is.

use anyhow::Result;
use memoir_event::EventId;
use memoir_journal::{Cursor, Journal, SqliteJournal};
use memoir_mirror::Mirror;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const COPY: &str = "copy|";
const BACKUP: &str = "copy|backup|";
const MIRROR: &str = "copy|mirror|";
const PUSH: &str = "push|";

/// How long to wait for another writer of a mirror.
const PATIENCE: Duration = Duration::from_secs(10);

/// Remembers that a backup was written there.
pub fn note_backup(journal: &SqliteJournal, file: &Path) -> Result<()> {
    note(journal, BACKUP, file)
}

/// Remembers that a mirror is kept there.
pub fn note_mirror(journal: &SqliteJournal, dir: &Path) -> Result<()> {
    note(journal, MIRROR, dir)
}

fn note(journal: &SqliteJournal, what: &str, place: &Path) -> Result<()> {
    let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let stream = format!("{what}{}", place.display());
    if journal.cursor(&stream)?.is_none() {
        journal.append(&[], &[Cursor { stream, sequence: 1, position: String::new() }])?;
    }
    Ok(())
}

/// What is remembered of where copies went, to be handed on to another state of the journal.
pub fn places(journal: &SqliteJournal) -> Result<Vec<Cursor>> {
    Ok(journal.cursors(COPY)?)
}

/// Every place that a copy went to.
#[derive(Debug, Default)]
pub struct Copies {
    pub backups: Vec<PathBuf>,
    pub mirrors: Vec<PathBuf>,
    pub servers: Vec<String>,
}

impl Copies {
    pub fn read(journal: &SqliteJournal) -> Result<Copies> {
        let places = |prefix: &str| -> Result<Vec<PathBuf>> {
            let cursors = journal.cursors(prefix)?;
            Ok(cursors.iter().filter_map(|cursor| cursor.stream.strip_prefix(prefix)).map(PathBuf::from).collect())
        };
        let pushed = journal.cursors(PUSH)?;
        let address = |cursor: &Cursor| cursor.stream.strip_prefix(PUSH)?.split('|').next().map(str::to_owned);
        let servers: BTreeSet<String> = pushed.iter().filter_map(address).collect();
        Ok(Copies { backups: places(BACKUP)?, mirrors: places(MIRROR)?, servers: servers.into_iter().collect() })
    }
}

/// What became of mirrors.
#[derive(Debug, Default)]
pub struct Followed {
    /// Mirrors that no longer have it.
    pub done: Vec<String>,
    /// What could not be done, in one sentence each.
    pub problems: Vec<String>,
}

/// Takes events out of every mirror that is still there.
pub fn take_out_of_mirrors(journal: &SqliteJournal, events: &[memoir_journal::Seq]) -> Followed {
    let mut followed = Followed::default();
    let mirrors = match Copies::read(journal) {
        Ok(copies) => copies.mirrors,
        Err(error) => {
            followed.problems.push(format!("{error:#}"));
            return followed;
        }
    };
    let mirrors: Vec<PathBuf> = mirrors.into_iter().filter(|dir| Mirror::at(dir).exists()).collect();
    if mirrors.is_empty() {
        return followed;
    }
    // A mirror knows an event by the id it was given: that of any of its captures.
    let mut ids: HashSet<EventId> = HashSet::new();
    for seq in events {
        match journal.sightings(*seq) {
            Ok(sightings) => ids.extend(sightings.into_iter().map(|sighting| sighting.id)),
            Err(error) => followed.problems.push(error.to_string()),
        }
    }
    for dir in mirrors {
        let removed = Mirror::at(&dir).with_patience(PATIENCE).remove(&ids, &crate::home::system_clock());
        match removed {
            Ok(removed) if removed.elsewhere > 0 => followed.problems.push(format!(
                "{}: {} stand in files that another tool wrote there; delete them by hand",
                dir.display(),
                crate::print::count(removed.elsewhere, "event")
            )),
            Ok(removed) if removed.events > 0 => followed.done.push(dir.display().to_string()),
            Ok(_) => {}
            Err(error) => followed
                .problems
                .push(format!("the mirror in {} still has it: {error}; run the command again", dir.display())),
        }
    }
    followed
}
