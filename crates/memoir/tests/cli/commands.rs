//! The commands of the first page of the manual, end to end.

use crate::support::{Home, event, text_of, to_lines};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

fn day() -> Vec<Value> {
    let at = |time: &str, kind: &str, content: &str| json!({"session_id": "demo", "event_type": kind, "content": content, "timestamp": time, "source": "codex"});
    vec![
        at("2026-05-10T10:00:00+02:00", "user_message", "the login test is flaky"),
        at("2026-05-10T08:00:01Z", "command", "cargo test login"),
        at("2026-05-10T08:00:02.5Z", "tool_result", "connection refused"),
        at("2026-05-10T08:00:03Z", "assistant_message", "it raced the database, see src/login.rs:42"),
    ]
}

fn expected_id(source: &str, thread: &str, sequence: u64, event_type: &str, ts: &str) -> String {
    let digest = Sha256::digest(format!("{source}|{thread}|{sequence}|{event_type}|{ts}"));
    digest.iter().take(12).fold(String::new(), |mut id, byte| {
        write!(id, "{byte:02x}").unwrap();
        id
    })
}

#[test]
fn what_is_piped_in_is_found_by_the_next_process_with_no_server_running() {
    let home = Home::new();
    let line = r#"{"session_id":"demo","event_type":"user_message","content":"hello recorder"}"#;
    let ran = home.feed(&["ingest"], format!("{line}\n")).succeeded();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "memoir: stored 1\n"));
    let found = home.run(&["search", "hello"]).succeeded();
    assert!(found.out.contains("[hello] recorder") && found.out.contains("demo  user_message"), "{}", found.out);
    assert_eq!(home.run(&["search", "goodbye"]).succeeded().err, "memoir: nothing found\n");
}

#[test]
fn a_flag_after_the_words_of_a_search_is_a_flag_as_the_help_shows() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    let hits = home.run(&["search", "session:demo flak*", "--json"]).succeeded().json_lines();
    assert_eq!(hits.len(), 1);
    assert_eq!(text_of(&hits[0]["event"]), "the login test is flaky");
    let limited = home.run(&["search", "login", "--limit", "1"]).succeeded();
    assert_eq!(limited.out.lines().count(), 2, "{}", limited.out);
    let none = home.run(&["search", "\"connection refused\" -retry", "--from", "2026-05-11T00:00:00Z"]).succeeded();
    assert_eq!(none.out, "");
}

#[test]
fn a_search_as_json_gives_score_snippet_and_event() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    let hits = home.run(&["search", "--json", "login"]).succeeded().json_lines();
    assert_eq!(hits.len(), 3);
    for hit in &hits {
        assert!(hit["score"].as_f64().unwrap() > 0.0, "{hit}");
        let text = hit["snippet"]["text"].as_str().unwrap();
        let marks = hit["snippet"]["marks"].as_array().unwrap();
        for mark in marks {
            let (from, to) = (mark[0].as_u64().unwrap() as usize, mark[1].as_u64().unwrap() as usize);
            assert_eq!(text[from..to].to_lowercase(), "login");
        }
        assert_eq!(hit["event"]["sessionId"], "demo");
    }
    for odd in ["src/login.rs:42", "--release", "don't", "a(b", "\"", "*", ":", "-", "field:value:x"] {
        home.run(&["search", "--json", odd]).succeeded();
    }
    let found = home.run(&["search", "--json", "src/login.rs:42"]).json_lines();
    assert_eq!(text_of(&found[0]["event"]), "it raced the database, see src/login.rs:42");
}

#[test]
fn an_envelope_begins_with_the_ten_fields_in_order() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    let ran = home.run(&["timeline", "--session", "demo", "--oldest-first", "--json"]).succeeded();
    let ten = "eventId source repoId actorId sessionId threadId ts eventType payload reasoningAvailability";
    for envelope in ran.json_lines() {
        let names: Vec<&str> = envelope.as_object().unwrap().keys().take(10).map(String::as_str).collect();
        assert_eq!(names.join(" "), ten);
        assert!(envelope["repoId"].as_str().unwrap().len() == 12 && envelope["actorId"] == "tester");
        assert_eq!((&envelope["source"], &envelope["threadId"]), (&json!("recorder"), &json!("demo")));
        assert_eq!(envelope["reasoningAvailability"], "unavailable");
    }
}

#[test]
fn every_id_can_be_computed_again_from_its_envelope() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    home.ingest(&[event("without a time")]).succeeded();
    let shapes = ["prompt.submitted", "item.completed", "item.completed", "item.completed", "prompt.submitted"];
    let times =
        ["2026-05-10T10:00:00+02:00", "2026-05-10T08:00:01Z", "2026-05-10T08:00:02.5Z", "2026-05-10T08:00:03Z", ""];
    let events = home.events();
    for (at, (envelope, (shape, time))) in events.iter().zip(shapes.iter().zip(times)).enumerate() {
        let id = expected_id("recorder", "demo", at as u64 + 1, shape, time);
        assert_eq!(envelope["eventId"], id, "{envelope}");
        if !time.is_empty() {
            assert_eq!(envelope["ts"], time);
        }
        let shown = home.run(&["show", &id.to_uppercase(), "--json"]).succeeded().json();
        assert_eq!(shown["eventId"], id);
        assert_eq!(shown["sightings"][0]["class"], "first");
    }
    assert_eq!(events.len(), 5);
}

#[test]
fn the_timeline_is_filtered_by_session_time_and_type_and_pages_to_the_end() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    home.ingest(&[json!({"session_id": "other", "event_type": "error", "content": "boom"})]).succeeded();
    let texts = |args: &[&str]| -> Vec<String> {
        let mut all = vec!["timeline", "--json"];
        all.extend(args);
        home.run(&all).succeeded().json_lines().iter().map(text_of).collect()
    };
    assert_eq!(texts(&["--session", "other"]), ["boom"]);
    assert_eq!(
        texts(&["--session", "cx-demo", "--type", "user_message", "--limit", "100"]),
        ["the login test is flaky"]
    );
    assert_eq!(texts(&["--type", "item.completed"]).len(), 3);
    assert_eq!(texts(&["--item-type", "command_execution"]), ["cargo test login"]);
    assert_eq!(
        texts(&["--from", "2026-05-10T08:00:01Z", "--to", "2026-05-10T10:00:02.5+02:00"]),
        ["connection refused", "cargo test login"]
    );
    assert_eq!(texts(&["--text", "login -cargo"]).len(), 2);
    assert_eq!(texts(&["--from", "1h"]), ["boom"]);
    assert_eq!(texts(&["--source", "http"]), [""; 0]);
    let mut seen = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut args = vec!["timeline", "--json", "--limit", "2", "--oldest-first"];
        args.extend(after.as_deref().map(|cursor| ["--after", cursor]).into_iter().flatten());
        let page = home.run(&args).succeeded();
        seen.extend(page.json_lines().iter().map(text_of));
        match page.err.trim().rsplit_once("--after ") {
            Some((_, cursor)) => after = Some(cursor.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, home.texts());
}

#[test]
fn sessions_are_listed_with_their_first_prompt_and_shown_by_either_name() {
    let home = Home::new();
    home.ingest(&day()).succeeded();
    home.ingest(&[json!({"session_id": "other", "event_type": "command", "content": "ls"})]).succeeded();
    let sessions = home.run(&["sessions", "--json"]).succeeded().json_lines();
    let names: Vec<&str> = sessions.iter().map(|session| session["session"].as_str().unwrap()).collect();
    assert_eq!(names, ["other", "cx-demo"]);
    assert_eq!((&sessions[1]["events"], &sessions[1]["title"]), (&json!(4), &json!("the login test is flaky")));
    for name in ["demo", "cx-demo"] {
        assert_eq!(home.run(&["show", name, "--json"]).succeeded().json_lines().len(), 4, "{name}");
        assert_eq!(home.run(&["show", name]).succeeded().out.lines().count(), 4);
    }
    assert!(home.run(&["sessions"]).succeeded().out.contains("4 events  the login test is flaky"));
    home.run(&["show", "nobody"]).failed_in_one_line(2, &["nothing is known as `nobody`", "pass an event id"]);
}

#[test]
fn hidden_events_are_shown_only_when_asked_for() {
    let home = Home::new();
    let hidden = |level: &str, value: &str| json!({"session_id": "demo", "event_type": "command", "content": format!("{value} words"), level: value});
    let all =
        [hidden("secrecy_level", "secret"), hidden("visibility", "private_scratch"), hidden("visibility", "sealed")];
    home.ingest(&all).succeeded();
    home.ingest(&[event("open words")]).succeeded();
    for (flag, shown) in [("", 1), ("--secret", 2), ("--private", 2), ("--sealed", 2)] {
        let flags: Vec<&str> = Some(flag).filter(|flag| !flag.is_empty()).into_iter().collect();
        for command in [&["timeline", "--json"][..], &["export"], &["show", "demo", "--json"]] {
            let ran = home.run(&[command, &flags[..]].concat()).succeeded();
            assert_eq!(ran.out.lines().count(), shown, "{command:?} {flag}: {}", ran.out);
        }
        let found = home.run(&[&["search", "--json"][..], &flags[..], &["words"]].concat()).succeeded();
        assert_eq!(found.out.lines().count(), shown, "search {flag}: {}", found.out);
    }
    assert!(home.run(&["export"]).err.contains("3 secret, private, sealed or superseded events were left out"));
    assert_eq!(home.events().len(), 4);
}

#[test]
fn status_and_doctor_say_what_is_there() {
    let home = Home::new();
    assert_eq!(home.status()["journal"]["events"], 0);
    assert!(!home.dir().exists(), "looking must not create a home");
    home.ingest(&day()).succeeded();
    let status = home.status();
    assert_eq!((&status["journal"]["events"], &status["journal"]["sessions"]), (&json!(4), &json!(1)));
    assert_eq!((&status["spool"]["records"], &status["serverUrl"]), (&json!(0), &Value::Null));
    let checks = home.run(&["doctor", "--json"]).succeeded().json_lines();
    let names: Vec<&str> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
    for name in ["home", "disk", "settings", "journal", "chain", "index", "versions", "spool"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert!(checks.iter().all(|check| check["ok"] == true && check["fix"].is_null()));
    assert!(home.run(&["doctor"]).succeeded().out.lines().all(|line| line.starts_with("ok   ")));
    assert_eq!(home.verified(), 4);
    assert_eq!(
        home.run(&["verify"]).succeeded().out,
        "all 4 records are proven: none was changed, moved or taken out\n"
    );
}

#[test]
fn redaction_happens_before_anything_reaches_the_disk() {
    let home = Home::new();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let ran = home.ingest(&[
        event(&format!("use {key} please")),
        json!({
            "session_id": format!("s-{key}"), "event_type": "tool_call", "content": {"password": "hunter2-and-more"},
            "metadata": {"token": key}
        }),
    ]);
    assert!(ran.succeeded().err.starts_with("memoir: stored 2, redacted "));
    let exported = home.run(&["export"]).succeeded().out;
    assert!(!exported.contains(&key) && !exported.contains("hunter2"), "{exported}");
    home.run(&["search", "please"]).succeeded();
    for entry in crate::files::walk(&home.dir()) {
        let bytes = std::fs::read(&entry).unwrap_or_default();
        for secret in [key.as_bytes(), b"hunter2"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret), "in {}", entry.display());
        }
    }
}

#[test]
fn input_may_end_without_a_newline_and_hold_blank_lines_and_carriage_returns() {
    let home = Home::new();
    let lines = to_lines(&[event("one"), event("two")]).replace('\n', "\r\n");
    let ran = home.feed(&["ingest"], format!("\u{feff}{lines}\n   \n\t\n{}", event("three"))).succeeded();
    assert_eq!(ran.err, "memoir: stored 3\n");
    assert_eq!(home.texts(), ["one", "two", "three"]);
    home.feed(&["ingest"], "").succeeded();
}

#[test]
fn a_date_as_the_end_means_all_of_that_day() {
    let home = Home::new();
    let mut at = event("at half past nine");
    at["timestamp"] = "2026-04-28T09:30:00Z".into();
    home.ingest(&[at]).succeeded();
    for (to, found) in [("2026-04-29", 1), ("2026-04-28", 1), ("2026-04-27", 0)] {
        let ran = home.run_with(&[("TZ", "UTC")], &["timeline", "--from", "2026-04-27", "--to", to, "--json"]);
        assert_eq!(ran.succeeded().json_lines().len(), found, "{to}");
    }
}

#[test]
fn a_mistyped_flag_of_a_search_is_no_word_of_it() {
    let home = Home::with_one_event();
    let ran = home.run(&["search", "event", "--sesion", "x"]);
    assert!(ran.code() == 2 && ran.err.contains("'--sesion'") && ran.err.contains("'--session'"), "{ran:?}");
    home.run(&["search", ""]).failed(2, &["the query is empty"]);
    assert!(home.run(&["search", "--no-such-flag-at-all"]).succeeded().out.is_empty());
}
