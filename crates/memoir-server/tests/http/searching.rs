//! Search over HTTP.

use crate::running::{Running, record, start, text_of, timed};
use serde_json::{Value, json};

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn hits(server: &Running, query: &str, more: &str) -> Vec<Value> {
    let answer = server.get(&format!("/v1/search?q={}{more}", encoded(query)));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer.json()["hits"].as_array().unwrap().clone()
}

#[test]
fn a_hit_has_its_event_a_score_and_a_snippet_with_marks() {
    let server = start();
    let ids = server.store(&[record("s", "the quick brown fox"), record("s", "a lazy dog")]);
    let found = hits(&server, "fox", "");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["record_id"], *ids[0]);
    assert_eq!(found[0]["event"]["payload"]["prompt"], "the quick brown fox");
    assert!(found[0]["score"].as_f64().unwrap() > 0.0);
    let snippet = found[0]["snippet"]["text"].as_str().unwrap();
    let mark = &found[0]["snippet"]["marks"][0];
    let range =
        usize::try_from(mark[0].as_u64().unwrap()).unwrap()..usize::try_from(mark[1].as_u64().unwrap()).unwrap();
    assert_eq!(&snippet[range], "fox");
}

#[test]
fn punctuation_in_a_query_is_never_an_error() {
    let server = start();
    let text = "failed at src/main.rs:42 with --release because foo(bar) doesn't return [redacted:x] \"quoted\"";
    server.store(&[record("s", text)]);
    for query in
        ["src/main.rs:42", "--release", "doesn't", "foo(bar)", "[redacted:x]", "error: x failed", "\"quoted", "main.rs"]
    {
        assert_eq!(hits(&server, query, "").len(), 1, "{query}");
    }
    for query in ["", "  ", "\"", "*", "-", ":", "((", "a:b:c", "\\", "+", "AND OR NOT", "%", "日本", "\u{0}"] {
        hits(&server, query, "");
        assert_eq!(server.post("/v1/recall/raw", &json!({"query": query})).status, 200, "{query}");
    }
}

#[test]
fn filters_apply_before_the_best_are_chosen() {
    let server = start();
    let mut records: Vec<Value> = (0..60)
        .map(|n| timed("loud", &format!("needle needle needle {n}"), &format!("2026-05-01T10:{n:02}:00Z")))
        .collect();
    records.push(timed(
        "quiet",
        "a long text in which there is one needle among many other words",
        "2026-05-02T10:00:00Z",
    ));
    server.store(&records);
    assert_eq!(hits(&server, "needle", "&session=quiet&limit=1").len(), 1);
    assert_eq!(hits(&server, "needle", "&from=2026-05-02T00:00:00Z&limit=5").len(), 1);
    assert_eq!(hits(&server, "needle", "&type=command").len(), 0);
    assert_eq!(hits(&server, "needle", "&limit=7").len(), 7);
    let recalled = server.recall(&json!({"query": "needle", "session_id": "quiet", "limit": 10}));
    assert_eq!(recalled.len(), 1);
}

#[test]
fn what_was_stored_a_moment_ago_is_found_whatever_the_order_of_its_words() {
    let server = start();
    server.store(&[record("s", "failing recorder")]);
    assert_eq!(hits(&server, "recorder failing", "").len(), 1);
    server.store(&[record("s", "another recorder was failing")]);
    assert_eq!(hits(&server, "recorder failing", "").len(), 2);
    let recalled = server.recall(&json!({"query": "recorder failing"}));
    assert_eq!(recalled.iter().map(text_of).collect::<Vec<_>>(), ["failing recorder", "another recorder was failing"]);
}

#[test]
fn hits_come_in_pages() {
    let server = start();
    let records: Vec<Value> = (0..25).map(|n| record("s", &format!("pebble number {n}"))).collect();
    server.store(&records);
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/v1/search?q=pebble&limit=10{cursor}")).json();
        seen.extend(page["hits"].as_array().unwrap().iter().map(|hit| hit["record_id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((count, seen.len()), (25, 25));
}
