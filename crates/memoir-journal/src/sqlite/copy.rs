//! Backup and restore: consistent copies of a journal that others go on using.

use super::SqliteJournal;
use super::schema::{self, Access};
use crate::{JournalError, Verified};
use memoir_event::KeyHasher;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So many pages are copied at a time.
const PAGES_A_STEP: i32 = 4096;

impl SqliteJournal {
    /// Writes a compact, consistent copy to a file that must not exist yet.
    pub fn backup(&self, to: &Path) -> Result<u64, JournalError> {
        let io = |error: &std::io::Error| JournalError::Io(format!("{}: {error}", to.display()));
        let partial = partial_name(to);
        let _ = fs::remove_file(&partial);
        create_private(&partial).map_err(|error| io(&error))?;
        let copied = self.with_reader(|connection| {
            connection.execute("VACUUM INTO ?1", [partial.to_string_lossy()])?;
            Ok(())
        });
        let kept = copied.and_then(|()| {
            File::open(&partial).and_then(|file| file.sync_all()).map_err(|error| io(&error))?;
            // A hard link, unlike a rename, never replaces a file that appeared meanwhile.
            fs::hard_link(&partial, to).map_err(|error| io(&error))?;
            sync_directory_of(to);
            fs::metadata(to).map(|file| file.len()).map_err(|error| io(&error))
        });
        let _ = fs::remove_file(&partial);
        kept
    }

    /// Replaces everything in this journal by what the backup holds, in one transaction. The secret comes with it, so
    /// the journal is opened anew, and other processes that have it open must do the same before they can append.
    pub fn restore(self, from: &Path) -> Result<SqliteJournal, JournalError> {
        let source = open_backup(from)?;
        self.with_writer(|writer| {
            writer.interned.clear();
            let backup = Backup::new(&source, &mut writer.connection)?;
            loop {
                match backup.step(PAGES_A_STEP)? {
                    StepResult::Done => break,
                    StepResult::More => {}
                    _ => std::thread::sleep(Duration::from_millis(5)),
                }
            }
            drop(backup);
            writer.connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            let mut epoch = [0u8; 16];
            getrandom::fill(&mut epoch).map_err(|error| JournalError::Io(error.to_string()))?;
            writer.connection.execute("INSERT OR REPLACE INTO fact(name, value) VALUES('epoch', ?1)", [epoch])?;
            Ok(())
        })?;
        let (path, options, clock) = (self.path.clone(), self.options, self.clock.clone());
        drop(self);
        SqliteJournal::open(&path, options, clock)
    }
}

/// Proves a backup file without changing it.
pub fn verify_file(path: &Path, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Verified, JournalError> {
    let connection = open_backup(path)?;
    let hasher = KeyHasher::new(super::secret_of(&connection)?);
    super::verify::verify(&connection, &hasher, progress)
}

fn open_backup(path: &Path) -> Result<Connection, JournalError> {
    let size = fs::metadata(path)
        .map_err(|error| JournalError::Open { path: path.to_owned(), reason: error.to_string() })?
        .len();
    if size == 0 {
        return Err(JournalError::NotAJournal { path: path.to_owned() });
    }
    schema::open(path, Access::Read, Duration::from_secs(5))
}

fn partial_name(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(format!(".partial-{}", std::process::id()));
    PathBuf::from(name)
}

fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn sync_directory_of(path: &Path) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Not every file system can sync a directory; the copy itself is already safe.
    let _ = File::open(parent).and_then(|directory| directory.sync_all());
}
