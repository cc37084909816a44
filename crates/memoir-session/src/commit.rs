//! Seals what a session has so far into an archive.
//!
//! One process at a time does that for a session, under a lease. Should one be stopped for longer than its lease, the
//! append itself finds out: it goes through only while the session's rows are as they were when they were read.

use crate::archives::hidden_archives;
use crate::points::{Points, READ};
use crate::state::{Live, Reached, Rows, is_there};
use crate::{Effort, SessionError, SessionName, Sessions};
use memoir_event::{Archive, Event, EventId, Kind, Secrecy, Time, Trigger, Visibility};
use memoir_journal::{Admission, Audience, Cursor, Lease, Outcome, Placed, Seq, StoredEvent, View};
use std::sync::atomic::{AtomicU64, Ordering};

/// Sealing takes less than a second; a lease that is older belongs to a process that was stopped.
const LEASE_MS: i64 = 60_000;

/// So often a commit looks again when the session was touched meanwhile.
const TRIES: usize = 4;

/// So many events are read at once.
const PORTION: usize = 512;

/// What became of a wish to commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sealed {
    /// It has a new archive.
    Archive(Committed),
    /// It has nothing new, or nobody knows it.
    Nothing,
    /// It has too much for this effort, and is committed at the next occasion.
    Due,
    /// Another process is at it.
    Busy,
}

/// A session that was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The session.
    pub session: SessionName,
    /// The archive's id.
    pub id: EventId,
    /// The archive.
    pub archive: Archive,
}

impl Sessions<'_> {
    /// Seals what the session has so far.
    pub fn commit(&self, session: &SessionName, trigger: Trigger, effort: Effort) -> Result<Sealed, SessionError> {
        let session = self.known_as(session);
        let Some(lease) = self.lease(&format!("session|{session}"))? else { return Ok(Sealed::Busy) };
        let sealed = self.seal(&session, trigger, effort);
        self.journal.release(&lease)?;
        sealed
    }

    /// Takes a lease that no other thread of this process holds either.
    pub(crate) fn lease(&self, name: &str) -> Result<Option<Lease>, SessionError> {
        self.lease_for(name, LEASE_MS)
    }

    /// As [`Sessions::lease`], for so long.
    pub(crate) fn lease_for(&self, name: &str, ttl_ms: i64) -> Result<Option<Lease>, SessionError> {
        static TAKEN: AtomicU64 = AtomicU64::new(0);
        let owner = format!("{}/{}", self.owner, TAKEN.fetch_add(1, Ordering::Relaxed));
        Ok(self.journal.lease(name, &owner, ttl_ms)?)
    }

    fn seal(&self, session: &SessionName, trigger: Trigger, effort: Effort) -> Result<Sealed, SessionError> {
        for left in (0..TRIES).rev() {
            let rows = Rows::read(self.journal, session)?;
            // A session that is touched without end is sealed as it is found, and goes on waiting.
            let watched = if left == 0 { vec![rows.sealed.clone()] } else { rows.all() };
            if let Some(sealed) = self.look(session, &rows, &watched, trigger, effort)? {
                return Ok(sealed);
            }
        }
        Ok(Sealed::Busy)
    }

    /// Looks at the session once; none if it was touched meanwhile.
    fn look(
        &self,
        session: &SessionName,
        rows: &Rows,
        watched: &[Cursor],
        trigger: Trigger,
        effort: Effort,
    ) -> Result<Option<Sealed>, SessionError> {
        let reached = self.reached(session, &rows.sealed)?;
        // One more than is sealed now is enough to know that there are more.
        let placed = self.since(session, reached, effort.events_max.saturating_add(1))?;
        let waits_no_longer = if watched.len() > 1 { rows.no_longer() } else { Vec::new() };
        if placed.len() > effort.events_max {
            let live = Live::of(&rows.live).unwrap_or_else(|| Live::new(self.now_ms()));
            let due = Live { due: Some(trigger), ..live }.row(session);
            let stored = self.journal.append_if(watched, &[], &[due])?;
            return Ok(stored.map(|_| Sealed::Due));
        }
        if !placed.iter().any(is_of_substance) {
            let stored = self.journal.append_if(watched, &[], &waits_no_longer)?;
            return Ok(stored.map(|_| Sealed::Nothing));
        }
        let (archive, event) = self.archive(session, reached, &placed, trigger)?;
        let now = Reached { last_seq: archive.last_seq, archives: archive.number };
        let event = Admission::new(self.redactor, self.journal.hasher().clone()).admit(event);
        let cursors: Vec<Cursor> = waits_no_longer.into_iter().chain([now.row(session)]).collect();
        let outcome = self.journal.append_if(watched, &[event], &cursors)?;
        let Some(outcome) = outcome else { return Ok(None) };
        // One that is forgotten beforehand is sealed all the same: there is nothing to tell of it.
        let id = outcome.first().and_then(Outcome::id);
        let archived = |id| Sealed::Archive(Committed { session: session.clone(), id, archive });
        Ok(Some(id.map_or(Sealed::Nothing, archived)))
    }

    /// How far the session is committed. A row that is not there or cannot be believed is worked out from the archives.
    pub(crate) fn reached(&self, session: &SessionName, row: &Cursor) -> Result<Reached, SessionError> {
        if is_there(row)
            && let Some(reached) = Reached::of(row, self.journal.last_seq()?)
        {
            return Ok(reached);
        }
        let archives =
            if is_there(row) { hidden_archives(self.journal, session)? } else { self.all_archives(session)? };
        let reached = archives.iter().fold(Reached::default(), |reached, (_, archive)| Reached {
            last_seq: reached.last_seq.max(archive.last_seq),
            archives: reached.archives.max(archive.number),
        });
        Ok(reached)
    }

    /// What the session has beyond that; of more than `most`, any of it.
    pub(crate) fn since(
        &self,
        session: &SessionName,
        reached: Reached,
        most: usize,
    ) -> Result<Vec<Placed>, SessionError> {
        let last = self.journal.last_seq()?;
        Ok(self.journal.placed(session.client, &session.id, (reached.last_seq, last), most)?)
    }

    fn archive(
        &self,
        session: &SessionName,
        reached: Reached,
        placed: &[Placed],
        trigger: Trigger,
    ) -> Result<(Archive, Event), SessionError> {
        let mut points = Points::default();
        let mut open = Openness::default();
        let wanted: Vec<Seq> = placed.iter().filter(|one| READ.contains(&one.kind)).map(|one| one.seq).collect();
        let dreamt = View::of(Audience::Dream);
        for seqs in wanted.chunks(PORTION) {
            for stored in self.journal.events(seqs, &View::owner_all())? {
                open.note(&stored);
                if dreamt.admits(stored.event.visibility, stored.event.secrecy) {
                    points.take(&stored);
                }
            }
        }
        let last_seq = placed.iter().map(|one| one.seq).max().unwrap_or(reached.last_seq);
        let asks = placed.iter().filter(|one| one.kind == Kind::UserMessage && one.thread.is_none());
        let times = placed.iter().map(|one| one.ts_ms);
        let archive = Archive {
            version: Archive::VERSION,
            client: session.client,
            session: session.id.clone(),
            number: reached.archives.saturating_add(1),
            after_seq: reached.last_seq,
            last_seq,
            first_ms: times.clone().min().unwrap_or_default(),
            last_ms: times.max().unwrap_or_default(),
            events: u64::try_from(placed.len()).unwrap_or(u64::MAX),
            turns: u64::try_from(asks.count()).unwrap_or(u64::MAX),
            trigger,
            points: points.chosen(),
        };
        let last = self.journal.unfiltered(&[last_seq])?.pop();
        last.iter().for_each(|last| open.note(last));
        let project = last.map(|last| last.event.repo).unwrap_or_default();
        let mut event = archive.clone().into_event(&project);
        // It happened when its last event did: whoever forgets the session up to now forgets it, too.
        event.time = Some(Time::from_ms(archive.last_ms));
        (event.visibility, event.secrecy) = (open.visibility, open.secrecy);
        Ok((archive, event))
    }
}

impl Rows {
    fn all(&self) -> Vec<Cursor> {
        vec![self.live.clone(), self.old.clone(), self.sealed.clone()]
    }
}

/// Whether an event is a reason to make an archive. What a client notes around a conversation waits for the next one.
pub(crate) fn is_of_substance(placed: &Placed) -> bool {
    !matches!(
        placed.kind,
        Kind::SessionStarted
            | Kind::SessionSummary
            | Kind::TurnStarted
            | Kind::TurnCompleted
            | Kind::Usage
            | Kind::Context
            | Kind::Other
    )
}

/// Who may know of an archive: whoever may see anything of it. It says nothing by itself.
struct Openness {
    visibility: Visibility,
    secrecy: Secrecy,
}

impl Default for Openness {
    fn default() -> Openness {
        Openness { visibility: Visibility::Sealed, secrecy: Secrecy::Secret }
    }
}

impl Openness {
    fn note(&mut self, stored: &StoredEvent) {
        let event = &stored.event;
        self.visibility = self.visibility.min(event.visibility);
        // Never more open than what is usual.
        self.secrecy = self.secrecy.min(event.secrecy.max(Secrecy::Sensitive));
    }
}
