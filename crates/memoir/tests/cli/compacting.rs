//! What a compaction drops: read from the session file before it, sealed, given back after it, and not twice.

use crate::locked::hold;
use crate::support::{Home, run};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;

/// What a hook of Claude Code gives to the conversation.
fn given(home: &Home, transcript: &str, event: &str, more: Value) -> String {
    let cwd = home.top().to_str().unwrap().to_owned();
    let mut payload = json!({"session_id": "s", "transcript_path": transcript, "cwd": cwd, "hook_event_name": event, "prompt_id": "p"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let ran = run(home.command(&["hook", "claude"]), payload.to_string().as_bytes()).succeeded();
    assert_eq!(ran.err, "", "{event}");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_long_session_is_read_and_sealed_before_a_compaction_and_what_it_gave_back_does_not_come_again() {
    let home = Home::new();
    let file = home.top().join(".claude/projects/p/s.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut lines = String::new();
    let mut add = |n: usize, kind: &str, content: Value| {
        let line = json!({
            "type": kind, "uuid": format!("00000000-0000-4000-8000-{n:012}"), "parentUuid": null, "sessionId": "s",
            "cwd": home.top(), "version": "2.1.0", "timestamp": format!("2026-05-10T08:{:02}:{:02}.000Z", n / 60, n % 60),
            "message": {"role": kind, "content": content},
        });
        let _ = writeln!(lines, "{line}");
    };
    add(0, "user", json!("Please refactor the walrus cache and keep its order."));
    for n in 0..30 {
        let (call, printed) = (format!("toolu_{n}"), format!("line of code {n}\n").repeat(5_000));
        let input = json!({"command": format!("cat src/m{n}.rs")});
        add(2 * n + 1, "assistant", json!([{"type": "tool_use", "id": call, "name": "Bash", "input": input}]));
        add(2 * n + 2, "user", json!([{"type": "tool_result", "tool_use_id": call, "content": printed}]));
    }
    let said = "Done. We decided to keep the walrus cache in memory because the disk is slow.";
    add(100, "assistant", json!([{"type": "text", "text": said}]));
    assert!(lines.len() > 2 << 20);
    fs::write(&file, lines).unwrap();
    let transcript = file.to_str().unwrap();
    let prompt = |text: &str| given(&home, transcript, "UserPromptSubmit", json!({"prompt": text}));
    prompt("Please refactor the walrus cache and keep its order.");
    given(&home, transcript, "Stop", json!({"last_assistant_message": said, "stop_hook_active": false}));
    given(&home, transcript, "PreCompact", json!({"trigger": "auto", "custom_instructions": null}));
    let back = given(&home, transcript, "SessionStart", json!({"source": "compact"}));
    assert!(back.contains("source=\"compaction\"") && back.contains("disk is slow"), "{back}");
    let again = prompt("what did we decide about the walrus cache, memory or disk, and why?");
    assert!(!again.contains("disk is slow"), "{again}");
}

/// What a hook gives to a conversation of session `s` that has no file.
fn without_file(home: &Home, event: &str, more: Value) -> String {
    let mut fields = json!({"transcript_path": null});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    given(home, "", event, fields)
}

fn turn(home: &Home, prompt: &str, answer: &str) {
    without_file(home, "UserPromptSubmit", json!({"prompt": prompt}));
    without_file(home, "Stop", json!({"last_assistant_message": answer, "stop_hook_active": false}));
}

#[test]
fn a_second_compaction_gives_back_what_the_first_one_did_too_and_one_told_twice_gives_it_once() {
    let home = Home::new();
    let compact = || {
        without_file(&home, "PreCompact", json!({"trigger": "auto", "custom_instructions": null}));
        without_file(&home, "SessionStart", json!({"source": "compact"}))
    };
    turn(&home, "The otter queue uses RabbitMQ because Kafka was heavy.", "Noted.");
    let first = compact();
    assert!(first.contains("RabbitMQ"), "{first}");
    assert_eq!(without_file(&home, "SessionStart", json!({"source": "compact"})), "");
    turn(&home, "And the dead letters of the otter go to a queue called odl.", "Noted, too.");
    let second = compact();
    let at = |text: &str| second.find(text).unwrap_or_else(|| panic!("{text} in {second}"));
    assert!(at("called odl") < at("# Before that") && at("# Before that") < at("RabbitMQ"));
}

#[test]
fn a_compaction_that_meets_a_locked_journal_is_sealed_when_that_is_free() {
    let home = Home::new();
    turn(&home, "Remember that the walrus port is 7.", "Noted.");
    let lock = hold(&home);
    let payload = json!({"session_id": "s", "transcript_path": null, "cwd": home.top(), "hook_event_name": "PreCompact",
        "prompt_id": "p", "trigger": "auto", "custom_instructions": null});
    run(home.command(&["hook", "claude"]), payload.to_string().as_bytes()).succeeded();
    drop(lock);
    home.run(&["status"]).succeeded();
    let due = home.run(&["sessions", "--pending"]).succeeded().out;
    let archives = home.run(&["archive", "s", "--list"]);
    assert!(due.contains("compaction") || archives.out.contains("compaction"), "{due} {archives:?}");
}
