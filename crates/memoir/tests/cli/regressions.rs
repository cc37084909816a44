//! Faults that other recorders of agent sessions are known for, each under its name: none of them is ours.

use crate::disk::{on_small_disk, read};
use crate::files::walk;
use crate::support::{Home, Running, run, run_measured};
use crate::transcripts::{append, import, made_up, prompt, prompt_with, prompts, put, session, told, write};
use memoir_testkit::Client;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Forgets how far every file was read.
fn lose_cursors(home: &Home) {
    let journal = rusqlite::Connection::open(home.journal()).unwrap();
    assert!(journal.execute("DELETE FROM cursor WHERE stream LIKE 'import|%'", []).unwrap() > 0);
}

#[test]
fn lost_cursors_double_nothing() {
    let home = Home::new();
    Client::ALL.into_iter().for_each(|client| put(&home, &made_up(client, 1, 4)));
    import(&home);
    let before = told(&home);
    lose_cursors(&home);
    let again = import(&home);
    assert_eq!((&again["stored"], &again["revised"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!(told(&home), before);
}

#[test]
fn imports_of_different_clients_at_once_hide_nothing_of_each_other() {
    let (alone, together) = (Home::new(), Home::new());
    for home in [&alone, &together] {
        Client::ALL.into_iter().for_each(|client| (0..8).for_each(|n| put(home, &made_up(client, n, 6))));
    }
    import(&alone);
    let start = |client: &str| Running::start(together.command(&["import", "--client", client]));
    let running = ["codex", "claude", "gemini"].map(start);
    running.into_iter().for_each(|one| drop(one.finish().succeeded()));
    assert_eq!(told(&together), told(&alone));
    let sessions = |home: &Home| home.run(&["sessions", "--json", "--limit", "100"]).succeeded().json_lines().len();
    assert_eq!(sessions(&together), sessions(&alone));
}

#[test]
fn readers_during_an_import_see_everything_that_was_there_before() {
    let home = Home::new();
    let path = write(&home, "s", prompts(0..100));
    import(&home);
    append(&path, prompts(100..6000));
    let mut running = Running::start(home.command(&["import"]));
    let mut seen = 100;
    while running.is_running() {
        let now = home.prompts().len();
        assert!(now >= seen, "{now} after {seen}");
        seen = now;
    }
    assert_eq!(home.prompts().len(), 6000);
}

#[test]
fn lines_that_are_written_in_two_halves_during_imports_are_all_read() {
    let home = Home::new();
    let path = write(&home, "s", prompts(0..1));
    let writer = std::thread::spawn(move || {
        for n in 1..600 {
            let line = prompt(n, &format!("prompt {n}"));
            let (first, second) = line.split_at(line.len() / 2);
            append(&path, first);
            std::thread::sleep(Duration::from_micros(800));
            append(&path, second);
        }
    });
    while !writer.is_finished() {
        import(&home);
    }
    writer.join().unwrap();
    import(&home);
    let prompts = home.prompts();
    assert_eq!(prompts, (0..600).map(|n| format!("prompt {n}")).collect::<Vec<_>>());
}

#[test]
fn a_file_that_is_rewritten_longer_loses_no_line() {
    let home = Home::new();
    write(&home, "s", prompts(0..5));
    import(&home);
    write(&home, "s", prompts(100..120));
    let summary = import(&home);
    assert_eq!(summary["clients"]["claude"]["rewritten"], 1, "{summary}");
    assert_eq!(home.prompts().len(), 25);
}

#[test]
fn a_file_that_is_rewritten_shorter_or_rotated_loses_and_doubles_nothing() {
    let home = Home::new();
    let path = write(&home, "s", prompts(0..20));
    import(&home);
    write(&home, "s", prompts(15..18) + &prompts(30..31));
    import(&home);
    fs::rename(&path, session(&home, "older")).unwrap();
    write(&home, "s", prompts(40..42));
    import(&home);
    assert_eq!(home.prompts().len(), 23, "{:?}", home.prompts());
}

#[test]
fn a_line_of_twenty_megabytes_that_is_full_of_secrets_stays_in_bounds() {
    let home = Home::new();
    let secret = "DB_PASSWORD=hunter2-and-more key sk-ant-api03-0123456789abcdefghij token ";
    write(&home, "s", prompt(1, &secret.repeat((20 << 20) / secret.len())) + &prompt(2, "after"));
    let (ran, peak_kb) = run_measured(home.command(&["import", "--json"]), b"");
    assert!(peak_kb < 300 << 10, "it held {peak_kb} kB");
    assert!(ran.succeeded().json()["redacted"].as_u64().unwrap() > 1000);
    let prompts = home.prompts();
    assert!(prompts.len() == 2 && !prompts[0].contains("hunter2"));
}

#[test]
fn a_lone_surrogate_in_a_session_file_costs_nothing() {
    let home = Home::new();
    let line = prompt(1, "cut HERE off").replace("HERE", "\\ud83d");
    write(&home, "s", prompt(0, "before") + &line + &prompt(2, "after"));
    let summary = import(&home);
    assert_eq!(summary["problems"], json!({}), "{summary}");
    let exported = home.run(&["export", "--everything"]).succeeded().out;
    assert_eq!(exported.lines().filter(|line| line.contains("user_message")).count(), 3, "{exported}");
}

#[test]
fn a_hostile_session_id_in_a_session_file_writes_nowhere_else() {
    let home = Home::new();
    let ids = ["../../../../outside", "/tmp/../outside", "a/../../b", "\u{0}", "..", "nul\nline", "$(touch outside)"];
    for (n, id) in ids.iter().enumerate() {
        write(&home, &n.to_string(), prompt_with(n, &format!("prompt {n}"), json!({"sessionId": id})));
    }
    let outside =
        |home: &Home| -> Vec<_> { walk(home.top()).into_iter().filter(|path| !path.starts_with(home.dir())).collect() };
    let before = outside(&home);
    import(&home);
    for command in [&["sessions"][..], &["timeline"], &["search", "prompt"], &["status"]] {
        home.run(command).succeeded();
    }
    assert_eq!(outside(&home), before);
    assert_eq!(home.prompts().len(), ids.len());
}

#[test]
fn an_import_on_a_full_disk_is_finished_once_there_is_room() {
    let home = Home::new();
    let noise = |n: u64| -> String {
        (0..60u64).map(|k| format!("{:x} ", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (k << 32)))).collect()
    };
    write(&home, "s", (0..2500).map(|n| prompt(n, &format!("prompt {n} {}", noise(n as u64)))).collect::<String>());
    let script = "
        $memoir import > first 2> said; echo $? > code
        $memoir verify > verified; echo $? >> code
        mount -o remount,size=64m \"$MEMOIR_HOME\"
        $memoir import --json > again 2>> said; echo $? >> code
        $memoir verify >> verified; echo $? >> code
        $memoir export > exported";
    let Some(ran) = on_small_disk(&home, "1m", script) else { return };
    ran.succeeded();
    let said = read(&home, "said");
    assert_eq!(read(&home, "code"), "1\n0\n0\n0\n", "{said}");
    assert!(said.lines().all(|line| line.starts_with("memoir: ")) && said.contains("full"), "{said}");
    assert_eq!(read(&home, "exported").lines().filter(|line| line.contains("\"user_message\"")).count(), 2500);
}

/// A Codex session in which one message of the user holds all of these texts, a block for each.
fn codex_message(home: &Home, texts: &[&str]) {
    let dir = home.top().join(".codex/sessions/2026/05/10");
    fs::create_dir_all(&dir).unwrap();
    let id = "01a1e27e-965d-7132-9211-af161038a2d4";
    let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect();
    let line = |kind: &str, payload: Value| {
        format!("{}\n", json!({"timestamp": "2026-05-10T08:00:00.000Z", "type": kind, "payload": payload}))
    };
    let meta = json!({"id": id, "timestamp": "2026-05-10T08:00:00.000Z", "cwd": "/p", "originator": "codex_exec", "cli_version": "0.154.0"});
    let message = json!({"type": "message", "role": "user", "content": blocks});
    fs::write(
        dir.join(format!("rollout-2026-05-10T08-00-00-{id}.jsonl")),
        line("session_meta", meta) + &line("response_item", message),
    )
    .unwrap();
}

#[test]
fn envelopes_and_injected_memory_joined_to_a_prompt_are_not_the_users_words() {
    let home = Home::new();
    let injected =
        "<openviking-context source=\"auto-recall\" turn=\"3\">\n- remembered secretly\n</openviking-context>";
    codex_message(
        &home,
        &[
            "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nbe secretly kind\n</INSTRUCTIONS>",
            "<environment_context>\n  <cwd>/secretly</cwd>\n</environment_context>",
            "<recommended_plugins>\nsecretly plugged\n</recommended_plugins>",
            &format!("{injected}\nfix the parser\n<relevant-memories>\nsecretly relevant\n</relevant-memories>"),
        ],
    );
    let summary = import(&home);
    assert_eq!(home.prompts(), ["fix the parser"], "{summary}");
    assert!(!summary["context"].as_object().unwrap().is_empty(), "what was taken out is counted: {summary}");
    // The same through a hook.
    let payload = json!({"session_id": "h", "turn_id": "t", "cwd": "/p", "hook_event_name": "UserPromptSubmit",
        "prompt": format!("{injected}\nrun the tests")});
    home.feed(&["hook", "codex"], payload.to_string()).succeeded();
    let mut prompts = home.prompts();
    prompts.sort();
    assert_eq!(prompts, ["fix the parser", "run the tests"]);
}

#[test]
fn nods_and_commands_to_the_client_are_counted_and_are_not_the_users_words() {
    let home = Home::new();
    let command = "<command-name>/clear</command-name>\n<command-message>clear</command-message>";
    let said = ["ok", "/status", command, "fix the parser"];
    write(&home, "s", said.iter().enumerate().map(|(n, text)| prompt(n, text)).collect::<String>());
    let summary = import(&home);
    assert_eq!(summary["context"], json!({"ack": 1, "slash-command": 2}), "{summary}");
    assert_eq!(home.prompts(), ["fix the parser"]);
}

fn stop(session: &Path, cwd: &str) -> String {
    json!({"session_id": "s", "prompt_id": "p9", "transcript_path": session, "cwd": cwd, "hook_event_name": "Stop",
        "last_assistant_message": "done", "stop_hook_active": false})
    .to_string()
}

#[test]
fn a_stop_after_its_state_is_lost_tells_no_turn_again() {
    let home = Home::new();
    let path = write(&home, "s", prompts(0..14));
    home.feed(&["hook", "claude"], stop(&path, "/p")).succeeded();
    let before = told(&home);
    lose_cursors(&home);
    append(&path, prompts(14..19));
    home.feed(&["hook", "claude"], stop(&path, "/p")).succeeded();
    assert_eq!((home.prompts().len(), told(&home).len()), (19, before.len() + 5));
}

#[test]
fn overlapping_stops_of_one_session_store_each_turn_once() {
    let home = Home::with_one_event();
    let path = write(&home, "s", prompts(0..19));
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let (command, payload) = (home.command(&["hook", "claude"]), stop(&path, "/p"));
            std::thread::spawn(move || run(command, payload.as_bytes()).succeeded())
        })
        .collect();
    calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap().out, "{}\n"));
    assert_eq!(home.prompts().len(), 20);
    assert!(told(&home).values().all(|count| *count == 1));
}

#[test]
fn a_session_file_that_is_gone_is_not_looked_for_for_ever() {
    let home = Home::with_one_event();
    let payload = json!({"session_id": "s", "transcript_path": home.top().join("gone.jsonl"), "cwd": "/p",
        "hook_event_name": "SessionEnd", "reason": "exit"});
    home.feed(&["hook", "claude"], payload.to_string()).succeeded();
    let marks = || fs::read_dir(home.dir().join("pending")).map_or(0, Iterator::count);
    assert_eq!(marks(), 1);
    home.run(&["status"]).succeeded();
    assert_eq!(marks(), 0);
}

#[test]
fn what_is_left_of_a_session_belongs_to_its_own_project_whoever_reads_it() {
    let home = Home::new();
    let of = |name: &str| {
        let dir = home.top().join(name);
        fs::create_dir_all(&dir).unwrap();
        dir.to_str().unwrap().to_owned()
    };
    let (first, second) = (of("first"), of("second"));
    let path = write(&home, "s", prompt_with(0, "of the first", json!({"cwd": first})));
    let ended = json!({"session_id": "s", "transcript_path": path, "cwd": first, "hook_event_name": "SessionEnd"});
    home.feed(&["hook", "claude"], ended.to_string()).succeeded();
    let begun = json!({"session_id": "t", "turn_id": "t", "cwd": second, "hook_event_name": "UserPromptSubmit", "prompt": "of the second"});
    home.feed(&["hook", "codex"], begun.to_string()).succeeded();
    let mut command = home.command(&["status"]);
    command.current_dir(&second);
    run(command, b"").succeeded();
    let project = |text: &str| -> Value {
        let events = home.events();
        let event = events.iter().find(|event| event["kind"] == "user_message" && event["payload"]["prompt"] == text);
        event.unwrap_or_else(|| panic!("{text} in {events:?}"))["repoId"].clone()
    };
    let in_first = home.events().iter().filter(|event| event["repoId"] == project("of the first")).count();
    assert!(!project("of the first").is_null() && project("of the first") != project("of the second"));
    assert!(in_first >= 1);
}

#[test]
fn a_second_session_does_not_end_or_take_over_one_that_goes_on() {
    let home = Home::new();
    let call = |event: &str, session: &str, more: Value| {
        let mut payload = json!({"session_id": session, "turn_id": format!("{session}-{event}"), "cwd": "/p", "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.feed(&["hook", "codex"], payload.to_string()).succeeded();
    };
    call("SessionStart", "one", json!({"source": "startup"}));
    call("UserPromptSubmit", "one", json!({"prompt": "asked in one"}));
    call("SessionStart", "two", json!({"source": "startup"}));
    call("UserPromptSubmit", "two", json!({"prompt": "asked in two"}));
    call("Stop", "one", json!({"last_assistant_message": "answered in one"}));
    let of_one: Vec<Value> = home.events().into_iter().filter(|event| event["sessionId"] == "one").collect();
    let kinds: Vec<&str> = of_one.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session_started", "user_message", "assistant_message"]);
}
