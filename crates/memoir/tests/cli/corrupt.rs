//! A journal file that is damaged, or is none.

use crate::support::{Home, Ran, event, identified, to_lines};
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

/// A home with 400 events all in the file itself, and a backup beside it.
fn filled() -> (Home, String) {
    let home = Home::new();
    home.ingest(&(0..400).map(|n| identified(&format!("event {n} {}", noise(n)))).collect::<Vec<_>>()).succeeded();
    let copy = home.top().join("copy").to_str().unwrap().to_owned();
    home.run(&["backup", &copy]).succeeded();
    let connection = rusqlite::Connection::open(home.journal()).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    (home, copy)
}

/// Text that does not compress to nothing.
fn noise(n: u64) -> String {
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for _ in 0..40 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(&format!("{:x} ", state >> 40));
    }
    text
}

fn overwrite(home: &Home, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(home.journal()).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

const COMMANDS: [&[&str]; 8] = [
    &["search", "event"],
    &["timeline", "--limit", "1000"],
    &["sessions"],
    &["status"],
    &["verify"],
    &["export"],
    &["doctor"],
    &["show", "demo"],
];

/// Whatever a command makes of the damage, it says it in words and does not crash.
fn said_in_words(ran: &Ran) {
    assert!(ran.code() <= 1, "{ran:?}");
    assert!(ran.err.lines().all(|line| line.starts_with("memoir: ")), "{ran:?}");
    assert!(ran.err.lines().all(|line| line.len() < 1000), "{ran:?}");
}

/// New events are kept somewhere, and come back with the backup.
fn nothing_new_is_lost(home: &Home, copy: &str) {
    let ran = home.ingest(&[event("came later")]);
    said_in_words(&ran);
    assert!(!ran.err.contains("lost"), "{ran:?}");
    let kept = ran.err.contains("spooled 1") || ran.err.contains("stored 1");
    assert!(kept, "{ran:?}");
    let spooled = ran.err.contains("spooled 1");
    home.run(&["restore", copy, "--yes"]).succeeded();
    let texts = home.texts();
    assert_eq!(texts.iter().filter(|text| text.starts_with("event ")).count(), 400);
    assert_eq!(texts.contains(&"came later".to_owned()), spooled, "what waited in the spool is stored now");
    home.verified();
    home.run(&["search", "event"]).succeeded();
}

#[test]
fn a_garbled_header_is_said_and_a_backup_mends_it() {
    let (home, copy) = filled();
    overwrite(&home, 0, &[0xa5; 100]);
    for args in COMMANDS {
        let ran = home.run(args);
        said_in_words(&ran);
        assert_eq!(ran.code(), 1, "{args:?} {ran:?}");
        let said = ran.err + &ran.out;
        assert!(
            said.contains("journal.db is not a memoir journal") && said.contains("move it away"),
            "{args:?}: {said}"
        );
    }
    let before = fs::read(home.journal()).unwrap();
    let ran = home.ingest(&[event("came later")]).failed(1, &["is not a memoir journal", "spooled 1"]);
    assert!(ran.err.contains("stored 0"), "{ran:?}");
    assert_eq!(fs::read(home.journal()).unwrap(), before, "what may still be saved is not touched");
    fs::rename(home.journal(), home.top().join("broken")).unwrap();
    for rest in ["journal.db-wal", "journal.db-shm"] {
        let _ = fs::remove_file(home.dir().join(rest));
    }
    home.run(&["restore", &copy, "--yes"]).succeeded();
    assert_eq!(home.texts().len(), 401);
    assert!(home.texts().contains(&"came later".to_owned()));
    home.verified();
}

#[test]
fn a_garbled_page_in_the_middle_is_named_by_verify_and_a_backup_mends_it() {
    let (home, copy) = filled();
    let pages = fs::metadata(home.journal()).unwrap().len() / 4096;
    assert!(pages > 20, "{pages}");
    overwrite(&home, pages / 2 * 4096, &[0xa5; 8192]);
    for args in COMMANDS {
        said_in_words(&home.run(args));
    }
    let verified = home.run(&["verify"]);
    assert_eq!(verified.code(), 1, "{verified:?}");
    let said = verified.out.clone() + &verified.err;
    assert!(said.contains("memoir restore"), "{said}");
    assert_eq!(home.run(&["doctor"]).code(), 1);
    nothing_new_is_lost(&home, &copy);
}

/// Garbles one page after another of a good journal, and hands each broken home over.
fn with_each_page_garbled(mut look: impl FnMut(&Home, usize)) {
    let (home, _) = filled();
    let good = fs::read(home.journal()).unwrap();
    let pages = good.len() / 4096;
    for page in (1..pages).step_by(3) {
        fs::write(home.journal(), &good).unwrap();
        for rest in ["journal.db-wal", "journal.db-shm"] {
            let _ = fs::remove_file(home.dir().join(rest));
        }
        overwrite(&home, page as u64 * 4096, &[0x5a; 4096]);
        look(&home, page);
    }
}

#[test]
fn whichever_page_is_garbled_nothing_crashes_and_new_events_are_kept() {
    with_each_page_garbled(|home, page| {
        for args in [&["timeline", "--limit", "1000"][..], &["status"]] {
            said_in_words(&home.run(args));
        }
        let ran = home.ingest(&[identified("another one")]);
        said_in_words(&ran);
        let kept = ["stored 1", "spooled 1", "duplicate 1"].iter().any(|word| ran.err.contains(word));
        assert!(kept && !ran.err.contains("lost"), "page {page}: {ran:?}");
    });
}

#[test]
fn a_journal_that_verify_passes_can_be_read_and_written() {
    with_each_page_garbled(|home, page| {
        if home.run(&["verify"]).code() == 0 {
            let listed = home.run(&["timeline", "--limit", "1000"]);
            assert_eq!((listed.code(), listed.out.lines().count()), (0, 400), "page {page}: {}", listed.err);
            let ran = home.ingest(&[identified("another one")]);
            assert_eq!((ran.code(), ran.err.as_str()), (0, "memoir: stored 1\n"), "page {page}");
        }
    });
}

#[test]
fn a_truncated_journal_is_said_and_a_backup_mends_it() {
    let (home, copy) = filled();
    let half = fs::metadata(home.journal()).unwrap().len() / 2 / 4096 * 4096;
    OpenOptions::new().write(true).open(home.journal()).unwrap().set_len(half).unwrap();
    for args in COMMANDS {
        said_in_words(&home.run(args));
    }
    let verified = home.run(&["verify"]);
    assert_eq!(verified.code(), 1, "{verified:?}");
    nothing_new_is_lost(&home, &copy);
}

#[test]
fn a_record_changed_by_hand_is_named() {
    let (home, _) = filled();
    let connection = rusqlite::Connection::open(home.journal()).unwrap();
    connection.execute("UPDATE record SET flags = flags + 1 WHERE seq = 123", []).unwrap();
    drop(connection);
    let verified = home.run(&["verify", "--json"]);
    assert_eq!(
        (verified.code(), verified.json()["badRecord"].as_u64(), verified.json()["records"].as_u64()),
        (1, Some(123), Some(122))
    );
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code(), 1);
    assert!(doctor.out.contains("fail chain - record 123 "), "{}", doctor.out);
    assert!(doctor.out.contains("memoir restore"));
}

#[test]
fn a_file_that_is_no_journal_is_left_alone() {
    let words = b"these are words, not a database; they were here before memoir and stay ".repeat(20);
    let home = Home::with_one_event();
    for rest in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        fs::remove_file(home.dir().join(rest)).unwrap();
    }
    fs::write(home.journal(), &words).unwrap();
    home.run(&["search", "x"]).failed_in_one_line(1, &["journal.db is not a memoir journal", "move it away"]);
    home.ingest(&[event("kept")]).failed(1, &["is not a memoir journal", "spooled 1"]);
    assert_eq!(fs::read(home.journal()).unwrap(), words);

    fs::remove_file(home.journal()).unwrap();
    rusqlite::Connection::open(home.journal())
        .unwrap()
        .execute_batch("CREATE TABLE mine(x); INSERT INTO mine VALUES(1)")
        .unwrap();
    home.run(&["search", "x"]).failed_in_one_line(1, &["journal.db is not a memoir journal"]);
    let kept: i64 = rusqlite::Connection::open(home.journal())
        .unwrap()
        .query_row("SELECT x FROM mine", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 1);

    fs::remove_file(home.journal()).unwrap();
    fs::create_dir(home.journal()).unwrap();
    home.run(&["search", "x"]).failed_in_one_line(1, &["journal.db"]);
    home.ingest(&[event("kept too")]).failed(1, &["journal.db", "spooled 1"]);
    fs::remove_dir(home.journal()).unwrap();
    assert_eq!(home.texts(), ["kept", "kept too"]);
}

#[test]
fn a_journal_from_the_future_is_left_alone() {
    let home = Home::with_one_event();
    let connection = rusqlite::Connection::open(home.journal()).unwrap();
    let present: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    home.run(&["timeline"]).failed_in_one_line(1, &["schema version 999", "install a newer memoir"]);
    home.feed(&["ingest"], to_lines(&[event("waits")])).failed(1, &["install a newer memoir", "spooled 1"]);
    connection.pragma_update(None, "user_version", present).unwrap();
    assert_eq!(home.texts(), ["kept from before", "waits"]);
}
