//! `memoir resume`.

use super::{Context, session};
use crate::cli::ResumeArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out};
use anyhow::{Context as _, Result};
use memoir_event::Client;
use serde_json::json;
use std::path::Path;
use std::process::Command;

pub fn run(context: &Context, args: &ResumeArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Short)? else {
        anyhow::bail!("there is no journal in {} yet", context.home.dir().display());
    };
    let session = session::named(&journal, &args.session)?;
    let Some(client) = session.client else {
        anyhow::bail!("no client is known that could go on with {}", session.shown());
    };
    let words = words(client, &session.session);
    let dir = session::directory(&journal, &session)?;
    drop(journal);
    if args.run {
        return go_on(&words, dir.as_deref());
    }
    let mut out = Out::new();
    if args.json {
        out.json(&json!({"session": session.shown(), "client": client, "cwd": dir, "command": words}))?;
    } else {
        let command: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let there = dir.as_ref().map(|dir| format!("cd {} && ", quoted(dir))).unwrap_or_default();
        out.line(&format!("{there}{}", command.join(" ")))?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// The client's own command for that.
fn words(client: Client, session: &str) -> Vec<String> {
    let words: [&str; 3] = match client {
        Client::Codex => ["codex", "resume", session],
        Client::Claude => ["claude", "--resume", session],
        Client::Gemini => ["gemini", "--resume", session],
        Client::Copilot => ["copilot", "--resume", session],
        Client::Opencode => ["opencode", "--session", session],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn go_on(words: &[String], dir: Option<&str>) -> Result<Done> {
    let (program, args) = words.split_first().context("there is nothing to run")?;
    let mut command = Command::new(program);
    command.args(args);
    match dir {
        Some(dir) if Path::new(dir).is_dir() => {
            command.current_dir(dir);
        }
        Some(dir) => print::warn(&format!("{dir} is gone; running here")),
        None => {}
    }
    let failed = crate::umask::as_the_user(|| become_it(&mut command));
    match failed {
        Ok(done) => Ok(done),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            anyhow::bail!("there is no program `{program}`: install it")
        }
        Err(error) => Err(error).with_context(|| format!("cannot run `{program}`")),
    }
}

/// This process becomes the client: terminal, signals and exit code are its own.
#[cfg(unix)]
fn become_it(command: &mut Command) -> std::io::Result<Done> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> std::io::Result<Done> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(Done::Code(code.unwrap_or(1)))
}

/// A word of a shell's language.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
