//! Which origins are one session: the numbers that units carry, folded.

use memoir_event::{Client, Source};
use memoir_journal::{Journal, JournalError, OriginEntry, Seq};
use std::collections::HashMap;

/// Origins and the sessions they belong to. Their rows never change, so only new ones are read again.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionMap {
    journal: String,
    by_origin: Vec<Option<u32>>,
    origins: Vec<Vec<u32>>,
    names: HashMap<(u8, String), u32>,
    entries: Vec<OriginEntry>,
    upto: Seq,
}

impl SessionMap {
    /// Whether there is nothing new.
    pub fn is_current(&self, journal: &dyn Journal) -> Result<bool, JournalError> {
        Ok(self.upto > 0 && journal.last_seq()? == self.upto && journal.identity()? == self.journal)
    }

    /// Reads what is new.
    pub fn refresh(&mut self, journal: &dyn Journal) -> Result<(), JournalError> {
        let identity = journal.identity()?;
        if identity != self.journal {
            *self = SessionMap { journal: identity, ..SessionMap::default() };
        }
        let last = journal.last_seq()?;
        let after = self.entries.last().map_or(0, |entry| entry.no);
        for entry in journal.origins(after)? {
            let at = entry.no as usize;
            if self.by_origin.len() <= at {
                self.by_origin.resize(at + 1, None);
            }
            if entry.source == Source::Memoir {
                // What memoir itself says is no conversation.
                self.entries.push(entry);
                continue;
            }
            let next = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
            let name = (entry.client.map_or(0, Client::code), entry.session.clone());
            let session = *self.names.entry(name).or_insert(next);
            if session == next {
                self.origins.push(Vec::new());
            }
            if let Some(origins) = self.origins.get_mut(session as usize) {
                origins.push(entry.no);
            }
            if let Some(slot) = self.by_origin.get_mut(at) {
                *slot = Some(session);
            }
            self.entries.push(entry);
        }
        self.upto = last;
        Ok(())
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// The session of an origin.
    pub fn of(&self, origin: u32) -> Option<u32> {
        self.by_origin.get(origin as usize).copied().flatten()
    }

    /// The session of that name.
    pub fn named(&self, client: Option<Client>, session: &str) -> Option<u32> {
        self.names.get(&(client.map_or(0, Client::code), session.to_owned())).copied()
    }

    /// An origin of the session, for its name.
    pub fn entry(&self, session: u32) -> Option<&OriginEntry> {
        let first = *self.origins(session).first()?;
        let at = self.entries.binary_search_by_key(&first, |entry| entry.no).ok()?;
        self.entries.get(at)
    }

    /// Every origin there is.
    pub fn all(&self) -> &[OriginEntry] {
        &self.entries
    }

    /// The origins of a session.
    pub fn origins(&self, session: u32) -> &[u32] {
        self.origins.get(session as usize).map_or(&[], Vec::as_slice)
    }
}
