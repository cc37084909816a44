//! Writes what was dreamt: changed memories, then what took the place of what and how far the archives are done, so
//! that whoever is killed in between does it again to the same.

use crate::book::{Book, Fate, Known, Place};
use crate::dreamer::DreamError;
use crate::remember::supersede;
use crate::rules::Voice;
use memoir_event::{Event, EventId, MemoryStatus, Speaker, Time};
use memoir_journal::{Admission, Cursor, Journal, JournalError, Outcome, Redacted};
use memoir_redact::Redactor;

/// Events of one append: it holds the write lock only shortly.
const BATCH: usize = 200;

/// What is decided and not yet written.
#[derive(Default)]
pub(crate) struct Unwritten {
    /// Memories whose place another took: shelf, older, newer.
    pub superseded: Vec<(Place, usize, usize)>,
    /// Memories and events that an event takes back.
    pub unsaid: Vec<(Place, Vec<usize>, Vec<EventId>, EventId)>,
    /// Sessions that the user wants forgotten.
    pub forgotten: Vec<Event>,
    /// How far sessions are done.
    pub cursors: Vec<Cursor>,
}

pub(crate) struct Keeping<'a> {
    pub journal: &'a dyn Journal,
    pub redactor: &'a Redactor,
}

impl Keeping<'_> {
    /// Writes everything; how many memories were written.
    pub fn write(&self, book: &mut Book<'_>, unwritten: &Unwritten) -> Result<u64, DreamError> {
        let written = self.write_memories(book)?;
        let mut batch = Vec::new();
        for (place, older, newer) in &unwritten.superseded {
            let shelf = book.shelf(place)?;
            let id = |at: usize| shelf.at(at).and_then(|known| known.id);
            // What stays forgotten takes nobody's place.
            let (Some(older), Some(newer)) = (id(*older), id(*newer)) else { continue };
            batch.push(supersede(&[older], newer, None));
        }
        for (place, memories, events, by) in &unwritten.unsaid {
            let shelf = book.shelf(place)?;
            let memories = memories.iter().filter_map(|at| shelf.at(*at)?.id);
            let ids: Vec<EventId> = memories.chain(events.iter().copied()).collect();
            batch.push(supersede(&ids, *by, None));
        }
        batch.extend(unwritten.forgotten.iter().cloned());
        let batch: Vec<Redacted> = batch.into_iter().map(|event| self.admission().admit(event)).collect();
        for part in batch.chunks(BATCH) {
            self.journal.append(part, &[])?;
        }
        self.journal.append(&[], &unwritten.cursors)?;
        Ok(written)
    }

    fn write_memories(&self, book: &mut Book<'_>) -> Result<u64, DreamError> {
        let mut written = 0;
        for (_, shelf) in book.shelves() {
            let mut changed: Vec<usize> = Vec::new();
            for at in shelf.changed() {
                if let Some(known) = shelf.at_mut(at).filter(|known| known.id.is_none())
                    && self.is_forgotten(known)?
                {
                    known.fate = Fate::Forgotten;
                    known.is_changed = false;
                } else {
                    changed.push(at);
                }
            }
            for part in changed.chunks(BATCH) {
                let events: Vec<Redacted> =
                    part.iter().filter_map(|at| shelf.at(*at)).map(|known| self.admit(known)).collect();
                let outcomes = self.journal.append(&events, &[])?;
                for (at, outcome) in part.iter().zip(outcomes) {
                    written += u64::from(matches!(outcome, Outcome::Stored { .. } | Outcome::Revised { .. }));
                    let Some(known) = shelf.at_mut(*at) else { continue };
                    known.is_changed = false;
                    known.id = outcome.id();
                    if known.id.is_none() {
                        known.fate = Fate::Forgotten;
                    }
                }
            }
            shelf.is_saved();
        }
        Ok(written)
    }

    /// What no rule makes any more is settled: it is kept and no longer handed out.
    pub fn retire(&self, book: &mut Book<'_>) -> Result<u64, DreamError> {
        let mut retired = 0;
        for (_, shelf) in book.shelves() {
            let mut left: Vec<Known> = std::mem::take(&mut shelf.before).into_values().filter(Known::holds).collect();
            left.sort_by_key(|known| known.id);
            for part in left.chunks_mut(BATCH) {
                part.iter_mut().for_each(|known| known.memory.status = MemoryStatus::Resolved);
                let events: Vec<Redacted> = part.iter().map(|known| self.admit(known)).collect();
                self.journal.append(&events, &[])?;
                retired += u64::try_from(part.len()).unwrap_or(0);
            }
        }
        Ok(retired)
    }

    /// Whether the same was purged, so that nothing tells of it but its key.
    fn is_forgotten(&self, known: &Known) -> Result<bool, JournalError> {
        let Known { memory, project, .. } = known;
        self.journal.is_memory_forgotten(project, &memory.scope, &self.redactor.text(&memory.text))
    }

    fn admit(&self, known: &Known) -> Redacted {
        let mut event = known.memory.clone().into_event(&known.project);
        event.time = Some(Time::from_ms(known.first_ms));
        (event.secrecy, event.visibility) = (known.secrecy, known.visibility);
        event.speaker = match known.voice {
            Voice::User => Speaker::User,
            Voice::Agent => Speaker::Assistant,
            Voice::Work => Speaker::Tool,
        };
        self.admission().admit(event)
    }

    fn admission(&self) -> Admission<'_> {
        Admission::new(self.redactor, self.journal.hasher().clone())
    }
}
