use crate::support::{event, home, open};
use memoir_journal::{Audience, Filter, Journal, JournalError, Order, Page, View, verify_file};

#[test]
fn a_backup_of_a_live_journal_verifies_and_restores() {
    let source = home();
    source.append((0..500).map(|n| event("s", &format!("t{n}"), &format!("text {n}"))).collect());
    let file = source.dir.path().join("copy.memoir");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let writer = source.again();
            for n in 500..700 {
                writer
                    .append(&crate::support::admit(&writer, vec![event("s", &format!("t{n}"), "more")]), &[])
                    .unwrap();
            }
        });
        source.journal.backup(&file).unwrap();
    });
    let verified = verify_file(&file, &mut |_, _| true).unwrap();
    assert!(verified.bad.is_none() && verified.records >= 500, "{verified:?}");

    let target = home();
    target.append(vec![event("old", "t", "gone after the restore")]);
    let before = target.journal.identity().unwrap();
    let other_process = target.again();
    let restored = target.journal.restore(&file).unwrap();
    assert_ne!(restored.identity().unwrap(), before);
    // Whoever had the old journal open has its secret, and would break the chain of the new one.
    let late = other_process.append(&crate::support::admit(&other_process, vec![event("late", "t", "x")]), &[]);
    assert!(matches!(late, Err(JournalError::Replaced)), "{late:?}");
    drop(restored);
    let restored = open(target.dir.path(), &target.now_ms);
    assert!(restored.verify(&mut |_, _| true).unwrap().bad.is_none());
    let page =
        restored.page(&Filter::default(), &View::of(Audience::Owner), &Page::first(1000, Order::OldestFirst)).unwrap();
    assert_eq!(u64::try_from(page.events.len()).unwrap(), verified.records);
    // The restored journal keeps the secret of its keys: what it knows it still knows.
    let again = restored.append(&crate::support::admit(&restored, vec![event("s", "t3", "text 3")]), &[]).unwrap();
    assert!(matches!(again[0], memoir_journal::Outcome::SeenAgain { .. }));
}

#[test]
fn a_backup_never_replaces_a_file() {
    let home = home();
    let file = home.dir.path().join("precious");
    std::fs::write(&file, "x").unwrap();
    assert!(home.journal.backup(&file).is_err());
    assert_eq!(std::fs::read(&file).unwrap(), b"x");
    assert_eq!(
        std::fs::read_dir(home.dir.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("partial"))
            .count(),
        0
    );
}

#[test]
fn what_is_no_backup_is_refused_and_nothing_is_harmed() {
    let home = home();
    home.append(vec![event("s", "t", "kept")]);
    let file = home.dir.path().join("junk");
    for bytes in [&b""[..], b"not a database at all, but long enough to look at", &[0u8; 8192]] {
        std::fs::write(&file, bytes).unwrap();
        assert!(
            matches!(
                home.again().restore(&file).map(drop),
                Err(JournalError::NotAJournal { .. } | JournalError::ReadOnly)
            ),
            "{bytes:?}"
        );
    }
    assert!(home.again().restore(&home.dir.path().join("absent")).is_err());
    assert_eq!(home.journal.stats().unwrap().events, 1);
}

#[cfg(unix)]
#[test]
fn a_backup_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.append(vec![event("s", "t", "x")]);
    let file = home.dir.path().join("copy");
    home.journal.backup(&file).unwrap();
    for path in [&file, &home.file(), &home.dir.path().join("journal.db-wal")] {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
}
