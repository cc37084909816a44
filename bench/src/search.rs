//! Search: building the index, three-word queries, filters, the unindexed tail and a cold process, with bare Tantivy
//! on the same texts and the same queries beside it.

use anyhow::{Context as _, Result};
use memoir_event::{Content, Event, Identity, Kind, Source, Time};
use memoir_index::{Index, IndexOptions, Query, Window};
use memoir_journal::{Admission, Audience, Filter, Journal, SqliteJournal, SqliteOptions, View};
use memoir_redact::Redactor;
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, TermQuery};
use tantivy::schema::{FAST, IndexRecordOption, Schema, TEXT};

pub(crate) const PER_SESSION: u64 = 100;
const VOCABULARY: u64 = 60_000;
const BATCH: u64 = 1000;
const WINDOW: Window = Window { skip: 0, limit: 10 };

/// How to measure search.
#[derive(clap::Args)]
pub struct SearchArgs {
    /// How many events to search
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// How many queries to time
    #[arg(long, default_value_t = 500)]
    queries: u64,
    /// Keep the home here and use it again (default: a temporary one)
    #[arg(long)]
    home: Option<PathBuf>,
    /// Search this home once and print the CPU time of the process (used by the bench itself)
    #[arg(long, hide = true)]
    cold: Option<PathBuf>,
}

/// Prints every figure with its limit or peer.
pub fn run(args: &SearchArgs) -> Result<()> {
    if let Some(home) = &args.cold {
        return cold(home);
    }
    let temporary = tempfile::tempdir()?;
    let home = args.home.as_deref().unwrap_or(temporary.path());
    let journal = open(home)?;
    println!("search over {} events, 1 thread; wall time, CPU time beside it", args.events);
    fill(&journal, args.events)?;
    let index = Index::open(&home.join("index"), IndexOptions::default());
    build(&index, &journal, args.events)?;
    let queries: Vec<[String; 3]> = (0..args.queries).map(query).collect();
    let texts: Vec<String> = queries.iter().map(|words| words.join(" ")).collect();

    let view = View::of(Audience::Owner);
    let selection = journal.select(&Filter::default(), &view)?;
    let search = |text: &str| index.search(&journal, &Query::parse(text), &selection, WINDOW, &mut |_, _| true);
    report("3 words, any", "p50 <= 2 ms, p95 <= 8 ms", &time(&texts, |text| search(text).map(|_| ()))?);
    let shown = time(&texts, |text| {
        let hits = search(text)?;
        let seqs: Vec<u64> = hits.hits.iter().map(|hit| hit.seq).collect();
        for event in journal.events(&seqs, &view)? {
            let _ = hits.marker.snippet(&event.event.content.plain(), 160);
        }
        anyhow::Ok(())
    })?;
    report("… with the events and snippets", "", &shown);
    let all: Vec<String> = queries.iter().map(|words| format!("+{} +{} +{}", words[0], words[1], words[2])).collect();
    report("3 words, all", "", &time(&all, |text| search(text).map(|_| ()))?);
    let in_session: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| format!("session:s{} {text}", n as u64 % (args.events / PER_SESSION).max(1)))
        .collect();
    report("3 words in one session", "", &time(&in_session, |text| search(text).map(|_| ()))?);
    let in_half: Vec<String> = texts.iter().map(|text| format!("repo:repo1 {text}")).collect();
    report("3 words in one of two projects", "", &time(&in_half, |text| search(text).map(|_| ()))?);
    let phrases: Vec<String> = (0..args.queries).map(phrase).collect();
    report("2-word phrase", "", &time(&phrases, |text| search(text).map(|_| ()))?);

    peer(home, args.events, &queries)?;
    cold_process(home)?;
    tail(&index, &journal, args.events)
}

pub(crate) fn open(home: &Path) -> Result<SqliteJournal> {
    Ok(SqliteJournal::open(&home.join("journal.db"), SqliteOptions::long_lived(), Arc::new(|| 1_778_400_000_000))?)
}

pub(crate) fn fill(journal: &SqliteJournal, events: u64) -> Result<()> {
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let mut n = journal.last_seq()?;
    let mut bytes = 0;
    let from = n;
    while n < events {
        let batch: Vec<_> = (n..(n + BATCH).min(events))
            .map(event)
            .inspect(|event| bytes += event.content.verbatim().len())
            .map(|event| admission.admit(event))
            .collect();
        journal.append(&batch, &[])?;
        n += batch.len() as u64;
    }
    if n > from {
        println!("journal filled: {} bytes of text per event", bytes as u64 / (n - from));
    }
    Ok(())
}

fn build(index: &Index, journal: &SqliteJournal, events: u64) -> Result<()> {
    let clock = Clock::start();
    let done = index.catch_up(journal, &mut |_, _| true)?;
    let (wall, cpu) = clock.stop();
    let status = index.status(journal)?;
    println!("index built: {done:?}, {} segments", status.segments);
    let rate = |time: Duration| events as f64 / time.as_secs_f64();
    println!("  {:>9.0} events/s per core by CPU   (>= 25000; {:.0}/s by wall)", rate(cpu), rate(wall));
    println!("  {:>9.1} bytes per event            (<= 200)", status.bytes as f64 / events as f64);
    println!("  {:>9.1} MB of anonymous memory after   (the writer's cap is 96 MB)", anonymous_mb());
    Ok(())
}

fn peer(home: &Path, events: u64, queries: &[[String; 3]]) -> Result<()> {
    let dir = home.join("peer");
    std::fs::create_dir_all(&dir)?;
    let mut schema = Schema::builder();
    let body = schema.add_text_field("body", TEXT);
    let seq = schema.add_u64_field("seq", FAST);
    let schema = schema.build();
    let clock = Clock::start();
    let index = match tantivy::Index::open_in_dir(&dir) {
        Ok(index) => index,
        Err(_) => {
            let index = tantivy::Index::create_in_dir(&dir, schema)?;
            let mut writer = index.writer_with_num_threads(1, 72 << 20)?;
            for n in 0..events {
                writer.add_document(tantivy::doc!(body => text(n), seq => n))?;
            }
            writer.commit()?;
            writer.wait_merging_threads()?;
            let (wall, cpu) = clock.stop();
            let rate = |time: Duration| events as f64 / time.as_secs_f64();
            println!(
                "peer, bare Tantivy: {:.0} events/s per core by CPU ({:.0}/s by wall), texts ready-made",
                rate(cpu),
                rate(wall)
            );
            index
        }
    };
    let searcher = index.reader()?.searcher();
    let times = time(queries, |words| {
        let terms = words.iter().map(|word| {
            let term = tantivy::Term::from_field_text(body, word);
            let query: Box<dyn tantivy::query::Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, query)
        });
        searcher.search(&BooleanQuery::new(terms.collect()), &TopDocs::with_limit(10).order_by_score()).map(|_| ())
    })?;
    report("peer, bare Tantivy: 3 words, any", "", &times);
    Ok(())
}

fn cold_process(home: &Path) -> Result<()> {
    let exe = std::env::current_exe()?;
    let mut cpu = Vec::new();
    for _ in 0..10 {
        let output = std::process::Command::new(&exe).args(["search", "--cold"]).arg(home).output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        cpu.push(text.parse::<f64>().with_context(|| format!("cold process said {text:?}"))?);
    }
    cpu.sort_by(f64::total_cmp);
    println!("cold process: {:.1} ms of CPU (median of 10; <= 30 ms at 100000 events)", cpu[cpu.len() / 2]);
    Ok(())
}

fn cold(home: &Path) -> Result<()> {
    let journal = SqliteJournal::open(&home.join("journal.db"), SqliteOptions::short_lived(), Arc::new(|| 0))?;
    let index = Index::open(&home.join("index"), IndexOptions::default());
    let view = View::of(Audience::Owner);
    let selection = journal.select(&Filter::default(), &view)?;
    let text = query(7).join(" ");
    let hits = index.search(&journal, &Query::parse(&text), &selection, WINDOW, &mut |_, _| true)?;
    let seqs: Vec<u64> = hits.hits.iter().map(|hit| hit.seq).collect();
    for event in journal.events(&seqs, &view)? {
        let _ = hits.marker.snippet(&event.event.content.plain(), 160);
    }
    println!("{:.3}", cpu_time().as_secs_f64() * 1000.0);
    Ok(())
}

fn tail(index: &Index, journal: &SqliteJournal, events: u64) -> Result<()> {
    let selection = journal.select(&Filter::default(), &View::of(Audience::Owner))?;
    let longest = IndexOptions::default().tail_records_max;
    fill(journal, events + longest)?;
    let text = query(3).join(" ");
    for what in ["the first time", "again"] {
        let clock = Clock::start();
        let hits = index.search(journal, &Query::parse(&text), &selection, WINDOW, &mut |_, _| true)?;
        let (wall, cpu) = clock.stop();
        println!("tail of {} scanned {what}: {:.2} ms, {:.2} ms CPU", hits.scanned, ms(wall), ms(cpu));
    }
    fill(journal, events + longest + 1)?;
    let clock = Clock::start();
    let hits = index.search(journal, &Query::parse(&text), &selection, WINDOW, &mut |_, _| true)?;
    let (wall, cpu) = clock.stop();
    println!("one more, so indexed first: {:.2} ms, {:.2} ms CPU, {} scanned", ms(wall), ms(cpu), hits.scanned);
    Ok(())
}

pub(crate) fn time<T, E: Into<anyhow::Error>>(items: &[T], mut work: impl FnMut(&T) -> Result<(), E>) -> Result<Times> {
    for item in items.iter().take(50) {
        work(item).map_err(Into::into)?;
    }
    let mut walls = Vec::with_capacity(items.len());
    let all = Clock::start();
    for item in items {
        let start = Instant::now();
        work(item).map_err(Into::into)?;
        walls.push(start.elapsed());
    }
    walls.sort_unstable();
    Ok(Times { cpu: all.stop().1 / u32::try_from(items.len().max(1))?, walls })
}

pub(crate) struct Times {
    walls: Vec<Duration>,
    cpu: Duration,
}

pub(crate) fn report(what: &str, limit: &str, times: &Times) {
    let at = |part: usize| times.walls.get(times.walls.len() * part / 100).copied().unwrap_or_default();
    let limit = if limit.is_empty() { String::new() } else { format!("   ({limit})") };
    println!("{what:<36} p50 {:>6.2} ms  p95 {:>6.2} ms  CPU {:>6.2} ms{limit}", ms(at(50)), ms(at(95)), ms(times.cpu));
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub(crate) struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: cpu_time() }
    }

    pub(crate) fn stop(&self) -> (Duration, Duration) {
        (self.wall.elapsed(), cpu_time().saturating_sub(self.cpu))
    }
}

pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

pub(crate) fn anonymous_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}

/// Deterministic noise.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A rank in the vocabulary: the n-th word comes about 1/n as often as the first.
    pub(crate) fn rank(&mut self) -> u64 {
        let part = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        ((VOCABULARY as f64).powf(part) - 1.0) as u64
    }
}

/// The word of that rank: the common ones are short.
pub(crate) fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 20] = [
        "ra", "ne", "ti", "so", "lu", "ka", "me", "do", "pi", "ven", "tor", "mal", "ser", "bin", "gor", "fa", "hu",
        "jes", "wy", "zan",
    ];
    let mut word = String::new();
    let mut rest = rank + 1;
    while rest > 0 {
        word.push_str(SYLLABLES[(rest % 20) as usize]);
        rest /= 20;
    }
    word
}

/// The second half of a name: names come again like words do.
fn partner(rank: u64) -> String {
    word(rank.wrapping_mul(7919) % 3000)
}

pub(crate) fn text(n: u64) -> String {
    let mut noise = Noise(n);
    let mut text = String::with_capacity(600);
    while text.len() < 470 {
        let rank = noise.rank();
        match noise.next() % 40 {
            0 => {
                let mut second = partner(rank);
                if let Some(first) = second.get_mut(0..1) {
                    first.make_ascii_uppercase();
                }
                text.push_str(&format!("{}{second}()", word(rank)));
            }
            1 => text.push_str(&format!("src/{}/{}.rs:{}", word(rank % 500), partner(rank), noise.next() % 900)),
            2 => text.push_str(&format!("{}_{}", word(rank), partner(rank))),
            3 => text.push_str(&(noise.next() % 10_000).to_string()),
            _ => text.push_str(&word(rank)),
        }
        text.push(' ');
    }
    text
}

fn event(n: u64) -> Event {
    let session = format!("s{}", n / PER_SESSION);
    let kind = [Kind::UserMessage, Kind::AssistantMessage, Kind::ToolCall, Kind::ToolResult][(n % 4) as usize];
    let mut event = Event::new(Source::Recorder, &session, kind, Content::Text(text(n)));
    event.repo = format!("repo{}", n / PER_SESSION % 2);
    event.turn = Some(format!("{session}-{}", n % PER_SESSION / 10));
    event.time = Some(Time::from_ms(1_700_000_000_000 + (n * 1_733) as i64));
    event.identities = vec![Identity::Explicit];
    event
}

fn query(n: u64) -> [String; 3] {
    let mut noise = Noise(0x5eed_0000_0000 + n);
    [0, 1, 2].map(|_| word(noise.rank()))
}

fn phrase(n: u64) -> String {
    let text = text(n * 977);
    let words: Vec<&str> = text.split(' ').filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect();
    format!("\"{} {}\"", words.first().unwrap_or(&""), words.get(1).unwrap_or(&""))
}
