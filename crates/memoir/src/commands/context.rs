//! What every command works with, and how it opens the journal, the spool and the index.

use crate::clients;
use crate::home::{Home, Life, system_clock};
use crate::print;
use crate::settings::Settings;
use anyhow::Result;
use memoir_event::repo_id_of_path;
use memoir_index::{Index, IndexOptions};
use memoir_journal::SqliteJournal;
use memoir_record::{Lane, Spool, SpoolLimits, drain_into_journal};
use std::time::Duration;

/// A quick command spends at most this long on what earlier ones left.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// The project of a working directory.
pub fn project_of(dir: Option<&str>) -> String {
    dir.map_or_else(|| "unknown".to_owned(), repo_id_of_path)
}

/// What every command works with.
pub struct Context {
    /// The home.
    pub home: Home,
    /// Its settings.
    pub settings: Settings,
}

impl Context {
    /// Opens the journal, and stores what an earlier process could only spool.
    pub fn journal(&self, life: Life) -> Result<SqliteJournal> {
        let journal = self.home.journal(&self.settings, life)?;
        self.drain(&journal);
        Ok(journal)
    }

    /// Stores what an earlier process could only spool; what still cannot be stored goes on waiting.
    pub fn drain(&self, journal: &SqliteJournal) {
        if let Err(error) = self.try_drain(journal) {
            print::warn(&format!("what waits in the spool cannot be stored: {error:#}"));
        }
    }

    /// Opens the journal for a command that only reads: without one there is nothing to read.
    pub fn existing_journal(&self, life: Life) -> Result<Option<SqliteJournal>> {
        let spooled = || self.spool().and_then(|spool| Ok(!spool.waiting(Lane::Journal)?.is_empty()));
        let exists = self.home.journal_file().exists() || spooled().unwrap_or(false);
        if exists { self.journal(life).map(Some) } else { Ok(None) }
    }

    fn try_drain(&self, journal: &SqliteJournal) -> Result<()> {
        let spool = self.spool()?;
        if spool.waiting(Lane::Journal)?.is_empty() {
            return Ok(());
        }
        let redactor = self.settings.redactor()?;
        let drained =
            drain_into_journal(&spool, journal, &redactor, &project_of, DRAIN_TIME, &mut super::ingest::tell)?;
        if drained.stored > 0 {
            print::warn(&format!("{} records that waited in the spool are stored now", drained.stored));
        }
        Ok(())
    }

    /// Who records: as configured, or as git knows the user, or as the system does.
    pub fn actor(&self) -> Option<String> {
        self.settings.actor.clone().or_else(clients::git_user).or_else(clients::login_name)
    }

    /// The spool.
    pub fn spool(&self) -> Result<Spool> {
        let dir = self.settings.spool_dir.clone();
        let limits = SpoolLimits { bytes_max: self.settings.spool_bytes_max, ..SpoolLimits::default() };
        Ok(Spool::new(dir, limits, system_clock())?)
    }

    /// The index.
    pub fn index(&self) -> Index {
        self.index_within(usize::MAX)
    }

    /// The index, with no more memory than that to catch up.
    pub fn index_within(&self, bytes_max: usize) -> Index {
        let megabytes = usize::try_from(self.settings.index_memory_mb).unwrap_or(usize::MAX);
        let memory_bytes_max = megabytes.saturating_mul(1 << 20).min(bytes_max);
        Index::open(&self.home.index_dir(), IndexOptions { memory_bytes_max, ..IndexOptions::default() })
    }
}
