//! `memoir commit`, `archive`, `sessions --pending`; a server that sweeps; commits that are killed or meet each other.

use crate::support::{Home, event, eventually, run, to_lines};
use crate::transcripts::{import, prompts, write};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;

/// Something said long ago: its session is over.
fn old(session: &str, n: u32, kind: &str, text: &str) -> Value {
    json!({
        "session_id": session, "event_type": kind, "content": text, "turn_id": format!("{session}-{n}"),
        "timestamp": format!("2026-05-10T08:{:02}:{:02}Z", n / 60 % 60, n % 60),
    })
}

fn worked() -> Home {
    let home = Home::new();
    let lines = [
        old("login", 1, "user_message", "the login test is flaky, find out why"),
        old("login", 2, "command", "cargo test login"),
        old(
            "login",
            3,
            "assistant_message",
            "We decided to poll the port because sleeping is slow. The docs still need a line.",
        ),
        event("a session that goes on"),
    ];
    home.ingest(&lines).succeeded();
    home
}

fn archives(home: &Home, session: &str) -> Vec<Value> {
    home.run(&["archive", session, "--list", "--json"]).succeeded().json_lines()
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_another_one_started_goes_by_its_own_process() {
    let home = Home::new();
    let mut outer = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let pid = outer.id().to_string();
    for (client, session) in [("codex", "inner"), ("claude", "outer")] {
        let mut command = home.command(&["hook", client]);
        command.env("CLAUDE_PID", &pid);
        let payload =
            json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "hello there", "cwd": "/w"});
        run(command, payload.to_string().as_bytes()).succeeded();
    }
    outer.kill().unwrap();
    outer.wait().unwrap();
    let pending = home.run(&["sessions", "--pending", "--json"]).succeeded().json_lines();
    let alive = |name: &str| pending.iter().find(|one| one["session"] == name).unwrap()["alive"].clone();
    assert_eq!((alive("cx-inner"), alive("cc-outer")), (json!(true), json!(false)), "{pending:?}");
}

/// The archives follow each other, and nothing is in none of them.
fn assert_whole(home: &Home, session: &str, events: u64) {
    let archives = archives(home, session);
    let numbers: Vec<u64> = archives.iter().map(|archive| archive["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=archives.len() as u64).collect::<Vec<_>>(), "{archives:?}");
    let held: u64 = archives.iter().map(|archive| archive["events"].as_u64().unwrap()).sum();
    assert_eq!(held, events, "{archives:?}");
}

/// Writes a row of state as a hook would.
fn note_row(home: &Home, session: &str, touched_ms: i64, due: &str) {
    let db = rusqlite::Connection::open(home.journal()).unwrap();
    let row = format!(r#"{{"v":1,"touched":{touched_ms},"created":{touched_ms}{due}}}"#);
    let sql = "INSERT OR REPLACE INTO cursor(stream, sequence, position) VALUES(?1, 1, ?2)";
    db.execute(sql, (format!("session|live|{session}"), row)).unwrap();
}

#[test]
fn a_commit_says_what_it_sealed_and_an_archive_tells_it() {
    let home = worked();
    let ran = home.run(&["commit", "login"]).succeeded();
    assert_eq!(ran.out, "login: archive_001 with 3 events in 1 turn (asked)\n");
    assert_eq!(home.run(&["commit", "login"]).succeeded().out, "nothing to commit\n");
    let shown = home.run(&["archive", "login"]).succeeded().out;
    for expected in [
        "login, archive_001",
        "## Asked\n- the login test is flaky, find out why (2026-05-10 08:00, ",
        "## Decided\n- We decided to poll the port because sleeping is slow. (",
        "## Open\n- The docs still need a line. (",
    ] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let told = home.run(&["archive", "login", "--json"]).succeeded().json();
    assert_eq!((told["archive"].as_str(), told["turns"].as_u64()), (Some("archive_001"), Some(1)));
    let id = told["lines"][0]["id"].as_str().unwrap();
    assert!(home.run(&["show", id]).succeeded().out.contains("the login test is flaky"));
}

#[test]
fn without_a_session_only_those_that_are_over_are_committed_and_all_means_all() {
    let home = worked();
    let pending = home.run(&["sessions", "--pending", "--json"]).succeeded().json_lines();
    let due: Vec<_> = pending.iter().map(|one| (one["session"].as_str().unwrap(), one["due"].as_str())).collect();
    assert_eq!(due, [("demo", None), ("login", Some("idle"))]);
    let first = home.run(&["commit", "--json"]).succeeded().json();
    assert_eq!(first["committed"][0]["session"], "login");
    assert_eq!(first["committed"].as_array().unwrap().len(), 1);
    let second = home.run(&["commit", "--all", "--json"]).succeeded().json();
    assert_eq!(second["committed"][0]["session"], "demo");
    assert_eq!(home.run(&["commit", "--all"]).succeeded().out, "nothing to commit\n");
    home.run(&["sessions", "--pending"]).succeeded();
}

#[test]
fn an_archive_is_found_by_nothing_that_it_only_names_and_a_list_says_what_it_is() {
    let home = worked();
    home.run(&["commit", "login"]).succeeded();
    let told = home.run(&["archive", "login", "--json"]).succeeded().json();
    for words in ["asked", "decided", told["lines"][0]["id"].as_str().unwrap()] {
        for command in ["search", "recall"] {
            let found = home.run(&[command, words]).succeeded().out;
            assert!(!found.contains("archive"), "{command} {words}: {found}");
        }
    }
    let listed = home.run(&["timeline", "--type", "archive"]).succeeded().out;
    assert!(listed.contains("archive  archive_001: 3 events in 1 turn (asked)"), "{listed}");
}

#[test]
fn an_unknown_session_has_nothing_to_commit_and_an_empty_home_neither() {
    let home = Home::new();
    assert_eq!(home.run(&["commit", "cx-nobody"]).succeeded().out, "nothing to commit\n");
    assert!(!home.journal().exists());
    home.ingest(&[event("x")]).succeeded();
    assert_eq!(home.run(&["commit", "cx-nobody"]).succeeded().out, "nothing to commit\n");
    let refused = home.run(&["archive", "demo"]);
    assert_eq!(refused.code(), 2, "{}", refused.err);
    assert!(refused.err.contains("`memoir commit demo` makes one"), "{}", refused.err);
}

#[test]
fn whoever_only_reads_commits_no_imported_session() {
    let home = worked();
    for command in [&["search", "login"][..], &["timeline"], &["status"], &["sessions"]] {
        home.run(command).succeeded();
    }
    assert_eq!(home.events().len(), 4);
}

#[test]
fn a_session_that_its_client_ended_is_committed_by_the_next_command_but_not_in_a_pause() {
    let home = worked();
    note_row(&home, "login", 1_778_400_000_000, r#","due":"ended""#);
    home.run(&["pause"]).succeeded();
    assert_eq!(home.status()["uncommittedSessions"], 1);
    assert_eq!(archives(&home, "login").len(), 0);
    home.run(&["unpause"]).succeeded();
    home.status();
    assert_eq!(archives(&home, "login")[0]["trigger"], "ended");
    assert_eq!(home.status()["uncommittedSessions"], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_of_a_running_process_waits_until_it_ends() {
    let home = worked();
    let mut client = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", client.id())).unwrap();
    let started = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19)).unwrap();
    let process = format!(r#","process":{{"pid":{},"started":{started}}}"#, client.id());
    note_row(&home, "login", 1_778_400_000_000, &process);
    home.status();
    assert_eq!(archives(&home, "login").len(), 0);
    let pending = home.run(&["sessions", "--pending", "--json"]).succeeded().json_lines();
    let login = pending.iter().find(|one| one["session"] == "login").unwrap();
    assert_eq!((&login["alive"], &login["due"]), (&json!(true), &Value::Null));
    client.kill().unwrap();
    client.wait().unwrap();
    home.status();
    assert_eq!(archives(&home, "login")[0]["trigger"], "idle");
}

#[test]
fn a_running_server_commits_the_last_session_of_a_machine() {
    let home = Home::new();
    home.ingest(&[event("the last words of the day")]).succeeded();
    for name in ["MEMOIR_SESSION_IDLE_TTL_MS", "OPENVIKING_CODEX_IDLE_TTL_MS"] {
        let before = archives(&home, "demo").len();
        home.ingest(&[event(&format!("more, before {name}"))]).succeeded();
        let server = home.serve_with(&[(name, "300")]);
        eventually("the server commits", || archives(&home, "demo").len() > before);
        drop(server);
    }
    assert_whole(&home, "demo", 3);
}

#[test]
fn a_transcript_that_shrank_doubles_and_loses_nothing() {
    let home = Home::new();
    write(&home, "s", prompts(1..11));
    import(&home);
    home.run(&["commit", "cc-s"]).succeeded();
    // The client compacted: the file is shorter than what was read of it, and then grows.
    write(&home, "s", prompts(8..12));
    import(&home);
    write(&home, "s", prompts(8..16));
    import(&home);
    home.run(&["commit", "cc-s"]).succeeded();
    let texts: Vec<String> = (1..16).map(|n| format!("prompt {n}")).collect();
    assert_eq!(home.prompts(), texts);
    let turns: Vec<u64> = archives(&home, "cc-s").iter().map(|one| one["turns"].as_u64().unwrap()).collect();
    assert_eq!(turns, [10, 5]);
    assert_eq!(home.run(&["commit", "--all"]).succeeded().out, "nothing to commit\n");
}

#[test]
fn an_import_is_committed_before_it_is_dreamt() {
    let home = Home::new();
    write(&home, "s", crate::transcripts::prompt(1, "Remember that deploys go through ./ship, never kubectl"));
    import(&home);
    home.run(&["dream", "--dry-run"]).succeeded();
    assert_eq!(archives(&home, "cc-s").len(), 0);
    home.run(&["dream"]).succeeded();
    assert_eq!(archives(&home, "cc-s").len(), 1);
    let told = home.run(&["memories"]).succeeded().out;
    assert!(told.contains("deploys go through ./ship"), "{told}");
}

#[test]
fn what_is_forgotten_is_gone_from_the_archive() {
    let home = worked();
    home.run(&["commit", "login"]).succeeded();
    let told = home.run(&["archive", "login", "--json"]).succeeded().json();
    let id = told["lines"][0]["id"].as_str().unwrap().to_owned();
    home.run(&["forget", &id, "--yes"]).succeeded();
    let told = home.run(&["archive", "login", "--json"]).succeeded().json();
    assert!(!told["lines"].to_string().contains("flaky"), "{told}");
    assert!(told["leftOut"].as_u64().unwrap() > 0);
}

#[test]
fn commits_killed_at_any_moment_leave_every_session_whole() {
    let home = Home::new();
    let lines: Vec<Value> = (0..120)
        .flat_map(|session| {
            (0..6).map(move |n| old(&format!("s{session}"), n, "user_message", &format!("turn {n} of {session}")))
        })
        .collect();
    home.feed(&["ingest"], to_lines(&lines)).succeeded();
    for wait_ms in [5, 15, 25, 40, 60] {
        let mut commit = home.command(&["commit"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait_ms));
        commit.kill().unwrap();
        commit.wait().unwrap();
    }
    // The killed one may hold a lease on one session for a minute: everything else goes on.
    home.run(&["commit"]).succeeded();
    let db = rusqlite::Connection::open(home.journal()).unwrap();
    db.execute("UPDATE lease SET until_ms = 0", []).unwrap();
    drop(db);
    home.run(&["commit"]).succeeded();
    for session in 0..120 {
        assert_whole(&home, &format!("s{session}"), 6);
        assert_eq!(archives(&home, &format!("s{session}")).len(), 1);
    }
    home.verified();
}

#[test]
fn two_commits_at_once_commit_each_session_once() {
    let home = Home::new();
    let lines: Vec<Value> = (0..40).map(|session| old(&format!("s{session}"), 1, "user_message", "work")).collect();
    home.feed(&["ingest"], to_lines(&lines)).succeeded();
    let both: Vec<_> = (0..2).map(|_| home.command(&["commit", "--json"])).collect();
    let committed: usize = std::thread::scope(|scope| {
        let running: Vec<_> =
            both.into_iter().map(|command| scope.spawn(|| run(command, b"").succeeded().json())).collect();
        running.into_iter().map(|one| one.join().unwrap()["committed"].as_array().unwrap().len()).sum()
    });
    assert_eq!(committed, 40);
    for session in 0..40 {
        assert_whole(&home, &format!("s{session}"), 1);
    }
}
