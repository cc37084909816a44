//! What is forgotten is taken out of what memoir keeps outside its home: every mirror that the journal knows of, and
//! memoir's part of every instructions file that it was written into.

use crate::essence::conventions;
use memoir_event::EventId;
use memoir_install::{has_instructions, instructions_without};
use memoir_journal::{Clock, Cursor, Journal, Seq};
use memoir_mirror::Mirror;
use memoir_redact::Redactor;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the cursors begin that say where mirrors are kept; the directory follows.
pub const MIRRORED: &str = "copy|mirror|";

/// How the cursors begin that say which directories mirrors were imported from.
pub const IMPORTED: &str = "copy|imported|";

/// How the cursors begin that say which instructions files have a part of memoir's; the file follows, and the cursor's
/// position is the project whose conventions stand there.
pub const INSTRUCTED: &str = "copy|instructions|";

/// How long to wait for another writer of a mirror.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of copies.
#[derive(Debug, Default)]
pub struct Followed {
    /// Mirrors that no longer have it.
    pub done: Vec<String>,
    /// Instructions files whose part of memoir's no longer has it.
    pub files: Vec<String>,
    /// Files and mirrors that are not where they were, and directories that were imported from.
    pub beyond: Vec<String>,
    /// What could not be done, in one sentence each.
    pub problems: Vec<String>,
}

/// Takes events that are hidden now out of every copy that is still there.
pub fn take_out_of_copies(journal: &dyn Journal, redactor: &Redactor, events: &[Seq], clock: &Clock) -> Followed {
    let mut followed = take_out_of_mirrors(journal, events, clock);
    match journal.cursors(INSTRUCTED) {
        Ok(noted) => {
            for cursor in noted {
                let Some(file) = cursor.stream.strip_prefix(INSTRUCTED) else { continue };
                take_out_of_file(journal, redactor, Path::new(file), &cursor.position, &mut followed);
            }
        }
        Err(error) => followed.problems.push(error.to_string()),
    }
    followed
}

/// Leaves in memoir's part of a file only what still holds in the project.
fn take_out_of_file(journal: &dyn Journal, redactor: &Redactor, file: &Path, project: &str, followed: &mut Followed) {
    let place = file.display();
    if file.symlink_metadata().is_err() {
        followed.beyond.push(format!("memoir's part of {place}, which is not there now"));
        return;
    }
    let taken = || -> Result<bool, Box<dyn std::error::Error>> {
        let kept: Vec<String> = conventions(journal, redactor, project)?.into_iter().map(|kept| kept.text).collect();
        let change = instructions_without(file, &kept)?;
        change.make()?;
        if !change.after.as_deref().is_some_and(has_instructions) {
            journal.append(&[], &[Cursor::gone(format!("{INSTRUCTED}{place}"))])?;
        }
        Ok(change.is_needed())
    };
    match taken() {
        Ok(true) => {
            followed.files.push(place.to_string());
            followed.beyond.push(format!("older versions of {place} that are kept elsewhere, as git keeps them"));
        }
        Ok(false) => {}
        Err(error) => {
            followed.problems.push(format!("memoir's part of {place} may still have it: {error}; look and delete it"));
        }
    }
}

/// Takes events out of every mirror that is still there.
fn take_out_of_mirrors(journal: &dyn Journal, events: &[Seq], clock: &Clock) -> Followed {
    let mut followed = Followed::default();
    let noted = match journal.cursors(MIRRORED) {
        Ok(noted) => noted,
        Err(error) => {
            followed.problems.push(error.to_string());
            return followed;
        }
    };
    let dirs = noted.iter().filter_map(|cursor| cursor.stream.strip_prefix(MIRRORED)).map(PathBuf::from);
    let (dirs, gone): (Vec<PathBuf>, Vec<PathBuf>) = dirs.partition(|dir| Mirror::at(dir).exists());
    followed.beyond.extend(gone.iter().map(|dir| format!("the mirror in {}, which is not there now", dir.display())));
    match journal.cursors(IMPORTED) {
        Ok(from) => {
            let from = from.iter().filter_map(|cursor| cursor.stream.strip_prefix(IMPORTED)).map(PathBuf::from);
            let others = from.filter(|dir| !dirs.contains(dir));
            let named = others.map(|dir| format!("the mirror in {}, which was imported", dir.display()));
            followed.beyond.extend(named);
        }
        Err(error) => followed.problems.push(error.to_string()),
    }
    if dirs.is_empty() {
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
    for dir in dirs {
        let place = dir.display();
        match Mirror::at(&dir).with_patience(PATIENCE).remove(&ids, clock) {
            Ok(removed) if removed.elsewhere > 0 => followed.problems.push(format!(
                "{place}: in files that another tool wrote there stand {} of it; delete them by hand",
                removed.elsewhere
            )),
            Ok(removed) if removed.events > 0 => followed.done.push(place.to_string()),
            Ok(_) => {}
            Err(error) => {
                followed.problems.push(format!("the mirror in {place} still has it: {error}; run the command again"));
            }
        }
    }
    followed
}
