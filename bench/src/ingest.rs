//! `memoir ingest`: one event in a process of its own, and many from a pipe, beside what the machine itself can do.

use crate::events;
use crate::process::{self, Cost, Synced, ms, verdict};
use anyhow::Result;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How to measure ingest.
#[derive(clap::Args)]
pub struct IngestArgs {
    /// The memoir binary (default: the one built beside this)
    #[arg(long)]
    memoir: Option<PathBuf>,
    /// Events from the pipe
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Bytes of one line
    #[arg(long, default_value_t = 500)]
    line_bytes: usize,
    /// Events in one session
    #[arg(long, default_value_t = 100)]
    per_session: u64,
    /// Runs of one event each
    #[arg(long, default_value_t = 200)]
    runs: u32,
}

/// So many events are compared at the beginning and at the end.
const SAMPLE: u64 = 10_000;

/// Prints every figure with its limit.
pub fn run(args: &IngestArgs) -> Result<()> {
    let memoir = process::memoir(args.memoir.as_deref())?;
    let dir = tempfile::tempdir_in(".")?;
    single(&memoir, dir.path(), args)?;
    piped(&memoir, dir.path(), args)
}

fn ingest(memoir: &Path, home: &Path) -> Command {
    let mut command = Command::new(memoir);
    command.arg("ingest").env("MEMOIR_HOME", home);
    command
}

fn single(memoir: &Path, dir: &Path, args: &IngestArgs) -> Result<()> {
    let home = dir.join("one");
    let input = dir.join("one.jsonl");
    std::fs::write(&input, events::lines(0, 2000, 100, args.line_bytes))?;
    process::run(&mut ingest(memoir, &home), Some(&input))?;
    let empty = process::repeat(args.runs, |_| process::empty())?;
    let sync = fdatasync(dir, args.runs)?;
    let one = process::repeat(args.runs, |run| {
        std::fs::write(&input, events::lines(1_000_000 + u64::from(run), 1, 100, args.line_bytes))?;
        process::run(&mut ingest(memoir, &home), Some(&input))
    })?;
    let limit = empty.wall + sync + Duration::from_millis(3);
    println!("one event, {} runs, median wall and mean CPU", args.runs);
    println!("  memoir ingest            wall {}  cpu {}   (asked: cpu <= 4 ms)", ms(one.wall), ms(one.cpu));
    println!("  empty Rust process       wall {}  cpu {}", ms(empty.wall), ms(empty.cpu));
    println!("  fdatasync of 500 bytes   wall {}", ms(sync));
    println!("  limit: these two + 3 ms  wall {}   {}", ms(limit), verdict(one.wall <= limit));
    Ok(())
}

fn fdatasync(dir: &Path, runs: u32) -> Result<Duration> {
    let mut file = Synced::new(dir)?;
    let times: Vec<Duration> = (0..runs).map(|_| file.write()).collect::<Result<_>>()?;
    Ok(process::part(times.into_iter(), 50))
}

fn piped(memoir: &Path, dir: &Path, args: &IngestArgs) -> Result<()> {
    let home = dir.join("pipe");
    let input = dir.join("pipe.jsonl");
    let feed = |first: u64, count: u64| -> Result<Cost> {
        std::fs::write(&input, events::lines(first, count, args.per_session, args.line_bytes))?;
        process::run(&mut ingest(memoir, &home), Some(&input))
    };
    // Before the first sample the home exists, so that both samples pay for the same.
    feed(0, SAMPLE)?;
    let early = feed(SAMPLE, SAMPLE)?;
    let bulk = feed(2 * SAMPLE, args.events.saturating_sub(3 * SAMPLE))?;
    let late = feed(args.events - SAMPLE, SAMPLE)?;
    let events = args.events.saturating_sub(3 * SAMPLE);
    let bare = bare_sqlite(dir, &input, events.min(200_000), args)?;
    let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
    println!("\nfrom a pipe, {events} events of {} bytes, {} to a session", args.line_bytes, args.per_session);
    println!(
        "  memoir ingest            {:.0} events/s wall, {:.1} us CPU each   (asked: >= 50000 events/s)  {}",
        rate(events, bulk.wall),
        bulk.cpu.as_secs_f64() * 1e6 / events as f64,
        verdict(rate(events, bulk.wall) >= 50_000.0)
    );
    println!("  bare SQLite, same lines  {bare:.0} events/s wall, not redacted, not deduplicated, uncompressed");
    let (early_cpu, late_cpu) = (early.cpu.as_secs_f64(), late.cpu.as_secs_f64());
    println!(
        "  {SAMPLE} events at {SAMPLE}: cpu {}; at {}: cpu {}; ratio {:.2}   (asked: <= 1.5)  {}",
        ms(early.cpu),
        args.events,
        ms(late.cpu),
        late_cpu / early_cpu.max(1e-9),
        verdict(late_cpu <= 1.5 * early_cpu)
    );
    let bytes = std::fs::metadata(home.join("journal.db"))?.len() / args.events;
    println!("  journal                  {bytes} bytes/event   (asked: <= 550)  {}", verdict(bytes <= 550));
    Ok(())
}

/// The same lines into one table with ordered keys, in transactions of 1,000, as durable as memoir.
fn bare_sqlite(dir: &Path, input: &Path, events: u64, args: &IngestArgs) -> Result<f64> {
    std::fs::write(input, events::lines(0, events, args.per_session, args.line_bytes))?;
    let text = std::fs::read_to_string(input)?;
    let mut connection = Connection::open(dir.join("bare.db"))?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch("CREATE TABLE event(seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")?;
    let begun = Instant::now();
    let lines: Vec<&str> = text.lines().collect();
    for batch in lines.chunks(1000) {
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO event(body) VALUES(?1)")?;
            for line in batch {
                insert.execute([line])?;
            }
        }
        transaction.commit()?;
    }
    Ok(events as f64 / begun.elapsed().as_secs_f64())
}
