//! A journal as it reads for those whom the owner keeps some kinds and sources from.
//!
//! Whatever is read of a journal to be shown to anybody but the owner is read through this: an event, a page, an overview
//! made of events, the title of a session. What follows the journal to index it or to write to it needs all of it, and
//! passes through.

use super::Blocked;
use memoir_event::{Client, Event, EventId, KeyHasher, Kind, MemoryScope, Telling};
use memoir_journal::{
    Change, Chosen, Cursor, EventPage, Filter, ForgettingEntry, Journal, JournalError, Lease, Lookup, Order,
    OriginEntry, Outcome, Page, Placed, ProjectEntry, Redacted, Selection, Seq, SessionEntry, Sighting, Stats,
    StoredEvent, Touched, Verified, View,
};

/// A journal without what the owner keeps back.
#[derive(Clone, Copy)]
pub struct Withheld<'a> {
    journal: &'a dyn Journal,
    blocked: &'a Blocked,
}

impl<'a> Withheld<'a> {
    /// That journal, without that.
    pub const fn new(journal: &'a dyn Journal, blocked: &'a Blocked) -> Withheld<'a> {
        Withheld { journal, blocked }
    }

    fn is_nothing_blocked(&self) -> bool {
        self.blocked.kinds.is_empty() && self.blocked.sources.is_empty()
    }

    fn only_shown(&self, mut events: Vec<StoredEvent>) -> Result<Vec<StoredEvent>, JournalError> {
        if !self.is_nothing_blocked() {
            let shown = events.iter().map(|stored| self.shows(&stored.event)).collect::<Result<Vec<_>, _>>()?;
            let mut shown = shown.into_iter();
            events.retain(|_| shown.next().unwrap_or(false));
        }
        Ok(events)
    }

    fn shows(&self, event: &Event) -> Result<bool, JournalError> {
        if self.blocked.holds_back(event) {
            return Ok(false);
        }
        // What a model tells of an archive says again what it is made of.
        let Some(telling) = Telling::of_event(event) else { return Ok(true) };
        telling.made_of.iter().try_fold(true, |shows, id| Ok(shows && !self.is_held_back(*id)?))
    }

    fn is_held_back(&self, id: EventId) -> Result<bool, JournalError> {
        let found = self.journal.event(&Lookup::Id(id), &View::owner_all())?;
        Ok(found.is_some_and(|stored| self.blocked.holds_back(&stored.event)))
    }

    /// Whether nothing of what the user said in a session, of which its title is the first, is held back.
    fn shows_title(&self, session: &SessionEntry, view: &View) -> Result<bool, JournalError> {
        if self.blocked.kinds.contains(&Kind::UserMessage) {
            return Ok(false);
        }
        for source in &self.blocked.sources {
            let filter = Filter {
                session: Some(session.shown()),
                event_type: Some(Kind::UserMessage.as_str().to_owned()),
                source: Some(*source),
                ..Filter::default()
            };
            if !self.journal.page(&filter, view, &Page::first(1, Order::NewestFirst))?.events.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Journal for Withheld<'_> {
    fn page(&self, filter: &Filter, view: &View, page: &Page) -> Result<EventPage, JournalError> {
        let found = self.journal.page(filter, view, page)?;
        Ok(EventPage { events: self.only_shown(found.events)?, ..found })
    }

    fn event(&self, lookup: &Lookup, view: &View) -> Result<Option<StoredEvent>, JournalError> {
        Ok(self.only_shown(self.journal.event(lookup, view)?.into_iter().collect())?.pop())
    }

    fn events(&self, seqs: &[Seq], view: &View) -> Result<Vec<StoredEvent>, JournalError> {
        self.only_shown(self.journal.events(seqs, view)?)
    }

    fn sessions(
        &self,
        filter: &Filter,
        view: &View,
        limit: usize,
        skip: usize,
    ) -> Result<Vec<SessionEntry>, JournalError> {
        let mut sessions = self.journal.sessions(filter, view, limit, skip)?;
        for session in sessions.iter_mut().filter(|session| session.title.is_some()) {
            if !self.shows_title(session, view)? {
                (session.title, session.title_is) = (None, None);
            }
        }
        Ok(sessions)
    }

    fn hasher(&self) -> &KeyHasher {
        self.journal.hasher()
    }

    fn identity(&self) -> Result<String, JournalError> {
        self.journal.identity()
    }

    fn append(&self, batch: &[Redacted], cursors: &[Cursor]) -> Result<Vec<Outcome>, JournalError> {
        self.journal.append(batch, cursors)
    }

    fn append_if(
        &self,
        expected: &[Cursor],
        batch: &[Redacted],
        cursors: &[Cursor],
    ) -> Result<Option<Vec<Outcome>>, JournalError> {
        self.journal.append_if(expected, batch, cursors)
    }

    fn unfiltered(&self, seqs: &[Seq]) -> Result<Vec<StoredEvent>, JournalError> {
        self.journal.unfiltered(seqs)
    }

    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<Change>, JournalError> {
        self.journal.changes(after, limit)
    }

    fn last_seq(&self) -> Result<Seq, JournalError> {
        self.journal.last_seq()
    }

    fn select(&self, filter: &Filter, view: &View) -> Result<Selection, JournalError> {
        self.journal.select(filter, view)
    }

    fn kinds(&self) -> Result<Vec<(u32, Kind)>, JournalError> {
        self.journal.kinds()
    }

    fn touched(&self, after: Seq) -> Result<Vec<Touched>, JournalError> {
        self.journal.touched(after)
    }

    fn placed(
        &self,
        client: Option<Client>,
        session: &str,
        between: (Seq, Seq),
        most: usize,
    ) -> Result<Vec<Placed>, JournalError> {
        self.journal.placed(client, session, between, most)
    }

    fn of_kind(&self, kind: Kind, after: Seq) -> Result<Vec<Seq>, JournalError> {
        self.journal.of_kind(kind, after)
    }

    fn sightings(&self, seq: Seq) -> Result<Vec<Sighting>, JournalError> {
        self.journal.sightings(seq)
    }

    fn origins(&self, after: u32, take: &mut dyn FnMut(OriginEntry<'_>)) -> Result<(), JournalError> {
        self.journal.origins(after, take)
    }

    fn cursor(&self, stream: &str) -> Result<Option<Cursor>, JournalError> {
        self.journal.cursor(stream)
    }

    fn cursors(&self, prefix: &str) -> Result<Vec<Cursor>, JournalError> {
        self.journal.cursors(prefix)
    }

    fn projects(&self) -> Result<Vec<ProjectEntry>, JournalError> {
        self.journal.projects()
    }

    fn has_project(&self, repo: &str) -> Result<bool, JournalError> {
        self.journal.has_project(repo)
    }

    fn chosen(&self, chosen: &Chosen) -> Result<Vec<Seq>, JournalError> {
        self.journal.chosen(chosen)
    }

    fn grep(&self, text: &str, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Option<Vec<Seq>>, JournalError> {
        self.journal.grep(text, progress)
    }

    fn successor(&self, seq: Seq) -> Result<Option<Seq>, JournalError> {
        self.journal.successor(seq)
    }

    fn made_of(&self, seq: Seq) -> Result<Vec<Seq>, JournalError> {
        self.journal.made_of(seq)
    }

    fn is_memory_forgotten(&self, project: &str, scope: &MemoryScope, text: &str) -> Result<bool, JournalError> {
        self.journal.is_memory_forgotten(project, scope, text)
    }

    fn hidden_by_alone(&self, name: &str) -> Result<u64, JournalError> {
        self.journal.hidden_by_alone(name)
    }

    fn forgettings(&self) -> Result<Vec<ForgettingEntry>, JournalError> {
        self.journal.forgettings()
    }

    fn lease(&self, name: &str, owner: &str, ttl_ms: i64) -> Result<Option<Lease>, JournalError> {
        self.journal.lease(name, owner, ttl_ms)
    }

    fn release(&self, lease: &Lease) -> Result<(), JournalError> {
        self.journal.release(lease)
    }

    fn stats(&self) -> Result<Stats, JournalError> {
        self.journal.stats()
    }

    fn verify(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Verified, JournalError> {
        self.journal.verify(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Content, Section, Source, Time, ToldLine};
    use memoir_journal::{Admission, Audience, SqliteJournal, SqliteOptions};
    use memoir_redact::Redactor;
    use std::sync::Arc;

    const VIEW: View = View::of(Audience::Recall);

    fn said(session: &str, source: Source, text: &str) -> Event {
        let mut event = Event::new(source, session, Kind::UserMessage, Content::Text(text.to_owned()));
        event.time = Some(Time::from_ms(1_780_000_000_000));
        event
    }

    fn append(journal: &SqliteJournal, event: Event) -> EventId {
        let redactor = Redactor::builtin();
        let redacted = Admission::new(&redactor, journal.hasher().clone()).admit(event);
        journal.append(&[redacted], &[]).unwrap();
        let last = journal.last_seq().unwrap();
        journal.unfiltered(&[last]).unwrap()[0].id
    }

    fn empty() -> (tempfile::TempDir, SqliteJournal) {
        let dir = tempfile::tempdir().unwrap();
        let options = SqliteOptions::short_lived();
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), options, Arc::new(|| 0)).unwrap();
        (dir, journal)
    }

    #[test]
    fn titles_go_with_what_they_are_of_also_cut_ones() {
        let (_dir, journal) = empty();
        append(&journal, said("kept", Source::Http, "a title"));
        append(&journal, said("blocked", Source::Recorder, "a title"));
        append(&journal, said("long", Source::Recorder, &"a title ".repeat(50)));
        let titled = |blocked: &Blocked| -> Vec<String> {
            let sessions = Withheld::new(&journal, blocked).sessions(&Filter::default(), &VIEW, 9, 0).unwrap();
            assert_eq!(sessions.len(), 3);
            let titled = sessions.into_iter().filter(|one| one.title.is_some() || one.title_is.is_some());
            titled.map(|one| one.session).collect()
        };
        assert_eq!(titled(&Blocked::default()).len(), 3);
        assert_eq!(titled(&Blocked { sources: vec![Source::Recorder], ..Blocked::default() }), ["kept"]);
        assert_eq!(titled(&Blocked { kinds: vec![Kind::Reasoning], ..Blocked::default() }).len(), 3);
        assert_eq!(titled(&Blocked { kinds: vec![Kind::UserMessage], ..Blocked::default() }), [""; 0]);
    }

    #[test]
    fn what_a_model_tells_of_something_blocked_is_blocked_with_it() {
        let (_dir, journal) = empty();
        let made_of = vec![append(&journal, said("s", Source::Recorder, "why is the walrus late?"))];
        let told =
            ToldLine { section: Section::Asked, text: "Why the walrus is late.".to_owned(), events: made_of.clone() };
        let session = "s".to_owned();
        let telling = Telling {
            version: 1,
            client: None,
            session,
            number: 1,
            told: vec![told],
            made_of,
            made_by: "m".to_owned(),
        };
        let id = append(&journal, telling.into_event("o/r"));
        let is_shown = |blocked: Blocked| {
            let shown = Withheld::new(&journal, &blocked);
            let page = shown.page(&Filter::default(), &VIEW, &Page::first(9, Order::NewestFirst)).unwrap();
            let is_found = shown.event(&Lookup::Id(id), &VIEW).unwrap().is_some();
            assert_eq!(page.events.iter().any(|stored| stored.id == id), is_found);
            is_found
        };
        assert!(is_shown(Blocked { sources: vec![Source::Http], ..Blocked::default() }));
        assert!(!is_shown(Blocked { sources: vec![Source::Recorder], ..Blocked::default() }));
        assert!(!is_shown(Blocked { kinds: vec![Kind::UserMessage], ..Blocked::default() }));
    }
}
