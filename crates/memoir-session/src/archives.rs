//! The archives that a session has.

use crate::commit::is_of_substance;
use crate::state::{Reached, Rows};
use crate::{SessionError, SessionName, Sessions};
use memoir_event::{Archive, EventId, Kind, Source};
use memoir_journal::{Audience, Chosen, Filter, Journal, Order, Page, Scope, StoredEvent, View};

const PAGE: usize = 200;

/// An archive and the id of its event.
type Named = (EventId, Archive);

impl Sessions<'_> {
    /// Its archives, the first one first; none of an unknown session.
    pub fn archives(&self, session: &SessionName) -> Result<Vec<Named>, SessionError> {
        self.archives_in(session, &View::of(Audience::Recall))
    }

    /// Its archives as that reader may see them.
    pub fn archives_in(&self, session: &SessionName, view: &View) -> Result<Vec<Named>, SessionError> {
        archives(self.journal, &self.known_as(session), view)
    }

    /// The archive that tells best where the session stands: the last one in which the user said something.
    pub fn latest(&self, session: &SessionName) -> Result<Option<Named>, SessionError> {
        self.latest_in(session, &View::of(Audience::Recall))
    }

    /// As [`Sessions::latest`], of what that reader may see.
    pub fn latest_in(&self, session: &SessionName, view: &View) -> Result<Option<Named>, SessionError> {
        let mut archives = self.archives_in(session, view)?;
        let last = archives.iter().rposition(|(_, archive)| archive.turns > 0);
        Ok(match last {
            Some(at) => Some(archives.swap_remove(at)),
            None => archives.pop(),
        })
    }

    /// How often it was committed, as its row tells: one look, however much there is.
    pub fn times_committed(&self, session: &SessionName) -> Result<u32, SessionError> {
        let rows = Rows::read(self.journal, &self.known_as(session))?;
        let reached = Reached::of(&rows.sealed, self.journal.last_seq()?);
        Ok(reached.map_or(0, |reached| reached.archives))
    }

    /// Whether it has something that no archive holds.
    pub fn is_open(&self, session: &SessionName) -> Result<bool, SessionError> {
        let session = self.known_as(session);
        let rows = Rows::read(self.journal, &session)?;
        let reached = self.reached(&session, &rows.sealed)?;
        Ok(self.since(&session, reached, usize::MAX)?.iter().any(is_of_substance))
    }

    pub(crate) fn all_archives(&self, session: &SessionName) -> Result<Vec<Named>, SessionError> {
        archives(self.journal, session, &View::owner_all())
    }
}

fn archives(journal: &dyn Journal, session: &SessionName, view: &View) -> Result<Vec<Named>, SessionError> {
    let filter = Filter {
        session: Some(session.shown()),
        event_type: Some(Kind::Archive.as_str().to_owned()),
        source: Some(Source::Memoir),
        ..Filter::default()
    };
    let (mut found, mut page) = (Vec::new(), Page::first(PAGE, Order::OldestFirst));
    loop {
        let events = journal.page(&filter, view, &page)?;
        found.extend(events.events.iter().filter_map(|stored| named(stored, session)));
        match events.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    found.sort_by_key(|(_, archive)| archive.number);
    Ok(found)
}

/// Its archives as they were made, forgotten or not: for counting, not for showing.
pub(crate) fn hidden_archives(journal: &dyn Journal, session: &SessionName) -> Result<Vec<Named>, SessionError> {
    let scope = Scope { client: session.client, session: Some(session.id.clone()), ..Scope::default() };
    let seqs = journal.chosen(&Chosen::Scope(scope))?;
    let mut found: Vec<Named> = journal.unfiltered(&seqs)?.iter().filter_map(|stored| named(stored, session)).collect();
    found.sort_by_key(|(_, archive)| archive.number);
    Ok(found)
}

fn named(stored: &StoredEvent, session: &SessionName) -> Option<Named> {
    let archive = Archive::of_event(&stored.event)?;
    (archive.client == session.client && archive.session == session.id).then_some((stored.id, archive))
}
