//! `memoir serve` beside other memoir processes on one home.

use crate::http;
use crate::support::{Home, event, eventually, text_of, to_lines};
use crate::wire::{record, records};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

const BATCH: &str = "/v1/encode/raw/batch";

#[test]
fn server_and_commands_see_each_others_events_at_once() {
    let home = Home::new();
    let server = home.serve();
    home.ingest(&[event("written by a command")]).succeeded();
    assert_eq!(http::post(&server, BATCH, None, &records(&[record("demo", "written over a socket")])).status, 200);
    assert_eq!(home.texts(), ["written by a command", "written over a socket"]);
    let listed = http::get(&server, "/v1/timeline?session=demo&order=oldest", None);
    assert_eq!(listed.status, 200, "{}", listed.body);
    assert_eq!(listed.body["events"].as_array().unwrap().len(), 2, "{}", listed.body);
    for word in ["command", "socket"] {
        let found = http::get(&server, &format!("/v1/search?q={word}"), None);
        assert_eq!(
            (found.status, found.body.to_string().matches("written").count() > 0),
            (200, true),
            "{}",
            found.body
        );
        assert_eq!(home.run(&["search", "--json", word]).succeeded().json_lines().len(), 1);
    }
    assert_eq!(http::get(&server, "/v1/sessions", None).status, 200);
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    let one = http::get(&server, &format!("/v1/events/{id}"), None);
    assert_eq!((one.status, one.body["event"]["eventId"].as_str()), (200, Some(id.as_str())), "{}", one.body);
}

#[test]
fn many_writers_beside_a_server_lose_nothing() {
    let home = Home::new();
    let server = home.serve();
    let url = server.url();
    let over_the_server = ["--server-url", url.as_str()];
    let mut recorders: Vec<_> =
        (0..4).map(|n| home.streaming(if n % 2 == 0 { &[] } else { &over_the_server })).collect();
    for round in 0..20 {
        for (who, recorder) in recorders.iter_mut().enumerate() {
            let lines: Vec<Value> = (0..10).map(|n| event(&format!("{who} {round} {n}"))).collect();
            assert!(recorder.write(to_lines(&lines)));
        }
        let batch: Vec<Value> = (0..10).map(|n| record("demo", &format!("http {round} {n}"))).collect();
        assert_eq!(http::post(&server, BATCH, None, &records(&batch)).status, 200);
    }
    for mut recorder in recorders {
        recorder.close_input();
        recorder.finish().succeeded();
    }
    let mut texts = home.texts();
    assert_eq!(texts.len(), 1000);
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 1000);
    home.verified();
}

#[test]
fn two_servers_may_share_a_home() {
    let home = Home::new();
    let (one, two) = (home.serve(), home.serve());
    assert_eq!(http::post(&one, BATCH, None, &records(&[record("s", "to the first")])).status, 200);
    let seen = http::get(&two, "/v1/timeline?session=s", None);
    assert_eq!(text_of(&seen.body["events"][0]), "to the first");
}

#[test]
fn another_address_needs_a_key_and_a_taken_port_is_said() {
    let home = Home::new();
    let ran = home.run(&["serve", "--host", "0.0.0.0", "--port", "0"]);
    ran.failed_in_one_line(2, &["0.0.0.0", "needs a key", "MEMOIR_SERVER_KEYS"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    home.run(&["serve", "--port", &port]).failed_in_one_line(1, &["cannot listen on", &port, "in use"]);
    home.run(&["serve", "--host", "no.such.host.invalid", "--port", "0"])
        .failed_in_one_line(1, &["no.such.host.invalid"]);
    assert_eq!(home.run(&["serve", "--port", "70000"]).code(), 2);
}

#[test]
fn keys_open_only_what_their_scopes_say() {
    let home = Home::new();
    let keys = "ingest:key-for-ingest-01,read:key-for-reading-02,ingest+read:key-for-both-0003";
    let server = home.serve_with(&[("MEMOIR_SERVER_KEYS", keys)]);
    let batch = records(&[record("s", "x")]);
    let status = |key| http::post(&server, BATCH, key, &batch).status;
    assert_eq!(status(Some("key-for-ingest-01")), 200);
    assert_eq!(status(Some("key-for-both-0003")), 200);
    assert_eq!(status(Some("key-for-reading-02")), 403);
    let wrong = http::post(&server, BATCH, Some("nonsense"), &batch);
    assert_eq!((wrong.status, wrong.body["code"].as_str()), (401, Some("UNAUTHORIZED")));
    assert_eq!(status(None), 401);
    assert_eq!(http::get(&server, "/v1/timeline", Some("key-for-ingest-01")).status, 403);
    assert_eq!(http::get(&server, "/v1/timeline", Some("key-for-reading-02")).status, 200);
    for open in ["/health", "/readiness"] {
        assert_eq!(http::get(&server, open, None).status, 200);
    }
    assert_eq!(home.events().len(), 2);
}

fn raw(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_name_that_is_not_ours_in_the_host_header_is_refused() {
    let home = Home::new();
    let server = home.serve_with(&[("MEMOIR_SERVER_ALLOWED_HOSTS", "memoir.example")]);
    let ask = |host: &str| {
        raw(server.port, &format!("GET /v1/timeline HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"))
    };
    assert!(ask("evil.example").starts_with("HTTP/1.1 421 "), "{}", ask("evil.example"));
    for good in ["localhost", "memoir.example", &format!("127.0.0.1:{}", server.port)] {
        assert!(ask(good).starts_with("HTTP/1.1 200 "), "{good}: {}", ask(good));
    }
}

#[test]
fn every_error_has_one_shape_and_nothing_is_stored() {
    let home = Home::with_one_event();
    let server = home.serve();
    let mut no_blocks = record("s", "x");
    no_blocks["content"] = json!({"blocks": []});
    let bad_batch = records(&[record("s", "good"), no_blocks, record("s", "good too")]);
    let cases = [
        (http::post(&server, BATCH, None, &bad_batch), 400),
        (http::post(&server, BATCH, None, &json!("no batch")), 400),
        (http::post(&server, BATCH, None, &records(&[record("  ", "blank session")])), 400),
        (http::get(&server, "/v1/nothing", None), 404),
        (http::get(&server, BATCH, None), 405),
        (http::get(&server, "/v1/events/000000000000000000000000", None), 404),
        (http::get(&server, "/v1/timeline?limit=x", None), 400),
    ];
    for (answer, status) in &cases {
        assert_eq!(answer.status, *status, "{}", answer.body);
        for field in ["code", "message", "details", "retry_after", "request_id"] {
            assert!(answer.body.get(field).is_some(), "{field} is missing in {}", answer.body);
        }
        assert_eq!(answer.body["request_id"], answer.request_id);
    }
    assert_eq!(cases[0].0.body["record"], 1, "the record at fault is named: {}", cases[0].0.body);
    assert_eq!(home.texts(), ["kept from before"]);
}

#[test]
fn the_server_describes_and_measures_itself() {
    let home = Home::with_one_event();
    let server = home.serve();
    let document = http::get(&server, "/openapi.json", None).body;
    for path in [BATCH, "/v1/encode/raw", "/v1/recall/raw", "/v1/timeline", "/v1/search", "/health", "/readiness"] {
        assert!(document["paths"].get(path).is_some(), "{path} is not described");
    }
    let metrics = http::get(&server, "/metrics", None).body;
    assert!(metrics.as_str().unwrap().lines().any(|line| line.starts_with("memoir_")), "{metrics}");
    assert_eq!(http::get(&server, "/health", None).body["status"], "ok");
    assert_eq!(http::get(&server, "/readiness", None).body, json!({"status": "ready"}));
}

#[test]
fn a_locked_journal_is_an_answer_to_try_again_and_nothing_is_half_stored() {
    let home = Home::with_one_event();
    let server = home.serve_with(&[("MEMOIR_JOURNAL_LOCK_WAIT_MS", "100")]);
    let lock = crate::locked::hold(&home);
    let answer = http::post(&server, BATCH, None, &records(&[record("s", "later")]));
    assert!(answer.status == 503 || answer.status == 429, "{} {}", answer.status, answer.body);
    assert_eq!(http::get(&server, "/health", None).status, 200);
    drop(lock);
    eventually("the server takes records again", || {
        http::post(&server, BATCH, None, &records(&[record("s", "later")])).status == 200
    });
    assert_eq!(home.texts(), ["kept from before", "later"]);
}

#[test]
fn the_server_stores_what_waits_in_the_spool_for_its_journal() {
    let home = Home::with_one_event();
    let lock = crate::locked::hold(&home);
    crate::locked::ingest(&home, &to_lines(&[event("waited")]));
    drop(lock);
    let server = home.serve();
    let seen = http::get(&server, "/v1/timeline?session=demo", None).body["events"].as_array().unwrap().len();
    assert_eq!(seen, 2);
}
