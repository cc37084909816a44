use crate::support::{admit, event, home};
use memoir_journal::{Change, Journal, Outcome};
use std::collections::HashSet;

#[test]
fn many_writers_and_readers_lose_and_double_nothing() {
    let home = home();
    let (writers, each) = (4, 60);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let journal = home.again();
            scope.spawn(move || {
                for n in 0..each {
                    // Every event is sent by two of the writers.
                    let events = vec![
                        event("shared", &format!("t{}-{n}", writer / 2), "same"),
                        event(&format!("w{writer}"), &n.to_string(), "own"),
                    ];
                    let outcomes = journal.append(&admit(&journal, events), &[]).unwrap();
                    assert!(matches!(outcomes[1], Outcome::Stored { .. }));
                }
            });
        }
        let reader = home.again();
        scope.spawn(move || {
            let mut seen = 0;
            while seen < writers * each {
                let changes = reader.changes(0, 10_000).unwrap();
                assert!(changes.iter().map(Change::seq).eq(1..=u64::try_from(changes.len()).unwrap()));
                seen = changes.len();
            }
        });
    });
    let stats = home.journal.stats().unwrap();
    assert_eq!(stats.events, u64::try_from(writers * each + writers / 2 * each).unwrap());
    assert_eq!(stats.sessions, u64::try_from(writers).unwrap() + 1);
    assert!(home.journal.verify(&mut |_, _| true).unwrap().bad.is_none());
    let ids: HashSet<_> = home
        .journal
        .changes(0, 10_000)
        .unwrap()
        .into_iter()
        .filter_map(|change| if let Change::Event(event) = change { Some(event.id) } else { None })
        .collect();
    assert_eq!(ids.len(), usize::try_from(stats.events).unwrap());
}

#[test]
fn the_log_stays_short_when_every_event_has_a_process_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    for n in 0..120 {
        let options = memoir_journal::SqliteOptions::short_lived();
        let journal = memoir_journal::SqliteJournal::open(&path, options, std::sync::Arc::new(|| 0)).unwrap();
        journal.append(&admit(&journal, vec![event("s", &format!("t{n}"), "x")]), &[]).unwrap();
    }
    let log = std::fs::metadata(dir.path().join("journal.db-wal")).unwrap().len();
    assert!(log < 1 << 20, "{log}");
}

#[test]
fn bulk_work_leaves_a_short_log_to_the_process_that_comes_next() {
    let dir = tempfile::tempdir().unwrap();
    let (path, log) = (dir.path().join("journal.db"), dir.path().join("journal.db-wal"));
    let options = memoir_journal::SqliteOptions::long_lived();
    let journal = memoir_journal::SqliteJournal::open(&path, options, std::sync::Arc::new(|| 0)).unwrap();
    let many = (0..5_000).map(|n| event("s", &format!("t{n}"), &"x".repeat(n % 700))).collect();
    journal.append(&admit(&journal, many), &[]).unwrap();
    assert!(std::fs::metadata(&log).unwrap().len() > 1 << 20);
    drop(journal);
    assert!(std::fs::metadata(&log).unwrap().len() < 1 << 20);
}

#[test]
fn one_that_writes_without_a_pause_lets_others_in() {
    let home = home();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (bulk, is_over) = (home.again(), &is_over);
        scope.spawn(move || {
            let mut n = 0;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let batch = admit(&bulk, (0..500).map(|at| event("bulk", &format!("{n}-{at}"), "much")).collect());
                // Nothing to prepare between two appends.
                for part in batch.chunks(100) {
                    bulk.append(part, &[]).unwrap();
                }
                n += 1;
            }
        });
        let options = memoir_journal::SqliteOptions {
            lock_wait: std::time::Duration::from_millis(300),
            ..memoir_journal::SqliteOptions::short_lived()
        };
        for n in 0..60 {
            let hook = memoir_journal::SqliteJournal::open(&home.file(), options, std::sync::Arc::new(|| 0)).unwrap();
            hook.append(&admit(&hook, vec![event("hook", &n.to_string(), "little")]), &[]).unwrap();
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(!home.dir.path().join("journal.db-wanted").exists());
}

/// However many kinds a file has, and directories a session.
#[test]
fn a_kind_and_an_origin_are_found_without_looking_through_the_others() {
    let home = home();
    let connection = rusqlite::Connection::open(home.file()).unwrap();
    for (sql, index) in [
        ("SELECT no FROM shape WHERE kind = 1 AND event_type = 'x' AND item_type IS NULL", "shape_name"),
        (
            "SELECT no FROM origin INDEXED BY origin_session
             WHERE session = 's' AND source = 1 AND client = 1 AND thread IS NULL AND repo = 'r' AND actor IS NULL",
            "origin_session (session=? AND repo=? AND client=? AND source=?)",
        ),
    ] {
        let plan: String =
            connection.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), [], |row| row.get("detail")).unwrap();
        assert!(plan.contains(index), "{plan}");
    }
}
