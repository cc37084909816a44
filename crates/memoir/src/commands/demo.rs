//! `memoir demo`: the main job, with the real commands, in a home that is thrown away.

use crate::exit::Done;
use crate::print::{Out, Style};
use anyhow::{Context, Result};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

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

pub fn run() -> Result<Done> {
    let home = tempfile::Builder::new().prefix("memoir-demo-").tempdir().context("cannot make a home for the demo")?;
    let memoir = std::env::current_exe().context("cannot find this program")?;
    let mut show = Show { out: Out::new(), memoir: &memoir, home: &home.path().join("home") };
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
    show.say("And the proof that nothing stored was changed:")?;
    show.run(&["verify"], None)?;
    show.say("That home is thrown away now. Yours is ~/.memoir: `memoir help` goes on from here.")?;
    Ok(Done::Well)
}

struct Show<'a> {
    out: Out,
    memoir: &'a Path,
    home: &'a Path,
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
