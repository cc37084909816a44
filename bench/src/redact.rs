//! Redaction: recall and false alarms on a labelled set, throughput on transcripts, cost in a cold process.

#[path = "../../crates/memoir-redact/tests/redact/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use memoir_redact::{Findings, Redactor};

/// `memoir-bench redact`
#[derive(clap::Args)]
pub struct RedactArgs {
    /// JSON lines with `text`, `secret`, `rule` and `from`
    #[arg(long)]
    labelled: Option<PathBuf>,
    /// Print what was missed and what was a false alarm, with the texts
    #[arg(long)]
    verbose: bool,
    /// Transcripts to measure the speed on: files or directories, `.gz` too
    #[arg(long, num_args = 1..)]
    corpus: Vec<PathBuf>,
    /// Print each piece of the corpus that redaction changes, up to this many
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// Do nothing but redact 500 bytes once: run under `perf stat` for the cost of a cold process
    #[arg(long)]
    cold: bool,
}

/// Measures what the arguments ask for.
pub fn run(args: &RedactArgs) -> Result<()> {
    if args.cold {
        return cold();
    }
    if let Some(path) = &args.labelled {
        labelled(path, args)?;
    }
    own_corpus();
    if !args.corpus.is_empty() {
        throughput(args)?;
    }
    Ok(())
}

#[derive(Default)]
struct Score {
    secrets: usize,
    found: usize,
    negatives: usize,
    alarms: usize,
}

impl Score {
    fn print(&self, what: &str) {
        let percent = |n: usize, of: usize| if of == 0 { 0.0 } else { 100.0 * n as f64 / of as f64 };
        println!(
            "{what:<22} recall {:>5.1} % ({}/{})   false alarms {:>5.1} % ({}/{})",
            percent(self.found, self.secrets),
            self.found,
            self.secrets,
            percent(self.alarms, self.negatives),
            self.alarms,
            self.negatives
        );
    }
}

fn labelled(path: &Path, args: &RedactArgs) -> Result<()> {
    let redactor = Redactor::builtin();
    let lines = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut all = Score::default();
    for line in lines.lines().filter(|l| !l.trim().is_empty()) {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let (Some(text), Some(secret)) = (row["text"].as_str(), row["secret"].as_bool()) else {
            bail!("a line without `text` or `secret`");
        };
        let out = redactor.text(text);
        let changed = out != text;
        let from = row["from"].as_str().unwrap_or("").to_owned();
        for score in [&mut all, scores.entry(from).or_default()] {
            if secret {
                score.secrets += 1;
                score.found += usize::from(changed);
            } else {
                score.negatives += 1;
                score.alarms += usize::from(changed);
            }
        }
        if args.verbose && secret != changed {
            let kind = if secret { "missed" } else { "alarm" };
            println!("{kind} {} {}: {text:?}\n    -> {out:?}", row["from"], row["rule"]);
        }
    }
    for (from, score) in &scores {
        score.print(from);
    }
    all.print("labelled set");
    Ok(())
}

/// The agent-transcript corpus of the crate's tests.
fn own_corpus() {
    let redactor = Redactor::builtin();
    let positives = corpus::positives(7);
    let negatives = corpus::negatives(11, positives.len());
    let found = positives.iter().filter(|(text, secret)| !redactor.text(text).contains(secret.as_str())).count();
    let alarms = negatives.iter().filter(|text| redactor.text(text) != text.as_str()).count();
    Score { secrets: positives.len(), found, negatives: negatives.len(), alarms }.print("own corpus");
}

/// A fixed text of 500 bytes with one secret in it.
fn cold() -> Result<()> {
    let mut text = "the tests pass again after the change in src/main.rs; next is the parser. ".repeat(6);
    text.push_str("export DB_PASSWORD=");
    text.push_str(&"correct-horse-9".repeat(2));
    let start = Instant::now();
    let redactor = Redactor::builtin();
    let out = redactor.text(&text).len();
    let first = start.elapsed();
    let start = Instant::now();
    let again = redactor.text(&text).len();
    println!("first {first:?}, second {:?} ({} bytes; {out}, {again})", start.elapsed(), text.len());
    Ok(())
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                out.push(entry?.path());
            }
        } else {
            out.push(path.clone());
        }
    }
    out.sort();
    Ok(out)
}

fn read(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|e| e == "gz") {
        let mut child =
            std::process::Command::new("gzip").arg("-dc").arg(path).stdout(std::process::Stdio::piped()).spawn()?;
        child.stdout.take().context("gzip has no output")?.read_to_end(&mut bytes)?;
        child.wait()?;
    } else {
        bytes = std::fs::read(path)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn throughput(args: &RedactArgs) -> Result<()> {
    let redactor = Redactor::builtin();
    let mut lines: Vec<String> = Vec::new();
    for file in files(&args.corpus)? {
        lines.extend(read(&file)?.lines().map(str::to_owned));
    }
    let texts: Vec<String> = lines
        .iter()
        .flat_map(|l| serde_json::from_str::<serde_json::Value>(l).map(strings).unwrap_or_default())
        .collect();
    let bytes = |v: &[String]| v.iter().map(String::len).sum::<usize>();
    let rate = |n: usize, t: Duration| n as f64 / t.as_secs_f64() / 1e6;
    let timed = |f: &mut dyn FnMut()| {
        (0..3)
            .map(|_| {
                let start = cpu_time();
                f();
                cpu_time().saturating_sub(start)
            })
            .min()
            .unwrap_or_default()
    };
    println!(
        "corpus: {} lines of {:.1} MB, {} strings of {:.1} MB",
        lines.len(),
        bytes(&lines) as f64 / 1e6,
        texts.len(),
        bytes(&texts) as f64 / 1e6
    );
    let mut found = Findings::default();
    let mut changed = 0;
    for text in &texts {
        let out = redactor.text_with(text, &mut found);
        if out != text.as_str() {
            changed += 1;
            if changed <= args.show {
                show(text, &out);
            }
        }
    }
    println!("text: {changed} of {} strings changed, {} findings", texts.len(), found.total());
    for (rule, count) in &found {
        println!("    {count:>7} {rule}");
    }
    let mut sum = 0usize;
    let copy = timed(&mut || sum += texts.iter().map(|t| std::hint::black_box(t.clone()).len()).sum::<usize>());
    let scan = timed(&mut || sum += texts.iter().map(|t| t.bytes().filter(|b| *b == b'~').count()).sum::<usize>());
    let text = timed(&mut || sum += texts.iter().map(|t| redactor.text(t).len()).sum::<usize>());
    let json = timed(&mut || sum += lines.iter().map(|l| redactor.json(l).len()).sum::<usize>());
    let check = timed(&mut || {
        sum += lines.iter().filter(|l| serde_json::from_str::<Box<serde_json::value::RawValue>>(l).is_ok()).count()
    });
    println!("throughput per second of CPU, best of 3, one core ({sum}):");
    println!("    copy        {:>8.0} MB/s (limit)", rate(bytes(&texts), copy));
    println!("    count bytes {:>8.0} MB/s (limit)", rate(bytes(&texts), scan));
    println!("    parse JSON  {:>8.0} MB/s (serde_json, nothing kept)", rate(bytes(&lines), check));
    println!("    text        {:>8.0} MB/s", rate(bytes(&texts), text));
    println!("    json        {:>8.0} MB/s", rate(bytes(&lines), json));
    Ok(())
}

/// Time that this thread has spent on a core: a busy machine does not change it much. Zero where it is not known.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    Duration::from_nanos(nanos)
}

/// All strings of a JSON value.
fn strings(value: serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(s) => vec![s],
        serde_json::Value::Array(a) => a.into_iter().flat_map(strings).collect(),
        serde_json::Value::Object(o) => o.into_iter().flat_map(|(_, v)| strings(v)).collect(),
        _ => Vec::new(),
    }
}

/// The first place where two texts differ, with what is around it.
fn show(before: &str, after: &str) {
    let at = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let cut = |s: &str| {
        let from = (0..=at.saturating_sub(50)).rev().find(|&i| s.is_char_boundary(i)).unwrap_or(0);
        s[from..].chars().take(130).collect::<String>()
    };
    println!("- {:?}\n+ {:?}", cut(before), cut(after));
}
