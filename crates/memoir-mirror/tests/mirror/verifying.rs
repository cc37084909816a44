//! Each kind of damage is found, in a sentence that names its file.

use crate::world::{World, event, events, line};
use memoir_mirror::Progress;

fn world() -> World {
    World::with(&events(&["a", "b"], 5))
}

/// Does the damage to a good mirror and expects the findings.
fn finds(damage: impl FnOnce(&World), expected: &[&str]) {
    let world = world();
    damage(&world);
    assert_eq!(world.findings(), expected);
    assert_eq!(world.verify().ok(), expected.is_empty());
}

fn id(session: &str, n: u64) -> String {
    event(session, n).event_id.to_string()
}

#[test]
fn a_good_mirror_has_no_findings_and_is_counted() {
    let world = world();
    let mut told = Vec::new();
    let report = world.mirror.verify(&mut |progress| told.push(progress)).unwrap();
    assert!(report.ok() && report.notes.is_empty());
    assert_eq!((report.session_files, report.day_files, report.events), (2, 0, 10));
    let bytes = world.text("segments/a.jsonl").len() + world.text("segments/b.jsonl").len();
    let bytes = u64::try_from(bytes).unwrap();
    assert_eq!(report.bytes, bytes);
    assert_eq!(told.last(), Some(&Progress { files_done: 2, files: 2, bytes_done: bytes, bytes }));
}

#[test]
fn a_changed_byte_is_found_by_its_checksum() {
    let world = world();
    world.edit("segments/a.jsonl", "word 3", "ward 3");
    let findings = world.findings();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].starts_with("segments/a.jsonl: its checksum is sha256:"), "{findings:?}");
}

#[test]
fn a_wrong_count_is_found() {
    finds(
        |world| {
            world.edit("manifest.json", "\"eventCount\": 5", "\"eventCount\": 6");
            world.edit("sparse-index.jsonl", "\"eventCount\":5", "\"eventCount\":6");
        },
        &["segments/a.jsonl: it has 5 events, and the manifest says 6"],
    );
}

#[test]
fn wrong_times_are_found() {
    finds(
        |world| world.edit("manifest.json", "2026-03-01T10:00:00.000Z", "2026-03-01T09:00:00.000Z"),
        &[
            "segments/a.jsonl: its first time is `2026-03-01T10:00:00.000Z`, and the manifest says `2026-03-01T09:00:00.000Z`",
        ],
    );
    finds(
        |world| world.edit("manifest.json", "2026-03-01T10:00:04.000Z", "2026-03-01T11:00:00.000Z"),
        &[
            "segments/a.jsonl: its last time is `2026-03-01T10:00:04.000Z`, and the manifest says `2026-03-01T11:00:00.000Z`",
        ],
    );
}

#[test]
fn a_segment_that_was_cut_is_found() {
    let world = world();
    let text = world.text("segments/a.jsonl");
    world.write("segments/a.jsonl", &text[..text.len() - 10]);
    let (now, then) = (text.len() - 10, text.len());
    assert_eq!(
        world.findings(),
        [
            "segments/a.jsonl: the last line is torn".to_owned(),
            format!("segments/a.jsonl: it has {now} bytes, and the manifest says {then}: committed events are lost"),
            "eventid-index.jsonl: 1 id is in no segment".to_owned(),
        ]
    );
}

#[test]
fn bytes_that_were_not_committed_are_found() {
    let more = line(&event("a", 5));
    finds(
        |world| world.write("segments/a.jsonl", world.text("segments/a.jsonl") + &more),
        &[
            &format!(
                "segments/a.jsonl: {} bytes at its end were not committed: the next export takes up the whole lines in them",
                more.len()
            ),
            "eventid-index.jsonl: 1 event of the segments is not in it",
        ],
    );
}

#[test]
fn every_fault_of_the_event_id_index_is_found() {
    let name = "eventid-index.jsonl";
    let without = |world: &World, id: &str| -> String {
        world.text(name).lines().filter(|line| !line.contains(id)).map(|line| line.to_owned() + "\n").collect()
    };
    finds(
        |world| world.write(name, without(world, &id("a", 2))),
        &["eventid-index.jsonl: 1 event of the segments is not in it"],
    );
    finds(
        |world| world.write(name, world.text(name) + &format!("{{\"eventId\":\"{}\",\"ts\":\"\"}}\n", id("z", 0))),
        &["eventid-index.jsonl: 1 id is in no segment"],
    );
    finds(
        |world| world.write(name, world.text(name) + world.text(name).lines().next().unwrap() + "\n"),
        &["eventid-index.jsonl: 1 line repeats an id"],
    );
    finds(
        |world| world.write(name, world.text(name) + "rubbish\nmore\n"),
        &["eventid-index.jsonl: 2 lines are not lines of an index"],
    );
    finds(|world| world.write(name, world.text(name) + "{\"eve"), &["eventid-index.jsonl: the last line is torn"]);
    finds(|world| world.write(name, ""), &["eventid-index.jsonl: 10 events of the segments are not in it"]);
    finds(
        |world| std::fs::remove_file(world.path(name)).unwrap(),
        &["eventid-index.jsonl: it is missing; the next export makes it anew"],
    );
}

#[test]
fn a_sparse_index_that_does_not_agree_is_found() {
    let expected = ["sparse-index.jsonl: it does not agree with the manifest; the next export makes it anew"];
    finds(|world| world.edit("sparse-index.jsonl", "a.jsonl", "b.jsonl"), &expected);
    finds(|world| world.write("sparse-index.jsonl", ""), &expected);
    finds(|world| world.write("sparse-index.jsonl", "rubbish"), &expected);
    finds(|world| std::fs::remove_file(world.path("sparse-index.jsonl")).unwrap(), &expected);
}

#[test]
fn files_without_entries_and_entries_without_files_are_found() {
    finds(
        |world| {
            std::fs::rename(world.path("segments/b.jsonl"), world.path("segments/c.jsonl")).unwrap();
            world.write("segments/notes.txt", "x");
        },
        &[
            "segments/c.jsonl: the manifest does not name it",
            "segments/notes.txt: it is not a segment",
            "segments/b.jsonl: the manifest names it, and it is missing",
        ],
    );
}

#[test]
fn a_manifest_that_is_none_is_found() {
    finds(
        |world| world.write("manifest.json", ""),
        &["manifest.json: it is not a manifest; the next export makes it anew"],
    );
    finds(
        |world| std::fs::remove_file(world.path("manifest.json")).unwrap(),
        &["manifest.json: it is missing; the next export makes it anew"],
    );
}

#[test]
fn bad_lines_and_repeated_events_are_found() {
    let world = World::new();
    let good = line(&event("a", 0));
    let parts = [&good, &good, "rubbish\n", "{\"sessionId\":\"a\"}\n", "{\"eventId\":\"x\"}\n", good.trim_end(), &good];
    world.write("segments/a.jsonl", parts.concat());
    world.export(&[]);
    assert_eq!(
        world.findings(),
        [
            "segments/a.jsonl: 1 line is not a JSON object",
            "segments/a.jsonl: 1 line holds several events",
            "segments/a.jsonl: 1 object has no event id",
            "segments/a.jsonl: 1 event has no session",
            "segments/a.jsonl: 3 lines repeat an event that is there already and says no less",
        ]
    );
}

#[test]
fn more_than_a_thousand_findings_are_counted() {
    let world = world();
    for n in 0..1005 {
        world.write(&format!("segments/{n}.txt"), "");
    }
    let report = world.verify();
    assert_eq!((report.findings.len(), report.findings_left_off), (1000, 5));
    assert!(!report.ok());
}

#[test]
fn a_check_changes_nothing() {
    let world = world();
    world.write("segments/a.jsonl", world.text("segments/a.jsonl") + "{\"torn");
    let before = world.stamps();
    world.verify();
    assert_eq!(world.stamps(), before);
}
