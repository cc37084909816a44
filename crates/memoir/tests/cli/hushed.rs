//! Private requests while the journal cannot be written or read: nothing of them is stored, neither then nor later.

use crate::locked::hold;
use crate::support::{Home, run, set_mode};
use serde_json::{Value, json};
use std::fs;

fn hook(home: &Home, event: &str, more: Value) {
    let mut payload = json!({"session_id": "s", "prompt_id": "p1", "hook_event_name": event, "cwd": home.top()});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let ran = home.feed(&["hook", "claude"], payload.to_string()).succeeded();
    assert_eq!(ran.out, "{}\n");
}

/// What an agent does for a prompt.
fn work(home: &Home, turn: &str, file: &str, more: &Value) {
    let input = json!({"command": format!("cat {file}")});
    let call = json!({"prompt_id": turn, "tool_name": "Bash", "tool_use_id": file, "tool_input": input});
    hook(home, "PreToolUse", merged(&call, more));
    let response = json!({"tool_response": {"stdout": format!("what {file} says"), "stderr": ""}});
    hook(home, "PostToolUse", merged(&merged(&call, &response), more));
    hook(home, "Stop", merged(&json!({"prompt_id": turn, "last_assistant_message": format!("about {file}")}), more));
}

fn merged(one: &Value, other: &Value) -> Value {
    let mut one = one.clone();
    one.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    one
}

/// Takes the journal away and puts something in its place that is none.
fn break_journal(home: &Home) {
    let aside = home.top().join("aside");
    fs::create_dir(&aside).unwrap();
    for name in journal_files(home) {
        fs::rename(home.dir().join(&name), aside.join(&name)).unwrap();
    }
    fs::write(home.journal(), "this is no database, and it is longer than a header would be ".repeat(20)).unwrap();
}

fn mend_journal(home: &Home) {
    journal_files(home).iter().for_each(|name| fs::remove_file(home.dir().join(name)).unwrap());
    for entry in fs::read_dir(home.top().join("aside")).unwrap().flatten() {
        fs::rename(entry.path(), home.dir().join(entry.file_name())).unwrap();
    }
    fs::remove_dir(home.top().join("aside")).unwrap();
}

fn journal_files(home: &Home) -> Vec<String> {
    let names = fs::read_dir(home.dir()).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("journal.db")).collect()
}

/// What is recorded, by kind and content.
fn told(home: &Home) -> Vec<String> {
    home.events().iter().map(|event| format!("{} {}", event["kind"], event["payload"])).collect()
}

fn everything(home: &Home) -> String {
    home.events().iter().map(Value::to_string).collect()
}

#[test]
fn a_private_request_that_begins_while_the_journal_is_locked_is_private() {
    let home = Home::new();
    hook(&home, "SessionStart", json!({"source": "startup"}));
    let lock = hold(&home);
    hook(&home, "UserPromptSubmit", json!({"prompt": "#nosave look at my salary"}));
    drop(lock);
    work(&home, "p1", "salary.txt", &json!({}));
    hook(&home, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "and now the weather"}));
    work(&home, "p2", "weather.txt", &json!({}));
    let told = everything(&home);
    assert!(!told.contains("salary"), "{told}");
    for part in ["and now the weather", "cat weather.txt", "what weather.txt says", "about weather.txt"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!home.spool().join("notes").read_dir().unwrap().flatten().any(|entry| entry.path().is_file()));
}

#[test]
fn a_private_request_during_which_the_journal_breaks_is_private() {
    let home = Home::new();
    hook(&home, "SessionStart", json!({"source": "startup"}));
    hook(&home, "UserPromptSubmit", json!({"prompt": "#nosave look at my salary"}));
    break_journal(&home);
    work(&home, "p1", "salary.txt", &json!({}));
    hook(&home, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "and now the weather"}));
    work(&home, "p2", "weather.txt", &json!({}));
    hook(&home, "UserPromptSubmit", json!({"prompt_id": "p3", "prompt": "[private] the payroll"}));
    work(&home, "p3", "payroll.txt", &json!({}));
    mend_journal(&home);
    work(&home, "p3", "payroll2.txt", &json!({}));
    let told = everything(&home);
    assert!(!told.contains("salary") && !told.contains("payroll"), "{told}");
    for part in ["and now the weather", "cat weather.txt", "about weather.txt"] {
        assert!(told.contains(part), "{part} in {told}");
    }
}

#[test]
fn without_a_journal_nothing_is_kept_that_the_session_file_tells_later() {
    let home = Home::new();
    hook(&home, "SessionStart", json!({"source": "startup"}));
    let file = home.top().join("s.jsonl");
    let line = |uuid: &str, role: &str, content: Value| {
        json!({"type": role, "uuid": uuid, "sessionId": "s", "cwd": home.top(), "promptId": "p1",
            "timestamp": "2026-05-10T08:00:00.000Z", "message": {"role": role, "content": content}})
    };
    let call =
        json!([{"type": "tool_use", "id": "salary.txt", "name": "Bash", "input": {"command": "cat salary.txt"}}]);
    let lines = [line("u1", "user", "#nosave my salary".into()), line("u2", "assistant", call)];
    fs::write(&file, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    break_journal(&home);
    let at = json!({"transcript_path": file});
    hook(&home, "UserPromptSubmit", merged(&at, &json!({"prompt": "#nosave my salary"})));
    work(&home, "p1", "salary.txt", &at);
    assert!(home.spooled_files().iter().all(|name| !name.starts_with("journal-")), "{:?}", home.spooled_files());
    mend_journal(&home);
    let told = everything(&home);
    assert!(!told.contains("salary"), "{told}");
}

const STREAM: &str = r#"echo '{"type":"thread.started","thread_id":"t1"}'; echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"thinking it over"}}'
echo '{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":2,"status":"failed"}}'
echo '{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"all done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}'"#;

/// Runs the client and keeps its stream in a file.
fn saved(home: &Home, prompt: &str) -> String {
    let bin = home.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("codex"), format!("#!/bin/sh\n{STREAM}\n")).unwrap();
    set_mode(&bin.join("codex"), 0o755);
    let mut command = home.command(&["exec", "--raw", prompt]);
    command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default()));
    command.env("MEMOIR_JOURNAL_LOCK_WAIT_MS", "50");
    let file = home.top().join("saved.jsonl");
    fs::write(&file, run(command, b"").out).unwrap();
    file.to_string_lossy().into_owned()
}

#[test]
fn a_private_run_that_the_journal_could_not_hear_of_is_not_imported_from_what_it_was_saved_to() {
    for is_locked in [true, false] {
        let home = Home::with_one_event();
        let lock = is_locked.then(|| hold(&home));
        if !is_locked {
            break_journal(&home);
        }
        let file = saved(&home, "[private] do it");
        drop(lock);
        if !is_locked {
            mend_journal(&home);
        }
        home.run(&["import", "--path", &file]).succeeded();
        assert_eq!(home.texts(), ["kept from before"], "locked: {is_locked}");
    }
}

#[test]
fn a_run_that_waited_in_the_spool_is_the_same_as_what_it_was_saved_to() {
    for is_locked in [true, false] {
        let home = Home::with_one_event();
        let lock = is_locked.then(|| hold(&home));
        if !is_locked {
            break_journal(&home);
        }
        let file = saved(&home, "do it");
        drop(lock);
        if !is_locked {
            mend_journal(&home);
        }
        let before = told(&home);
        assert_eq!(before.len(), 9, "{before:?}");
        home.run(&["import", "--path", &file]).succeeded();
        assert_eq!(told(&home), before, "locked: {is_locked}");
    }
}
