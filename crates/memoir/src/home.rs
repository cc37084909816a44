//! The home directory: where it is, that it is private, and what lies in it.

use crate::exit::Usage;
use crate::settings::Settings;
use anyhow::{Context, Result};
use memoir_journal::{Clock, SqliteJournal, SqliteOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The directory that holds everything memoir keeps.
#[derive(Debug, Clone)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// The home that the flag or the environment names, else `~/.memoir`. Nothing is created yet.
    pub fn locate(flag: Option<&Path>) -> Result<Home> {
        let named = flag.map(Path::to_owned).or_else(|| non_empty("MEMOIR_HOME").map(PathBuf::from));
        let dir = match named {
            Some(dir) => dir,
            None => {
                let user = crate::clients::user_home();
                let user =
                    user.ok_or_else(|| Usage("no home directory is known: set MEMOIR_HOME, or pass --home".into()))?;
                user.join(".memoir")
            }
        };
        Ok(Home { dir: std::path::absolute(&dir).unwrap_or(dir) })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The settings file.
    pub fn config_file(&self) -> PathBuf {
        self.dir.join("config.toml")
    }

    /// The journal.
    pub fn journal_file(&self) -> PathBuf {
        self.dir.join("journal.db")
    }

    /// The full-text index.
    pub fn index_dir(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// The vectors of what was said.
    pub fn vectors_dir(&self) -> PathBuf {
        self.dir.join("vectors")
    }

    /// The spool, unless the settings name another.
    pub fn spool_dir(&self) -> PathBuf {
        self.dir.join("spool")
    }

    /// Marks of session files that wait to be read.
    pub fn pending_dir(&self) -> PathBuf {
        self.dir.join("pending")
    }

    /// Says until when nothing is recorded.
    pub fn pause_file(&self) -> PathBuf {
        self.dir.join("paused")
    }

    /// Counts what hooks could keep nowhere.
    pub fn dropped_file(&self) -> PathBuf {
        self.dir.join("dropped")
    }

    /// What was found of models that make digests.
    pub fn compressor_file(&self) -> PathBuf {
        self.dir.join("compressor.json")
    }

    /// Lists the settings files that memoir has put hooks into.
    pub fn ledger_file(&self) -> PathBuf {
        memoir_install::Ledger::file_in(&self.dir)
    }

    /// Whether this is the home that every process finds without being told.
    pub fn is_usual(&self) -> bool {
        crate::clients::user_home().is_some_and(|user| user.join(".memoir") == self.dir)
    }

    /// Makes sure that the directory exists, is ours and is private.
    pub fn prepare(&self) -> Result<()> {
        if !self.dir.exists() {
            create_private(&self.dir).with_context(|| format!("cannot create the home {}", self.dir.display()))?;
        } else if self.is_for_memoir() {
            close_to_others(&self.dir);
        }
        match self.problem() {
            Some(problem) => anyhow::bail!("{problem}"),
            None => Ok(()),
        }
    }

    /// Whether the directory holds nothing, or nothing but what is memoir's: only such a one may be closed to others.
    fn is_for_memoir(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.dir) else { return false };
        let names: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name())).collect();
        names.is_empty()
            || ["journal.db", "config.toml", "spool"].iter().any(|own| names.iter().any(|name| name == own))
    }

    /// Deletes everything that memoir keeps here; what is not memoir's stays.
    pub fn erase(&self) -> Result<()> {
        let context = || format!("cannot empty {}", self.dir.display());
        for entry in fs::read_dir(&self.dir).with_context(context)? {
            let path = entry.with_context(context)?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if OWN_NAMES.contains(&name.as_str()) || OWN_BEGINNINGS.iter().any(|start| name.starts_with(start)) {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        // It stays if something of somebody else's is in it.
        let _ = fs::remove_dir(&self.dir);
        Ok(())
    }

    /// What is wrong with the directory, and what to do about it.
    pub fn problem(&self) -> Option<String> {
        let dir = self.dir.display();
        let metadata = match fs::metadata(&self.dir) {
            Ok(metadata) => metadata,
            Err(error) => return Some(format!("cannot look into the home {dir}: {error}")),
        };
        if !metadata.is_dir() {
            return Some(format!("the home {dir} is not a directory: move it away, or set MEMOIR_HOME"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let me = rustix::process::geteuid().as_raw();
            if metadata.uid() != me {
                return Some(format!(
                    "the home {dir} belongs to another user (uid {}): set MEMOIR_HOME to a directory of your own",
                    metadata.uid()
                ));
            }
            if metadata.mode() & 0o077 != 0 {
                return Some(format!("the home {dir} is open to other users: run `chmod 700 {dir}`"));
            }
        }
        None
    }

    /// Opens the journal, creating it if need be.
    pub fn journal(&self, settings: &Settings, life: Life) -> Result<SqliteJournal> {
        self.prepare()?;
        crate::dropped::reserve(self);
        let patience = Duration::from_millis(settings.lock_wait_ms);
        let options = match life {
            Life::Hook => SqliteOptions { lock_wait: patience.min(HOOK_PATIENCE), ..SqliteOptions::short_lived() },
            Life::Short => SqliteOptions { lock_wait: patience, ..SqliteOptions::short_lived() },
            Life::Long => SqliteOptions { lock_wait: patience, ..SqliteOptions::long_lived() },
        };
        Ok(SqliteJournal::open(&self.journal_file(), options, system_clock())?.hearing(memoir_dream::takes_back))
    }
}

/// What memoir keeps in its home.
const OWN_NAMES: [&str; 10] = [
    "config.toml",
    "index",
    "vectors",
    "spool",
    "pending",
    "paused",
    "dropped",
    "installed.json",
    "compressor.json",
    "hook.log",
];

/// And what begins like this: the journal with its log, and what was set aside.
const OWN_BEGINNINGS: [&str; 1] = ["journal"];

/// A hook waits no longer than this for another process's write.
const HOOK_PATIENCE: Duration = Duration::from_millis(300);

/// How long the process will use the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// One hook call: somebody waits for it.
    Hook,
    /// One quick command.
    Short,
    /// Bulk work or a server.
    Long,
}

fn create_private(dir: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Takes away what others may do with our own directory; whether that worked, the check that follows tells.
fn close_to_others(dir: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let me = rustix::process::geteuid().as_raw();
        if fs::metadata(dir).is_ok_and(|metadata| metadata.uid() == me && metadata.mode() & 0o077 != 0) {
            let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = dir;
}

/// The system's time.
pub fn system_clock() -> Clock {
    Arc::new(now_ms)
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// An environment variable that says something.
pub fn non_empty(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}
