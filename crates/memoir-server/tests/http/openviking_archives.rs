//! Archives over the OpenViking API: what a commit seals, and what a resumed session gets back.

use crate::openviking::{PLUGIN, SESSION, call, error, result, returned, text};
use crate::running::{Running, start};
use memoir_event::Client;
use memoir_journal::Clock;
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Effort, SessionName, Sessions};
use serde_json::{Value, json};
use std::sync::Arc;

fn commit(server: &Running, body: &Value) -> Value {
    result(&server.post_with(&format!("/api/v1/sessions/{SESSION}/commit"), &PLUGIN, body))
}

fn get(server: &Running, what: &str) -> Value {
    result(&server.get_with(&format!("/api/v1/sessions/{SESSION}{what}"), &PLUGIN))
}

fn turn() -> Vec<Value> {
    vec![
        text("user", "Make GET /items answer an empty list when the sqlite file is missing."),
        call("call_1", "exec_command", &json!({"cmd": "cargo test missing_file"})),
        returned("call_1", "exec_command", "Process exited with code 0\nOutput:\n1 passed"),
        text("assistant", "GET /items answers an empty list now, and the test missing_file covers it."),
    ]
}

#[test]
fn a_commit_seals_what_there_is_and_a_resumed_session_gets_its_overview() {
    let server = start();
    server.say(SESSION, &turn());
    let sealed = commit(&server, &json!({"keep_recent_count": 0}));
    let uri = format!("viking://user/default/sessions/{SESSION}/history/archive_001");
    assert_eq!((&sealed["status"], &sealed["archived"]), (&"accepted".into(), &true.into()));
    assert_eq!(sealed["archive_uri"], uri);
    let task = result(&server.get(&format!("/api/v1/tasks/{}", sealed["task_id"].as_str().unwrap())));
    assert_eq!((&task["task_type"], &task["status"]), (&"session_commit".into(), &"completed".into()));
    assert_eq!(task["result"]["archive_uri"], uri);
    let session = get(&server, "");
    assert_eq!((&session["message_count"], &session["pending_tokens"]), (&0.into(), &0.into()));
    assert_eq!((&session["commit_count"], &session["total_message_count"]), (&1.into(), &4.into()));
    let context = get(&server, "/context?token_budget=32000");
    let overview = context["latest_archive_overview"].as_str().unwrap();
    assert!(overview.contains("GET /items") && overview.contains("cargo test missing_file"), "{overview}");
    assert_eq!((&context["messages"], &context["stats"]["totalArchives"]), (&json!([]), &1.into()));
    let archive = get(&server, "/archives/archive_001");
    assert_eq!((&archive["archive_id"], archive["messages"].as_array().unwrap().len()), (&"archive_001".into(), 4));
    assert!(archive["abstract"].as_str().unwrap().starts_with("Make GET /items"), "{archive}");
    let read = |uri: &str| {
        result(&server.get(&format!("/api/v1/content/read?uri={}", uri.replace(':', "%3A").replace('/', "%2F"))))
    };
    assert_eq!(read(&format!("{uri}/overview.md")), overview);
    assert_eq!(read(&format!("{uri}/messages.jsonl")).as_str().unwrap().lines().count(), 4);
    let history = format!("/api/v1/fs/ls?uri=viking%3A%2F%2F~%2Fsessions%2F{SESSION}%2Fhistory");
    assert_eq!(result(&server.get(&history))[0]["name"], "archive_001");
    assert_eq!(error(&server.get(&format!("/api/v1/sessions/{SESSION}/archives/archive_002"))).0, 404);
}

#[test]
fn a_commit_that_is_sent_again_makes_no_second_archive_and_the_session_goes_on() {
    let server = start();
    server.say(SESSION, &turn());
    commit(&server, &json!({}));
    let again = commit(&server, &json!({}));
    assert_eq!((&again["status"], &again["reason"]), (&"skipped".into(), &"no_messages".into()));
    assert_eq!(server.say(SESSION, &turn())["added"], 0, "what is sealed is known all the same");
    let said =
        server.say(SESSION, &[text("user", "Now add a test for the other handler, too."), text("assistant", "Done.")]);
    assert_eq!(said["message_count"], 2);
    assert_eq!(get(&server, "/context")["messages"].as_array().unwrap().len(), 2);
    assert!(commit(&server, &json!({}))["archive_uri"].as_str().unwrap().ends_with("archive_002"));
    let context = get(&server, "/context");
    assert_eq!(context["pre_archive_abstracts"].as_array().unwrap().len(), 1, "{context}");
}

#[test]
fn what_others_commit_is_no_longer_live_here() {
    let server = start();
    server.say(SESSION, &turn());
    let redactor = Redactor::builtin();
    let clock: Clock = Arc::new(|| crate::running::START_MS + 1_000);
    let sessions = Sessions {
        journal: &*server.journal,
        redactor: &redactor,
        clock: &clock,
        rules: CommitRules::default(),
        owner: "sweep",
        is_alive: &|_| false,
    };
    let name = SessionName::new(Some(Client::Codex), &SESSION[3..]);
    sessions.commit(&name, memoir_event::Trigger::Idle, Effort::ALL).unwrap();
    assert_eq!(get(&server, "")["message_count"], 0);
    assert_eq!(server.say(SESSION, &[text("user", "one more thing to look at")])["message_count"], 1);
}

#[test]
fn a_long_result_is_told_as_a_preview_and_read_in_parts() {
    let server = start();
    let long: String = (0..5_000).map(|n| format!("line {n}\n")).collect();
    server.say(SESSION, &[call("c", "exec_command", &json!({"cmd": "cat x"})), returned("c", "exec_command", &long)]);
    let context = get(&server, "/context");
    let part = &context["messages"][1]["parts"][0];
    assert_eq!(part["tool_output"].as_str().unwrap().len(), 2_000);
    let id = part["tool_output_ref"]["tool_result_id"].as_str().unwrap();
    let read = get(&server, &format!("/tool-results/{id}?offset=20000&limit=100"));
    assert_eq!((read["content"].as_str().unwrap().len(), &read["has_more"]), (100, &true.into()));
    let found = get(&server, &format!("/tool-results/{id}/search?q=LINE%204999"));
    assert_eq!((&found["count"], &found["matches"][0]["line"]), (&1.into(), &5_000.into()));
    let other = server.get(&format!("/api/v1/sessions/cx-other/tool-results/{id}"));
    assert_eq!(error(&other).0, 404);
}
