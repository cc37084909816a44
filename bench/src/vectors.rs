//! Vectors: how many of the exact top ten are found, how long a search takes, how many bytes a vector has, and how fast
//! they are made, by a model in the process and over a socket.

use anyhow::{Context as _, Result};
use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_journal::{Admission, Journal, Seq, SqliteJournal, SqliteOptions};
use memoir_model::{Embedder, EmbeddingModel, EmbeddingSettings, ModelError};
use memoir_redact::Redactor;
use memoir_testkit::Provider;
use memoir_vectors::{CatchUp, Probe, Vectors};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BATCH: u64 = 1000;
const TOP: usize = 10;
/// Texts come in topics: their vectors lie around so many centres.
const TOPICS: u64 = 500;
const MODEL: &str = "noise";

/// How to measure vectors.
#[derive(clap::Args)]
pub struct VectorsArgs {
    /// How many vectors, for each round
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000])]
    sizes: Vec<u64>,
    /// How many numbers a vector has
    #[arg(long, default_value_t = 384)]
    dimension: usize,
    /// How many queries to time
    #[arg(long, default_value_t = 100)]
    queries: u64,
    /// How many events to embed over a socket
    #[arg(long, default_value_t = 10_000)]
    over_socket: u64,
}

/// Prints every figure with its limit.
pub fn run(args: &VectorsArgs) -> Result<()> {
    for size in &args.sizes {
        round(*size, args)?;
    }
    over_socket(args)
}

fn round(size: u64, args: &VectorsArgs) -> Result<()> {
    println!("{size} vectors of {} numbers, 1 thread", args.dimension);
    let home = tempfile::tempdir()?;
    let journal = filled(home.path(), size)?;
    let (vectors, model) = (Vectors::open(&home.path().join("vectors")), Noise { dimension: args.dimension });
    let start = Instant::now();
    let made = vectors.catch_up(&journal, &Redactor::builtin(), &model, &mut |_, _| true)?;
    let took = start.elapsed();
    anyhow::ensure!(matches!(made, CatchUp::Done(made) if made.vectors == size), "{made:?}");
    println!("  built by a model in the process   {:>8.0} vectors/s", size as f64 / took.as_secs_f64());
    let status = vectors.status(&journal, &Redactor::builtin())?;
    let whole = args.dimension * 4;
    println!("  bytes for each vector             {:>8.1}   (whole: {whole})", status.bytes as f64 / size as f64);

    let identity = journal.identity()?;
    let queries: Vec<Vec<f32>> = (0..args.queries).map(|n| model.query(n, size)).collect();
    let probe = |vector| Probe { vector, model: MODEL, journal: &identity };
    let cold = Vectors::open(&home.path().join("vectors"));
    let first = queries.first().context("no queries")?;
    let (_, load) = timed(|| cold.near(&probe(first), TOP, &mut |_| true));
    println!("  first search of a process         {:>8.2} ms CPU", ms(load));
    drop(cold);
    let (mut times, mut found) = (Vec::new(), Vec::new());
    for query in &queries {
        let (near, time) = timed(|| vectors.near(&probe(query), TOP, &mut |_| true));
        times.push(time);
        found.push(near);
    }
    times.sort_unstable();
    let at = |part: usize| ms(times.get(times.len() * part / 100).copied().unwrap_or_default());
    let limit = 15.0 * size as f64 / 100_000.0 * args.dimension as f64 / 384.0;
    println!(
        "  search                        p50 {:>8.2} ms  p95 {:.2} ms CPU   (<= {limit:.0} ms: 15 for 100000 of 384)",
        at(50),
        at(95)
    );
    let overlap = overlap(&model, size, &queries, &found);
    println!("  of the exact top ten              {:>8.2} %   (>= 99 %)", overlap * 100.0);
    Ok(())
}

fn over_socket(args: &VectorsArgs) -> Result<()> {
    let home = tempfile::tempdir()?;
    let journal = filled(home.path(), args.over_socket)?;
    let provider = Provider::start(args.dimension);
    let model = EmbeddingModel::new(EmbeddingSettings {
        url: provider.url(),
        model: "scripted".to_owned(),
        key: None,
        proxy: None,
        timeout: Duration::from_secs(60),
    })?;
    let vectors = Vectors::open(&home.path().join("vectors"));
    let start = Instant::now();
    vectors.catch_up(&journal, &Redactor::builtin(), &model, &mut |_, _| true)?;
    let rate = args.over_socket as f64 / start.elapsed().as_secs_f64();
    println!("built over a socket by a scripted model {rate:>8.0} vectors/s (its own time included)");
    Ok(())
}

/// A journal in which so many things were said.
fn filled(home: &Path, size: u64) -> Result<SqliteJournal> {
    let clock = Arc::new(|| 1_778_400_000_000);
    let journal = SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), clock)?;
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    for from in (0..size).step_by(usize::try_from(BATCH)?) {
        let said = (from..(from + BATCH).min(size)).map(|n| {
            let text = Content::Text(format!("thing {n}"));
            let mut event = Event::new(Source::Recorder, &format!("s{}", n / 100), Kind::UserMessage, text);
            event.identities = vec![Identity::Explicit];
            admission.admit(event)
        });
        journal.append(&said.collect::<Vec<_>>(), &[])?;
    }
    Ok(journal)
}

/// The share of the exact top ten that was found.
fn overlap(model: &Noise, size: u64, queries: &[Vec<f32>], found: &[Vec<(Seq, f32)>]) -> f64 {
    let mut exact: Vec<Vec<(f32, Seq)>> = vec![Vec::new(); queries.len()];
    for n in 0..size {
        let vector = model.vector(n);
        for (query, best) in queries.iter().zip(&mut exact) {
            let cosine: f32 = query.iter().zip(&vector).map(|(a, b)| a * b).sum();
            if best.len() < TOP || best.last().is_some_and(|(least, _)| cosine > *least) {
                let at = best.partition_point(|(known, _)| *known >= cosine);
                best.insert(at, (cosine, n + 1));
                best.truncate(TOP);
            }
        }
    }
    let mut same = 0;
    for (exact, found) in exact.iter().zip(found) {
        same += exact.iter().filter(|(_, seq)| found.iter().any(|(known, _)| known == seq)).count();
    }
    same as f64 / (queries.len() * TOP) as f64
}

/// A model whose vectors are noise around topics.
struct Noise {
    dimension: usize,
}

impl Noise {
    fn vector(&self, n: u64) -> Vec<f32> {
        self.mixed(n % TOPICS, n, 0.8)
    }

    /// A query near to one of the vectors.
    fn query(&self, n: u64, size: u64) -> Vec<f32> {
        let near = self.vector(n.wrapping_mul(7919) % size);
        let other = noise(u64::MAX - n, self.dimension);
        unit(near.iter().zip(&other).map(|(near, other)| near + other * 0.05).collect())
    }

    fn mixed(&self, topic: u64, own: u64, share: f32) -> Vec<f32> {
        let (topic, own) = (noise(1 << 60 | topic, self.dimension), noise(own, self.dimension));
        unit(topic.iter().zip(&own).map(|(topic, own)| topic + own * share).collect())
    }
}

impl Embedder for Noise {
    fn model(&self) -> &str {
        MODEL
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let number = |text: &&str| text.trim_start_matches("thing ").parse().unwrap_or(0);
        Ok(texts.iter().map(|text| self.vector(number(text))).collect())
    }
}

/// Deterministic noise, each number from -0.5 to 0.5.
fn noise(seed: u64, dimension: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
    };
    (0..dimension).map(|_| next()).collect()
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = cpu_time();
    let done = work();
    (done, cpu_time().saturating_sub(start))
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
