//! What comes out: for people, for programs, into a pipe that somebody closes.

use crate::support::{Home, Running, event, to_lines};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn a_reader_that_has_seen_enough_ends_the_output_quietly() {
    let home = Home::new();
    let many: Vec<_> = (0..4000).map(|n| event(&format!("line {n} {}", "x".repeat(200)))).collect();
    home.ingest(&many).succeeded();
    for args in [
        &["export"][..],
        &["timeline", "--json", "--limit", "4000"],
        &["timeline", "--limit", "4000"],
        &["search", "line", "--limit", "4000"],
    ] {
        let mut child =
            home.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        drop(stdout);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert!(!first.is_empty());
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn an_output_closed_from_the_start_is_no_panic() {
    let home = Home::with_one_event();
    for args in [&["status"][..], &["completions", "bash"], &["config"], &["doctor"], &["verify"], &["sessions"]] {
        let mut child =
            home.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn nothing_is_coloured_in_a_pipe_and_nothing_on_a_terminal_that_wants_no_colour() {
    let home = Home::with_one_event();
    for args in [&["search", "kept"][..], &["timeline"], &["sessions"], &["status"], &["doctor"], &["config"]] {
        assert!(!home.run(args).succeeded().out.contains('\u{1b}'), "{args:?}");
    }
    let shell = std::path::Path::new("script");
    let command = format!("{} search kept", crate::support::MEMOIR);
    let on_terminal = |no_colour: &str| {
        let mut script = home.command_of(shell, &["-qec", &command, "/dev/null"]);
        script.env("NO_COLOR", no_colour).env("TERM", "xterm");
        crate::support::run(script, b"").out
    };
    if std::process::Command::new(shell).arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: there is no `script` here to make a terminal with");
        return;
    }
    assert!(on_terminal("").contains("\u{1b}[1mkept\u{1b}[0m"));
    assert!(!on_terminal("1").contains('\u{1b}'));
}

#[test]
fn text_from_outside_cannot_steer_the_terminal() {
    let home = Home::new();
    home.ingest(&[
        event("wipe \u{1b}[2J\u{7}\u{9b}31m it\rall"),
        serde_json::json!({
            "session_id": "s\u{1b}]0;title\u{7}", "event_type": "command", "content": "ls"
        }),
    ])
    .succeeded();
    for args in [&["timeline"][..], &["search", "wipe"], &["sessions"], &["show", "demo"]] {
        let out = home.run(args).succeeded().out;
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{9b}', '\r']), "{args:?}: {out:?}");
    }
    assert_eq!(home.texts()[0], "wipe \u{1b}[2J\u{7}\u{9b}31m it\rall");
}

#[test]
fn every_json_output_parses() {
    let home = Home::with_one_event();
    let id = home.events()[0]["eventId"].as_str().unwrap().to_owned();
    for args in [
        &["search", "--json", "kept"][..],
        &["timeline", "--json"],
        &["sessions", "--json"],
        &["show", &id, "--json"],
        &["show", "demo", "--json"],
        &["status", "--json"],
        &["doctor", "--json"],
        &["verify", "--json"],
        &["config", "--json"],
        &["export"],
        &["spool", "--json"],
        &["spool", "list", "--json"],
        &["spool", "flush", "--json"],
    ] {
        let ran = home.run(args).succeeded();
        assert!(!ran.json_lines().is_empty() && ran.err.is_empty(), "{args:?} {ran:?}");
    }
    let ran = home.feed(&["ingest", "--json"], to_lines(&[event("x")]) + "bad\n");
    assert_eq!((ran.json()["stored"].as_u64(), ran.json()["refused"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn the_summary_goes_to_standard_error_so_that_a_pipe_stays_clean() {
    let home = Home::new();
    let mut running = Running::start(home.command(&["ingest"]));
    running.write(to_lines(&[event("x")]));
    running.close_input();
    let ran = running.finish().succeeded();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "memoir: stored 1\n"));
}
