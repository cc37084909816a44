//! Sessions that began as a copy of another are not told what that said before, nor what it was shown.

use crate::support::{Home, run};
use serde_json::{Value, json};
use std::fs;

fn given(home: &Home, client: &str, session: &str, event: &str, more: Value) -> String {
    let cwd = home.top().join("project");
    fs::create_dir_all(&cwd).unwrap();
    let mut payload = json!({"session_id": session, "transcript_path": null, "cwd": cwd, "hook_event_name": event,
        "turn_id": event, "prompt_id": event});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let ran = run(home.command(&["hook", client]), payload.to_string().as_bytes()).succeeded();
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

const PORT: &str = "which port did we decide for the otter service?";
const GATE: &str = "what opens the walrus gate?";

/// A home in which the parent said one thing and was shown another; a third session was not.
fn parent(client: &str) -> Home {
    let home = Home::new();
    let say = |session: &str, prompt: &str, answer: &str| {
        let told = given(&home, client, session, "UserPromptSubmit", json!({"prompt": prompt}));
        given(&home, client, session, "Stop", json!({"last_assistant_message": answer, "stop_hook_active": false}));
        told
    };
    say("before", "Remember: the walrus gate opens with the copper key.", "Noted.");
    say("parent", "Run the otter service.", "We decided to run the otter service on port 7777 because 7776 is taken.");
    assert!(say("parent", GATE, "The copper key.").contains("copper key"));
    home
}

#[test]
fn a_fork_is_not_told_what_its_conversation_began_with() {
    for client in ["claude", "codex"] {
        let home = parent(client);
        let rollout = home.top().join("rollout.jsonl");
        let line = json!({"type": "session_meta", "payload": {"id": "fork", "forked_from_id": "parent"}});
        fs::write(&rollout, format!("{line}\n")).unwrap();
        let (start, transcript) = match client {
            "claude" => (json!({"source": "fork", "seconds_since_last_response": 0}), Value::Null),
            _ => (json!({"source": "startup", "transcript_path": rollout}), json!(rollout)),
        };
        let ask = |session: &str, prompt: &str, transcript: &Value| {
            given(&home, client, session, "UserPromptSubmit", json!({"prompt": prompt, "transcript_path": transcript}))
        };
        assert_eq!(given(&home, client, "fork", "SessionStart", start), "", "{client}");
        assert_eq!(ask("fork", PORT, &transcript), "", "{client}");
        assert_eq!(ask("fork", GATE, &transcript), "", "{client}");
        let other = ask("other", PORT, &Value::Null);
        assert!(other.contains("7777"), "{client} {other}");
        assert!(ask("other", GATE, &Value::Null).contains("copper key"), "{client}");
    }
}

#[test]
fn a_fork_is_told_what_the_other_said_after_it() {
    let home = parent("claude");
    given(&home, "claude", "fork", "SessionStart", json!({"source": "fork"}));
    std::thread::sleep(std::time::Duration::from_millis(5));
    let said = "Remember: the otter service listens on port 8888 from today on.";
    given(&home, "claude", "parent", "UserPromptSubmit", json!({"prompt": said}));
    let told = given(&home, "claude", "fork", "UserPromptSubmit", json!({"prompt": PORT}));
    assert!(told.contains("8888") && !told.contains("7777"), "{told}");
}
