//! How long recall takes in a process that stays and in one that does not, how fast the index is built and caught up,
//! and how soon something is forgotten; with plain full-text search on the same questions beside it.

use crate::process::{self, verdict};
use crate::search::{Clock, Noise, anonymous_mb, fill, ms, open, report, text, time, word};
use anyhow::{Context as _, Result};
use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_index::{CatchUp, Index, IndexOptions, Query, Window};
use memoir_journal::{Admission, Audience, Chosen, Depth, Filter, Forgetting, Journal, Scope, SqliteJournal, View};
use memoir_recall::{Recall, Request};
use memoir_redact::Redactor;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How to measure the speed of recall.
#[derive(clap::Args)]
pub struct RecallSpeedArgs {
    /// How many events there are
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// How many events a cold process meets
    #[arg(long, default_value_t = 100_000)]
    cold_events: u64,
    /// How many sessions there are where one is forgotten
    #[arg(long, default_value_t = 100_000)]
    sessions: u64,
    /// How many questions to time
    #[arg(long, default_value_t = 300)]
    queries: u64,
    /// The memoir binary (default: the one built beside this)
    #[arg(long)]
    memoir: Option<PathBuf>,
    /// Keep the homes here and use them again (default: temporary ones)
    #[arg(long)]
    homes: Option<PathBuf>,
}

/// Prints every figure with its limit.
pub fn run(args: &RecallSpeedArgs) -> Result<()> {
    let memoir = process::memoir(args.memoir.as_deref())?;
    let temporary = tempfile::tempdir_in(".")?;
    let homes = args.homes.as_deref().unwrap_or(temporary.path());
    let large = homes.join(format!("speed-{}", args.events));
    std::fs::create_dir_all(&large)?;
    let journal = open(&large)?;
    println!("recall over {} events", args.events);
    fill(&journal, args.events)?;
    let index = Index::open(&large.join("index"), IndexOptions::default());
    build(&index, &journal, args.events)?;
    in_process(&journal, &index, args.queries)?;
    catch_up(&journal, &index)?;
    drop((journal, index));
    forget(&homes.join(format!("sessions-{}", args.sessions)), args.sessions)?;
    let small = homes.join(format!("speed-{}", args.cold_events));
    std::fs::create_dir_all(&small)?;
    let journal = open(&small)?;
    fill(&journal, args.cold_events)?;
    Index::open(&small.join("index"), IndexOptions::default()).catch_up(&journal, &mut |_, _| true)?;
    drop(journal);
    cold(&memoir, &small, args.cold_events)
}

fn build(index: &Index, journal: &SqliteJournal, events: u64) -> Result<()> {
    let clock = Clock::start();
    let mut most_mb = 0.0_f64;
    let done = index.catch_up(journal, &mut |_, _| {
        most_mb = most_mb.max(anonymous_mb());
        true
    })?;
    let (wall, _) = clock.stop();
    if !matches!(done, CatchUp::Done { rebuilt: true, .. }) {
        return Ok(());
    }
    let status = index.status(journal)?;
    let rate = events as f64 / wall.as_secs_f64();
    println!(
        "index built: {rate:.0} events/s by wall (>= 20000: {}), {most_mb:.0} MB at most (<= 400: {}), {:.0} bytes per event",
        verdict(rate >= 20_000.0),
        verdict(most_mb <= 400.0),
        status.bytes as f64 / events as f64
    );
    Ok(())
}

/// Six words of a question: frequent and rare ones as they come in texts, or rarer ones as people ask them.
fn question(n: u64, rarest: bool) -> String {
    let mut noise = Noise(0x00a5_ced0_0000 + n);
    let rank = |noise: &mut Noise| if rarest { 200 + noise.rank() } else { noise.rank() };
    (0..6).map(|_| word(rank(&mut noise))).collect::<Vec<_>>().join(" ")
}

fn in_process(journal: &SqliteJournal, index: &Index, queries: u64) -> Result<()> {
    let recall = Recall::new(Arc::new(Redactor::builtin()));
    let ask = |query: &String| {
        let request = Request::new(query, View::of(Audience::Recall), 1_778_400_000_000);
        recall.recall(journal, index, &request, &mut |_, _| true).map(|_| ())
    };
    for (what, rarest) in [("6 words as they come", false), ("6 words without the 200 most frequent", true)] {
        let questions: Vec<String> = (0..queries).map(|n| question(n, rarest)).collect();
        report(&format!("recall, {what}"), "p50 <= 8 ms, p95 <= 25 ms", &time(&questions, ask)?);
        let selection = journal.select(&Filter::default(), &View::of(Audience::Recall))?;
        let window = Window { skip: 0, limit: 10 };
        let search = |query: &String| {
            index.search(journal, &Query::parse(query), &selection, window, &mut |_, _| true).map(|_| ())
        };
        report("  peer: plain search, ten best", "", &time(&questions, search)?);
    }
    Ok(())
}

fn append(journal: &SqliteJournal, events: Vec<Event>) -> Result<()> {
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
    journal.append(&batch, &[])?;
    Ok(())
}

fn catch_up(journal: &SqliteJournal, index: &Index) -> Result<()> {
    let recall = Recall::new(Arc::new(Redactor::builtin()));
    let ask = |query: &str| {
        let request = Request::new(query, View::of(Audience::Recall), 1_778_400_000_000);
        recall.recall(journal, index, &request, &mut |_, _| true)
    };
    ask("warm up walrus")?;
    let mut times = Vec::new();
    for n in 0..20_u64 {
        let mut event =
            Event::new(Source::Recorder, "new", Kind::UserMessage, Content::Text(format!("walrus{n} {}", text(n))));
        event.identities = vec![Identity::Unique { at_ms: 0, nonce: journal.last_seq()? }];
        append(journal, vec![event])?;
        let before = Clock::start();
        let selection = journal.select(&Filter::default(), &View::of(Audience::Recall))?;
        let reading = index.reading(journal, selection, &mut |_, _| true)?;
        let (wall, _) = before.stop();
        drop(reading);
        times.push(wall);
        let found = ask(&format!("walrus{n}"))?;
        anyhow::ensure!(!found.blocks.is_empty(), "a new event was not found");
    }
    let median = process::part(times.into_iter(), 50);
    println!("one new event taken in: {:.2} ms (<= 5 ms: {})", ms(median), verdict(median <= Duration::from_millis(5)));
    Ok(())
}

/// Sessions of four turns.
fn fill_sessions(journal: &SqliteJournal, sessions: u64) -> Result<()> {
    let turn = |n: u64| {
        let mut event = Event::new(Source::Recorder, format!("s{}", n / 4), Kind::UserMessage, Content::Text(text(n)));
        event.identities = vec![Identity::Unique { at_ms: 0, nonce: n }];
        event
    };
    let mut n = journal.last_seq()?;
    while n < sessions * 4 {
        let next = (n + 2_000).min(sessions * 4);
        append(journal, (n..next).map(turn).collect())?;
        n = next;
    }
    Ok(())
}

fn forget(home: &Path, sessions: u64) -> Result<()> {
    std::fs::create_dir_all(home)?;
    let (journal, other) = (open(home)?, open(home)?);
    fill_sessions(&journal, sessions)?;
    let index = Index::open(&home.join("index"), IndexOptions::default());
    index.catch_up(&journal, &mut |_, _| true)?;
    let mut times = Vec::new();
    for n in 0..10_u64 {
        let session = format!("s{}", (n * 7_919 + 13 + journal.last_seq()?) % sessions.max(1));
        let scope = Scope { session: Some(session.clone()), ..Scope::default() };
        let (name, asked) = (format!("f-bench-{}-{n}", journal.last_seq()?), "bench".to_owned());
        let wish =
            Forgetting { name, chosen: Chosen::Scope(scope), depth: Depth::Forget, asked, reason: None, by: None };
        let clock = Clock::start();
        append(&journal, wish.into_events())?;
        times.push(clock.stop().0);
        let filter = Filter { session: Some(session.clone()), ..Filter::default() };
        let selection = other.select(&filter, &View::of(Audience::Recall))?;
        let window = Window { skip: 0, limit: 10 };
        let query = Query::parse(&format!("session:{session}"));
        let seen = index.search(&other, &query, &selection, window, &mut |_, _| true)?;
        anyhow::ensure!(seen.hits.is_empty(), "another reader still sees {session}");
    }
    let median = process::part(times.into_iter(), 50);
    println!(
        "one of {sessions} sessions forgotten: {:.2} ms, gone for another reader at once (<= 200 ms: {})",
        ms(median),
        verdict(median <= Duration::from_millis(200))
    );
    Ok(())
}

fn cold(memoir: &Path, home: &Path, events: u64) -> Result<()> {
    let one = |n: u32| {
        let query = question(u64::from(n), true);
        process::run(Command::new(memoir).args(["recall", &query]).env("MEMOIR_HOME", home), None)
    };
    one(0).context("memoir recall")?;
    let cost = process::repeat(20, one)?;
    let empty = process::repeat(20, |_| process::empty())?;
    println!(
        "cold process over {events} events: {:.1} ms of CPU, {:.1} ms wall (<= 20 ms of CPU: {}); an empty process: {:.1} ms",
        ms(cost.cpu),
        ms(cost.wall),
        verdict(cost.cpu <= Duration::from_millis(20)),
        ms(empty.cpu)
    );
    Ok(())
}
