//! What is done for sessions while there is time: by any command for a moment, by a server all the time.

use super::{Context, pause};
use crate::home::system_clock;
use crate::print;
use crate::process_table;
use crate::settings::Settings;
use anyhow::Result;
use memoir_dream::{DreamError, DreamWish, Dreamer};
use memoir_journal::{Journal, JournalError};
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Process, SessionError, Sessions, waiting_count};
use std::time::{Duration, Instant};

/// A quick command spends at most this long on sessions that are over.
const QUICK: Duration = Duration::from_secs(2);
/// And on what is to be dreamt no longer than this.
const QUICK_DREAM: Duration = Duration::from_millis(300);
/// So many archives are dreamt before it is looked for others.
const ARCHIVES_AT_ONCE: usize = 64;
/// A quick command looks at so few.
const QUICK_ARCHIVES: usize = 8;
/// And leaves archives with more events to a server and to `memoir dream`.
const QUICK_EVENTS: u64 = 5_000;

/// What housekeeping goes by. It can be handed to a thread.
#[derive(Clone, Copy)]
pub struct Keeping {
    rules: CommitRules,
}

impl Keeping {
    /// As the settings say.
    pub fn new(settings: &Settings) -> Keeping {
        Keeping { rules: settings.commit_rules }
    }

    /// Does something with the sessions of a journal.
    pub fn with_sessions<T>(
        &self,
        journal: &dyn Journal,
        redactor: &Redactor,
        work: impl FnOnce(&Sessions<'_>) -> Result<T>,
    ) -> Result<T> {
        let (clock, owner) = (system_clock(), format!("process {}", std::process::id()));
        let is_alive = |process: &Process| process_table::is_alive(process);
        work(&Sessions { journal, redactor, clock: &clock, rules: self.rules, owner: &owner, is_alive: &is_alive })
    }

    /// Everything that waits, until `go_on` says stop. What is derived from archives follows here.
    pub fn keep(&self, journal: &dyn Journal, redactor: &Redactor, go_on: &mut dyn FnMut() -> bool) -> Result<()> {
        self.with_sessions(journal, redactor, |sessions| {
            let done = sessions.work_off(&mut |_| go_on())?;
            done.problem.map_or(Ok(()), |problem| Err(problem.into()))
        })?;
        dream(journal, redactor, &wish(ARCHIVES_AT_ONCE, None), go_on)
    }
}

/// What is due, the oldest first: at most so many archives at a time, and none that is larger than that.
fn wish(archives: usize, events_max: Option<u64>) -> DreamWish {
    DreamWish { archives_max: Some(archives), events_max, ..DreamWish::default() }
}

/// Derives memories from what was committed.
fn dream(journal: &dyn Journal, redactor: &Redactor, wish: &DreamWish, go_on: &mut dyn FnMut() -> bool) -> Result<()> {
    let clock = system_clock();
    loop {
        let dreamt = Dreamer { journal, redactor, clock: &clock }.dream(wish, &mut |_, _| go_on())?;
        if dreamt.archives == 0 || dreamt.was_stopped || dreamt.is_busy {
            return Ok(());
        }
    }
}

impl Context {
    /// Does something with the sessions of a journal.
    pub fn with_sessions<T>(&self, journal: &dyn Journal, work: impl FnOnce(&Sessions<'_>) -> Result<T>) -> Result<T> {
        Keeping::new(&self.settings).with_sessions(journal, &self.settings.redactor()?, work)
    }

    /// Commits sessions that are over and dreams what was committed, for a while; the rest goes on waiting.
    pub fn keep_house(&self, journal: &dyn Journal) {
        if pause::is_paused(&self.home) {
            return;
        }
        self.commit_what_is_over(journal);
        self.dream_a_little(journal);
    }

    /// Whoever comes next goes on.
    fn dream_a_little(&self, journal: &dyn Journal) {
        let begun = Instant::now();
        let go_on = &mut || begun.elapsed() < QUICK_DREAM;
        let done = self
            .settings
            .redactor()
            .and_then(|redactor| dream(journal, &redactor, &wish(QUICK_ARCHIVES, Some(QUICK_EVENTS)), go_on));
        if let Err(error) = done
            && !is_for_later_dreams(&error)
        {
            print::warn(&format!("no memories can be derived: {error:#}"));
        }
    }

    /// Commits sessions that hooks or an API touched and that are over, for a while. What was imported is left to a
    /// server and to `memoir commit`: whoever only looks for something must not pay for it.
    fn commit_what_is_over(&self, journal: &dyn Journal) {
        // Mostly nothing waits, and that is all that is asked.
        if waiting_count(journal).is_ok_and(|waiting| waiting == 0) {
            return;
        }
        let begun = Instant::now();
        let done = self.with_sessions(journal, |sessions| {
            let done = sessions.work_off_announced(&mut |_| begun.elapsed() < QUICK)?;
            done.problem.map_or(Ok(()), |problem| Err(problem.into()))
        });
        if let Err(error) = done
            && !error.downcast_ref::<SessionError>().is_some_and(is_for_later)
        {
            print::warn(&format!("sessions that are over cannot be committed: {error:#}"));
        }
    }
}

/// Whether whoever comes next is as likely to do better: nobody needs to know.
fn is_for_later_dreams(error: &anyhow::Error) -> bool {
    let Some(DreamError::Journal(error)) = error.downcast_ref::<DreamError>() else { return false };
    error.is_transient() || matches!(error, JournalError::ReadOnly)
}

/// Whether whoever comes next is as likely to do better: nobody needs to know.
fn is_for_later(error: &SessionError) -> bool {
    error.is_transient() || matches!(error, SessionError::Journal(memoir_journal::JournalError::ReadOnly))
}
