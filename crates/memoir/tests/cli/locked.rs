//! A journal that another process holds: events wait in the spool and the next command stores them.

use crate::support::{Home, Ran, event, identified, run, set_mode, to_lines};
use rusqlite::Connection;
use std::fs;

/// Holds the journal's write lock until it is dropped.
pub fn hold(home: &Home) -> Connection {
    let connection = Connection::open(home.journal()).unwrap();
    connection.execute_batch("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE").unwrap();
    connection
}

/// Ingests without patience for a lock.
pub fn impatient(home: &Home, args: &[&str], lines: &str) -> Ran {
    let mut command = home.command(args);
    command.env("MEMOIR_JOURNAL_LOCK_WAIT_MS", "50");
    run(command, lines.as_bytes())
}

/// Ingests into a journal that is locked; the records are in the spool afterwards.
pub fn ingest(home: &Home, lines: &str) -> Ran {
    let before = home.spooled_files().len();
    let ran = impatient(home, &["ingest"], lines).failed(1, &["locked by another process", "spooled "]);
    assert!(home.spooled_files().len() > before);
    ran
}

#[test]
fn events_for_a_locked_journal_wait_in_the_spool_and_the_next_command_stores_them() {
    for next in [&["status"][..], &["search", "waited"], &["timeline"], &["spool", "flush"], &["verify"], &["ingest"]] {
        let home = Home::with_one_event();
        let lock = hold(&home);
        ingest(&home, &to_lines(&[event("waited"), identified("named")]));
        ingest(&home, &to_lines(&[event("waited too")]));
        assert_eq!(impatient(&home, &["spool", "list", "--json"], "").json()["records"], 3);
        drop(lock);
        let ran = home.run(next).succeeded();
        assert!(ran.err.contains("3 records that waited in the spool are stored now"), "{next:?} {ran:?}");
        assert_eq!(home.texts(), ["kept from before", "waited", "named", "waited too"], "{next:?}");
        assert_eq!(home.spooled_files(), [""; 0]);
        assert_eq!(home.ingest(&[identified("named")]).succeeded().err, "memoir: stored 0, duplicate 1\n");
        assert_eq!(home.verified(), 4);
    }
}

#[test]
fn spooled_events_keep_everything_they_said() {
    let home = Home::with_one_event();
    let full = serde_json::json!({
        "session_id": "s", "event_type": "file_change", "content": {"b": 1, "a": 2}, "turn_id": "t", "topic_id": "p",
        "action_id": "a", "source": "gemini-cli", "speaker": "assistant", "timestamp": "2026-05-10T10:00:00+02:00",
        "visibility": "sealed", "secrecy_level": "secret", "metadata": {"cwd": "/home/alice/proj"}, "meta": {"intent": "i"}
    });
    let lock = hold(&home);
    let line = to_lines(&[full]);
    let flags = ["ingest", "--actor", "alice", "--repo", "owner/name"];
    impatient(&home, &flags, &line).failed(1, &["spooled 1"]);
    drop(lock);
    let direct = Home::new();
    direct.feed(&flags, &line).succeeded();
    let strip = |home: &Home| {
        let mut event = home.events().into_iter().find(|event| event["sessionId"] == "s").unwrap();
        for changing in ["recordedAt", "journalSequence"] {
            event.as_object_mut().unwrap().remove(changing);
        }
        event
    };
    assert_eq!(strip(&home), strip(&direct));
}

#[test]
fn reading_goes_on_while_somebody_writes() {
    let home = Home::with_one_event();
    let _lock = hold(&home);
    for args in
        [&["search", "kept"][..], &["timeline"], &["sessions"], &["status"], &["verify"], &["export"], &["doctor"]]
    {
        let ran = impatient(&home, args, "").succeeded();
        assert!(ran.err.is_empty(), "{args:?} {ran:?}");
    }
}

#[test]
fn a_short_lock_is_waited_for() {
    let home = Home::with_one_event();
    let lock = hold(&home);
    let mut recorder = home.streaming(&[]);
    recorder.write(to_lines(&[event("patient")]));
    recorder.close_input();
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(lock);
    assert_eq!(recorder.finish().succeeded().err, "memoir: stored 1\n");
}

#[test]
fn with_neither_journal_nor_spool_the_loss_is_said_and_counted() {
    let home = Home::with_one_event();
    fs::create_dir_all(home.spool()).unwrap();
    set_mode(&home.spool(), 0o755);
    let lock = hold(&home);
    let ran = impatient(&home, &["ingest"], &to_lines(&[event("nowhere")]));
    ran.failed(1, &["neither stored", "nor spooled", "chmod 700", "lost 1"]);
    drop(lock);
    set_mode(&home.spool(), 0o700);
    assert_eq!(home.texts(), ["kept from before"]);
    assert_eq!(home.verified(), 1);
}

#[test]
fn a_full_spool_is_said_and_what_it_holds_stays() {
    let home = Home::with_one_event();
    let lock = hold(&home);
    let small = |text: &str| {
        let mut command = home.command(&["ingest"]);
        command.env("MEMOIR_JOURNAL_LOCK_WAIT_MS", "50").env("MEMOIR_SPOOL_BYTES_MAX", "4096");
        run(command, to_lines(&[event(text)]).as_bytes())
    };
    small("fits").failed(1, &["spooled 1"]);
    small(&"x".repeat(5000)).failed(1, &["is full", "memoir spool list", "lost 1"]);
    drop(lock);
    assert_eq!(home.texts(), ["kept from before", "fits"]);
}

#[test]
fn what_waits_in_another_spool_is_stored_by_the_next_run_that_names_it() {
    for next in [&["ingest"][..], &["spool", "flush"]] {
        let home = Home::with_one_event();
        let elsewhere = home.top().join("elsewhere");
        let named = ["--spool-dir", elsewhere.to_str().unwrap()];
        let lock = hold(&home);
        impatient(&home, &[&["ingest"][..], &named].concat(), &to_lines(&[event("waited")])).failed(1, &["spooled 1"]);
        drop(lock);
        home.run(&[next, &named].concat()).succeeded();
        assert_eq!(home.texts(), ["kept from before", "waited"], "{next:?}");
    }
}

#[test]
fn a_spooled_line_that_was_damaged_is_set_aside_and_the_others_are_stored() {
    let home = Home::with_one_event();
    let lock = hold(&home);
    ingest(&home, &to_lines(&[event("good one"), event("good two")]));
    drop(lock);
    let file = home.spool().join(&home.spooled_files()[0]);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('\n', "\n{\"torn\":\n", 1)).unwrap();
    let ran = home.run(&["status", "--json"]).succeeded();
    assert!(ran.err.contains("set aside"), "{ran:?}");
    assert_eq!(home.texts(), ["kept from before", "good one", "good two"]);
    assert_eq!(home.spooled_files().len(), 1);
    assert!(home.spooled_files()[0].contains(".bad-"));
    assert_eq!(home.status()["spool"]["setAside"], 1);
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code(), 1);
    assert!(doctor.out.contains("1 files are set aside"), "{}", doctor.out);
}

#[test]
fn under_a_lock_a_prompt_is_answered_and_the_end_of_a_session_is_known_afterwards() {
    let home = Home::new();
    home.run(&["remember", "the walrus cache is flushed by ./flush", "--user"]).succeeded();
    let call = |event: &str, more: serde_json::Value| {
        let mut payload = serde_json::json!({"session_id": "a", "transcript_path": null, "cwd": "/nowhere",
            "hook_event_name": event, "prompt_id": "t1"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.feed(&["hook", "claude"], payload.to_string()).succeeded().out
    };
    let lock = hold(&home);
    let given = call("UserPromptSubmit", serde_json::json!({"prompt": "how is the walrus cache flushed?"}));
    assert!(given.contains("./flush"), "{given}");
    call("Stop", serde_json::json!({"last_assistant_message": "By ./flush."}));
    call("SessionEnd", serde_json::json!({"reason": "exit"}));
    drop(lock);
    home.run(&["status"]).succeeded();
    let archive = home.run(&["archive", "cc-a"]).succeeded();
    assert!(archive.out.contains("ended"), "{archive:?}");
}
