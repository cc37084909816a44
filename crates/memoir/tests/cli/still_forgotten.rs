//! What forgetting says holds in the corners too: turns, names, widths, what arrives meanwhile, what is said again.

use crate::scan::holding;
use crate::support::{Home, to_lines};
use crate::transcripts;
use serde_json::{Value, json};
use std::fs;

fn said(session: &str, turn: &str, text: &str) -> Value {
    json!({"session_id": session, "event_type": "user_message", "content": text, "turn_id": turn,
        "timestamp": "2026-05-10T08:00:00Z"})
}

/// Neither a turn nor a time.
fn nameless(session: &str, text: &str) -> Value {
    json!({"session_id": session, "event_type": "user_message", "content": text})
}

fn forget(home: &Home, args: &[&str]) -> String {
    let ran = home.run(&[&["forget"], args, &["--yes", "--json"]].concat()).succeeded();
    ran.json()["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_turn_that_several_sessions_have_is_only_forgotten_in_the_one_that_is_named() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "walrus"), said("b", "1", "otter"), said("b", "2", "seal")]).succeeded();
    home.run(&["forget", "1", "--yes"]).failed_in_one_line(2, &["several sessions", "a", "b", "--session"]);
    home.run(&["forget", "3", "--session", "b", "--yes"]).failed_in_one_line(2, &["has no turn `3`"]);
    home.run(&["forget", "1", "--session", "b", "--text", "x", "--yes"]).failed_in_one_line(2, &["not both"]);
    forget(&home, &["1", "--session", "b"]);
    assert_eq!(home.prompts(), ["walrus", "seal"]);
    assert_eq!(home.run(&["forgotten", "--json"]).json_lines()[0]["asked"], "1, session b");
    forget(&home, &["2"]);
    assert_eq!(home.prompts(), ["walrus"]);
    let server = home.serve();
    let http = crate::http::post(&server, "/v1/forget", None, &json!({"ids": ["1"], "session": "a"}));
    assert_eq!((http.status, &http.body["events"]), (200, &json!(1)), "{}", http.body);
    assert!(home.prompts().is_empty());
}

#[test]
fn all_of_a_turn_is_forgotten_however_much_it_is() {
    let home = Home::new();
    let all: Vec<Value> = (0..10_500).map(|n| said("a", "1", &format!("walrus {n}"))).collect();
    home.ingest(&all).succeeded();
    let done = home.run(&["forget", "1", "--yes", "--json"]).succeeded().json();
    assert_eq!(done["events"], 10_500);
    assert!(home.prompts().is_empty());
    let listed = home.run(&["forgotten", "--json"]).json_lines().remove(0);
    assert_eq!((listed["ids"].as_array().unwrap().len(), &listed["idsLeftOut"]), (10_000, &json!(500)));
    let shown = home.run(&["forgotten"]).succeeded().out;
    assert!(shown.contains("and 10495 more") && !shown.contains("walrus"), "{shown}");
}

#[test]
fn what_an_import_left_out_meanwhile_comes_when_that_is_undone() {
    let home = Home::new();
    let path = transcripts::write(&home, "s", transcripts::prompts(1..4));
    transcripts::import(&home);
    let name = forget(&home, &["--session", "cc-s"]);
    transcripts::append(&path, transcripts::prompts(4..6));
    let read = transcripts::import(&home);
    assert!(home.prompts().is_empty(), "{read}");
    // A file that is seen for the first time while all of its project is forgotten.
    let other = transcripts::prompt_with(9, "another session", json!({"sessionId": "z", "cwd": "/p"}));
    home.run(&["forget", "--undo", &name]).succeeded();
    transcripts::import(&home);
    assert_eq!(home.prompts().len(), 5);
    let project = home.events()[0]["repoId"].as_str().unwrap().to_owned();
    let name = forget(&home, &["--project", &project]);
    transcripts::write(&home, "z", other);
    transcripts::import(&home);
    assert!(home.prompts().is_empty());
    home.run(&["forget", "--undo", &name]).succeeded();
    transcripts::import(&home);
    assert_eq!(home.prompts().len(), 6);
    let before = home.verified();
    transcripts::import(&home);
    assert_eq!(home.verified(), before, "and once only");
}

#[test]
fn what_nothing_names_does_not_come_back_by_being_sent_again() {
    let home = Home::new();
    home.ingest(&[nameless("a", "walrus"), nameless("b", "walrus")]).succeeded();
    let name = forget(&home, &["--session", "a"]);
    home.ingest(&[nameless("a", "walrus"), nameless("a", "something new")]).succeeded();
    assert_eq!(home.prompts(), ["walrus", "something new"]);
    home.run(&["forget", "--undo", &name]).succeeded();
    home.ingest(&[nameless("a", "walrus")]).succeeded();
    assert_eq!(home.prompts().len(), 4);
    home.run(&["purge", "--session", "a", "--yes"]).succeeded();
    home.ingest(&[nameless("a", "walrus")]).succeeded();
    assert_eq!(home.prompts(), ["walrus"], "that of the other session");
}

#[test]
fn texts_are_found_whatever_their_width_and_accents_as_search_finds_them() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "ＺＱＸＷＡＬ wide"), said("a", "2", "a cafe\u{301} here"), said("a", "3", "kept")])
        .succeeded();
    forget(&home, &["--text", "zqxwal"]);
    assert_eq!(home.prompts(), ["a cafe\u{301} here", "kept"]);
    home.run(&["purge", "--text", "Café", "--yes"]).succeeded();
    assert_eq!((home.prompts(), holding(&home.dir(), "cafe")), (vec!["kept".to_owned()], Vec::new()));
}

#[test]
fn without_the_newer_statement_the_older_one_holds_again() {
    let home = Home::new();
    let remember = |text: &str| {
        let ran = home.run(&["remember", text, "--user", "--kind", "decision", "--name", "packages", "--json"]);
        ran.succeeded().json()["memory_id"].as_str().unwrap().to_owned()
    };
    let texts = || -> Vec<String> {
        let listed = home.run(&["memories", "--json"]).succeeded().json_lines();
        listed.iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
    };
    remember("we use npm for packages");
    let middle = remember("we use yarn for packages");
    let newest = remember("we use pnpm for packages");
    assert_eq!(texts(), ["we use pnpm for packages"]);
    let name = forget(&home, &[&newest]);
    assert_eq!(texts(), ["we use yarn for packages"]);
    let other = forget(&home, &[&middle]);
    assert_eq!(texts(), ["we use npm for packages"]);
    home.run(&["forget", "--undo", &name]).succeeded();
    assert_eq!(texts(), ["we use pnpm for packages"], "what came last stands for all before it");
    home.run(&["forget", "--undo", &other]).succeeded();
    assert_eq!(texts(), ["we use pnpm for packages"]);
    home.run(&["purge", &newest, "--yes"]).succeeded();
    assert_eq!(texts(), ["we use yarn for packages"]);
    let recalled = home.run(&["recall", "what do we use for packages?"]).succeeded().out;
    assert!(recalled.contains("yarn") && !recalled.contains("pnpm"), "{recalled}");
}

#[test]
fn a_reason_that_says_what_is_to_go_is_refused() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "the walrus deal")]).succeeded();
    for command in ["forget", "purge"] {
        home.run(&[command, "--text", "walrus deal", "--reason", "about the Wálrus  deal", "--yes"])
            .failed_in_one_line(2, &["the reason says what is to be forgotten"]);
    }
    assert_eq!(home.prompts(), ["the walrus deal"]);
}

#[test]
fn a_purge_takes_several_forgettings_by_name_and_one_of_nothing_too() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "walrus"), said("b", "1", "otter"), said("c", "1", "kept")]).succeeded();
    let (first, second) = (forget(&home, &["--session", "a"]), forget(&home, &["--session", "b"]));
    let empty = forget(&home, &["--session", "nobody"]);
    home.run(&["purge", &first, &second, "--yes"]).succeeded();
    assert_eq!((holding(&home.dir(), "walrus"), holding(&home.dir(), "otter")), (Vec::new(), Vec::new()));
    let ran = home.run(&["purge", &empty, "--yes"]).succeeded();
    assert!(ran.out.contains("erased the text of 0 records"), "{}", ran.out);
    assert_eq!(home.prompts(), ["kept"], "an empty one is not everything");
}

#[test]
fn names_that_say_a_purged_text_and_mirrors_that_are_not_there_are_told() {
    let home = Home::new();
    home.feed(&["ingest", "--repo", "o/r"], to_lines(&[said("walrus-session", "1", "walrus"), said("b", "1", "kept")]))
        .succeeded();
    home.run(&["forget", "b", "--yes"]).failed(2, &[]);
    let (project, copy) = (home.top().join("project"), home.top().join("copy"));
    for dir in [&project, &copy] {
        fs::create_dir_all(dir).unwrap();
    }
    home.run(&["mirror", "export", project.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    let elsewhere = Home::new();
    elsewhere.feed(&["ingest", "--repo", "o/r"], to_lines(&[said("c", "1", "elsewhere")])).succeeded();
    elsewhere.run(&["mirror", "export", copy.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    home.run(&["mirror", "import", copy.to_str().unwrap()]).succeeded();
    fs::rename(&project, home.top().join("moved")).unwrap();
    let ran = home.run(&["purge", "--text", "walrus", "--yes"]).succeeded();
    for part in ["the name of the session walrus-session", "project", "which is not there now", "which was imported"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.contains(copy.to_str().unwrap()), "{}", ran.out);
}

#[test]
fn a_memory_that_was_forgotten_is_not_brought_back_under_another_name() {
    for verb in ["forget", "purge"] {
        let home = Home::new();
        let bring = |memory: &Value| {
            fs::write(home.top().join("m.jsonl"), to_lines(std::slice::from_ref(memory))).unwrap();
            home.run(&["memories", "import", "m.jsonl", "--json"]).succeeded().json()
        };
        bring(&json!({"id": "m1", "text": "the walrus is fed at noon"}));
        bring(&json!({"id": "m1", "text": "The walrus is fed at four"}));
        home.run(&[verb, "--text", "walrus", "--yes"]).succeeded();
        for (id, text) in [(None, "the walrus is fed at four"), (Some("m2"), "the walrus is fed at noon")] {
            let brought = bring(&json!({"id": id, "text": text, "kind": "preference"}));
            assert_eq!((&brought["new"], &brought["forgotten"]), (&0.into(), &1.into()), "{verb}: {brought}");
        }
        assert_eq!(holding(&home.dir(), "walrus").is_empty(), verb == "purge");
        // Another project never had it, and who says it now means it.
        let other = bring(&json!({"id": "m3", "text": "the walrus is fed at four", "project": "elsewhere"}));
        assert_eq!(other["new"], 1, "{other}");
        home.run(&["remember", "the walrus is fed at four"]).succeeded();
    }
}

#[test]
fn an_undone_forgetting_lets_a_memory_come_again() {
    let home = Home::new();
    fs::write(home.top().join("m.jsonl"), to_lines(&[json!({"text": "the walrus is fed at four"})])).unwrap();
    home.run(&["remember", "the walrus is fed at four", "--name", "feeding"]).succeeded();
    let name = forget(&home, &["--text", "walrus"]);
    home.run(&["forget", "--undo", &name]).succeeded();
    let brought = home.run(&["memories", "import", "m.jsonl", "--json"]).succeeded().json();
    assert_eq!(brought["forgotten"], 0, "{brought}");
}

#[test]
fn all_of_a_forgotten_turn_stays_away_whenever_and_however_it_comes() {
    for verb in ["forget", "purge"] {
        let home = Home::new();
        home.ingest(&[said("s", "7", "ask about walrus"), said("s", "8", "otter")]).succeeded();
        home.run(&[verb, "7", "--session", "s", "--yes"]).succeeded();
        let answer = json!({"session_id": "s", "event_type": "assistant_message", "content": "the walrus answer",
            "turn_id": "7", "timestamp": "2026-05-10T08:00:09Z"});
        home.ingest(&[answer.clone(), said("t", "7", "seal")]).succeeded();
        assert_eq!(home.prompts(), ["otter", "seal"], "{verb}");
        assert!(home.events().iter().all(|event| !event.to_string().contains("walrus")), "{verb}");
        if verb == "purge" {
            assert_eq!(holding(&home.dir(), "walrus"), Vec::<String>::new());
            continue;
        }
        let name = home.run(&["forgotten", "--json"]).json_lines()[0]["name"].as_str().unwrap().to_owned();
        home.run(&["forget", "--undo", &name]).succeeded();
        home.ingest(&[answer]).succeeded();
        assert!(home.events().iter().any(|event| event.to_string().contains("the walrus answer")));
    }
}

#[test]
fn a_forgotten_project_that_gets_an_address_stays_away_under_it() {
    let home = Home::new();
    let dir = home.top().join("shop");
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git").args(args).current_dir(&dir).env("HOME", home.top()).output();
        assert!(ran.unwrap().status.success());
    };
    fs::create_dir(&dir).unwrap();
    git(&["init", "-q"]);
    let line = |session: &str, text: &str| {
        transcripts::prompt_with(
            1,
            text,
            json!({"sessionId": session, "cwd": dir, "uuid": session, "promptId": session}),
        )
    };
    transcripts::write(&home, "one", line("one", "walrus"));
    transcripts::import(&home);
    forget(&home, &["--project", dir.to_str().unwrap()]);
    git(&["remote", "add", "origin", "git@example.com:acme/shop.git"]);
    transcripts::write(&home, "two", line("two", "an older walrus"));
    transcripts::import(&home);
    assert_eq!(home.prompts(), Vec::<String>::new());
}

#[test]
fn what_is_forgotten_before_anything_was_recorded_stays_away() {
    for args in [&["--session", "cc-s"], &["--before", "2030-01-01"]] {
        let home = Home::new();
        forget(&home, args);
        transcripts::write(&home, "s", transcripts::prompts(1..4));
        transcripts::import(&home);
        assert_eq!(home.prompts(), Vec::<String>::new(), "{args:?}");
    }
    let home = Home::new();
    home.run(&["forget", "--text", "walrus", "--yes"]).failed_in_one_line(1, &["nothing is recorded"]);
}

#[test]
fn an_undone_forgetting_tells_what_came_back_and_not_what_was_purged() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "walrus"), said("a", "2", "otter")]).succeeded();
    let name = forget(&home, &["--session", "a"]);
    home.run(&["purge", "--text", "walrus", "--yes"]).succeeded();
    let undone = home.run(&["forget", "--undo", &name, "--json"]).succeeded().json();
    assert_eq!(undone["events"], 1, "{undone}");
    assert_eq!(home.prompts(), ["otter"]);
}

#[test]
fn what_holds_in_one_session_goes_with_it() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "walrus")]).succeeded();
    home.run(&["remember", "a note of that session", "--session", "a"]).succeeded();
    let name = forget(&home, &["--session", "a"]);
    assert_eq!(home.run(&["memories", "--json"]).json_lines().len(), 0);
    home.run(&["forget", "--undo", &name]).succeeded();
    assert_eq!(home.run(&["memories", "--json"]).json_lines().len(), 1);
}

#[test]
fn before_a_day_is_before_its_first_moment() {
    let home = Home::new();
    home.ingest(&[said("a", "1", "walrus")]).succeeded();
    let taken = |before: &str| {
        let args = ["forget", "--before", before, "--dry-run", "--json"];
        home.run_with(&[("TZ", "UTC")], &args).succeeded().json()["events"].as_u64().unwrap()
    };
    assert_eq!([taken("2026-05-10"), taken("2026-05-10T08:00:00Z"), taken("2026-05-11")], [0, 0, 1]);
}
