//! One thing, one event: whatever way it comes, however often.

use crate::support::{Home, event, identified, to_lines};
use serde_json::{Value, json};

fn with(extra: Value) -> Value {
    let mut event = event("the same words");
    event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    event
}

#[test]
fn an_event_that_names_itself_is_stored_once_across_runs() {
    for identity in [json!({"turn_id": "t"}), json!({"action_id": "a"}), json!({"timestamp": "2026-05-10T08:00:00Z"})] {
        let home = Home::new();
        let same = with(identity.clone());
        assert_eq!(home.ingest(&[same.clone(), same.clone()]).succeeded().err, "memoir: stored 1, duplicate 1\n");
        assert_eq!(home.ingest(&[same]).succeeded().err, "memoir: stored 0, duplicate 1\n", "{identity}");
        assert_eq!(home.events().len(), 1);
    }
}

#[test]
fn an_event_without_identity_is_never_a_duplicate() {
    let home = Home::new();
    let same = with(json!({"turn_id": " ", "topic_id": "x", "source": "codex"}));
    home.ingest(&[same.clone(), same.clone()]).succeeded();
    home.ingest(&[same]).succeeded();
    assert_eq!(home.events().len(), 3);
}

#[test]
fn any_difference_in_identity_or_content_makes_another_event() {
    let home = Home::new();
    let different = [
        json!({"turn_id": "a|b", "action_id": "c"}),
        json!({"turn_id": "a", "action_id": "b|c"}),
        json!({"turn_id": "a"}),
        json!({"action_id": "a"}),
        json!({"turn_id": "a", "session_id": "other"}),
        json!({"turn_id": "a", "event_type": "error"}),
        json!({"turn_id": "a", "source": "codex"}),
        json!({"turn_id": "a", "content": "the same words "}),
        json!({"turn_id": "a", "content": ["the same words"]}),
        json!({"turn_id": "a", "timestamp": "2026-05-10T08:00:00Z"}),
        json!({"turn_id": "a", "timestamp": "2026-05-10T08:00:00.000001Z"}),
    ]
    .map(with);
    home.ingest(&different).succeeded();
    assert_eq!(home.events().len(), different.len());
    let again = home.ingest(&different).succeeded();
    assert_eq!(again.err, format!("memoir: stored 0, duplicate {}\n", different.len()));
}

#[test]
fn two_spellings_of_one_instant_are_one_time() {
    let home = Home::new();
    home.ingest(&[with(json!({"timestamp": "2026-05-10T10:00:00+02:00"}))]).succeeded();
    let ran = home.ingest(&[with(json!({"timestamp": "2026-05-10T08:00:00.000Z"}))]).succeeded();
    assert_eq!(ran.err, "memoir: stored 0, duplicate 1\n");
    assert_eq!(home.events()[0]["ts"], "2026-05-10T10:00:00+02:00");
}

#[test]
fn local_and_server_of_one_home_know_each_others_events() {
    let home = Home::new();
    let server = home.serve();
    let url = server.url();
    let events: Vec<Value> = (0..20).map(|n| identified(&format!("event {n}"))).collect();
    home.ingest(&events[..10]).succeeded();
    home.feed(&["ingest", "--server-url", &url], to_lines(&events)).succeeded();
    home.ingest(&events).succeeded();
    home.feed(&["ingest", "--server-url", &url], to_lines(&events)).succeeded();
    assert_eq!(home.texts().len(), 20);
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    let sightings = home.run(&["show", &id, "--json"]).succeeded().json()["sightings"].clone();
    let sources: Vec<&str> =
        sightings.as_array().unwrap().iter().map(|seen| seen["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["recorder", "http"]);
    for sighting in sightings.as_array().unwrap() {
        let by_id = home.run(&["show", sighting["eventId"].as_str().unwrap(), "--json"]).succeeded().json();
        assert_eq!(by_id["eventId"], id, "every sighting's id leads to the one event");
    }
    home.verified();
}

#[test]
fn an_event_that_held_a_secret_is_one_event_whichever_way_it_comes() {
    let home = Home::new();
    let server = home.serve();
    let secret = identified("DB_PASSWORD=hunter2-and-more");
    home.ingest(std::slice::from_ref(&secret)).succeeded();
    home.feed(&["ingest", "--server-url", &server.url()], to_lines(std::slice::from_ref(&secret))).succeeded();
    assert_eq!(home.texts(), ["DB_PASSWORD=[redacted:password]"], "local, then over the server");
    let lock = crate::locked::hold(&home);
    crate::locked::ingest(&home, &to_lines(&[secret]));
    drop(lock);
    assert_eq!(home.texts().len(), 1, "and then through the spool");
}

#[test]
fn an_event_with_a_secret_in_its_session_is_one_event_whichever_way_it_comes() {
    let home = Home::new();
    let server = home.serve();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let secret = with(json!({"session_id": format!("s-{key}"), "turn_id": "t"}));
    home.feed(&["ingest", "--server-url", &server.url()], to_lines(std::slice::from_ref(&secret))).succeeded();
    home.ingest(&[secret]).succeeded();
    assert_eq!(home.events().len(), 1);
}

#[test]
fn many_recorders_at_once_store_each_event_once() {
    let home = Home::new();
    let events: Vec<Value> = (0..200).map(|n| identified(&format!("event {n}"))).collect();
    let lines = to_lines(&events);
    let mut running: Vec<_> = (0..4).map(|_| home.streaming(&[])).collect();
    for recorder in &mut running {
        recorder.write(&lines);
        recorder.close_input();
    }
    let stored: u64 = running
        .into_iter()
        .map(|recorder| recorder.finish().succeeded().err)
        .map(|said| {
            said.trim_start_matches("memoir: stored ").split(',').next().unwrap().trim().parse::<u64>().unwrap()
        })
        .sum();
    assert_eq!(stored, 200);
    assert_eq!(home.texts().len(), 200);
    assert_eq!(home.verified(), 200);
}
