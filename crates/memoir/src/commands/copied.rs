//! Where copies of what is recorded went: backups, mirrors, servers. Forgetting follows the mirrors; purging says what
//! else there is.

use anyhow::Result;
use memoir_journal::{Cursor, Journal, SqliteJournal};
use memoir_recall::{IMPORTED, INSTRUCTED, MIRRORED};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const COPY: &str = "copy|";
const BACKUP: &str = "copy|backup|";
const PUSH: &str = "push|";

/// Remembers that a backup was written there.
pub fn note_backup(journal: &SqliteJournal, file: &Path) -> Result<()> {
    note(journal, BACKUP, file)
}

/// Remembers that a mirror is kept there.
pub fn note_mirror(journal: &SqliteJournal, dir: &Path) -> Result<()> {
    note(journal, MIRRORED, dir)
}

/// Remembers by which rules all of the mirror there was written.
pub fn note_mirror_is_by(journal: &SqliteJournal, dir: &Path, rules: &str) -> Result<()> {
    let cursor = Cursor { stream: stream_of(MIRRORED, dir), sequence: 1, position: rules.to_owned() };
    journal.append(&[], &[cursor])?;
    Ok(())
}

/// Whether all of the mirror there was written by those rules.
pub fn is_mirror_by(journal: &SqliteJournal, dir: &Path, rules: &str) -> Result<bool> {
    Ok(journal.cursor(&stream_of(MIRRORED, dir))?.is_some_and(|cursor| cursor.position == rules))
}

/// Remembers that a mirror there was imported.
pub fn note_imported(journal: &SqliteJournal, dir: &Path) -> Result<()> {
    note(journal, IMPORTED, dir)
}

/// Remembers that memoir's part of an instructions file has the conventions of a project.
pub fn note_instructed(journal: &SqliteJournal, file: &Path, project: &str) -> Result<()> {
    let cursor = Cursor { stream: stream_of(INSTRUCTED, file), sequence: 1, position: project.to_owned() };
    if journal.cursor(&cursor.stream)?.as_ref() != Some(&cursor) {
        journal.append(&[], &[cursor])?;
    }
    Ok(())
}

/// No part of that file is memoir's any more.
pub fn note_not_instructed(journal: &SqliteJournal, file: &Path) -> Result<()> {
    let stream = stream_of(INSTRUCTED, file);
    if journal.cursor(&stream)?.is_some() {
        journal.append(&[], &[Cursor::gone(stream)])?;
    }
    Ok(())
}

fn note(journal: &SqliteJournal, what: &str, place: &Path) -> Result<()> {
    let stream = stream_of(what, place);
    if journal.cursor(&stream)?.is_none() {
        journal.append(&[], &[Cursor { stream, sequence: 1, position: String::new() }])?;
    }
    Ok(())
}

fn stream_of(what: &str, place: &Path) -> String {
    let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    format!("{what}{}", place.display())
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
        Ok(Copies { backups: places(BACKUP)?, mirrors: places(MIRRORED)?, servers: servers.into_iter().collect() })
    }
}
