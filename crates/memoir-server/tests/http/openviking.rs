//! The OpenViking API as its plugins use it: sessions that are told, told again, sealed, recalled and forgotten.

use crate::client::{Answer, send};
use crate::running::{Running, START_MS, settings, start, start_with};
use memoir_capture::read_hook;
use memoir_event::{Client, Time};
use memoir_journal::{Admission, Filter, Order, Page, View};
use memoir_redact::Redactor;
use memoir_server::{ApiKey, Scope, Scopes, ServerSettings};
use serde_json::{Value, json};

/// What the plugin of Codex sends with every request.
pub const PLUGIN: [(&str, &str); 2] =
    [("x-openviking-actor-peer", "-home-dev-shop"), ("user-agent", "openviking-memory-codex/0.7.5")];

pub const SESSION: &str = "cx-0193af42-7c1e-7d10-9f3a-5b1c2d3e4f50";

/// The result of a success.
pub fn result(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["status"], "ok", "{body}");
    assert!(body["error"].is_null() && body.get("telemetry").is_some() && body.get("profile").is_some(), "{body}");
    body["result"].clone()
}

/// Status and code of an error.
pub fn error(answer: &Answer) -> (u16, String) {
    let body = answer.json();
    assert_eq!(body["status"], "error", "{body}");
    assert!(!body["error"]["message"].as_str().unwrap().is_empty() && body["error"]["details"].is_object(), "{body}");
    (answer.status, body["error"]["code"].as_str().unwrap().to_owned())
}

pub fn text(role: &str, text: &str) -> Value {
    json!({"role": role, "parts": [{"type": "text", "text": text}], "peer_id": "-home-dev-shop"})
}

pub fn call(id: &str, name: &str, input: &Value) -> Value {
    let part = json!({"type": "tool", "tool_id": id, "tool_name": name, "tool_status": "running", "tool_input": input});
    json!({"role": "assistant", "parts": [part], "peer_id": "-home-dev-shop"})
}

pub fn returned(id: &str, name: &str, output: &str) -> Value {
    let part =
        json!({"type": "tool", "tool_id": id, "tool_name": name, "tool_status": "completed", "tool_output": output});
    json!({"role": "user", "parts": [part], "peer_id": "-home-dev-shop"})
}

impl Running {
    pub fn say(&self, session: &str, messages: &[Value]) -> Value {
        let path = format!("/api/v1/sessions/{session}/messages/batch");
        result(&self.post_with(&path, &PLUGIN, &json!({"messages": messages})))
    }

    fn say_one(&self, session: &str, message: &Value) -> Value {
        result(&self.post(&format!("/api/v1/sessions/{session}/messages"), message))
    }

    fn ask(&self, query: &str) -> Value {
        let body = json!({"query": query, "mode": "context", "purpose": "coding", "score_threshold": 0.35,
                          "session_id": "cx-asking", "dedup_turns": 5});
        result(&self.post_with("/api/v1/search/search", &PLUGIN, &body))
    }

    /// Kinds and texts of what is stored, in the order of storage.
    pub fn stored(&self, session: &str) -> Vec<(String, String)> {
        let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
        let page = Page::first(1_000, Order::OldestFirst);
        let mut events = self.journal.page(&filter, &View::owner_all(), &page).unwrap().events;
        events.sort_by_key(|stored| stored.seq);
        events.iter().map(|one| (one.event.kind().to_string(), one.event.content.plain().into_owned())).collect()
    }
}

fn words(stored: &[(String, String)]) -> Vec<&str> {
    stored.iter().filter(|(kind, _)| kind.ends_with("_message")).map(|(_, text)| text.as_str()).collect()
}

#[test]
fn a_plugin_finds_all_that_it_asks_for_at_the_start_of_a_session() {
    let server = start();
    let health = server.get_with("/health", &PLUGIN).json();
    assert_eq!(
        (&health["status"], &health["healthy"], &health["auth_mode"]),
        (&"ok".into(), &true.into(), &"dev".into())
    );
    assert_eq!(result(&server.get_with("/api/v1/system/status", &PLUGIN))["user"], "default");
    let users = result(&server.get_with("/api/v1/fs/ls?uri=viking%3A%2F%2Fuser&output=original", &PLUGIN));
    assert_eq!((&users[0]["name"], &users[0]["isDir"]), (&"default".into(), &true.into()));
    let profile = "/api/v1/content/read?uri=viking%3A%2F%2Fuser%2Fdefault%2Fmemories%2Fprofile.md";
    assert_eq!(error(&server.get_with(profile, &PLUGIN)), (404, "NOT_FOUND".to_owned()));
    let preferences = "/api/v1/fs/ls?uri=viking%3A%2F%2Fuser%2Fdefault%2Fmemories%2Fpreferences&output=agent&recursive=true&abs_limit=512&node_limit=512";
    assert_eq!(result(&server.get_with(preferences, &PLUGIN)), json!([]));
    let commit = server.post_with("/api/v1/sessions/cx-idle-one/commit", &PLUGIN, &json!({}));
    let commit = result(&commit);
    assert_eq!((&commit["status"], &commit["archived"]), (&"skipped".into(), &false.into()));
}

#[test]
fn a_session_that_is_told_becomes_events_and_the_next_one_recalls_it() {
    let server = start();
    let said = server.say(
        SESSION,
        &[
            text("user", "# AGENTS.md instructions for /srv/shop\n\n<INSTRUCTIONS>\nBe good.\n</INSTRUCTIONS>"),
            text("user", "<environment_context>\n  <cwd>/srv/shop</cwd>\n</environment_context>"),
            text("user", "Why does GET /items answer 500 when the sqlite file is missing?"),
            text("assistant", "The handler unwraps the connection; I will return an empty list."),
            call("call_1", "exec_command", &json!({"cmd": "cargo test missing_file"})),
            returned("call_1", "exec_command", "Process exited with code 0\nOutput:\n1 passed"),
            text("assistant", "GET /items answers an empty list now when the sqlite file is missing."),
        ],
    );
    assert_eq!((&said["message_count"], &said["added"]), (&7.into(), &7.into()));
    assert!(said["pending_tokens"].as_u64().unwrap() > 50, "{said}");
    let stored = server.stored(SESSION);
    let kinds: Vec<&str> = stored.iter().map(|(kind, _)| kind.as_str()).collect();
    let expected = ["user_message", "assistant_message", "tool_call", "tool_result", "command", "assistant_message"];
    assert_eq!(kinds, expected, "{stored:?}");
    let answer = server.ask("GET /items 500 sqlite file missing");
    let entries = answer["entries"].as_array().unwrap();
    assert!(!entries.is_empty(), "{answer}");
    let rendered = answer["rendered"].as_str().unwrap();
    assert!(rendered.starts_with("<memory uri=\"viking://user/default/sessions/cx-0193"), "{rendered}");
    let uri = entries[0]["uri"].as_str().unwrap().replace(':', "%3A").replace('/', "%2F");
    let read = result(&server.get(&format!("/api/v1/content/read?uri={uri}")));
    assert!(read.as_str().unwrap().contains("sqlite file"), "{read}");
    let session = result(&server.get(&format!("/api/v1/sessions/{SESSION}")));
    assert_eq!((&session["message_count"], &session["total_message_count"]), (&7.into(), &7.into()));
    let context = result(&server.get(&format!("/api/v1/sessions/{SESSION}/context?token_budget=32000")));
    assert_eq!(context["messages"].as_array().unwrap().len(), 5, "{context}");
    assert!(result(&server.get("/api/v1/sessions"))[0]["session_id"] == SESSION);
}

#[test]
fn what_was_put_into_a_prompt_is_not_the_users_and_nobody_recalls_an_ack() {
    let server = start();
    server.say(
        SESSION,
        &[
            text("user", "ok"),
            text("user", "/status"),
            text("user", "Remember: we never commit on Fridays. <openviking-context source=\"auto-recall\" format=\"digest\">\nOpenViking memory digest:\n- stale thing (viking://x)\n</openviking-context>"),
            text("assistant", "Understood: no commits on Fridays."),
        ],
    );
    let stored = server.stored(SESSION);
    assert_eq!(words(&stored), ["Remember: we never commit on Fridays.", "Understood: no commits on Fridays."]);
    assert!(stored.iter().all(|(_, text)| !text.contains("stale thing")), "{stored:?}");
}

#[test]
fn a_plugin_that_lost_its_state_adds_nothing() {
    let server = start();
    let all: Vec<Value> = (0..350)
        .map(|n| match n % 2 {
            0 => text("user", &format!("please look at the handler number {n} of the shop and say what it does")),
            _ => text("assistant", &format!("handler number {n} reads the row and writes the answer")),
        })
        .collect();
    for batch in all.chunks(100) {
        server.say(SESSION, batch);
    }
    let before = server.stored(SESSION);
    assert_eq!(before.len(), 350);
    for batch in all.chunks(100) {
        assert_eq!(server.say(SESSION, batch)["added"], 0);
    }
    let mut last = all[340..].to_vec();
    last.push(text("user", "continue"));
    assert_eq!(server.say(SESSION, &last)["added"], 1);
    assert_eq!(server.stored(SESSION).len(), 351);
}

#[test]
fn a_plugin_that_lost_its_state_adds_nothing_to_a_session_of_short_messages() {
    let short = |n: usize| match n % 2 {
        0 => text("user", "continue"),
        _ => text("assistant", &format!("step {n} done")),
    };
    let notes: Vec<Value> = (0..150).map(|n| text("user", &format!("note {n}: short text"))).collect();
    for all in [notes, (0..240).map(short).collect()] {
        let server = start();
        let added = || -> Vec<u64> {
            all.chunks(100).map(|batch| server.say(SESSION, batch)["added"].as_u64().unwrap()).collect()
        };
        assert_eq!(added().iter().sum::<u64>(), u64::try_from(all.len()).unwrap());
        assert!(added().iter().all(|added| *added == 0));
        let real = [text("user", "continue"), text("assistant", "step 21 done")];
        assert_eq!(server.say(SESSION, &real)["added"], 2, "a turn that was had before can be had again");
    }
}

#[test]
fn a_lone_message_that_its_speaker_said_last_is_a_replay() {
    let server = start();
    let one = json!({"role": "user", "content": "continue"});
    assert_eq!(server.say_one("s1", &one)["added"], 1);
    assert_eq!(server.say_one("s1", &one)["added"], 0);
    server.say_one("s1", &json!({"role": "assistant", "content": "done"}));
    assert_eq!(server.say_one("s1", &one)["added"], 0);
    server.say_one("s1", &json!({"role": "user", "content": "and the tests"}));
    assert_eq!(server.say_one("s1", &one)["added"], 1);
    assert_eq!(server.stored("s1").len(), 4);
}

#[test]
fn two_that_send_the_same_at_once_store_it_once() {
    let server = start();
    let messages: Vec<Value> = (0..19).map(|n| text(["user", "assistant"][n % 2], &format!("turn {n}"))).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| server.say(SESSION, &messages));
        }
    });
    assert_eq!(server.stored(SESSION).len(), 19);
}

/// Stores what a hook of Codex sees.
fn hook(server: &Running, event: &str, fields: &Value) {
    let mut payload =
        json!({"session_id": &SESSION[3..], "hook_event_name": event, "turn_id": "turn-1", "cwd": "/srv/shop"});
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let call = read_hook(Client::Codex, &payload.to_string(), &Time::from_ms(START_MS)).unwrap();
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, server.journal.hasher().clone());
    let batch: Vec<_> = call.captured.into_iter().map(|captured| admission.admit(captured.event)).collect();
    server.journal.append(&batch, &[]).unwrap();
}

#[test]
fn a_turn_that_hooks_and_a_plugin_both_tell_is_stored_once_in_either_order() {
    let prompt = "Why does GET /items answer 500?";
    let told = [text("user", prompt), text("assistant", "Because of the unwrap."), text("user", "ok")];
    for hooks_first in [true, false] {
        let server = start();
        let by_hook = || {
            hook(&server, "UserPromptSubmit", &json!({"prompt": prompt}));
            hook(&server, "Stop", &json!({"last_assistant_message": "Because of the unwrap."}));
        };
        if hooks_first {
            by_hook();
        }
        server.say(SESSION, &told);
        if !hooks_first {
            by_hook();
        }
        let stored = server.stored(SESSION);
        assert_eq!(words(&stored), [prompt, "Because of the unwrap."], "{hooks_first}: {stored:?}");
    }
}

#[test]
fn a_sub_agents_part_is_a_thread_of_its_session() {
    let server = start();
    let id = "cc-7d3f__subagent-ag1";
    server.say(id, &[text("user", "count the files"), text("assistant", "There are 3.")]);
    assert_eq!(server.stored("cc-7d3f").len(), 2);
    let commit = result(&server.post(&format!("/api/v1/sessions/{id}/commit"), &json!({})));
    assert_eq!((&commit["status"], &commit["reason"]), (&"skipped".into(), &"part_of_session".into()));
}

#[test]
fn a_session_that_was_deleted_stays_away_when_it_is_sent_again() {
    let server = start();
    let told = [text("user", "my shoe size is 44 and that is private to me, really"), text("assistant", "Noted.")];
    server.say(SESSION, &told);
    let path = format!("/api/v1/sessions/{SESSION}");
    let delete = || send(server.address, "DELETE", &path, &[], None);
    assert_eq!(result(&delete())["session_id"], SESSION);
    assert_eq!(error(&server.get(&path)), (404, "NOT_FOUND".to_owned()));
    assert_eq!(error(&delete()), (404, "NOT_FOUND".to_owned()));
    assert_eq!(server.say(SESSION, &told)["added"], 0);
    assert!(server.ask("shoe size 44")["entries"].as_array().unwrap().is_empty());
    server.say(SESSION, &[told[1].clone(), text("user", "something else now")]);
    assert_eq!(result(&server.get(&path))["message_count"], 1);
}

#[test]
fn the_same_is_not_recalled_again_within_so_many_questions() {
    let server = start();
    server.say(SESSION, &[text("user", "the deploy of the shop goes through ./ship and never through kubectl")]);
    let first = server.ask("how does the deploy of the shop go");
    assert_eq!(first["entries"].as_array().unwrap().len(), 1, "{first}");
    let again = server.ask("how does the deploy of the shop go");
    assert_eq!(again["entries"], first["entries"], "asked again, it is the same turn");
    let next = server.ask("deploy of the shop with kubectl");
    assert_eq!((&next["entries"], &next["stats"]["dedup"]["excluded"]), (&json!([]), &1.into()), "{next}");
    let own = json!({"query": "deploy of the shop", "mode": "context", "session_id": SESSION});
    let own = result(&server.post("/api/v1/search/search", &own));
    assert_eq!(own["entries"], json!([]), "a session knows what was said in it");
}

#[test]
fn either_header_shows_a_key_and_the_one_of_the_api_wins() {
    let key = |secret: &str, scopes: &[Scope]| ApiKey::new(secret, Scopes::of(scopes)).unwrap();
    let keys = vec![key("plugin", &[Scope::Ingest, Scope::Read]), key("owner", &[Scope::Admin])];
    let server = start_with(ServerSettings { keys, ..settings() });
    let status = |headers: &[(&str, &str)]| server.get_with("/api/v1/system/status", headers);
    assert_eq!(result(&status(&[("authorization", "Bearer plugin")]))["user"], "default");
    assert_eq!(status(&[("x-api-key", "plugin")]).status, 200);
    assert_eq!(status(&[("x-api-key", "plugin"), ("authorization", "Bearer wrong")]).status, 200);
    let wrong = status(&[("x-api-key", "wrong"), ("authorization", "Bearer plugin")]);
    assert_eq!(error(&wrong), (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(error(&status(&[])), (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(server.get("/health").json()["auth_mode"], "api_key");
    let said = json!({"role": "user", "content": "hello there"});
    let path = "/api/v1/sessions/cx-1";
    assert_eq!(server.post_with(&format!("{path}/messages"), &[("x-api-key", "plugin")], &said).status, 200);
    let delete = |key| send(server.address, "DELETE", path, &[("x-api-key", key)], None);
    assert_eq!(error(&delete("plugin")), (403, "PERMISSION_DENIED".to_owned()));
    assert_eq!(result(&delete("owner"))["session_id"], "cx-1");
}
