//! Lets one process at a time build, and one at a time write. The system drops a lock with its process, however it ends.

use crate::place::{create_private, open_private, same_file};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a waiting process looks again.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What a lock is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Asking the model and catching up: may take hours.
    Build,
    /// Changing the files: takes a moment.
    Write,
}

impl Task {
    pub const fn file(self) -> &'static str {
        match self {
            Task::Build => ".build.lock",
            Task::Write => ".write.lock",
        }
    }
}

/// Held while at it.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock in `dir`, which is made if it is missing; none if another process has it.
    pub fn try_take(dir: &Path, task: Task) -> io::Result<Option<Lock>> {
        create_private(dir)?;
        let path = dir.join(task.file());
        let file = open_private(OpenOptions::new().write(true).create(true).truncate(false), &path)?;
        match file.try_lock() {
            Ok(()) => {
                let lock = Lock { file, path };
                // The directory may have been deleted and made again between opening and locking.
                Ok(lock.is_current().then_some(lock))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits for the lock, but no longer than that.
    pub fn take_within(dir: &Path, task: Task, patience: Duration) -> io::Result<Option<Lock>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(lock) = Lock::try_take(dir, task)? {
                return Ok(Some(lock));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(LOOK_EVERY);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_left_by_a_killed_process_locks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".write.lock"), "4711").unwrap();
        let lock = Lock::try_take(dir.path(), Task::Write).unwrap().unwrap();
        assert!(Lock::take_within(dir.path(), Task::Write, Duration::from_millis(20)).unwrap().is_none());
        assert!(Lock::try_take(dir.path(), Task::Build).unwrap().is_some());
        fs::remove_file(dir.path().join(".write.lock")).unwrap();
        assert!(!lock.is_current());
    }
}
