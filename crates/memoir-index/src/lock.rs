//! Lets one process at a time write the index. The system drops the lock with the process, however it ends.

use crate::guard::is_ours;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = ".catch-up.lock";

/// Held while writing.
#[derive(Debug)]
pub(crate) struct WriteLock {
    file: File,
    path: PathBuf,
}

impl WriteLock {
    /// Takes the lock in `dir`, which is made if it is missing; none if another process writes.
    pub fn try_take(dir: &Path) -> io::Result<Option<WriteLock>> {
        create_private(dir)?;
        let path = dir.join(FILE);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        match file.try_lock() {
            Ok(()) => {
                let lock = WriteLock { file, path };
                // The directory may have been deleted and made again between opening and locking.
                Ok(lock.is_current().then_some(lock))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether the lock file is still the one in the directory: someone may have deleted the whole cache.
    pub fn is_current(&self) -> bool {
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(held), Ok(there)) => same_file(&held, &there),
            _ => false,
        }
    }
}

#[cfg(unix)]
fn same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

fn create_private(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Removes every file of the cache in `dir` but the lock, which the caller holds. Other files are not ours.
pub(crate) fn clear(dir: &Path, _lock: &WriteLock) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_ours) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_left_by_a_killed_process_locks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), "4711").unwrap();
        let lock = WriteLock::try_take(dir.path()).unwrap().unwrap();
        assert!(WriteLock::try_take(dir.path()).unwrap().is_none());
        fs::remove_file(dir.path().join(FILE)).unwrap();
        assert!(!lock.is_current());
    }
}
