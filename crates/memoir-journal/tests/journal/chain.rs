use crate::support::{event, home, item};
use memoir_event::Source;
use memoir_journal::Journal;
use rusqlite::Connection;

fn first_bad(change: &str) -> Option<(u64, String)> {
    let home = home();
    home.append((0..20).map(|n| event("s", &format!("t{n}"), &format!("text {n} {}", "word ".repeat(30)))).collect());
    home.append(vec![item(Source::CodexHook, "i", "short")]);
    home.append(vec![item(Source::CodexHistory, "i", "longer than before")]);
    assert!(home.journal.verify(&mut |_, _| true).unwrap().bad.is_none());
    Connection::open(home.file()).unwrap().execute_batch(change).unwrap();
    home.again().verify(&mut |_, _| true).unwrap().bad
}

#[test]
fn any_change_is_found_and_the_first_bad_record_named() {
    for (change, seq) in [
        ("UPDATE record SET ts_ms = ts_ms + 1 WHERE seq = 7", 7),
        ("UPDATE record SET flags = 0 WHERE seq = 1", 1),
        ("UPDATE record SET number = 99 WHERE seq = 20", 20),
        ("UPDATE record SET body = (SELECT body FROM record WHERE seq = 3) WHERE seq = 4", 4),
        ("UPDATE record SET body = NULL WHERE seq = 5", 5),
        ("UPDATE record SET keys = x'00' WHERE seq = 6", 6),
        ("UPDATE record SET body = x'07' WHERE seq = 6", 6),
        ("UPDATE record SET event = 1 WHERE seq = 22", 22),
        ("DELETE FROM record WHERE seq = 9", 9),
        ("DELETE FROM record WHERE seq = 1", 1),
        ("DELETE FROM record WHERE seq > 18", 19),
        ("UPDATE origin SET session = 'other' WHERE no = 1", 1),
        ("UPDATE origin SET repo = 'other' WHERE no = 1", 1),
        ("DELETE FROM shape", 1),
    ] {
        let bad = first_bad(change);
        assert_eq!(bad.as_ref().map(|bad| bad.0), Some(seq), "{change}: {bad:?}");
    }
    assert_eq!(first_bad("SELECT 1"), None);
}

#[test]
fn verification_can_be_stopped() {
    let home = home();
    home.append((0..5000).map(|n| event("s", &format!("t{n}"), "x")).collect());
    let verified = home.journal.verify(&mut |_, _| false).unwrap();
    assert!(verified.stopped && verified.records < 5000);
}

#[test]
fn a_garbled_page_is_reported_not_fatal() {
    let home = home();
    home.append((0..3000).map(|n| event("s", &format!("t{n}"), &format!("text {n}"))).collect());
    home.journal.checkpoint().unwrap();
    let file = home.file();
    drop(home.journal);
    let _ = std::fs::remove_file(home.dir.path().join("journal.db-wal"));
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 8192 * 4096;
    for byte in &mut bytes[middle..middle + 16384] {
        *byte ^= 0x5a;
    }
    std::fs::write(&file, bytes).unwrap();
    let journal = crate::support::open(home.dir.path(), &home.now_ms);
    let verified = journal.verify(&mut |_, _| true);
    // Damage in the records is a bad record; damage elsewhere leaves them whole and is found in the tables.
    assert!(verified.map_or(true, |verified| !verified.is_whole()));
}
