//! What a model knows of meaning helps, and can do no harm.
#![allow(clippy::unwrap_used, missing_docs)]

use memoir_dream::{Given, Remembering};
use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{
    Admission, Audience, Chosen, Depth, Forgetting, Journal, Scope, Seq, SqliteJournal, SqliteOptions, View,
};
use memoir_recall::{Answer, Meaning, Nearness, Recall, Request, Signal};
use memoir_redact::Redactor;
use std::sync::Arc;

struct World {
    dir: tempfile::TempDir,
    journal: SqliteJournal,
    index: Index,
}

impl World {
    /// Sixty sessions about this and that, and one about how things are shipped.
    fn new() -> World {
        World::of(60)
    }

    /// The same with so many sessions.
    fn of(count: usize) -> World {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| 1_794_960_000_000);
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), clock).unwrap();
        let index = Index::open(&dir.path().join("index"), IndexOptions::default());
        let world = World { dir, journal, index };
        for n in 0..count {
            world.say(&format!("s{n}"), &format!("The parser number {n} reads tokens and writes a tree of them"));
        }
        world.say("shipping", "Run ./ship staging and wait for the green light");
        world
    }

    fn say(&self, session: &str, text: &str) {
        let mut event = Event::new(Source::Recorder, session, Kind::UserMessage, Content::Text(text.to_owned()));
        event.identities = vec![Identity::Unique { at_ms: 0, nonce: self.journal.last_seq().unwrap() }];
        self.append(vec![event]);
    }

    fn append(&self, events: Vec<Event>) {
        let redactor = Redactor::builtin();
        let admission = Admission::new(&redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[]).unwrap();
    }

    fn recall(&self, query: &str, meaning: Option<Arc<dyn Meaning>>) -> Answer {
        assert!(self.dir.path().exists());
        let recall = Recall::new(Arc::new(Redactor::builtin())).with_meaning(meaning);
        let request = Request::new(query, View::of(Audience::Recall), 0);
        recall.recall(&self.journal, &self.index, &request, &mut |_, _| true).unwrap()
    }
}

/// Knows that one event means what is asked, and nothing of the others.
struct Knows(Option<Seq>);

impl Meaning for Knows {
    fn of<'a>(&'a self, _: &dyn Journal, _: &str) -> Option<Box<dyn Nearness + 'a>> {
        self.0.map(|seq| -> Box<dyn Nearness> { Box::new(Near(seq)) })
    }
}

struct Near(Seq);

impl Near {
    fn cosine(&self, seq: Seq) -> f32 {
        // Like any real vectors: what has nothing to do with it is not all at the same distance.
        if seq == self.0 { 0.9 } else { (seq % 7) as f32 * 0.01 }
    }
}

impl Nearness for Near {
    fn nearest(&self, count: usize, allowed: &mut dyn FnMut(Seq) -> bool) -> Vec<(Seq, f32)> {
        let mut all: Vec<(Seq, f32)> = (1..=400).map(|seq| (seq, self.cosine(seq))).collect();
        all.retain(|(seq, _)| allowed(*seq));
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(count);
        all
    }

    fn near(&self, seqs: &[Seq]) -> Vec<(Seq, f32)> {
        seqs.iter().map(|seq| (*seq, self.cosine(*seq))).collect()
    }
}

/// Says of everything that it is about as near, by chance.
struct Noise(u64);

impl Noise {
    fn cosine(&self, seq: Seq) -> f32 {
        // The sum of twelve dice is as good as a normal distribution.
        let mut state = self.0.wrapping_mul(6_364_136_223_846_793_005) ^ seq.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut die = || {
            state ^= state >> 30;
            state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state ^= state >> 27;
            state = state.wrapping_mul(0x94d0_49bb_1331_11eb);
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        (0..12).map(|_| die()).sum::<f32>() * 0.06
    }
}

impl Meaning for Noise {
    fn of<'a>(&'a self, _: &dyn Journal, _: &str) -> Option<Box<dyn Nearness + 'a>> {
        Some(Box::new(Noise(self.0)))
    }
}

impl Nearness for Noise {
    fn nearest(&self, count: usize, allowed: &mut dyn FnMut(Seq) -> bool) -> Vec<(Seq, f32)> {
        let mut all: Vec<(Seq, f32)> = (1..=700).map(|seq| (seq, self.cosine(seq))).collect();
        all.retain(|(seq, _)| allowed(*seq));
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(count);
        all
    }

    fn near(&self, seqs: &[Seq]) -> Vec<(Seq, f32)> {
        seqs.iter().map(|seq| (*seq, self.cosine(*seq))).collect()
    }
}

const QUESTION: &str = "how do we deploy?";

#[test]
fn what_is_said_in_other_words_is_found_where_little_was_said_too() {
    for count in [6, 12, 40, 300] {
        let world = World::of(count);
        let shipping = world.journal.last_seq().unwrap();
        let answer = world.recall(QUESTION, Some(Arc::new(Knows(Some(shipping)))));
        assert_eq!(answer.blocks.first().map(|block| block.session.as_str()), Some("shipping"), "{count}");
        assert_eq!(answer.blocks.len(), 1, "{count}");
        assert!(answer.blocks.first().unwrap().confidence > 0.3, "{count}");
    }
}

#[test]
fn a_memory_is_found_by_what_it_means() {
    let world = World::of(40);
    let (redactor, unique) = (Redactor::builtin(), || "u".to_owned());
    let remembering = Remembering { journal: &world.journal, redactor: &redactor, now_ms: 0, unique: &unique };
    remembering.remember(&Given::new("the nightly job wants 4 GB for automobile data", "o/r")).unwrap();
    let memory = world.journal.last_seq().unwrap();
    assert_eq!(world.recall(QUESTION, None).blocks.len(), 0);
    let answer = world.recall(QUESTION, Some(Arc::new(Knows(Some(memory)))));
    assert!(answer.blocks.first().unwrap().memory.is_some(), "{:?}", answer.blocks);
    assert_eq!(answer.blocks.len(), 1, "{:?}", answer.blocks);
    assert!(
        answer.blocks.first().unwrap().signals.iter().any(|(signal, part)| *signal == Signal::Meaning && *part > 0.0)
    );
}

#[test]
fn vectors_that_are_noise_bring_nothing_however_little_was_said() {
    for count in [3, 10, 60, 300] {
        let world = World::of(count);
        for seed in 0..60 {
            let blocks = world.recall(QUESTION, Some(Arc::new(Noise(seed)))).blocks;
            assert_eq!(blocks.len(), 0, "{count} {seed}: {blocks:?}");
        }
    }
}

#[test]
fn what_is_said_in_other_words_is_found() {
    let world = World::new();
    assert_eq!(world.recall(QUESTION, None).blocks.len(), 0);
    let answer = world.recall(QUESTION, Some(Arc::new(Knows(Some(61)))));
    assert_eq!(answer.blocks.first().unwrap().session, "shipping");
    assert_eq!(answer.blocks.len(), 1, "{:?}", answer.blocks);
}

#[test]
fn a_model_that_cannot_tell_changes_nothing() {
    let world = World::new();
    for query in ["which parser reads tokens?", "green light", QUESTION] {
        let without = world.recall(query, None);
        assert_eq!(world.recall(query, Some(Arc::new(Knows(None)))).blocks, without.blocks);
    }
}

#[test]
fn what_fits_best_by_its_words_stays_the_first() {
    let world = World::new();
    let answer = world.recall("parser number 17", Some(Arc::new(Knows(Some(3)))));
    assert_eq!(answer.blocks.first().unwrap().session, "s17");
}

#[test]
fn what_is_forgotten_is_not_found_by_what_it_means() {
    let world = World::new();
    let scope = Scope { session: Some("shipping".to_owned()), ..Scope::default() };
    let (name, asked) = ("f-1".to_owned(), "session".to_owned());
    let wish = Forgetting { name, chosen: Chosen::Scope(scope), depth: Depth::Forget, asked, reason: None, by: None };
    world.append(wish.into_events());
    assert_eq!(world.recall(QUESTION, Some(Arc::new(Knows(Some(61))))).blocks.len(), 0);
}
