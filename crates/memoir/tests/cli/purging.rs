//! `memoir purge`: nothing of the text is left under the home, whatever it was kept in, and whatever came in the way.

use crate::scan::{files, holding};
use crate::support::{Home, Running, dead_port, eventually, identified, to_lines};
use crate::transcripts;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

const TOKEN: &str = "Zqxwalrus";

/// Text that is packed, with the token at its end.
fn long(begin: &str) -> String {
    format!("{begin} {} {TOKEN}", "some words that are worth packing because they are many ".repeat(40))
}

fn said(session: &str, turn: &str, text: &str) -> Value {
    json!({
        "session_id": session, "event_type": "user_message", "content": text, "turn_id": turn,
        "timestamp": "2026-05-10T08:00:00Z",
    })
}

/// A home that holds the token in every place that it can come to.
fn soaked() -> (Home, PathBuf) {
    let home = Home::new();
    let ingest = |events: &[Value]| home.feed(&["ingest", "--repo", "o/r"], to_lines(events)).succeeded();
    ingest(&[
        said("one", "t1", &format!("{TOKEN} short")),
        said("one", "t2", &long("long")),
        said("two", "t1", "kept"),
    ]);
    let filler: Vec<Value> = (0..1200).map(|n| said("three", &format!("t{n}"), &format!("filler {n}"))).collect();
    ingest(&filler);
    transcripts::write(&home, "s", transcripts::prompt(1, &long("imported")) + &transcripts::prompt(2, "more"));
    transcripts::import(&home);
    // A memory in two revisions, of which only the older one says it; and one that is made of an event that does.
    let memory = |text: &str| json!({"uid": "m-1", "text": text, "project": "o/r", "name": "it"}).to_string();
    home.feed(&["memories", "import", "-"], memory(&format!("{TOKEN} in an older revision"))).succeeded();
    home.feed(&["memories", "import", "-"], memory("in a newer revision")).succeeded();
    let id = home.run(&["search", "short", "--json"]).json_lines()[0]["event"]["eventId"].as_str().unwrap().to_owned();
    home.run(&["remember", "made of it alone", "--project", "o/r", "--source", &id]).succeeded();
    // A copy of the journal as it was before a restore.
    let backup = home.top().join("backup.memoir");
    home.run(&["backup", backup.to_str().unwrap()]).succeeded();
    ingest(&[said("two", "t9", "stored after the backup")]);
    home.run(&["restore", backup.to_str().unwrap(), "--yes"]).succeeded();
    // A mirror inside the home, and records that wait for a server.
    let mirror = home.dir().join("mirrored");
    fs::create_dir_all(&mirror).unwrap();
    home.run(&["mirror", "export", mirror.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    let url = format!("http://127.0.0.1:{}", dead_port());
    let waiting = [
        said("one", "t1", &format!("{TOKEN} short")),
        said("other", "t1", &format!("only here: {TOKEN}")),
        said("two", "t1", "kept"),
    ];
    home.feed(&["ingest", "--server-url", &url], to_lines(&waiting));
    home.run(&["search", "filler"]).succeeded();
    ingest(&[said("one", "t5", &format!("{TOKEN} in the log"))]);
    (home, mirror)
}

#[test]
fn nothing_of_a_purged_text_is_left_under_the_home() {
    let (home, mirror) = soaked();
    let before = holding(&home.dir(), TOKEN);
    let is_in = |part: &str| before.iter().any(|file| file.to_str().unwrap().contains(part));
    for part in ["journal.db", "journal.db-wal", "journal-before-restore-", "/spool/batch-", "/mirrored/", "/index"] {
        assert!(is_in(part), "{part} should hold it at first: {before:?}");
    }
    let dry = home.run(&["purge", "--text", TOKEN, "--dry-run", "--json"]).succeeded().json();
    assert_eq!((&dry["events"], &dry["waiting"]), (&json!(5), &json!(2)), "{dry}");
    let ran = home.run(&["purge", "--text", TOKEN, "--reason", "a test", "--yes"]).succeeded();
    assert_eq!(holding(&home.dir(), TOKEN), Vec::<PathBuf>::new());
    assert!(ran.out.contains("backup.memoir") && ran.out.contains("session files of your agents"), "{}", ran.out);
    assert!(
        ran.out.contains(&format!("taken out of the mirror in {}", mirror.join(".codaph").display())),
        "{}",
        ran.out
    );
    home.verified();
    for copy in files(&home.dir()).iter().filter(|file| file.to_str().unwrap().contains("before-restore")) {
        home.run(&["verify", copy.to_str().unwrap()]).succeeded();
    }
    assert_eq!(
        home.run(&["memories", "--project", "o/r", "--json"]).succeeded().out,
        "",
        "both went with what they said"
    );
    // What is kept is kept, here and in the spool; what comes again stays gone.
    assert_eq!(home.run(&["search", "kept", "--json"]).json_lines().len(), 1);
    assert_eq!(home.waiting(), 1);
    transcripts::import(&home);
    home.feed(&["ingest", "--repo", "o/r"], said("one", "t1", &format!("{TOKEN} short")).to_string()).succeeded();
    home.run(&["mirror", "import", mirror.to_str().unwrap()]).succeeded();
    home.run(&["search", "filler"]).succeeded();
    assert_eq!(holding(&home.dir(), TOKEN), Vec::<PathBuf>::new());
    assert_eq!(home.status()["unfinishedPurges"], json!([]));
    let listed = home.run(&["forgotten", "--json"]).succeeded().json_lines();
    assert_eq!(
        (&listed[0]["purged"], &listed[0]["finished"], &listed[0]["reason"]),
        (&json!(true), &json!(true), &json!("a test"))
    );
    let name = listed[0]["name"].as_str().unwrap();
    home.run(&["forget", "--undo", name]).failed_in_one_line(2, &["was purged", "cannot be brought back"]);
}

#[test]
fn a_purge_by_session_takes_the_spool_of_that_session_and_leaves_equal_texts_of_others() {
    let home = Home::new();
    let events = [said("one", "t1", "yes"), said("two", "t1", "yes")];
    home.feed(&["ingest", "--repo", "o/r"], to_lines(&events)).succeeded();
    let url = format!("http://127.0.0.1:{}", dead_port());
    home.feed(&["ingest", "--server-url", &url], to_lines(&events));
    assert_eq!(home.waiting(), 2);
    home.run(&["purge", "--session", "one", "--yes"]).succeeded();
    assert_eq!((home.waiting(), home.prompts()), (1, vec!["yes".to_owned()]));
}

#[test]
fn what_was_forgotten_can_be_purged_by_its_name() {
    let home = Home::new();
    home.ingest(&[identified(TOKEN), identified("kept")]).succeeded();
    let name = home.run(&["forget", "--text", TOKEN, "--yes", "--json"]).succeeded().json()["name"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!holding(&home.dir(), TOKEN).is_empty(), "a forgotten text is kept");
    let purged = home.run(&["purge", &name, "--yes", "--json"]).succeeded().json();
    assert_eq!(
        (&purged["events"], &purged["erased"], &purged["problems"]),
        (&json!(1), &json!(1), &json!([])),
        "{purged}"
    );
    assert_eq!(holding(&home.dir(), TOKEN), Vec::<PathBuf>::new());
    home.run(&["forget", "--undo", &name]).succeeded();
    assert_eq!(home.prompts(), ["kept"]);
    let nothing = home.run(&["purge"]).succeeded();
    assert!(nothing.err.contains("no purge waits"), "{}", nothing.err);
}

#[test]
fn a_purge_that_is_killed_at_any_moment_is_told_and_ended_by_the_next() {
    const ROUNDS: u32 = 16;
    let mut interrupted = 0;
    let whole = {
        let (home, _) = soaked();
        let began = Instant::now();
        home.run(&["purge", "--text", TOKEN, "--yes"]).succeeded();
        began.elapsed()
    };
    for round in 0..ROUNDS {
        let (home, _) = soaked();
        let mut purge = Running::start(home.command(&["purge", "--text", TOKEN, "--yes"]));
        std::thread::sleep(whole * round / ROUNDS);
        purge.kill();
        let unfinished = !home.status()["unfinishedPurges"].as_array().unwrap().is_empty();
        let forgotten = !home.run(&["forgotten", "--json"]).succeeded().out.is_empty();
        assert_eq!(home.run(&["recall", TOKEN]).succeeded().out.is_empty(), forgotten);
        if !unfinished {
            // Killed before it began, or when it was done.
            home.run(&["purge", "--text", TOKEN, "--yes"]).succeeded();
        } else {
            interrupted += 1;
            let told = home.run(&["doctor", "--json"]).json_lines();
            let purge = told.iter().find(|check| check["check"] == "purge").unwrap();
            assert_eq!((&purge["ok"], &purge["fix"]), (&json!(false), &json!("run `memoir purge`")));
            let status = home.run(&["status"]).succeeded();
            assert!(status.out.contains("`memoir purge` finishes it"), "{}", status.out);
            home.run(&["purge"]).succeeded();
        }
        assert_eq!(holding(&home.dir(), TOKEN), Vec::<PathBuf>::new(), "round {round}, unfinished {unfinished}");
        assert_eq!(home.status()["unfinishedPurges"], json!([]));
        home.verified();
    }
    eprintln!("{interrupted} of {ROUNDS} purges were interrupted");
}

#[test]
fn a_backup_does_not_bring_back_what_was_forgotten_since() {
    let home = Home::new();
    home.ingest(&[identified("walrus one"), identified("narwhal two"), identified("kept")]).succeeded();
    home.feed(&["ingest", "--repo", "o/r"], to_lines(&[said("other", "t1", "beluga three")])).succeeded();
    let backup = home.top().join("backup.memoir");
    let backup = backup.to_str().unwrap();
    home.run(&["backup", backup]).succeeded();
    let name = home.run(&["forget", "--text", "walrus", "--yes", "--json"]).json()["name"].as_str().unwrap().to_owned();
    home.run(&["forget", "--session", "other", "--yes"]).succeeded();
    home.run(&["purge", "--text", "narwhal", "--yes"]).succeeded();
    let restored = home.run(&["restore", backup, "--yes"]).succeeded();
    assert!(restored.out.contains("was forgotten 3 times since that backup, and stays so"), "{}", restored.out);
    assert!(restored.err.contains("run `memoir purge` to erase it again"), "{}", restored.err);
    assert_eq!(home.prompts(), ["kept"]);
    home.run(&["purge"]).succeeded();
    assert_eq!(holding(&home.dir(), "narwhal"), Vec::<PathBuf>::new());
    home.run(&["forget", "--undo", &name]).succeeded();
    assert_eq!(home.prompts(), ["walrus one", "kept"]);
    home.verified();
    // The backup itself still holds it, and is named.
    let again = home.run(&["purge", "--text", "walrus", "--yes"]).succeeded();
    assert!(again.out.contains("backup.memoir"), "{}", again.out);
}

#[test]
fn a_purge_beside_a_running_server_erases_all_the_same() {
    let (home, _) = soaked();
    let server = home.serve();
    let found = crate::http::post(&server, "/v1/recall", None, &json!({"query": TOKEN, "min_confidence": 0.0}));
    assert!(found.body["blocks"].as_array().is_some_and(|blocks| !blocks.is_empty()), "{}", found.body);
    home.run(&["purge", "--text", TOKEN, "--yes"]).succeeded();
    let after = crate::http::post(&server, "/v1/recall", None, &json!({"query": TOKEN, "min_confidence": 0.0}));
    assert!(!after.body["blocks"].to_string().contains(TOKEN), "{}", after.body);
    eventually("nothing is left", || holding(&home.dir(), TOKEN).is_empty());
    home.verified();
}
