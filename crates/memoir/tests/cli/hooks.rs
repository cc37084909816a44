//! Hooks as clients call them: whatever is broken, the answer is valid, the exit code is 0, and nothing is lost that can
//! be kept.

use crate::locked::hold;
use crate::support::{Home, MEMOIR, Ran, dead_port, eventually, run, set_mode, text_of};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Calls a hook; what it answers is always an empty object here.
fn hook(home: &Home, client: &str, payload: &Value) -> Ran {
    called(home.feed(&["hook", client], payload.to_string()))
}

fn called(ran: Ran) -> Ran {
    let ran = ran.succeeded();
    assert_eq!(ran.out, "{}\n", "{ran:?}");
    ran
}

fn codex(event: &str, more: Value) -> Value {
    with(
        json!({"session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": "/p", "hook_event_name": event}),
        more,
    )
}

fn claude(event: &str, more: Value) -> Value {
    with(
        json!({"session_id": "s", "prompt_id": "t", "transcript_path": "/nowhere/s.jsonl", "cwd": "/p",
                "hook_event_name": event}),
        more,
    )
}

fn gemini(event: &str, more: Value) -> Value {
    with(
        json!({"session_id": "s", "transcript_path": "/nowhere/s.jsonl", "cwd": "/p", "hook_event_name": event,
                "timestamp": "2026-05-10T08:00:00.000Z"}),
        more,
    )
}

fn with(mut payload: Value, more: Value) -> Value {
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn kinds(home: &Home) -> Vec<(String, String)> {
    let told = |event: &Value| {
        let kind = event["kind"].as_str().unwrap().to_owned();
        let has_text =
            matches!(kind.as_str(), "user_message" | "assistant_message" | "session_summary" | "error" | "tool_result");
        (kind, if has_text { text_of(event) } else { String::new() })
    };
    home.events().iter().map(told).collect()
}

fn pair(kind: &str, text: &str) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

#[test]
fn each_event_becomes_what_it_means() {
    let home = Home::new();
    hook(&home, "codex", &codex("SessionStart", json!({"source": "startup", "model": "m"})));
    hook(&home, "codex", &codex("UserPromptSubmit", json!({"prompt": "do it"})));
    hook(
        &home,
        "codex",
        &codex("PreToolUse", json!({"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": "ls"}})),
    );
    hook(
        &home,
        "codex",
        &codex(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "c1",
        "tool_input": {"command": "ls"}, "tool_response": "a.txt"}),
        ),
    );
    hook(&home, "codex", &codex("Stop", json!({"last_assistant_message": "done", "stop_hook_active": false})));
    let told = kinds(&home);
    for expected in [
        pair("session_started", ""),
        pair("user_message", "do it"),
        pair("tool_call", ""),
        pair("tool_result", "a.txt"),
        pair("assistant_message", "done"),
    ] {
        assert_eq!(told.iter().filter(|one| **one == expected).count(), 1, "{expected:?} in {told:?}");
    }

    let home = Home::new();
    hook(&home, "claude", &claude("Stop", json!({})));
    assert_eq!(kinds(&home)[0].0, "session_summary");
    let home = Home::new();
    hook(
        &home,
        "claude",
        &claude(
            "PostToolUseFailure",
            json!({"tool_name": "Bash", "tool_use_id": "c2",
        "tool_input": {"command": "false"}, "error": "Exit code 1"}),
        ),
    );
    hook(&home, "claude", &claude("StopFailure", json!({"message": "overloaded"})));
    hook(
        &home,
        "claude",
        &claude(
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_use_id": "c3",
        "tool_input": {"file_path": "/p/a.rs", "old_string": "a", "new_string": "b"},
        "tool_response": {"filePath": "/p/a.rs"}}),
        ),
    );
    let told: Vec<String> = kinds(&home).into_iter().map(|(kind, _)| kind).collect();
    for expected in ["tool_result", "command", "error", "file_change"] {
        assert!(told.iter().any(|kind| kind == expected), "{expected} in {told:?}");
    }

    let home = Home::new();
    hook(&home, "gemini", &gemini("BeforeAgent", json!({"prompt": "hello"})));
    hook(
        &home,
        "gemini",
        &gemini("AfterAgent", json!({"prompt": "hello", "prompt_response": "hi", "stop_hook_active": false})),
    );
    assert_eq!(kinds(&home), [pair("user_message", "hello"), pair("assistant_message", "hi")]);
}

#[test]
fn every_event_of_every_client_is_answered_with_what_that_client_accepts() {
    let events = [
        (
            "codex",
            &[
                "SessionStart",
                "SessionEnd",
                "UserPromptSubmit",
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "PreCompact",
                "PostCompact",
                "SubagentStart",
                "SubagentStop",
                "Stop",
                "Interrupt",
                "Notification",
                "NewOne",
            ][..],
        ),
        (
            "claude",
            &[
                "SessionStart",
                "SessionEnd",
                "UserPromptSubmit",
                "UserPromptExpansion",
                "PreToolUse",
                "PostToolUse",
                "PostToolUseFailure",
                "PermissionRequest",
                "Notification",
                "SubagentStart",
                "SubagentStop",
                "Stop",
                "StopFailure",
                "PreCompact",
                "PostCompact",
                "Setup",
                "ConfigChange",
                "MessageDisplay",
                "InstructionsLoaded",
                "NewOne",
            ][..],
        ),
        (
            "gemini",
            &[
                "SessionStart",
                "SessionEnd",
                "BeforeAgent",
                "AfterAgent",
                "BeforeModel",
                "AfterModel",
                "BeforeToolSelection",
                "BeforeTool",
                "AfterTool",
                "PreCompress",
                "Notification",
                "NewOne",
            ][..],
        ),
    ];
    let home = Home::new();
    for (client, names) in events {
        for name in names {
            let payload = match client {
                "codex" => codex(name, json!({})),
                "claude" => claude(name, json!({})),
                _ => gemini(name, json!({})),
            };
            let ran = hook(&home, client, &payload);
            assert_eq!(ran.err, "", "{client} {name}");
        }
    }
    home.verified();
}

#[test]
fn what_cannot_be_understood_is_answered_and_counted() {
    let home = Home::new();
    for payload in
        ["", "not json", "[]", "null", "{\"session_id\":", "{}", "\u{0}", "{\"session_id\":5,\"hook_event_name\":[]}"]
    {
        for client in ["codex", "claude", "gemini"] {
            called(home.feed(&["hook", client], payload));
        }
    }
    called(home.feed(&["hook", "codex"], [0xff, 0xfe, b'{', b'}']));
    assert_eq!(home.events(), Vec::<Value>::new());
    for wrong in [
        &["hook", "nobody"][..],
        &["hook"],
        &["hook", "codex", "--no-such-flag"],
        &["--home", "/proc/nowhere", "hook", "codex"],
    ] {
        let ran = called(home.feed(wrong, "{}"));
        assert!(ran.err.starts_with("memoir: "), "{ran:?}");
    }
    assert_eq!(home.run(&["doctor"]).code(), 1);
}

#[test]
fn a_locked_journal_costs_neither_the_client_nor_the_event() {
    let home = Home::with_one_event();
    let lock = hold(&home);
    let begun = std::time::Instant::now();
    let ran = hook(&home, "codex", &codex("UserPromptSubmit", json!({"prompt": "while it is locked"})));
    assert!(begun.elapsed() < std::time::Duration::from_secs(2), "a hook waits for nobody");
    assert!(ran.err.contains("locked"), "{ran:?}");
    drop(lock);
    assert_eq!(home.prompts(), ["kept from before", "while it is locked"]);
    // Told again by the client's file, it is the same event.
    hook(&home, "codex", &codex("UserPromptSubmit", json!({"prompt": "while it is locked"})));
    assert_eq!(home.prompts().len(), 2);
}

#[test]
fn a_home_that_cannot_be_used_costs_the_client_nothing() {
    type Break = fn(&Home);
    let broken: [(&str, Break); 4] = [
        ("a file", |home| fs::write(home.dir(), "").unwrap()),
        ("read-only", |home| {
            fs::create_dir(home.dir()).unwrap();
            set_mode(&home.dir(), 0o500);
        }),
        ("no journal", |home| {
            fs::create_dir(home.dir()).unwrap();
            set_mode(&home.dir(), 0o700);
            fs::write(home.journal(), "this is no database, and it is longer than a header would be").unwrap();
        }),
        ("bad settings", |home| {
            fs::create_dir(home.dir()).unwrap();
            set_mode(&home.dir(), 0o700);
            fs::write(home.dir().join("config.toml"), "nonsense = [").unwrap();
        }),
    ];
    for (what, make) in broken {
        let home = Home::new();
        make(&home);
        let ran = hook(&home, "claude", &claude("UserPromptSubmit", json!({"prompt": "x"})));
        // Root may write wherever it wants.
        let is_root = rustix::process::geteuid().is_root();
        assert!(!ran.err.is_empty() || (what == "read-only" && is_root), "{what}: {ran:?}");
        if what == "read-only" {
            set_mode(&home.dir(), 0o700);
        }
    }
    // Without any home at all.
    let mut command = std::process::Command::new(MEMOIR);
    command.args(["hook", "codex"]).env_clear().current_dir("/");
    called(run(command, b"{}"));
}

#[test]
fn a_server_gets_what_hooks_see_and_its_absence_costs_little() {
    let home = Home::new();
    let dead = format!("http://127.0.0.1:{}", dead_port());
    let call = |url: &str, prompt: &str| {
        let mut command = home.command(&["hook", "codex"]);
        command.env("MEMOIR_SERVER_URL", url);
        let payload = codex("UserPromptSubmit", json!({"prompt": prompt, "turn_id": prompt}));
        called(run(command, payload.to_string().as_bytes()))
    };
    call(&dead, "nobody there");
    assert_eq!(home.prompts(), ["nobody there"]);
    assert_eq!(home.waiting(), 1);
    let server_home = Home::new();
    let server = server_home.serve();
    call(&server.url(), "somebody there");
    eventually("the outbox is empty", || home.waiting() == 0);
    drop(server);
    let mut there = server_home.prompts();
    there.sort();
    assert_eq!(there, ["nobody there", "somebody there"]);
    assert_eq!(home.prompts().len(), 2);
}

#[test]
fn a_server_that_never_answers_holds_no_hook_up() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut command = home.command(&["hook", "codex"]);
    command.env("MEMOIR_SERVER_URL", url);
    let begun = std::time::Instant::now();
    called(run(command, codex("UserPromptSubmit", json!({"prompt": "x"})).to_string().as_bytes()));
    assert!(begun.elapsed() < std::time::Duration::from_secs(3));
    assert_eq!(home.prompts(), ["x"]);
}

/// A Claude session file with an answer that is not whole yet.
fn transcript(home: &Home, answer: &str, more_lines: usize) -> PathBuf {
    let file = home.top().join("s.jsonl");
    let line =
        |value: Value| with(json!({"sessionId": "s", "cwd": "/p", "version": "2.1.0"}), value).to_string() + "\n";
    let mut text = line(json!({"type": "user", "uuid": "u1", "parentUuid": null, "promptId": "t",
        "timestamp": "2026-05-10T08:00:00.000Z", "message": {"role": "user", "content": "explain"}}));
    for n in 0..more_lines {
        text += &line(json!({"type": "assistant", "uuid": format!("m{n}"), "parentUuid": "u1",
            "timestamp": "2026-05-10T08:00:01.000Z",
            "message": {"id": format!("msg{n}"), "role": "assistant", "usage": {"input_tokens": 10, "output_tokens": 2},
                "content": [{"type": "text", "text": format!("step {n} {}", "x".repeat(900))}]}}));
    }
    text += &line(
        json!({"type": "assistant", "uuid": "a1", "parentUuid": "u1", "timestamp": "2026-05-10T08:00:02.000Z",
        "message": {"id": "msg", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": answer}]}}),
    );
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn an_answer_that_a_hook_saw_in_part_is_completed_as_the_same_event() {
    let home = Home::new();
    let stop = claude("Stop", json!({"last_assistant_message": "The cause is", "stop_hook_active": false}));
    hook(&home, "claude", &stop);
    let first = home.events().remove(0)["eventId"].clone();
    let file = transcript(&home, "The cause is a missing index.", 0);
    home.run(&["import", "--path", file.to_str().unwrap()]).succeeded();
    let answers: Vec<Value> = home.events().into_iter().filter(|event| event["kind"] == "assistant_message").collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(text_of(&answers[0]), "The cause is a missing index.");
    assert_eq!(answers[0]["eventId"], first);
}

#[test]
fn a_hook_reads_only_so_much_of_a_session_file_and_the_next_command_reads_the_rest() {
    let home = Home::new();
    let file = transcript(&home, "the end", 2000);
    let payload = with(claude("Stop", json!({"last_assistant_message": "the end"})), json!({"transcript_path": file}));
    hook(&home, "claude", &payload);
    let marks = || fs::read_dir(home.dir().join("pending")).map_or(0, Iterator::count);
    assert_eq!(marks(), 1);
    let in_the_journal: i64 = rusqlite::Connection::open(home.journal())
        .unwrap()
        .query_row("SELECT count(*) FROM record", [], |row| row.get(0))
        .unwrap();
    assert!(in_the_journal < 500, "{in_the_journal}");
    assert_eq!(home.events().iter().filter(|event| event["kind"] == "assistant_message").count(), 2001);
    assert_eq!(marks(), 0);
}

#[test]
fn a_long_line_of_a_session_file_is_left_to_the_next_command() {
    let home = Home::new();
    let answer: String = (0..200_000).map(|n| format!("{n} ")).collect();
    let file = transcript(&home, &answer, 0);
    let payload = with(claude("Stop", json!({"last_assistant_message": ""})), json!({"transcript_path": file}));
    hook(&home, "claude", &payload);
    let answers = "SELECT count(*) FROM record JOIN shape ON shape.no = record.shape WHERE item_type = 'agent_message'";
    let journal = rusqlite::Connection::open(home.journal()).unwrap();
    let in_the_journal: i64 = journal.query_row(answers, [], |row| row.get(0)).unwrap();
    assert_eq!(in_the_journal, 0);
    let answers: Vec<Value> = home.events().into_iter().filter(|event| event["kind"] == "assistant_message").collect();
    assert_eq!(answers.len(), 1);
    assert!(text_of(&answers[0]).starts_with("0 1 2 3 "));
}

#[test]
fn the_end_of_a_session_leaves_a_mark_and_nothing_running() {
    let home = Home::new();
    let file = transcript(&home, "the end", 3);
    let payload = with(claude("SessionEnd", json!({"reason": "exit"})), json!({"transcript_path": file}));
    hook(&home, "claude", &payload);
    assert_eq!(fs::read_dir(home.dir().join("pending")).unwrap().count(), 1);
    let mine = |entry: fs::DirEntry| {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(home.dir().to_str().unwrap())
    };
    assert!(!fs::read_dir("/proc").unwrap().filter_map(Result::ok).any(mine));
    home.run(&["status"]).succeeded();
    assert_eq!(fs::read_dir(home.dir().join("pending")).unwrap().count(), 0);
    assert_eq!(home.prompts(), ["explain"]);
}

#[test]
fn a_message_that_is_shown_in_pieces_is_stored_whole_and_once() {
    let home = Home::with_one_event();
    let before = home.events().len();
    let piece = |id: &str, index: u32, is_final: bool, delta: &str| {
        let more = json!({"message_id": id, "index": index, "final": is_final, "delta": delta});
        hook(&home, "claude", &claude("MessageDisplay", more));
    };
    piece("m1", 0, true, "At once.");
    piece("m2", 0, false, "First half, ");
    piece("m2", 1, true, "second half.");
    hook(&home, "claude", &claude("Stop", json!({"last_assistant_message": "First half, second half."})));
    let said = kinds(&home).split_off(before);
    assert_eq!(said, [pair("assistant_message", "At once."), pair("assistant_message", "First half, second half.")]);
}

#[test]
fn secrets_in_a_payload_never_reach_the_disk() {
    let home = Home::with_one_event();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    let prompt = codex(
        "UserPromptSubmit",
        json!({"prompt": format!("use {secret}"), "cwd": format!("/home/{secret}"), "turn_id": secret}),
    );
    hook(&home, "codex", &prompt);
    let lock = hold(&home);
    hook(&home, "codex", &codex("UserPromptSubmit", json!({"prompt": format!("again {secret}"), "turn_id": "u"})));
    drop(lock);
    hook(
        &home,
        "claude",
        &with(claude("SessionEnd", json!({})), json!({"transcript_path": format!("/p/{secret}.jsonl")})),
    );
    hook(&home, "claude", &claude(secret, json!({})));
    let mut stack = vec![home.dir()];
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_setting_that_cannot_be_understood_costs_no_record_and_is_told() {
    let home = Home::with_one_event();
    let payload = || codex("UserPromptSubmit", json!({"prompt": "a walrus is here"})).to_string();
    let mut command = home.command(&["hook", "codex"]);
    command.env("OPENVIKING_RECALL_TIMEOUT_MS", "soon").env("OPENVIKING_DEBUG", "maybe");
    let ran = run(command, payload().as_bytes()).succeeded();
    assert!(ran.err.contains("OPENVIKING_DEBUG must be true or false"), "{ran:?}");
    fs::write(home.dir().join("config.toml"), "[hook]\nrecal = true\n").unwrap();
    let other = codex("UserPromptSubmit", json!({"prompt": "an otter is here", "turn_id": "u"}));
    home.feed(&["hook", "codex"], other.to_string()).succeeded();
    // To be left alone is possible whatever else is in there.
    home.run(&["exclude", "tool", "Bash"]).succeeded();
    fs::remove_file(home.dir().join("config.toml")).unwrap();
    assert!(home.prompts().iter().filter(|text| text.ends_with("is here")).count() == 2, "{:?}", home.prompts());
    let told = home.run(&["doctor"]).out;
    for name in ["OPENVIKING_DEBUG", "OPENVIKING_RECALL_TIMEOUT_MS", "hook.recal"] {
        assert!(told.contains(name), "{name} in {told}");
    }
}

#[test]
fn while_nobody_knows_what_may_be_recorded_what_is_lost_is_counted() {
    let home = Home::with_one_event();
    fs::write(home.dir().join("config.toml"), "[capture]\nexclude_path = [\"/p\"]\n").unwrap();
    let ran = home.feed(&["hook", "codex"], codex("UserPromptSubmit", json!({"prompt": "a walrus"})).to_string());
    assert!(ran.succeeded().err.contains("did you mean `capture.exclude_paths`"));
    fs::remove_file(home.dir().join("config.toml")).unwrap();
    assert!(!home.prompts().contains(&"a walrus".to_owned()));
    assert!(home.run(&["doctor"]).out.contains("hooks could keep 1 event nowhere"));
}
