//! Session files that are written anew, copied and moved: what is new in them is found, and nothing is read for nothing.

use crate::world::World;
use memoir_event::{Client, Kind};
use memoir_record::{ClientSummary, ReadState};
use std::fs;

const FILE: &str = ".claude/projects/-p/s.jsonl";
const ROLLOUT: &str = "rollout-2026-11-16T03-00-00-01a10000-0000-7000-8000-000000000001.jsonl";

/// A session of so many prompts, each so long that the two ends of the file tell nothing of the middle.
fn session(prompts: &[&str]) -> String {
    let line = |(number, text): (usize, &&str)| {
        let filler = "x".repeat(3000);
        format!(
            r#"{{"type":"user","uuid":"u-{text}","sessionId":"s","cwd":"/p","promptId":"p-{text}","timestamp":"2026-11-16T03:00:0{number}.000Z","message":{{"role":"user","content":"{text} {filler}"}}}}"#,
        ) + "\n"
    };
    prompts.iter().enumerate().map(line).collect()
}

/// The first words of every prompt, in the order of their times.
fn prompts(world: &World) -> Vec<String> {
    let events = world.events().into_iter().filter(|stored| stored.event.kind() == Kind::UserMessage);
    events.map(|stored| stored.event.content.plain().split(' ').next().unwrap().to_owned()).collect()
}

fn read(world: &World, client: Client) -> ClientSummary {
    world.import().clients.remove(&client).unwrap()
}

#[test]
fn a_file_that_is_rewritten_in_its_middle_at_the_same_length_is_read_again() {
    let world = World::new();
    world.put(FILE, session(&["one", "two", "six"]).as_bytes());
    world.import();
    world.put(FILE, session(&["one", "ten", "six"]).as_bytes());
    let summary = read(&world, Client::Claude);
    assert_eq!((summary.read, summary.rewritten), (1, 1));
    assert_eq!(prompts(&world), ["one", "two", "ten", "six"]);
    assert_eq!(read(&world, Client::Claude).read, 0);
    // Also if somebody set its time back.
    let path = world.path(FILE);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    world.put(FILE, session(&["one", "new", "six"]).as_bytes());
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(read(&world, Client::Claude).rewritten, 1);
    assert!(prompts(&world).contains(&"new".to_owned()));
    assert_eq!(read(&world, Client::Claude).read, 0);
}

#[test]
fn what_stands_in_the_place_of_something_else_has_an_id_of_its_own() {
    let world = World::new();
    let ids = || {
        let events = world.events();
        let mut ids: Vec<_> = events.iter().map(|stored| stored.id).collect();
        ids.sort();
        (events.len(), ids)
    };
    world.put(FILE, session(&["one", "two", "six"]).as_bytes());
    world.import();
    let (_, first) = ids();
    for word in ["ten", "new"] {
        world.put(FILE, session(&["one", word, "six"]).as_bytes());
        world.import();
        world.append(FILE, session(&["one", word, "six", &format!("after-{word}")]).lines().last().unwrap().as_bytes());
        world.append(FILE, b"\n");
        world.import();
    }
    let (count, mut all) = ids();
    assert!(first.iter().all(|id| all.contains(id)), "what was there keeps its id");
    all.dedup();
    assert_eq!((all.len(), prompts(&world).len()), (count, 7), "{}", world.told());
}

#[test]
fn a_file_that_another_took_the_place_of_is_read_again_though_it_grew() {
    let world = World::new();
    world.put(FILE, session(&["one", "two", "six"]).as_bytes());
    world.import();
    let aside = world.path("aside");
    fs::write(&aside, session(&["one", "ten", "six", "last"])).unwrap();
    fs::rename(aside, world.path(FILE)).unwrap();
    assert_eq!(read(&world, Client::Claude).rewritten, 1);
    assert_eq!(prompts(&world), ["one", "two", "ten", "six", "last"]);
}

#[test]
fn of_a_file_that_only_grew_only_what_is_new_is_read() {
    let world = World::new();
    let whole = session(&["one", "two", "six", "last"]);
    let end = whole.rfind("{\"type\"").unwrap();
    world.put(FILE, &whole.as_bytes()[..end]);
    world.import();
    world.append(FILE, &whole.as_bytes()[end..]);
    let summary = read(&world, Client::Claude);
    assert_eq!((summary.read, summary.rewritten, summary.lines), (1, 0, 1));
}

/// A rollout with so many prompts.
fn rollout(prompts: usize) -> String {
    let first = r#"{"timestamp":"2026-11-16T03:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"01a10000-0000-7000-8000-000000000001","session_id":"01a10000-0000-7000-8000-000000000001","cwd":"/p","history_mode":"paginated"}}"#;
    let prompt = |n: usize| {
        format!(
            r#"{{"timestamp":"2026-11-16T03:00:0{n}.000Z","ordinal":{n},"type":"event_msg","payload":{{"type":"item_completed","turn_id":"t{n}","item":{{"type":"UserMessage","id":"u{n}","content":[{{"type":"text","text":"prompt-{n}"}}]}}}}}}"#
        )
    };
    std::iter::once(first.to_owned()).chain((1..=prompts).map(prompt)).map(|line| line + "\n").collect()
}

#[test]
fn a_copy_of_a_rollout_is_read_once_too_and_then_all_is_covered() {
    let copies = [".codex/sessions/2026/11/16", ".codex/sessions/2026/11/17", ".codex/archived_sessions"];
    let world = World::new();
    for (dir, prompts) in copies.iter().zip([2, 3, 1]) {
        world.put(&format!("{dir}/{ROLLOUT}"), rollout(prompts).as_bytes());
    }
    world.import();
    assert_eq!(prompts(&world), ["prompt-1", "prompt-2", "prompt-3"]);
    for _ in 0..2 {
        assert_eq!(read(&world, Client::Codex).read, 0);
        assert_eq!(world.coverage(), [ReadState::Whole; 3]);
    }
    // One of them grows, another goes away.
    world.put(&format!("{}/{ROLLOUT}", copies[2]), rollout(4).as_bytes());
    world.import();
    assert_eq!(prompts(&world).last().unwrap(), "prompt-4");
    fs::remove_file(world.path(&format!("{}/{ROLLOUT}", copies[0]))).unwrap();
    world.import();
    assert_eq!(read(&world, Client::Codex).read, 0);
    assert_eq!(world.coverage(), [ReadState::Whole; 2]);
}

#[test]
fn a_rollout_that_is_moved_into_the_archive_is_not_read_again() {
    let world = World::new();
    world.put(&format!(".codex/sessions/2026/11/16/{ROLLOUT}"), rollout(2).as_bytes());
    world.import();
    fs::create_dir_all(world.path(".codex/archived_sessions")).unwrap();
    fs::rename(
        world.path(&format!(".codex/sessions/2026/11/16/{ROLLOUT}")),
        world.path(&format!(".codex/archived_sessions/{ROLLOUT}")),
    )
    .unwrap();
    assert_eq!(read(&world, Client::Codex).read, 0);
    assert_eq!(world.coverage(), [ReadState::Whole]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_each_file_is_read_once_and_no_circle_is_walked() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let world = World::new();
    let named = |name: &str| session(&["one"]).replace("u-one", name).replace("\"s\"", &format!("{name:?}"));
    world.put(".claude/projects/-p/s.jsonl", named("here").as_bytes());
    world.put("elsewhere/-q/t.jsonl", named("there").as_bytes());
    world.put("elsewhere/-q/deep/u.jsonl", named("deeper").as_bytes());
    let at = |path: &str| world.path(path);
    symlink(at("elsewhere/-q"), at(".claude/projects/-a")).unwrap();
    symlink(at("elsewhere"), at(".claude/projects/-z")).unwrap();
    symlink(at(".claude/projects/-p"), at(".claude/projects/-same")).unwrap();
    symlink(at(".claude/projects/-p/s.jsonl"), at(".claude/projects/-p/again.jsonl")).unwrap();
    symlink("../-p", at(".claude/projects/-p/itself")).unwrap();
    symlink(at(".claude"), at("elsewhere/-q/deep/round")).unwrap();
    let odd = at(".claude/projects/-p").join(OsStr::from_bytes(b"odd-\xff.jsonl"));
    fs::write(odd, named("odd")).unwrap();
    let summary = world.import();
    let claude = &summary.clients[&Client::Claude];
    assert_eq!((claude.read, claude.failed, prompts(&world).len()), (4, 1, 4), "{summary:?}");
    assert_eq!(summary.problems.len(), 1, "{:?}", summary.problems);
    assert_eq!(read(&world, Client::Claude).read, 0);
}
