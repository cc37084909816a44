//! How long dreaming takes, and how much memory, over sessions in which users say now and then what is worth knowing.

use anyhow::Result;
use memoir_dream::{DreamWish, Dreamer};
use memoir_event::{Archive, Client, Content, Event, Identity, Json, Kind, Source, Time, Trigger};
use memoir_journal::{Admission, Clock, Journal as _, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

const PER_SESSION: u64 = 2_000;
const BATCH: usize = 500;
const FIRST_MS: i64 = 1_700_000_000_000;

pub fn run(events: u64) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let clock: Clock = Arc::new(|| FIRST_MS);
    let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), Arc::clone(&clock))?;
    let redactor = Redactor::builtin();
    fill(&journal, &redactor, events)?;
    let before = peak_kib()?;
    let begun = Instant::now();
    let dreamer = Dreamer { journal: &journal, redactor: &redactor, clock: &clock };
    let dreamt = dreamer.dream(&DreamWish::default(), &mut |_, _| true)?;
    let took = begun.elapsed();
    println!(
        "{} events of {} sessions dreamt in {:.1} s (limit 600 s for 1,000,000); peak {} MiB (limit 400), {} MiB before",
        dreamt.events,
        dreamt.archives,
        took.as_secs_f64(),
        peak_kib()? / 1024,
        before / 1024,
    );
    println!(
        "{} new memories, {} said again, {} superseded, {} passing, {} hearsay",
        dreamt.made, dreamt.again, dreamt.superseded, dreamt.passing, dreamt.hearsay
    );
    let begun = Instant::now();
    dreamer.dream(&DreamWish::default(), &mut |_, _| true)?;
    println!("again, with nothing new: {:.1} ms", begun.elapsed().as_secs_f64() * 1_000.0);
    Ok(())
}

/// The most memory that this process held at once.
fn peak_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0))
}

fn fill(journal: &SqliteJournal, redactor: &Redactor, events: u64) -> Result<()> {
    let admission = Admission::new(redactor, journal.hasher().clone());
    let mut batch = Vec::with_capacity(BATCH);
    let mut after = 0;
    for session in 0..events.div_ceil(PER_SESSION) {
        let name = format!("bench-{session}");
        let (first, end) = (session * PER_SESSION, ((session + 1) * PER_SESSION).min(events));
        for at in first..end {
            let mut event = event(at, &name);
            event.client = Some(Client::Codex);
            event.repo = format!("bench/p{}", session % 20);
            event.time = Some(Time::from_ms(FIRST_MS + i64::try_from(at)? * 1_000));
            event.identities = vec![Identity::Named(format!("e-{at}"))];
            batch.push(admission.admit(event));
            if batch.len() == BATCH || at + 1 == end {
                journal.append(&std::mem::take(&mut batch), &[])?;
            }
        }
        let last = journal.last_seq()?;
        let archive = Archive {
            version: Archive::VERSION,
            client: Some(Client::Codex),
            session: name,
            number: 1,
            after_seq: after,
            last_seq: last,
            first_ms: 0,
            last_ms: 0,
            events: end - first,
            turns: 0,
            trigger: Trigger::Ended,
            points: Vec::new(),
        };
        journal.append(&[admission.admit(archive.into_event(&format!("bench/p{}", session % 20)))], &[])?;
        after = last + 1;
    }
    Ok(())
}

const THINGS: [&str; 12] = [
    "staging database",
    "billing service",
    "login page",
    "release branch",
    "cache layer",
    "search index",
    "mail queue",
    "export job",
    "audit log",
    "feature flag",
    "rate limiter",
    "image resizer",
];

/// One event in ten is a prompt; one prompt in five says something that is worth knowing.
fn event(at: u64, session: &str) -> Event {
    let pick = |seed: u64, len: usize| {
        usize::try_from((at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (seed % 40 + 8)) % len as u64).unwrap_or(0)
    };
    let thing = THINGS.get(pick(3, THINGS.len())).copied().unwrap_or("thing");
    let place = format!("module{} of team{}", pick(11, 400), pick(17, 30));
    let (kind, content) = match at % 10 {
        0 if at.is_multiple_of(50) => {
            let text = match pick(5, 6) {
                0 => format!("Remember that the port of the {thing} in {place} is {}", 5_000 + pick(7, 90)),
                1 => format!("Update this: the owner of the {thing} in {place} is now Mara{}", pick(7, 20)),
                2 => format!("We decided to keep the {thing} in {place} because it is small"),
                3 => format!("Never restart the {thing} in {place} by hand"),
                4 => format!("From now on name branches of the {thing} after {place}"),
                _ => format!("Use the other {thing} in {place} for now, it expires soon"),
            };
            (Kind::UserMessage, Content::Text(text))
        }
        0 => (
            Kind::UserMessage,
            Content::Text(format!("Please run the tests of the {thing} in {place} and mend what fails.")),
        ),
        1 | 5 | 8 => {
            let text = format!(
                "I looked at the {thing} in {place}. The handler reads the row twice, so I changed the query and ran everything again."
            );
            (Kind::AssistantMessage, Content::Text(text))
        }
        3 => {
            let item = json!({"item": {"type": "file_change", "changes": [{"path": format!("src/m{}/lib.rs", pick(13, 300)), "kind": "update"}]}});
            (Kind::FileChange, Content::Payload(Json::from_value(&item)))
        }
        2 | 4 => {
            let code = if at % 20 == 2 { 101 } else { 0 };
            let item = json!({"item": {"type": "command_execution", "command": format!("cargo test -p m{}", (at / 10) % 300), "exit_code": code}});
            (Kind::Command, Content::Payload(Json::from_value(&item)))
        }
        _ => {
            let item = json!({"item": {"type": "tool_result", "text": format!("running 12 tests\nerror: {thing} in {place} is gone\n").repeat(8)}});
            (Kind::ToolResult, Content::Payload(Json::from_value(&item)))
        }
    };
    Event::new(Source::CodexHook, session, kind, content)
}
