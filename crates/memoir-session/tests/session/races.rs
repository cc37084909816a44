//! Several processes at once, one that is killed, and a clock for each.

use crate::support::*;
use memoir_event::{Content, Event, Identity, Kind, Source, Trigger};
use memoir_journal::{Admission, Clock, Journal, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Effort, Process, Sealed, Sessions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn committing(journal: &SqliteJournal, owner: &str) -> Sealed {
    let (redactor, clock): (Redactor, Clock) = (Redactor::builtin(), Arc::new(|| START_MS));
    let nobody = |_: &Process| false;
    let rules = CommitRules::default();
    let sessions = Sessions { journal, redactor: &redactor, clock: &clock, rules, owner, is_alive: &nobody };
    sessions.commit(&name("cx-a"), Trigger::Asked, Effort::ALL).unwrap()
}

#[test]
fn overlapping_commits_while_turns_come_in_neither_double_nor_lose_an_event() {
    let home = home();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for owner in ["one", "two", "three"] {
            let (dir, clock, stop) = (home.dir.path(), home.clock.clone(), &stop);
            scope.spawn(move || {
                let options =
                    SqliteOptions { lock_wait: std::time::Duration::from_secs(30), ..SqliteOptions::short_lived() };
                let journal = SqliteJournal::open(&dir.join("journal.db"), options, clock).unwrap();
                while !stop.load(Ordering::Relaxed) {
                    committing(&journal, owner);
                }
            });
        }
        for turn in 0..60 {
            home.stop("cx-a", &format!("turn {turn}"));
        }
        stop.store(true, Ordering::Relaxed);
    });
    home.commit("cx-a");
    home.assert_whole("cx-a");
    let archives = home.archives("cx-a");
    assert_eq!(archives.iter().map(|archive| archive.events).sum::<u64>(), 120);
    assert_eq!(home.pending().len(), 0);
}

#[test]
fn a_commit_that_was_stopped_for_longer_than_its_lease_changes_nothing_when_it_goes_on() {
    let home = home();
    home.stop("cx-a", "one");
    let sealed = home.journal.cursor("session|sealed|cx-a").unwrap();
    assert!(sealed.is_none());
    home.commit_anew("cx-a");
    // What the stopped one would append now: its own archive, behind rows that are not as it read them.
    let gone = memoir_journal::Cursor::gone("session|sealed|cx-a".to_owned());
    let stale = Event::new(Source::Memoir, "a", Kind::Archive, Content::Text("stale".to_owned()));
    let stale = Admission::new(&home.redactor, home.journal.hasher().clone()).admit(stale);
    assert_eq!(home.journal.append_if(&[gone], &[stale], &[]).unwrap(), None);
    home.assert_whole("cx-a");
}

#[test]
fn two_at_once_make_one_archive() {
    for _ in 0..10 {
        let home = home();
        home.stop("cx-a", "work");
        let (dir, clock) = (home.dir.path(), &home.clock);
        std::thread::scope(|scope| {
            for owner in ["one", "two"] {
                scope.spawn(move || committing(&open(dir, clock), owner));
            }
        });
        assert_eq!(home.archives("cx-a").len(), 1);
        home.assert_whole("cx-a");
    }
}

#[test]
fn a_journal_that_cannot_be_written_keeps_the_state() {
    let home = home();
    home.stop("cx-a", "work");
    home.end("cx-a");
    let options = SqliteOptions { lock_wait: std::time::Duration::ZERO, ..SqliteOptions::short_lived() };
    let other = SqliteJournal::open(&home.dir.path().join("journal.db"), options, home.clock.clone()).unwrap();
    // Another process writes for long.
    let blocker = home.hold_the_write_lock();
    let (redactor, nobody) = (Redactor::builtin(), |_: &Process| false);
    let sessions = Sessions {
        journal: &other,
        redactor: &redactor,
        clock: &home.clock,
        rules: CommitRules::default(),
        owner: "x",
        is_alive: &nobody,
    };
    assert!(sessions.commit(&name("cx-a"), Trigger::Asked, Effort::ALL).unwrap_err().is_transient());
    drop(blocker);
    assert_eq!(home.worked_off(), ["cx-a"]);
    home.assert_whole("cx-a");
}

#[test]
fn a_process_killed_in_the_middle_leaves_a_lease_that_ends_and_nothing_half_done() {
    let home = home();
    home.stop("cx-a", "work");
    // Killed after it took the lease and before it appended.
    home.journal.lease("session|cx-a", "killed", 60_000).unwrap().unwrap();
    assert_eq!(home.commit("cx-a"), Sealed::Busy);
    assert_eq!((home.archives("cx-a").len(), home.pending().len()), (0, 1));
    home.wait(61_000);
    home.commit_anew("cx-a");
    home.assert_whole("cx-a");
}

#[test]
fn a_turn_stored_while_a_commit_reads_keeps_the_session_open() {
    let home = home();
    home.stop("cx-a", "one");
    home.commit_anew("cx-a");
    // The Stop worked out its touch before the commit and stores it after.
    let touched = home.with(|sessions| sessions.touched(&name("cx-a"), None)).unwrap();
    let mut event = home.event("cx-a", Kind::UserMessage, Content::Text("two".to_owned()));
    event.identities = vec![Identity::Named("late".to_owned())];
    home.append(vec![event], &[touched]);
    assert!(home.is_open("cx-a"));
    assert_eq!(home.pending_names(), ["cx-a"]);
}

impl Home {
    fn hold_the_write_lock(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.dir.path().join("journal.db")).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection
    }
}
