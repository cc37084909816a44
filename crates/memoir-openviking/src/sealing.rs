//! What this API needs of the life of a session: that it is open, that it is sealed, and what was sealed.

use crate::fault::Fault;
use crate::session::Spoken;
use crate::{Openviking, VIEW};
use jiff::tz::TimeZone;
use memoir_event::{Archive, EventId, Trigger};
use memoir_journal::{Cursor, Journal};
use memoir_session::{CommitRules, Effort, Overview, Sealed, SessionError, SessionName, Sessions};

/// An overview has at most so many characters.
const OVERVIEW_CHARS_MAX: usize = 16_000;

impl Openviking {
    /// What to store with something new of a session, so that it is known to be open.
    pub(crate) fn touched(&self, spoken: &Spoken) -> Result<Cursor, Fault> {
        self.life(|sessions| sessions.touched(&name_of(spoken), None))
    }

    /// How often a session was committed.
    pub(crate) fn times_committed(&self, spoken: &Spoken) -> Result<u64, Fault> {
        self.life(|sessions| sessions.times_committed(&name_of(spoken))).map(u64::from)
    }

    /// Seals what a session has so far.
    pub(crate) fn seal(&self, spoken: &Spoken) -> Result<Sealed, Fault> {
        self.life(|sessions| sessions.commit(&name_of(spoken), Trigger::Asked, Effort::ALL))
    }

    /// The archives of a session, the first one first.
    pub(crate) fn archives(&self, spoken: &Spoken) -> Result<Vec<(EventId, Archive)>, Fault> {
        self.life(|sessions| sessions.archives(&name_of(spoken)))
    }

    /// The overview of an archive, as it may be told now.
    pub(crate) fn overview_of(&self, archive: &Archive) -> Result<String, Fault> {
        let shown = self.shown();
        let overview: Overview = self.life_of(&shown, |sessions| sessions.overview(archive, &VIEW))?;
        Ok(overview.digest(&TimeZone::UTC, OVERVIEW_CHARS_MAX, None))
    }

    fn life<T>(&self, ask: impl FnOnce(&Sessions<'_>) -> Result<T, SessionError>) -> Result<T, Fault> {
        self.life_of(&*self.journal, ask)
    }

    fn life_of<T>(
        &self,
        journal: &dyn Journal,
        ask: impl FnOnce(&Sessions<'_>) -> Result<T, SessionError>,
    ) -> Result<T, Fault> {
        let sessions = Sessions {
            journal,
            redactor: &self.redactor,
            clock: &self.clock,
            rules: CommitRules::default(),
            owner: &self.owner,
            // Only asked by those who take a session for ended; here somebody says so.
            is_alive: &|_| true,
        };
        Ok(ask(&sessions)?)
    }
}

fn name_of(spoken: &Spoken) -> SessionName {
    SessionName::new(spoken.client, &spoken.session)
}

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Fault {
        match error {
            SessionError::Journal(error) => Fault::Journal(error),
        }
    }
}
