//! `memoir ingest --server-url`: the server down, up, wrong, hanging, forgetful.

use crate::stub::{answer_with, forgetful, request, stub};
use crate::support::{Home, Ran, dead_port, event, identified, run, text_of, to_lines};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub fn send(client: &Home, url: &str, events: &[Value]) -> Ran {
    client.feed(&["ingest", "--server-url", url], to_lines(events))
}

pub fn send_with(client: &Home, variables: &[(&str, &str)], url: &str, events: &[Value]) -> Ran {
    let mut command = client.command(&["ingest", "--server-url", url]);
    command.envs(variables.iter().copied());
    run(command, to_lines(events).as_bytes())
}

#[test]
fn what_a_server_takes_is_said_and_an_absent_one_loses_nothing() {
    let (client, home) = (Home::new(), Home::new());
    let url = format!("http://127.0.0.1:{}", dead_port());
    let ran = send(&client, &url, &[event("one"), event("two")]).succeeded();
    assert!(ran.err.ends_with("memoir: sent 0, spooled 2\n"), "{}", ran.err);
    send(&client, &url, &[event("three")]).succeeded();
    assert_eq!((client.waiting(), client.status()["spool"]["records"].as_u64()), (3, Some(3)));
    assert!(client.run(&["spool"]).succeeded().out.contains("3 records wait"));
    assert!(client.run(&["doctor"]).succeeded().out.contains("3 records wait"));

    let server = home.serve();
    let ran = send(&client, &server.url(), &[event("four")]).succeeded();
    assert_eq!(ran.err, "memoir: sent 1, replayed 3\n");
    let mut events = home.events();
    events.sort_by_key(|event| event["journalSequence"].as_u64().unwrap());
    let texts: Vec<String> = events.iter().map(text_of).collect();
    assert_eq!(texts, ["one", "two", "three", "four"], "the spool goes before new input");
    assert_eq!((client.waiting(), client.spooled_files().len()), (0, 0));
    assert!(!client.journal().exists(), "a recorder to a server needs no journal");
}

#[test]
fn a_wrong_key_is_said_and_every_runs_events_arrive_once_it_is_right() {
    let (client, home) = (Home::new(), Home::new());
    let server = home.serve_with(&[("MEMOIR_SERVER_KEYS", "ingest:the-right-key-0001")]);
    for (n, variables) in
        [&[("MEMOIR_SERVER_API_KEY", "wrong")][..], &[("CEREMEMORY_SERVER_API_KEY", "wrong")], &[]].iter().enumerate()
    {
        let ran = send_with(&client, variables, &server.url(), &[event(&format!("run {n}"))]);
        ran.failed(1, &["does not let us in", "MEMOIR_SERVER_API_KEY", "spooled 1"]);
    }
    assert_eq!(client.waiting(), 3);
    let ran =
        send_with(&client, &[("CEREMEMORY_SERVER_API_KEY", " the-right-key-0001 ")], &server.url(), &[event("run 3")]);
    assert_eq!(ran.succeeded().err, "memoir: sent 1, replayed 3\n");
    assert_eq!(home.texts().len(), 4);
}

#[test]
fn a_server_that_is_busy_or_broken_is_tried_again_later() {
    let error = r#"{"code":"RATE_LIMITED","message":"later","details":null,"retry_after":1,"request_id":"x"}"#;
    for (status, body) in [
        ("429 Too Many Requests", error),
        ("503 Unavailable", error),
        ("500 Oops", ""),
        ("200 OK", "not json"),
        ("200 OK", r#"{"results":[]}"#),
    ] {
        let client = Home::new();
        let (url, asked) = answer_with(status, body);
        let ran = send(&client, &url, &[event("one"), event("two")]).succeeded();
        assert!(ran.err.contains("spooled 2") && !ran.err.contains("lost"), "{status}: {}", ran.err);
        assert_eq!(client.waiting(), 2, "{status}");
        assert!((1..=3).contains(&asked.load(Ordering::SeqCst)), "{status}: it was asked {asked:?} times");
    }
}

#[test]
fn something_that_is_no_journal_loses_nothing_and_is_said() {
    for (status, body) in
        [("404 Not Found", ""), ("302 Found", ""), ("400 Bad Request", "<html>"), ("403 Forbidden", "")]
    {
        let client = Home::new();
        let (url, _) = answer_with(status, body);
        let ran = send(&client, &url, &[event("one"), event("two")]).failed(1, &["spooled 2"]);
        assert!(!ran.err.contains("lost"), "{status}: {}", ran.err);
        assert_eq!(client.waiting(), 2, "{status}");
    }
}

#[test]
fn a_server_that_hangs_costs_one_timeout_and_no_event() {
    let client = Home::new();
    let (url, asked) = stub(|_, mut stream| {
        request(&mut stream);
        std::thread::sleep(std::time::Duration::from_secs(20));
    });
    let begun = std::time::Instant::now();
    let events: Vec<Value> = (0..200).map(|n| event(&format!("event {n}"))).collect();
    let ran = send_with(&client, &[("MEMOIR_INGEST_TIMEOUT_MS", "500")], &url, &events).succeeded();
    assert!(begun.elapsed().as_secs() < 6, "{:?}", begun.elapsed());
    assert!(ran.err.contains("spooled 200"), "{}", ran.err);
    assert!(asked.load(Ordering::SeqCst) <= 4);
    assert_eq!(client.waiting(), 200);
}

#[test]
fn a_lost_answer_stores_nothing_twice_even_without_any_identity() {
    let (client, home) = (Home::new(), Home::new());
    let server = home.serve();
    let url = forgetful(&server);
    for n in 0..4 {
        let ran = send(
            &client,
            &url,
            &[event("the same words"), event(&format!("words {n}")), identified(&format!("named {n}"))],
        );
        assert!(!ran.err.contains("lost"), "{}", ran.err);
    }
    client.run(&["spool", "flush", "--server-url", &server.url()]).succeeded();
    let texts = home.texts();
    assert_eq!(texts.iter().filter(|text| *text == "the same words").count(), 4, "{texts:?}");
    assert_eq!(texts.len(), 12, "{texts:?}");
    home.verified();
}

#[test]
fn a_proxy_variable_never_sees_what_stays_on_this_machine() {
    let (client, home) = (Home::new(), Home::new());
    let server = home.serve();
    let dead = format!("http://127.0.0.1:{}", dead_port());
    let variables: Vec<(&str, &str)> =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
            .map(|name| (name, dead.as_str()))
            .to_vec();
    let ran = send_with(&client, &variables, &server.url(), &[event("direct")]).succeeded();
    assert_eq!(ran.err, "memoir: sent 1\n");
    let by_name = server.url().replace("127.0.0.1", "localhost");
    assert_eq!(send_with(&client, &variables, &by_name, &[event("by name")]).succeeded().err, "memoir: sent 1\n");
    client.run_with(&variables, &["doctor", "--server-url", &server.url()]).succeeded();
    assert_eq!(home.run(&["timeline", "--json"]).succeeded().out.lines().count(), 2);
}

#[test]
fn the_doctor_checks_the_server_by_a_probe_or_without_writing() {
    let (client, home) = (Home::new(), Home::new());
    let server = home.serve_with(&[("MEMOIR_SERVER_KEYS", "ingest+read:the-right-key-0001")]);
    let doctor = |key: &str, extra: &[&str]| {
        let url = server.url();
        client.run_with(&[("MEMOIR_SERVER_API_KEY", key)], &[&["doctor", "--server-url", &url][..], extra].concat())
    };
    let dry = doctor("the-right-key-0001", &["--skip-raw-ingest-probe"]).succeeded();
    assert!(dry.out.contains("skipped by --skip-raw-ingest-probe") && dry.out.contains("ok   auth"), "{}", dry.out);
    assert_eq!(home.events(), [Value::Null; 0], "a check that writes nothing writes nothing");
    let wet = doctor("the-right-key-0001", &[]).succeeded();
    assert!(wet.out.contains("ok   raw_ingest") && wet.out.contains("ok   readiness"), "{}", wet.out);
    assert_eq!(home.events()[0]["visibility"], "private_scratch");
    for extra in [&[][..], &["--skip-raw-ingest-probe"]] {
        let wrong = doctor("the-wrong-key-0002", extra);
        assert_eq!(wrong.code(), 1);
        assert!(wrong.out.contains("fail auth") && wrong.out.contains("MEMOIR_SERVER_API_KEY"), "{}", wrong.out);
    }
    drop(server);
    let gone = client.run(&["doctor", "--server-url", &format!("http://127.0.0.1:{}", dead_port())]);
    assert_eq!(gone.code(), 1);
    assert!(gone.out.contains("fail health") && gone.out.contains("memoir serve"), "{}", gone.out);
}

#[test]
fn batches_hold_at_most_the_records_asked_for() {
    let client = Home::new();
    let sizes = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&sizes);
    let (url, _) = stub(move |_, mut stream| {
        let asked = request(&mut stream);
        let body = asked.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        let batch: Value = serde_json::from_slice(&asked[body..]).unwrap();
        let count = batch["records"].as_array().unwrap().len();
        seen.lock().unwrap().push(count);
        let result = json!({"record_id": "019a0000-0000-7000-8000-000000000001", "session_id": "s", "visibility": "normal", "secrecy_level": "sensitive"});
        let text = json!({"results": vec![result; count]}).to_string();
        let _ = stream.write_all(
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}", text.len()).as_bytes(),
        );
    });
    let events: Vec<Value> = (0..51).map(|n| event(&format!("event {n}"))).collect();
    assert_eq!(send(&client, &url, &events).succeeded().err, "memoir: sent 51\n");
    client.feed(&["ingest", "--server-url", &url, "--batch-max-records", "20"], to_lines(&events)).succeeded();
    assert_eq!(*sizes.lock().unwrap(), [50, 1, 20, 20, 11]);
}
