//! Messages over the OpenViking API: what one costs in a short and in a long session, with one fdatasync beside it.

use anyhow::Context as _;
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Clock, Journal, SqliteJournal, SqliteOptions};
use memoir_openviking::{Openviking, Parts, Spoken, read_batch, read_message};
use memoir_recall::{Blocked, Recall};
use memoir_record::Policy;
use memoir_redact::Redactor;
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Messages over the OpenViking API
#[derive(clap::Args)]
pub struct OpenvikingArgs {
    /// How many messages the sessions have before the measured ones
    #[arg(long, value_delimiter = ',', default_values_t = [10, 1_000, 100_000])]
    sizes: Vec<usize>,
    /// How many messages are measured at each size
    #[arg(long, default_value_t = 300)]
    measured: usize,
    /// Where the journal is made; the system's directory for temporary files if not given
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub fn run(args: &OpenvikingArgs) -> anyhow::Result<()> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let home = tempfile::Builder::new().prefix("memoir-bench-openviking").tempdir_in(dir)?;
    let api = api(home.path())?;
    println!(
        "one message of about 120 bytes, in sessions of some length; p50 / p95 in ms (peer: 13 empty, 184 at 4,000)"
    );
    for size in &args.sizes {
        let spoken = Spoken::parse(&format!("cx-bench-{size}")).context("a session id")?;
        fill(&api, &spoken, *size)?;
        let (mut walls, mut syncs) = (Vec::new(), Vec::new());
        let mut probe = File::create(home.path().join("probe"))?;
        for number in 0..args.measured {
            let body = message(*size + number).to_string();
            let started = Instant::now();
            let read = read_message(body.as_bytes())?;
            let appended = api.append(&spoken, &[read], None)?;
            walls.push(started.elapsed());
            anyhow::ensure!(appended.added == 1, "a message was taken for a replay");
            // Beside each append what the disk takes for a log frame of the same size.
            let started = Instant::now();
            probe.write_all(&[0u8; 4096 * 6])?;
            probe.sync_data()?;
            syncs.push(started.elapsed());
        }
        let (append, sync) = (percentiles(&mut walls), percentiles(&mut syncs));
        let beyond = append.0.as_secs_f64() - sync.0.as_secs_f64();
        println!(
            "{size:>7} messages   append {}   fdatasync {}   beyond {:.3} ms (limit 0.5)",
            shown(append),
            shown(sync),
            beyond * 1e3
        );
    }
    Ok(())
}

fn api(home: &Path) -> anyhow::Result<Openviking> {
    let clock: Clock = Arc::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
    });
    let journal = SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), Arc::clone(&clock))?;
    let journal: Arc<dyn Journal> = Arc::new(journal);
    let redactor = Arc::new(Redactor::builtin());
    let index = Arc::new(Index::open(&home.join("index"), IndexOptions::default()));
    let recall = Arc::new(Recall::new(Arc::clone(&redactor)));
    Ok(Openviking::new(Parts {
        journal,
        redactor,
        index,
        recall,
        policy: Policy::default(),
        blocked: Blocked::default(),
        is_paused: Arc::new(|| false),
        owner: "bench".to_owned(),
        clock,
    }))
}

fn message(number: usize) -> serde_json::Value {
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    let text =
        format!("message {number} of this session tells what was done about the lock that the test {number} held");
    json!({"role": role, "parts": [{"type": "text", "text": text}], "peer_id": "-home-dev-shop"})
}

fn fill(api: &Openviking, spoken: &Spoken, size: usize) -> anyhow::Result<()> {
    let numbers: Vec<usize> = (0..size).collect();
    for batch in numbers.chunks(100) {
        let messages: Vec<_> = batch.iter().map(|number| message(*number)).collect();
        let read = read_batch(json!({"messages": messages}).to_string().as_bytes())?;
        api.append(spoken, &read, None)?;
    }
    Ok(())
}

fn percentiles(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    (at(50), at(95))
}

fn shown((p50, p95): (Duration, Duration)) -> String {
    format!("{:.3} / {:.3}", p50.as_secs_f64() * 1e3, p95.as_secs_f64() * 1e3)
}
