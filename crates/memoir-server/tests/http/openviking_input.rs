//! The OpenViking API and what nobody should send it.

use crate::client::send;
use crate::openviking::{SESSION, call, error, result, returned, text};
use crate::running::{settings, start, start_with};
use memoir_record::Policy;
use memoir_server::ServerSettings;
use serde_json::{Value, json};

fn invalid() -> (u16, String) {
    (400, "INVALID_ARGUMENT".to_owned())
}

#[test]
fn every_error_has_the_envelope_of_the_api() {
    let server = start();
    for (method, path, body, expected) in [
        ("GET", "/api/v1/nowhere", None, (404, "NOT_FOUND")),
        ("GET", "/api/v1/sessions/cx-none", None, (404, "NOT_FOUND")),
        ("GET", "/api/v1/sessions/cx-none/context", None, (404, "NOT_FOUND")),
        ("GET", "/api/v1/sessions/cx-none/archives/archive_001", None, (404, "NOT_FOUND")),
        ("GET", "/api/v1/tasks/none", None, (404, "NOT_FOUND")),
        ("PUT", "/api/v1/sessions", None, (405, "INVALID_ARGUMENT")),
        ("POST", "/api/v1/sessions/cx-1/messages", Some("{"), (400, "INVALID_ARGUMENT")),
        ("POST", "/api/v1/sessions/cx-1/messages", Some(""), (400, "INVALID_ARGUMENT")),
        ("POST", "/api/v1/sessions/cx-1/messages/batch", Some("[]"), (400, "INVALID_ARGUMENT")),
        ("POST", "/api/v1/search/search", Some(r#"{"query":"x","surprise":1}"#), (400, "INVALID_ARGUMENT")),
        ("POST", "/api/v1/search/find", Some(r#"{"query":7}"#), (400, "INVALID_ARGUMENT")),
        ("GET", "/api/v1/fs/ls", None, (400, "INVALID_ARGUMENT")),
        ("GET", "/api/v1/fs/ls?uri=viking%3A%2F%2Fuser%2Fother", None, (404, "NOT_FOUND")),
        ("GET", "/api/v1/content/read?uri=viking%3A%2F%2F~%2F..%2F..%2Fetc", None, (400, "INVALID_ARGUMENT")),
        ("GET", "/api/v1/sessions/cx-1/context?token_budget=many", None, (400, "INVALID_ARGUMENT")),
    ] {
        let answer = send(server.address, method, path, &[], body.map(str::as_bytes));
        assert_eq!(error(&answer), (expected.0, expected.1.to_owned()), "{method} {path}");
        assert!(answer.header("x-request-id").is_some());
    }
    let named =
        server.post("/api/v1/sessions/cx-1/messages/batch", &json!({"messages": [text("user", "x"), {"role": 7}]}));
    let details = &named.json()["error"]["details"]["validation_errors"][0];
    assert_eq!(details["loc"], json!(["messages", "1"]), "{details}");
    assert!(server.stored("cx-1").is_empty(), "a batch with something wrong in it is not stored in part");
}

#[test]
fn an_id_with_slashes_and_dots_is_an_id_like_any_other() {
    let server = start();
    for (id, escaped) in
        [("a/b/../c", "a%2Fb%2F..%2Fc"), ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"), ("…|x y", "%E2%80%A6%7Cx%20y")]
    {
        let said = result(&server.post(&format!("/api/v1/sessions/{escaped}/messages"), &text("user", "hello there")));
        assert_eq!(said["session_id"], id);
        let session = result(&server.get(&format!("/api/v1/sessions/{escaped}")));
        assert_eq!((&session["session_id"], &session["message_count"]), (&id.into(), &1.into()));
        let uri = session["uri"].as_str().unwrap().replace('%', "%25");
        let path =
            format!("/api/v1/fs/ls?uri={}", uri.replace(' ', "%20").replace('|', "%7C").replace('…', "%E2%80%A6"));
        assert_eq!(result(&server.get(&path))[0]["name"], "history", "{uri}");
    }
    let long = "x".repeat(300);
    assert_eq!(error(&server.get(&format!("/api/v1/sessions/{long}"))), invalid());
    assert_eq!(error(&server.get("/api/v1/sessions/a%0Ab")), invalid());
}

#[test]
fn a_batch_has_at_most_a_hundred_messages() {
    let server = start();
    let batch = |count: usize| {
        let messages: Vec<Value> =
            (0..count).map(|n| json!({"role": "user", "content": format!("message {n}")})).collect();
        server.post(&format!("/api/v1/sessions/{SESSION}/messages/batch"), &json!({"messages": messages}))
    };
    assert_eq!(result(&batch(0))["added"], 0);
    assert_eq!(error(&batch(101)), invalid());
    assert_eq!(error(&batch(100_000)), invalid());
    assert!(server.stored(SESSION).is_empty());
    assert_eq!(result(&batch(100))["added"], 100);
}

#[test]
fn a_message_of_ten_megabytes_is_kept_and_one_that_is_too_large_is_refused() {
    let server = start();
    let large = "lorem ipsum dolor ".repeat(600_000);
    let path = format!("/api/v1/sessions/{SESSION}/messages");
    assert_eq!(result(&server.post(&path, &json!({"role": "user", "content": large})))["added"], 1);
    assert_eq!(server.stored(SESSION)[0].1.len(), large.trim().len());
    let too_large = "x".repeat(65 * 1024 * 1024);
    let answer = server.post(&path, &json!({"role": "user", "content": too_large}));
    assert_eq!(error(&answer), (413, "INVALID_ARGUMENT".to_owned()));
}

#[test]
fn unknown_roles_parts_and_fields_lose_nothing() {
    let server = start();
    let odd = json!({"role": "Oracle", "parts": [
        {"type": "text", "text": "the answer is 42"}, {"type": "hologram", "beam": [1, 2]}, {"type": "tool"},
    ], "mood": "fine", "created_at": "not a time"});
    assert_eq!(result(&server.post(&format!("/api/v1/sessions/{SESSION}/messages"), &odd))["added"], 1);
    let stored = server.stored(SESSION);
    assert!(stored.iter().any(|(kind, text)| kind == "context" && text.contains("the answer is 42")), "{stored:?}");
    assert!(stored.iter().any(|(kind, _)| kind == "other"), "{stored:?}");
}

#[test]
fn a_role_that_is_neither_user_nor_assistant_is_nobodys_words() {
    let server = start();
    let roles = ["USER", "Human", "human", "model", "Assistant", "system"];
    let said: Vec<Value> = roles.iter().map(|role| text(role, &format!("this is what {role} says"))).collect();
    assert_eq!(server.say(SESSION, &said)["added"], roles.len());
    let stored = server.stored(SESSION);
    assert_eq!(stored.len(), roles.len());
    assert!(stored.iter().all(|(kind, _)| kind == "context"), "{stored:?}");
}

#[test]
fn in_a_pause_nothing_is_stored_whichever_way_it_comes() {
    let server = start();
    let record = crate::running::timed("raw", "told in a pause", "2026-06-01T10:00:00Z");
    server.pause(true);
    let said = server.say(SESSION, &[text("user", "told in a pause, too")]);
    assert_eq!((&said["added"], &said["not_recorded"]), (&0.into(), &1.into()), "{said}");
    let ids = server.store(std::slice::from_ref(&record));
    assert_eq!((ids.len(), server.stored(SESSION).len(), server.stored("raw").len()), (1, 0, 0));
    server.pause(false);
    assert_eq!(server.say(SESSION, &[text("user", "told in a pause, too"), text("user", "and after")])["added"], 1);
    assert_eq!(server.stored(SESSION).len(), 1);
}

#[test]
fn secrets_do_not_stay_in_messages_or_in_names_of_sessions() {
    let server = start();
    let key = format!("sk-ant-api03-{}", "aB3dE5fG7h".repeat(9));
    let said = text("user", &format!("use {key} for the API"));
    result(&server.post(&format!("/api/v1/sessions/{key}/messages"), &said));
    let stored = server.journal.sessions(&memoir_journal::Filter::default(), &memoir_journal::View::owner_all(), 9, 0);
    assert!(stored.unwrap().iter().all(|entry| !entry.session.contains(&key)));
    let cursors = server.journal.cursors("").unwrap();
    assert!(cursors.iter().all(|cursor| !cursor.stream.contains(&key) && !cursor.position.contains(&key)));
}

#[test]
fn huge_limits_are_as_much_as_there_is() {
    let server = start();
    server.say(SESSION, &[text("user", "the shop sells shoes")]);
    let find = json!({"query": "shoes", "limit": 4_000_000_000u64});
    assert_eq!(result(&server.post("/api/v1/search/find", &find))["total"], 1);
    let ls = "/api/v1/fs/ls?uri=viking%3A%2F%2F~%2Fsessions&node_limit=99999999999";
    assert_eq!(result(&server.get(ls)).as_array().unwrap().len(), 1);
    let context = format!("/api/v1/sessions/{SESSION}/context?token_budget=18446744073709551615");
    assert_eq!(result(&server.get(&context))["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_user_does_not_want_recorded_is_not_taken_from_a_plugin_either() {
    let policy = Policy::new(
        Vec::new(),
        vec!["vault".to_owned()],
        &["hush-\\d+".to_owned()],
        vec!["do not save this".to_owned()],
    );
    let server = start_with(ServerSettings { policy: policy.unwrap(), ..settings() });
    let said = server.say(
        SESSION,
        &[
            text("user", "my PIN is 7413, do not save this"),
            text("assistant", "I will not keep the PIN 7413."),
            text("user", "now look at the shop"),
            call("c1", "vault", &json!({"path": "secret/shop"})),
            returned("c1", "vault", "shop-password-42"),
            text("assistant", "the shop is fine, hush-17 too"),
            text("assistant", "the shop is fine"),
        ],
    );
    let stored = server.stored(SESSION);
    let texts: Vec<&str> = stored.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["now look at the shop", "the shop is fine"], "{stored:?}");
    assert_eq!(said["not_recorded"], 5, "{said}");
}
