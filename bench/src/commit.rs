//! `memoir commit`: how long it takes to seal a session of 2,000 events, and to read what the archive tells; and how little
//! the state costs that hooks move with each turn.

use crate::process::verdict;
use crate::search::{Clock as Watch, ms, open, text};
use anyhow::{Result, bail};
use memoir_event::{Content, Event, Identity, Json, Kind, Source, Time, Trigger};
use memoir_journal::{Admission, Audience, Clock, Journal, SqliteJournal, View};
use memoir_redact::Redactor;
use memoir_session::{CommitRules, Effort, Process, Sealed, SessionName, Sessions};
use serde_json::json;
use std::sync::Arc;

/// How to measure commits.
#[derive(clap::Args)]
pub struct CommitArgs {
    /// How many events a session has
    #[arg(long, default_value_t = 2_000)]
    events: u64,
    /// How many such sessions are committed
    #[arg(long, default_value_t = 20)]
    sessions: u64,
    /// How many events there are beside them
    #[arg(long, default_value_t = 100_000)]
    others: u64,
}

const LIMIT_MS: f64 = 300.0;
const START_MS: i64 = 1_778_400_000_000;

/// Prints every figure with its limit.
pub fn run(args: &CommitArgs) -> Result<()> {
    let dir = tempfile::tempdir_in(".")?;
    let journal = open(dir.path())?;
    crate::search::fill(&journal, args.others)?;
    for session in 0..args.sessions {
        fill(&journal, &format!("s{session}"), args.events)?;
    }
    let (redactor, clock): (Redactor, Clock) = (Redactor::builtin(), Arc::new(|| START_MS));
    let nobody = |_: &Process| false;
    let (rules, owner) = (CommitRules::default(), "bench");
    let sessions = Sessions { journal: &journal, redactor: &redactor, clock: &clock, rules, owner, is_alive: &nobody };
    println!("commit of {} sessions of {} events, {} others in the journal", args.sessions, args.events, args.others);
    let (mut commits, mut overviews, mut touches) = (Vec::new(), Vec::new(), Vec::new());
    for session in 0..args.sessions {
        let name = SessionName::parse(&format!("s{session}"));
        let watch = Watch::start();
        sessions.touched(&name, None)?;
        touches.push(ms(watch.stop().0));
        let watch = Watch::start();
        let Sealed::Archive(committed) = sessions.commit(&name, Trigger::Asked, Effort::ALL)? else {
            bail!("{name} was not committed");
        };
        commits.push(ms(watch.stop().0));
        let watch = Watch::start();
        let overview = sessions.overview(&committed.archive, &View::of(Audience::Recall))?;
        overviews.push(ms(watch.stop().0));
        if overview.lines.len() < 10 {
            bail!("the overview of {name} tells too little");
        }
    }
    let (p50, p95) = parts(&mut commits);
    println!("commit      p50 {p50:>7.2} ms  p95 {p95:>7.2} ms  (<= {LIMIT_MS} ms: {})", verdict(p95 <= LIMIT_MS));
    let (p50, p95) = parts(&mut overviews);
    println!("overview    p50 {p50:>7.2} ms  p95 {p95:>7.2} ms");
    let (p50, p95) = parts(&mut touches);
    println!("touch       p50 {p50:>7.2} ms  p95 {p95:>7.2} ms");
    Ok(())
}

fn parts(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    (at(50), at(95))
}

/// A session as they are: for each request some thinking, commands, changes and an answer.
fn fill(journal: &SqliteJournal, session: &str, events: u64) -> Result<()> {
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let batch: Vec<_> = (0..events).map(|n| admission.admit(event(session, n))).collect();
    for portion in batch.chunks(500) {
        journal.append(portion, &[])?;
    }
    Ok(())
}

fn event(session: &str, n: u64) -> Event {
    let payload = |value: serde_json::Value| Content::Payload(Json::from_value(&value));
    let command = ["cargo test", "cargo clippy", "ls src", "git commit -m x", "rg login"];
    let (kind, content) = match n % 10 {
        0 => (Kind::UserMessage, Content::Text(text(n))),
        1 | 5 => (Kind::Reasoning, Content::Text(text(n))),
        2 | 6 => (Kind::ToolCall, Content::Text(text(n))),
        3 => {
            let ran = command.get(usize::try_from(n / 10).unwrap_or(0) % command.len()).copied().unwrap_or_default();
            let item = json!({"type": "command_execution", "command": ran, "exit_code": n / 50 % 2});
            (Kind::Command, payload(json!({"item": item})))
        }
        4 | 8 => (Kind::ToolResult, Content::Text(text(n))),
        7 => {
            let change = json!({"path": format!("src/part{}.rs", n / 10 % 40), "kind": "update"});
            (Kind::FileChange, payload(json!({"item": {"type": "file_change", "changes": [change]}})))
        }
        _ => (Kind::AssistantMessage, Content::Text(format!("{} We decided to keep it because it works.", text(n)))),
    };
    let mut event = Event::new(Source::Recorder, session, kind, content);
    event.repo = "acme/shop".to_owned();
    event.time = Some(Time::from_ms(START_MS + i64::try_from(n).unwrap_or(0) * 1_000));
    event.identities = vec![Identity::Named(format!("{session}/{n}"))];
    event
}
