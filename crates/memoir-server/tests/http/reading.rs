//! Timeline, sessions, single events, raw recall, status.

use crate::running::{Running, record, set, start, text_of, timed};
use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_journal::{Admission, Journal as _, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use serde_json::{Value, json};

/// Ten events of two sessions, one a minute.
fn filled() -> Running {
    let server = start();
    let records: Vec<Value> = (0..10)
        .map(|n| {
            timed(if n % 2 == 0 { "even" } else { "odd" }, &format!("event {n}"), &format!("2026-05-01T10:{n:02}:00Z"))
        })
        .collect();
    server.store(&records);
    server
}

fn prompts(page: &Value) -> Vec<String> {
    let events = page["events"].as_array().unwrap();
    events.iter().map(|event| event["payload"]["prompt"].as_str().unwrap().to_owned()).collect()
}

fn timeline(server: &Running, query: &str) -> Vec<String> {
    let answer = server.get(&format!("/v1/timeline{query}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    prompts(&answer.json())
}

#[test]
fn pages_of_the_timeline_join_without_gap_or_repeat() {
    let server = filled();
    for order in ["newest", "oldest"] {
        let whole = timeline(&server, &format!("?order={order}"));
        assert_eq!(whole.len(), 10);
        for limit in [1, 3, 5, 10] {
            let mut joined = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = server.get(&format!("/v1/timeline?order={order}&limit={limit}{cursor}")).json();
                joined.extend(prompts(&page));
                match page["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            assert_eq!(joined, whole, "{order} {limit}");
        }
    }
    assert_eq!(timeline(&server, "?limit=0"), Vec::<String>::new());
}

#[test]
fn the_timeline_is_filtered_by_every_parameter() {
    let server = filled();
    assert_eq!(timeline(&server, "?session=odd&limit=2"), ["event 9", "event 7"]);
    assert_eq!(timeline(&server, "?thread=even&order=oldest&limit=1"), ["event 0"]);
    let range = "from=2026-05-01T10:03:00Z&to=2026-05-01T10:05:00Z";
    assert_eq!(timeline(&server, &format!("?{range}&order=oldest")), ["event 3", "event 4", "event 5"]);
    assert_eq!(timeline(&server, &format!("?{range}&session=even")), ["event 4"]);
    assert_eq!(timeline(&server, "?from=2026-05-01T12:09:00+02:00"), ["event 9"]);
    assert_eq!(timeline(&server, "?type=user_message").len(), 10);
    assert_eq!(timeline(&server, "?type=prompt.submitted").len(), 10);
    assert_eq!(timeline(&server, "?source=http").len(), 10);
    for none in ["?session=neither", "?type=command", "?item_type=tool_call", "?source=recorder", "?actor=x", "?repo=x"]
    {
        assert_eq!(timeline(&server, none).len(), 0, "{none}");
    }
}

#[test]
fn a_parameter_that_cannot_be_honoured_is_refused() {
    let server = filled();
    for path in [
        "/v1/timeline?q=x",
        "/v1/timeline?order=sideways",
        "/v1/timeline?cursor=x",
        "/v1/timeline?limit=many",
        "/v1/timeline?source=htp",
        "/v1/sessions?order=oldest",
        "/v1/sessions?cursor=x",
        "/v1/sessions?type=command",
        "/v1/search?q=x&cursor=1.1",
        "/v1/search?q=x&order=newest",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.error(), (400, "VALIDATION_ERROR".to_owned()), "{path}");
    }
    assert!(server.get("/v1/timeline?source=htp").message().contains("did you mean `http`?"));
}

#[test]
fn sessions_are_listed_the_latest_first_and_in_pages() {
    let server = filled();
    let page = server.get("/v1/sessions").json();
    let sessions = page["sessions"].as_array().unwrap();
    let names: Vec<&str> = sessions.iter().map(|session| session["session"].as_str().unwrap()).collect();
    assert_eq!(names, ["odd", "even"]);
    assert_eq!(sessions[0]["events"], 5);
    assert_eq!(sessions[0]["title"], "event 1");
    assert_eq!(sessions[0]["first_ts"], "2026-05-01T10:01:00.000Z");
    assert_eq!(page["next_cursor"], Value::Null);
    let first = server.get("/v1/sessions?limit=1").json();
    assert_eq!(first["sessions"][0]["session"], "odd");
    let next = first["next_cursor"].as_str().unwrap();
    let second = server.get(&format!("/v1/sessions?limit=1&cursor={next}")).json();
    assert_eq!((&second["sessions"][0]["session"], &second["next_cursor"]), (&json!("even"), &Value::Null));
}

#[test]
fn an_event_is_found_by_its_id_and_by_its_record_id_with_its_sightings() {
    let server = start();
    let uuid = server.store(&[timed("s", "seen twice", "2026-05-01T10:00:00Z")]).remove(0);
    server.store(&[timed("s", "seen twice", "2026-05-01T10:00:00Z")]);
    let by_uuid = server.get(&format!("/v1/events/{uuid}")).json();
    let id = by_uuid["event"]["eventId"].as_str().unwrap();
    let by_id = server.get(&format!("/v1/events/{id}")).json();
    assert_eq!(by_id, by_uuid);
    assert_eq!(by_id["event"]["payload"]["prompt"], "seen twice");
    let sightings = by_id["sightings"].as_array().unwrap();
    assert_eq!((&sightings[0]["class"], &sightings[0]["source"]), (&json!("event"), &json!("http")));
    assert_eq!(sightings[0]["event_id"], id);
}

#[test]
fn raw_recall_is_oldest_first_and_can_be_paged_or_turned_round() {
    let server = filled();
    let texts = |request: Value| server.recall(&request).iter().map(text_of).collect::<Vec<_>>();
    assert_eq!(texts(json!({"limit": 3})), ["event 0", "event 1", "event 2"]);
    assert_eq!(texts(json!({"limit": 2, "order": "newest"})), ["event 9", "event 8"]);
    assert_eq!(texts(json!({})).len(), 10);
    assert_eq!(texts(json!({"session_id": "even", "limit": 100})).len(), 5);
    let first = server.post("/v1/recall/raw", &json!({"limit": 4})).json();
    assert_eq!(first["total_candidates"], 5);
    let rest = texts(json!({"limit": 100, "cursor": first["next_cursor"]}));
    assert_eq!(rest, ["event 4", "event 5", "event 6", "event 7", "event 8", "event 9"]);
}

#[test]
fn a_time_range_holds_in_every_combination_and_means_the_observed_time() {
    let server = filled();
    let range = json!({"start": "2026-05-01T10:02:00Z", "end": "2026-05-01T12:06:00+02:00"});
    let texts = |request: Value| server.recall(&request).iter().map(text_of).collect::<Vec<_>>();
    assert_eq!(texts(json!({"temporal": range})), ["event 2", "event 3", "event 4", "event 5", "event 6"]);
    assert_eq!(texts(json!({"temporal": range, "session_id": "odd"})), ["event 3", "event 5"]);
    assert_eq!(texts(json!({"temporal": range, "query": "event"})).len(), 5);
    assert_eq!(texts(json!({"temporal": range, "query": "event", "session_id": "odd"})), ["event 3", "event 5"]);
    assert_eq!(texts(json!({"temporal": {"start": "2026-05-01T10:09:00Z"}})), ["event 9"]);
}

#[test]
fn a_recalled_record_has_every_field_of_the_contract() {
    let server = start();
    let mut sent = set(set(record("s", "x"), "turn_id", "t"), "topic_id", "p");
    sent["metadata"]["capture_metadata"] = json!({"exit_code": 0});
    server.store(&[sent]);
    let recalled = server.recall(&json!({})).remove(0);
    let fields: Vec<&String> = recalled.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "session_id",
        "turn_id",
        "topic_id",
        "source",
        "speaker",
        "visibility",
        "secrecy_level",
        "created_at",
        "updated_at",
        "content",
        "metadata",
        "derived_memory_ids",
        "suppressed",
        "meta",
    ];
    assert_eq!(fields, expected);
    assert_eq!((&recalled["turn_id"], &recalled["topic_id"]), (&json!("t"), &json!("p")));
    assert_eq!(recalled["metadata"]["capture_metadata"], json!({"exit_code": 0}));
}

#[test]
fn status_and_metrics_tell_what_is_there() {
    let server = filled();
    let status = server.get("/v1/status").json();
    assert_eq!((&status["journal"]["events"], &status["journal"]["sessions"]), (&json!(10), &json!(2)));
    assert_eq!(status["received"]["stored"], 10);
    let metrics = server.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    let text = metrics.text();
    assert!(text.contains("memoir_http_requests_total{route=\"/v1/encode/raw/batch\",status=\"200\"} 1"), "{text}");
    assert!(text.contains("memoir_journal_events 10"), "{text}");
    server.get("/no/such/path");
    assert!(server.get("/metrics").text().contains("route=\"unknown\",status=\"404\"} 1"));
}

#[test]
fn head_is_get_without_the_body_and_the_description_is_served() {
    let server = start();
    assert_eq!(crate::client::send(server.address, "HEAD", "/metrics", &[("content-length", "0")], None).status, 200);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
}

#[test]
fn what_another_process_stores_is_served_at_once() {
    let server = start();
    server.store(&[record("s", "from here")]);
    let path = server.home().join("journal.db");
    let other = SqliteJournal::open(&path, SqliteOptions::short_lived(), crate::running::ticking()).unwrap();
    let mut event = Event::new(Source::Recorder, "t", Kind::Command, Content::Text("from elsewhere".to_owned()));
    event.identities = vec![Identity::Named("n".to_owned())];
    let redactor = Redactor::builtin();
    let admitted = Admission::new(&redactor, other.hasher().clone()).admit(event);
    other.append(&[admitted], &[]).unwrap();
    let page = server.get("/v1/timeline?source=recorder").json();
    assert_eq!(page["events"][0]["payload"]["item"]["text"], "from elsewhere");
    assert_eq!(server.get("/v1/search?q=elsewhere").json()["hits"].as_array().unwrap().len(), 1);
}
