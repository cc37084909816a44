//! Tells what a plugin sends again from what is new.
//!
//! Plugins forget how far they came, send the same from two processes at once, or try again after a lost answer. What
//! they send is compared with the sequence of messages that the session has; only what follows the overlap is new.
//!
//! A batch overlaps the sequence where its beginning stands there. It counts if the overlap
//! 1. goes on where the replay stood that the batch before was part of, or
//! 2. reaches the end of the sequence, or
//! 3. is the whole batch, and telling: nobody says all of it again by chance ([`is_telling`]), or
//! 4. is at least three messages of it, and telling: the conversation was taken up again earlier.
//!
//! It is looked for in the whole of the sequence; the longest one counts, and of those the last. A lone message is a replay
//! by 1 and 2, if it equals the last one of its speaker, or by 3 if it is no prompt and among the first or the last
//! [`WINDOW`] messages.
//!
//! What is said twice in a row can be in the sequence once, by 2. So an overlap goes on behind messages that say again
//! what stands right before them, if the sequence goes on with what comes then.

use std::collections::HashSet;

/// So many of the last messages are compared with whatever comes.
pub const WINDOW: u64 = 256;

/// An overlap that stops in the middle has at least so many messages.
const BRANCH_MIN: usize = 3;

/// Nobody says texts of so many bytes again by chance.
const TELLING_BYTES_MIN: usize = 64;

/// Nor so many different messages in the same order, however short they are.
const TELLING_MESSAGES_MIN: usize = 5;

/// So many messages at most are looked back for what is said twice in a row.
const ECHO_MAX: usize = 8;

/// A message as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// What it says, as a number.
    pub digest: u64,
    /// Whether it has an id of its own, or a time.
    pub is_named: bool,
    /// How long its text is.
    pub text_bytes: usize,
    /// Whether it is a user's words alone: these are said again.
    pub is_prompt: bool,
}

/// What is known of the sequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// How many messages it has.
    pub total: u64,
    /// The place that a replay has reached.
    pub replay: Option<u64>,
    /// The last message of the speaker of the first one that comes.
    pub last_of_speaker: Option<u64>,
}

/// What a batch turned out to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Aligned {
    /// So many messages at its beginning are known.
    pub known: usize,
    /// Where the replay stands that it is part of.
    pub replay: Option<u64>,
}

/// A sequence that can be looked into.
pub trait Sequence {
    /// Why it cannot.
    type Error;
    /// The digests from a place on, at most so many.
    fn read(&mut self, from: u64, most: usize) -> Result<Vec<u64>, Self::Error>;
    /// The places before that one where these digests stand in this order.
    fn places(&mut self, first: &[u64], before: u64) -> Result<Vec<u64>, Self::Error>;
}

/// Compares a batch with the sequence.
pub fn align<S: Sequence>(batch: &[Heard], known: &Known, sequence: &mut S) -> Result<Aligned, S::Error> {
    let Some(first) = batch.first() else { return Ok(Aligned { known: 0, replay: known.replay }) };
    if known.total == 0 {
        return Ok(Aligned::default());
    }
    let window_from = known.total.saturating_sub(WINDOW);
    let window = sequence.read(window_from, usize::try_from(WINDOW).unwrap_or(usize::MAX))?;
    let mut best = Best { batch, total: known.total, found: None };
    if window_from > 0 {
        best.offer(0, &sequence.read(0, batch.len())?, Expected::No);
    }
    for (at, _) in window.iter().enumerate().filter(|(_, digest)| **digest == first.digest) {
        let from = window_from + u64::try_from(at).unwrap_or(u64::MAX);
        best.offer(from, window.get(at..).unwrap_or_default(), Expected::No);
    }
    if let Some(from) = known.replay.filter(|from| *from < known.total) {
        best.offer(from, &sequence.read(from, batch.len())?, Expected::Yes);
    }
    if window_from > 0 && batch.len() > 1 && !best.is_whole() {
        let first: Vec<u64> = batch.iter().take(BRANCH_MIN).map(|heard| heard.digest).collect();
        for from in sequence.places(&first, window_from)? {
            best.offer(from, &sequence.read(from, batch.len())?, Expected::No);
        }
    }
    Ok(match best.found {
        Some((overlap, end)) => {
            let is_replay = overlap == batch.len() && end < known.total;
            Aligned { known: overlap, replay: is_replay.then_some(end) }
        }
        None if batch.len() == 1 && known.last_of_speaker == Some(first.digest) => {
            Aligned { known: 1, replay: known.replay }
        }
        None => Aligned::default(),
    })
}

/// The longest overlap so far.
struct Best<'a> {
    batch: &'a [Heard],
    total: u64,
    /// Of how many messages of the batch, and where it ends.
    found: Option<(usize, u64)>,
}

impl Best<'_> {
    fn offer(&mut self, from: u64, stored: &[u64], expected: Expected) {
        let (overlap, stored) = overlap(self.batch, stored);
        let end = from + u64::try_from(stored).unwrap_or(u64::MAX);
        let is_longest = self.found.is_none_or(|(most, _)| overlap >= most);
        if is_longest && counts(self.batch, overlap, end == self.total, expected) {
            self.found = Some((overlap, end));
        }
    }

    fn is_whole(&self) -> bool {
        self.found.is_some_and(|(overlap, _)| overlap == self.batch.len())
    }
}

/// Whether a replay stands at the place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Yes,
    No,
}

/// How many messages of the batch are known, and of how many in the sequence.
fn overlap(batch: &[Heard], stored: &[u64]) -> (usize, usize) {
    let (mut at, mut place) = (0, 0);
    while let (Some(heard), Some(digest)) = (batch.get(at), stored.get(place)) {
        if heard.digest == *digest {
            (at, place) = (at + 1, place + 1);
            continue;
        }
        let Some(echo) = echo(batch, at, *digest) else { break };
        at += echo;
    }
    (at, place)
}

/// How many messages from a place on say again what stands right before it, if such a digest follows on them.
fn echo(batch: &[Heard], at: usize, next: u64) -> Option<usize> {
    (1..=at.min(ECHO_MAX)).find(|many| {
        let again = batch.get(at..at + many);
        again
            .is_some_and(|again| again.iter().zip(&batch[at - many..at]).all(|(one, other)| one.digest == other.digest))
            && batch.get(at + many).is_some_and(|heard| heard.digest == next)
    })
}

fn counts(batch: &[Heard], overlap: usize, reaches_end: bool, expected: Expected) -> bool {
    if overlap == 0 {
        return false;
    }
    if reaches_end || expected == Expected::Yes {
        return true;
    }
    let is_lone_prompt = batch.len() == 1 && batch.iter().any(|heard| heard.is_prompt);
    let is_enough = overlap == batch.len() || overlap >= BRANCH_MIN;
    is_enough && !is_lone_prompt && is_telling(batch.get(..overlap).unwrap_or_default())
}

/// Whether nobody says all of this again by chance: one of it has an id or a time, or it is much. What is said several
/// times in it counts once.
fn is_telling(said: &[Heard]) -> bool {
    let mut different = HashSet::new();
    let mut text_bytes = 0usize;
    said.iter().any(|heard| {
        if different.insert(heard.digest) {
            text_bytes = text_bytes.saturating_add(heard.text_bytes);
        }
        heard.is_named || text_bytes >= TELLING_BYTES_MIN || different.len() >= TELLING_MESSAGES_MIN
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::past::Past;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// A session that takes in what is new, as the API does.
    #[derive(Default)]
    struct Session {
        stored: Vec<u64>,
        replay: Option<u64>,
        past: Past,
    }

    /// Even numbers are telling, others are short; multiples of three are prompts.
    fn heard(digest: u64) -> Heard {
        let text_bytes = if digest.is_multiple_of(2) { TELLING_BYTES_MIN } else { 4 };
        Heard { digest, is_named: false, text_bytes, is_prompt: digest.is_multiple_of(3) }
    }

    impl Sequence for Session {
        type Error = Infallible;

        fn read(&mut self, from: u64, most: usize) -> Result<Vec<u64>, Infallible> {
            let from = usize::try_from(from).unwrap();
            Ok(self.stored.iter().skip(from).take(most).copied().collect())
        }

        fn places(&mut self, first: &[u64], before: u64) -> Result<Vec<u64>, Infallible> {
            let mut past = std::mem::take(&mut self.past);
            past.catch_up(self.stored.len() as u64, &mut |from, most| self.read(from, most)).unwrap();
            let places = past.places(first, before);
            self.past = past;
            Ok(places)
        }
    }

    impl Session {
        fn send(&mut self, batch: &[u64]) -> usize {
            let batch: Vec<Heard> = batch.iter().map(|digest| heard(*digest)).collect();
            let speaks = |digest: u64| heard(digest).is_prompt;
            let last = batch
                .first()
                .and_then(|first| self.stored.iter().rev().find(|digest| speaks(**digest) == first.is_prompt).copied());
            let total = u64::try_from(self.stored.len()).unwrap();
            let known = Known { total, replay: self.replay, last_of_speaker: last };
            let aligned = align(&batch, &known, self).unwrap();
            self.replay = aligned.replay;
            self.stored.extend(batch.iter().skip(aligned.known).map(|heard| heard.digest));
            batch.len() - aligned.known
        }
    }

    fn numbers(from: u64, to: u64) -> Vec<u64> {
        (from..to).map(|n| n * 2).collect()
    }

    #[test]
    fn what_follows_the_overlap_is_new() {
        let mut session = Session::default();
        assert_eq!(session.send(&[1, 2, 3]), 3);
        assert_eq!(session.send(&[3, 4, 5]), 2);
        assert_eq!(session.send(&[2, 3, 4, 5, 6]), 1);
        assert_eq!(session.stored, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_plugin_that_lost_its_state_sends_all_of_a_long_session_again_and_adds_nothing() {
        let mut session = Session::default();
        let all = numbers(0, 1_050);
        for batch in all.chunks(100) {
            session.send(batch);
        }
        for batch in all.chunks(100) {
            assert_eq!(session.send(batch), 0);
        }
        assert_eq!(session.send(&[5_000, 5_002]), 2);
        assert_eq!(session.stored.len(), 1_052);
    }

    #[test]
    fn a_replay_from_anywhere_in_a_long_session_adds_nothing_but_what_follows() {
        for odd in [0, 1] {
            let all: Vec<u64> = (0..700).map(|n| if n % 2 == 0 && odd == 1 { 3 } else { n * 2 + odd }).collect();
            for from in [1, 20, 120, 300, 435, 450, 699] {
                let mut session = Session::default();
                all.chunks(100).for_each(|batch| {
                    session.send(batch);
                });
                let again = [&all[from..], &[9_001, 9_003, 9_005]].concat();
                let added: usize = again.chunks(100).map(|batch| session.send(batch)).sum();
                assert_eq!(added, 3, "from {from}");
                assert_eq!(session.send(&[3, 9_007]), 2, "and something is said again");
            }
        }
    }

    #[test]
    fn a_replay_ends_where_something_new_comes() {
        let mut session = Session::default();
        let all = numbers(0, 500);
        all.chunks(100).for_each(|batch| {
            session.send(batch);
        });
        session.send(&all[..100]);
        let mut branch = all[100..140].to_vec();
        branch.extend([9_001, 9_003]);
        assert_eq!(session.send(&branch), 2);
        assert_eq!(session.replay, None);
    }

    #[test]
    fn two_processes_that_send_the_same_at_once_add_it_once() {
        let mut session = Session::default();
        session.send(&[1, 2]);
        assert_eq!(session.send(&[4, 5, 6, 8, 9]), 5);
        assert_eq!(session.send(&[4, 5, 6]), 0);
        assert_eq!(session.send(&[4, 5, 6, 8, 9, 11]), 1);
    }

    #[test]
    fn a_lone_message_is_a_replay_if_it_is_the_last_of_its_speaker() {
        let mut session = Session::default();
        session.send(&[3, 7]);
        assert_eq!(session.send(&[3]), 0);
        assert_eq!(session.send(&[9]), 1);
        assert_eq!(session.send(&[3]), 1);
        assert_eq!(session.send(&[7]), 0);
    }

    #[test]
    fn a_short_exchange_that_happens_again_is_not_lost() {
        let mut session = Session::default();
        session.send(&[3, 7, 5, 11]);
        assert_eq!(session.send(&[3, 7]), 2);
        // A prompt that is told again, and another answer to it.
        session.send(&[6, 13]);
        assert_eq!(session.send(&[6, 17]), 2);
    }

    /// What is said in a session of short messages, sent once and again in batches of a hundred.
    fn sent_twice(all: &[u64]) -> usize {
        let mut session = Session::default();
        assert_eq!(all.chunks(100).map(|batch| session.send(batch)).sum::<usize>(), all.len());
        all.chunks(100).map(|batch| session.send(batch)).sum()
    }

    #[test]
    fn a_session_of_short_messages_that_is_sent_again_adds_nothing() {
        let notes: Vec<u64> = (0..150).map(|n| n * 2 + 1).collect();
        assert_eq!(sent_twice(&notes), 0);
        // `continue`, and what was done.
        let steps: Vec<u64> = (0..240).map(|n| if n % 2 == 0 { 3 } else { n * 2 + 1 }).collect();
        assert_eq!(sent_twice(&steps), 0);
        let long: Vec<u64> = (0..20_000).map(|n| n * 2 + 1).collect();
        assert_eq!(sent_twice(&long), 0);
    }

    #[test]
    fn a_few_short_messages_that_are_said_again_in_the_middle_are_new() {
        let mut session = Session::default();
        session.send(&[3, 7, 9, 11, 5, 13]);
        assert_eq!(session.send(&[3, 7, 9, 11]), 4, "two short turns can be had again");
        session.send(&[17]);
        assert_eq!(session.send(&[3, 7, 3, 7, 3, 7]), 6, "however often");
        assert_eq!(session.send(&[3, 7, 9, 11, 5]), 0, "five different ones are not");
    }

    #[test]
    fn an_exchange_that_was_had_twice_in_a_row_and_is_kept_once_does_not_end_a_replay() {
        let mut session = Session::default();
        let turns: [&[u64]; 5] = [&[3, 7], &[3, 7], &[9, 11, 13], &[15, 17, 19, 23, 25], &[27, 29]];
        turns.iter().for_each(|turn| {
            session.send(turn);
        });
        let stored = session.stored.clone();
        assert_eq!(stored.len(), 12);
        for size in [8, 100] {
            turns.concat().chunks(size).for_each(|batch| assert_eq!(session.send(batch), 0, "{size}"));
        }
        assert_eq!(session.stored, stored);
    }

    proptest! {
        #[test]
        fn sending_all_again_changes_nothing(sizes in proptest::collection::vec(1usize..40, 1..40)) {
            let mut session = Session::default();
            let mut next = 0;
            for size in &sizes {
                let size = u64::try_from(*size).unwrap();
                session.send(&numbers(next, next + size));
                next += size;
            }
            let before = session.stored.clone();
            prop_assert_eq!(before.len(), usize::try_from(next).unwrap());
            for batch in numbers(0, next).chunks(100) {
                session.send(batch);
            }
            prop_assert_eq!(session.stored, before);
        }

        #[test]
        fn sending_the_rest_again_from_any_message_on_changes_nothing(
            said in proptest::collection::vec(0u64..500, 300..900), from in 0usize..800, size in 5usize..120,
        ) {
            let mut session = Session::default();
            said.chunks(97).for_each(|batch| { session.send(batch); });
            let stored = session.stored.clone();
            let again = stored.get(from..).unwrap_or_default();
            // A last batch of one or two short messages may be said again.
            again.chunks(size).filter(|batch| batch.len() >= 5).for_each(|batch| { session.send(batch); });
            prop_assert_eq!(session.stored, stored);
        }

        #[test]
        fn nothing_that_is_said_for_the_first_time_is_lost(
            batches in proptest::collection::vec(proptest::collection::vec(0u64..40, 1..8), 1..30),
        ) {
            let mut session = Session::default();
            for batch in &batches {
                session.send(batch);
                prop_assert!(batch.iter().all(|digest| session.stored.contains(digest)));
            }
        }
    }
}
