use crate::support::{event, home, open};
use memoir_journal::{Audience, Journal, JournalError, SCHEMA_VERSION, SqliteJournal, SqliteOptions, View};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

fn open_at(path: &Path) -> Result<SqliteJournal, JournalError> {
    SqliteJournal::open(path, SqliteOptions::short_lived(), Arc::new(|| 0))
}

/// A journal written by version 1, as a file in the repository: every later version must open it.
#[test]
fn a_journal_of_version_1_opens() {
    let dir = tempfile::tempdir().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/journal-v1.db");
    if std::env::var_os("MEMOIR_WRITE_GOLDEN").is_some() {
        let made = home();
        made.append(vec![event("demo", "t1", "hello recorder"), event("demo", "t2", "and again")]);
        std::fs::remove_file(&golden).ok();
        made.journal.backup(&golden).unwrap();
    }
    std::fs::copy(golden, dir.path().join("journal.db")).unwrap();
    let journal = open_at(&dir.path().join("journal.db")).unwrap();
    assert!(journal.verify(&mut |_, _| true).unwrap().bad.is_none());
    let texts: Vec<_> = journal.events(&[1, 2], &View::of(Audience::Owner)).unwrap();
    assert_eq!(texts[0].event.content.plain(), "hello recorder");
    let expected =
        memoir_event::EventId::derive(memoir_event::Source::Recorder, Some("demo"), 2, "prompt.submitted", "");
    assert_eq!(texts[1].id, expected);
    let appended =
        journal.append(&crate::support::admit(&journal, vec![event("demo", "t1", "hello recorder")]), &[]).unwrap();
    assert!(matches!(appended[0], memoir_journal::Outcome::SeenAgain { of: 1, .. }));
}

#[test]
fn a_newer_journal_is_refused_with_its_version() {
    let made = home();
    made.append(vec![event("s", "t", "x")]);
    drop(made.journal);
    let newer = SCHEMA_VERSION + 1;
    Connection::open(made.dir.path().join("journal.db")).unwrap().pragma_update(None, "user_version", newer).unwrap();
    let refused = open_at(&made.dir.path().join("journal.db"));
    assert!(matches!(refused, Err(JournalError::Newer { found, .. }) if found == newer));
}

#[test]
fn a_file_of_another_kind_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    let text =
        b"these are my notes, not a database, and they are longer than a header of one hundred bytes: ".repeat(4);
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(open_at(&path), Err(JournalError::NotAJournal { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), text);

    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes(x); INSERT INTO notes VALUES(1)").unwrap();
    assert!(matches!(open_at(&path), Err(JournalError::NotAJournal { .. })));
}

#[test]
fn two_processes_may_create_the_journal_at_once() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.db");
        std::thread::scope(|scope| {
            let openers: Vec<_> = (0..4).map(|_| scope.spawn(|| open_at(&path).map(drop))).collect();
            for opener in openers {
                opener.join().unwrap().unwrap();
            }
        });
        let clock = Arc::new(std::sync::atomic::AtomicI64::new(0));
        assert_eq!(open(dir.path(), &clock).stats().unwrap().records, 0);
    }
}
