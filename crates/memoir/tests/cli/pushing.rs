//! `memoir push`: a project's events to a server, once each, with whatever goes wrong on the way.

use crate::support::{Home, Server, dead_port, run, to_lines};
use serde_json::{Value, json};
use std::fs;

fn said(session: &str, number: u32) -> Value {
    json!({
        "session_id": session, "event_type": "user_message", "content": format!("{session} {number}"),
        "turn_id": format!("t{number}"), "timestamp": "2026-05-10T08:00:00Z",
    })
}

fn recorded(sessions: &[&str], count: u32) -> Home {
    let home = Home::new();
    for session in sessions {
        let events: Vec<Value> = (0..count).map(|number| said(session, number)).collect();
        home.feed(&["ingest", "--repo", "o/r"], to_lines(&events)).succeeded();
    }
    home
}

fn push(home: &Home, url: &str, more: &[&str]) -> Value {
    let args: Vec<&str> =
        ["push", "--remote", url, "--repo", "o/r", "--json"].into_iter().chain(more.iter().copied()).collect();
    home.run(&args).succeeded().json()
}

fn counts(answer: &Value) -> (u64, u64, u64) {
    let number = |name: &str| answer[name].as_u64().unwrap();
    (number("sent"), number("stored"), number("known"))
}

#[test]
fn events_are_sent_once_whatever_the_scope_and_whoever_sends_them() {
    let (ann, server_home) = (recorded(&["a", "b"], 3), Home::new());
    let server = server_home.serve();
    assert_eq!(counts(&push(&ann, &server.url(), &[])), (6, 6, 0));
    assert_eq!(counts(&push(&ann, &server.url(), &[])), (0, 0, 0));
    assert_eq!(counts(&push(&ann, &server.url(), &["--scope", "session"])), (6, 0, 6));
    assert_eq!(counts(&push(&ann, &server.url(), &["--from-start"])), (6, 0, 6));
    ann.feed(&["ingest", "--repo", "o/r"], said("a", 9).to_string()).succeeded();
    assert_eq!(counts(&push(&ann, &server.url(), &[])), (1, 1, 0));
    // Another contributor has the same history.
    let ben = recorded(&["a"], 3);
    assert_eq!(counts(&push(&ben, &server.url(), &[])), (3, 0, 3));
    drop(server);
    let mut there: Vec<String> = server_home.prompts();
    let mut here = ann.prompts();
    there.sort();
    here.sort();
    assert_eq!(there, here);
    assert!(server_home.events().iter().all(|event| event["repoId"] == "o/r" && event["source"] == "recorder"));
}

#[test]
fn after_an_outage_the_next_push_sends_what_is_missing() {
    let home = recorded(&["a"], 4);
    let url = format!("http://127.0.0.1:{}", dead_port());
    home.run(&["push", "--remote", &url, "--repo", "o/r"]).failed_in_one_line(1, &["the next push sends the rest"]);
    let server_home = Home::new();
    let server = server_home.serve();
    assert_eq!(counts(&push(&home, &server.url(), &[])), (4, 4, 0));
}

#[test]
fn a_server_that_dies_in_the_middle_has_everything_after_the_next_push() {
    let home = recorded(&["a", "b", "c"], 700);
    let server_home = Home::new();
    let serve = |port: &str| Server::start(server_home.command(&["serve", "--port", port]));
    let mut server = serve("0");
    let url = server.url();
    let port = url.rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    let pushing = {
        let mut command = home.command(&["push", "--remote", &url, "--repo", "o/r"]);
        command.env("MEMOIR_INGEST_TIMEOUT_MS", "2000");
        crate::support::Running::start(command)
    };
    std::thread::sleep(std::time::Duration::from_millis(60));
    server.kill();
    let first = pushing.finish();
    let server = serve(&port);
    let rest = push(&home, &server.url(), &[]);
    assert!(first.code() <= 1, "{first:?}");
    assert_eq!(rest["done"], true);
    drop(server);
    assert_eq!(server_home.status()["journal"]["events"], 2100);
}

#[test]
fn a_server_with_another_journal_gets_everything_from_the_beginning() {
    let (home, first, second) = (recorded(&["a"], 2), Home::new(), Home::new());
    let server = first.serve();
    let url = server.url();
    let port = url.rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    push(&home, &url, &[]);
    drop(server);
    let server = Server::start(second.command(&["serve", "--port", &port]));
    assert_eq!(counts(&push(&home, &server.url(), &[])), (2, 2, 0));
}

#[test]
fn what_joins_the_project_later_is_sent_although_it_is_old() {
    let (home, server_home) = (recorded(&["a"], 1), Home::new());
    home.feed(&["ingest", "--repo", "old/name"], said("z", 1).to_string()).succeeded();
    let server = server_home.serve();
    assert_eq!(counts(&push(&home, &server.url(), &[])).0, 1);
    home.run(&["projects", "merge", "old/name", "o/r"]).succeeded();
    assert_eq!(counts(&push(&home, &server.url(), &[])), (2, 1, 1));
}

/// A repository without a remote, with an event recorded in it.
fn unnamed(home: &Home) -> (std::path::PathBuf, String) {
    let dir = home.top().join("project");
    fs::create_dir_all(dir.join(".git")).unwrap();
    fs::write(dir.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let mut ingest = home.command(&["ingest"]);
    ingest.current_dir(&dir);
    run(ingest, said("a", 1).to_string().as_bytes()).succeeded();
    let id = home.events()[0]["repoId"].as_str().unwrap().to_owned();
    (dir, id)
}

/// Pushes and mirrors from within the directory; what each says of the project.
fn push_and_mirror(home: &Home, dir: &std::path::Path, url: &str) -> (Value, Value) {
    let within = |args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(dir);
        run(command, b"").succeeded().json()
    };
    (within(&["push", "--remote", url, "--json"]), within(&["mirror", "export", ".", "--json"]))
}

#[test]
fn a_project_that_was_merged_is_found_from_its_directory_and_by_its_old_name() {
    let (home, server_home) = (Home::new(), Home::new());
    let (dir, id) = unnamed(&home);
    home.run(&["projects", "merge", &id, "acme/x"]).succeeded();
    let server = server_home.serve();
    let (pushed, mirrored) = push_and_mirror(&home, &dir, &server.url());
    assert_eq!((&pushed["project"], &pushed["sent"]), (&json!("acme/x"), &json!(1)));
    assert_eq!((&mirrored["project"], &mirrored["new"]), (&json!("acme/x"), &json!(1)));
    let by_name = home.run(&["push", "--remote", &server.url(), "--repo", &id, "--json"]).succeeded().json();
    assert_eq!((&by_name["project"], &by_name["sent"]), (&json!("acme/x"), &json!(0)));
    drop(server);
    assert!(server_home.events().iter().all(|event| event["repoId"] == "acme/x"));
}

#[test]
fn a_project_that_has_an_address_since_is_found_before_its_next_event() {
    let (home, server_home) = (Home::new(), Home::new());
    let (dir, id) = unnamed(&home);
    fs::write(dir.join(".git/config"), "[remote \"origin\"]\n\turl = git@github.com:acme/x.git\n").unwrap();
    let server = server_home.serve();
    let (pushed, mirrored) = push_and_mirror(&home, &dir, &server.url());
    assert_eq!((&pushed["project"], &pushed["sent"]), (&json!("acme/x"), &json!(1)));
    assert_eq!((&mirrored["project"], &mirrored["new"]), (&json!("acme/x"), &json!(1)));
    // Somebody who parts it again knows better.
    home.run(&["projects", "split", &id]).succeeded();
    let (pushed, mirrored) = push_and_mirror(&home, &dir, &server.url());
    assert_eq!((&pushed["project"], &mirrored["project"]), (&json!(id), &json!(id)));
}

#[test]
fn a_project_whose_sessions_were_all_moved_is_not_taken_for_where_they_are() {
    let home = Home::new();
    let (dir, id) = unnamed(&home);
    home.run(&["projects", "split", "a", "--to", "other/place"]).succeeded();
    let url = format!("http://127.0.0.1:{}", dead_port());
    for args in [&["push", "--remote", &url][..], &["mirror", "export", "."]] {
        let mut command = home.command(args);
        command.current_dir(&dir);
        run(command, b"").failed_in_one_line(2, &["nothing is recorded of project", &id]);
    }
}

#[test]
fn keys_and_secrets_are_respected() {
    let home = recorded(&["a"], 1);
    let mut secret = said("a", 7);
    secret["secrecy_level"] = json!("secret");
    home.feed(&["ingest", "--repo", "o/r"], secret.to_string()).succeeded();
    let server_home = Home::new();
    let server = server_home.serve_with(&[("MEMOIR_SERVER_KEYS", "ingest:key-to-ingest-with,read:key-to-read-with")]);
    let url = server.url();
    let args = ["push", "--remote", &url, "--repo", "o/r"];
    home.run(&args).failed_in_one_line(1, &["MEMOIR_SERVER_API_KEY"]);
    home.run_with(&[("MEMOIR_SERVER_API_KEY", "key-to-read-with")], &args)
        .failed_in_one_line(1, &["does not take them"]);
    let ran = home.run_with(&[("MEMOIR_SERVER_API_KEY", "key-to-ingest-with")], &args).succeeded();
    assert!(ran.out.contains("o/r: sent 1, new there 1"), "{}", ran.out);
}

#[test]
fn what_does_not_belong_into_a_run_is_refused_by_the_server() {
    let server_home = Home::new();
    let server = server_home.serve();
    let post = |body: Value| crate::http::post(&server, "/v1/events", None, &body);
    assert_eq!(post(json!({"run_id": "nonsense", "events": []})).status, 400);
    assert_eq!(post(json!({"run_id": "codaph:o/r"})).status, 400);
    let home = recorded(&["a"], 1);
    let mut envelope = home.events().remove(0);
    assert_eq!(post(json!({"run_id": "codaph:other/repo", "events": [envelope]})).status, 400);
    assert_eq!(post(json!({"run_id": "codaph:o/r:other", "events": [envelope]})).status, 400);
    assert_eq!(post(json!({"run_id": "codaph:o/r:a", "events": [envelope]})).status, 200);
    envelope["kind"] = json!("tombstone");
    assert_eq!(post(json!({"run_id": "codaph:o/r", "events": [envelope]})).status, 400);
    drop(server);
    assert_eq!(server_home.prompts(), ["a 0"]);
}

#[test]
fn usage_is_said_in_one_sentence() {
    let home = Home::with_one_event();
    home.run(&["push", "--repo", "o/r"]).failed_in_one_line(2, &["--remote"]);
    home.run(&["push", "--remote", "nonsense"]).failed_in_one_line(2, &["is not a server address"]);
    let url = format!("http://127.0.0.1:{}", dead_port());
    home.run(&["push", "--remote", &url, "--repo", "no/such"]).failed_in_one_line(2, &["nothing is recorded of"]);
    let empty = Home::new();
    empty.run(&["push", "--remote", &url]).failed_in_one_line(1, &["there is no journal"]);
}
