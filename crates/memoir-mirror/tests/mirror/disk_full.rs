//! A disk that is full, played by a limit on the size of files.
#![cfg(target_os = "linux")]

use crate::child::{STOCK, going_in, nth, number_after, prepare, prepare_removal};
use crate::world::{World, ids_of};
use std::process::{Command, Stdio};

/// This binary, if its files cannot grow beyond `blocks` of 512 bytes.
fn limited(blocks: u64) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"")).arg("sh");
    command.arg(std::env::current_exe().unwrap());
    command
}

/// Runs a writer until it is refused; gives what it said.
fn write_until_full(world: &World, from: u64, blocks: u64) -> Vec<String> {
    let mut command = limited(blocks);
    prepare(&mut command, world.root.path(), from);
    said_by(command)
}

fn said_by(mut command: Command) -> Vec<String> {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    said.lines().map(str::to_owned).collect()
}

#[test]
fn a_full_disk_is_an_error_and_costs_nothing_that_was_committed() {
    let world = World::new();
    let mut committed = 0;
    for blocks in [1, 3, 20, 33, 64, 65, 100, 150, 151, 200] {
        let said = write_until_full(&world, committed, blocks);
        let refused: Vec<&String> = said.iter().filter(|line| line.starts_with("refused")).collect();
        assert_eq!(refused.len(), 1, "{blocks}: {said:?}");
        assert!(refused[0].contains("cannot "), "{said:?}");
        committed = said.iter().filter_map(|line| number_after(line, "committed ")).max().unwrap_or(committed);
        assert!(!world.path("sync-lock.json").exists(), "{blocks}");
        let (_, summary) = world.read();
        assert!(summary.events >= committed, "{blocks}: {} of {committed}", summary.events);
    }
    assert!(committed > 0);
    world.export(&[]);
    assert_eq!(world.findings(), Vec::<String>::new());
    let ids = world.ids();
    for n in 0..committed {
        assert!(ids.binary_search(&nth(n).event_id.to_string()).is_ok(), "{n} of {committed} is lost");
    }
    world.export(&(0..committed + 100).map(nth).collect::<Vec<_>>());
    world.holds_once(&(0..committed + 100).map(nth).collect::<Vec<_>>());
}

#[test]
fn a_full_disk_stops_a_removal_and_the_next_one_does_the_rest() {
    let all: Vec<_> = (0..STOCK).map(nth).collect();
    // The first round takes a whole session out, the second some of each.
    let cases = [
        (0, 0, "create", "sync-lock.json"),
        (0, 1, "write", "manifest.json"),
        (0, 3, "write", "eventid-index.jsonl"),
        (1, 1, "write", "segments/session-0.jsonl"),
        (1, 40, "write", "segments/session-0.jsonl"),
        (1, 52, "write", "segments/session-2.jsonl"),
        (0, 20, "write", "segments/session-0.jsonl"),
    ];
    for (round, blocks, doing, name) in cases {
        let world = World::new();
        world.export(&all);
        let mut command = limited(blocks);
        prepare_removal(&mut command, world.root.path(), round);
        let said = said_by(command);
        let refused: Vec<&String> = said.iter().filter(|line| line.starts_with("refused")).collect();
        assert_eq!(refused, [&format!("refused cannot {doing} {}", world.path(name).display())], "{blocks}: {said:?}");
        assert!(!world.path("sync-lock.json").exists(), "{blocks}");
        let going = ids_of(&going_in(round));
        let staying = all.iter().filter(|event| going.binary_search(&event.event_id.to_string()).is_err());
        let staying: Vec<_> = staying.cloned().collect();
        let there = world.ids();
        assert_eq!(ids_of(&staying).into_iter().find(|id| there.binary_search(id).is_err()), None, "{blocks}");
        world.remove(&going_in(round));
        world.holds_once(&staying);
        world.holds_none_of(&going_in(round));
    }
}
