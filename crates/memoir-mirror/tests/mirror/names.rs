//! Session ids come from outside: whatever they are, files stay where they belong, and private.

use crate::world::{World, event, events, ids_of};
use memoir_mirror::MirrorError;
use std::collections::HashSet;

fn hostile() -> Vec<String> {
    let long = "x".repeat(5000);
    let named = [
        "../../../escaped",
        "a/b",
        "a\\b",
        "CON",
        "con",
        "nul.txt",
        "",
        ".",
        "..",
        ".hidden",
        "-",
        "a b",
        "a:b",
        "a\0b",
        "A",
        "a",
        "ABC-def",
        "abc-DEF",
        "%41",
        "%61",
        "é",
        "e\u{301}",
        "\u{1f600}",
        "manifest.json",
        "a.jsonl",
        "a.jsonl.jsonl",
    ];
    let mut all: Vec<String> = named.iter().map(|id| (*id).to_owned()).collect();
    all.extend([long.clone(), long + "y", "é".repeat(100), "X".repeat(119), "x".repeat(119)]);
    all
}

#[test]
fn no_session_id_writes_outside_or_shares_a_file() {
    let world = World::new();
    let sessions = hostile();
    let all: Vec<_> = sessions.iter().flat_map(|session| [event(session, 0), event(session, 1)]).collect();
    let beside_before = std::fs::read_dir(world.root.path()).unwrap().count();
    assert_eq!(world.export(&all).segments, u64::try_from(sessions.len()).unwrap());
    assert_eq!(std::fs::read_dir(world.root.path()).unwrap().count(), beside_before + 1, "only .codaph is new");
    let names: Vec<String> = std::fs::read_dir(world.path("segments"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), sessions.len());
    let folded: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(folded.len(), names.len(), "two names differ only in case");
    for name in &names {
        let text = world.text(&format!("segments/{name}"));
        let owners: HashSet<String> = text
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["sessionId"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!((owners.len(), text.lines().count()), (1, 2), "{name}");
    }
    world.holds_once(&all);
    assert_eq!(world.export(&all).known, u64::try_from(all.len()).unwrap());
}

#[test]
fn ids_that_differ_only_in_case_keep_their_files_when_everything_is_rebuilt() {
    let world = World::with(&events(&["Ab", "aB", "ab"], 3));
    let before = world.stamps();
    std::fs::remove_file(world.path("manifest.json")).unwrap();
    std::fs::remove_file(world.path("eventid-index.jsonl")).unwrap();
    std::fs::remove_file(world.path("sparse-index.jsonl")).unwrap();
    assert_eq!(world.export(&events(&["ab", "aB", "Ab"], 3)).known, 9);
    let after = world.stamps();
    for name in ["manifest.json", "sparse-index.jsonl"] {
        assert_eq!(after[name].bytes, before[name].bytes, "{name}");
    }
    assert_eq!(world.ids(), ids_of(&events(&["Ab", "aB", "ab"], 3)));
}

#[cfg(unix)]
#[test]
fn directories_and_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::with(&[event("a", 0)]);
    let mode = |name: &str| std::fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777;
    for dir in [".", "segments"] {
        assert_eq!(mode(dir), 0o700, "{dir}");
    }
    for name in world.stamps().keys() {
        assert_eq!(mode(name), 0o600, "{name}");
    }
}

#[test]
fn a_new_mirror_is_kept_out_of_version_control_and_an_old_one_as_it_was() {
    let world = World::with(&[event("a", 0)]);
    assert_eq!(world.text(".gitignore"), "*\n");
    std::fs::remove_file(world.path(".gitignore")).unwrap();
    world.export(&[event("a", 1)]);
    assert!(!world.path(".gitignore").exists(), "who removed it wants the mirror in version control");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let world = World::with(&[event("a", 0)]);
    let outside = world.root.path().join("outside.txt");
    std::fs::write(&outside, "mine").unwrap();
    symlink(&outside, world.path("segments/b.jsonl")).unwrap();
    for name in ["manifest.json.tmp", "eventid-index.jsonl.tmp", "sparse-index.jsonl.tmp", "project.json.tmp"] {
        symlink(&outside, world.path(name)).unwrap();
    }
    world.export(&[event("b", 0), event("a", 1)]);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("a", 1), event("b", 0)]));

    std::fs::remove_file(world.path("eventid-index.jsonl")).unwrap();
    symlink(&outside, world.path("eventid-index.jsonl")).unwrap();
    assert!(world.writer().and_then(memoir_mirror::Writer::finish).is_err());
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");

    let elsewhere = World::new();
    symlink(world.dir(), elsewhere.dir()).unwrap();
    assert!(matches!(elsewhere.writer(), Err(MirrorError::Link { .. })));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_segment_stops_nobody() {
    let world = World::with(&[event("a", 0)]);
    let made = std::process::Command::new("mkfifo").arg(world.path("segments/b.jsonl")).status().unwrap();
    assert!(made.success());
    assert_eq!(world.ids(), ids_of(&[event("a", 0)]));
    assert_eq!(world.read().1.problems.len(), 1);
    assert_eq!(world.findings(), ["segments/b.jsonl: it is not a segment"]);
    world.export(&[event("b", 0)]);
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("b", 0)]));
}
