//! What is forgotten stays so, what is undone comes back, and what is purged is nowhere in the file.

use crate::support::{Home, START_MS, at, event, home, item};
use memoir_event::{Client, Event, Identity, Kind, Memory, MemoryKind, MemorySource, Source};
use memoir_journal::{
    Chosen, Depth, Filter, Forgetting, Journal as _, Order, Outcome, Page, Scope, Seq, StoredEvent, View,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

fn wish(name: &str, chosen: Chosen, depth: Depth) -> Vec<Event> {
    let (name, asked) = (name.to_owned(), "test".to_owned());
    Forgetting { name, chosen, depth, asked, reason: Some("why".to_owned()), by: Some("me".to_owned()) }.into_events()
}

fn forget(home: &Home, name: &str, chosen: Chosen) {
    home.append(wish(name, chosen, Depth::Forget));
}

fn undo(home: &Home, name: &str) {
    home.append(vec![Forgetting::undoing(name, None)]);
}

fn shown(home: &Home) -> Vec<StoredEvent> {
    let page = Page::first(10_000, Order::OldestFirst);
    let events = home.journal.page(&Filter::default(), &View::owner_all(), &page).unwrap().events;
    events.into_iter().filter(|event| !event.event.kind().is_own() || event.event.kind() == Kind::Memory).collect()
}

fn texts(home: &Home) -> Vec<String> {
    shown(home).iter().map(|event| event.event.content.plain().into_owned()).collect()
}

fn session(id: &str) -> Scope {
    Scope { session: Some(id.to_owned()), to_ms: Some(START_MS), ..Scope::default() }
}

#[test]
fn a_forgotten_session_is_gone_with_what_comes_of_it_later_but_not_with_what_happens_later() {
    let home = home();
    home.append(vec![event("a", "t1", "one"), event("a", "t2", "two"), event("b", "t1", "other")]);
    forget(&home, "f-1", Chosen::Scope(session("a")));
    assert_eq!(texts(&home), ["other"]);
    let late = at(event("a", "t3", "late"), "2026-05-10T07:59:00Z");
    assert_eq!(home.append(vec![event("a", "t1", "one"), late]), [Outcome::Suppressed, Outcome::Suppressed]);
    home.now_ms.store(START_MS + 60_000, Ordering::SeqCst);
    assert!(matches!(home.append(vec![event("a", "t4", "new")])[0], Outcome::Stored { .. }));
    let sessions = home.journal.sessions(&Filter::default(), &View::owner_all(), 10, 0).unwrap();
    assert_eq!(
        sessions.iter().map(|entry| (entry.session.as_str(), entry.events)).collect::<Vec<_>>(),
        [("a", 1), ("b", 1)]
    );
    undo(&home, "f-1");
    assert_eq!(texts(&home), ["one", "two", "other", "new"]);
    let late = at(event("a", "t3", "late"), "2026-05-10T07:59:00Z");
    assert!(matches!(home.append(vec![late])[0], Outcome::Stored { .. }));
}

#[test]
fn projects_contributors_and_times_are_forgotten_under_every_name_they_had() {
    let home = home();
    let of = |session: &str, repo: &str, actor: &str, time: &str| {
        let mut event = at(event(session, "t", session), time);
        (event.repo, event.actor) = (repo.to_owned(), Some(actor.to_owned()));
        event
    };
    home.append(vec![
        of("a", "old", "ann", "2026-01-01T00:00:00Z"),
        of("b", "new", "ann", "2026-02-01T00:00:00Z"),
        of("c", "other", "bob", "2026-03-01T00:00:00Z"),
    ]);
    let alias = memoir_journal::Alias::Project { from: "old".to_owned(), to: "new".to_owned() };
    home.append(vec![alias.into_event("x".to_owned())]);
    forget(&home, "f-1", Chosen::Scope(Scope { repo: Some("new".to_owned()), ..Scope::default() }));
    assert_eq!(texts(&home), ["c"]);
    assert_eq!(home.append(vec![of("d", "old", "ann", "2026-01-02T00:00:00Z")]), [Outcome::Suppressed]);
    undo(&home, "f-1");
    forget(&home, "f-2", Chosen::Scope(Scope { actor: Some("ann".to_owned()), ..Scope::default() }));
    assert_eq!(texts(&home), ["c"]);
    undo(&home, "f-2");
    let before = memoir_event::parse_ms("2026-02-15T00:00:00Z").unwrap();
    forget(&home, "f-3", Chosen::Scope(Scope { to_ms: Some(before), ..Scope::default() }));
    assert_eq!(texts(&home), ["c"]);
    assert!(home.journal.verify(&mut |_, _| true).unwrap().is_whole());
}

#[test]
fn an_event_is_forgotten_by_its_id_even_before_it_comes() {
    let home = home();
    let timed = |text: &str| {
        let mut event = at(event("s", text, text), "2026-05-01T00:00:00Z");
        event.sequence = Some(7);
        event
    };
    let id = timed("x").derived_id().unwrap();
    forget(&home, "f-1", Chosen::Ids(vec![id]));
    assert_eq!(home.append(vec![timed("x")]), [Outcome::Suppressed]);
    undo(&home, "f-1");
    assert!(matches!(home.append(vec![timed("x")])[0], Outcome::Stored { .. }));
    forget(&home, "f-2", Chosen::Ids(vec![id]));
    assert!(texts(&home).is_empty());
    assert_eq!(home.journal.chosen(&Chosen::Ids(vec![id])).unwrap().len(), 1);
}

#[test]
fn with_an_id_that_is_forgotten_before_it_comes_its_copies_under_other_ids_stay_away_whichever_comes_first() {
    let copy = |session: &str, number: u64| {
        let mut event = at(item(Source::ClaudeCodeHook, "one", "the same"), "2026-05-01T00:00:00Z");
        (event.session, event.thread, event.sequence) = (session.to_owned(), Some(session.to_owned()), Some(number));
        event.identities = vec![Identity::Record { id: "one".to_owned(), block: 0 }];
        event
    };
    let id = copy("a", 3).derived_id().unwrap();
    for order in [[("a", 3), ("b", 8)], [("b", 8), ("a", 3)]] {
        let home = home();
        forget(&home, "f-1", Chosen::Ids(vec![id]));
        for (session, number) in order {
            home.append(vec![copy(session, number)]);
        }
        assert!(texts(&home).is_empty(), "{order:?}");
        undo(&home, "f-1");
        home.append(vec![copy("b", 8)]);
        assert_eq!(texts(&home), ["the same"], "{order:?}");
    }
}

#[test]
fn an_id_that_a_number_of_this_journal_makes_is_forgotten_before_it_comes_too_and_so_is_what_follows_it() {
    let count = AtomicU64::new(1);
    let nameless = |text: &str| {
        let mut event = event("s", "t", text);
        event.turn = None;
        event.identities = vec![Identity::Unique { at_ms: START_MS, nonce: count.fetch_add(1, Ordering::SeqCst) }];
        event
    };
    let timed = |text: &str| at(event("s", "t", text), "2026-05-01T00:00:00Z");
    let shapes: [&dyn Fn(&str) -> Event; 3] = [&|text| event("s", "t", text), &timed, &nameless];
    for (shape, make) in shapes.into_iter().enumerate() {
        let all = || ["one", "two", "three"].map(make).to_vec();
        let there = home();
        there.append(all());
        let ids: Vec<_> = shown(&there).iter().map(|event| event.id).collect();
        let here = home();
        forget(&here, "f-1", Chosen::Ids(vec![ids[0], ids[2]]));
        for _ in 0..3 {
            for event in all() {
                here.append(vec![event]);
            }
            assert!(texts(&here).iter().all(|text| text == "two"), "shape {shape}: {:?}", texts(&here));
        }
        undo(&here, "f-1");
        here.append(all());
        assert!(
            ["one", "two", "three"].iter().all(|text| texts(&here).iter().any(|told| told == text)),
            "shape {shape}"
        );
    }
}

#[test]
fn what_was_forgotten_twice_comes_back_only_when_both_are_undone() {
    let home = home();
    home.append(vec![event("a", "t1", "one")]);
    forget(&home, "f-1", Chosen::Events(vec![1]));
    forget(&home, "f-2", Chosen::Scope(session("a")));
    undo(&home, "f-1");
    assert!(texts(&home).is_empty());
    assert_eq!(home.append(vec![event("a", "t1", "one")]), [Outcome::Suppressed]);
    undo(&home, "f-2");
    undo(&home, "f-2");
    assert_eq!(texts(&home), ["one"]);
    let list = home.journal.forgettings().unwrap();
    let told: Vec<_> = list.iter().map(|entry| (entry.name.as_str(), entry.events, entry.undone)).collect();
    assert_eq!(told, [("f-2", 0, true), ("f-1", 1, true)]);
    assert_eq!((list[0].reason.as_deref(), list[0].by.as_deref()), (Some("why"), Some("me")));
}

#[test]
fn tombstones_and_aliases_cannot_be_forgotten() {
    let home = home();
    home.append(vec![event("a", "t1", "one")]);
    forget(&home, "f-1", Chosen::Events(vec![1]));
    let everything = Scope { to_ms: Some(START_MS + 1), ..Scope::default() };
    forget(&home, "f-2", Chosen::Scope(everything));
    forget(&home, "f-3", Chosen::Events(vec![2, 3]));
    assert_eq!(home.journal.forgettings().unwrap().len(), 3);
    assert!(texts(&home).is_empty());
    assert_eq!(home.journal.stats().unwrap().forgotten, 1);
}

fn memory(text: &str, sources: Vec<MemorySource>) -> Event {
    let mut memory = Memory::new(text, MemoryKind::Fact, text, text);
    memory.sources = sources;
    let mut event = Event::new(Source::Memoir, "memories", Kind::Memory, memory.content());
    event.identities = vec![Identity::Named(text.to_owned())];
    event
}

fn of_event(home: &Home, seq: Seq) -> MemorySource {
    let id = home.journal.events(&[seq], &View::owner_all()).unwrap()[0].id;
    MemorySource { event: Some(id.to_string()), ..MemorySource::default() }
}

fn memories(home: &Home) -> Vec<String> {
    shown(home).iter().filter_map(|event| Memory::of_event(&event.event)).map(|memory| memory.text).collect()
}

#[test]
fn a_memory_vanishes_with_its_last_source_and_comes_back_with_it() {
    let home = home();
    home.append(vec![event("a", "t1", "one"), event("a", "t2", "two"), event("b", "t1", "three")]);
    let of_session = MemorySource { session: Some("b".to_owned()), ..MemorySource::default() };
    home.append(vec![
        memory("of both", vec![of_event(&home, 1), of_event(&home, 2)]),
        memory("of one", vec![of_event(&home, 1)]),
        memory("of session b", vec![of_session.clone()]),
        memory("of nobody", Vec::new()),
    ]);
    let of_one = home.journal.events(&[5], &View::owner_all()).unwrap()[0].id.to_string();
    home.append(vec![memory("of a memory", vec![MemorySource { event: Some(of_one), ..MemorySource::default() }])]);
    forget(&home, "f-1", Chosen::Events(vec![1]));
    assert_eq!(memories(&home), ["of both", "of session b", "of nobody"]);
    assert_eq!(home.append(vec![memory("derived again", vec![MemorySource::default()])]).len(), 1);
    forget(&home, "f-2", Chosen::Events(vec![2]));
    assert_eq!(memories(&home), ["of session b", "of nobody", "derived again"]);
    forget(&home, "f-3", Chosen::Scope(session("b")));
    assert_eq!(memories(&home), ["of nobody", "derived again"]);
    let again = vec![memory("of session b, again", vec![of_session])];
    assert_eq!(home.append(again), [Outcome::Suppressed]);
    undo(&home, "f-1");
    undo(&home, "f-3");
    assert_eq!(memories(&home), ["of both", "of one", "of session b", "of nobody", "of a memory", "derived again"]);
}

#[test]
fn a_memory_of_a_session_that_nobody_knows_stays_whatever_else_is_forgotten() {
    let home = home();
    let of = |session: &str| MemorySource { session: Some(session.to_owned()), ..MemorySource::default() };
    home.append(vec![event("a", "t1", "one"), memory("from elsewhere", vec![of("conversation-7")])]);
    forget(&home, "f-1", Chosen::Events(vec![1]));
    assert_eq!(memories(&home), ["from elsewhere"]);
    assert!(matches!(
        home.append(vec![memory("also from there", vec![of("conversation-7")])])[0],
        Outcome::Stored { .. }
    ));
}

#[test]
fn what_is_told_of_a_memory_while_its_sources_are_gone_does_not_bind_it_when_they_are_back() {
    let home = home();
    home.append(vec![event("a", "t1", "one")]);
    let told = |text: &str| {
        let mut event = memory(text, vec![of_event(&home, 1)]);
        event.identities = vec![Identity::Named("m".to_owned())];
        event
    };
    let (first, later) = (told("first"), told("later"));
    home.append(vec![first.clone()]);
    forget(&home, "f-1", Chosen::Events(vec![1]));
    assert_eq!(home.append(vec![first]), [Outcome::Suppressed]);
    undo(&home, "f-1");
    assert!(matches!(home.append(vec![later])[0], Outcome::Revised { .. }));
    assert_eq!(memories(&home), ["later"]);
}

#[test]
fn the_last_word_on_a_memory_counts_even_if_it_is_shorter() {
    let home = home();
    let named = |text: &str| {
        let mut event = memory(text, Vec::new());
        event.identities = vec![Identity::Named("m".to_owned())];
        event
    };
    home.append(vec![named("a long statement about it")]);
    assert!(matches!(home.append(vec![named("short")])[0], Outcome::Revised { of: 1, .. }));
    assert!(matches!(home.append(vec![named("short")])[0], Outcome::SeenAgain { of: 1, .. }));
    assert_eq!(memories(&home), ["short"]);
}

/// Every packed body in a file, unpacked, whatever page it lies in.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let dictionary = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/dictionary-v1.zdict")).unwrap();
    let mut unpacker = zstd::bulk::Decompressor::with_dictionary(&dictionary).unwrap();
    let magic = [0x28, 0xb5, 0x2f, 0xfd];
    let mut found = Vec::new();
    for at in 0..bytes.len().saturating_sub(4) {
        if bytes[at..at + 4] == magic {
            let end = (at + 70_000).min(bytes.len());
            let frame = &bytes[at..end];
            if let Ok(size) = zstd::zstd_safe::find_frame_compressed_size(frame) {
                found.extend(unpacker.decompress(&frame[..size], 1 << 20).unwrap_or_default());
            }
        }
    }
    found
}

fn is_in(needle: &[u8], bytes: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// Whether a file of the journal holds a text, plain or packed.
fn holds(home: &Home, text: &str) -> bool {
    std::fs::read_dir(home.dir.path()).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        is_in(text.as_bytes(), &bytes) || is_in(text.as_bytes(), &unpacked(&bytes))
    })
}

#[test]
fn what_is_purged_is_nowhere_in_the_file_and_the_chain_still_verifies() {
    let home = home();
    let filler = "some words that are worth packing because they are many ".repeat(30);
    let mut growing = event("a", "t1", "walrus");
    growing.client = Some(Client::Codex);
    growing.identities = vec![Identity::Item { id: "i1".to_owned(), block: 0 }];
    let mut fuller = growing.clone();
    fuller.content = memoir_event::Content::Text(format!("walrus {filler} narwhal"));
    fuller.time = Some(memoir_event::Time::parse("2026-05-10T10:00:00.5+02:00").unwrap());
    home.append(vec![growing, fuller.clone()]);
    for n in 0..300 {
        home.append(vec![event("b", &format!("t{n}"), &format!("kept {n} {filler}"))]);
    }
    home.append(vec![event("a", "t2", &format!("{} beluga", "x".repeat(40_000)))]);
    let cursor = memoir_journal::Cursor {
        stream: "import|codex|1".into(),
        sequence: 1,
        position: "{\"session\":\"a\",\"x\":\"walrus\"}".into(),
    };
    home.journal.append(&[], &[cursor]).unwrap();
    home.journal.checkpoint().unwrap();
    assert!(holds(&home, "walrus") && holds(&home, "narwhal") && holds(&home, "beluga"));
    let id = home.journal.events(&[1], &View::owner_all()).unwrap()[0].id;
    let (reason, kept) = (Some("why".to_owned()), texts(&home).len() - 2);
    let purge = Forgetting {
        name: "f-1".to_owned(),
        chosen: Chosen::Scope(Scope { session: Some("a".to_owned()), ..Scope::default() }),
        depth: Depth::Purge,
        asked: "session a".to_owned(),
        reason,
        by: None,
    };
    home.append(purge.into_events());
    let erased = home.journal.erase(&mut |_, _| true).unwrap();
    assert_eq!((erased.records, erased.is_clean), (3, true));
    for text in ["walrus", "narwhal", "beluga"] {
        assert!(!holds(&home, text), "{text} is still there");
    }
    assert!(holds(&home, "kept 299"));
    assert!(home.journal.verify(&mut |_, _| true).unwrap().is_whole());
    assert_eq!(texts(&home).len(), kept);
    assert_eq!(home.append(vec![fuller]), [Outcome::Suppressed]);
    assert_eq!(home.journal.chosen(&Chosen::Ids(vec![id])).unwrap(), [1], "its id leads to it still");
    undo(&home, "f-1");
    assert_eq!(texts(&home).len(), kept, "a purge cannot be undone");
    assert!(!home.journal.forgettings().unwrap()[0].finished, "something of it may be left elsewhere");
    assert_eq!(home.journal.to_be_erased().unwrap().len(), 2);
    home.journal.finish_purges(&erased.purges).unwrap();
    assert!(home.journal.forgettings().unwrap()[0].finished && home.journal.to_be_erased().unwrap().is_empty());
    assert_eq!(home.journal.cursors("import|").unwrap(), []);
}

#[test]
fn an_erased_text_that_no_purge_speaks_of_is_a_broken_chain() {
    let home = home();
    home.append(vec![event("a", "t1", "one"), event("a", "t2", "two")]);
    home.append(wish("f-1", Chosen::Events(vec![1]), Depth::Purge));
    home.journal.erase(&mut |_, _| true).unwrap();
    assert!(home.journal.verify(&mut |_, _| true).unwrap().is_whole());
    let raw = rusqlite::Connection::open(home.file()).unwrap();
    raw.execute("DELETE FROM forgotten", []).unwrap();
    let (seq, problem) = home.journal.verify(&mut |_, _| true).unwrap().bad.unwrap();
    assert_eq!(seq, 1);
    assert!(problem.contains("no purge says so"), "{problem}");
}

#[test]
fn a_purge_that_was_stopped_is_finished_by_the_next() {
    let home = home();
    for n in 0..450 {
        home.append(vec![event("a", &format!("t{n}"), &format!("walrus {n}"))]);
    }
    home.append(wish("f-1", Chosen::Scope(session("a")), Depth::Purge));
    let stopped = home.journal.erase(&mut |_, _| false).unwrap();
    assert_eq!((stopped.records, stopped.is_clean), (200, false));
    assert!(!home.journal.forgettings().unwrap()[0].finished);
    let rest = home.again().erase(&mut |_, _| true).unwrap();
    assert_eq!((rest.records, rest.is_clean), (250, true));
    assert!(!holds(&home, "walrus"));
}

#[test]
fn a_text_is_found_in_the_names_that_a_body_holds() {
    let home = home();
    let mut named = event("a", "t1", "one");
    (named.topic, named.action) = (Some("walrus topic".to_owned()), Some("narwhal-action".to_owned()));
    home.append(vec![named, event("a", "t2", "two")]);
    for text in ["WALRUS topic", "narwhal"] {
        assert_eq!(home.journal.grep(text, &mut |_, _| true).unwrap(), Some(vec![1]), "{text}");
    }
}

#[test]
fn a_text_is_found_in_every_revision_whatever_its_blanks_and_capitals() {
    let home = home();
    let mut growing = event("a", "t1", "The walrus\n  said");
    growing.identities = vec![Identity::Item { id: "i1".to_owned(), block: 0 }];
    let mut fuller = growing.clone();
    fuller.content = memoir_event::Content::Text("something else that is quite a bit longer".to_owned());
    home.append(vec![growing, fuller, event("a", "t2", "no"), event("b", "t1", "WALRUS SAID so")]);
    assert_eq!(home.journal.grep("walrus said", &mut |_, _| true).unwrap(), Some(vec![1, 4]));
    assert_eq!(home.journal.grep("  ", &mut |_, _| true).unwrap(), Some(vec![]));
    assert_eq!(home.journal.grep("walrus", &mut |_, _| false).unwrap(), None);
}

/// One step in the life of a journal.
#[derive(Debug, Clone)]
enum Step {
    Say(u8, u8),
    ForgetEvent(u8, u8),
    ForgetSession(u8),
    Undo(u8),
    Purge(u8, u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3u8, 0..6u8).prop_map(|(session, text)| Step::Say(session, text)),
        2 => (0..3u8, 0..6u8).prop_map(|(session, text)| Step::ForgetEvent(session, text)),
        1 => (0..3u8).prop_map(Step::ForgetSession),
        2 => (0..12u8).prop_map(Step::Undo),
        1 => (0..3u8, 0..6u8).prop_map(|(session, text)| Step::Purge(session, text)),
    ];
    proptest::collection::vec(step, 1..40)
}

/// The wishes that hold, by their names: things that they hide, or a session.
type Wishes = BTreeMap<u8, (BTreeSet<(u8, u8)>, Option<u8>)>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_shown_is_what_nothing_hides(steps in steps()) {
        let home = home();
        // What the journal must be: things it knows, and the wishes that hold, each with what it hides.
        let mut known: BTreeMap<(u8, u8), Seq> = BTreeMap::new();
        let mut wishes: Wishes = BTreeMap::new();
        let mut purged: BTreeSet<(u8, u8)> = BTreeSet::new();
        let mut next = 0u8;
        for step in steps {
            let hides = |wishes: &Wishes, thing: (u8, u8)| {
                wishes.values().any(|(things, session)| things.contains(&thing) || *session == Some(thing.0))
            };
            match step {
                Step::Say(session, text) => {
                    let said = event(&format!("s{session}"), &format!("t{text}"), &format!("text {text}"));
                    let outcome = home.append(vec![said])[0];
                    let thing = (session, text);
                    if purged.contains(&thing) || hides(&wishes, thing) {
                        prop_assert_eq!(outcome, Outcome::Suppressed);
                    } else if let Outcome::Stored { seq, .. } = outcome {
                        prop_assert!(known.insert(thing, seq).is_none());
                    } else {
                        prop_assert!(known.contains_key(&thing));
                    }
                }
                Step::ForgetEvent(session, text) => {
                    if let Some(seq) = known.get(&(session, text)) {
                        forget(&home, &format!("f-{next}"), Chosen::Events(vec![*seq]));
                        wishes.insert(next, (BTreeSet::from([(session, text)]), None));
                        next += 1;
                    }
                }
                Step::ForgetSession(session) => {
                    forget(&home, &format!("f-{next}"), Chosen::Scope(crate::forgetting::session(&format!("s{session}"))));
                    wishes.insert(next, (BTreeSet::new(), Some(session)));
                    next += 1;
                }
                Step::Undo(name) => {
                    if wishes.remove(&name).is_some() {
                        undo(&home, &format!("f-{name}"));
                    }
                }
                Step::Purge(session, text) => {
                    if let Some(seq) = known.get(&(session, text)) {
                        home.append(wish(&format!("p-{next}"), Chosen::Events(vec![*seq]), Depth::Purge));
                        purged.insert((session, text));
                        next += 1;
                    }
                }
            }
        }
        home.journal.erase(&mut |_, _| true).unwrap();
        let expected: BTreeSet<Seq> = known
            .iter()
            .filter(|(thing, _)| !purged.contains(thing))
            .filter(|((session, text), _)| {
                !wishes.values().any(|(things, of)| things.contains(&(*session, *text)) || *of == Some(*session))
            })
            .map(|(_, seq)| *seq)
            .collect();
        let seen: BTreeSet<Seq> = shown(&home).iter().map(|event| event.seq).collect();
        prop_assert_eq!(&seen, &expected);
        let counted: u64 = home.journal.sessions(&Filter::default(), &View::owner_all(), 10, 0).unwrap().iter().map(|entry| entry.events).sum();
        prop_assert_eq!(counted, u64::try_from(expected.len()).unwrap());
        let reopened = home.again();
        prop_assert!(reopened.verify(&mut |_, _| true).unwrap().is_whole());
    }
}
