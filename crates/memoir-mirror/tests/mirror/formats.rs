//! Golden files: what others read must not change by accident. `MEMOIR_WRITE_GOLDEN=1` writes them anew.

use crate::world::{World, event, event_saying};
use std::path::Path;

fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MEMOIR_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(actual, expected, "{name}");
}

#[test]
fn the_files_of_a_mirror_are_as_promised() {
    let mut first = event_saying("abc123", 0, "Add authentication");
    first.turn_id = Some("t1".into());
    let world = World::with(&[first, event("abc123", 1), event("../x", 0)]);
    golden("manifest.json", &world.text("manifest.json"));
    golden("sparse-index.jsonl", &world.text("sparse-index.jsonl"));
    golden("eventid-index.jsonl", &world.text("eventid-index.jsonl"));
    golden("segment.jsonl", &world.text("segments/abc123.jsonl"));
}

#[test]
fn the_names_in_a_manifest_are_the_documented_ones_and_the_size() {
    let world = World::with(&[event("abc123", 0)]);
    let manifest: serde_json::Value = serde_json::from_str(&world.text("manifest.json")).unwrap();
    let names = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&manifest), ["schema", "segments"]);
    assert_eq!(
        names(&manifest["segments"][0]),
        ["sessionId", "segment", "checksum", "eventCount", "firstTs", "lastTs", "bytes"]
    );
    assert_eq!(manifest["schema"], "codaph.mirror.v2");
}

#[test]
fn a_mirror_in_the_words_of_its_documentation_can_be_read_and_written() {
    let world = World::new();
    world.write(
        "segments/abc123.jsonl",
        concat!(
            r#"{ "eventId" : "a1b2c3" , "source" : "codex_sdk" , "repoId" : "owner/repo" , "actorId" : "alice" , "#,
            r#""sessionId" : "abc123" , "threadId" : "thread_1" , "ts" : "2024-03-01T10:00:00Z" , "#,
            r#""eventType" : "thread.message.created" , "payload" :{ "item" :{ "type" : "message" , "text" : "Add" }}, "#,
            r#""reasoningAvailability" : "unavailable" }"#,
            "\n"
        ),
    );
    world.write(
        "manifest.json",
        concat!(
            r#"{"schema" : "codaph.mirror.v2", "segments" : [{"sessionId" : "abc123", "segment" : "abc123.jsonl", "#,
            r#""checksum" : "sha256:0", "eventCount" : 1, "firstTs" : "2024-03-01T10:00:00Z", "lastTs" : "2024-03-01T10:00:00Z"}]}"#
        ),
    );
    world.write("eventid-index.jsonl", "{ \"eventId\" : \"a1b2c3\" , \"ts\" : \"2024-03-01T10:00:00Z\" }\n");
    world.write(
        "sparse-index.jsonl",
        "{ \"sessionId\" : \"abc123\" , \"segment\" : \"abc123.jsonl\" , \"eventCount\" : 1 }\n",
    );
    let (read, summary) = world.read();
    assert!(summary.problems.is_empty());
    assert_eq!((read[0].event_id.as_str(), read[0].event_type.as_str()), ("a1b2c3", "thread.message.created"));
    assert_eq!(world.findings().len(), 1, "its checksum is made up");
    let summary = world.export(&[event("abc123", 0)]);
    assert_eq!((summary.new, summary.events, summary.segments), (1, 2, 1));
    assert!(!summary.repairs.any());
    assert_eq!(world.findings(), Vec::<String>::new());
}
