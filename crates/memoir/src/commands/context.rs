//! What every command works with, and how it opens the journal, the spool and the index.

use super::pause;
use crate::clients;
use crate::home::{Home, Life, system_clock};
use crate::print;
use crate::settings::Settings;
use crate::stop;
use anyhow::Result;
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Limits, SqliteJournal};
use memoir_record::{
    Drain, GitFiles, Importer, Pending, Policy, Project, Projects, Rules, Spool, SpoolLimits, drain_into_journal,
};
use memoir_redact::Redactor;
use memoir_vectors::Vectors;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A quick command spends at most this long on what earlier ones left.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// And at most this long on session files that hooks left.
const MARKS_TIME: Duration = Duration::from_secs(2);

/// The project of a working directory, by its id.
pub fn project_of(dir: Option<&str>) -> String {
    project_at(dir).id
}

/// The project of a working directory.
pub fn project_at(dir: Option<&str>) -> Project {
    Projects::new(clients::user_home()).with_git(clients::git_files()).of(dir, None).clone()
}

/// For whom and by which rules things are recorded.
pub struct Wishes {
    pub redactor: Arc<Redactor>,
    pub policy: Policy,
    pub limits: Limits,
    pub actor: Option<String>,
    pub is_actor_given: bool,
    pub git: GitFiles,
    pub user_home: Option<PathBuf>,
    pub repo: Option<String>,
}

impl Wishes {
    /// As whoever records wants them.
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            redactor: &self.redactor,
            policy: &self.policy,
            limits: self.limits,
            actor: self.actor.as_deref(),
            is_actor_given: self.is_actor_given,
            git: &self.git,
            user_home: self.user_home.as_deref(),
            repo: self.repo.as_deref(),
        }
    }
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
        self.catch_up_with_others(&journal);
        Ok(journal)
    }

    /// Stores what other processes left, and commits sessions that are over.
    pub fn catch_up_with_others(&self, journal: &SqliteJournal) {
        self.take_in_from_others(journal);
        self.keep_house(journal);
    }

    /// Stores what other processes left: in the spool, and as marks of session files.
    pub fn take_in_from_others(&self, journal: &SqliteJournal) {
        self.drain(journal);
        self.work_off_marks(journal);
    }

    /// Reads session files that hooks had no time for, for a while; the rest goes on waiting.
    fn work_off_marks(&self, journal: &SqliteJournal) {
        let pending = self.pending();
        if pending.count() == 0 || pause::is_paused(&self.home) {
            return;
        }
        if let Err(error) = self.with_importer(journal, |importer| Ok(pending.work_off(importer, MARKS_TIME)?)) {
            print::warn(&format!("session files that wait cannot be read: {error:#}"));
        }
        let left = u64::try_from(pending.count()).unwrap_or(u64::MAX);
        if left > 0 {
            let files = print::count(left, "session file");
            print::warn(&format!(
                "{files} still to be read: what is in them is not found yet; `memoir import` reads them"
            ));
        }
    }

    /// Marks of session files that wait to be read.
    pub fn pending(&self) -> Pending {
        Pending::new(self.home.pending_dir())
    }

    /// For whom and by which rules things are recorded here.
    pub fn wishes(&self) -> Result<Wishes> {
        Ok(Wishes {
            redactor: Arc::new(self.settings.redactor()?),
            policy: self.settings.policy()?.with_pauses(pause::pauses(&self.home)),
            limits: self.settings.limits(),
            actor: self.actor(),
            is_actor_given: self.settings.actor.is_some(),
            git: clients::git_files(),
            user_home: clients::user_home(),
            repo: None,
        })
    }

    /// Does something with an importer into that journal.
    pub fn with_importer<T>(
        &self,
        journal: &SqliteJournal,
        work: impl FnOnce(&Importer<'_>) -> Result<T>,
    ) -> Result<T> {
        let (wishes, dirs, clock, stop) = (self.wishes()?, clients::dirs(), system_clock(), stop::on_signal()?);
        work(&Importer { journal, rules: wishes.rules(), dirs: &dirs, clock: &clock, stop: &stop })
    }

    /// Stores what an earlier process could only spool; what still cannot be stored goes on waiting.
    pub fn drain(&self, journal: &SqliteJournal) {
        if let Err(error) = self.try_drain(journal) {
            print::warn(&format!("what waits in the spool cannot be stored: {error:#}"));
        }
    }

    /// Opens the journal for a command that only reads: without one there is nothing to read.
    pub fn existing_journal(&self, life: Life) -> Result<Option<SqliteJournal>> {
        if self.has_journal() { self.journal(life).map(Some) } else { Ok(None) }
    }

    /// As [`Context::existing_journal`], for a command that says itself what is done for sessions.
    pub fn existing_journal_with_open_sessions(&self, life: Life) -> Result<Option<SqliteJournal>> {
        if !self.has_journal() {
            return Ok(None);
        }
        let journal = self.home.journal(&self.settings, life)?;
        self.take_in_from_others(&journal);
        Ok(Some(journal))
    }

    fn has_journal(&self) -> bool {
        let spooled = || self.spool().and_then(|spool| Ok(spool.waits_for_journal()?));
        self.home.journal_file().exists() || spooled().unwrap_or(false)
    }

    fn try_drain(&self, journal: &SqliteJournal) -> Result<()> {
        let spool = self.spool()?;
        if !spool.waits_for_journal()? {
            return Ok(());
        }
        let wishes = self.wishes()?;
        let (redactor, policy) = (&wishes.redactor, &wishes.policy);
        let with = Drain { journal, redactor, policy, repo_of: &project_of, budget: DRAIN_TIME, records_max: u64::MAX };
        let drained = drain_into_journal(&spool, with, &mut super::ingest::tell)?;
        if drained.stored > 0 {
            let (waited, are) =
                (print::count(drained.stored, "record"), if drained.stored == 1 { "is" } else { "are" });
            print::warn(&format!("{waited} that waited in the spool {are} stored now"));
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

    /// The vectors of what was said.
    pub fn vectors(&self) -> Vectors {
        Vectors::open(&self.home.vectors_dir())
    }

    /// The index, with no more memory than that to catch up.
    pub fn index_within(&self, bytes_max: usize) -> Index {
        let megabytes = usize::try_from(self.settings.index_memory_mb).unwrap_or(usize::MAX);
        let memory_bytes_max = megabytes.saturating_mul(1 << 20).min(bytes_max);
        Index::open(&self.home.index_dir(), IndexOptions { memory_bytes_max, ..IndexOptions::default() })
    }
}
