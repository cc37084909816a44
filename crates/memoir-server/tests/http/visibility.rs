//! Who may see what, on each surface.

use crate::running::{record, set, start, text_of};
use serde_json::{Value, json};

#[test]
fn sealed_private_and_secret_records_show_only_in_raw_recall_and_only_if_asked_for() {
    let server = start();
    let mut ids = Vec::new();
    for visibility in ["normal", "private_scratch", "sealed"] {
        for level in ["public", "sensitive", "secret"] {
            let one = set(record("s", &format!("zebra {visibility} {level}")), "visibility", visibility);
            ids.extend(server.store(&[set(one, "secrecy_level", level)]));
        }
    }
    let normal = ["zebra normal public", "zebra normal sensitive"];
    let timeline = server.get("/v1/timeline?order=oldest").json();
    let shown: Vec<&str> = timeline["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["payload"]["prompt"].as_str().unwrap())
        .collect();
    assert_eq!(shown, normal);
    let search = server.get("/v1/search?q=zebra").json();
    assert_eq!(search["hits"].as_array().unwrap().len(), 2, "{search}");
    assert_eq!(server.get("/v1/sessions").json()["sessions"][0]["events"], 2);
    let found: Vec<u16> = ids.iter().map(|id| server.get(&format!("/v1/events/{id}")).status).collect();
    assert_eq!(found, [200, 200, 404, 404, 404, 404, 404, 404, 404]);

    let recall = |mut request: Value| {
        request["limit"] = 100.into();
        let mut texts: Vec<String> = server.recall(&request).iter().map(text_of).collect();
        texts.sort();
        request["query"] = "zebra".into();
        let mut searched: Vec<String> = server.recall(&request).iter().map(text_of).collect();
        searched.sort();
        assert_eq!(texts, searched, "{request}");
        texts
    };
    assert_eq!(recall(json!({})), normal);
    assert_eq!(recall(json!({"secrecy_levels": ["public"]})), ["zebra normal public"]);
    assert_eq!(recall(json!({"secrecy_levels": ["secret"]})), ["zebra normal secret"]);
    assert_eq!(recall(json!({"secrecy_levels": []})), Vec::<String>::new());
    assert_eq!(recall(json!({"include_sealed": true})).len(), 4);
    assert_eq!(recall(json!({"include_private_scratch": true})).len(), 4);
    let everything = json!({
        "include_sealed": true, "include_private_scratch": true, "secrecy_levels": ["public", "sensitive", "secret"]
    });
    assert_eq!(recall(everything).len(), 9);
}

#[test]
fn the_title_of_a_session_is_not_taken_from_what_may_not_be_shown() {
    let server = start();
    server.store(&[set(record("s", "hush"), "visibility", "sealed"), record("s", "aloud")]);
    server.store(&[set(record("silent", "hush"), "secrecy_level", "secret")]);
    let sessions = server.get("/v1/sessions").text();
    assert!(!sessions.contains("hush") && !sessions.contains("silent"), "{sessions}");
}
