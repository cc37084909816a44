//! A disk that is full, played by a limit on the size of files.
#![cfg(target_os = "linux")]

use crate::child::{nth, number_after, prepare};
use crate::world::World;
use std::process::{Command, Stdio};

/// Runs a writer whose files cannot grow beyond `blocks` of 512 bytes; gives what it said.
fn write_until_full(world: &World, from: u64, blocks: u64) -> Vec<String> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"")).arg("sh");
    command.arg(std::env::current_exe().unwrap());
    prepare(&mut command, world.root.path(), from);
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
