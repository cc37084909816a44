//! Which origins are one session: the numbers that units carry, folded.
//!
//! A home may have a hundred thousand sessions, and a cold process reads all of them: nothing here is a text or a list of
//! its own for each.

use memoir_event::{Client, Source};
use memoir_journal::{Journal, JournalError, OriginEntry, Seq};
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

/// Origins and the sessions they belong to. Their rows never change, so only new ones are read again.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionMap {
    journal: String,
    /// By their numbers.
    origins: Vec<Origin>,
    sessions: Vec<Session>,
    /// The names of all sessions, one after another.
    names: String,
    /// Sessions by the hash of client and name, or the next number that is free.
    by_name: HashMap<u64, u32>,
    hasher: RandomState,
    upto: Seq,
}

#[derive(Debug, Clone, Copy, Default)]
enum Origin {
    /// There is none of that number.
    #[default]
    None,
    /// What memoir itself says is no conversation.
    Own { is_everywhere: bool },
    /// Of a session, which may have another one.
    Of { session: u32, next: Option<u32> },
}

/// A session, by its first origin.
#[derive(Debug, Clone, Copy)]
struct Session {
    client: Option<Client>,
    source: Source,
    name_at: (usize, usize),
    first: u32,
    last: u32,
}

/// What a session is called, and how it came here.
pub(crate) struct Named<'a> {
    pub client: Option<Client>,
    pub session: &'a str,
    pub source: Source,
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
        let after = self.origins.len().saturating_sub(1);
        journal.origins(u32::try_from(after).unwrap_or(u32::MAX), &mut |entry| self.take(&entry))?;
        self.upto = last;
        Ok(())
    }

    fn take(&mut self, entry: &OriginEntry<'_>) {
        let at = entry.no as usize;
        if self.origins.len() <= at {
            self.origins.resize(at + 1, Origin::None);
        }
        let origin = if entry.source == Source::Memoir {
            Origin::Own { is_everywhere: entry.repo.is_empty() }
        } else {
            Origin::Of { session: self.session_of(entry), next: None }
        };
        if let Some(slot) = self.origins.get_mut(at) {
            *slot = origin;
        }
    }

    /// The number of an origin's session, which has this origin, too, from now on.
    fn session_of(&mut self, entry: &OriginEntry<'_>) -> u32 {
        let new = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let mut hash = self.hash(entry.client, entry.session);
        loop {
            match self.by_name.entry(hash) {
                Entry::Vacant(free) => {
                    free.insert(new);
                    let start = self.names.len();
                    self.names.push_str(entry.session);
                    self.sessions.push(Session {
                        client: entry.client,
                        source: entry.source,
                        name_at: (start, self.names.len()),
                        first: entry.no,
                        last: entry.no,
                    });
                    return new;
                }
                Entry::Occupied(taken) => {
                    let session = *taken.get();
                    if self.is_named(session, entry.client, entry.session) {
                        self.link(session, entry.no);
                        return session;
                    }
                    hash = hash.wrapping_add(1);
                }
            }
        }
    }

    fn link(&mut self, session: u32, origin: u32) {
        let Some(known) = self.sessions.get_mut(session as usize) else { return };
        let before = std::mem::replace(&mut known.last, origin);
        if let Some(Origin::Of { next, .. }) = self.origins.get_mut(before as usize) {
            *next = Some(origin);
        }
    }

    fn hash(&self, client: Option<Client>, session: &str) -> u64 {
        self.hasher.hash_one((client.map_or(0, Client::code), session))
    }

    fn is_named(&self, session: u32, client: Option<Client>, name: &str) -> bool {
        self.name(session).is_some_and(|named| named.client == client && named.session == name)
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// The session of an origin.
    pub fn of(&self, origin: u32) -> Option<u32> {
        match self.origins.get(origin as usize) {
            Some(Origin::Of { session, .. }) => Some(*session),
            _ => None,
        }
    }

    /// The session of that name.
    pub fn named(&self, client: Option<Client>, session: &str) -> Option<u32> {
        let mut hash = self.hash(client, session);
        loop {
            let found = *self.by_name.get(&hash)?;
            if self.is_named(found, client, session) {
                return Some(found);
            }
            hash = hash.wrapping_add(1);
        }
    }

    /// What a session is called.
    pub fn name(&self, session: u32) -> Option<Named<'_>> {
        let known = self.sessions.get(session as usize)?;
        let name = self.names.get(known.name_at.0..known.name_at.1)?;
        Some(Named { client: known.client, session: name, source: known.source })
    }

    /// Every origin there is.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        self.numbers(|origin| !matches!(origin, Origin::None))
    }

    /// The origins of what memoir itself says.
    pub fn own(&self) -> impl Iterator<Item = u32> {
        self.numbers(|origin| matches!(origin, Origin::Own { .. }))
    }

    /// The origins of what memoir says of the user, which holds in every project.
    pub fn own_everywhere(&self) -> impl Iterator<Item = u32> {
        self.numbers(|origin| matches!(origin, Origin::Own { is_everywhere: true }))
    }

    fn numbers(&self, is_wanted: impl Fn(&Origin) -> bool) -> impl Iterator<Item = u32> {
        (0..).zip(&self.origins).filter(move |(_, origin)| is_wanted(origin)).map(|(no, _)| no)
    }

    /// The origins of a session.
    pub fn origins(&self, session: u32) -> impl Iterator<Item = u32> {
        let first = self.sessions.get(session as usize).map(|known| known.first);
        std::iter::successors(first, |origin| match self.origins.get(*origin as usize) {
            Some(Origin::Of { next, .. }) => *next,
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(no: u32, source: Source, session: &str) -> OriginEntry<'_> {
        OriginEntry { no, source, client: None, session, thread: None, repo: "" }
    }

    #[test]
    fn origins_of_one_name_are_one_session_in_their_order() {
        let mut map = SessionMap::default();
        let rows = [(1, "a"), (2, "b"), (4, "a"), (7, "a")];
        rows.iter().for_each(|(no, session)| map.take(&entry(*no, Source::Recorder, session)));
        map.take(&entry(9, Source::Memoir, "memories"));
        let (a, b) = (map.named(None, "a").unwrap(), map.named(None, "b").unwrap());
        assert_eq!(map.origins(a).collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(map.origins(b).collect::<Vec<_>>(), [2]);
        assert_eq!((map.of(4), map.of(3), map.of(9), map.len()), (Some(a), None, None, 2));
        assert_eq!((map.named(Some(Client::Codex), "a"), map.name(b).unwrap().session), (None, "b"));
        assert_eq!(map.all().collect::<Vec<_>>(), [1, 2, 4, 7, 9]);
        assert_eq!((map.own().count(), map.own_everywhere().count()), (1, 1));
    }

    #[test]
    fn names_of_one_hash_are_kept_apart() {
        let mut map = SessionMap::default();
        let taken = map.hash(None, "b");
        map.take(&entry(1, Source::Recorder, "a"));
        map.by_name = HashMap::from([(taken, 0)]);
        map.take(&entry(2, Source::Recorder, "b"));
        assert_eq!((map.named(None, "b"), map.len()), (Some(1), 2));
    }
}
