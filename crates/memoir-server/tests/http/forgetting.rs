//! What is forgotten stays so, and whoever sends it again is not told to try for ever.

use crate::running::{Running, batch, start, timed};
use memoir_event::{Content, Event, Identity, Json, Kind, Source};
use memoir_journal::{Admission, Lookup, View};
use memoir_redact::Redactor;
use serde_json::json;

fn forget(server: &Running, record_id: &str) {
    let lookup = Lookup::parse(record_id).unwrap();
    let stored = server.journal.event(&lookup, &View::owner_all()).unwrap().unwrap();
    let keys: Vec<String> = stored.keys.iter().map(ToString::to_string).collect();
    let payload = Content::Payload(Json::from_value(&json!({"events": keys})));
    let mut tombstone = Event::new(Source::Memoir, "memoir", Kind::Tombstone, payload);
    tombstone.identities = vec![Identity::Named(record_id.to_owned())];
    let redactor = Redactor::builtin();
    let admitted = Admission::new(&redactor, server.journal.hasher().clone()).admit(tombstone);
    server.journal.append(&[admitted], &[]).unwrap();
}

#[test]
fn a_forgotten_record_is_nowhere_and_sending_it_again_changes_nothing() {
    let server = start();
    let records =
        [timed("s", "walrus remember", "2026-05-01T10:00:00Z"), timed("s", "walrus forget", "2026-05-01T10:01:00Z")];
    let ids = server.store(&records);
    assert_eq!(server.get("/v1/search?q=walrus").json()["hits"].as_array().unwrap().len(), 2);
    forget(&server, &ids[1]);

    let again = server.store(&records);
    let third = server.store(&records);
    assert_eq!(again[0], ids[0]);
    assert_eq!(again[1], third[1]);
    assert_eq!((again[1].len(), again[1].as_bytes()[14]), (36, b'7'));
    assert!(server.get("/metrics").text().contains("memoir_events_total{outcome=\"suppressed\"} 2"));

    let everything = json!({
        "limit": 100, "include_sealed": true, "include_private_scratch": true,
        "secrecy_levels": ["public", "sensitive", "secret"]
    });
    assert!(!server.post("/v1/recall/raw", &everything).text().contains(&ids[1]));
    for id in [&ids[1], &again[1]] {
        assert_eq!(server.get(&format!("/v1/events/{id}")).status, 404);
    }
    assert!(!server.get("/v1/timeline").text().contains("walrus forget"));
    assert_eq!(server.get("/v1/search?q=walrus").json()["hits"].as_array().unwrap().len(), 1);
    assert_eq!(server.recall(&json!({"query": "walrus"})).len(), 1);
}

#[test]
fn what_nobody_knows_is_forgotten_with_a_hint() {
    let server = start();
    server.store(&[timed("s", "walrus", "2026-05-01T10:00:00Z")]);
    let forget = |body: serde_json::Value| {
        let answer = server.post("/v1/forget", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    for dry_run in [true, false] {
        let told = forget(json!({"session": "typo", "dry_run": dry_run}));
        let hint = told["hint"].as_str().unwrap_or_default();
        assert!(told["events"] == 0 && hint.contains("nothing is known of that"), "{told}");
    }
    assert_eq!(forget(json!({"text": "narwhal"}))["hint"], "nothing says that: nothing was changed");
    let known = forget(json!({"session": "s"}));
    assert!(known["events"] == 1 && known["hint"].is_null(), "{known}");
}

#[test]
fn a_batch_of_nothing_but_forgotten_records_is_a_success() {
    let server = start();
    let records = [timed("s", "gone", "2026-05-01T10:00:00Z")];
    let ids = server.store(&records);
    forget(&server, &ids[0]);
    let answer = server.post("/v1/encode/raw/batch", &batch(&records));
    assert_eq!((answer.status, &answer.json()["results"][0]["session_id"]), (200, &json!("s")));
}
