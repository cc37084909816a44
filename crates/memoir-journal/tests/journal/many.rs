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
