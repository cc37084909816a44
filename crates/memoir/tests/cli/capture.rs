//! Capture events: every field, default and inference, as they come out again.

use crate::support::{Home, Ran, to_lines};
use serde_json::{Map, Value, json};

fn smallest(kind: &str) -> Value {
    json!({"session_id": "demo", "event_type": kind, "content": "words"})
}

fn with(extra: Value) -> Value {
    let mut event = smallest("command");
    event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    event
}

/// The one event that comes of that line.
fn stored(line: &Value) -> Map<String, Value> {
    let home = Home::new();
    home.ingest(std::slice::from_ref(line)).succeeded();
    let mut events = home.events();
    assert_eq!(events.len(), 1, "{line}");
    events.pop().unwrap().as_object().unwrap().clone()
}

/// What is said about a line that is not taken; nothing of it is stored.
fn refused(line: &str) -> Ran {
    let home = Home::new();
    let ran =
        home.feed(&["ingest"], format!("{line}\n")).failed(1, &["memoir: line 1 ", "memoir: stored 0, refused 1\n"]);
    assert_eq!(home.events(), [Value::Null; 0]);
    ran
}

#[test]
fn each_of_the_eight_types_gets_its_speaker_its_shape_and_the_defaults() {
    for (kind, speaker, event_type, payload) in [
        ("user_message", "user", "prompt.submitted", json!({"prompt": "words"})),
        (
            "assistant_message",
            "assistant",
            "item.completed",
            json!({"item": {"type": "agent_message", "text": "words"}}),
        ),
        ("tool_call", "tool", "item.completed", json!({"item": {"type": "tool_call", "text": "words"}})),
        ("tool_result", "tool", "item.completed", json!({"item": {"type": "tool_result", "text": "words"}})),
        ("command", "tool", "item.completed", json!({"item": {"type": "command_execution", "text": "words"}})),
        ("file_change", "system", "item.completed", json!({"item": {"type": "file_change", "text": "words"}})),
        ("session_summary", "system", "item.completed", json!({"item": {"type": "session_summary", "text": "words"}})),
        ("error", "system", "error", json!({"message": "words"})),
    ] {
        let event = stored(&smallest(kind));
        assert_eq!((&event["kind"], &event["speaker"]), (&json!(kind), &json!(speaker)), "{kind}");
        assert_eq!((&event["eventType"], &event["payload"]), (&json!(event_type), &payload), "{kind}");
        assert_eq!((&event["visibility"], &event["secrecyLevel"]), (&json!("normal"), &json!("sensitive")));
        for absent in ["turnId", "topicId", "actionId", "captureSource", "metadata", "meta", "client"] {
            assert!(!event.contains_key(absent), "{absent} in {event:?}");
        }
    }
}

#[test]
fn every_optional_field_comes_out_as_it_went_in() {
    let meta = json!({
        "schema_version": 1, "capture_status": "provided", "intent": "i", "rationale": "r", "trigger": "t",
        "decision": "d", "goals": ["g"], "assumptions": [], "tags": ["x"], "confidence": 0.5,
        "evidence": [{"label": "log", "confidence": 1}], "alternatives": [{"option": "o", "chosen": true}],
        "source_record_ids": ["019a1111-0000-7000-8000-000000000003"], "captured_at": "2026-05-10T08:00:00Z",
        "context_edges": [{"source_id": "019a1111-0000-7000-8000-000000000005",
            "target_id": "019a1111-0000-7000-8000-000000000006", "relation": "caused_by"}]
    });
    let event = stored(&with(json!({
        "turn_id": " t1 ", "topic_id": "topic", "action_id": "a1", "source": "claude-code", "speaker": "assistant",
        "timestamp": "2026-05-10T10:00:00.123456+02:00", "visibility": "sealed", "secrecy_level": "secret",
        "metadata": {"cwd": "/home/alice/proj", "z": [1, {"y": null}]}, "meta": meta
    })));
    let expected = json!({
        "turnId": "t1", "topicId": "topic", "actionId": "a1", "captureSource": "claude-code", "client": "claude",
        "speaker": "assistant", "ts": "2026-05-10T10:00:00.123456+02:00", "tsMs": 1_778_400_000_123_i64,
        "visibility": "sealed", "secrecyLevel": "secret", "repoId": "5c7e316ac24a",
        "metadata": {"cwd": "/home/alice/proj", "z": [1, {"y": null}]}, "meta": meta
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&event[name], value, "{name}");
    }
}

#[test]
fn blank_and_null_options_are_absent() {
    let event = stored(&with(json!({
        "turn_id": "  ", "topic_id": "", "action_id": null, "source": " \t", "speaker": null, "timestamp": null,
        "visibility": null, "secrecy_level": null, "metadata": null, "meta": null
    })));
    assert_eq!((&event["speaker"], &event["visibility"]), (&json!("tool"), &json!("normal")));
    for absent in ["turnId", "topicId", "actionId", "captureSource", "metadata", "meta"] {
        assert!(!event.contains_key(absent), "{absent}");
    }
}

#[test]
fn every_word_of_each_vocabulary_is_taken_and_no_other() {
    let home = Home::new();
    let words = [
        ("speaker", &["user", "assistant", "system", "tool"][..]),
        ("visibility", &["normal", "private_scratch", "sealed"]),
        ("secrecy_level", &["public", "sensitive", "secret"]),
    ];
    let events: Vec<Value> =
        words.iter().flat_map(|(field, values)| values.iter().map(|value| with(json!({*field: value})))).collect();
    home.ingest(&events).succeeded();
    assert_eq!(home.events().len(), events.len());
    for (field, values) in words {
        let wrong = with(json!({field: values[0].to_uppercase()})).to_string();
        assert!(refused(&wrong).err.contains(&format!("unknown `{field}` value")), "{field}");
        assert!(refused(&with(json!({field: 5})).to_string()).err.contains("is a number; expected a string"));
    }
}

#[test]
fn content_may_be_any_json_that_says_something() {
    for content in [json!({}), json!([]), json!(0), json!(false), json!([null]), json!("x"), json!({"a": "  "})] {
        stored(&with(json!({"content": content})));
    }
    for content in ["null", "\"\"", "\"  \\n\\t \""] {
        let line = format!(r#"{{"session_id":"s","event_type":"command","content":{content}}}"#);
        assert!(refused(&line).err.contains("`content`"), "{content}");
    }
}

#[test]
fn wrong_types_and_missing_fields_are_each_named() {
    for (line, part) in [
        (r#"{"event_type":"command","content":"x"}"#, "lacks the required field `session_id`"),
        (r#"{"session_id":"s","content":"x"}"#, "lacks the required field `event_type`"),
        (r#"{"session_id":"s","event_type":"command"}"#, "lacks the required field `content`"),
        (r#"{"session_id":" ","event_type":"command","content":"x"}"#, "blank `session_id`"),
        (r#"{"session_id":7,"event_type":"command","content":"x"}"#, "`session_id` that is a number"),
        (r#"{"session_id":null,"event_type":"command","content":"x"}"#, "`session_id`"),
        (r#"{"session_id":"s","event_type":"Command","content":"x"}"#, "did you mean `command`?"),
        (r#"{"session_id":"s","event_type":"reasoning","content":"x"}"#, "unknown `event_type` value `reasoning`"),
        (r#"{"session_id":"s","event_type":"command","content":"x","turn_id":5}"#, "`turn_id` that is a number"),
        (r#"{"session_id":"s","event_type":"command","content":"x","topic_id":[]}"#, "`topic_id` that is an array"),
        (r#"{"session_id":"s","event_type":"command","content":"x","source":true}"#, "`source` that is true or false"),
        (
            r#"{"session_id":"s","event_type":"command","content":"x","timestamp":1714298400}"#,
            "`timestamp` that is a number",
        ),
        (
            r#"{"session_id":"s","event_type":"command","content":"x","timestamp":"2026-05-10T08:00:00"}"#,
            "bad `timestamp`",
        ),
        (r#"{"session_id":"s","event_type":"command","content":"x","meta":[]}"#, "bad `meta`"),
        (r#"{"session_id":"s","event_type":"command","content":"x","meta":{"confidence":1.5}}"#, "`meta.confidence`"),
        (
            r#"{"session_id":"s","event_type":"command","content":"x","meta":{"schema_version":0}}"#,
            "`meta.schema_version`",
        ),
        (r#"{"session_id":"s","event_type":"command","content":"x","meta":{"goals":"g"}}"#, "`meta.goals`"),
        (r#"{"session_id":"s","event_type":"command","content":"x","content":"y"}"#, "the field `content` twice"),
        (r#"{"session_id":"s","event_type":"command","content":"x"} {}"#, "is not a JSON object"),
        (r#"["session_id"]"#, "is not a JSON object"),
        (r#""words""#, "is not a JSON object"),
        ("not json", "is not a JSON object"),
        ("{", "is not a JSON object"),
    ] {
        let ran = refused(line);
        assert!(ran.err.contains(part), "{line}: {}", ran.err);
    }
}

#[test]
fn an_unknown_field_is_reported_with_the_nearest_known_one() {
    for (field, meant) in
        [("visiblity", "visibility"), ("sesion_id", "session_id"), ("timestmp", "timestamp"), ("Content", "content")]
    {
        let ran = refused(&with(json!({field: "sealed"})).to_string());
        assert!(ran.err.contains(&format!("unknown field `{field}`; did you mean `{meant}`?")), "{}", ran.err);
    }
    assert!(refused(&with(json!({"zzzzzzzzzzz": 1})).to_string()).err.contains("unknown field `zzzzzzzzzzz`"));
}

#[test]
fn one_bad_line_is_reported_by_its_number_and_the_rest_still_goes_in() {
    let home = Home::new();
    let good = |n: usize| with(json!({"content": format!("good {n}")}));
    let mut lines: Vec<String> = (1..=100).map(|n| good(n).to_string()).collect();
    lines[59] = "oops".to_owned();
    lines[79] = with(json!({"visiblity": "sealed"})).to_string();
    let ran = home.feed(&["ingest"], lines.join("\n"));
    let ran = ran.failed(1, &["line 60 is not a JSON object", "line 80 has the unknown field", "stored 98, refused 2"]);
    assert_eq!(ran.err.lines().count(), 3);
    assert_eq!(home.events().len(), 98);
}

#[test]
fn strict_stops_at_the_first_bad_line_and_keeps_what_came_before() {
    let home = Home::new();
    let input = to_lines(&[with(json!({})), with(json!({}))]) + "oops\n" + &to_lines(&[with(json!({}))]);
    let ran = home.feed(&["ingest", "--strict"], input);
    ran.failed(1, &["line 3 is not a JSON object", "stored 2, refused 1", "stopped at the first bad line"]);
    assert_eq!(home.events().len(), 2);
}
