//! What the user does about memories by hand. Whatever they look at stays as they leave it: dream goes around it.

use crate::remember::supersede;
use crate::rules::Rule;
use memoir_event::{
    EventId, Kind, MEMORY_ALIASES_MAX, MEMORY_CHARS_MAX, Memory, MemorySource, MemoryStatus, Secrecy, Visibility,
};
use memoir_journal::{Admission, Journal, JournalError, Lookup, Redacted, Seq, StoredEvent, View};
use memoir_redact::Redactor;

/// Memories are read in portions of this size.
const PORTION: usize = 500;

/// Why a memory was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// There is no such memory.
    #[error("there is no memory `{0}`: `memoir memories` lists them")]
    Unknown(String),
    /// There is nothing left of it.
    #[error("a memory has a text of at most {MEMORY_CHARS_MAX} characters")]
    Text,
    /// Memories that fewer may see would be told to more.
    #[error("{0} may be seen by fewer: memories that are merged must be of one secrecy and visibility")]
    Stricter(EventId),
    /// They hold for different people or places.
    #[error("{0} holds elsewhere: memories that are merged must be of one scope and project")]
    Elsewhere(EventId),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The user at their memories.
pub struct Review<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// Takes secrets out.
    pub redactor: &'a Redactor,
    /// Who it is.
    pub actor: Option<&'a str>,
}

impl Review<'_> {
    /// The memory of that id.
    pub fn find(&self, id: &str) -> Result<(StoredEvent, Memory), ReviewError> {
        let unknown = || ReviewError::Unknown(id.to_owned());
        let lookup = Lookup::parse(id).ok_or_else(unknown)?;
        let stored = self.journal.event(&lookup, &View::owner_all())?.ok_or_else(unknown)?;
        let memory = Memory::of_event(&stored.event).ok_or_else(unknown)?;
        Ok((stored, memory))
    }

    /// Changes a memory; it is the user's from then on, and so are the names that it gets.
    pub fn change(&self, id: &str, change: &dyn Fn(&mut Memory)) -> Result<(StoredEvent, Memory), ReviewError> {
        self.rewrite(id, &|memory| {
            let before = memory.clone();
            change(memory);
            let names: Vec<String> = memory.names().map(str::to_owned).collect();
            for name in names.iter().filter(|name| !before.names().any(|known| known == name.as_str())) {
                memory.give_name(name);
            }
        })
    }

    fn rewrite(&self, id: &str, change: &dyn Fn(&mut Memory)) -> Result<(StoredEvent, Memory), ReviewError> {
        let (stored, mut memory) = self.find(id)?;
        change(&mut memory);
        memory.by_user = true;
        memory.aliases.truncate(MEMORY_ALIASES_MAX);
        let chars = memory.text.trim().chars().count();
        if chars == 0 || chars > MEMORY_CHARS_MAX {
            return Err(ReviewError::Text);
        }
        let event = self.told_anew(&stored, memory.clone());
        self.journal.append(&[event], &[])?;
        self.find(&stored.id.to_string())
    }

    /// The user says that a memory is right.
    pub fn approve(&self, id: &str) -> Result<(StoredEvent, Memory), ReviewError> {
        self.change(id, &|memory| {
            if memory.status == MemoryStatus::Inferred {
                memory.status = MemoryStatus::Active;
            }
            memory.confidence = 1.0;
        })
    }

    /// One memory of several: the first one stays, knows all sources and names, and takes the place of the others.
    pub fn merge(&self, first: &str, others: &[String]) -> Result<(StoredEvent, Memory), ReviewError> {
        let (stored, memory) = self.find(first)?;
        let mut found = Vec::with_capacity(others.len());
        for id in others {
            let (other, its) = self.find(id)?;
            if other.id == stored.id {
                continue;
            }
            if (other.event.secrecy, other.event.visibility) != (stored.event.secrecy, stored.event.visibility) {
                return Err(ReviewError::Stricter(other.id));
            }
            if (&its.scope, &other.event.repo) != (&memory.scope, &stored.event.repo) {
                return Err(ReviewError::Elsewhere(other.id));
            }
            found.push((other, its));
        }
        let merged = self.rewrite(first, &|memory| {
            for (_, other) in &found {
                absorb(memory, other);
            }
        })?;
        let ids: Vec<EventId> = found.iter().map(|(other, _)| other.id).collect();
        if !ids.is_empty() {
            self.journal.append(&[self.admission().admit(supersede(&ids, stored.id, self.actor))], &[])?;
        }
        Ok(merged)
    }

    /// The memories whose place one took.
    pub fn replaced(&self, id: EventId) -> Result<Vec<(StoredEvent, Memory)>, ReviewError> {
        let Some(own) = self.journal.event(&Lookup::Id(id), &View::owner_all())? else { return Ok(Vec::new()) };
        self.replaced_at(own.seq)
    }

    fn replaced_at(&self, seq: Seq) -> Result<Vec<(StoredEvent, Memory)>, ReviewError> {
        let mut replaced = Vec::new();
        for seqs in self.journal.of_kind(Kind::Memory, 0)?.chunks(PORTION) {
            for stored in self.journal.events(seqs, &View::owner_all())? {
                if stored.seq != seq
                    && self.journal.successor(stored.seq)? == Some(seq)
                    && let Some(memory) = Memory::of_event(&stored.event)
                {
                    replaced.push((stored, memory));
                }
            }
        }
        Ok(replaced)
    }

    /// Which of them hold again, once what took their place is forgotten: those that nothing else replaces.
    pub fn holding(&self, replaced: Vec<(StoredEvent, Memory)>) -> Result<Vec<EventId>, ReviewError> {
        let mut holding = Vec::new();
        for (stored, _) in replaced {
            if self.journal.successor(stored.seq)?.is_none() {
                holding.push(stored.id);
            }
        }
        Ok(holding)
    }

    fn told_anew(&self, stored: &StoredEvent, memory: Memory) -> Redacted {
        let mut event = memory.into_event(&stored.event.repo);
        event.time.clone_from(&stored.event.time);
        (event.secrecy, event.visibility) = (stored.event.secrecy, stored.event.visibility);
        event.actor = self.actor.map(str::to_owned);
        event.speaker = stored.event.speaker;
        self.admission().admit(event)
    }

    fn admission(&self) -> Admission<'_> {
        Admission::new(self.redactor, self.journal.hasher().clone())
    }
}

fn absorb(memory: &mut Memory, other: &Memory) {
    let missing = |source: &&MemorySource| !memory.sources.contains(source);
    let sources: Vec<MemorySource> = other.sources.iter().filter(missing).cloned().collect();
    let names: Vec<String> = other
        .names()
        .filter(|name| !memory.names().any(|known| known.eq_ignore_ascii_case(name)))
        .map(str::to_owned)
        .collect();
    memory.sources.extend(sources);
    memory.aliases.extend(names);
    other.given_names.iter().for_each(|name| memory.give_name(name));
    memory.reinforced = memory.reinforced.saturating_add(other.reinforced).saturating_add(1);
    memory.reinforced_ms = memory.reinforced_ms.max(other.reinforced_ms);
    memory.pinned |= other.pinned;
    memory.confidence = memory.confidence.max(other.confidence);
}

/// Whether nobody has looked at a memory that dream made.
pub fn is_to_review(memory: &Memory, secrecy: Secrecy, visibility: Visibility) -> bool {
    let is_shown = secrecy != Secrecy::Secret && visibility == Visibility::Normal;
    is_shown && !memory.by_user && memory.status.is_current() && Rule::of(memory.made_by.as_deref()).is_some()
}
