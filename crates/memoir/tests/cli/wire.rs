//! The requests that a cerememory-recorder sends, answered as it expects.

use crate::http::{self, Answer};
use crate::support::{Home, Server, text_of};
use serde_json::{Value, json};

const BATCH: &str = "/v1/encode/raw/batch";

/// Type, raw source and speaker, as the recorder maps them.
const TYPES: [(&str, &str, &str); 8] = [
    ("user_message", "conversation", "user"),
    ("assistant_message", "conversation", "assistant"),
    ("tool_call", "tool_io", "tool"),
    ("tool_result", "tool_io", "tool"),
    ("command", "tool_io", "tool"),
    ("file_change", "tool_io", "system"),
    ("session_summary", "summary", "system"),
    ("error", "tool_io", "system"),
];

fn text_block(text: &str) -> Value {
    json!({"blocks": [{"modality": "text", "format": "text/plain", "data": text.as_bytes(), "embedding": null}], "summary": null})
}

/// A record with nothing optional, as the recorder sends it.
pub fn of_type((event_type, source, speaker): (&str, &str, &str), session: &str, text: &str) -> Value {
    json!({
        "header": null, "session_id": session, "turn_id": null, "topic_id": null, "source": source, "speaker": speaker,
        "visibility": "normal", "secrecy_level": "sensitive", "content": text_block(text),
        "metadata": {"event_type": event_type, "recorder": "cerememory-recorder", "recorder_cwd": "/home/alice/proj"},
        "meta": null
    })
}

pub fn record(session: &str, text: &str) -> Value {
    of_type(TYPES[0], session, text)
}

pub fn records(records: &[Value]) -> Value {
    json!({"header": null, "records": records})
}

fn full(at: usize) -> Value {
    let mut record = of_type(TYPES[at], "full", &format!("grüße {at} – 日本語 ✓"));
    let (visibility, secrecy) =
        (["normal", "private_scratch", "sealed"][at % 3], ["public", "sensitive", "secret"][at / 3]);
    let fields = json!({
        "turn_id": format!("turn-{at}"), "topic_id": "topic", "visibility": visibility,
        "secrecy_level": secrecy,
        "metadata": {
            "action_id": format!("action-{at}"), "capture_metadata": {"cwd": "/home/alice/proj", "exit_code": 0},
            "capture_source": "codex", "event_type": TYPES[at].0,
            "observed_at": format!("2026-05-10T08:00:0{at}.250+00:00"),
            "recorder": "cerememory-recorder", "recorder_cwd": "/somewhere/else"
        },
        "meta": {
            "schema_version": 1, "capture_status": "provided", "intent": "mend", "rationale": null, "trigger": "report",
            "goals": ["one"], "evidence": [{"record_id": "019a1111-0000-7000-8000-000000000001", "raw_record_id": null,
                "label": "log", "excerpt": "words", "uri": "file:///x", "confidence": 0.75}],
            "assumptions": [], "alternatives": [{"option": "a", "reason": null, "chosen": true}], "decision": "a",
            "confidence": 0.9, "source_record_ids": [], "parent_meta_ids": [], "context_edges": [], "tags": ["t"],
            "captured_at": "2026-05-10T08:00:00Z"
        }
    });
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record
}

fn is_uuid_v7(text: &str) -> bool {
    let shape: Vec<usize> = text.split('-').map(str::len).collect();
    shape == [8, 4, 4, 4, 12] && text.as_bytes()[14] == b'7' && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// The answer is a success for those records, in their order.
fn accepted(answer: &Answer, sent: &[Value]) {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(!answer.request_id.is_empty());
    let results = answer.body["results"].as_array().unwrap();
    assert_eq!(results.len(), sent.len());
    for (result, record) in results.iter().zip(sent) {
        assert!(is_uuid_v7(result["record_id"].as_str().unwrap()), "{result}");
        for field in ["session_id", "visibility", "secrecy_level"] {
            assert_eq!(result[field], record[field], "{field}");
        }
    }
}

fn recall(server: &Server, request: Value) -> Vec<Value> {
    let answer = http::post(server, "/v1/recall/raw", None, &request);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body["total_candidates"].is_u64());
    answer.body["records"].as_array().unwrap().clone()
}

#[test]
fn records_with_every_field_come_back_as_they_were_sent() {
    let home = Home::new();
    let server = home.serve();
    for at in 0..8 {
        accepted(&http::post(&server, BATCH, None, &records(&[full(at)])), &[full(at)]);
    }
    let all = json!({"session_id": "full", "limit": 100, "include_private_scratch": true, "include_sealed": true,
        "secrecy_levels": ["public", "sensitive", "secret"]});
    let recalled = recall(&server, all);
    assert_eq!(recalled.len(), 8);
    for (at, record) in recalled.iter().enumerate() {
        let sent = full(at);
        for field in
            ["session_id", "turn_id", "topic_id", "source", "speaker", "visibility", "secrecy_level", "content"]
        {
            assert_eq!(record[field], sent[field], "{field} of {at}");
        }
        assert_eq!(record["metadata"]["capture_metadata"], sent["metadata"]["capture_metadata"]);
        assert_eq!(record["metadata"]["event_type"], sent["metadata"]["event_type"]);
        assert!(record["id"].is_string() && record["created_at"].is_string(), "{record}");
    }
    assert_eq!(recall(&server, json!({"session_id": "full"})).len(), 2, "neither hidden nor secret ones unasked");
    let events = home.events();
    assert_eq!(events.len(), 8);
    for (at, event) in events.iter().enumerate() {
        assert_eq!((&event["kind"], &event["source"]), (&json!(TYPES[at].0), &json!("http")));
        assert_eq!((&event["captureSource"], &event["client"]), (&json!("codex"), &json!("codex")));
        assert_eq!((&event["actionId"], &event["repoId"]), (&json!(format!("action-{at}")), &json!("5c7e316ac24a")));
        assert_eq!(event["ts"], format!("2026-05-10T08:00:0{at}.250+00:00"));
        assert_eq!(text_of(event), format!("grüße {at} – 日本語 ✓"));
    }
}

#[test]
fn records_without_options_and_eight_in_one_batch_are_taken() {
    let home = Home::new();
    let server = home.serve();
    let sent: Vec<Value> = TYPES.iter().map(|kind| of_type(*kind, "small", &format!("a {}", kind.0))).collect();
    for record in &sent {
        accepted(
            &http::post(&server, BATCH, None, &records(std::slice::from_ref(record))),
            std::slice::from_ref(record),
        );
    }
    accepted(&http::post(&server, BATCH, None, &records(&sent)), &sent);
    assert_eq!(home.events().len(), 16, "what does not name itself is never a duplicate");
    for (at, event) in home.events().iter().take(8).enumerate() {
        assert_eq!((&event["kind"], &event["speaker"]), (&json!(TYPES[at].0), &json!(TYPES[at].2)));
    }
    accepted(&http::post(&server, BATCH, None, &records(&[])), &[]);
    let mut no_header = json!({"records": [record("small", "without a header")]});
    accepted(&http::post(&server, BATCH, None, &no_header), &[record("small", "without a header")]);
    no_header["records"][0]
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !["header", "turn_id", "topic_id", "metadata", "meta"].contains(&name.as_str()));
    accepted(&http::post(&server, BATCH, None, &no_header), &[record("small", "x")]);
    let one = http::post(&server, "/v1/encode/raw", None, &record("small", "alone"));
    assert_eq!((one.status, one.body["session_id"].as_str()), (200, Some("small")), "{}", one.body);
    assert_eq!(home.events().len(), 19);
}

#[test]
fn a_recorders_doctor_is_answered() {
    let home = Home::new();
    let server = home.serve();
    assert_eq!(http::get(&server, "/health", None).body["status"], "ok");
    assert_eq!(http::get(&server, "/readiness", None).body, json!({"status": "ready"}));
    let mut probe = of_type(TYPES[6], "recorder-doctor-01a1", "doctor probe");
    probe["visibility"] = json!("private_scratch");
    probe["metadata"]["capture_metadata"] = json!({"doctor_probe": true});
    probe["metadata"]["capture_source"] = json!("doctor");
    accepted(&http::post(&server, BATCH, None, &records(&[probe.clone()])), &[probe]);
    let asked = json!({"header": null, "session_id": "recorder-doctor-auth-probe", "query": null, "temporal": null,
        "limit": 0, "include_private_scratch": false, "include_sealed": false, "secrecy_levels": null});
    assert_eq!(recall(&server, asked), [Value::Null; 0]);
    assert_eq!(home.run(&["timeline", "--json"]).succeeded().out, "", "a probe is nothing people are shown");
}

#[test]
fn a_key_is_checked_as_a_recorder_expects() {
    let home = Home::new();
    let server = home.serve_with(&[("MEMOIR_SERVER_KEYS", "ingest+read:the-right-key-0001")]);
    let batch = records(&[record("s", "x")]);
    for (key, status) in [(Some("the-right-key-0001"), 200), (Some("the-wrong-key-0002"), 401), (None, 401)] {
        let answer = http::post(&server, BATCH, key, &batch);
        assert_eq!(answer.status, status, "{}", answer.body);
        if status == 401 {
            assert_eq!(answer.body["code"], "UNAUTHORIZED");
        }
        assert_eq!(http::get(&server, "/health", key).status, 200);
    }
    assert_eq!(home.events().len(), 1);
}

#[test]
fn a_request_sent_again_after_a_lost_answer_stores_nothing_twice() {
    let home = Home::new();
    let server = home.serve();
    let mut named = record("s", "with a name");
    named["metadata"]["idempotency_key"] = json!("0199-0001");
    let batch = records(&[full(0), full(1), named]);
    let first = http::post(&server, BATCH, None, &batch).body;
    let second = http::post(&server, BATCH, None, &batch).body;
    assert_eq!(first, second, "the same records have the same ids");
    assert_eq!(home.events().len(), 3);
    home.verified();
}

#[test]
fn a_batch_is_all_or_nothing_and_names_the_record_at_fault() {
    let home = Home::new();
    let server = home.serve();
    let mut doubtful = record("s", "doubtful");
    doubtful["meta"] = json!({"confidence": 1.5});
    let mut torn = record("s", "torn");
    torn["content"]["blocks"][0]["data"] = json!([255, 254]);
    let mut large = record("s", "large");
    large["content"] = text_block(&"x".repeat((1 << 20) + 1));
    for (bad, status) in [(doubtful, 400), (torn, 400), (large, 413)] {
        let answer =
            http::post(&server, BATCH, None, &records(&[record("s", "a"), record("s", "b"), bad, record("s", "c")]));
        assert_eq!((answer.status, answer.body["record"].as_u64()), (status, Some(2)), "{}", answer.body);
    }
    assert_eq!(home.events(), [Value::Null; 0]);
}

#[test]
fn secrets_are_taken_out_of_what_comes_over_http() {
    let home = Home::new();
    let server = home.serve();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut sent = record("s", &format!("push with {key}"));
    sent["metadata"]["capture_metadata"] = json!({"env": {"DB_PASSWORD": "hunter2-and-more"}});
    assert_eq!(http::post(&server, BATCH, None, &records(&[sent])).status, 200);
    let event = home.events()[0].to_string();
    assert!(!event.contains(&key) && !event.contains("hunter2"), "{event}");
    let refused = http::post(&server, BATCH, None, &json!({"records": [{"session_id": key}]}));
    assert!(refused.status == 400 && !refused.body.to_string().contains(&key), "{}", refused.body);
}
