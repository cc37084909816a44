//! Which sessions wait to be committed, and which of them are over.

use crate::commit::is_of_substance;
use crate::state::{LIVE, Live, OLD, Old, Rows, SEEN, is_there};
use crate::{Process, SessionError, SessionName, Sessions};
use memoir_event::Trigger;
use memoir_journal::{Cursor, Journal};
use std::collections::{BTreeMap, HashMap};

/// A session that waits to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The session.
    pub session: SessionName,
    /// When it was last touched, in milliseconds since 1970.
    pub touched_ms: i64,
    /// How many events no archive holds.
    pub events: usize,
    /// Why the next occasion commits it; none while it is taken to go on.
    pub due: Option<Trigger>,
    /// Whether the process of its client is known to be running.
    pub is_alive: bool,
}

/// A session as its rows tell.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub session: SessionName,
    /// When a turn of it ended last.
    pub touched_ms: i64,
    /// When anything was last known of it.
    pub last_ms: i64,
    pub due: Option<Trigger>,
    pub process: Option<Process>,
    /// A hook or an API told of it.
    pub is_announced: bool,
}

/// How many sessions are noted as waiting to be committed; costs little, and may count one that has nothing new.
pub fn waiting_count(journal: &dyn Journal) -> Result<usize, SessionError> {
    let mut names: Vec<String> = Vec::new();
    for prefix in [LIVE, OLD] {
        let rows = journal.cursors(prefix)?;
        names.extend(rows.iter().filter_map(|row| row.stream.strip_prefix(prefix).map(str::to_owned)));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names.len())
}

impl Sessions<'_> {
    /// The sessions that wait, the one touched last first; also those that only an import has touched.
    pub fn pending(&self) -> Result<Vec<Pending>, SessionError> {
        let mut waiting = self.waiting()?;
        for found in self.unannounced()? {
            if !waiting.iter().any(|one| one.session == found.session) {
                waiting.push(found);
            }
        }
        let now_ms = self.now_ms();
        let alive = self.alive(&waiting, None);
        let mut pending = Vec::new();
        for one in &waiting {
            let rows = Rows::read(self.journal, &one.session)?;
            let reached = self.reached(&one.session, &rows.sealed)?;
            let new = self.since(&one.session, reached, usize::MAX)?;
            if new.iter().any(is_of_substance) {
                let is_alive = alive.contains(&one.session);
                pending.push(Pending {
                    session: one.session.clone(),
                    touched_ms: one.last_ms,
                    events: new.len(),
                    due: self.due(one, is_alive, now_ms),
                    is_alive,
                });
            }
        }
        pending.sort_by(|a, b| b.touched_ms.cmp(&a.touched_ms).then_with(|| a.session.cmp(&b.session)));
        Ok(pending)
    }

    /// Every session that has a row. What hooks say of it counts more than what was found.
    pub(crate) fn waiting(&self) -> Result<Vec<Waiting>, SessionError> {
        let mut waiting = BTreeMap::new();
        for row in self.journal.cursors(OLD)? {
            let Some(session) = session_of(&row, OLD) else { continue };
            let touched_ms = match Old::of(&row) {
                Some(old) => old.touched_ms(),
                None => self.last_touched(&session)?,
            };
            waiting.insert(
                session.clone(),
                Waiting { session, touched_ms, last_ms: touched_ms, due: None, process: None, is_announced: false },
            );
        }
        for row in self.journal.cursors(LIVE)? {
            let Some(session) = session_of(&row, LIVE) else { continue };
            let live = match Live::of(&row) {
                Some(live) => live,
                None => Live::new(self.last_touched(&session)?),
            };
            let (last_ms, Live { touched_ms, due, process, .. }) = (live.last_ms(), live);
            waiting.insert(session.clone(), Waiting { session, touched_ms, last_ms, due, process, is_announced: true });
        }
        Ok(waiting.into_values().collect())
    }

    /// What no row tells yet.
    pub(crate) fn unannounced(&self) -> Result<Vec<Waiting>, SessionError> {
        let seen = self.journal.cursor(SEEN)?.map_or(0, |row| row.sequence);
        let now_ms = self.now_ms();
        let touched = self.journal.touched(seen)?.into_iter().map(|touched| Waiting {
            session: SessionName { client: touched.client, id: touched.session },
            touched_ms: touched.last_ms.min(now_ms),
            last_ms: touched.last_ms.min(now_ms),
            due: None,
            process: None,
            is_announced: false,
        });
        Ok(touched.collect())
    }

    /// Why a session is to be committed now, if it is.
    pub(crate) fn due(&self, one: &Waiting, is_alive: bool, now_ms: i64) -> Option<Trigger> {
        let is_idle = !is_alive && self.rules.is_idle(one.last_ms, now_ms);
        one.due.or_else(|| is_idle.then_some(Trigger::Idle))
    }

    /// The sessions whose own client is still running: the last one that each process touched, for it has one at a time.
    /// What a process left for the session that begins now is over.
    pub(crate) fn alive(&self, waiting: &[Waiting], begins_in: Option<Process>) -> Vec<SessionName> {
        let mut last: HashMap<Process, &Waiting> = HashMap::new();
        for one in waiting {
            let Some(process) = one.process.filter(|process| Some(*process) != begins_in) else { continue };
            let known = last.entry(process).or_insert(one);
            if one.last_ms > known.last_ms {
                *known = one;
            }
        }
        last.retain(|process, _| (self.is_alive)(process));
        last.into_values().map(|one| one.session.clone()).collect()
    }

    /// When the journal got the last of what is new in a session.
    fn last_touched(&self, session: &SessionName) -> Result<i64, SessionError> {
        let rows = Rows::read(self.journal, session)?;
        let reached = self.reached(session, &rows.sealed)?;
        let last = self.since(session, reached, usize::MAX)?.iter().map(|placed| placed.ts_ms).max();
        Ok(last.unwrap_or(0).min(self.now_ms()))
    }
}

fn session_of(row: &Cursor, prefix: &str) -> Option<SessionName> {
    is_there(row).then(|| row.stream.strip_prefix(prefix).map(SessionName::of_row)).flatten()
}
