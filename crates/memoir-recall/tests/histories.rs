//! For any history of recording, forgetting, undoing, purging, remembering and losing the index: nothing that is hidden
//! is in any answer, nothing superseded is told as current, and an index made anew answers like the old one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use memoir_dream::{Given, Remembering, Said};
use memoir_event::{Content, Event, EventId, Identity, Kind, Memory, Secrecy, Source, Time, Visibility};
use memoir_index::{Index, IndexOptions, Query, Window};
use memoir_journal::{
    Admission, Audience, Depth, Filter, Forgetting, Journal, Order, Page, SqliteJournal, SqliteOptions, View,
};
use memoir_recall::{Answer, Forgetter, Recall, Request, Unwanted, to_json};
use memoir_redact::Redactor;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

const START_MS: i64 = 1_780_000_000_000;
const DAY_MS: i64 = 86_400_000;

/// Each thing that may happen has a word of its own. Those of the last sessions are sealed, private or secret.
const WORDS: [&str; 15] = [
    "alfa", "bravo", "charlie", "delta", "foxtrot", "golf", "hotel", "juliett", "kilo", "lima", "oscar", "papa",
    "quebec", "romeo", "sierra",
];
const TOPICS: [&str; 3] = ["zebra", "yankee", "xray"];

fn session_of(thing: usize) -> usize {
    thing % 3
}

fn actor_of(thing: usize) -> &'static str {
    ["ann", "bob"][thing % 2]
}

fn time_of(thing: usize) -> i64 {
    START_MS - DAY_MS * (20 - i64::try_from(thing).unwrap())
}

fn is_open(thing: usize) -> bool {
    thing < 12
}

fn event_of(thing: usize) -> Event {
    let text = format!("the {} case of session {} beside the walrus", WORDS[thing], session_of(thing));
    let mut event =
        Event::new(Source::Recorder, &format!("s{}", session_of(thing)), Kind::UserMessage, Content::Text(text));
    event.repo = "o/r".to_owned();
    event.actor = Some(actor_of(thing).to_owned());
    event.turn = Some(format!("turn-{}", WORDS[thing]));
    event.time = Some(Time::from_ms(time_of(thing)));
    event.identities = vec![Identity::Explicit];
    match thing {
        12 => event.visibility = Visibility::Sealed,
        13 => event.visibility = Visibility::PrivateScratch,
        14 => event.secrecy = Secrecy::Secret,
        _ => {}
    }
    event
}

#[derive(Debug, Clone)]
enum Step {
    Record(Vec<usize>),
    RecordAll,
    Forget(By, Depth),
    Undo(usize),
    Remember(usize, u32),
    CatchUp,
    LoseIndex,
}

#[derive(Debug, Clone)]
enum By {
    Id(usize),
    Turn(usize),
    Session(usize),
    Text(usize),
    Actor(usize),
    Before(usize),
    Project,
    Topic(usize),
}

fn by() -> impl Strategy<Value = By> {
    prop_oneof![
        3 => (0..15usize).prop_map(By::Id),
        1 => (0..15usize).prop_map(By::Turn),
        2 => (0..3usize).prop_map(By::Session),
        2 => (0..15usize).prop_map(By::Text),
        1 => (0..2usize).prop_map(By::Actor),
        1 => (0..15usize).prop_map(By::Before),
        1 => Just(By::Project),
        2 => (0..3usize).prop_map(By::Topic),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => proptest::collection::vec(0..15usize, 1..6).prop_map(Step::Record),
        1 => Just(Step::RecordAll),
        4 => by().prop_map(|by| Step::Forget(by, Depth::Forget)),
        1 => by().prop_map(|by| Step::Forget(by, Depth::Purge)),
        2 => (0..8usize).prop_map(Step::Undo),
        4 => (0..3usize, 0..4u32).prop_map(|(topic, port)| Step::Remember(topic, port)),
        1 => Just(Step::CatchUp),
        1 => Just(Step::LoseIndex),
    ]
}

struct World {
    dir: tempfile::TempDir,
    journal: SqliteJournal,
    now_ms: Arc<AtomicI64>,
    redactor: Arc<Redactor>,
    recall: Recall,
    index: Index,
    counter: AtomicU64,
    /// What each forgetting covers: things, and memories that were there.
    covers: BTreeMap<String, (BTreeSet<usize>, BTreeSet<EventId>)>,
    /// Forgettings in their order that can be undone.
    undoable: Vec<String>,
    purged: BTreeSet<usize>,
    /// Every memory by its id: topic, and what it says.
    memories: BTreeMap<EventId, (usize, String)>,
    /// What took the place of what.
    superseded: BTreeMap<EventId, Vec<EventId>>,
}

const OPTIONS: IndexOptions = IndexOptions { tail_records_max: 6, ..IndexOptions::brief() };

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let now_ms = Arc::new(AtomicI64::new(START_MS));
        let clock = {
            let now_ms = Arc::clone(&now_ms);
            Arc::new(move || now_ms.load(Ordering::SeqCst))
        };
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), clock).unwrap();
        let redactor = Arc::new(Redactor::builtin());
        let index = Index::open(&dir.path().join("index"), OPTIONS);
        World {
            dir,
            journal,
            now_ms,
            recall: Recall::new(Arc::clone(&redactor)),
            redactor,
            index,
            counter: AtomicU64::new(0),
            covers: BTreeMap::new(),
            undoable: Vec::new(),
            purged: BTreeSet::new(),
            memories: BTreeMap::new(),
            superseded: BTreeMap::new(),
        }
    }

    fn record(&self, things: &[usize]) {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone());
        let batch: Vec<_> = things.iter().map(|thing| admission.admit(event_of(*thing))).collect();
        self.journal.append(&batch, &[]).unwrap();
    }

    fn id_of(&self, thing: usize) -> Option<EventId> {
        let page = Page::first(1000, Order::OldestFirst);
        let all = self.journal.page(&Filter::default(), &View::owner_all(), &page).unwrap().events;
        let turn = format!("turn-{}", WORDS[thing]);
        all.into_iter().find(|stored| stored.event.turn.as_deref() == Some(&turn)).map(|stored| stored.id)
    }

    fn forget(&mut self, by: &By, depth: Depth) {
        let mut unwanted = Unwanted::default();
        let mut things: BTreeSet<usize> = BTreeSet::new();
        let mut memories: BTreeSet<EventId> = BTreeSet::new();
        let all = 0..WORDS.len();
        match by {
            By::Id(thing) => {
                let Some(id) = self.id_of(*thing) else { return };
                unwanted.ids = vec![id.to_string()];
                things.insert(*thing);
            }
            By::Turn(thing) => {
                if self.id_of(*thing).is_none() {
                    return;
                }
                unwanted.ids = vec![format!("turn-{}", WORDS[*thing])];
                things.insert(*thing);
            }
            By::Session(session) => {
                unwanted.session = Some(format!("s{session}"));
                things.extend(all.filter(|thing| session_of(*thing) == *session));
            }
            By::Text(thing) => {
                if self.id_of(*thing).is_none() {
                    return;
                }
                unwanted.text = Some(format!("THE  {}", WORDS[*thing]));
                things.insert(*thing);
            }
            By::Actor(actor) => {
                unwanted.actor = Some(["ann", "bob"][*actor].to_owned());
                things.extend(all.filter(|thing| actor_of(*thing) == ["ann", "bob"][*actor]));
            }
            By::Before(thing) => {
                unwanted.to_ms = Some(time_of(*thing));
                things.extend(all.filter(|other| time_of(*other) <= time_of(*thing)));
            }
            By::Project => {
                unwanted.project = Some("o/r".to_owned());
                things.extend(all);
                memories.extend(self.memories.keys());
            }
            By::Topic(topic) => {
                unwanted.text = Some(TOPICS[*topic].to_owned());
                memories.extend(self.memories.iter().filter(|(_, (of, _))| of == topic).map(|(id, _)| *id));
            }
        }
        let (journal, index, redactor) = (&self.journal, &self.index, &*self.redactor);
        let forgetter = Forgetter { journal, index, redactor, now_ms: self.now_ms.load(Ordering::SeqCst) };
        let choice = forgetter.choose(&unwanted, &mut |_, _| true).unwrap();
        let name = format!("f-{}", self.counter.fetch_add(1, Ordering::SeqCst));
        forgetter.forget(choice.into_wish(depth, name.clone(), None, None)).unwrap();
        if depth == Depth::Purge {
            let erased = self.journal.erase(&mut |_, _| true).unwrap();
            assert!(erased.is_clean);
            self.journal.finish_purges(&erased.purges).unwrap();
            assert!(self.index.delete().unwrap());
            self.purged.extend(things.iter().copied());
        } else if self.journal.forgettings().unwrap().iter().any(|entry| entry.name == name) {
            self.undoable.push(name.clone());
        }
        self.covers.insert(name, (things, memories));
    }

    fn undo(&mut self, at: usize) {
        if self.undoable.is_empty() {
            return;
        }
        let name = self.undoable.remove(at % self.undoable.len());
        let (journal, index, redactor) = (&self.journal, &self.index, &*self.redactor);
        Forgetter { journal, index, redactor, now_ms: 0 }.undo(&name, None).unwrap();
        self.covers.remove(&name);
    }

    fn remember(&mut self, topic: usize, port: u32) {
        let text = format!("the {} service of the harbour listens on port {}", TOPICS[topic], 9000 + port);
        let unique = || format!("u-{}", self.counter.fetch_add(1, Ordering::SeqCst));
        let now_ms = self.now_ms.load(Ordering::SeqCst);
        let remembering = Remembering { journal: &self.journal, redactor: &self.redactor, now_ms, unique: &unique };
        let kept = remembering.remember(&Given::new(&text, "o/r")).unwrap();
        assert_ne!(kept.said, Said::Forgotten, "what the user says now holds");
        let newer = kept.id.unwrap();
        for older in &kept.superseded {
            self.superseded.entry(*older).or_default().push(newer);
        }
        self.memories.insert(newer, (topic, text));
    }

    fn take(&mut self, step: &Step) {
        self.now_ms.fetch_add(60_000, Ordering::SeqCst);
        match step {
            Step::Record(things) => self.record(things),
            Step::RecordAll => self.record(&(0..WORDS.len()).collect::<Vec<_>>()),
            Step::Forget(by, depth) => self.forget(by, *depth),
            Step::Undo(at) => self.undo(*at),
            Step::Remember(topic, port) => self.remember(*topic, *port),
            Step::CatchUp => drop(self.index.catch_up(&self.journal, &mut |_, _| true).unwrap()),
            Step::LoseIndex => {
                std::fs::remove_dir_all(self.dir.path().join("index")).ok();
            }
        }
    }

    fn ask(&self, index: &Index, query: &str) -> Answer {
        let mut request = Request::new(query, View::of(Audience::Recall), self.now_ms.load(Ordering::SeqCst));
        (request.limit, request.budget_tokens, request.min_confidence) = (100, None, 0.0);
        self.recall.recall(&self.journal, index, &request, &mut |_, _| true).unwrap()
    }

    fn is_hidden(&self, thing: usize) -> bool {
        !is_open(thing)
            || self.purged.contains(&thing)
            || self.covers.values().any(|(things, _)| things.contains(&thing))
    }

    fn is_memory_hidden(&self, id: &EventId) -> bool {
        self.is_memory_forgotten(id) || self.is_superseded(id)
    }

    fn is_memory_forgotten(&self, id: &EventId) -> bool {
        self.covers.values().any(|(_, memories)| memories.contains(id))
    }

    /// Whether something took its place that is there, or that something took the place of that is.
    fn is_superseded(&self, id: &EventId) -> bool {
        let (mut seen, mut next) = (BTreeSet::new(), vec![*id]);
        while let Some(id) = next.pop() {
            for newer in self.superseded.get(&id).into_iter().flatten().filter(|newer| seen.insert(**newer)) {
                if !self.is_memory_forgotten(newer) {
                    return true;
                }
                next.push(*newer);
            }
        }
        false
    }

    /// Everything that is told, by every way of asking.
    fn told(&self) -> String {
        let view = View::of(Audience::Recall);
        let mut told = String::new();
        for query in WORDS.iter().chain(&TOPICS).copied().chain(["walrus", "which port has the harbour service?"]) {
            told += &to_json(&self.ask(&self.index, query)).to_string();
            let selection = self.journal.select(&Filter::default(), &view).unwrap();
            let window = Window { skip: 0, limit: 100 };
            let hits = self.index.search(&self.journal, &Query::parse(query), &selection, window, &mut |_, _| true);
            let seqs: Vec<_> = hits.unwrap().hits.iter().map(|hit| hit.seq).collect();
            for stored in self.journal.events(&seqs, &view).unwrap() {
                told += stored.event.content.verbatim();
            }
        }
        let page = self.journal.page(&Filter::default(), &view, &Page::first(1000, Order::OldestFirst)).unwrap();
        for stored in page
            .events
            .iter()
            .filter(|stored| !stored.event.kind().is_own() || Memory::of_event(&stored.event).is_some())
        {
            told += stored.event.content.verbatim();
        }
        for session in self.journal.sessions(&Filter::default(), &view, 100, 0).unwrap() {
            told += &session.title.unwrap_or_default();
        }
        told
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let told = self.told();
        for thing in (0..WORDS.len()).filter(|thing| self.is_hidden(*thing)) {
            prop_assert!(!told.contains(&format!("the {} case", WORDS[thing])), "{} is told", WORDS[thing]);
        }
        for (id, (_, text)) in self.memories.iter().filter(|(id, _)| self.is_memory_hidden(id)) {
            let holds = self.memories.iter().any(|(other, (_, same))| same == text && !self.is_memory_hidden(other));
            prop_assert!(!told.contains(&id.to_string()), "{id} is told: {text}");
            prop_assert!(holds || !told.contains(text.as_str()), "{text} is told");
        }
        for (id, (topic, text)) in self.memories.iter().filter(|(id, _)| !self.is_memory_hidden(id)) {
            let answer = self.ask(&self.index, &format!("which port has the {} service?", TOPICS[*topic]));
            let found = answer.blocks.iter().any(|block| block.event_id == *id || block.same.contains(id));
            prop_assert!(found, "{text} is not recalled");
        }
        self.compare()
    }

    /// An index made from nothing gives the same blocks in the same order, for almost the same reasons.
    fn compare(&self) -> Result<(), TestCaseError> {
        let fresh = tempfile::tempdir().unwrap();
        let anew = Index::open(&fresh.path().join("index"), OPTIONS);
        anew.catch_up(&self.journal, &mut |_, _| true).unwrap();
        for query in ["walrus", "the delta case of session 0", "which port has the zebra service of the harbour?"] {
            let (old, new) = (self.ask(&self.index, query), self.ask(&anew, query));
            let ids = |answer: &Answer| answer.blocks.iter().map(|block| block.event_id).collect::<Vec<_>>();
            prop_assert_eq!(ids(&old), ids(&new), "{}", query);
            for (a, b) in old.blocks.iter().zip(&new.blocks) {
                prop_assert!((a.score - b.score).abs() <= 1e-4, "{}: {} and {}", query, a.score, b.score);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_hidden_is_ever_told_and_what_is_undone_is_back(steps in proptest::collection::vec(step(), 1..22)) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
            if matches!(step, Step::Forget(..) | Step::Undo(_) | Step::LoseIndex) {
                world.check()?;
            }
        }
        world.check()?;
        while !world.undoable.is_empty() {
            world.undo(0);
        }
        world.take(&Step::RecordAll);
        world.check()?;
        for thing in (0..WORDS.len()).filter(|thing| !world.is_hidden(*thing)) {
            let answer = world.ask(&world.index, WORDS[thing]);
            let text = format!("the {} case", WORDS[thing]);
            prop_assert!(answer.blocks.first().is_some_and(|block| block.text.contains(&text)), "{} is not back", WORDS[thing]);
        }
        prop_assert!(world.journal.verify(&mut |_, _| true).unwrap().is_whole());
    }
}

#[test]
fn what_was_revised_and_forgotten_when_the_index_was_made_is_found_when_it_is_undone() {
    let mut world = World::new();
    world.remember(0, 1);
    world.remember(0, 1);
    world.forget(&By::Topic(0), Depth::Forget);
    world.take(&Step::LoseIndex);
    world.take(&Step::CatchUp);
    world.undo(0);
    assert_eq!(world.ask(&world.index, "which port has the zebra service?").blocks.len(), 1);
}

#[test]
fn a_session_that_is_wholly_forgotten_is_told_nowhere() {
    let mut world = World::new();
    world.record(&(0..12).collect::<Vec<_>>());
    world.forget(&By::Session(1), Depth::Forget);
    let answer = world.ask(&world.index, "walrus");
    assert!(answer.sessions.iter().all(|session| session.session != "s1"), "{:?}", answer.sessions);
    assert_eq!(answer.sessions.len(), 2);
    let name = world.undoable[0].clone();
    let events = vec![Forgetting::undoing(&name, None)];
    let admission = Admission::new(&world.redactor, world.journal.hasher().clone());
    let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
    world.journal.append(&batch, &[]).unwrap();
    assert_eq!(world.ask(&world.index, "walrus").sessions.len(), 3);
}
