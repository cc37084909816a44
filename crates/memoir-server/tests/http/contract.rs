//! The requests of the real recorder, and the answers they get: recorded, with ids and times left out.

use crate::client::send;
use crate::running::start;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/recorder.jsonl")
}

/// Whether a text is a UUID, or a time of this server's own clock.
fn normalised(text: &str) -> Option<&'static str> {
    let is_uuid = text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if [8, 13, 18, 23].contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() });
    let is_now = text.len() == 24 && text.starts_with("2026-06-01T12:");
    match (is_uuid, is_now) {
        (true, _) if text.as_bytes()[14] == b'7' => Some("<uuid7>"),
        (true, _) => Some("<uuid>"),
        (_, true) => Some("<now>"),
        _ => None,
    }
}

fn normalise(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(name) = normalised(text) {
                *text = name.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match name.as_str() {
                    "tsMs" if field.as_i64().is_some_and(|ms| ms >= crate::running::START_MS) => {
                        *field = "<now>".into()
                    }
                    "meta" | "metadata" => {}
                    "version" => *field = "<version>".into(),
                    "eventId" if field.as_str().is_some_and(|id| id.len() == 24) => *field = "<event id>".into(),
                    _ => normalise(field),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_real_recorders_requests_get_the_answers_it_expects() {
    let server = start();
    let text = std::fs::read_to_string(golden()).unwrap();
    let mut now = String::new();
    for line in text.lines() {
        let mut exchange: Value = serde_json::from_str(line).unwrap();
        let headers: Vec<(String, String)> = exchange["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = (!exchange["body"].is_null()).then(|| exchange["body"].to_string());
        let (method, path) = (exchange["method"].as_str().unwrap(), exchange["path"].as_str().unwrap());
        let answer = send(server.address, method, path, &headers, body.as_deref().map(str::as_bytes));
        let mut given = answer.json();
        normalise(&mut given);
        exchange["status"] = answer.status.into();
        exchange["answer"] = given;
        let _ = writeln!(now, "{exchange}");
    }
    if std::env::var_os("MEMOIR_GOLDEN_UPDATE").is_some() {
        std::fs::write(golden(), &now).unwrap();
    }
    for (expected, given) in text.lines().zip(now.lines()) {
        assert_eq!(expected, given);
    }
}

#[test]
fn nothing_is_lost_between_what_the_recorder_sends_and_what_raw_recall_gives_back() {
    let server = start();
    let text = std::fs::read_to_string(golden()).unwrap();
    let mut sent = 0;
    for exchange in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let records = exchange["body"]["records"].as_array().cloned().unwrap_or_default();
        if exchange["status"] != 200 || records.is_empty() {
            continue;
        }
        let ids = server.store(&records);
        for (record, id) in records.iter().zip(&ids) {
            let session = record["session_id"].as_str().unwrap();
            let request = serde_json::json!({"session_id": session, "limit": 1000, "include_private_scratch": true});
            let recalled = server.recall(&request).into_iter().find(|found| found["id"] == **id).unwrap();
            for field in
                ["session_id", "turn_id", "topic_id", "source", "speaker", "visibility", "secrecy_level", "content"]
            {
                assert_eq!(recalled[field], record[field], "{field} of {record}");
            }
            for field in ["action_id", "capture_metadata", "capture_source", "event_type", "observed_at"] {
                assert_eq!(recalled["metadata"][field], record["metadata"][field], "{field} of {record}");
            }
            if !record["meta"].is_null() {
                assert_eq!(recalled["meta"], record["meta"]);
            }
            sent += 1;
        }
    }
    assert!(sent >= 16, "{sent}");
}
