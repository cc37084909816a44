//! Mirrors as codaph 0.1.15 writes them, made up by hand.

use crate::world::{World, event, ids_of};
use memoir_mirror::ProblemKind;
use serde_json::json;

const DAY: &str = "events/acme/widgets/2026/03/01/segment-20260301.jsonl";
const NEXT_DAY: &str = "events/acme/widgets/2026/03/02/segment-20260302.jsonl";
const INDEX: &str = "index/acme/widgets";

fn capture(id: &str, event_type: &str, text: &str) -> String {
    let item = json!({"item": {"type": "agent_message", "text": text}});
    format!(
        concat!(
            r#"{{"eventId":"{}","source":"codex_exec","repoId":"acme/widgets","actorId":null,"sessionId":"s1","#,
            r#""threadId":"s1","ts":"2026-03-01T10:00:00.000Z","eventType":"{}","payload":{},"#,
            r#""reasoningAvailability":"unavailable"}}"#,
            "\n"
        ),
        id, event_type, item
    )
}

/// Two days with three events, one of codaph about itself, and indexes that fit.
fn mirror() -> World {
    let world = World::new();
    let first = capture("7f75c9c9bd94d41ce706c1b5", "thread.started", "a") + &capture("b1", "item.completed", "b");
    world.write(DAY, first + &capture("c1", "codaph.sync.completed", "itself"));
    world.write(NEXT_DAY, capture("d1", "item.completed", "d"));
    let day = |id: &str, path: &str, count: u64| json!({"id": id, "relativePath": path, "from": "x", "to": "y", "eventCount": count});
    let segments = json!({"20260301": day("20260301", DAY, 3), "20260302": day("20260302", NEXT_DAY, 1)});
    let manifest = json!({"repoId": "acme/widgets", "segments": segments});
    world.write(&format!("{INDEX}/manifest.json"), format!("{manifest:#}\n"));
    let ids: serde_json::Map<String, serde_json::Value> = ["7f75c9c9bd94d41ce706c1b5", "b1", "c1", "d1"]
        .iter()
        .map(|id| ((*id).to_owned(), json!({"segment": "20260301", "ts": "x", "sessionId": "s1", "actorId": null})))
        .collect();
    world.write(&format!("{INDEX}/event-ids.json"), json!({"repoId": "acme/widgets", "events": ids}).to_string());
    let sparse = json!({"repoId": "acme/widgets", "sessions": {}, "threads": {}, "actors": {}});
    world.write(&format!("{INDEX}/sparse-index.json"), sparse.to_string());
    world.write("index/0123456789ab/codex-history-sync.json", "{\"files\":{}}");
    world.write("runs/s1/raw-codex.ndjson", "{\"eventId\":\"raw\",\"sessionId\":\"s1\"}\n");
    world.write("locks/sync.lock", "");
    world
}

#[test]
fn its_events_are_read_and_those_about_itself_left_out() {
    let world = mirror();
    assert_eq!(world.ids(), ["7f75c9c9bd94d41ce706c1b5", "b1", "d1"]);
    let (read, summary) = world.read();
    assert_eq!((summary.events, summary.synthetic, summary.day_files, summary.session_files), (3, 1, 2, 0));
    assert!(summary.problems.is_empty());
    let first = &read[0];
    assert_eq!(
        (first.source.as_str(), first.repo_id.as_str(), first.actor_id.as_deref()),
        ("codex_exec", "acme/widgets", None)
    );
    assert_eq!((first.kind.as_deref(), first.sequence), (None, None));
}

#[test]
fn its_torn_indexes_and_doubled_glued_and_torn_lines_are_no_trouble() {
    let world = mirror();
    for name in ["manifest.json", "event-ids.json", "sparse-index.json"] {
        world.write(&format!("{INDEX}/{name}"), "");
    }
    let fuller = capture("b1", "item.completed", "b and more of it");
    let glued = fuller.trim_end().to_owned() + &capture("e1", "item.completed", "e");
    let text = world.text(DAY) + &capture("b1", "item.completed", "b") + &glued + &fuller[..40];
    world.write(DAY, text);
    assert_eq!(world.ids(), ["7f75c9c9bd94d41ce706c1b5", "b1", "d1", "e1"]);
    let (read, summary) = world.read();
    assert_eq!(summary.duplicates, 2);
    assert!(read.iter().any(|event| event.event_id == "b1" && event.payload.as_str().contains("and more of it")));
    let kinds: Vec<ProblemKind> = summary.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, [ProblemKind::Torn, ProblemKind::Glued]);
}

#[test]
fn both_layouts_in_one_mirror_are_read_together() {
    let world = mirror();
    world.export(&[event("s9", 0)]);
    let mut expected =
        [vec!["7f75c9c9bd94d41ce706c1b5".into(), "b1".into(), "d1".into()], ids_of(&[event("s9", 0)])].concat();
    expected.sort();
    assert_eq!(world.ids(), expected);
    assert!(world.verify().ok());
    assert_eq!(world.verify().events, 5);
}

#[test]
fn a_check_says_that_there_are_no_checksums_and_checks_the_rest() {
    let report = mirror().verify();
    assert!(report.ok(), "{:?}", report.findings);
    assert!(report.notes[0].contains("no checksums"), "{:?}", report.notes);
    assert_eq!((report.day_files, report.events), (2, 4));

    let world = mirror();
    world.write(DAY, world.text(DAY) + &capture("b1", "item.completed", "b") + "rubbish\n" + &capture("f1", "x", "f"));
    world.write("events/other/2026/03/03/segment-20260303.jsonl", capture("g1", "x", "g"));
    std::fs::remove_file(world.path(NEXT_DAY)).unwrap();
    world.write(&format!("{INDEX}/sparse-index.json"), "");
    assert_eq!(
        world.findings(),
        [
            format!("{DAY}: 1 line is not a JSON object"),
            format!("{DAY}: 1 line repeats an event that is there already and says no less"),
            format!("{DAY}: it has 4 events, and its manifest says 3"),
            format!("{NEXT_DAY}: a manifest names it, and it is missing"),
            "events/other/2026/03/03/segment-20260303.jsonl: no manifest names it".to_owned(),
            format!("{INDEX}/event-ids.json: 1 id is in no segment"),
            "events: 2 events of the segments are in no index".to_owned(),
            format!("{INDEX}/sparse-index.json: it is empty"),
        ]
    );
    world.write(&format!("{INDEX}/manifest.json"), "");
    world.write(&format!("{INDEX}/event-ids.json"), "{\"events\":[");
    let findings = world.findings();
    assert!(findings.contains(&format!("{INDEX}/manifest.json: it is empty")), "{findings:?}");
    assert!(findings.contains(&format!("{INDEX}/event-ids.json: it is not an index of codaph")), "{findings:?}");
}

#[cfg(unix)]
#[test]
fn links_among_its_directories_are_not_followed() {
    let world = mirror();
    std::os::unix::fs::symlink(world.dir(), world.path("events/around")).unwrap();
    std::os::unix::fs::symlink(world.path(DAY), world.path("events/segment-link.jsonl")).unwrap();
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.duplicates), (3, 0));
    assert_eq!(summary.problems.len(), 1);
    assert_eq!(summary.problems[0].kind, ProblemKind::NotAFile);
}
