//! Every limit, reached.

use crate::client::{connect, read_answer, send, write_request};
use crate::odd_journal::Odd;
use crate::running::{batch, record, settings, start, start_over, start_with};
use memoir_server::{Rate, RatedClients, ServerSettings};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

const BATCH: &str = "/v1/encode/raw/batch";

#[test]
fn a_body_over_the_limit_is_refused_whether_its_length_is_said_or_not() {
    let server = start_with(ServerSettings { body_bytes_max: 100_000, ..settings() });
    let long = vec![b' '; 150_000];
    let answer = send(server.address, "POST", BATCH, &[], Some(&long));
    assert_eq!(answer.error(), (413, "CONTENT_TOO_LARGE".to_owned()));
    assert!(answer.message().contains("100000"), "{}", answer.message());
    let mut chunked = Vec::new();
    for chunk in long.chunks(10_000) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    let answer = send(server.address, "POST", BATCH, &[("transfer-encoding", "chunked")], Some(&chunked));
    assert_eq!(answer.error(), (413, "CONTENT_TOO_LARGE".to_owned()));
    let mut fits = batch(&[record("s", "x")]).to_string().into_bytes();
    fits.resize(100_000, b' ');
    assert_eq!(send(server.address, "POST", BATCH, &[], Some(&fits)).status, 200);
}

#[test]
fn a_body_of_64_mib_is_taken_and_one_byte_more_is_not() {
    let server = start();
    let mut body = batch(&[record("s", "x")]).to_string().into_bytes();
    body.resize(64 * 1024 * 1024, b' ');
    assert_eq!(send(server.address, "POST", BATCH, &[], Some(&body)).status, 200);
    body.push(b' ');
    assert_eq!(send(server.address, "POST", BATCH, &[], Some(&body)).error().0, 413);
}

#[test]
fn a_body_that_does_not_arrive_is_not_waited_for() {
    let server = start_with(ServerSettings { body_timeout: Duration::from_millis(200), ..settings() });
    let started = Instant::now();
    let answer = send(server.address, "POST", BATCH, &[("content-length", "50")], Some(b"{\"records\":"));
    assert_eq!(answer.error(), (408, "TIMEOUT".to_owned()));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_head_that_does_not_arrive_is_not_waited_for() {
    let server = start_with(ServerSettings { head_timeout: Duration::from_millis(200), ..settings() });
    let mut stream = connect(server.address);
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: loc").unwrap();
    let started = Instant::now();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!String::from_utf8_lossy(&rest).contains(" 200 "));
}

#[test]
fn long_targets_and_headers_are_refused_in_words() {
    let server = start();
    let answer = server.get(&format!("/v1/timeline?session={}", "x".repeat(20_000)));
    assert_eq!(answer.error(), (414, "URI_TOO_LONG".to_owned()));
    let answer = server.get_with("/health", &[("x-long", &"x".repeat(70_000))]);
    assert_eq!(answer.error(), (431, "HEADERS_TOO_LARGE".to_owned()));
}

#[test]
fn too_many_requests_from_one_address_have_to_wait() {
    let rate = Some(Rate { requests_per_second: 1, burst: 3, clients: RatedClients::All });
    let server = start_with(ServerSettings { rate, ..settings() });
    let answers: Vec<_> = (0..6).map(|_| server.post("/v1/recall/raw", &json!({"limit": 0}))).collect();
    assert!(answers.iter().take(3).all(|answer| answer.status == 200));
    let limited = answers.last().unwrap();
    assert_eq!(limited.error(), (429, "RATE_LIMITED".to_owned()));
    assert_eq!((limited.header("retry-after"), &limited.json()["retry_after"]), (Some("1"), &json!(1)));
    assert!((0..20).all(|_| server.get("/health").status == 200 && server.get("/readiness").status == 200));
    std::thread::sleep(Duration::from_millis(1100));
    let metrics = server.get("/metrics").text();
    assert!(
        metrics.lines().any(|line| line.starts_with("memoir_rate_limited_total ") && !line.ends_with(" 0")),
        "{metrics}"
    );
}

#[test]
fn this_machine_is_not_rate_limited_by_default() {
    let server = start();
    assert!((0..200).all(|_| server.get("/v1/status").status == 200));
}

#[test]
fn more_requests_at_once_than_allowed_are_told_to_come_again() {
    let odd = Odd::slow(Duration::from_millis(800));
    let wrap = |journal| odd.over(journal);
    let server = start_over(ServerSettings { requests_max: 1, ..settings() }, wrap);
    let mut first = connect(server.address);
    write_request(
        &mut first,
        server.address,
        "POST",
        BATCH,
        &[],
        Some(batch(&[record("s", "x")]).to_string().as_bytes()),
    );
    std::thread::sleep(Duration::from_millis(300));
    let second = server.get("/v1/status");
    assert_eq!(second.error(), (503, "OVERLOADED".to_owned()));
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!(read_answer(&mut first).status, 200);
    assert_eq!(server.get("/v1/status").status, 200);
}

#[test]
fn connections_over_the_limit_wait_their_turn() {
    let server = start_with(ServerSettings { connections_max: 1, ..settings() });
    let mut first = connect(server.address);
    write_request(&mut first, server.address, "GET", "/health", &[], None);
    assert_eq!(read_answer(&mut first).status, 200);
    let mut second = connect(server.address);
    write_request(&mut second, server.address, "GET", "/health", &[], None);
    second.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(second.read(&mut [0u8; 1]).is_err());
    drop(first);
    second.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(read_answer(&mut second).status, 200);
}

#[test]
fn a_long_page_ends_early_and_says_where_to_go_on() {
    let server = start_with(ServerSettings { answer_bytes_max: 20_000, ..settings() });
    let records: Vec<_> = (0..30).map(|n| record("s", &format!("{n:03} {}", "x".repeat(2000)))).collect();
    server.store(&records);
    let mut seen = 0;
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/v1/timeline?order=oldest&limit=100{cursor}"));
        assert!(page.body.len() < 30_000);
        let page = page.json();
        let events = page["events"].as_array().unwrap();
        for event in events {
            assert!(event["payload"]["prompt"].as_str().unwrap().starts_with(&format!("{seen:03} ")));
            seen += 1;
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, 30);
}
