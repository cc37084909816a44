//! A journal that fails, panics or takes its time when told to, and otherwise is the real one.

use memoir_event::{Client, KeyHasher, Kind, MemoryScope};
use memoir_journal::{
    Change, Chosen, Cursor, EventPage, Filter, ForgettingEntry, Journal, JournalError, Lease, Lookup, OriginEntry,
    Outcome, Page, Placed, ProjectEntry, Redacted, Selection, Seq, SessionEntry, Sighting, Stats, StoredEvent, Touched,
    Verified, View,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub type Failure = fn() -> JournalError;

#[derive(Clone, Copy)]
pub enum Mood {
    Well,
    Slow(Duration),
    Failing(Failure),
    Panicking,
}

#[derive(Clone)]
pub struct Odd {
    mood: Arc<Mutex<Mood>>,
    real: Option<Arc<dyn Journal>>,
}

impl Odd {
    pub fn new(mood: Mood) -> Odd {
        Odd { mood: Arc::new(Mutex::new(mood)), real: None }
    }

    pub fn slow(wait: Duration) -> Odd {
        Odd::new(Mood::Slow(wait))
    }

    pub fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    pub fn over(&self, real: Arc<dyn Journal>) -> Arc<dyn Journal> {
        Arc::new(Odd { mood: Arc::clone(&self.mood), real: Some(real) })
    }

    fn real(&self) -> Result<&dyn Journal, JournalError> {
        let mood = *self.mood.lock().unwrap();
        match mood {
            Mood::Well => {}
            Mood::Slow(wait) => std::thread::sleep(wait),
            Mood::Failing(failure) => return Err(failure()),
            Mood::Panicking => panic!("told to"),
        }
        Ok(self.real.as_deref().unwrap())
    }
}

impl Journal for Odd {
    fn hasher(&self) -> &KeyHasher {
        self.real.as_deref().unwrap().hasher()
    }
    fn identity(&self) -> Result<String, JournalError> {
        self.real()?.identity()
    }
    fn append(&self, batch: &[Redacted], cursors: &[Cursor]) -> Result<Vec<Outcome>, JournalError> {
        self.real()?.append(batch, cursors)
    }
    fn append_if(
        &self,
        expected: &[Cursor],
        batch: &[Redacted],
        cursors: &[Cursor],
    ) -> Result<Option<Vec<Outcome>>, JournalError> {
        self.real()?.append_if(expected, batch, cursors)
    }
    fn page(&self, filter: &Filter, view: &View, page: &Page) -> Result<EventPage, JournalError> {
        self.real()?.page(filter, view, page)
    }
    fn event(&self, lookup: &Lookup, view: &View) -> Result<Option<StoredEvent>, JournalError> {
        self.real()?.event(lookup, view)
    }
    fn events(&self, seqs: &[Seq], view: &View) -> Result<Vec<StoredEvent>, JournalError> {
        self.real()?.events(seqs, view)
    }
    fn unfiltered(&self, seqs: &[Seq]) -> Result<Vec<StoredEvent>, JournalError> {
        self.real()?.unfiltered(seqs)
    }
    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<Change>, JournalError> {
        self.real()?.changes(after, limit)
    }
    fn origins(&self, after: u32, take: &mut dyn FnMut(OriginEntry<'_>)) -> Result<(), JournalError> {
        self.real()?.origins(after, take)
    }
    fn chosen(&self, chosen: &Chosen) -> Result<Vec<Seq>, JournalError> {
        self.real()?.chosen(chosen)
    }
    fn grep(&self, text: &str, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Option<Vec<Seq>>, JournalError> {
        self.real()?.grep(text, progress)
    }
    fn successor(&self, seq: Seq) -> Result<Option<Seq>, JournalError> {
        self.real()?.successor(seq)
    }
    fn made_of(&self, seq: Seq) -> Result<Vec<Seq>, JournalError> {
        self.real()?.made_of(seq)
    }
    fn is_memory_forgotten(&self, project: &str, scope: &MemoryScope, text: &str) -> Result<bool, JournalError> {
        self.real()?.is_memory_forgotten(project, scope, text)
    }
    fn hidden_by_alone(&self, name: &str) -> Result<u64, JournalError> {
        self.real()?.hidden_by_alone(name)
    }
    fn forgettings(&self) -> Result<Vec<ForgettingEntry>, JournalError> {
        self.real()?.forgettings()
    }
    fn last_seq(&self) -> Result<Seq, JournalError> {
        self.real()?.last_seq()
    }
    fn select(&self, filter: &Filter, view: &View) -> Result<Selection, JournalError> {
        self.real()?.select(filter, view)
    }
    fn kinds(&self) -> Result<Vec<(u32, Kind)>, JournalError> {
        self.real()?.kinds()
    }
    fn sessions(
        &self,
        filter: &Filter,
        view: &View,
        limit: usize,
        skip: usize,
    ) -> Result<Vec<SessionEntry>, JournalError> {
        self.real()?.sessions(filter, view, limit, skip)
    }
    fn touched(&self, after: Seq) -> Result<Vec<Touched>, JournalError> {
        self.real()?.touched(after)
    }
    fn of_kind(&self, kind: Kind, after: Seq) -> Result<Vec<Seq>, JournalError> {
        self.real()?.of_kind(kind, after)
    }
    fn placed(
        &self,
        client: Option<Client>,
        session: &str,
        between: (Seq, Seq),
        most: usize,
    ) -> Result<Vec<Placed>, JournalError> {
        self.real()?.placed(client, session, between, most)
    }
    fn sightings(&self, seq: Seq) -> Result<Vec<Sighting>, JournalError> {
        self.real()?.sightings(seq)
    }
    fn cursor(&self, stream: &str) -> Result<Option<Cursor>, JournalError> {
        self.real()?.cursor(stream)
    }

    fn cursors(&self, prefix: &str) -> Result<Vec<Cursor>, JournalError> {
        self.real()?.cursors(prefix)
    }

    fn projects(&self) -> Result<Vec<ProjectEntry>, JournalError> {
        self.real()?.projects()
    }
    fn has_project(&self, repo: &str) -> Result<bool, JournalError> {
        self.real()?.has_project(repo)
    }
    fn lease(&self, name: &str, owner: &str, ttl_ms: i64) -> Result<Option<Lease>, JournalError> {
        self.real()?.lease(name, owner, ttl_ms)
    }
    fn release(&self, lease: &Lease) -> Result<(), JournalError> {
        self.real()?.release(lease)
    }
    fn stats(&self) -> Result<Stats, JournalError> {
        self.real()?.stats()
    }
    fn verify(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Verified, JournalError> {
        self.real()?.verify(progress)
    }
}
