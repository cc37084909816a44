//! What was recalled in a session lately, so that it is not recalled again at once.
//!
//! A turn is a question: two prompts in a row are two turns, however many messages lie between them, and a question that
//! is asked again is the same turn. Kept in memory: after a restart something may be told once more.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Of so many sessions it is remembered what they were told.
const SESSIONS_MAX: usize = 512;

/// Of so many turns.
const TURNS_MAX: usize = 64;

/// What sessions were told.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Book>);

#[derive(Default)]
struct Book {
    sessions: HashMap<String, VecDeque<Turn>>,
    /// The sessions in the order in which they asked last.
    order: VecDeque<String>,
}

/// A question and what it was answered with.
struct Turn {
    question: String,
    told: Vec<String>,
}

impl Ledger {
    /// What a session was told in its last turns before this question.
    pub fn told(&self, session: &str, question: &str, turns: usize) -> HashSet<String> {
        let book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = book.sessions.get(session) else { return HashSet::new() };
        let before = known.iter().rev().skip_while(|turn| turn.question == question);
        before.take(turns).flat_map(|turn| turn.told.iter().cloned()).collect()
    }

    /// Notes what a question was answered with.
    pub fn note(&self, session: &str, question: &str, told: Vec<String>) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let book = &mut *book;
        book.order.retain(|known| known != session);
        book.order.push_back(session.to_owned());
        if book.order.len() > SESSIONS_MAX
            && let Some(oldest) = book.order.pop_front()
        {
            book.sessions.remove(&oldest);
        }
        let turns = book.sessions.entry(session.to_owned()).or_default();
        if turns.back().is_some_and(|turn| turn.question == question) {
            turns.pop_back();
        }
        if turns.len() >= TURNS_MAX {
            turns.pop_front();
        }
        turns.push_back(Turn { question: question.to_owned(), told });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ledger: &Ledger, question: &str, turns: usize) -> Vec<String> {
        let mut told: Vec<String> = ledger.told("s", question, turns).into_iter().collect();
        told.sort();
        told
    }

    #[test]
    fn what_was_told_is_not_told_again_within_so_many_questions() {
        let ledger = Ledger::default();
        ledger.note("s", "one", vec!["a".into()]);
        ledger.note("s", "two", vec!["b".into()]);
        assert_eq!(told(&ledger, "three", 5), ["a", "b"]);
        assert_eq!(told(&ledger, "three", 1), ["b"]);
        assert_eq!(told(&ledger, "two", 5), ["a"], "asked again, it is the same turn");
        assert!(ledger.told("other", "three", 5).is_empty());
        ledger.note("s", "two", vec!["c".into()]);
        assert_eq!(told(&ledger, "three", 1), ["c"]);
    }

    #[test]
    fn only_so_many_sessions_and_turns_are_remembered() {
        let ledger = Ledger::default();
        for n in 0..SESSIONS_MAX + 3 {
            ledger.note(&n.to_string(), "q", vec!["x".into()]);
        }
        assert!(ledger.told("0", "other", 5).is_empty());
        for n in 0..TURNS_MAX + 3 {
            ledger.note("s", &n.to_string(), vec![n.to_string()]);
        }
        assert_eq!(ledger.told("s", "new", usize::MAX).len(), TURNS_MAX);
    }
}
