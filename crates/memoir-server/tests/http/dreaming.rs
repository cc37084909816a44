//! `POST /v1/lifecycle/dream-tick` with the fields that others send and read.

use crate::running::{Running, start, timed};
use memoir_event::{Archive, Trigger};
use memoir_journal::Admission;
use memoir_redact::Redactor;
use serde_json::json;

/// Seals what a session has so far.
fn commit(server: &Running, session: &str, number: u32, after_seq: u64) -> u64 {
    let last_seq = server.journal.last_seq().unwrap();
    let archive = Archive {
        version: Archive::VERSION,
        client: None,
        session: session.to_owned(),
        number,
        after_seq,
        last_seq,
        first_ms: 0,
        last_ms: 0,
        events: last_seq - after_seq,
        turns: 1,
        trigger: Trigger::Asked,
        points: Vec::new(),
    };
    let redactor = Redactor::builtin();
    let admitted = Admission::new(&redactor, server.journal.hasher().clone()).admit(archive.into_event("o/r"));
    server.journal.append(&[admitted], &[]).unwrap();
    last_seq + 1
}

fn said(session: &str, text: &str, ts: &str) -> serde_json::Value {
    let mut record = timed(session, text, ts);
    record["speaker"] = json!("user");
    record["source"] = json!("conversation");
    record
}

#[test]
fn a_tick_dreams_what_was_committed_and_answers_in_the_words_of_the_contract() {
    let server = start();
    server.store(&[said("s", "Remember that walruses live in the north", "2026-05-01T10:00:00Z")]);
    let after = commit(&server, "s", 1, 0);
    let every_field = json!({
        "session_id": null, "dry_run": true, "max_groups": 5, "include_private_scratch": true, "include_sealed": true,
        "promote_semantic": true, "secrecy_levels": ["public", "sensitive", "secret"]
    });
    let dry = server.post("/v1/lifecycle/dream-tick", &every_field);
    let expected = json!({
        "groups_processed": 1, "raw_records_processed": 1, "episodic_summaries_created": 1, "semantic_nodes_created": 0
    });
    assert_eq!((dry.status, dry.json()), (200, expected));
    assert_eq!(server.get("/v1/memories").json()["memories"].as_array().unwrap().len(), 0);
    let unpromoted = server.post("/v1/lifecycle/dream-tick", &json!({"promote_semantic": false}));
    let expected = json!({
        "groups_processed": 1, "raw_records_processed": 1, "episodic_summaries_created": 1, "semantic_nodes_created": 0
    });
    assert_eq!((unpromoted.status, unpromoted.json()), (200, expected));
    assert_eq!(server.get("/v1/memories").json()["memories"].as_array().unwrap().len(), 0);
    let wet = server.post("/v1/lifecycle/dream-tick", &json!({}));
    let expected = json!({
        "groups_processed": 1, "raw_records_processed": 1, "episodic_summaries_created": 0, "semantic_nodes_created": 1
    });
    assert_eq!((wet.status, wet.json()), (200, expected));
    let memories = server.get("/v1/memories").json();
    assert_eq!(memories["memories"][0]["text"], "walruses live in the north");
    assert_eq!(server.post("/v1/lifecycle/dream-tick", &json!({})).json()["groups_processed"], 0);
    server.store(&[said("s", "Remember that seals live in the south", "2026-05-01T11:00:00Z")]);
    commit(&server, "s", 2, after);
    assert_eq!(server.post("/v1/lifecycle/dream-tick", &json!({"session_id": "other"})).json()["groups_processed"], 0);
    assert_eq!(server.post("/v1/lifecycle/dream-tick", &json!({"session_id": "s"})).json()["groups_processed"], 1);
}

#[test]
fn unknown_fields_and_wrong_types_are_refused() {
    let server = start();
    for wrong in [json!({"max_group": 1}), json!({"dry_run": "yes"}), json!([]), json!({"max_groups": -1})] {
        let answer = server.post("/v1/lifecycle/dream-tick", &wrong);
        assert_eq!(answer.status, 400, "{wrong}");
    }
    assert_eq!(server.post("/v1/lifecycle/dream-tick", &json!({"max_groups": 0})).json()["groups_processed"], 0);
}

#[test]
fn a_tick_commits_what_is_over_or_asked_for_before_it_dreams() {
    let groups = |server: &Running, asked: serde_json::Value| {
        server.post("/v1/lifecycle/dream-tick", &asked).json()["groups_processed"].as_u64().unwrap()
    };
    for (wish, goes_on) in [(json!({}), 0), (json!({"session_id": "cx-over"}), 0), (json!({"session_id": "cx-on"}), 1)]
    {
        let server = start();
        let at = |session: &str, day: &str| said(session, &format!("Remember that {session} is warm"), day);
        server.store(&[at("cx-over", "2026-05-01T10:00:00Z"), at("cx-on", "2026-06-01T11:59:00Z")]);
        let mut dry = wish.clone();
        dry["dry_run"] = json!(true);
        assert_eq!((groups(&server, dry), groups(&server, wish.clone())), (1, 1), "{wish}");
        assert_eq!(groups(&server, wish.clone()), 0, "nothing twice: {wish}");
        assert_eq!(groups(&server, json!({})), goes_on, "{wish}");
        server.pause(true);
        assert_eq!(groups(&server, json!({"session_id": "cx-on"})), 0, "{wish}");
    }
}
