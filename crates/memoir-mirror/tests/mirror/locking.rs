//! One writer at a time, and no lock that nobody holds.

use crate::world::{World, event, events, export, ids_of, project, wall_clock};
use memoir_event::format_ms;
use memoir_mirror::{MirrorError, Writer};
use std::time::{Duration, SystemTime};

fn lock_of(pid: u32, started_ago_ms: i64) -> String {
    let started = format_ms(wall_clock()() - started_ago_ms);
    format!(r#"{{"token":"t","pid":{pid},"startedAt":"{started}","mode":"sync"}}"#)
}

/// A number that no process has now.
fn dead_pid() -> u32 {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

/// A process that lives until this is gone.
struct Living(std::process::Child);

impl Living {
    fn new() -> Living {
        Living(std::process::Command::new("sleep").arg("60").spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn refusal(opened: Result<Writer, MirrorError>) -> String {
    match opened {
        Err(error @ MirrorError::Locked { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn the_lock_says_who_writes_and_is_gone_afterwards() {
    let world = World::new();
    let writer = world.writer().unwrap();
    let lock: serde_json::Value = serde_json::from_str(&world.text("sync-lock.json")).unwrap();
    assert_eq!(lock["pid"], std::process::id());
    assert_eq!(lock["mode"], "export");
    assert!(memoir_event::parse_ms(lock["startedAt"].as_str().unwrap()).is_ok());
    assert!(lock["token"].as_str().unwrap().starts_with(&format!("{}-", std::process::id())));
    writer.finish().unwrap();
    assert!(!world.path("sync-lock.json").exists());
    drop(world.writer().unwrap());
    assert!(!world.path("sync-lock.json").exists());
}

#[test]
fn a_second_writer_is_told_who_is_first() {
    let world = World::new();
    let first = world.writer().unwrap();
    let said = refusal(world.writer());
    assert!(said.contains(&format!("process {}", std::process::id())), "{said}");
    drop(first);
    world.writer().unwrap().finish().unwrap();
}

#[test]
fn a_patient_writer_waits_its_turn() {
    let world = World::new();
    let first = world.writer().unwrap();
    let patient = world.mirror.clone().with_patience(Duration::from_secs(30));
    std::thread::scope(|scope| {
        let second = scope.spawn(|| patient.writer(&project(), &wall_clock()).map(drop));
        std::thread::sleep(Duration::from_millis(60));
        assert!(!second.is_finished());
        drop(first);
        second.join().unwrap().unwrap();
    });
    let first = world.writer().unwrap();
    let impatient = world.mirror.clone().with_patience(Duration::from_millis(50));
    refusal(impatient.writer(&project(), &wall_clock()));
    drop(first);
}

#[test]
fn the_lock_of_a_dead_process_is_taken_over() {
    let world = World::with(&[event("a", 0)]);
    world.write("sync-lock.json", lock_of(dead_pid(), 1000));
    assert_eq!(world.export(&[event("a", 1)]).repairs.locks, 1);
    assert!(!world.path("sync-lock.json").exists());
}

#[test]
fn the_lock_of_another_living_process_holds_for_an_hour() {
    let world = World::with(&[event("a", 0)]);
    let living = Living::new();
    world.write("sync-lock.json", lock_of(living.pid(), 59 * 60_000));
    let said = refusal(world.writer());
    assert!(said.contains(&format!("process {}", living.pid())), "{said}");
    world.write("sync-lock.json", lock_of(living.pid(), 61 * 60_000));
    assert_eq!(world.export(&[]).repairs.locks, 1);
}

#[test]
fn a_lock_with_our_own_number_is_left_by_a_namesake() {
    let world = World::with(&[event("a", 0)]);
    world.write("sync-lock.json", lock_of(std::process::id(), 1000));
    assert_eq!(world.export(&[]).repairs.locks, 1);
}

#[test]
fn a_lock_that_says_nothing_holds_for_ten_seconds() {
    for content in ["", "{", "\0\0\0\0", "[1,2]", r#"{"pid":"x"}"#] {
        let world = World::with(&[event("a", 0)]);
        world.write("sync-lock.json", content);
        let said = refusal(world.writer());
        assert!(said.contains("another process"), "{said}");
        let file = std::fs::File::options().write(true).open(world.path("sync-lock.json")).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(11)).unwrap();
        assert_eq!(world.export(&[]).repairs.locks, 1, "{content}");
    }
}

#[test]
fn two_exports_of_the_same_events_at_once_write_each_event_once() {
    let world = World::new();
    let all = events(&["a", "b", "c"], 200);
    let patient = world.mirror.clone().with_patience(Duration::from_secs(60));
    let summaries: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|_| scope.spawn(|| export(&patient, &all))).collect();
        running.into_iter().map(|export| export.join().unwrap()).collect()
    });
    let sums = summaries.iter().fold((0, 0), |sums, summary| (sums.0 + summary.new, sums.1 + summary.known));
    assert_eq!(sums, (600, 600));
    world.holds_once(&all);
}

#[test]
fn exports_of_different_clients_at_once_are_all_in_the_index() {
    let world = World::new();
    let sessions = ["codex", "claude", "gemini", "copilot"];
    let patient = world.mirror.clone().with_patience(Duration::from_secs(60));
    std::thread::scope(|scope| {
        for session in sessions {
            let patient = &patient;
            scope.spawn(move || {
                for n in 0..10 {
                    export(patient, &(n * 20..n * 20 + 20).map(|n| event(session, n)).collect::<Vec<_>>());
                }
            });
        }
    });
    world.holds_once(&events(&sessions, 200));
}

#[test]
fn many_who_find_a_dead_lock_do_not_write_together() {
    let world = World::with(&[event("a", 0)]);
    let patient = world.mirror.clone().with_patience(Duration::from_secs(60));
    for round in 0..5 {
        world.write("sync-lock.json", lock_of(dead_pid(), 1000));
        std::thread::scope(|scope| {
            for who in 0..4 {
                let patient = &patient;
                scope.spawn(move || export(patient, &[event("a", 1 + round * 4 + who)]));
            }
        });
    }
    assert_eq!(world.ids(), ids_of(&(0..21).map(|n| event("a", n)).collect::<Vec<_>>()));
    assert_eq!(world.findings(), Vec::<String>::new());
}
