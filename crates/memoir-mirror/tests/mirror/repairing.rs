//! What a killed writer or a failing disk leaves, set up by hand: one state of the files to a test.

use crate::world::{World, event, event_saying, events, line};
use memoir_mirror::Repairs;
use sha2::{Digest as _, Sha256};
use std::io::Write as _;

fn append_to(world: &World, name: &str, bytes: impl AsRef<[u8]>) {
    let mut file = std::fs::File::options().append(true).create(true).open(world.path(name)).unwrap();
    file.write_all(bytes.as_ref()).unwrap();
}

/// Runs an export of nothing and gives what it mended; afterwards there is nothing left to mend.
fn mend(world: &World) -> Repairs {
    let repairs = world.export(&[]).repairs;
    let again = world.export(&[]).repairs;
    assert!(!again.any(), "{again:?}");
    repairs
}

#[test]
fn whole_lines_beyond_the_manifest_are_kept_and_a_torn_one_is_cut_off() {
    let world = World::with(&events(&["a", "b"], 3));
    append_to(&world, "segments/a.jsonl", line(&event("a", 3)) + &line(&event("a", 4)) + &line(&event("a", 5))[..100]);
    let repairs = mend(&world);
    assert_eq!(repairs, Repairs { lines_recovered: 2, lines_cut: 1, ..Repairs::default() });
    let mut all = events(&["a", "b"], 3);
    all.extend([event("a", 3), event("a", 4)]);
    world.holds_once(&all);
}

#[test]
fn a_line_that_lacks_only_its_newline_is_whole() {
    let world = World::with(&events(&["a"], 3));
    append_to(&world, "segments/a.jsonl", line(&event("a", 3)).trim_end());
    assert_eq!(mend(&world), Repairs { lines_recovered: 1, ..Repairs::default() });
    world.holds_once(&events(&["a"], 4));
}

#[test]
fn a_revision_that_was_not_committed_is_no_new_event() {
    let world = World::with(&events(&["a"], 3));
    append_to(&world, "segments/a.jsonl", line(&event_saying("a", 1, "fuller than it was before")));
    assert_eq!(mend(&world), Repairs { lines_recovered: 1, ..Repairs::default() });
    assert_eq!(world.findings(), Vec::<String>::new());
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.duplicates), (3, 1));
}

#[test]
fn a_segment_that_the_manifest_does_not_know_yet_is_taken_up() {
    let world = World::with(&events(&["a"], 3));
    append_to(&world, "segments/b.jsonl", line(&event("b", 0)) + &line(&event("b", 1)));
    append_to(&world, "segments/c.jsonl", "");
    append_to(&world, "segments/d.jsonl", &line(&event("d", 0))[..50]);
    let repairs = mend(&world);
    assert_eq!(repairs, Repairs { segments_adopted: 1, lines_recovered: 2, lines_cut: 1, ..Repairs::default() });
    assert!(!world.path("segments/c.jsonl").exists() && !world.path("segments/d.jsonl").exists());
    let mut all = events(&["a"], 3);
    all.extend(events(&["b"], 2));
    world.holds_once(&all);
    all.push(event("d", 0));
    world.export(&all);
    world.holds_once(&all);
    assert!(world.path("segments/d.jsonl").exists(), "the name is free again");
}

#[test]
fn ids_that_reached_the_index_before_the_manifest_are_there_once() {
    let world = World::with(&events(&["a"], 3));
    let later = World::with(&events(&["a"], 6));
    let index = later.text("eventid-index.jsonl");
    world.write("segments/a.jsonl", later.text("segments/a.jsonl"));
    for cut in [index.len(), index.len() - 1, index.len() - 30, index.len() - 80] {
        let torn = World::with(&events(&["a"], 3));
        torn.write("segments/a.jsonl", later.text("segments/a.jsonl"));
        torn.write("eventid-index.jsonl", &index[..cut]);
        let repairs = mend(&torn);
        assert_eq!((repairs.lines_recovered, repairs.id_indexes), (3, 0), "{cut} {repairs:?}");
        torn.holds_once(&events(&["a"], 6));
    }
}

#[test]
fn a_sparse_index_that_is_ahead_of_the_manifest_is_put_right() {
    let world = World::with(&events(&["a"], 3));
    world.edit("sparse-index.jsonl", "3", "4");
    assert_eq!(mend(&world), Repairs { sparse_indexes: 1, ..Repairs::default() });
    world.holds_once(&events(&["a"], 3));
    std::fs::remove_file(world.path("sparse-index.jsonl")).unwrap();
    assert_eq!(mend(&world).sparse_indexes, 1);
    world.write("sparse-index.jsonl", r#"{ "eventCount" : 3, "segment" : "a.jsonl", "sessionId" : "a" }"#);
    assert!(!mend(&world).any(), "another spelling says the same");
}

#[test]
fn an_index_that_is_missing_empty_cut_zeroed_or_foreign_is_made_anew() {
    let all = events(&["a", "b", "c"], 20);
    let good = World::with(&all);
    let index = good.text("eventid-index.jsonl");
    let lines: Vec<&str> = index.lines().collect();
    let bad = [
        String::new(),
        lines[..30].join("\n") + "\n",
        lines[..59].join("\n") + "\n",
        lines.join("\n") + "\n" + lines[7] + "\n",
        index.replacen("eventId", "other", 1),
        "\0".repeat(index.len()),
        index.clone() + "{\"eventId\":\"000000000000000000000000\",\"ts\":\"\"}\n",
        index.replacen(&lines[3][12..20], "ffffffff", 1),
    ];
    for content in bad {
        let world = World::with(&all);
        world.write("eventid-index.jsonl", &content);
        let summary = world.export(&all);
        assert_eq!((summary.new, summary.known), (0, 60), "{content:.200}");
        assert_eq!(summary.repairs.id_indexes, 1, "{content:.200}");
        world.holds_once(&all);
    }
    let world = World::with(&all);
    std::fs::remove_file(world.path("eventid-index.jsonl")).unwrap();
    assert_eq!(mend(&world).id_indexes, 1);
    world.holds_once(&all);
}

#[test]
fn an_event_that_the_index_lost_is_not_written_again() {
    let all = events(&["a", "b"], 5);
    let world = World::with(&all);
    let id = event("a", 2).event_id.to_string();
    world.edit("eventid-index.jsonl", &id, "ffffffffffffffffffffffff");
    let summary = world.export(&[event("a", 2)]);
    assert_eq!((summary.known, summary.repairs.id_indexes), (1, 1));
    world.holds_once(&all);
}

#[test]
fn a_manifest_that_is_missing_empty_cut_or_zeroed_is_made_anew() {
    let all = events(&["a", "b"], 10);
    let good = World::with(&all);
    let manifest = good.text("manifest.json");
    let doubled = manifest.replace("b.jsonl", "a.jsonl");
    for content in ["", &manifest[..manifest.len() / 2], &"\0".repeat(500), "{}", "[]", &doubled] {
        let world = World::with(&all);
        world.write("manifest.json", content);
        assert_eq!(mend(&world), Repairs { manifests: 1, ..Repairs::default() }, "{content:.100}");
        assert_eq!(world.text("manifest.json"), manifest);
        world.holds_once(&all);
    }
    let world = World::with(&all);
    std::fs::remove_file(world.path("manifest.json")).unwrap();
    assert_eq!(mend(&world).manifests, 1);
    assert_eq!(world.text("manifest.json"), manifest);
}

#[test]
fn a_manifest_of_a_later_version_is_left_alone() {
    let world = World::with(&events(&["a"], 2));
    world.edit("manifest.json", "mirror.v2", "mirror.v3");
    let before = world.stamps();
    let Err(error) = world.writer() else { panic!("it was opened") };
    assert!(error.to_string().contains("codaph.mirror.v3"), "{error}");
    assert_eq!(world.stamps(), before);
    assert_eq!(world.read().0.len(), 2);
}

#[test]
fn a_manifest_of_another_tool_without_sizes_is_completed() {
    let world = World::with(&events(&["a", "b"], 4));
    let manifest = world.text("manifest.json");
    let without: String = manifest.lines().filter(|line| !line.contains("\"bytes\"")).collect::<Vec<_>>().join("\n");
    world.write("manifest.json", without.replace("Z\",\n    }", "Z\"\n    }"));
    assert_eq!(world.findings(), Vec::<String>::new());
    assert!(!mend(&world).any());
    assert_eq!(world.text("manifest.json"), manifest);
}

#[test]
fn a_segment_that_is_gone_or_short_costs_its_own_events_and_they_can_come_again() {
    let all = events(&["a", "b"], 10);
    let world = World::with(&all);
    std::fs::remove_file(world.path("segments/a.jsonl")).unwrap();
    assert_eq!(mend(&world), Repairs { segments_missing: 1, ..Repairs::default() });
    world.holds_once(&events(&["b"], 10));
    assert_eq!(world.export(&all).new, 10);
    world.holds_once(&all);

    let text = world.text("segments/b.jsonl");
    world.write("segments/b.jsonl", &text[..text.len() - 100]);
    assert_eq!(mend(&world), Repairs { segments_cut: 1, lines_cut: 1, ..Repairs::default() });
    assert_eq!(world.export(&all).new, 1);
    world.holds_once(&all);
}

#[test]
fn a_segment_that_was_changed_is_noticed_when_it_is_written_to() {
    let all = events(&["a", "b"], 10);
    let world = World::with(&all);
    let lost = line(&event("a", 4));
    let text = world.text("segments/a.jsonl");
    // As long as before, and without one event.
    world.write("segments/a.jsonl", text.replacen(&lost, &(" ".repeat(lost.len() - 1) + "\n"), 1));
    let summary = world.export(&[event("b", 10), event("a", 10)]);
    assert_eq!((summary.new, summary.events), (2, 21));
    assert_eq!((summary.repairs.checksums, summary.repairs.id_indexes), (1, 1));
    assert_eq!(world.findings(), Vec::<String>::new());
    assert_eq!(world.export(&[event("a", 4)]).new, 1, "what was lost is not known any more");
    assert_eq!(world.read().0.len(), 22);
}

#[test]
fn a_segment_that_was_changed_and_grew_is_noticed_too() {
    let world = World::with(&events(&["a", "b"], 10));
    let text = world.text("segments/a.jsonl");
    let changed = text.replacen("T", "t", 1);
    assert_ne!(text, changed);
    world.write("segments/a.jsonl", changed + "junk\n");
    let repairs = mend(&world);
    assert_eq!(repairs.checksums, 1, "{repairs:?}");
}

#[test]
fn an_event_that_another_tool_put_into_two_segments_is_counted_once() {
    let world = World::with(&events(&["a", "b"], 3));
    append_to(&world, "segments/b.jsonl", line(&event("a", 1)));
    mend(&world);
    assert_eq!(world.findings(), ["segments/b.jsonl: 1 line repeats an event that is there already and says no less"]);
    assert_eq!(world.export(&events(&["a", "b"], 3)).known, 6);
    assert_eq!(world.read().0.len(), 6);
    world.export(&[event("b", 3), event("a", 3)]);
    assert!(!world.export(&[]).repairs.any());
    assert_eq!(world.findings().len(), 1);
}

#[test]
fn events_with_ids_of_another_make_are_kept_and_indexed() {
    let world = World::with(&events(&["a"], 2));
    append_to(
        &world,
        "segments/z.jsonl",
        "{\"eventId\":\"evt \\\"1\\\"\",\"sessionId\":\"z\",\"ts\":\"x\"}\n{\"eventId\":2,\"sessionId\":3}\n",
    );
    assert_eq!(mend(&world).lines_recovered, 2);
    assert_eq!(world.findings(), Vec::<String>::new());
    assert_eq!(world.read().0.len(), 4);
    std::fs::remove_file(world.path("eventid-index.jsonl")).unwrap();
    mend(&world);
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn rubbish_that_is_called_a_segment_stays_and_its_session_gets_another_file() {
    let world = World::with(&events(&["a"], 2));
    append_to(&world, "segments/b.jsonl", "rubbish\n");
    world.export(&[event("b", 0)]);
    assert_eq!(world.text("segments/b.jsonl"), "rubbish\n");
    assert!(world.path("segments/%62.jsonl").exists());
    assert_eq!(world.read().0.len(), 3);
    assert!(!world.export(&[event("b", 1)]).repairs.any());
    assert_eq!(world.read().0.len(), 4);
}

#[test]
fn nothing_is_appended_to_a_committed_line_that_lacks_its_newline() {
    let world = World::with(&events(&["a"], 2));
    let text = world.text("segments/a.jsonl");
    let cut = text.trim_end();
    world.write("segments/a.jsonl", cut);
    let manifest = world.text("manifest.json");
    let sum = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let manifest = manifest.replace(&sum(&text), &sum(cut));
    world.write("manifest.json", manifest.replace(&text.len().to_string(), &cut.len().to_string()));
    assert_eq!(world.findings(), Vec::<String>::new());
    world.export(&[event("a", 2)]);
    world.holds_once(&events(&["a"], 3));
}

#[test]
fn a_writer_that_meets_bytes_of_another_does_not_write_into_them() {
    let world = World::with(&events(&["a"], 2));
    let mut writer = world.writer().unwrap();
    writer.append(&event("a", 2)).unwrap();
    append_to(&world, "segments/a.jsonl", line(&event("a", 9)));
    assert!(writer.finish().is_err());
    let all = [events(&["a"], 2), vec![event("a", 9), event("a", 2)]].concat();
    world.export(&all);
    world.holds_once(&all);
}

#[test]
fn what_a_killed_writer_left_half_written_is_deleted() {
    let all = events(&["a"], 2);
    let world = World::with(&all);
    let before = world.stamps();
    let names = ["manifest.json", "sparse-index.jsonl", "eventid-index.jsonl", "project.json", ".gitignore"];
    let names = names.map(|name| name.to_owned() + ".tmp").into_iter().chain(["segments/rewritten.tmp".to_owned()]);
    names.for_each(|name| world.write(&name, "half a"));
    world.write("segments/theirs.tmp", "not ours");
    assert!(!world.export(&all).repairs.any());
    assert_eq!(world.text("segments/theirs.tmp"), "not ours");
    std::fs::remove_file(world.path("segments/theirs.tmp")).unwrap();
    assert_eq!(world.stamps(), before);
}
