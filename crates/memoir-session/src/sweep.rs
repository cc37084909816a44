//! Commits sessions that are over: when another one begins, and whenever somebody has time.

use crate::commit::{Committed, Sealed};
use crate::wait::Waiting;
use crate::{Began, Effort, Process, SessionError, SessionName, Sessions};
use memoir_event::Trigger;

/// Whoever has little time commits no more sessions than this at once, however small they are: each costs a few writes.
const SESSIONS_MAX: usize = 8;

/// What was worked off.
#[derive(Debug, Default)]
pub struct WorkedOff {
    /// What was committed.
    pub committed: Vec<Committed>,
    /// How many sessions are due and were not reached.
    pub left: usize,
    /// How many could not be committed. They go on waiting.
    pub failed: usize,
    /// Why the last of these could not.
    pub problem: Option<SessionError>,
}

impl Sessions<'_> {
    /// A session begins. If that may be the end of another, the one that was touched a moment ago is committed, unless
    /// there are several; then whatever was not touched for long. What does not fit the effort is left as due.
    pub fn began(
        &self,
        session: &SessionName,
        how: Began,
        process: Option<Process>,
        effort: Effort,
    ) -> Result<Vec<Committed>, SessionError> {
        if !how.may_end_another() {
            return Ok(Vec::new());
        }
        let session = self.known_as(session);
        let now_ms = self.now_ms();
        let mut others = self.waiting()?;
        others.retain(|one| one.session != session);
        let alive = self.alive(&others, process);
        let over: Vec<&Waiting> = others.iter().filter(|one| !alive.contains(&one.session)).collect();
        let mut wished: Vec<(&Waiting, Trigger)> = Vec::new();
        let recent = || over.iter().filter(|one| one.due.is_none() && self.rules.is_active(one.touched_ms, now_ms));
        if recent().count() == 1 {
            wished.extend(recent().map(|one| (*one, Trigger::Replaced)));
        }
        for one in &others {
            let due = self.due(one, alive.contains(&one.session), now_ms);
            if let Some(trigger) = due
                && !wished.iter().any(|(wished, _)| wished.session == one.session)
            {
                wished.push((one, trigger));
            }
        }
        wished.sort_by_key(|(one, _)| !one.is_announced);
        if effort != Effort::ALL {
            wished.truncate(SESSIONS_MAX);
        }
        let mut done = WorkedOff::default();
        let mut left = effort;
        for (one, trigger) in wished {
            if left.events_max == 0 {
                break;
            }
            self.work_on(one, trigger, left, &mut done);
            let sealed = done.committed.iter().map(|one| usize::try_from(one.archive.events).unwrap_or(usize::MAX));
            left.events_max = effort.events_max.saturating_sub(sealed.fold(0, usize::saturating_add));
        }
        match done.problem {
            Some(problem) if done.committed.is_empty() => Err(problem),
            _ => Ok(done.committed),
        }
    }

    /// Commits what is due and what nobody touched for long, also sessions that only an import has touched. `go_on` gets
    /// how many are left before each; if it stops the work, they go on waiting.
    pub fn work_off(&self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<WorkedOff, SessionError> {
        self.find()?;
        self.work_off_announced(go_on)
    }

    /// As [`Sessions::work_off`], but only sessions that somebody has told of, and those that were found before.
    pub fn work_off_announced(&self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<WorkedOff, SessionError> {
        let waiting = self.waiting()?;
        let alive = self.alive(&waiting, None);
        let now_ms = self.now_ms();
        let due: Vec<(&Waiting, Trigger)> = waiting
            .iter()
            .filter_map(|one| Some((one, self.due(one, alive.contains(&one.session), now_ms)?)))
            .collect();
        let mut done = WorkedOff::default();
        for (at, (one, trigger)) in due.iter().enumerate() {
            let left = due.len() - at;
            if !go_on(left) {
                done.left = left;
                break;
            }
            self.work_on(one, *trigger, Effort::ALL, &mut done);
        }
        Ok(done)
    }

    fn work_on(&self, one: &Waiting, trigger: Trigger, effort: Effort, done: &mut WorkedOff) {
        match self.commit(&one.session, trigger, effort) {
            Ok(Sealed::Archive(committed)) => done.committed.push(committed),
            Ok(Sealed::Nothing | Sealed::Due | Sealed::Busy) => {}
            Err(error) => {
                done.failed += 1;
                done.problem = Some(error);
            }
        }
    }
}
