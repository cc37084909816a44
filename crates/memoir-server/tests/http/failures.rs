//! Wrong requests and broken journals: one shape of error for all of them.

use crate::client::send;
use crate::odd_journal::{Failure, Mood, Odd};
use crate::running::{batch, record, settings, start, start_over};
use memoir_journal::JournalError;
use serde_json::json;

const BATCH: &str = "/v1/encode/raw/batch";

#[test]
fn every_wrong_request_gets_an_error_of_the_one_shape() {
    let server = start();
    let rows: [(&str, &str, Option<&str>, u16, &str); 20] = [
        ("GET", "/", None, 404, "NOT_FOUND"),
        ("GET", "/v2/timeline", None, 404, "NOT_FOUND"),
        ("POST", "/v1/encode/raw/batch/", Some("{}"), 404, "NOT_FOUND"),
        ("GET", BATCH, None, 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/v1/timeline", None, 405, "METHOD_NOT_ALLOWED"),
        ("POST", BATCH, Some(""), 400, "VALIDATION_ERROR"),
        ("POST", BATCH, Some("{"), 400, "VALIDATION_ERROR"),
        ("POST", BATCH, Some("[]"), 400, "VALIDATION_ERROR"),
        ("POST", BATCH, Some("{\"records\":5}"), 400, "VALIDATION_ERROR"),
        ("POST", BATCH, Some("{\"records\":[]} x"), 400, "VALIDATION_ERROR"),
        ("POST", "/v1/encode/raw", Some("{}"), 400, "VALIDATION_ERROR"),
        ("POST", "/v1/recall/raw", Some("nothing"), 400, "VALIDATION_ERROR"),
        ("POST", "/v1/recall/raw", Some("{\"limit\":-1}"), 400, "VALIDATION_ERROR"),
        ("POST", "/v1/recall/raw", Some("{\"temporal\":{\"start\":\"yesterday\"}}"), 400, "VALIDATION_ERROR"),
        ("POST", "/v1/recall/raw", Some("{\"order\":\"random\"}"), 400, "VALIDATION_ERROR"),
        ("GET", "/v1/timeline?from=yesterday", None, 400, "VALIDATION_ERROR"),
        ("GET", "/v1/timeline?sesion=x", None, 400, "VALIDATION_ERROR"),
        ("GET", "/v1/search", None, 400, "VALIDATION_ERROR"),
        ("GET", "/v1/events/unheard-of", None, 400, "VALIDATION_ERROR"),
        ("GET", "/v1/events/0123456789abcdef01234567", None, 404, "RECORD_NOT_FOUND"),
    ];
    for (method, path, body, status, code) in rows {
        let answer = send(server.address, method, path, &[], body.map(str::as_bytes));
        assert_eq!(answer.error(), (status, code.to_owned()), "{method} {path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{method} {path}");
    }
}

#[test]
fn invalid_bytes_in_a_body_are_an_error_not_a_crash() {
    let server = start();
    for body in
        [&b"\xff\xfe{}"[..], b"{\"records\":[\x00]}", b"{\"records\":[{\"session_id\":\"\xc3\"}]}", &[b'['; 100_000]]
    {
        let answer = send(server.address, "POST", BATCH, &[], Some(body));
        assert_eq!(answer.error(), (400, "VALIDATION_ERROR".to_owned()));
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn an_error_never_shows_a_secret_of_the_request() {
    let server = start();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut bad = record("s", "x");
    bad["speaker"] = secret.into();
    let answer = server.post(BATCH, &batch(&[bad]));
    assert!(answer.status == 400 && !answer.text().contains(secret), "{}", answer.text());
    let answer = server.get(&format!("/v1/timeline?from={secret}"));
    assert!(answer.status == 400 && !answer.text().contains(secret), "{}", answer.text());
    let answer = server.get(&format!("/v1/timeline?{secret}=1"));
    assert!(answer.status == 400 && !answer.text().contains(secret), "{}", answer.text());
}

#[test]
fn request_ids_are_echoed_or_made() {
    let server = start();
    assert_eq!(server.get_with("/health", &[("x-request-id", "run-7")]).header("x-request-id"), Some("run-7"));
    let made = server.get_with("/nowhere", &[("x-request-id", "a b<c>")]);
    assert_eq!(made.header("x-request-id").unwrap().len(), 36);
    assert_eq!(made.json()["request_id"].as_str(), made.header("x-request-id"));
    assert_ne!(server.get("/health").header("x-request-id"), server.get("/health").header("x-request-id"));
}

#[test]
fn each_trouble_of_the_journal_has_its_status() {
    let odd = Odd::new(Mood::Well);
    let server = start_over(settings(), |journal| odd.over(journal));
    let rows: [(Failure, u16, &str); 5] = [
        (|| JournalError::Locked, 503, "STORAGE_BUSY"),
        (|| JournalError::Full, 507, "STORAGE_FULL"),
        (|| JournalError::ReadOnly, 503, "STORAGE_UNAVAILABLE"),
        (|| JournalError::Damaged("page 3".into()), 503, "STORAGE_UNAVAILABLE"),
        (|| JournalError::Io("disk".into()), 503, "STORAGE_UNAVAILABLE"),
    ];
    for (failure, status, code) in rows {
        odd.set(Mood::Failing(failure));
        for answer in
            [server.post(BATCH, &batch(&[record("s", "x")])), server.get("/v1/timeline"), server.get("/v1/status")]
        {
            assert_eq!(answer.error(), (status, code.to_owned()));
        }
        assert_eq!(server.get("/health").status, 200);
        let ready = server.get("/readiness");
        assert_eq!((ready.status, &ready.json()["status"]), (503, &json!("not_ready")));
        assert!(ready.json()["reason"].is_string());
        assert!(server.get("/metrics").text().contains("memoir_journal_up 0"));
        odd.set(Mood::Well);
        server.store(&[record("s", "well again")]);
        assert_eq!(server.get("/readiness").text(), r#"{"status":"ready"}"#);
    }
}

#[test]
fn a_write_that_fails_for_good_shows_in_readiness_until_one_succeeds() {
    let odd = Odd::new(Mood::Failing(|| JournalError::Full));
    let server = start_over(settings(), |journal| odd.over(journal));
    assert_eq!(server.post(BATCH, &batch(&[record("s", "x")])).status, 507);
    odd.set(Mood::Well);
    assert_eq!(server.get("/readiness").text(), r#"{"status":"not_ready","reason":"disk full"}"#);
    server.store(&[record("s", "x")]);
    assert_eq!(server.get("/readiness").status, 200);
}

#[test]
fn a_panic_is_an_opaque_error_and_the_server_goes_on() {
    let odd = Odd::new(Mood::Panicking);
    let server = start_over(settings(), |journal| odd.over(journal));
    let answer = server.get("/v1/timeline");
    assert_eq!(answer.error(), (500, "INTERNAL_ERROR".to_owned()));
    assert!(!answer.text().contains("told to"));
    odd.set(Mood::Well);
    assert_eq!(server.get("/v1/timeline").status, 200);
}
