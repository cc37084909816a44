//! Writers and removers are killed at random moments; what was committed and not to be removed is there, once.
//!
//! `MEMOIR_TORTURE` sets how many kills, `MEMOIR_TORTURE_SEED` repeats a run.

use crate::child::{STOCK, going_in, nth, number_after, prepare, prepare_removal};
use crate::world::{World, ids_of};
use memoir_mirror::Repairs;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const KILLS: u64 = 15;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

fn number_from(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How many kills, the dice that say when, and how to have the same again.
fn torture() -> (u64, Dice, String) {
    let kills = number_from("MEMOIR_TORTURE").unwrap_or(KILLS);
    let seed = number_from("MEMOIR_TORTURE_SEED").unwrap_or_else(|| u64::from(std::process::id()) << 20 | 1);
    let again = format!("MEMOIR_TORTURE={kills} MEMOIR_TORTURE_SEED={seed}");
    (kills, Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), again)
}

/// Starts a child, kills it after a while, and gives what it said.
fn start_and_kill(mut command: Command, wait: Duration) -> Vec<String> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "ready 0");
    std::thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
    let said: Vec<String> = said.map_while(Result::ok).collect();
    assert!(!said.iter().any(|line| line.starts_with("refused") || line.contains("panicked")), "{said:?}");
    said
}

/// Starts a writer, kills it after a while, and gives how far it said it came.
fn write_and_kill(world: &World, from: u64, wait: Duration) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    prepare(&mut command, world.root.path(), from);
    let said = start_and_kill(command, wait);
    said.iter().filter_map(|line| number_after(line, "committed ")).max().unwrap_or(from)
}

/// How many lines of the segments each id has.
fn lines_by_id(world: &World) -> HashMap<String, u64> {
    let mut counts = HashMap::new();
    for entry in std::fs::read_dir(world.path("segments")).unwrap() {
        for line in std::fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            *counts.entry(line["eventId"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn whenever_a_writer_is_killed_what_was_committed_is_there_once() {
    let (kills, mut dice, again) = torture();
    // Shown only if the test fails.
    eprintln!("{again}");
    let mut world = World::new();
    let (mut committed, mut killed_at_work, mut mended) = (0, 0, 0);
    for kill in 0..kills {
        // A long torture starts over now and then: what is checked each time grows.
        if kill % 40 == 39 {
            (world, committed) = (World::new(), 0);
        }
        committed = write_and_kill(&world, committed, Duration::from_micros(dice.roll(60_000)));
        if dice.roll(4) == 0 {
            // The next writer is killed too, in the middle of the repair perhaps.
            committed = write_and_kill(&world, committed, Duration::from_micros(dice.roll(8_000)));
        }
        let summary = world.export(&[]);
        killed_at_work += summary.repairs.locks;
        mended += u64::from(Repairs { locks: 0, ..summary.repairs }.any());
        assert_eq!(world.findings(), Vec::<String>::new(), "kill {kill}");
        let lines = lines_by_id(&world);
        assert!(lines.values().all(|count| *count == 1), "kill {kill}: an event is there twice");
        let lost = (0..committed).find(|n| !lines.contains_key(&nth(*n).event_id.to_string()));
        assert_eq!(lost, None, "kill {kill}: {committed} were committed, {} are there", lines.len());
        assert_eq!(world.read().1.events, u64::try_from(lines.len()).unwrap());
    }
    eprintln!("{kills} kills, {killed_at_work} at work, {mended} left something to mend");
    assert!(killed_at_work > 0 && mended > 0, "a torture that tells nothing");
}

/// Starts a remover, kills it after a while, and gives the round it was in.
fn remove_and_kill(world: &World, round: u64, wait: Duration) -> u64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    prepare_removal(&mut command, world.root.path(), round);
    let said = start_and_kill(command, wait);
    said.iter().filter_map(|line| number_after(line, "round ")).max().unwrap_or(round)
}

#[test]
fn whenever_a_remover_is_killed_what_was_not_to_go_is_there_and_what_was_goes_with_the_next_call() {
    let (kills, mut dice, again) = torture();
    // Shown only if the test fails.
    eprintln!("{again}");
    let world = World::new();
    let all: Vec<_> = (0..STOCK).map(nth).collect();
    world.export(&all);
    let (mut round, mut killed_at_work, mut mended) = (0, 0, 0);
    for kill in 0..kills {
        round = remove_and_kill(&world, round, Duration::from_micros(dice.roll(60_000)));
        if dice.roll(4) == 0 {
            // The next one is killed too, in the middle of the repair perhaps.
            round = remove_and_kill(&world, round, Duration::from_micros(dice.roll(8_000)));
        }
        let going = ids_of(&going_in(round));
        let staying = all.iter().filter(|event| going.binary_search(&event.event_id.to_string()).is_err());
        let staying: Vec<_> = staying.cloned().collect();
        let there = world.ids();
        let lost = ids_of(&staying).into_iter().find(|id| there.binary_search(id).is_err());
        assert_eq!(lost, None, "kill {kill}: before anybody mended");
        let repairs = if dice.roll(2) == 0 {
            world.remove(&going_in(round)).repairs
        } else {
            let repairs = world.export(&[]).repairs;
            assert_eq!(world.findings(), Vec::<String>::new(), "kill {kill}");
            assert_eq!(world.unfinished(), None, "kill {kill}");
            assert_eq!(world.ids(), there, "kill {kill}: mended");
            world.remove(&going_in(round));
            repairs
        };
        killed_at_work += repairs.locks;
        mended += u64::from(Repairs { locks: 0, ..repairs }.any());
        assert_eq!((repairs.checksums, repairs.segments_cut, repairs.segments_missing), (0, 0, 0), "kill {kill}");
        world.holds_once(&staying);
        world.holds_none_of(&going_in(round));
        for n in going_in(round) {
            assert_eq!(world.files_with(n.payload.as_str()), Vec::<String>::new(), "kill {kill}");
        }
        world.export(&all);
        world.holds_once(&all);
        round += 1;
    }
    eprintln!("{kills} kills, {killed_at_work} at work, {mended} left something to mend");
    assert!(killed_at_work > 0 && mended > 0, "a torture that tells nothing");
}
