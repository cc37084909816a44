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

/// So many turns of two messages, from one on.
fn turns(from: usize, count: usize) -> Vec<Value> {
    let turn = |n| {
        [
            text("user", &format!("please look at the handler number {n} of the shop")),
            text("assistant", &format!("handler number {n} reads the row and writes the answer")),
        ]
    };
    (from..from + count).flat_map(turn).collect()
}

/// The texts of the live messages.
fn live(server: &Running) -> Vec<String> {
    let context = get(server, "/context");
    let messages = context["messages"].as_array().unwrap();
    messages.iter().map(|message| message["parts"][0]["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_last_messages_that_a_commit_is_to_keep_stay_live() {
    let server = start();
    server.say(SESSION, &turns(0, 5));
    let skipped = commit(&server, &json!({"keep_recent_count": 10}));
    assert_eq!((&skipped["status"], &skipped["reason"]), (&"skipped".into(), &"no_messages".into()));
    assert_eq!(get(&server, "")["message_count"], 10);
    let sealed = commit(&server, &json!({"keep_recent_count": 3}));
    assert_eq!((&sealed["status"], &sealed["archived"]), (&"accepted".into(), &true.into()));
    assert!(sealed["estimated_active_tokens"].as_u64().unwrap() > 20, "{sealed}");
    let session = get(&server, "");
    assert_eq!((&session["message_count"], &session["keep_recent_count"]), (&3.into(), &3.into()));
    assert_eq!((&session["pending_tokens"], &session["total_message_count"]), (&0.into(), &10.into()));
    assert_eq!(live(&server).len(), 3);
    assert!(live(&server)[2].starts_with("handler number 4"), "{:?}", live(&server));
    assert_eq!(server.say(SESSION, &turns(5, 1))["message_count"], 5);
    assert_eq!(server.say(SESSION, &turns(0, 6))["added"], 0);
    assert_eq!(live(&server).len(), 5);
    assert!(get(&server, "")["pending_tokens"].as_u64().unwrap() > 10);
    commit(&server, &json!({"keep_recent_count": 4}));
    assert_eq!((live(&server).len(), &get(&server, "")["message_count"]), (4, &4.into()));
    let rest = commit(&server, &json!({}));
    assert_eq!(rest["status"], "skipped", "all of it is in archives: {rest}");
    assert_eq!((live(&server).len(), &get(&server, "")["message_count"]), (0, &0.into()));
    let path = format!("/api/v1/sessions/{SESSION}/commit");
    for wrong in [json!(-1), json!("many"), json!(1.5)] {
        let answer = server.post(&path, &json!({"keep_recent_count": wrong}));
        assert_eq!(error(&answer), (400, "INVALID_ARGUMENT".to_owned()));
    }
}

#[test]
fn a_session_says_how_many_memories_it_led_to() {
    let server = start();
    server.say(SESSION, &[text("user", "Remember that walruses live in the north"), text("assistant", "Noted.")]);
    assert_eq!(get(&server, "")["memories_extracted"]["total"], 0);
    commit(&server, &json!({}));
    assert_eq!(server.post("/v1/lifecycle/dream-tick", &json!({})).status, 200);
    let extracted = get(&server, "")["memories_extracted"].clone();
    assert_eq!(extracted["total"], 1, "{extracted}");
    let sum: u64 = extracted.as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(sum, 2, "it is counted in its directory, too: {extracted}");
    server.say("cx-other", &turns(0, 1));
    result(&server.post("/api/v1/sessions/cx-other/commit", &json!({})));
    assert_eq!(result(&server.get("/api/v1/sessions/cx-other"))["memories_extracted"]["total"], 0);
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
