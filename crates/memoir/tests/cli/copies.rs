//! Backup, restore and export.

use crate::support::{Home, event, identified, to_lines};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_backup_brings_back_what_was_there_and_keeps_what_it_replaced() {
    let home = Home::new();
    home.ingest(&[identified("first"), identified("second")]).succeeded();
    let copy = home.top().join("copy.memoir");
    let copy = copy.to_str().unwrap();
    let ran = home.run(&["backup", copy]).succeeded();
    assert!(ran.out.contains("holds all of the journal"), "{}", ran.out);
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o600);
    home.run(&["verify", copy]).succeeded();
    home.ingest(&[identified("third")]).succeeded();
    home.run(&["search", "third"]).succeeded();

    home.run(&["restore", copy]).failed_in_one_line(2, &["not empty", "--yes"]);
    assert_eq!(home.texts().len(), 3);
    let ran = home.run(&["restore", copy, "--yes"]).succeeded();
    let kept = ran.out.lines().next().unwrap().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(home.texts(), ["first", "second"]);
    assert_eq!(home.run(&["search", "third"]).succeeded().out, "");
    assert_eq!(home.verified(), 2);
    home.ingest(&[identified("first"), identified("fourth")]).succeeded();
    assert_eq!(home.texts(), ["first", "second", "fourth"]);

    let other = Home::new();
    other.run(&["restore", &kept]).succeeded();
    assert_eq!(other.texts(), ["first", "second", "third"]);
    let again = other.ingest(&[identified("third")]).succeeded();
    assert_eq!(again.err, "memoir: stored 0, duplicate 1\n");
}

#[test]
fn a_journal_in_use_is_copied_consistently() {
    let home = Home::with_one_event();
    let mut writer = home.streaming(&[]);
    for n in 0..400 {
        assert!(writer.write(to_lines(&[event(&format!("event {n}"))])));
        if n % 100 == 50 {
            let copy = home.top().join(format!("copy-{n}"));
            home.run(&["backup", copy.to_str().unwrap()]).succeeded();
            home.run(&["verify", copy.to_str().unwrap()]).succeeded();
        }
    }
    writer.close_input();
    assert_eq!(writer.finish().succeeded().err, "memoir: stored 400\n");
    assert_eq!(home.verified(), 401);
}

#[test]
fn a_backup_never_replaces_a_file_and_needs_a_journal() {
    let home = Home::new();
    let copy = home.top().join("copy");
    let copy = copy.to_str().unwrap();
    home.run(&["backup", copy]).failed_in_one_line(1, &["there is no journal"]);
    home.ingest(&[event("x")]).succeeded();
    fs::write(copy, "precious").unwrap();
    home.run(&["backup", copy]).failed_in_one_line(1, &["exists already", "choose another name"]);
    assert_eq!(fs::read_to_string(copy).unwrap(), "precious");
    let nowhere = home.top().join("no/such/dir/copy");
    home.run(&["backup", nowhere.to_str().unwrap()]).failed_in_one_line(1, &["no/such/dir", "No such file"]);
}

#[test]
fn what_is_no_backup_is_not_restored() {
    let home = Home::with_one_event();
    let bad = home.top().join("bad");
    let path = bad.to_str().unwrap();
    home.run(&["restore", path, "--yes"]).failed_in_one_line(1, &[path, "No such file"]);
    for content in [
        &b""[..],
        b"not a database at all, just words in a file that is long enough to have a header......................",
    ] {
        fs::write(&bad, content).unwrap();
        home.run(&["restore", path, "--yes"]).failed_in_one_line(1, &[path, "is no backup of a memoir journal"]);
        home.run(&["verify", path]).failed_in_one_line(1, &[path, "is not a memoir journal"]);
    }
    rusqlite::Connection::open(home.top().join("foreign")).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
    let foreign = home.top().join("foreign");
    home.run(&["restore", foreign.to_str().unwrap(), "--yes"])
        .failed_in_one_line(1, &["is no backup of a memoir journal"]);
    assert_eq!(home.texts(), ["kept from before"]);
    assert_eq!(home.verified(), 1);
}

#[test]
fn a_backup_in_which_a_record_was_changed_is_refused_by_its_number() {
    let home = Home::new();
    home.ingest(&[event("one"), event("two"), event("three")]).succeeded();
    let copy = home.top().join("copy");
    let path = copy.to_str().unwrap();
    home.run(&["backup", path]).succeeded();
    rusqlite::Connection::open(&copy)
        .unwrap()
        .execute("UPDATE record SET ts_ms = ts_ms + 1 WHERE seq = 2", [])
        .unwrap();
    let ran = home.run(&["verify", path]);
    assert_eq!(ran.code(), 1);
    assert!(
        ran.out.starts_with("record 2 does not match its hash") && ran.out.contains("1 records before it are proven"),
        "{ran:?}"
    );
    home.run(&["restore", path, "--yes"]).failed_in_one_line(1, &["is not a good backup", "record 2"]);
    let cut = rusqlite::Connection::open(&copy).unwrap();
    cut.execute("UPDATE record SET ts_ms = ts_ms - 1 WHERE seq = 2", []).unwrap();
    cut.execute("DELETE FROM record WHERE seq = 3", []).unwrap();
    drop(cut);
    assert!(home.run(&["verify", path]).out.starts_with("record 3 is missing"));
    assert_eq!(home.verified(), 3);
}

#[test]
fn an_export_is_the_timeline_from_the_oldest_on() {
    let home = Home::new();
    home.ingest(&(0..1200).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()).succeeded();
    let exported = home.run(&["export", "--format", "jsonl"]).succeeded().out;
    let listed = home.run(&["timeline", "--oldest-first", "--json", "--limit", "2000"]).succeeded().out;
    assert_eq!(exported, listed);
    assert_eq!(exported.lines().count(), 1200);
    assert_eq!(home.run(&["export", "--session", "nobody"]).succeeded().out, "");
    assert_eq!(home.run(&["export", "--format", "xml"]).code(), 2);
}
