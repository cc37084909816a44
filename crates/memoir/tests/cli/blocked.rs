//! What the owner keeps back is kept back on every way out: from agents over MCP, from hooks, from readers over HTTP.

use crate::http::{get, post};
use crate::mcp::client;
use crate::support::{Home, run};
use serde_json::{Value, json};
use std::fs;

const PROMPT: &str = "How are walrus deploys run on the staging server?";
const PRINTED: &str = "walrus deploys: found the copper script";
const ANSWER: &str = "Walrus deploys are run by ./ship --staging.";

/// A session with a prompt, what a tool printed, and an answer, sealed.
fn recorded() -> Home {
    let home = Home::new();
    let said = |kind: &str, at: u32, text: &str| {
        json!({"session_id": "s1", "event_type": kind, "content": text, "source": "codex", "turn_id": "t1",
            "timestamp": format!("2026-05-01T10:00:{at:02}Z"), "metadata": {"cwd": project(&home)}})
    };
    home.ingest(&[
        said("user_message", 0, PROMPT),
        said("tool_result", 1, PRINTED),
        said("assistant_message", 2, ANSWER),
    ])
    .succeeded();
    home.run(&["commit", "--all"]).succeeded();
    home
}

fn project(home: &Home) -> String {
    let project = home.top().join("project");
    fs::create_dir_all(&project).unwrap();
    project.to_str().unwrap().to_owned()
}

fn block(home: &Home, what: &str, name: &str) {
    fs::write(home.dir().join("config.toml"), format!("[recall]\n{what} = [\"{name}\"]\n")).unwrap();
}

/// The id of the event of a kind.
fn id_of(home: &Home, kind: &str) -> String {
    let events = home.events();
    let event = events.iter().find(|event| event["kind"] == kind).unwrap();
    event["eventId"].as_str().unwrap().to_owned()
}

/// What each way out of MCP says, by its name.
fn over_mcp(home: &Home, id: &str) -> Vec<(String, String)> {
    let mut client = client(home);
    let mut ways: Vec<(String, Value)> = vec![
        ("search".to_owned(), json!({"name": "search", "arguments": {"query": "walrus"}})),
        ("recall".to_owned(), json!({"name": "recall", "arguments": {"query": "walrus deploys"}})),
        ("timeline".to_owned(), json!({"name": "timeline", "arguments": {"session": "cx-s1"}})),
        ("forget".to_owned(), json!({"name": "forget", "arguments": {"text": "walrus"}})),
    ];
    for id in ["cx-s1", "t1", "cx-s1/archive_001", id] {
        ways.push((format!("read {id}"), json!({"name": "read", "arguments": {"id": id}})));
    }
    let tools = ways.into_iter().map(|(name, call)| (name, client.ask("tools/call", call).to_string()));
    let mut said: Vec<(String, String)> = tools.collect();
    for name in ["session/cx-s1", "archive/cx-s1/archive_001", &format!("event/{id}")] {
        let answer = client.ask("resources/read", json!({"uri": format!("memoir://{name}")}));
        said.push((name.to_owned(), answer.to_string()));
    }
    said.push(("resources".to_owned(), client.ask("resources/list", json!({})).to_string()));
    client.leave().succeeded();
    said
}

/// What a client of HTTP gets, by its route.
fn over_http(home: &Home, id: &str) -> Vec<(String, String)> {
    let server = home.serve();
    let routes = [
        "/v1/search?q=walrus",
        "/v1/timeline",
        "/v1/sessions",
        &format!("/v1/events/{id}"),
        "/api/v1/sessions/cx-s1/context?token_budget=32000",
    ];
    let mut said: Vec<(String, String)> =
        routes.map(|route| (route.to_owned(), get(&server, route, None).body.to_string())).into();
    for (tool, arguments) in [
        ("search", json!({"query": "walrus"})),
        ("timeline", json!({"session": "cx-s1"})),
        ("read", json!({"id": id})),
        ("read", json!({"id": "cx-s1/archive_001"})),
    ] {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        said.push((format!("POST /mcp {tool}"), post(&server, "/mcp", None, &body).body.to_string()));
    }
    said
}

/// What a hook gives when a session begins or is taken up again.
fn given(home: &Home, session: &str, source: &str) -> String {
    let payload = json!({"session_id": session, "transcript_path": null, "cwd": project(home),
        "hook_event_name": "SessionStart", "source": source});
    run(home.command(&["hook", "codex"]), payload.to_string().as_bytes()).succeeded().out
}

fn everywhere(home: &Home, id: &str) -> Vec<(String, String)> {
    let mut said = over_mcp(home, id);
    said.extend(over_http(home, id));
    for (session, source) in [("s1", "resume"), ("new", "startup")] {
        said.push((source.to_owned(), given(home, session, source)));
    }
    said
}

#[test]
fn what_nobody_blocked_is_shown_on_each_of_these_ways() {
    let home = recorded();
    let mut hidden = everywhere(&home, &id_of(&home, "user_message"));
    hidden.retain(|(_, said)| !said.contains("on the staging server"));
    assert_eq!(hidden, []);
}

#[test]
fn a_blocked_kind_is_nowhere_nor_in_titles_and_archives() {
    let home = recorded();
    block(&home, "blocked_kinds", "user_message");
    let said = everywhere(&home, &id_of(&home, "user_message"));
    for (way, said) in &said {
        assert!(!said.contains("on the staging server"), "{way}: {said}");
    }
    let of = |way: &str| &said.iter().find(|(name, _)| name == way).unwrap().1;
    for way in ["search", "timeline", "read cx-s1", "read cx-s1/archive_001", "/v1/timeline", "resume"] {
        assert!(of(way).contains("./ship --staging"), "{way} has the rest: {}", of(way));
    }
    let home = recorded();
    block(&home, "blocked_kinds", "tool_result");
    for (way, said) in everywhere(&home, &id_of(&home, "tool_result")) {
        assert!(!said.contains("copper script"), "{way}: {said}");
    }
}

#[test]
fn a_blocked_source_is_nowhere_nor_in_titles_and_archives() {
    let home = recorded();
    let source = home.events()[0]["source"].as_str().unwrap().to_owned();
    block(&home, "blocked_sources", &source);
    for (way, said) in everywhere(&home, &id_of(&home, "user_message")) {
        let has = ["on the staging server", "copper script", "./ship"].iter().any(|text| said.contains(text));
        assert!(!has, "{way}: {said}");
    }
    // The owner's own commands show it.
    assert!(home.run(&["archive", "cx-s1"]).succeeded().out.contains("on the staging server"));
    assert!(home.run(&["sessions"]).succeeded().out.contains("on the staging server"));
}

#[test]
fn a_commit_over_mcp_seals_what_is_blocked_too() {
    let home = recorded();
    block(&home, "blocked_kinds", "user_message");
    let prompt = json!({"session_id": "s2", "event_type": "user_message", "content": "Why is the walrus late again?",
        "source": "codex", "turn_id": "t1", "timestamp": "2026-05-02T10:00:00Z"});
    home.ingest(&[prompt]).succeeded();
    let mut client = client(&home);
    client.text("commit", json!({"session": "cx-s2"}));
    client.leave().succeeded();
    assert!(home.run(&["archive", "cx-s2"]).succeeded().out.contains("walrus late"));
}
