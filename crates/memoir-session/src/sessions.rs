//! The state of sessions as hooks, APIs and commands move it.

use crate::state::{LIVE, Live};
use crate::{CommitRules, Process, SessionError, SessionName};
use memoir_event::Trigger;
use memoir_journal::{Clock, Cursor, Filter, Journal, View};
use memoir_redact::Redactor;

/// So many sessions may go by the same name.
const NAMED_ALIKE_MAX: usize = 16;

/// The sessions of one journal.
#[derive(Clone, Copy)]
pub struct Sessions<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// Takes secrets out: out of ids before they become names of rows, and out of what an overview quotes.
    pub redactor: &'a Redactor,
    /// The time.
    pub clock: &'a Clock,
    /// When a session is taken for ended.
    pub rules: CommitRules,
    /// Who works: its name on leases.
    pub owner: &'a str,
    /// Whether that very process is still running.
    pub is_alive: &'a dyn Fn(&Process) -> bool,
}

impl Sessions<'_> {
    pub(crate) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// The session that somebody means by a name: a client's, unless only one of another client or none goes by all of it.
    pub fn meant(&self, name: &str) -> Result<SessionName, SessionError> {
        let meant = SessionName::parse(name.trim());
        let filter = Filter { session: Some(name.trim().to_owned()), ..Filter::default() };
        let found = self.journal.sessions(&filter, &View::owner_all(), NAMED_ALIKE_MAX, 0)?;
        let mut known =
            found.into_iter().map(|entry| SessionName::new(entry.client, &entry.session)).collect::<Vec<_>>();
        Ok(match known.contains(&meant) {
            true => meant,
            false => known.pop().unwrap_or(meant),
        })
    }

    /// The session as the journal names it: an id may hold a secret.
    pub(crate) fn known_as(&self, session: &SessionName) -> SessionName {
        SessionName { client: session.client, id: self.redactor.text(&session.id).into_owned() }
    }

    /// The cursor to store together with events of a session: it is open, and was touched now.
    pub fn touched(&self, session: &SessionName, process: Option<Process>) -> Result<Cursor, SessionError> {
        let session = self.known_as(session);
        let live = self.live(&session)?;
        let due = asked_for(live.due);
        let touched = Live { touched_ms: self.now_ms(), seen_ms: None, process: process.or(live.process), due, ..live };
        Ok(touched.row(&session))
    }

    /// The cursor to store when a session that may have been taken for ended goes on: its user comes back to it, or asks
    /// something. None if that changes nothing. It is no touch: a turn that goes on is not taken for one that just ended.
    pub fn goes_on(&self, session: &SessionName, process: Option<Process>) -> Result<Option<Cursor>, SessionError> {
        let session = self.known_as(session);
        let row = self.journal.cursor(&format!("{LIVE}{}", session.in_row()))?;
        let Some(live) = row.as_ref().and_then(Live::of) else {
            return Ok(process.map(|_| Live { process, ..Live::seen(self.now_ms()) }.row(&session)));
        };
        let seen_ms = process.map(|_| self.now_ms()).or(live.seen_ms);
        let going = Live { seen_ms, process: process.or(live.process), due: asked_for(live.due), ..live };
        Ok((going != live).then(|| going.row(&session)))
    }

    /// The cursor that marks a session as over: the next occasion commits it. Said again it changes nothing.
    pub fn ended(&self, session: &SessionName) -> Result<Cursor, SessionError> {
        let session = self.known_as(session);
        let live = self.live(&session)?;
        Ok(Live { process: None, due: Some(Trigger::Ended), ..live }.row(&session))
    }

    /// The cursor that marks a session which goes on as due: the next occasion commits it.
    pub fn due_for(&self, session: &SessionName, why: Trigger) -> Result<Cursor, SessionError> {
        let session = self.known_as(session);
        let live = self.live(&session)?;
        Ok(Live { due: Some(why), ..live }.row(&session))
    }

    /// The session's row; one that is not there or cannot be read is as if it were touched now.
    fn live(&self, session: &SessionName) -> Result<Live, SessionError> {
        let row = self.journal.cursor(&format!("{LIVE}{}", session.in_row()))?;
        Ok(row.as_ref().and_then(Live::of).unwrap_or_else(|| Live::new(self.now_ms())))
    }
}

/// Why a session that goes on is still to be committed: it was not over, but what was asked for stays asked for.
fn asked_for(due: Option<Trigger>) -> Option<Trigger> {
    due.filter(|due| matches!(due, Trigger::Compaction | Trigger::Asked))
}
