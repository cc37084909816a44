//! What is known while dreaming: the memories of each scope, read once, found by their stems.

use crate::rules::{Rule, Voice};
use crate::statement::Statement;
use memoir_event::{EventId, Kind, Memory, MemoryScope, Secrecy, Visibility};
use memoir_journal::{Filter, Journal, JournalError, Lookup, Order, Page, Seq, StoredEvent, View};
use std::collections::{BTreeSet, HashMap, HashSet};

const PAGE: usize = 500;
/// Of a stem that very many memories have, so many of the newest are looked at.
const LIST_MAX: usize = 4_000;
/// Of memories that are about one thing, so many of the newest are looked at.
const HANDLED_MAX: usize = 400;

/// What became of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It holds.
    Holds,
    /// Something newer took its place, said at that time.
    Superseded(i64),
    /// The user said, at that time, that it is to be forgotten.
    Unsaid(i64),
    /// It was forgotten for good.
    Forgotten,
    /// No rule makes it any more.
    Retired,
}

/// A memory that is known.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// The event that holds it; none before it is stored.
    pub id: Option<EventId>,
    pub memory: Memory,
    pub project: String,
    /// When it was first said.
    pub first_ms: i64,
    pub secrecy: Secrecy,
    pub visibility: Visibility,
    pub statement: Statement,
    pub voice: Voice,
    pub fate: Fate,
    /// Whether the journal has it as superseded.
    pub was_superseded: bool,
    /// Whether it says something that the journal does not have yet.
    pub is_changed: bool,
}

impl Known {
    /// When it was last said.
    pub fn last_ms(&self) -> i64 {
        self.memory.reinforced_ms.map_or(self.first_ms, |again| again.max(self.first_ms))
    }

    pub fn holds(&self) -> bool {
        self.fate == Fate::Holds
    }

    /// Whether the user gave it its form, by hand or by approving it.
    pub fn is_users(&self) -> bool {
        self.memory.by_user || Rule::of(self.memory.made_by.as_deref()).is_none()
    }

    fn read(stored: StoredEvent, fate: Fate, was_superseded: bool) -> Option<Known> {
        let memory = Memory::of_event(&stored.event)?;
        let rule = Rule::of(memory.made_by.as_deref());
        let fate = if fate == Fate::Holds && !memory.status.is_current() { Fate::Retired } else { fate };
        Some(Known {
            id: Some(stored.id),
            statement: Statement::of(&memory.text),
            project: stored.event.repo,
            first_ms: stored.ts_ms,
            secrecy: stored.event.secrecy,
            visibility: stored.event.visibility,
            voice: rule.map_or(Voice::User, Rule::voice),
            fate,
            was_superseded,
            is_changed: false,
            memory,
        })
    }
}

/// The memories of one scope.
#[derive(Default)]
pub(crate) struct Shelf {
    pub known: Vec<Known>,
    by_uid: HashMap<String, usize>,
    by_stem: HashMap<String, Vec<usize>>,
    by_handle: HashMap<String, Vec<usize>>,
    by_source: HashMap<String, Vec<usize>>,
    /// What was made of work, by what it is about.
    by_work: HashMap<String, Vec<usize>>,
    unsaid: Vec<usize>,
    changed: Vec<usize>,
    /// What dream made before, when it is dreamt again: it counts only if a rule makes it once more.
    pub before: HashMap<String, Known>,
}

impl Shelf {
    /// Puts a memory on the shelf.
    pub fn put(&mut self, known: Known) -> usize {
        let at = self.known.len();
        self.by_uid.insert(known.memory.uid.clone(), at);
        for stem in &known.statement.stems {
            self.by_stem.entry(stem.clone()).or_default().push(at);
        }
        if known.voice != Voice::Work {
            for handle in known.statement.handles() {
                self.by_handle.entry(handle).or_default().push(at);
            }
        }
        for source in &known.memory.sources {
            self.note_source(source.event.as_deref(), at);
        }
        if let Some(about) = work_in(&known.memory.uid) {
            self.by_work.entry(about.to_owned()).or_default().push(at);
        }
        if matches!(known.fate, Fate::Unsaid(_)) {
            self.unsaid.push(at);
        }
        if known.is_changed {
            self.changed.push(at);
        }
        self.known.push(known);
        at
    }

    /// The user wants it forgotten.
    pub fn unsay(&mut self, at: usize, ts_ms: i64) {
        if let Some(known) = self.known.get_mut(at) {
            known.fate = Fate::Unsaid(ts_ms);
            self.unsaid.push(at);
        }
    }

    /// What the user wants forgotten.
    pub fn unsaid(&self) -> impl Iterator<Item = &Known> {
        self.unsaid.iter().filter_map(|at| self.known.get(*at)).filter(|known| matches!(known.fate, Fate::Unsaid(_)))
    }

    /// What was made of work on the same thing.
    pub fn of_work(&self, uid: &str) -> Vec<usize> {
        work_in(uid).and_then(|about| self.by_work.get(about)).cloned().unwrap_or_default()
    }

    pub fn note_source(&mut self, event: Option<&str>, at: usize) {
        if let Some(event) = event {
            let list = self.by_source.entry(event.to_owned()).or_default();
            if !list.contains(&at) {
                list.push(at);
            }
        }
    }

    pub fn of_uid(&self, uid: &str) -> Option<usize> {
        self.by_uid.get(uid).copied()
    }

    fn renew(&mut self) {
        for at in 0..self.known.len() {
            while let Some(known) =
                self.known.get(at).filter(|known| known.was_superseded && known.holds() && !known.is_users())
            {
                let source = known.memory.sources.first().and_then(|source| source.event.clone()).unwrap_or_default();
                let uid = format!("{}/{source}", known.memory.uid);
                let before = self.before.remove(&uid);
                if let Some(known) = self.known.get_mut(at) {
                    known.id = before.as_ref().and_then(|before| before.id);
                    known.was_superseded = before.is_some_and(|before| before.was_superseded);
                    known.memory.uid = uid;
                }
                self.touch(at);
            }
        }
    }

    /// What the journal does not have yet.
    pub fn changed(&self) -> Vec<usize> {
        let mut changed: Vec<usize> = self.changed.clone();
        changed.retain(|at| self.known.get(*at).is_some_and(|known| known.is_changed));
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// About how many there are of those.
    pub fn changes(&self) -> usize {
        self.changed.len()
    }

    /// Notes that the journal does not have it like this.
    pub fn touch(&mut self, at: usize) {
        if let Some(known) = self.known.get_mut(at) {
            known.is_changed = true;
            self.changed.push(at);
        }
    }

    /// The journal has everything.
    pub fn is_saved(&mut self) {
        self.changed.clear();
    }

    /// The memories that are made of an event.
    pub fn of_source(&self, event: &str) -> Vec<usize> {
        self.by_source.get(event).cloned().unwrap_or_default()
    }

    pub fn at(&self, at: usize) -> Option<&Known> {
        self.known.get(at)
    }

    pub fn at_mut(&mut self, at: usize) -> Option<&mut Known> {
        self.known.get_mut(at)
    }

    /// The memories that share at least `share` of what both say, and others: the rarest stems of a statement lead to
    /// all of them.
    pub fn near(&self, stems: &BTreeSet<String>, share: f32) -> Vec<usize> {
        let mut lists: Vec<&Vec<usize>> = stems.iter().filter_map(|stem| self.by_stem.get(stem)).collect();
        lists.sort_by_key(|list| list.len());
        // Whoever shares that much has one of the rarest: the others alone would not be enough.
        let spare = (stems.len() as f32 * share).ceil() as usize;
        let needed = (stems.len() + 1).saturating_sub(spare).max(1);
        let missing = stems.len() - lists.len();
        let take = needed.saturating_sub(missing);
        let mut found: BTreeSet<usize> = BTreeSet::new();
        for list in lists.into_iter().take(take) {
            found.extend(list.iter().rev().take(LIST_MAX));
        }
        found.into_iter().collect()
    }

    /// The memories whose place a statement may take by what it is about or names.
    pub fn sought_by(&self, statement: &Statement) -> impl Iterator<Item = usize> {
        let lists = statement.seeks();
        let lists: Vec<&Vec<usize>> = lists.iter().filter_map(|handle| self.by_handle.get(handle)).collect();
        lists.into_iter().flat_map(|list| list.iter().rev().take(HANDLED_MAX).copied())
    }

    /// The memories that say one stem.
    pub fn saying(&self, stem: &str) -> Vec<usize> {
        self.by_stem.get(stem).map(|list| list.iter().rev().take(LIST_MAX).copied().collect()).unwrap_or_default()
    }
}

/// The name of what work was about, in the name of a memory made of it: `w-ABOUT-TEXT`.
fn work_in(uid: &str) -> Option<&str> {
    let about = uid.strip_prefix("w-")?;
    about.split_once('-').map(|(about, _)| about)
}

/// Which shelf a memory stands on: a scope, in a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub scope: Option<String>,
    pub project: Option<String>,
}

impl Place {
    pub fn of(scope: &MemoryScope, project: &str) -> Place {
        match scope {
            MemoryScope::User => Place { scope: None, project: None },
            MemoryScope::Project => Place { scope: None, project: Some(project.to_owned()) },
            MemoryScope::Session(session) => Place { scope: Some(session.clone()), project: Some(project.to_owned()) },
        }
    }
}

/// Whether what dream made before counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// It goes on from there.
    Counts,
    /// Everything is dreamt again.
    IsMadeAgain,
}

/// All shelves that are needed.
pub(crate) struct Book<'a> {
    journal: &'a dyn Journal,
    past: Past,
    shelves: HashMap<Place, Shelf>,
    read: HashSet<Option<String>>,
    /// The places of memories that were forgotten.
    forgotten: Vec<Seq>,
}

impl<'a> Book<'a> {
    pub fn open(journal: &'a dyn Journal, past: Past) -> Result<Book<'a>, JournalError> {
        let hidden = journal.select(&Filter::default(), &View::owner_all())?.hidden;
        let mut forgotten = Vec::new();
        if !hidden.is_empty() {
            let memories = journal.of_kind(Kind::Memory, 0)?;
            forgotten = memories.into_iter().filter(|seq| hidden.binary_search(seq).is_ok()).collect();
        }
        let mut book = Book { journal, past, shelves: HashMap::new(), read: HashSet::new(), forgotten };
        if past == Past::IsMadeAgain {
            book.read_all()?;
        }
        Ok(book)
    }

    /// The shelf of a place, with what the journal has of it.
    pub fn shelf(&mut self, place: &Place) -> Result<&mut Shelf, JournalError> {
        if self.past == Past::Counts && !self.read.contains(&place.project) {
            self.read_project(place.project.as_deref())?;
            self.read.insert(place.project.clone());
        }
        Ok(self.shelves.entry(place.clone()).or_default())
    }

    pub fn shelves(&mut self) -> impl Iterator<Item = (&Place, &mut Shelf)> {
        self.shelves.iter_mut()
    }

    /// What holds now and had been superseded before gets a name of its own: nothing takes a supersession back.
    pub fn renew(&mut self) {
        for shelf in self.shelves.values_mut() {
            shelf.renew();
        }
    }

    /// How many memories are held.
    pub fn len(&self) -> usize {
        self.shelves.values().map(|shelf| shelf.known.len()).sum()
    }

    /// Lets go of everything that was read; nothing of it may be unsaved.
    pub fn close(&mut self) {
        self.shelves.clear();
        self.read.clear();
    }

    fn read_project(&mut self, project: Option<&str>) -> Result<(), JournalError> {
        let event_type = Some(Kind::Memory.as_str().to_owned());
        let filter = Filter { repo: Some(project.unwrap_or_default().to_owned()), event_type, ..Filter::default() };
        let now = View::of(memoir_journal::Audience::Owner).with_secret().with_private().with_sealed();
        let selection = self.journal.select(&filter, &now)?;
        let mut page = Page::first(PAGE, Order::OldestFirst);
        loop {
            let found = self.journal.page(&filter, &View::owner_all(), &page)?;
            for stored in found.events {
                let is_superseded = selection.hidden.binary_search(&stored.seq).is_ok();
                self.place(stored, if is_superseded { Fate::Superseded(0) } else { Fate::Holds }, is_superseded)?;
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        let origins = selection.origins.unwrap_or_default();
        for stored in self.journal.unfiltered(&self.forgotten.clone())? {
            if origins.binary_search(&stored.origin).is_ok() {
                self.place(stored, Fate::Forgotten, false)?;
            }
        }
        Ok(())
    }

    fn read_all(&mut self) -> Result<(), JournalError> {
        let now = View::of(memoir_journal::Audience::Owner).with_secret().with_private().with_sealed();
        let superseded = self.journal.select(&Filter::default(), &now)?.hidden;
        for seqs in self.journal.of_kind(Kind::Memory, 0)?.chunks(PAGE) {
            for stored in self.journal.unfiltered(seqs)? {
                let is_forgotten = self.forgotten.binary_search(&stored.seq).is_ok();
                let is_superseded = superseded.binary_search(&stored.seq).is_ok() && !is_forgotten;
                let fate = match (is_forgotten, is_superseded) {
                    (true, _) => Fate::Forgotten,
                    (_, true) => Fate::Superseded(0),
                    _ => Fate::Holds,
                };
                self.place(stored, fate, is_superseded)?;
            }
        }
        Ok(())
    }

    /// Puts what was read where it belongs.
    fn place(&mut self, stored: StoredEvent, fate: Fate, was_superseded: bool) -> Result<(), JournalError> {
        let fate = match fate {
            Fate::Superseded(_) => self.superseded(&stored)?,
            fate => fate,
        };
        let Some(known) = Known::read(stored, fate, was_superseded) else { return Ok(()) };
        let place = Place::of(&known.memory.scope, &known.project);
        let shelf = self.shelves.entry(place).or_default();
        // What was forgotten stays so whoever made it; all else that dream made is made anew.
        if self.past == Past::IsMadeAgain && !known.is_users() && known.fate != Fate::Forgotten {
            shelf.before.insert(known.memory.uid.clone(), known);
        } else {
            shelf.put(known);
        }
        Ok(())
    }

    /// Whether a wish to forget meant that very memory: then it hid the messages that said it, too.
    fn is_taken_back(&self, stored: &StoredEvent, wish: Seq) -> Result<bool, JournalError> {
        let Some(memory) = Memory::of_event(&stored.event) else { return Ok(true) };
        let Some(id) = memory.sources.first().and_then(|source| EventId::parse(source.event.as_deref()?).ok()) else {
            return Ok(true);
        };
        let Some(source) = self.journal.event(&Lookup::Id(id), &View::owner_all())? else { return Ok(true) };
        Ok(self.journal.successor(source.seq)? == Some(wish))
    }

    /// What took a memory's place, and when that was said: a newer memory, or the wish to forget it.
    fn superseded(&self, stored: &StoredEvent) -> Result<Fate, JournalError> {
        let newer = self.journal.successor(stored.seq)?;
        let newer = newer.map(|newer| self.journal.unfiltered(&[newer])).transpose()?.and_then(|mut found| found.pop());
        Ok(match newer {
            // What took its place may itself have been taken back: that says nothing of this one.
            Some(newer) if newer.event.kind() != Kind::Memory => match self.is_taken_back(stored, newer.seq)? {
                true => Fate::Unsaid(newer.ts_ms),
                false => Fate::Superseded(newer.ts_ms),
            },
            Some(newer) => {
                let again = Memory::of_event(&newer.event).and_then(|memory| memory.reinforced_ms);
                Fate::Superseded(again.map_or(newer.ts_ms, |again| again.max(newer.ts_ms)))
            }
            None => Fate::Superseded(stored.ts_ms),
        })
    }
}
