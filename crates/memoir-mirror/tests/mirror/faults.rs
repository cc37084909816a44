//! Every fault that was found in codaph's mirror and could happen in one of this layout, by the name of what was done.

use crate::world::{World, event, events, ids_of};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[test]
fn torn_index_files_do_not_shrink_the_known_ids_to_one() {
    let all = events(&["a", "b", "c"], 100);
    let world = World::with(&all);
    for torn in [0, 1, 1000, 10_000] {
        let index = world.text("eventid-index.jsonl");
        world.write("eventid-index.jsonl", &index[..torn]);
        world.write("manifest.json", "");
        let summary = world.export(&all[..1]);
        assert_eq!((summary.known, summary.events), (1, 300), "{torn}");
        world.holds_once(&all);
    }
}

#[test]
fn a_zeroed_manifest_and_sparse_index_hide_no_session() {
    let all = events(&["a", "b"], 10);
    let world = World::with(&all);
    world.write("manifest.json", "");
    world.write("sparse-index.jsonl", "");
    assert_eq!(world.ids(), ids_of(&all), "a reader does not ask them");
    assert_eq!(world.export(&all).new, 0);
    assert_eq!(world.text("sparse-index.jsonl").lines().count(), 2);
    world.holds_once(&all);
}

#[test]
fn an_index_cut_in_half_doubles_nothing() {
    let all = events(&["a"], 1000);
    let world = World::with(&all);
    let index = world.text("eventid-index.jsonl");
    let half: String = index.lines().take(500).map(|line| line.to_owned() + "\n").collect();
    world.write("eventid-index.jsonl", half);
    assert_eq!(world.export(&all).known, 1000);
    assert_eq!(world.text("segments/a.jsonl").lines().count(), 1000);
    world.holds_once(&all);
}

#[test]
fn a_torn_line_is_never_glued_to_the_next_one() {
    let world = World::with(&events(&["a"], 5));
    let segment = world.text("segments/a.jsonl");
    world.write("segments/a.jsonl", segment.clone() + &segment[..segment.len() / 9]);
    world.export(&[event("a", 5)]);
    world.holds_once(&events(&["a"], 6));
}

#[test]
fn a_reader_never_sees_an_empty_mirror_while_it_is_written() {
    let world = World::with(&events(&["a", "b"], 50));
    let (committed, over) = (AtomicU64::new(100), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 50..90 {
                world.export(&[event("a", n), event("b", n), event(&format!("s{n}"), 0)]);
                committed.fetch_add(3, Ordering::SeqCst);
            }
            over.store(true, Ordering::SeqCst);
        });
        let mut readings = 0;
        while !over.load(Ordering::SeqCst) || readings == 0 {
            let at_least = committed.load(Ordering::SeqCst);
            for name in ["manifest.json", "sparse-index.jsonl"] {
                assert!(!world.text(name).is_empty(), "{name} was seen empty");
            }
            serde_json::from_str::<serde_json::Value>(&world.text("manifest.json")).unwrap();
            let (_, summary) = world.read();
            assert!(summary.events >= at_least, "{} of {at_least}", summary.events);
            assert_eq!(summary.duplicates, 0);
            readings += 1;
        }
    });
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn a_check_of_a_mirror_that_is_being_written_reports_no_false_damage() {
    let world = World::with(&events(&["a"], 20));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 20..60 {
                world.export(&[event("a", n), event(&format!("s{n}"), 0)]);
            }
            over.store(true, Ordering::SeqCst);
        });
        while !over.load(Ordering::SeqCst) {
            match world.mirror.verify(&mut |_| {}) {
                Ok(report) => assert_eq!(report.findings, []),
                Err(error) => assert!(matches!(error, memoir_mirror::MirrorError::Locked { .. }), "{error}"),
            }
        }
    });
}

#[test]
fn a_line_of_twenty_megabytes_is_one_event() {
    let big = crate::world::event_saying("a", 0, &"x".repeat(20 << 20));
    let world = World::with(&[big.clone(), event("a", 1)]);
    world.holds_once(&[big.clone(), event("a", 1)]);
    assert_eq!(world.export(&[big]).known, 1);
}
