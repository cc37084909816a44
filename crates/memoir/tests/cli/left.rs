//! What waits is done by hooks too, a little at a time; what cannot be done any more is told. A pause stops a run.

use crate::locked::hold;
use crate::support::{Home, Running, eventually, run, set_mode};
use serde_json::{Value, json};
use std::fs;

fn hook(home: &Home, event: &str, session: &str, more: Value) {
    let mut payload = json!({"session_id": session, "prompt_id": "p", "hook_event_name": event, "cwd": home.top()});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    // It may be told what memoir knows.
    home.feed(&["hook", "claude"], payload.to_string()).succeeded().json();
}

/// A session file with more than a hook reads at once.
fn session_file(home: &Home) -> String {
    let file = home.top().join("long.jsonl");
    let line = |n: usize| {
        let text = format!("answer {n} {}", "with many words ".repeat(20));
        json!({"type": "assistant", "uuid": format!("u{n}"), "sessionId": "long", "cwd": home.top(),
            "timestamp": format!("2026-05-10T08:00:{:02}.000Z", n % 60),
            "message": {"id": format!("m{n}"), "role": "assistant", "content": [{"type": "text", "text": text}]}})
    };
    fs::write(&file, (0..50).map(|n| format!("{}\n", line(n))).collect::<String>()).unwrap();
    file.to_string_lossy().into_owned()
}

#[test]
fn hooks_alone_see_everything_home_in_the_end() {
    let home = Home::with_one_event();
    let lock = hold(&home);
    hook(&home, "UserPromptSubmit", "z", json!({"prompt": "while it is locked"}));
    drop(lock);
    hook(&home, "SessionEnd", "long", json!({"reason": "other", "transcript_path": session_file(&home)}));
    let pending = home.dir().join("pending");
    assert!(pending.read_dir().unwrap().count() == 1 && !home.spooled_files().is_empty());
    for n in 0..10 {
        hook(&home, "SessionStart", &format!("s{n}"), json!({"source": "startup"}));
    }
    assert_eq!(pending.read_dir().unwrap().count(), 0);
    assert!(home.spooled_files().iter().all(|name| !name.starts_with("journal-")));
    let texts = home.events().iter().map(Value::to_string).collect::<String>();
    assert!(texts.contains("while it is locked") && texts.contains("answer 0 ") && texts.contains("answer 49 "));
}

/// A session that began as a copy of another is older among what waits: what they share is the other one's all the same.
#[test]
fn hooks_do_not_read_a_fork_before_what_it_is_a_copy_of() {
    let home = Home::with_one_event();
    let (parent, dir) = (session_file(&home), home.top().join(".claude/projects/-p"));
    let text = fs::read_to_string(&parent).unwrap();
    fs::create_dir_all(&dir).unwrap();
    let (long, fork) = (dir.join("long.jsonl"), dir.join("fork.jsonl"));
    fs::write(&long, &text).unwrap();
    fs::write(&fork, text.replace("\"sessionId\":\"long\"", "\"sessionId\":\"fork\"")).unwrap();
    fs::File::open(&long).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();

    hook(&home, "SessionStart", "fork", json!({"source": "fork", "transcript_path": fork}));
    hook(&home, "SessionEnd", "fork", json!({"reason": "other", "transcript_path": fork}));
    std::thread::sleep(std::time::Duration::from_millis(20));
    hook(&home, "SessionEnd", "long", json!({"reason": "other", "transcript_path": long}));
    for n in 0..4 {
        hook(&home, "SessionStart", &format!("s{n}"), json!({"source": "startup"}));
    }
    home.run(&["import"]).succeeded();
    let answers: Vec<Value> = home.events().into_iter().filter(|event| event["kind"] == "assistant_message").collect();
    assert!(answers.len() == 50 && answers.iter().all(|event| event["sessionId"] == "long"), "{answers:#?}");
}

#[test]
fn a_session_file_that_is_gone_before_it_was_read_is_told() {
    let home = Home::with_one_event();
    let file = session_file(&home);
    hook(&home, "SessionEnd", "long", json!({"reason": "other", "transcript_path": file}));
    fs::remove_file(&file).unwrap();
    let status = home.status();
    assert_eq!((status["pending"].clone(), status["gone"].clone()), (0.into(), 1.into()));
    let told = home.run(&["status"]).succeeded().out;
    assert!(told.contains("1 session file that hooks left for later"), "{told}");
}

#[test]
fn what_hooks_leave_out_is_counted() {
    let home = Home::new();
    hook(&home, "UserPromptSubmit", "s", json!({"prompt": "#nosave it"}));
    hook(&home, "PreToolUse", "s", json!({"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "ls"}}));
    let left_out = home.status()["leftOutByHooks"]["marked as private"].as_u64();
    assert!(left_out.is_some_and(|count| count >= 2), "{left_out:?}");
}

/// A home with a client that is that script.
fn with_codex(script: &str) -> (Home, String) {
    let home = Home::new();
    let bin = home.top().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("codex"), format!("#!/bin/sh\n{script}\n")).unwrap();
    set_mode(&bin.join("codex"), 0o755);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    (home, path)
}

const BEGIN: &str = r#"echo '{"type":"thread.started","thread_id":"t1"}'
echo '{"type":"item.completed","item":{"id":"i0","type":"agent_message","text":"before the pause"}}'"#;
const REST: &str =
    r#"echo '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"in the pause"}}'"#;

#[test]
fn a_pause_stops_a_run_that_goes_on() {
    let (home, path) = with_codex(&format!("{BEGIN}\nwhile [ ! -e go ]; do sleep 0.05; done\n{REST}"));
    let mut command = home.command(&["exec", "it"]);
    command.env("PATH", path);
    let running = Running::start(command);
    eventually("the first answer is recorded", || home.dir().join("journal.db").exists() && home.events().len() >= 3);
    home.run(&["pause"]).succeeded();
    fs::write(home.top().join("go"), "").unwrap();
    let ran = running.finish().succeeded();
    assert!(ran.out.contains("in the pause"), "{ran:?}");
    home.run(&["unpause"]).succeeded();
    let told = home.events().iter().map(Value::to_string).collect::<String>();
    assert!(told.contains("before the pause") && !told.contains("in the pause"), "{told}");
}

#[test]
fn a_run_in_a_pause_says_that_nothing_is_recorded() {
    let (home, path) = with_codex(BEGIN);
    home.run(&["pause"]).succeeded();
    let mut command = home.command(&["exec", "it"]);
    command.env("PATH", path);
    let ran = run(command, b"").succeeded();
    assert!(ran.err.contains("nothing of this run is recorded"), "{ran:?}");
    home.run(&["unpause"]).succeeded();
    assert_eq!(home.events().len(), 0);
}

#[test]
fn an_import_with_files_that_cannot_be_read_ends_with_1() {
    let home = Home::new();
    let file = home.top().join("rollout-2026-05-10T08-00-00-01a1e24e-1373-7570-aa3c-1a289a7a56a3.jsonl.zst");
    fs::write(&file, "this was never packed").unwrap();
    let good = session_file(&home);
    let ran = home.run(&["import", "--path", file.to_str().unwrap(), "--path", &good]);
    assert!(home.events().len() >= 50);
    assert_eq!(ran.code(), 1, "{ran:?}");
}
