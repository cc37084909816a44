//! All that a session was told, as digests in memory: what was said long ago is found at once, however long the session is.
//!
//! A cache over the rows of [`crate::state`], for the sessions that were written to last; it is made when a session has
//! outgrown the messages that are always compared, and follows it from then on.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// So many messages of all sessions together are kept, or one session.
const MESSAGES_MAX: usize = 500_000;
/// So many digests are read at once.
const PORTION: usize = 4_096;
/// So many places where something could begin are looked at, the last ones.
const PLACES_MAX: usize = 512;

/// What a session was told.
#[derive(Debug, Default)]
pub struct Past {
    digests: Vec<u64>,
    /// Where each was said last, and how often.
    said: HashMap<u64, (u32, u32)>,
    /// For each place the one before where the same was said.
    before: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Past {
    /// Reads what has come since, up to so many messages.
    pub fn catch_up<E>(
        &mut self,
        total: u64,
        read: &mut impl FnMut(u64, usize) -> Result<Vec<u64>, E>,
    ) -> Result<(), E> {
        let total = usize::try_from(total).unwrap_or(usize::MAX).min(NOWHERE as usize);
        let last = self.digests.len().saturating_sub(1);
        let is_same = self.digests.is_empty()
            || self.digests.len() <= total && read(last as u64, 1)?.first() == self.digests.last();
        if !is_same {
            // Another state of the journal was put in its place.
            *self = Past::default();
        }
        while self.digests.len() < total {
            let part = read(self.digests.len() as u64, PORTION.min(total - self.digests.len()))?;
            if part.is_empty() {
                break;
            }
            part.into_iter().for_each(|digest| self.push(digest));
        }
        Ok(())
    }

    fn push(&mut self, digest: u64) {
        let place = u32::try_from(self.digests.len()).unwrap_or(NOWHERE);
        let (last, count) = self.said.get(&digest).copied().unwrap_or((NOWHERE, 0));
        self.before.push(last);
        self.said.insert(digest, (place, count.saturating_add(1)));
        self.digests.push(digest);
    }

    /// The digests from a place on, at most so many.
    pub fn from(&self, place: u64, most: usize) -> &[u64] {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let rest = self.digests.get(place..).unwrap_or_default();
        rest.get(..most.min(rest.len())).unwrap_or_default()
    }

    /// The places before that one where these messages were said in this order; of very many, the last ones. Whichever of
    /// them was said least leads there.
    pub fn places(&self, first: &[u64], before: u64) -> Vec<u64> {
        let is_twice = |at: usize| first.iter().skip(at + 1).any(|other| first.get(at) == Some(other));
        // What is said twice in a row may be there once: then only the first one tells where it begins.
        let looked_at = if (0..first.len()).any(is_twice) { first.get(..1).unwrap_or_default() } else { first };
        let known: Option<Vec<(u32, u32)>> = looked_at.iter().map(|digest| self.said.get(digest).copied()).collect();
        let rarest = known.iter().flatten().enumerate().min_by_key(|(_, (_, count))| *count);
        let Some((ahead, (mut place, _))) = rarest.map(|(at, known)| (at, *known)) else { return Vec::new() };
        let mut places = Vec::new();
        while place != NOWHERE && places.len() < PLACES_MAX {
            let at = place as usize;
            let start = at.checked_sub(ahead).filter(|start| (*start as u64) < before);
            if let Some(start) = start
                && self.digests.get(start..).is_some_and(|rest| rest.starts_with(looked_at))
            {
                places.push(start as u64);
            }
            place = self.before.get(at).copied().unwrap_or(NOWHERE);
        }
        places.reverse();
        places
    }
}

/// What the sessions were told that were written to last.
#[derive(Default)]
pub(crate) struct Pasts(Mutex<Book>);

#[derive(Default)]
struct Book {
    sessions: HashMap<String, Past>,
    /// The sessions in the order in which they were written to.
    order: VecDeque<String>,
    messages: usize,
}

impl Pasts {
    /// What is known of a session; whoever takes it puts it back.
    pub fn take(&self, session: &str) -> Past {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.order.retain(|known| known != session);
        let past = book.sessions.remove(session).unwrap_or_default();
        book.messages -= past.digests.len();
        past
    }

    /// Keeps it for the next time; others that were not written to for longest go.
    pub fn put(&self, session: &str, past: Past) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let book = &mut *book;
        while book.messages + past.digests.len() > MESSAGES_MAX
            && let Some(oldest) = book.order.pop_front()
        {
            book.messages -= book.sessions.remove(&oldest).unwrap_or_default().digests.len();
        }
        book.messages += past.digests.len();
        if let Some(other) = book.sessions.insert(session.to_owned(), past) {
            book.messages -= other.digests.len();
        } else {
            book.order.push_back(session.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn past(digests: &[u64]) -> Past {
        let mut past = Past::default();
        follow(&mut past, digests);
        past
    }

    fn follow(past: &mut Past, digests: &[u64]) {
        let mut read = |from: u64, most: usize| {
            let from = usize::try_from(from).unwrap();
            Ok::<_, Infallible>(digests.iter().skip(from).take(most).copied().collect())
        };
        past.catch_up(digests.len() as u64, &mut read).unwrap();
    }

    #[test]
    fn what_was_said_is_found_wherever_it_was_and_follows_what_comes() {
        let mut known = past(&[1, 2, 3, 1, 2, 4, 1]);
        assert_eq!((known.places(&[1, 2], 9), known.places(&[1, 2, 4], 9)), (vec![0, 3], vec![3]));
        assert_eq!((known.places(&[1, 2], 3), known.places(&[1, 9], 9)), (vec![0], vec![]));
        assert_eq!(known.places(&[1, 1, 2], 9), [0, 3, 6], "twice in a row");
        follow(&mut known, &[1, 2, 3, 1, 2, 4, 1, 2, 4]);
        assert_eq!(known.places(&[1, 2, 4], 99), [3, 6]);
        assert_eq!(known.from(7, 9), [2, 4]);
        follow(&mut known, &[5, 6]);
        assert_eq!((known.places(&[1], 99), known.places(&[5, 6], 99)), (vec![], vec![0]));
    }

    #[test]
    fn only_so_much_is_kept_and_one_session_always() {
        let pasts = Pasts::default();
        let large: Vec<u64> = (0..MESSAGES_MAX as u64).collect();
        for session in ["a", "b"] {
            assert_eq!(pasts.take(session).digests.len(), 0);
            pasts.put(session, past(&large));
        }
        assert_eq!(pasts.take("a").digests.len(), 0);
        assert_eq!(pasts.take("b").digests.len(), MESSAGES_MAX);
        assert_eq!(pasts.0.lock().unwrap().messages, 0);
    }
}
