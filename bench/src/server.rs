//! Ingest over HTTP: batches to a server in this process, and beside it the same events straight into a journal.

use anyhow::{Context as _, ensure};
use memoir_event::Source;
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Admission, Clock, Journal, Redacted, SqliteJournal, SqliteOptions};
use memoir_record::wire::{BatchRequest, Capture};
use memoir_redact::Redactor;
use memoir_server::{Parts, ServerSettings, serve};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

/// Records over HTTP, as the recorder sends them
#[derive(clap::Args)]
pub struct ServerArgs {
    /// How many records are sent
    #[arg(long, default_value_t = 100_000)]
    records: usize,
    /// How many records a batch has
    #[arg(long, default_value_t = 500)]
    batch: usize,
    /// How many bytes of text a record has
    #[arg(long, default_value_t = 500)]
    text_bytes: usize,
    /// How many connections send at once
    #[arg(long, default_value_t = 2)]
    connections: usize,
    /// Where the journals are made; the system's directory for temporary files if not given
    #[arg(long)]
    dir: Option<PathBuf>,
}

pub fn run(args: &ServerArgs) -> anyhow::Result<()> {
    ensure!(args.batch > 0 && args.connections > 0, "--batch and --connections must be at least 1");
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let home = tempfile::Builder::new().prefix("memoir-bench-server").tempdir_in(dir)?;
    let bodies = Bodies::write(&home.path().join("bodies"), args)?;
    println!(
        "{} records of {} bytes in {} batches of {}, {:.1} MB of JSON, {} connections",
        args.records,
        args.text_bytes,
        bodies.places.len(),
        args.batch,
        bodies.bytes() as f64 / 1e6,
        args.connections
    );
    let straight = straight(&home.path().join("straight"), &bodies, args)?;
    let over_http = over_http(&home.path().join("server"), &bodies, args)?;
    println!("over HTTP           {over_http}");
    println!("straight, one thread {straight}");
    println!(
        "HTTP / straight      {:.2} of the rate (goal: at least 20,000 events/s over HTTP)",
        over_http.rate() / straight.rate()
    );
    Ok(())
}

struct Figures {
    records: usize,
    wall: Duration,
    cpu: Duration,
}

impl Figures {
    fn measure(records: usize, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Figures> {
        let (started, cpu) = (Instant::now(), cpu_time()?);
        work()?;
        Ok(Figures { records, wall: started.elapsed(), cpu: cpu_time()? - cpu })
    }

    fn rate(&self) -> f64 {
        self.records as f64 / self.wall.as_secs_f64()
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let per_event = self.cpu.as_secs_f64() * 1e6 / self.records as f64;
        let (wall, cpu) = (self.wall.as_secs_f64(), self.cpu.as_secs_f64());
        write!(f, "{:>9.0} events/s  {wall:.2} s wall  {cpu:.2} s CPU  {per_event:.1} µs CPU/event", self.rate())
    }
}

/// The requests, made beforehand and kept in a file: in memory they would be taken for the server's.
struct Bodies {
    file: File,
    places: Vec<(u64, usize)>,
}

impl Bodies {
    fn write(path: &Path, args: &ServerArgs) -> anyhow::Result<Bodies> {
        let mut file = BufWriter::new(File::create(path)?);
        let (mut places, mut at) = (Vec::new(), 0u64);
        for first in (0..args.records).step_by(args.batch) {
            let mut body = String::from("{\"header\":null,\"records\":[");
            for number in first..(first + args.batch).min(args.records) {
                if number > first {
                    body.push(',');
                }
                push_record(&mut body, number, args.text_bytes)?;
            }
            body.push_str("]}");
            file.write_all(body.as_bytes())?;
            places.push((at, body.len()));
            at += body.len() as u64;
        }
        file.into_inner()?.sync_all()?;
        Ok(Bodies { file: File::open(path)?, places })
    }

    fn bytes(&self) -> u64 {
        self.places.iter().map(|(_, length)| *length as u64).sum()
    }

    fn read(&self, batch: usize, into: &mut Vec<u8>) -> anyhow::Result<()> {
        let (at, length) = *self.places.get(batch).context("no such batch")?;
        into.resize(length, 0);
        self.file.read_exact_at(into, at)?;
        Ok(())
    }
}

const WORDS: [&str; 24] = [
    "the",
    "request",
    "failed",
    "because",
    "a",
    "lock",
    "was",
    "held",
    "by",
    "another",
    "process",
    "while",
    "tests",
    "ran",
    "in",
    "src/journal.rs",
    "and",
    "cargo",
    "build",
    "printed",
    "warning:",
    "unused",
    "variable",
    "index",
];

fn push_record(body: &mut String, number: usize, text_bytes: usize) -> anyhow::Result<()> {
    let mut seed = number as u64;
    let mut text = format!("event {number}:");
    while text.len() < text_bytes {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(' ');
        text.push_str(WORDS[(seed >> 33) as usize % WORDS.len()]);
    }
    text.truncate(text_bytes);
    let session = number / 200;
    write!(
        body,
        "{{\"header\":null,\"session_id\":\"bench-{session}\",\"turn_id\":\"turn-{number}\",\"topic_id\":null,\
         \"source\":\"tool_io\",\"speaker\":\"tool\",\"visibility\":\"normal\",\"secrecy_level\":\"sensitive\",\
         \"content\":{{\"blocks\":[{{\"modality\":\"text\",\"format\":\"text/plain\",\"data\":["
    )?;
    for (at, byte) in text.bytes().enumerate() {
        write!(body, "{}{byte}", if at > 0 { "," } else { "" })?;
    }
    let (minute, second, ms) = (number / 60_000 % 60, number / 1000 % 60, number % 1000);
    let (day, hour) = (1 + number / 86_400_000 % 28, number / 3_600_000 % 24);
    write!(
        body,
        "],\"embedding\":null}}],\"summary\":null}},\"metadata\":{{\"capture_source\":\"codex\",\
         \"event_type\":\"tool_result\",\"observed_at\":\"2026-05-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}+00:00\",\
         \"recorder\":\"cerememory-recorder\",\"recorder_cwd\":\"/home/dev/shop\"}},\"meta\":null}}"
    )?;
    Ok(())
}

/// Decoded and redacted beforehand: what is measured is the journal alone.
fn straight(home: &Path, bodies: &Bodies, args: &ServerArgs) -> anyhow::Result<Figures> {
    std::fs::create_dir_all(home)?;
    let clock: Clock = Arc::new(now_ms);
    let journal = SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), clock)?;
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let mut body = Vec::new();
    let mut spent = Figures { records: args.records, wall: Duration::ZERO, cpu: Duration::ZERO };
    for group in (0..bodies.places.len()).step_by(20) {
        let mut batches: Vec<Vec<Redacted>> = Vec::new();
        for batch in group..(group + 20).min(bodies.places.len()) {
            bodies.read(batch, &mut body)?;
            let records = BatchRequest::parse(&body)?.records;
            let capture = Capture { source: Source::Http, at_ms: now_ms(), nonce: 0 };
            let events = records.into_iter().map(|record| record.into_event(capture));
            batches.push(events.map(|event| Ok(admission.admit(event?))).collect::<anyhow::Result<_>>()?);
        }
        let figures = Figures::measure(0, || {
            batches.iter().try_for_each(|batch| journal.append(batch, &[]).map(|_| ())).map_err(anyhow::Error::from)
        })?;
        spent.wall += figures.wall;
        spent.cpu += figures.cpu;
    }
    Ok(spent)
}

fn over_http(home: &Path, bodies: &Bodies, args: &ServerArgs) -> anyhow::Result<Figures> {
    std::fs::create_dir_all(home)?;
    let clock: Clock = Arc::new(now_ms);
    let journal: Arc<dyn Journal> =
        Arc::new(SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), Arc::clone(&clock))?);
    let options = IndexOptions { memory_bytes_max: 16 << 20, ..IndexOptions::default() };
    let parts = Parts {
        journal: Arc::clone(&journal),
        redactor: Arc::new(Redactor::builtin()),
        index: Arc::new(Index::open(&home.join("index"), options)),
        clock,
        meaning: None,
        is_paused: Arc::new(|| false),
        let_go: Arc::new(|_| Ok(0)),
        is_alive: Arc::new(|_| false),
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let (tell, told) = std::sync::mpsc::channel();
    let settings = ServerSettings { port: 0, ..ServerSettings::default() };
    let server = std::thread::spawn(move || -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let bound = move |address| {
            let _ = tell.send(address);
        };
        runtime.block_on(serve(settings, parts, bound, async {
            let _ = stopped.await;
        }))?;
        Ok(())
    });
    let address = told.recv().context("the server did not start")?;
    Client::connect(address)?.get("/readiness")?;
    let idle_kb = anonymous_kb()?;
    let next = AtomicUsize::new(0);
    let figures = Figures::measure(args.records, || send_all(address, bodies, &next, args.connections))?;
    let end_kb = anonymous_kb()?;
    ensure!(journal.stats()?.events == args.records as u64, "the journal does not have what was sent");
    println!(
        "anonymous memory     {:.1} MB idle, {:.1} MB after {} records",
        idle_kb / 1e3,
        end_kb / 1e3,
        args.records
    );
    search(address)?;
    println!("                     {:.1} MB after indexing and searching", anonymous_kb()? / 1e3);
    let _ = stop.send(());
    server.join().map_err(|_| anyhow::anyhow!("the server failed"))??;
    Ok(figures)
}

fn search(address: SocketAddr) -> anyhow::Result<()> {
    let mut client = Client::connect(address)?;
    let first = Instant::now();
    client.get("/v1/search?q=lock+process+warning&limit=10")?;
    let first = first.elapsed();
    let second = Instant::now();
    client.get("/v1/search?q=lock+journal+cargo&limit=10")?;
    println!(
        "search               {:.0} ms the first, which indexes, {:.1} ms the second",
        ms(first),
        ms(second.elapsed())
    );
    Ok(())
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn send_all(address: SocketAddr, bodies: &Bodies, next: &AtomicUsize, connections: usize) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..connections).map(|_| scope.spawn(|| send_some(address, bodies, next))).collect();
        senders.into_iter().try_for_each(|sender| sender.join().map_err(|_| anyhow::anyhow!("a sender failed"))?)
    })
}

fn send_some(address: SocketAddr, bodies: &Bodies, next: &AtomicUsize) -> anyhow::Result<()> {
    let mut client = Client::connect(address)?;
    let mut body = Vec::new();
    loop {
        let batch = next.fetch_add(1, Ordering::Relaxed);
        if batch >= bodies.places.len() {
            return Ok(());
        }
        bodies.read(batch, &mut body)?;
        client.post("/v1/encode/raw/batch", &body)?;
    }
}

/// One kept-alive connection.
struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Client {
    fn connect(address: SocketAddr) -> anyhow::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Client { stream: BufReader::new(stream), address })
    }

    fn get(&mut self, path: &str) -> anyhow::Result<()> {
        write!(self.stream.get_mut(), "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address)?;
        self.answer()
    }

    fn post(&mut self, path: &str, body: &[u8]) -> anyhow::Result<()> {
        let stream = self.stream.get_mut();
        let length = body.len();
        let kind = "content-type: application/json";
        write!(stream, "POST {path} HTTP/1.1\r\nhost: {}\r\n{kind}\r\ncontent-length: {length}\r\n\r\n", self.address)?;
        stream.write_all(body)?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let good = line.starts_with("HTTP/1.1 200");
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            ensure!(self.stream.read_line(&mut line)? > 0, "the answer ended early");
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        ensure!(good, "refused: {}", String::from_utf8_lossy(&body));
        Ok(())
    }
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

/// Memory that is the process's own, in kB: `RssAnon` of its status.
fn anonymous_kb() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// User and system time of this process, in steps of 10 ms.
fn cpu_time() -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").context("no fields")?;
    let ticks = |at: usize| -> anyhow::Result<u64> { Ok(fields.split(' ').nth(at).context("no such field")?.parse()?) };
    Ok(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}
