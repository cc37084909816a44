//! What a writer does with events: new ones, known ones, fuller ones.

use crate::world::{SMALL, World, append, event, event_saying, events, line};
use memoir_event::{Client, Json};
use memoir_mirror::{Appended, Limits, Mirror, MirrorError, Repairs, Summary};

#[test]
fn every_field_comes_back_as_it_went_in() {
    let mut full = event_saying("s-1", 3, "héllo \"x\" \u{1f600}");
    full.client = Some(Client::Codex);
    full.capture_source = Some("adapter".into());
    full.turn_id = Some("t1".into());
    full.topic_id = Some("p1".into());
    full.action_id = Some("a1".into());
    full.metadata = Some(Json::parse(r#"{"b": 2.50,"a":12345678901234567890123}"#.into()).unwrap());
    full.meta = Some(Json::parse(r#"{"m":[1,2]}"#.into()).unwrap());
    let world = World::with(&[full.clone()]);
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.events, summary.duplicates, summary.session_files), (1, 1, 0, 1));
    assert!(summary.problems.is_empty());
    let read = &read[0];
    assert_eq!(read.event_id, full.event_id.to_string());
    assert_eq!(read.source, "codex_history");
    assert_eq!(read.repo_id, full.repo_id);
    assert_eq!(read.actor_id, full.actor_id);
    assert_eq!(read.session_id, full.session_id);
    assert_eq!(read.thread_id, full.thread_id);
    assert_eq!(read.ts, full.ts);
    assert_eq!(read.event_type, full.event_type);
    assert_eq!(read.payload, full.payload);
    assert_eq!(read.reasoning_availability, "unavailable");
    assert_eq!(read.kind.as_deref(), Some("assistant_message"));
    assert_eq!(read.client.as_deref(), Some("codex"));
    assert_eq!(read.capture_source, full.capture_source);
    assert_eq!(read.turn_id, full.turn_id);
    assert_eq!(read.topic_id, full.topic_id);
    assert_eq!(read.action_id, full.action_id);
    assert_eq!(read.speaker.as_deref(), Some("assistant"));
    assert_eq!(read.visibility.as_deref(), Some("normal"));
    assert_eq!(read.secrecy_level.as_deref(), Some("sensitive"));
    assert_eq!(read.metadata, full.metadata);
    assert_eq!(read.meta, full.meta);
    assert_eq!(read.sequence, Some(3));
}

#[test]
fn all_events_of_many_sessions_come_back_once() {
    let all = events(&["a", "b", "c", "B"], 50);
    let world = World::new();
    let summary = world.export(&all);
    let repairs = Repairs::default();
    assert_eq!(summary, Summary { new: 200, revised: 0, known: 0, events: 200, segments: 4, repairs });
    world.holds_once(&all);
}

#[test]
fn a_mirror_may_be_named_by_its_own_directory_or_by_the_one_that_holds_it() {
    let world = World::with(&events(&["a"], 2));
    for dir in [world.root.path().to_owned(), world.dir().to_owned()] {
        assert_eq!(Mirror::at(&dir).dir(), world.dir());
    }
    let copy = world.root.path().join("copied-elsewhere");
    std::fs::rename(world.dir(), &copy).unwrap();
    assert_eq!(Mirror::at(&copy).dir(), copy);
    assert!(!world.mirror.exists());
    assert!(matches!(world.mirror.read(&mut |_| {}), Err(MirrorError::Missing { .. })));
    assert!(matches!(world.mirror.verify(&mut |_| {}), Err(MirrorError::Missing { .. })));
}

#[test]
fn the_same_export_again_changes_no_file() {
    let all = events(&["a", "b"], 30);
    let world = World::with(&all);
    let before = world.stamps();
    let summary = world.export(&all);
    assert_eq!((summary.new, summary.revised, summary.known, summary.events), (0, 0, 60, 60));
    assert!(!summary.repairs.any());
    assert_eq!(world.stamps(), before);
    assert_eq!(world.export(&[]).events, 60);
    assert_eq!(world.stamps(), before);
}

#[test]
fn one_new_event_touches_its_segment_and_the_indexes_and_nothing_else() {
    let world = World::with(&events(&["a", "b", "c"], 30));
    let before = world.stamps();
    let new = event("b", 30);
    assert_eq!(world.export(std::slice::from_ref(&new)).new, 1);
    let after = world.stamps();
    let touched: Vec<&str> =
        after.iter().filter(|(name, stamp)| before[*name] != **stamp).map(|(name, _)| &**name).collect();
    assert_eq!(touched, ["eventid-index.jsonl", "manifest.json", "segments/b.jsonl", "sparse-index.jsonl"]);
    assert_eq!(after.len(), before.len());
    for appended in ["eventid-index.jsonl", "segments/b.jsonl"] {
        assert!(after[appended].bytes.starts_with(&before[appended].bytes));
        #[cfg(unix)]
        assert_eq!(after[appended].inode, before[appended].inode, "{appended} was replaced");
    }
    assert!(after["segments/b.jsonl"].bytes.ends_with(line(&new).as_bytes()));
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn a_fuller_capture_is_appended_under_the_same_id_and_read_in_its_place() {
    let world = World::with(&[event_saying("a", 0, "short"), event("a", 1)]);
    let index = world.text("eventid-index.jsonl");
    let mut writer = world.writer().unwrap();
    assert_eq!(append(&mut writer, &event_saying("a", 0, "much longer than before")), Appended::Revised);
    assert_eq!(append(&mut writer, &event_saying("a", 0, "short")), Appended::Known);
    assert_eq!(append(&mut writer, &event_saying("a", 0, "much longer than before")), Appended::Known);
    assert_eq!(append(&mut writer, &event_saying("a", 0, "much longer than before, and more")), Appended::Revised);
    let summary = writer.finish().unwrap();
    assert_eq!((summary.new, summary.revised, summary.known, summary.events), (0, 2, 2, 2));
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.duplicates), (2, 2));
    assert!(read.iter().any(|event| event.payload.as_str().contains("and more")));
    assert!(!read.iter().any(|event| event.payload.as_str().contains("short")));
    assert_eq!(world.text("eventid-index.jsonl"), index, "the id is known already");
    assert!(world.text("manifest.json").contains(r#""eventCount": 2"#));
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn a_revision_in_the_same_run_is_one_event_too() {
    let world = World::with(&[event_saying("a", 0, "x"), event_saying("a", 0, "xx"), event_saying("a", 0, "xx")]);
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.duplicates), (1, 1));
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn a_journal_that_was_built_anew_and_numbers_its_events_otherwise_adds_nothing() {
    let mut all = events(&["a"], 5);
    let world = World::with(&all);
    let before = world.stamps();
    for (event, number) in all.iter_mut().zip(1_000_000..) {
        event.journal_sequence = number;
    }
    assert_eq!(world.export(&all).known, 5);
    assert_eq!(world.stamps(), before);
}

#[test]
fn an_event_whose_session_got_another_name_stays_in_its_segment() {
    let mut moved = event_saying("old", 0, "x");
    let world = World::with(&[moved.clone(), event("other", 0)]);
    moved.session_id = "new".into();
    assert_eq!(world.export(&[moved.clone()]).known, 1);
    moved.payload =
        Json::parse(r#"{"item":{"type":"agent_message","text":"a longer text than there was"}}"#.into()).unwrap();
    assert_eq!(world.export(&[moved]).revised, 1);
    assert_eq!(world.text("segments/old.jsonl").lines().count(), 2);
    assert!(!world.path("segments/new.jsonl").exists());
    assert_eq!(world.findings(), Vec::<String>::new());
    assert_eq!(world.read().0.len(), 2);
}

#[test]
fn a_payload_over_several_lines_takes_one() {
    let mut event = event("a", 0);
    event.payload = Json::parse("{\n  \"text\": \"a\\nb\",\r\n  \"n\": 1\n}".into()).unwrap();
    let world = World::with(&[event]);
    assert_eq!(world.text("segments/a.jsonl").lines().count(), 1);
    let read = world.read().0;
    assert_eq!(read[0].payload.to_value(), serde_json::json!({"text": "a\nb", "n": 1}));
    assert_eq!(world.findings(), Vec::<String>::new());
}

#[test]
fn more_than_fits_in_the_buffers_is_written_and_committed_on_the_way() {
    let world = World::new();
    let all = events(&["a", "b", "c"], 100);
    let mut writer =
        world.mirror.clone().with_limits(SMALL).writer(&crate::world::project(), &crate::world::wall_clock()).unwrap();
    for event in &all {
        append(&mut writer, event);
    }
    let committed = serde_json::from_str::<serde_json::Value>(&world.text("manifest.json")).unwrap();
    let counts = committed["segments"].as_array().unwrap().iter().map(|entry| entry["eventCount"].as_u64().unwrap());
    let committed: u64 = counts.sum();
    assert!(committed > 200 && committed < 300, "{committed}");
    drop(writer);
    let summary = world.export(&all);
    assert_eq!(summary.new + summary.known, 300);
    assert!(summary.repairs.lines_recovered > 0 || summary.new > 0);
    world.holds_once(&all);
}

#[test]
fn an_event_longer_than_any_line_may_be_is_refused_and_the_others_are_written() {
    let world = World::new();
    let limits = Limits { line_bytes_max: 1000, ..Limits::default() };
    let mirror = world.mirror.clone().with_limits(limits);
    let mut writer = mirror.writer(&crate::world::project(), &crate::world::wall_clock()).unwrap();
    append(&mut writer, &event("a", 0));
    let refused = writer.append(&event_saying("a", 1, &"x".repeat(1000)));
    assert!(matches!(refused, Err(MirrorError::TooLong { bytes_max: 1000, .. })), "{refused:?}");
    append(&mut writer, &event("a", 2));
    writer.finish().unwrap();
    world.holds_once(&[event("a", 0), event("a", 2)]);
}

#[test]
fn the_project_is_written_once_and_keeps_what_others_put_there() {
    let world = World::with(&[event("a", 0)]);
    let first: serde_json::Value = serde_json::from_str(&world.text("project.json")).unwrap();
    assert_eq!(first["schema"], "codaph.project.v2");
    assert_eq!(first["projectPath"], "/home/alice/widgets");
    assert_eq!((&first["repoId"], &first["projectLabel"]), (&"acme/widgets".into(), &"widgets".into()));
    world.edit("project.json", "\"acme/widgets\"", "\"old-id\",\n  \"agentProviders\": [\"codex\"]");
    world.edit("project.json", first["createdAt"].as_str().unwrap(), "2020-01-01T00:00:00.000Z");
    world.export(&[]);
    let second: serde_json::Value = serde_json::from_str(&world.text("project.json")).unwrap();
    assert_eq!(second["createdAt"], "2020-01-01T00:00:00.000Z");
    assert_eq!((&second["repoId"], &second["agentProviders"][0]), (&"acme/widgets".into(), &"codex".into()));
}
