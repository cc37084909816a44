//! What waits for a server and is forgotten before it is sent is not sent, unless that is undone.

use crate::http::post;
use crate::support::{Home, dead_port, to_lines};
use serde_json::{Value, json};

fn prompt(session: &str, turn: &str, text: &str) -> Value {
    json!({"session_id": session, "prompt_id": turn, "transcript_path": "/nowhere/s.jsonl", "cwd": "/p",
        "hook_event_name": "UserPromptSubmit", "prompt": text})
}

fn said(session: &str, number: u32, text: &str) -> Value {
    json!({"session_id": session, "event_type": "user_message", "content": text, "turn_id": format!("t{number}"),
        "timestamp": format!("2026-05-{number:02}T08:00:00Z")})
}

fn flush(home: &Home, url: &str) -> Value {
    let ran = home.run(&["spool", "flush", "--server-url", url, "--json"]);
    serde_json::from_str(ran.out.trim()).unwrap_or(Value::Null)
}

fn forget(home: &Home, args: &[&str]) -> String {
    let ran = home.run(&[&["forget"], args, &["--yes", "--json"]].concat()).succeeded();
    ran.json()["name"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_hook_left_for_a_server_is_held_back_once_it_is_forgotten_and_goes_when_that_is_undone() {
    let (home, there) = (Home::new(), Home::new());
    let dead = format!("http://127.0.0.1:{}", dead_port());
    for (session, turn, text) in [("a", "t1", "walrus one"), ("a", "t2", "walrus two"), ("b", "t1", "otter")] {
        let mut command = home.command(&["hook", "claude"]);
        command.env("MEMOIR_SERVER_URL", &dead);
        crate::support::run(command, prompt(session, turn, text).to_string().as_bytes()).succeeded();
    }
    assert_eq!(home.waiting(), 3);
    let name = forget(&home, &["--session", "a"]);
    assert_eq!(home.waiting(), 1);
    let server = there.serve();
    let sent = flush(&home, &server.url());
    assert_eq!((&sent["delivered"], &sent["waiting"]), (&json!(1), &json!(0)), "{sent}");
    assert_eq!(there.prompts(), ["otter"]);
    // Seen again and put into the outbox again, it is still not sent.
    let mut again = home.command(&["hook", "claude"]);
    again.env("MEMOIR_SERVER_URL", server.url());
    crate::support::run(again, prompt("a", "t1", "walrus one").to_string().as_bytes()).succeeded();
    assert_eq!(there.prompts(), ["otter"]);
    home.run(&["forget", "--undo", &name]).succeeded();
    flush(&home, &server.url());
    let mut told = there.prompts();
    told.sort();
    assert_eq!(told, ["otter", "walrus one", "walrus two"]);
}

#[test]
fn what_was_never_stored_here_is_held_back_by_each_way_of_saying_what_and_purged_too() {
    let dead = format!("http://127.0.0.1:{}", dead_port());
    let ways: [(&[&str], &[&str]); 6] = [
        (&["--session", "a"], &["otter"]),
        (&["--text", "walrus"], &["otter"]),
        (&["--project", "o/r"], &["walrus two", "otter"]),
        (&["--actor", "ann"], &["walrus one"]),
        (&["--before", "2026-05-02"], &["walrus two", "otter"]),
        (&["--session", "a", "--text", "two"], &["walrus one", "otter"]),
    ];
    for (way, left) in ways {
        for command in ["forget", "purge"] {
            let (home, there) = (Home::with_one_event(), Home::new());
            let send = |repo: &str, actor: &str, event: Value| {
                let mut command = home.command(&["ingest", "--server-url", &dead, "--repo", repo]);
                command.env("MEMOIR_ACTOR", actor);
                crate::support::run(command, to_lines(&[event]).as_bytes());
            };
            send("o/r", "bob", said("a", 1, "walrus one"));
            send("o/other", "ann", said("a", 2, "walrus two"));
            send("o/other", "ann", said("b", 3, "otter"));
            let done = home.run(&[&[command], way, &["--yes", "--json"]].concat()).succeeded().json();
            for text in ["walrus one", "walrus two"].iter().filter(|text| command == "purge" && !left.contains(*text)) {
                assert!(crate::scan::holding(&home.dir(), text).is_empty(), "{way:?}: {text}");
            }
            let server = there.serve();
            flush(&home, &server.url());
            let mut told = there.prompts();
            told.sort_by_key(|text| ["walrus one", "walrus two", "otter"].iter().position(|known| known == text));
            assert_eq!(told, left, "{command} {way:?}");
            if command == "forget" {
                home.run(&["forget", "--undo", done["name"].as_str().unwrap()]).succeeded();
                flush(&home, &server.url());
                assert_eq!(there.prompts().len(), 3, "{way:?}");
            }
        }
    }
}

#[test]
fn new_input_for_a_server_is_looked_at_too() {
    let (home, there) = (Home::new(), Home::new());
    home.ingest(&[said("a", 1, "walrus")]).succeeded();
    forget(&home, &["--session", "a"]);
    let server = there.serve();
    let ran = home
        .feed(&["ingest", "--server-url", &server.url()], to_lines(&[said("a", 1, "walrus"), said("b", 2, "otter")]))
        .succeeded();
    assert!(ran.err.contains("sent 1") && ran.err.contains("held 1"), "{}", ran.err);
    assert_eq!(there.prompts(), ["otter"]);
    assert!(home.run(&["spool"]).succeeded().out.contains("1 record held back"));
}

#[test]
fn what_was_held_back_goes_whoever_undoes_the_forgetting_and_whenever() {
    let dead = format!("http://127.0.0.1:{}", dead_port());
    let home = Home::new();
    home.feed(&["ingest", "--server-url", &dead], to_lines(&[said("a", 1, "walrus one")]));
    let name = forget(&home, &["--session", "a"]);
    assert_eq!(home.waiting(), 0);
    let server = home.serve();
    let ask = |body: serde_json::Value| post(&server, "/v1/forget", None, &body);
    let both = ask(json!({"undo": name, "text": "walrus"}));
    assert_eq!(both.status, 400, "{}", both.body);
    assert_eq!(home.waiting(), 0);
    let undone = ask(json!({"undo": name})).body;
    assert_eq!((&undone["undone"], &undone["waiting"]), (&json!(true), &json!(1)), "{undone}");
    assert_eq!(home.waiting(), 1);
    home.run(&["forget", "--undo", &name]).failed_in_one_line(2, &["undone before"]);
}
