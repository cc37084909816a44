//! Batches: all or nothing, and the same whatever is sent twice.

use crate::running::{batch, record, set, start, start_with, text_of, timed};
use serde_json::{Value, json};

const BATCH: &str = "/v1/encode/raw/batch";

#[test]
fn a_refused_batch_stores_nothing_and_names_the_record() {
    let server = start();
    let bad: [(Value, u16, &str); 9] = [
        (set(record("s", "x"), "session_id", "  "), 400, "session_id"),
        (set(record("s", "x"), "session_id", 5), 400, "expected a string"),
        (set(record("s", "x"), "speaker", "robot"), 400, "robot"),
        (set(record("s", "x"), "meta", json!({"confidence": 1.5})), 400, "confidence"),
        (set(record("s", "x"), "content", json!({"blocks": []})), 400, "blocks"),
        (
            set(
                record("s", "x"),
                "content",
                json!({"blocks": [{"modality": "text", "format": "text/plain", "data": [255]}]}),
            ),
            400,
            "UTF-8",
        ),
        (
            set(
                record("s", "x"),
                "content",
                json!({"blocks": [{"modality": "text", "format": "text/plain", "data": [256]}]}),
            ),
            400,
            "255",
        ),
        (record("s", &"x".repeat(1_048_577)), 413, "1048576"),
        (json!({"session_id": "s"}), 400, "source"),
    ];
    for (bad, status, about) in bad {
        let answer =
            server.post(BATCH, &batch(&[record("s", "good"), record("s", "good too"), bad, record("s", "after")]));
        let code = if status == 413 { "CONTENT_TOO_LARGE" } else { "VALIDATION_ERROR" };
        assert_eq!(answer.error(), (status, code.to_owned()), "{}", answer.text());
        assert_eq!((&answer.json()["record"], &answer.json()["details"]["record"]), (&json!(2), &json!(2)));
        let message = answer.message();
        assert!(message.contains("record 2") && message.contains(about), "{message}");
    }
    assert_eq!(server.recall(&json!({})), Vec::<Value>::new());
    assert_eq!(server.journal.last_seq().unwrap(), 0);
    assert!(server.get("/metrics").text().contains("memoir_events_total{outcome=\"stored\"} 0"));
}

#[test]
fn sending_a_batch_again_stores_nothing_and_gives_the_same_ids() {
    let server = start();
    let mut named = record("s", "named by its sender");
    named["metadata"]["idempotency_key"] = "key-1".into();
    let records = [timed("s", "one", "2026-05-01T10:00:00Z"), set(record("s", "two"), "turn_id", "t2"), named];
    let first = server.store(&records);
    let again = server.store(&records);
    assert_eq!(first, again);
    assert_eq!(server.recall(&json!({"limit": 100})).len(), 3);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("memoir_events_total{outcome=\"stored\"} 3"), "{metrics}");
    assert!(metrics.contains("memoir_events_total{outcome=\"duplicate\"} 3"), "{metrics}");
}

#[test]
fn records_that_nothing_names_are_each_their_own() {
    let server = start();
    let ids = server.store(&[record("s", "same"), record("s", "same")]);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(server.recall(&json!({})).len(), 2);
}

#[test]
fn every_result_id_is_a_uuid_of_version_7_under_which_the_record_is_found() {
    let server = start();
    let ids = server.store(&[timed("s", "a", "2026-05-01T10:00:00Z"), record("s", "b")]);
    for id in &ids {
        assert_eq!((id.len(), id.as_bytes()[14]), (36, b'7'), "{id}");
        let found = server.get(&format!("/v1/events/{id}"));
        assert_eq!(found.status, 200, "{}", found.text());
        assert_eq!(found.json()["record_id"], **id);
    }
    let recalled: Vec<String> =
        server.recall(&json!({})).iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(recalled, ids);
}

#[test]
fn results_come_in_the_order_of_the_request() {
    let server = start();
    let records: Vec<Value> = (0..300)
        .map(|n| {
            set(
                set(record(&format!("s{}", n % 7), &format!("text {n}")), "turn_id", format!("{n}")),
                "secrecy_level",
                if n % 2 == 0 { "public" } else { "sensitive" },
            )
        })
        .collect();
    let answer = server.post(BATCH, &batch(&records)).json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 300);
    for (sent, result) in records.iter().zip(results) {
        for field in ["session_id", "visibility", "secrecy_level"] {
            assert_eq!(sent[field], result[field]);
        }
    }
}

#[test]
fn an_empty_batch_is_fine_and_one_over_the_limit_is_not() {
    let server = start_with(memoir_server::ServerSettings { records_max: 3, ..crate::running::settings() });
    let empty = server.post(BATCH, &batch(&[]));
    assert_eq!((empty.status, empty.text().as_str()), (200, r#"{"results":[]}"#));
    let records: Vec<Value> = (0..4).map(|n| record("s", &n.to_string())).collect();
    let answer = server.post(BATCH, &batch(&records));
    assert_eq!(answer.error(), (413, "CONTENT_TOO_LARGE".to_owned()));
    assert!(answer.message().contains("4 records") && answer.message().contains('3'), "{}", answer.message());
    assert_eq!(server.store(&records[..3]).len(), 3);
}

#[test]
fn what_is_sent_is_kept_verbatim_but_for_secrets() {
    let server = start();
    let text = "Grüße – 日本語 \u{0} line\r\n\ttab \u{1f600}";
    let secret = "deploy with ghp_16C7e42F292c6912E7710c838347Ae178B4a please";
    server.store(&[record("s", text), record("s", secret)]);
    let recalled = server.recall(&json!({}));
    assert_eq!(text_of(&recalled[0]), text);
    let redacted = text_of(&recalled[1]);
    assert!(redacted.starts_with("deploy with [redacted:") && redacted.ends_with("] please"), "{redacted}");
}

#[test]
fn one_record_can_be_stored_without_a_batch() {
    let server = start();
    let record = timed("solo", "alone", "2026-05-01T10:00:00Z");
    let first = server.post("/v1/encode/raw", &record);
    assert_eq!(first.status, 200, "{}", first.text());
    assert_eq!(first.json()["session_id"], "solo");
    assert_eq!(server.post("/v1/encode/raw", &record).json(), first.json());
    let refused = server.post("/v1/encode/raw", &set(record, "session_id", ""));
    assert_eq!(refused.error(), (400, "VALIDATION_ERROR".to_owned()));
    assert_eq!(server.recall(&json!({})).len(), 1);
}

#[test]
fn several_blocks_and_structured_content_come_back_as_they_were() {
    let server = start();
    let content = json!({"blocks": [
        {"modality": "text", "format": "text/markdown", "data": b"# hi".to_vec(), "embedding": [0.5, 1.0]},
        {"modality": "structured", "format": "application/json", "data": br#"{"b": 2.50,"a":1}"#.to_vec(), "embedding": null},
        {"modality": "image", "format": "image/png", "data": [137, 80, 0, 255], "embedding": null}
    ], "summary": "a mix"});
    server.store(&[set(record("s", ""), "content", content.clone())]);
    assert_eq!(server.recall(&json!({}))[0]["content"], content);
}

#[test]
fn senders_of_the_same_batch_at_the_same_time_store_it_once() {
    let server = start();
    let records: Vec<Value> =
        (0..100).map(|n| set(record("s", &format!("text {n}")), "turn_id", n.to_string())).collect();
    let ids: Vec<Vec<String>> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..6).map(|_| scope.spawn(|| server.store(&records))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|same| *same == ids[0]));
    assert_eq!(server.journal.stats().unwrap().events, 100);
}
