//! `memoir demo`: the main job, with the real commands, in a home that is thrown away.

use crate::exit::Done;
use crate::print::{Out, Style};
use crate::stop;
use anyhow::{Context, Result};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What an agent might have done. The key is made up at run time, so that no secret stands in this file.
fn events() -> String {
    let key = format!("sk-ant-api03-{}", "Zq8vN2xKf7LwR4tY".repeat(6));
    [
        r#"{"session_id":"demo","event_type":"user_message","turn_id":"1","content":"The login test is flaky, please fix it","source":"codex","timestamp":"2026-04-28T09:30:00Z"}"#.to_owned(),
        r#"{"session_id":"demo","event_type":"command","turn_id":"1","content":"cargo test login -- --nocapture","source":"codex","timestamp":"2026-04-28T09:30:05Z"}"#.to_owned(),
        format!(r#"{{"session_id":"demo","event_type":"tool_result","turn_id":"1","content":"connection refused (os error 111)\nDB_PASSWORD=hunter2-and-more\nusing key {key}","source":"codex","timestamp":"2026-04-28T09:30:09Z"}}"#),
        r#"{"session_id":"demo","event_type":"assistant_message","turn_id":"1","content":"The test raced the database start. I made it wait for the port in src/login.rs:42.","source":"codex","timestamp":"2026-04-28T09:31:00Z"}"#.to_owned(),
        r#"{"session_id":"demo","event_type":"user_message","visiblity":"sealed","content":"a line with a typo"}"#.to_owned(),
    ]
    .join("\n")
        + "\n"
}

/// A session of Claude Code's.
const SESSION: &str = "4c1a77d2-90be-4e0b-a7a5-3f6d1b2c8e90";

/// Its file: a prompt, an edit, what came of it.
fn session() -> String {
    let now_ms = crate::home::now_ms();
    let record = |kind: &str, n: i64, message: serde_json::Value| {
        json!({
            "type": kind, "uuid": format!("u{n}"), "sessionId": SESSION, "promptId": "p1", "cwd": "/home/you/shop",
            "timestamp": memoir_event::format_ms(now_ms + n * 1000), "message": message,
        })
        .to_string()
    };
    let edit = json!({"file_path": "/home/you/shop/src/login.rs", "old_string": "3", "new_string": "5"});
    let records = [
        record("user", 1, json!({"role": "user", "content": PROMPT})),
        record(
            "assistant",
            2,
            json!({"id": "m1", "content": [{"type": "tool_use", "id": "c1", "name": "Edit", "input": edit}]}),
        ),
        record("user", 3, json!({"content": [{"type": "tool_result", "tool_use_id": "c1", "content": "updated"}]})),
        record("assistant", 4, json!({"id": "m2", "content": [{"type": "text", "text": "Five attempts now."}]})),
    ];
    records.join("\n") + "\n"
}

const PROMPT: &str = "Allow five login attempts, not three.";

/// What its hook says of the prompt.
fn prompt(file: &str) -> String {
    json!({
        "hook_event_name": "UserPromptSubmit", "session_id": SESSION, "prompt_id": "p1", "transcript_path": file,
        "cwd": "/home/you/shop", "prompt": PROMPT,
    })
    .to_string()
}

pub fn run() -> Result<Done> {
    let home = tempfile::Builder::new().prefix("memoir-demo-").tempdir().context("cannot make a home for the demo")?;
    let memoir = std::env::current_exe().context("cannot find this program")?;
    let mut show = Show { out: Out::new(), memoir: &memoir, home: &home.path().join("home"), stop: stop::on_signal()? };
    let events = events();

    show.say("An agent worked on a project. Its hook pipes what happened into memoir, one JSON object to a line:")?;
    show.run(&["ingest"], Some(&events))?;
    show.say("One line had a misspelt field and was refused by its number; the rest is stored. The hook fires again:")?;
    show.run(&["ingest"], Some(events.lines().next().unwrap_or_default()))?;
    show.say("Nothing is doubled. Later, any process finds it, with no server running:")?;
    show.run(&["search", "flaky login"], None)?;
    show.run(&["search", "src/login.rs:42"], None)?;
    show.say("The password and the key never reached the disk:")?;
    show.run(&["search", "connection refused"], None)?;
    show.say("The same by time, by session, and as numbers:")?;
    show.run(&["timeline", "--oldest-first"], None)?;
    show.run(&["sessions"], None)?;
    show.run(&["status"], None)?;
    show.say("Claude Code's hook tells of a prompt while it happens, and later its session file is imported:")?;
    let file = home.path().join(format!("{SESSION}.jsonl"));
    std::fs::write(&file, session()).context("cannot write a session file for the demo")?;
    let file = file.to_string_lossy().into_owned();
    show.run(&["hook", "claude"], Some(&prompt(&file)))?;
    show.run(&["import", "--path", &file], None)?;
    show.say("The prompt that both saw is one event, and the change of the file leads back to it:")?;
    show.run(&["timeline", "--session", SESSION, "--type", "user_message"], None)?;
    show.run(&["file", "/home/you/shop/src/login.rs"], None)?;
    show.say("Before the next task an agent asks what is known. Few things, with where they are from; nothing if nothing helps:")?;
    show.run(&["recall", "why did the login test fail?"], None)?;
    show.run(&["recall", "how do we bake sourdough bread?"], None)?;
    show.say("What is worth knowing can be told, and what is newer takes the place of the old:")?;
    show.run(&["remember", "we use npm for packages", "--user", "--kind", "decision"], None)?;
    show.run(&["remember", "we moved from npm to pnpm for packages", "--user", "--kind", "decision"], None)?;
    show.run(&["recall", "which package manager do we use, npm?"], None)?;
    show.say("What is forgotten never comes back, also if it is recorded or imported again:")?;
    show.run(&["forget", "--session", "cx-demo", "--reason", "only a demo", "--yes"], None)?;
    show.run(&["ingest"], Some(events.lines().next().unwrap_or_default()))?;
    show.run(&["search", "flaky login"], None)?;
    show.say("And the proof that nothing stored was changed:")?;
    show.run(&["verify"], None)?;
    show.say("That home is thrown away now. Yours is ~/.memoir: `memoir help` goes on from here.")?;
    Ok(Done::Well)
}

struct Show<'a> {
    out: Out,
    memoir: &'a Path,
    home: &'a Path,
    /// Set by Ctrl-C: the home must not stay.
    stop: Arc<AtomicBool>,
}

impl Show<'_> {
    fn say(&mut self, text: &str) -> Result<()> {
        self.out.line("")?;
        self.out.line(text)?;
        Ok(self.out.flush()?)
    }

    /// Runs memoir itself and lets its output through.
    fn run(&mut self, args: &[&str], input: Option<&str>) -> Result<()> {
        let quoted: Vec<String> =
            args.iter().map(|arg| if arg.contains(' ') { format!("'{arg}'") } else { (*arg).to_owned() }).collect();
        let pipe = if input.is_some() { "… | " } else { "" };
        let line = self.out.styled(Style::Bold, &format!("$ {pipe}memoir {}", quoted.join(" ")));
        self.out.line("")?;
        self.out.line(&line)?;
        self.out.flush()?;
        if stop::requested(&self.stop) {
            anyhow::bail!("interrupted; the demo's home is thrown away");
        }
        let mut command = Command::new(self.memoir);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MEMOIR_")) {
            command.env_remove(name);
        }
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        // One place for both kinds of output, so that they come in the order they were written.
        let mut child = command
            .args(args)
            .env("MEMOIR_HOME", self.home)
            .stdin(stdin)
            .stderr(std::io::stdout())
            .spawn()
            .context("cannot run memoir")?;
        if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
            stdin.write_all(text.as_bytes())?;
        }
        child.wait()?;
        Ok(())
    }
}
