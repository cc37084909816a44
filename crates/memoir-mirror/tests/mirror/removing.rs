//! What a removal takes, and what it leaves as it was.

use crate::world::{World, event, event_saying, events, export, id_set, ids_of, line, wall_clock};
use memoir_event::Envelope;
use memoir_mirror::{Limits, Mirror, MirrorError, Removed, Repairs};
use std::collections::HashSet;

/// What a removal without trouble gives.
fn removed(events: u64, segments: u64) -> Removed {
    Removed { events, segments, ..Removed::default() }
}

/// A mirror with one segment of these bytes, taken up.
fn segment(bytes: impl AsRef<[u8]>) -> World {
    let world = World::new();
    world.write("segments/a.jsonl", bytes);
    world.export(&[]);
    world
}

fn without(all: &[Envelope], gone: &[Envelope]) -> Vec<Envelope> {
    let gone = id_set(gone);
    all.iter().filter(|event| !gone.contains(&event.event_id)).cloned().collect()
}

#[test]
fn a_removed_event_is_in_no_file_and_the_other_lines_are_as_they_were() {
    let all = events(&["a", "b", "c"], 20);
    let world = World::with(&all);
    let before = world.stamps();
    let gone = [event("a", 0), event("a", 7), event("a", 8), event("b", 19), event("elsewhere", 0)];
    assert_eq!(world.remove(&gone), removed(4, 2));
    world.holds_none_of(&gone);
    world.holds_once(&without(&all, &gone));
    let after = world.stamps();
    assert_eq!(after["segments/c.jsonl"], before["segments/c.jsonl"], "it was not touched");
    assert_eq!(after["project.json"], before["project.json"]);
    for name in ["segments/a.jsonl", "segments/b.jsonl", "eventid-index.jsonl"] {
        let text = String::from_utf8(before[name].bytes.clone()).unwrap();
        let ids = ids_of(&gone);
        let expected: String =
            text.split_inclusive('\n').filter(|line| !ids.iter().any(|id| line.contains(id))).collect();
        assert_eq!(world.text(name), expected, "{name}");
    }
    let manifest: serde_json::Value = serde_json::from_str(&world.text("manifest.json")).unwrap();
    let first = &manifest["segments"][0];
    assert_eq!((first["eventCount"].as_u64(), &first["firstTs"]), (Some(17), &"2026-03-01T10:00:01.000Z".into()));
    assert!(!world.export(&without(&all, &gone)).repairs.any());
}

#[cfg(unix)]
#[test]
fn what_was_written_anew_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::with(&events(&["a"], 3));
    world.remove(&[event("a", 1)]);
    for name in world.stamps().keys() {
        assert_eq!(std::fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn every_revision_goes_with_its_event() {
    let mut moved = event_saying("a", 0, "of another session by now");
    moved.session_id = "z".into();
    let world = World::with(&[event_saying("a", 0, "short"), event("a", 1), event_saying("a", 0, "not as short")]);
    world.export(&[moved]);
    assert_eq!(world.text("segments/a.jsonl").lines().count(), 4);
    assert_eq!(world.remove(&[event("a", 0)]), removed(1, 1));
    assert_eq!(world.text("segments/a.jsonl"), line(&event("a", 1)));
    world.holds_none_of(&[event("a", 0)]);
    world.holds_once(&[event("a", 1)]);
}

#[test]
fn a_segment_with_nothing_left_is_deleted_and_its_name_is_free() {
    let all = events(&["a", "b"], 5);
    let world = World::with(&all);
    assert_eq!(world.remove(&events(&["a"], 5)), removed(5, 1));
    assert!(!world.path("segments/a.jsonl").exists());
    world.holds_once(&events(&["b"], 5));
    assert_eq!(world.remove(&all), removed(5, 1));
    world.holds_once(&[]);
    world.holds_none_of(&all);
    assert_eq!(world.export(&all).new, 10);
    assert!(world.path("segments/a.jsonl").exists());
    world.holds_once(&all);
}

#[test]
fn a_removed_event_that_is_appended_again_is_new() {
    let all = events(&["a", "b"], 5);
    let world = World::with(&all);
    world.remove(&[event("a", 2), event("b", 4)]);
    let summary = world.export(&all);
    assert_eq!((summary.new, summary.known, summary.repairs.any()), (2, 8, false));
    world.holds_once(&all);
}

#[test]
fn ids_that_are_not_there_change_no_file() {
    let world = World::with(&events(&["a", "b"], 5));
    let before = world.stamps();
    assert_eq!(world.remove(&[event("c", 0), event("a", 5)]), removed(0, 0));
    assert_eq!(world.remove(&[]), removed(0, 0));
    assert_eq!(world.stamps(), before);
    world.remove(&[event("a", 1)]);
    let before = world.stamps();
    assert_eq!(world.remove(&[event("a", 1)]), removed(0, 0), "it is gone already");
    assert_eq!(world.stamps(), before);
}

#[test]
fn where_there_is_no_mirror_none_is_made() {
    let world = World::new();
    assert_eq!(world.remove(&[event("a", 0)]), removed(0, 0));
    assert!(!world.mirror.exists());
    std::fs::create_dir(world.dir()).unwrap();
    assert_eq!(world.remove(&[event("a", 0)]), removed(0, 0));
    assert_eq!(world.stamps().len(), 0, "nor is one furnished");
}

#[test]
fn lines_that_are_no_events_stay_byte_for_byte_and_in_order() {
    let limits = Limits { line_bytes_max: 2000, ..Limits::default() };
    let [first, second, third] = [0, 1, 2].map(|n| line(&event("a", n)));
    let long = line(&event_saying("a", 9, &"x".repeat(3000)));
    let torn = &first[..first.len() / 2].replace(&ids_of(&[event("a", 0)])[0], "f00f00f00f00f00f00f00f00");
    let odd = [
        b"\n\n".to_vec(),
        second.clone().into_bytes(),
        b"rubbish\n\xff\xfe\0\n  \r\n[1,2]\n".to_vec(),
        format!("{torn}\n").into_bytes(),
        long.into_bytes(),
        b"{\"sessionId\":\"a\"}\n".to_vec(),
        third.into_bytes(),
    ];
    let world = World::new();
    let mut bytes = odd.concat();
    bytes.splice(1..1, first.bytes());
    bytes.extend_from_slice(first.as_bytes());
    world.write("segments/a.jsonl", &bytes);
    let small = world.mirror.clone().with_limits(limits);
    export(&small, &[]);
    let findings = |mirror: &Mirror| mirror.verify(&mut |_| {}).unwrap().findings;
    let before = findings(&small);
    let gone = small.remove(&id_set(&[event("a", 0), event("a", 9)]), &wall_clock()).unwrap();
    assert_eq!(gone, removed(1, 1), "a line that is too long is not read");
    assert_eq!(std::fs::read(world.path("segments/a.jsonl")).unwrap(), odd.concat());
    let repeats = |finding: &&memoir_mirror::Finding| !finding.what.contains("repeats");
    assert_eq!(findings(&small), before.iter().filter(repeats).cloned().collect::<Vec<_>>());
}

#[test]
fn a_segment_without_any_event_left_keeps_what_else_is_in_it() {
    let world = segment(line(&event("a", 0)) + "rubbish\n");
    assert_eq!(world.remove(&[event("a", 0)]), removed(1, 1));
    assert_eq!(world.text("segments/a.jsonl"), "rubbish\n");
    assert_eq!(world.findings(), ["segments/a.jsonl: 1 line is not a JSON object"]);
    world.export(&[event("a", 1)]);
    assert_eq!(world.text("segments/a.jsonl"), "rubbish\n".to_owned() + &line(&event("a", 1)));
}

#[test]
fn of_events_that_share_a_line_only_the_asked_one_goes() {
    let [first, second, third] = [0, 1, 2].map(|n| line(&event("a", n)));
    let world = segment(first.clone() + second.trim_end() + &third + &second[..second.len() - 9] + &third);
    assert_eq!(world.remove(&[event("a", 1)]), removed(1, 1));
    assert_eq!(world.text("segments/a.jsonl"), first + &third + &third);
    world.holds_none_of(&[event("a", 1)]);
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("a", 2)]));
}

#[test]
fn an_event_that_another_tool_put_into_two_segments_goes_from_both() {
    let world = World::with(&events(&["a", "b"], 3));
    world.write("segments/b.jsonl", world.text("segments/b.jsonl") + &line(&event("a", 1)) + &line(&event("a", 2)));
    assert_eq!(world.remove(&[event("a", 1)]).segments, 2);
    world.holds_none_of(&[event("a", 1)]);
    let doubled = "segments/b.jsonl: 1 line repeats an event that is there already and says no less";
    assert_eq!(world.findings(), [doubled]);
    assert_eq!(world.remove(&[event("b", 0)]), removed(1, 1));
    assert_eq!(world.findings(), [doubled]);
    assert_eq!(world.remove(&[event("a", 2)]), removed(1, 2));
    world.holds_once(&[event("a", 0), event("b", 1), event("b", 2)]);
}

#[test]
fn an_event_with_an_id_of_another_make_goes_by_the_id_that_a_journal_gives_it() {
    let foreign =
        |id: &str, source: &str| format!("{{\"eventId\":\"{id}\",\"source\":\"{source}\",\"sessionId\":\"a\"}}\n");
    let (one, other) = (foreign("evt 1", "codex_sdk"), foreign("evt-2", "some-tool"));
    let world = segment(line(&event("a", 0)) + &one + &other);
    let ids = |world: &World| -> Vec<_> {
        world.read().0.into_iter().map(|event| (event.event_id.clone(), event.into_event().identities)).collect()
    };
    for (id, identities) in ids(&world).into_iter().filter(|(id, _)| id.starts_with("evt")) {
        let asked = identities.iter().find_map(|identity| match identity {
            memoir_event::Identity::Id(id) => Some(*id),
            _ => None,
        });
        let gone = world.mirror.remove(&HashSet::from([asked.unwrap()]), &wall_clock()).unwrap();
        assert_eq!(gone, removed(1, 1));
        assert_eq!(world.files_with(&id), Vec::<String>::new());
    }
    world.holds_once(&[event("a", 0)]);
}

#[test]
fn ids_in_files_of_codaph_are_counted_and_these_are_not_touched() {
    let world = World::with(&events(&["a"], 3));
    world.write(
        "events/r/2026/03/01/segment-1.jsonl",
        line(&event("a", 0)) + &line(&event("a", 0)) + &line(&event("d", 0)),
    );
    world.write("events/r/2026/03/02/segment-2.jsonl", line(&event("d", 1)) + "rubbish\n");
    let before = world.stamps();
    let gone = world.remove(&[event("a", 0), event("d", 0), event("d", 1), event("x", 0)]);
    assert_eq!(gone, Removed { events: 1, segments: 1, elsewhere: 3, repairs: Repairs::default() });
    let after = world.stamps();
    assert!(before.iter().filter(|(name, _)| name.starts_with("events")).all(|(name, stamp)| after[name] == *stamp));

    let only_days = World::new();
    only_days.write("events/r/2026/03/02/segment-2.jsonl", line(&event("d", 1)));
    let before = only_days.stamps();
    assert_eq!(only_days.remove(&[event("d", 1)]), Removed { elsewhere: 1, ..Removed::default() });
    assert_eq!(only_days.stamps(), before);
}

#[test]
fn what_a_killed_writer_left_is_mended_and_removed_too() {
    let world = World::with(&events(&["a", "b"], 3));
    let text = world.text("segments/a.jsonl") + &line(&event("a", 3)) + &line(&event("a", 4));
    world.write("segments/a.jsonl", text + &line(&event("a", 5))[..200]);
    world.write("segments/c.jsonl", line(&event("c", 0)));
    let gone = world.remove(&[event("a", 3), event("a", 5), event("c", 0)]);
    let repairs = Repairs { lines_recovered: 3, lines_cut: 1, segments_adopted: 1, ..Repairs::default() };
    assert_eq!(gone, Removed { events: 2, segments: 2, elsewhere: 0, repairs });
    let all = [events(&["a", "b"], 3), vec![event("a", 4)]].concat();
    world.holds_once(&all);
    world.holds_none_of(&[event("a", 3), event("a", 5), event("c", 0)]);

    world.write("eventid-index.jsonl", "");
    let gone = world.remove(&[event("x", 0)]);
    assert_eq!((gone.events, gone.repairs), (0, Repairs { id_indexes: 1, ..Repairs::default() }));
    world.holds_once(&all);
}

#[test]
fn a_segment_that_was_changed_is_said_to_be_and_the_event_is_removed() {
    let all = events(&["a", "b"], 5);
    let world = World::with(&all);
    world.edit("segments/a.jsonl", "word 3", "ward 3");
    let gone = world.remove(&[event("a", 1)]);
    assert_eq!(gone, Removed { repairs: Repairs { checksums: 1, ..Repairs::default() }, ..removed(1, 1) });
    world.holds_once(&without(&all, &[event("a", 1)]));
    assert!(world.text("segments/a.jsonl").contains("ward 3"), "it is taken as it is");
}

#[test]
fn a_mirror_of_a_later_version_or_behind_a_link_is_left_alone() {
    let world = World::with(&events(&["a"], 2));
    world.edit("manifest.json", "mirror.v2", "mirror.v3");
    let before = world.stamps();
    assert!(matches!(world.try_remove(&[event("a", 0)]), Err(MirrorError::Schema { .. })));
    assert_eq!(world.stamps(), before);
    #[cfg(unix)]
    {
        let elsewhere = World::new();
        std::os::unix::fs::symlink(world.dir(), elsewhere.dir()).unwrap();
        assert!(matches!(elsewhere.try_remove(&[event("a", 0)]), Err(MirrorError::Link { .. })));
        std::fs::remove_file(elsewhere.dir()).unwrap();
        std::fs::create_dir(elsewhere.dir()).unwrap();
        std::os::unix::fs::symlink(world.path("segments"), elsewhere.path("segments")).unwrap();
        assert!(matches!(elsewhere.try_remove(&[event("a", 0)]), Err(MirrorError::Link { .. })));
        assert_eq!(world.stamps(), before);
    }
}
