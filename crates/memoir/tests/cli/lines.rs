//! Lines that are too long, no text, or meant to harm.

use crate::support::{Home, Running, event, identified, text_of, to_lines};
use serde_json::{Value, json};
use std::io::Write;

const LIMIT: usize = 262_144;

/// A capture event whose line is exactly so long.
fn line_of(bytes: usize, text: &str) -> String {
    let shortest = event(text).to_string().len();
    event(&(text.to_owned() + &"x".repeat(bytes - shortest))).to_string()
}

#[test]
fn a_line_of_the_limit_is_taken_and_one_byte_more_is_not() {
    let home = Home::new();
    let (fits, too_long) = (line_of(LIMIT, "fits "), line_of(LIMIT + 1, "too long "));
    assert_eq!((fits.len(), too_long.len()), (LIMIT, LIMIT + 1));
    let ran = home.feed(&["ingest"], format!("{fits}\n{too_long}\n{fits}\r\n{too_long}\r\n{fits}"));
    ran.failed(1, &["line 2 is 262145 bytes long; the limit is 262144", "line 4 is 262145", "stored 3, refused 2"]);
    assert!(home.texts().iter().all(|text| text.starts_with("fits ")));
}

#[test]
fn surrounding_blanks_count_and_a_line_of_blanks_never_does() {
    let home = Home::new();
    let padded = format!("{}{}", event("padded"), " ".repeat(LIMIT));
    let ran = home.feed(&["ingest"], format!("{}\n{padded}\n{}", " ".repeat(LIMIT + 5), event("small")));
    ran.failed(1, &["line 2 is ", "stored 1, refused 1"]);
    assert_eq!(home.texts(), ["small"]);
}

#[test]
fn the_limit_can_be_set() {
    let home = Home::new();
    let ran =
        home.feed(&["ingest", "--max-event-bytes", "100"], format!("{}\n{}\n", line_of(101, ""), line_of(100, "")));
    ran.failed(1, &["line 1 is 101 bytes long; the limit is 100", "stored 1, refused 1"]);
    let larger = [("MEMOIR_INGEST_MAX_EVENT_BYTES", "400000")];
    let mut command = home.command(&["ingest"]);
    command.envs(larger);
    crate::support::run(command, line_of(400_000, "").as_bytes()).succeeded();
}

#[test]
fn a_hundred_megabytes_without_a_newline_are_refused_without_being_held() {
    let home = Home::new();
    let mut running = home.streaming(&[]);
    assert!(running.write(to_lines(&[event("before")])));
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        assert!(running.write(&chunk));
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kb: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak_kb < 60 * 1024, "the process held {peak_kb} kB");
    assert!(running.write(format!("\n{}\n", event("after"))));
    running.close_input();
    running.finish().failed(1, &["line 2 is 104857600 bytes long", "stored 2, refused 1"]);
    assert_eq!(home.texts(), ["before", "after"]);
    assert_eq!(home.verified(), 2);
}

#[test]
fn bytes_that_are_no_text_cost_only_their_own_line() {
    let home = Home::new();
    let mut input = to_lines(&[event("before")]).into_bytes();
    input.extend(b"{\"session_id\":\"s\",\"event_type\":\"command\",\"content\":\"\xff\xfe\"}\n");
    input.extend(b"\x00\x00\x00\n");
    input.extend(b"{\"session_id\":\"s\",\"event_type\":\"command\",\"content\":\"raw \x00 nul\"}\n");
    input.extend(to_lines(&[event("after")]).into_bytes());
    let ran = home.feed(&["ingest"], input);
    ran.failed(1, &["line 2 is not valid UTF-8 (byte 52)", "line 3 ", "line 4 ", "stored 2, refused 3"]);
    assert_eq!(home.texts(), ["before", "after"]);
}

#[test]
fn an_escaped_nul_and_a_lone_surrogate_are_kept_as_they_were_written() {
    let home = Home::new();
    let line =
        |content: &str| format!("{{\"session_id\":\"s\",\"event_type\":\"user_message\",\"content\":{content}}}\n");
    let odd = [r#""a\u0000b""#, r#""cut \ud83d""#, r#"{"x":"\udc00","y":"\ud83d\ude00"}"#];
    home.feed(&["ingest"], odd.map(line).concat()).succeeded();
    let exported = home.run(&["export"]).succeeded().out;
    for content in
        [r#""prompt":"a\u0000b""#, r#""prompt":"cut \ud83d""#, r#""prompt":{"x":"\udc00","y":"\ud83d\ude00"}"#]
    {
        assert!(exported.contains(content), "{content} is not in {exported}");
    }
    for args in [&["timeline"][..], &["search", "cut"], &["show", "s"], &["sessions"]] {
        home.run(args).succeeded();
    }
    assert!(home.run(&["search", "cut"]).out.contains("[cut]"));
    assert_eq!(home.verified(), 3);
}

#[test]
fn ancient_and_future_times_are_kept_and_ordered() {
    let home = Home::new();
    let times = [
        "9999-12-31T23:59:59Z",
        "2026-05-10T08:00:00Z",
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999Z",
        "2016-12-31T23:59:60Z",
        "0000-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
    ];
    let at = |time: &&str| json!({"session_id": "s", "event_type": "error", "content": time, "timestamp": time});
    home.ingest(&times.iter().map(at).collect::<Vec<_>>()).succeeded();
    let events = home.events();
    let given: Vec<&str> = events.iter().map(|event| event["ts"].as_str().unwrap()).collect();
    assert_eq!(
        given[..4],
        ["0000-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "2016-12-31T23:59:60Z"]
    );
    assert_eq!(given.len(), times.len());
    assert!(given[5..].iter().all(|time| time.starts_with("9999")), "{given:?}");
    for args in [&["timeline"][..], &["sessions", "--json"], &["status"], &["search", "2026"]] {
        home.run(args).succeeded();
    }
    assert_eq!(home.verified(), 7);
    let bad_time = |time: &str| json!({"session_id": "s", "event_type": "error", "content": "x", "timestamp": time});
    for bad in [
        "10000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-05-10T25:00:00Z",
        "2026-05-10",
        "",
    ] {
        home.ingest(&[bad_time(bad)]).failed(1, &["`timestamp`", "refused 1"]);
    }
}

#[test]
fn hostile_session_ids_are_only_names() {
    let home = Home::new();
    let long = "s".repeat(200_000);
    let hostile = [
        "../../x",
        "/etc/passwd",
        "a\nb",
        "a\0b",
        "..",
        "C:\\x",
        "'; DROP TABLE record; --",
        "$(id)",
        "%s%n",
        "*",
        "\u{202e}evil",
        &long,
    ];
    let events: Vec<Value> = hostile
        .iter()
        .map(|session| json!({"session_id": session, "event_type": "user_message", "content": "who am I", "turn_id": "t"}))
        .collect();
    home.ingest(&events).succeeded();
    for session in hostile {
        let found = home.events().iter().filter(|event| event["sessionId"] == session).count();
        assert_eq!(found, 1, "{session:.40}");
        if !session.contains('\0') && session.len() < 100_000 {
            let by_flag = home.run(&["timeline", "--json", &format!("--session={session}")]).succeeded().json_lines();
            assert_eq!(by_flag.len(), 1, "{session:.40}");
        }
    }
    let listed = home.run(&["sessions"]).succeeded().out;
    assert_eq!(listed.lines().count(), hostile.len(), "{listed}");
    assert!(listed.lines().all(|line| line.len() < 400));
    assert!(!home.top().join("x").exists() && !home.top().parent().unwrap().join("x").exists());
    assert_eq!(home.ingest(&events).succeeded().err, format!("memoir: stored 0, duplicate {}\n", hostile.len()));
    assert_eq!(home.verified(), hostile.len() as u64);
}

#[test]
fn deeply_nested_and_oddly_spelt_json_neither_crashes_nor_blocks() {
    let home = Home::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = |content: &str| format!("{{\"session_id\":\"s\",\"event_type\":\"error\",\"content\":{content}}}\n");
    let many_keys = format!("{{{}}}", (0..20_000).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(","));
    let ran = home.feed(&["ingest"], line(&deep) + &line(&many_keys) + &line("\"end\""));
    assert!(ran.code() <= 1, "{ran:?}");
    for args in [&["export"][..], &["timeline", "--json", "--oldest-first"], &["show", "s"]] {
        let out = home.run(args).succeeded().out;
        assert!(out.lines().last().unwrap().contains("end"), "{args:?}");
    }
    assert!(home.run(&["search", "end"]).succeeded().out.contains("[end]"));
    home.verified();
}

#[test]
fn an_input_that_cannot_be_read_is_said() {
    let home = Home::new();
    let mut command = home.command(&["ingest"]);
    command.stdin(std::fs::File::open(home.top()).unwrap());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the input cannot be read") && !said.contains("panicked"), "{said}");
}

#[test]
fn a_slow_producer_is_stored_while_it_pauses() {
    let home = Home::new();
    let mut running: Running = home.streaming(&[]);
    running.write(to_lines(&[identified("half")]));
    crate::support::eventually("the first event is stored while the stream is open", || {
        home.run(&["export"]).out.lines().count() == 1
    });
    running.write(&to_lines(&[identified("rest")])[..20]);
    std::thread::sleep(std::time::Duration::from_millis(150));
    running.write(&to_lines(&[identified("rest")])[20..]);
    running.close_input();
    running.finish().succeeded();
    assert_eq!(home.texts(), ["half", "rest"]);
}

#[test]
fn a_long_input_is_stored_in_its_order() {
    let home = Home::new();
    let mut input = Vec::new();
    for n in 0..5000 {
        writeln!(
            input,
            "{}",
            json!({"session_id": format!("s{}", n % 7), "event_type": "command", "content": format!("event {n}")})
        )
        .unwrap();
    }
    assert_eq!(home.feed(&["ingest"], input).succeeded().err, "memoir: stored 5000\n");
    let mut events = home.events();
    events.sort_by_key(|event| event["journalSequence"].as_u64().unwrap());
    let texts: Vec<String> = events.iter().map(text_of).collect();
    assert_eq!(texts, (0..5000).map(|n| format!("event {n}")).collect::<Vec<_>>());
}
