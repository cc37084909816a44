//! A memory as it stands in a list: with what took its place, and without what it had from things that are gone.

use memoir_event::{EventId, Memory, MemorySource};
use memoir_journal::{Audience, Chosen, Journal, JournalError, Lookup, Seq, StoredEvent, View};

/// A memory in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The event that holds it.
    pub stored: StoredEvent,
    /// What it says and knows of itself.
    pub memory: Memory,
    /// What took its place.
    pub superseded_by: Option<EventId>,
}

impl Listed {
    /// The memory that an event holds, if it holds one.
    pub fn read(journal: &dyn Journal, stored: StoredEvent) -> Result<Option<Listed>, JournalError> {
        let Some(mut memory) = Memory::of_event(&stored.event) else { return Ok(None) };
        without_what_is_gone(journal, &mut memory)?;
        let superseded_by = successor(journal, stored.seq)?;
        Ok(Some(Listed { stored, memory, superseded_by }))
    }
}

/// What took the place of an event, if that is there.
pub(crate) fn successor(journal: &dyn Journal, seq: Seq) -> Result<Option<EventId>, JournalError> {
    let Some(newer) = journal.successor(seq)? else { return Ok(None) };
    Ok(journal.events(&[newer], &View::owner_all())?.first().map(|newer| newer.id))
}

/// A memory loses the sources that were forgotten, and is not contradicted by what no longer holds.
pub(crate) fn without_what_is_gone(journal: &dyn Journal, memory: &mut Memory) -> Result<(), JournalError> {
    let mut sources = Vec::with_capacity(memory.sources.len());
    for source in std::mem::take(&mut memory.sources) {
        if !is_forgotten(journal, &source)? {
            sources.push(source);
        }
    }
    memory.sources = sources;
    let now = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let mut contradicts = Vec::with_capacity(memory.contradicts.len());
    for id in std::mem::take(&mut memory.contradicts) {
        let other = Lookup::parse(&id).map(|lookup| journal.event(&lookup, &now)).transpose()?.flatten();
        if other.and_then(|other| Memory::of_event(&other.event)).is_some_and(|other| other.status.is_current()) {
            contradicts.push(id);
        }
    }
    memory.contradicts = contradicts;
    Ok(())
}

/// Whether the event that a source names is known and was forgotten.
fn is_forgotten(journal: &dyn Journal, source: &MemorySource) -> Result<bool, JournalError> {
    let Some(id) = source.event.as_deref().and_then(|id| EventId::parse(id).ok()) else { return Ok(false) };
    if journal.event(&Lookup::Id(id), &View::owner_all())?.is_some() {
        return Ok(false);
    }
    Ok(!journal.chosen(&Chosen::Ids(vec![id]))?.is_empty())
}
