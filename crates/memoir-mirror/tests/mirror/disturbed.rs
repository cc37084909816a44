//! A removal that is cut short, hindered or watched: one state of the files to a step.

use crate::world::{Stamp, World, event, event_saying, events, export, id_set, ids_of, wall_clock};
use memoir_event::Envelope;
use memoir_mirror::{MirrorError, Repairs};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is removed here: some of `a`, some of `b`, all of `c`, nothing of `d`.
fn gone() -> Vec<Envelope> {
    [vec![event("a", 1), event("a", 2), event("b", 0)], events(&["c"], 4)].concat()
}

fn staying() -> Vec<Envelope> {
    let ids = ids_of(&gone());
    let all = events(&["a", "b", "c", "d"], 4).into_iter();
    all.filter(|event| ids.binary_search(&event.event_id.to_string()).is_err()).collect()
}

fn bytes(stamps: &BTreeMap<String, Stamp>) -> BTreeMap<String, Vec<u8>> {
    stamps.iter().map(|(name, stamp)| (name.clone(), stamp.bytes.clone())).collect()
}

/// An index that was made anew has another order.
fn comparable(state: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<String>> {
    let lines = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let mut texts: BTreeMap<_, _> = state.iter().map(|(name, bytes)| (name.clone(), lines(bytes))).collect();
    texts.get_mut("eventid-index.jsonl").unwrap().sort();
    texts
}

/// The manifest without the segments that change.
fn let_go(manifest: &[u8]) -> Vec<u8> {
    let mut manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    manifest["segments"].as_array_mut().unwrap().retain(|entry| entry["sessionId"] == "d");
    (serde_json::to_string_pretty(&manifest).unwrap() + "\n").into_bytes()
}

/// The files of a mirror before a removal, after each of its steps, and after it.
fn states() -> Vec<BTreeMap<String, Vec<u8>>> {
    let world = World::with(&events(&["a", "b", "c", "d"], 4));
    let mut state = bytes(&world.stamps());
    world.remove(&gone());
    let after = bytes(&world.stamps());
    let mut states = vec![state.clone()];
    let tmp = |name: &str| name.to_owned() + ".tmp";
    let rewritten = || "segments/rewritten.tmp".to_owned();
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let between = let_go(&state["manifest.json"]);
    state.insert(tmp("manifest.json"), half(&between));
    states.push(state.clone());
    state.remove(&tmp("manifest.json"));
    state.insert("manifest.json".to_owned(), between);
    states.push(state.clone());
    for name in ["segments/a.jsonl", "segments/b.jsonl"] {
        for written in [half(&after[name]), after[name].clone()] {
            state.insert(rewritten(), written);
            states.push(state.clone());
        }
        state.remove(&rewritten());
        state.insert(name.to_owned(), after[name].clone());
        states.push(state.clone());
    }
    state.remove("segments/c.jsonl");
    states.push(state.clone());
    for name in ["eventid-index.jsonl", "sparse-index.jsonl", "manifest.json"] {
        state.insert(tmp(name), half(&after[name]));
        states.push(state.clone());
        state.remove(&tmp(name));
        state.insert(name.to_owned(), after[name].clone());
        states.push(state.clone());
    }
    assert_eq!(state, after);
    states
}

fn world_in(state: &BTreeMap<String, Vec<u8>>) -> World {
    let world = World::new();
    state.iter().for_each(|(name, bytes)| world.write(name, bytes));
    world
}

#[test]
fn wherever_a_removal_stopped_the_next_one_does_the_rest() {
    let states = states();
    for (step, state) in states.iter().enumerate() {
        let world = world_in(state);
        let there = world.ids();
        assert!(ids_of(&staying()).iter().all(|id| there.binary_search(id).is_ok()), "step {step}");
        let removed = world.remove(&gone());
        assert_eq!(comparable(&bytes(&world.stamps())), comparable(&states[states.len() - 1]), "step {step}");
        let alarming = (removed.repairs.checksums, removed.repairs.segments_cut, removed.repairs.segments_missing);
        assert_eq!(alarming, (0, 0, 0), "step {step}: nothing was lost");
        world.holds_once(&staying());
        world.holds_none_of(&gone());
        assert_eq!(world.remove(&gone()).repairs, Repairs::default());
    }
}

#[test]
fn wherever_a_removal_stopped_the_next_writer_mends() {
    for (step, state) in states().iter().enumerate() {
        let world = world_in(state);
        let there = world.ids();
        world.export(&[]);
        assert_eq!(world.findings(), Vec::<String>::new(), "step {step}");
        assert_eq!(world.ids(), there, "step {step}");
        assert_eq!(world.unfinished(), None, "step {step}");
        assert!(!world.export(&[]).repairs.any(), "step {step}");
        let all = events(&["a", "b", "c", "d"], 4);
        world.export(&all);
        world.holds_once(&all);
    }
}

#[test]
fn a_hindrance_on_the_way_is_an_error_that_costs_nothing() {
    for hindrance in ["segments/rewritten.tmp", "eventid-index.jsonl.tmp", "manifest.json.tmp"] {
        let world = World::with(&events(&["a", "b", "c", "d"], 4));
        std::fs::create_dir(world.path(hindrance)).unwrap();
        for _ in 0..2 {
            let error = world.try_remove(&gone()).unwrap_err();
            assert!(matches!(error, MirrorError::Io { .. }), "{error}");
            let there = world.ids();
            assert!(ids_of(&staying()).iter().all(|id| there.binary_search(id).is_ok()), "{hindrance}");
            assert!(!world.path("sync-lock.json").exists());
        }
        std::fs::remove_dir(world.path(hindrance)).unwrap();
        world.remove(&gone());
        world.holds_once(&staying());
        world.holds_none_of(&gone());
    }
}

#[test]
fn a_removal_waits_its_turn_as_a_writer_does() {
    let world = World::with(&events(&["a", "b", "c", "d"], 4));
    let writer = world.writer().unwrap();
    assert!(matches!(world.try_remove(&gone()), Err(MirrorError::Locked { .. })));
    let patient = world.mirror.clone().with_patience(Duration::from_secs(30));
    std::thread::scope(|scope| {
        let removal = scope.spawn(|| patient.remove(&id_set(&gone()), &wall_clock()));
        std::thread::sleep(Duration::from_millis(60));
        assert!(!removal.is_finished());
        writer.finish().unwrap();
        assert_eq!(removal.join().unwrap().unwrap().events, 7);
    });
    world.holds_once(&staying());
    assert!(!world.path("sync-lock.json").exists());
    world.write(
        "sync-lock.json",
        r#"{"token":"t","pid":999999999,"startedAt":"2026-03-01T10:00:00.000Z","mode":"sync"}"#,
    );
    assert_eq!(world.remove(&gone()).repairs, Repairs { locks: 1, ..Repairs::default() });
}

#[test]
fn those_who_read_or_check_meanwhile_miss_nothing_that_stays() {
    let world = World::with(&events(&["a", "b", "c", "d"], 4));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..25 {
                world.remove(&gone());
                world.export(&gone());
            }
            over.store(true, Ordering::SeqCst);
        });
        while !over.load(Ordering::SeqCst) {
            let there = world.ids();
            assert!(ids_of(&staying()).iter().all(|id| there.binary_search(id).is_ok()));
            match world.mirror.verify(&mut |_| {}) {
                Ok(report) => assert_eq!(report.findings, []),
                Err(error) => assert!(matches!(error, MirrorError::Locked { .. }), "{error}"),
            }
        }
    });
}

#[test]
fn removals_and_exports_of_many_at_once_leave_what_was_not_removed() {
    let world = World::with(&events(&["a", "b"], 40));
    let patient = world.mirror.clone().with_patience(Duration::from_secs(60));
    std::thread::scope(|scope| {
        for part in 0..3 {
            let patient = &patient;
            scope.spawn(move || {
                for n in (part..30).step_by(3) {
                    let ids = id_set(&[event("a", n), event("b", n)]);
                    assert_eq!(patient.remove(&ids, &wall_clock()).unwrap().events, 2);
                    export(patient, &[event_saying("b", 100 + n, "new")]);
                }
            });
        }
    });
    let left = (30..40).flat_map(|n| [event("a", n), event("b", n)]);
    world.holds_once(&left.chain((0..30).map(|n| event("b", 100 + n))).collect::<Vec<_>>());
}
