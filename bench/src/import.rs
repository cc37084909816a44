//! `memoir import`: first imports of made-up sessions of every client, how they grow with bytes and with files, and
//! imports with nothing new.

use crate::process::{self, Cost, verdict};
use crate::sessions::{self, Author, Records};
use anyhow::{Context, Result};
use memoir_testkit::Client;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to measure import.
#[derive(clap::Args)]
pub struct ImportArgs {
    /// The memoir binary (default: the one built beside this)
    #[arg(long)]
    memoir: Option<PathBuf>,
    /// Megabytes of the largest corpus; others are parts of it
    #[arg(long, default_value_t = 1024)]
    megabytes: u64,
    /// Files of the corpus with the most of them
    #[arg(long, default_value_t = 5000)]
    files: u32,
    /// Runs of each import, of which the best is shown
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Import these session files or directories instead of made-up ones
    #[arg(long)]
    data: Option<PathBuf>,
}

const MB_PER_S: f64 = 60.0;
const EVENTS_PER_S: f64 = 40_000.0;
const PEAK_MB: f64 = 300.0;
const JOURNAL_PART: f64 = 0.5;
const NOTHING_NEW: Duration = Duration::from_millis(500);

/// Prints every figure with its limit.
pub fn run(args: &ImportArgs) -> Result<()> {
    let memoir = process::memoir(args.memoir.as_deref())?;
    let dir = tempfile::tempdir_in(".")?;
    let bench = Bench { memoir, dir: dir.path().canonicalize()?, runs: args.runs.max(1), author: Author::new() };
    println!("memoir import, the best of {} runs", bench.runs);
    println!("  asked: >= 60 MB/s with long records, >= 40000 events/s with short ones, peak <= 300 MB,");
    println!("         journal <= 50 % of the source, nothing new over 1 GB in 5000 files <= 0.5 s");
    println!("  peer:  codaph 0.1.15 imports 1160 to 5050 events/s");
    if let Some(data) = &args.data {
        let first = bench.first(&Source::Path(data.clone()))?;
        first.print("given files", &[]);
        return bench.again(&Source::Path(data.clone()), &first.home);
    }
    let (all, bytes) = (Client::ALL.as_slice(), args.megabytes << 20);
    println!("\nby client, {} MB in 100 files each", args.megabytes / 16);
    for client in Client::ALL {
        let long = Corpus { clients: &[client], records: Records::Long, bytes: bytes / 16, files: 100 };
        bench.corpus(&long, &[Asked::Megabytes])?;
        bench.corpus(&Corpus { records: Records::Short, ..long }, &[Asked::Events])?;
    }
    println!("\nby size, all clients, long records, 300 files");
    for part in [16, 4, 1] {
        let corpus = Corpus { clients: all, records: Records::Long, bytes: bytes / part, files: 300 };
        bench.corpus(&corpus, &[Asked::Megabytes])?;
    }
    println!("\nby number of files, all clients, long records, {} MB", args.megabytes / 4);
    for part in [50, 5, 1] {
        let corpus = Corpus { clients: all, records: Records::Long, bytes: bytes / 4, files: args.files / part };
        bench.corpus(&corpus, &[Asked::Megabytes])?;
    }
    println!("\nnothing new, all clients, long records");
    let corpus = Corpus { clients: all, records: Records::Long, bytes, files: args.files };
    let first = bench.corpus(&corpus, &[Asked::Megabytes])?;
    bench.again(&Source::Home(bench.made()), &first.home)
}

/// What to make up.
#[derive(Clone, Copy)]
struct Corpus<'a> {
    clients: &'a [Client],
    records: Records,
    bytes: u64,
    files: u32,
}

/// What to import.
enum Source {
    /// What clients left behind in a user's directory.
    Home(PathBuf),
    /// A file or directory.
    Path(PathBuf),
}

/// A speed that is asked of an import.
enum Asked {
    Megabytes,
    Events,
}

struct Bench {
    memoir: PathBuf,
    dir: PathBuf,
    runs: u32,
    author: Author,
}

impl Bench {
    /// Where made-up sessions are.
    fn made(&self) -> PathBuf {
        self.dir.join("user")
    }

    /// Makes sessions up and imports them.
    fn corpus(&self, corpus: &Corpus<'_>, asked: &[Asked]) -> Result<First> {
        let home = self.made();
        let _ = std::fs::remove_dir_all(&home);
        sessions::make_work(&home)?;
        let file_bytes = corpus.bytes / u64::from(corpus.files);
        let turns = corpus.clients.iter().map(|client| self.author.turns(*client, corpus.records, file_bytes, &home));
        let sorts: Vec<_> = corpus.clients.iter().copied().zip(turns).collect();
        for (number, (client, turns)) in (0..corpus.files).zip(sorts.iter().cycle()) {
            sessions::write(&self.author.session(*client, number, turns, &home), &home)?;
        }
        // The machine has nothing left to write when the measuring begins.
        rustix::fs::sync();
        let first = self.first(&Source::Home(home))?;
        let names: Vec<&str> = corpus.clients.iter().map(|client| client.name()).collect();
        let clients = if names.len() == 1 { names.join("") } else { "all".to_owned() };
        first.print(&format!("{clients}, {:?}", corpus.records).to_lowercase(), asked);
        Ok(first)
    }

    fn import(&self, source: &Source, memoir_home: &Path) -> Command {
        let mut command = Command::new(&self.memoir);
        command.args(["import", "--json"]).env_clear().env("MEMOIR_HOME", memoir_home);
        match source {
            Source::Home(home) => command.env("HOME", home),
            Source::Path(path) => command.env("HOME", memoir_home).arg("--path").arg(path),
        };
        command
    }

    /// Imports into a new home each time; the best run counts.
    fn first(&self, source: &Source) -> Result<First> {
        let home = self.dir.join("memoir");
        let mut best: Option<First> = None;
        for _ in 0..self.runs {
            let _ = std::fs::remove_dir_all(&home);
            let (cost, printed) = process::output(&mut self.import(source, &home))?;
            let this = First { cost, found: Found::read(&printed)?, home: home.clone() };
            if best.as_ref().is_none_or(|best| this.cost.wall < best.cost.wall) {
                best = Some(this);
            }
        }
        best.context("no run")
    }

    /// Imports once more, with nothing new.
    fn again(&self, source: &Source, home: &Path) -> Result<()> {
        let costs: Vec<Cost> =
            (0..self.runs.max(5)).map(|_| process::run(&mut self.import(source, home), None)).collect::<Result<_>>()?;
        let wall = process::part(costs.iter().map(|cost| cost.wall), 50);
        let cpu = process::part(costs.iter().map(|cost| cost.cpu), 50);
        let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        println!(
            "  again, nothing new: {:.3} s wall, {:.3} s CPU, peak {:.0} MB   (asked: <= 0.5 s)  {}",
            wall.as_secs_f64(),
            cpu.as_secs_f64(),
            mb(peak),
            verdict(wall <= NOTHING_NEW)
        );
        Ok(())
    }
}

/// What an import says that it found.
struct Found {
    files: u64,
    bytes: u64,
    stored: u64,
}

impl Found {
    fn read(printed: &[u8]) -> Result<Found> {
        let said: serde_json::Value = serde_json::from_slice(printed).context("import said no JSON")?;
        let clients = said["clients"].as_object().context("import named no clients")?;
        let sum = |name: &str| clients.values().filter_map(|client| client[name].as_u64()).sum();
        Ok(Found { files: sum("files"), bytes: sum("bytes"), stored: said["stored"].as_u64().unwrap_or(0) })
    }
}

/// A first import.
struct First {
    cost: Cost,
    found: Found,
    home: PathBuf,
}

impl First {
    fn print(&self, what: &str, asked: &[Asked]) {
        let Found { files, bytes, stored } = self.found;
        let seconds = self.cost.wall.as_secs_f64();
        let (mb_per_s, events_per_s) = (mb(bytes) / seconds, stored as f64 / seconds);
        let (peak, journal) = (mb(self.cost.peak_bytes), journal_bytes(&self.home) as f64 / bytes as f64);
        let is_fast = asked.iter().all(|asked| match asked {
            Asked::Megabytes => mb_per_s >= MB_PER_S,
            Asked::Events => events_per_s >= EVENTS_PER_S,
        });
        println!(
            "  {what:<14} {:>5.0} MB {files:>5} files {stored:>7} events: {seconds:>6.2} s, {mb_per_s:>4.0} MB/s, \
             {events_per_s:>6.0} events/s, {:>5.1} us CPU each, peak {peak:>3.0} MB, journal {:>4.1} %  {}",
            mb(bytes),
            self.cost.cpu.as_secs_f64() * 1e6 / stored as f64,
            100.0 * journal,
            verdict(is_fast && peak <= PEAK_MB && journal <= JOURNAL_PART)
        );
    }
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn journal_bytes(home: &Path) -> u64 {
    let files = ["journal.db", "journal.db-wal"].map(|name| home.join(name));
    files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|file| file.len()).sum()
}
