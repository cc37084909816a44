//! What is done for sessions while there is time: by any command for a moment, by a server all the time.

use super::{Context, pause};
use crate::home::system_clock;
use crate::print;
use crate::process_table;
use crate::settings::Settings;
use anyhow::Result;
use memoir_journal::Journal;
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Process, SessionError, Sessions, waiting_count};
use std::time::{Duration, Instant};

/// A quick command spends at most this long on sessions that are over.
const QUICK: Duration = Duration::from_secs(2);

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
        })
    }
}

impl Context {
    /// Does something with the sessions of a journal.
    pub fn with_sessions<T>(&self, journal: &dyn Journal, work: impl FnOnce(&Sessions<'_>) -> Result<T>) -> Result<T> {
        Keeping::new(&self.settings).with_sessions(journal, &self.settings.redactor()?, work)
    }

    /// Commits sessions that hooks or an API touched and that are over, for a while; the rest goes on waiting. What was
    /// imported is left to a server and to `memoir commit`: whoever only looks for something must not pay for it.
    pub fn keep_house(&self, journal: &dyn Journal) {
        if pause::is_paused(&self.home) {
            return;
        }
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
fn is_for_later(error: &SessionError) -> bool {
    error.is_transient() || matches!(error, SessionError::Journal(memoir_journal::JournalError::ReadOnly))
}
