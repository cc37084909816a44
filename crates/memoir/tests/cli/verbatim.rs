//! Content is kept as it was written: key order, numbers, escapes, blanks.

use crate::http;
use crate::support::{Home, event, text_of, to_lines};
use serde_json::json;

const ODD: &str =
    r#"{"z": 2.50, "a":12345678901234567890123,"e":"\u00e9\/é","n":-0.0,"x":1E+2, "dup":1,"dup":2,"s":[ ],"t":"a\tb"}"#;

fn line(content: &str) -> String {
    format!("{{\"session_id\":\"s\",\"event_type\":\"tool_call\",\"turn_id\":\"t\",\"content\":{content}}}\n")
}

fn out_of(home: &Home) -> Vec<String> {
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    let found = home.run(&["search", "--json", "z"]).succeeded().out;
    let outputs =
        [&["timeline", "--json"][..], &["export"], &["show", &id, "--json"], &["show", "s", "--json"], &["show", &id]];
    let mut all: Vec<String> = outputs.iter().map(|args| home.run(args).succeeded().out).collect();
    all.push(found);
    all
}

#[test]
fn json_content_comes_out_as_it_was_written() {
    let home = Home::new();
    home.feed(&["ingest"], line(ODD)).succeeded();
    for out in out_of(&home) {
        assert!(out.contains(ODD), "{out}");
    }
}

#[test]
fn a_number_that_no_machine_can_hold_is_kept() {
    let home = Home::new();
    home.feed(&["ingest"], line(r#"{"x":1e400,"y":-1e-400}"#)).succeeded();
    assert!(home.run(&["export"]).succeeded().out.contains(r#"{"x":1e400,"y":-1e-400}"#));
    home.run(&["timeline"]).succeeded();
    home.run(&["search", "x"]).succeeded();
}

#[test]
fn json_content_comes_out_as_it_was_written_after_a_way_over_a_server() {
    let home = Home::new();
    let server = home.serve();
    home.feed(&["ingest", "--server-url", &server.url()], line(ODD)).succeeded();
    for out in out_of(&home) {
        assert!(out.contains(ODD), "{out}");
    }
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    assert_eq!(http::get(&server, &format!("/v1/events/{id}"), None).status, 200);
}

#[test]
fn json_content_comes_out_as_it_was_written_after_a_wait_in_the_spool() {
    let home = Home::with_one_event();
    let lock = crate::locked::hold(&home);
    crate::locked::ingest(&home, &line(ODD));
    drop(lock);
    let exported = home.run(&["export"]).succeeded().out;
    assert!(exported.contains(ODD), "{exported}");
}

#[test]
fn every_character_of_a_text_survives_every_way() {
    let text = "tab\t newline\n cr\r quote\" back\\slash nul\u{0} bell\u{7} é 日本語 😀 \u{202e} \u{feff} </script> trailing  ";
    let home = Home::with_one_event();
    let server = home.serve();
    let of = |session: &str| to_lines(&[json!({"session_id": session, "event_type": "user_message", "content": text})]);
    home.feed(&["ingest"], of("local")).succeeded();
    home.feed(&["ingest", "--server-url", &server.url()], of("server")).succeeded();
    drop(server);
    let lock = crate::locked::hold(&home);
    crate::locked::ingest(&home, &of("spool"));
    drop(lock);
    let events = home.events();
    for session in ["local", "server", "spool"] {
        let found = events.iter().find(|event| event["sessionId"] == session).unwrap();
        assert_eq!(text_of(found), text, "{session}");
    }
}

#[test]
fn numbers_are_found_as_they_were_written() {
    let home = Home::new();
    home.feed(&["ingest"], line(ODD)).succeeded();
    home.ingest(&[event("nothing")]).succeeded();
    for number in ["12345678901234567890123", "2.50"] {
        let hits = home.run(&["search", "--json", number]).succeeded().json_lines();
        assert_eq!(hits.len(), 1, "{number}");
    }
}

#[test]
fn metadata_and_meta_keep_their_spelling_too() {
    let home = Home::new();
    let metadata = r#"{"z":1.0, "a":12345678901234567890123}"#;
    let line =
        format!("{{\"session_id\":\"s\",\"event_type\":\"command\",\"content\":\"ls\",\"metadata\":{metadata}}}\n");
    home.feed(&["ingest"], &line).succeeded();
    let server = home.serve();
    home.feed(&["ingest", "--server-url", &server.url()], &line).succeeded();
    let exported = home.run(&["export"]).succeeded().out;
    assert_eq!(exported.matches(metadata).count(), 2, "{exported}");
}

/// A hook payload whose tool arguments stand on several lines.
const SPREAD: &str = "{\"session_id\":\"s\",\"turn_id\":\"t\",\"transcript_path\":null,\"cwd\":\"/p\",\"tool_use_id\":\"c1\",\
    \"hook_event_name\":\"PreToolUse\",\"tool_name\":\"apply_zebra\",\"tool_input\":{\n  \"n\": 2.50,\r\n\t\"text\": \"a\\nb\"\n}}";

#[test]
fn arguments_on_several_lines_come_out_on_one() {
    let home = Home::new();
    home.feed(&["hook", "codex"], SPREAD).succeeded();
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    for args in [
        &["export"][..],
        &["timeline", "--json"],
        &["search", "--json", "apply_zebra"],
        &["show", &id, "--json"],
        &["show", "cx-s", "--json"],
    ] {
        let out = home.run(args).succeeded().out;
        assert_eq!(out.lines().count(), 1, "{args:?}: {out}");
        assert!(!out.contains('\r') && out.contains("{   \"n\": 2.50,  \t\"text\": \"a\\nb\" }"), "{args:?}: {out}");
    }
    let server = home.serve();
    let found = http::get(&server, &format!("/v1/events/{id}"), None).body;
    assert_eq!(found["event"]["payload"]["item"]["arguments"]["text"], "a\nb", "{found}");
}
