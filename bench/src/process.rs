//! Times, CPU and memory of child processes.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a child process cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// On the processor, in user and system mode.
    pub cpu: Duration,
    /// The most memory that it held at once; never less than what the bench itself holds when it starts the process.
    pub peak_bytes: u64,
}

/// The binary to measure: the named one, or the one built beside this.
pub fn memoir(named: Option<&Path>) -> Result<PathBuf> {
    let memoir = match named {
        // The child may run elsewhere.
        Some(path) => path.canonicalize()?,
        None => std::env::current_exe()?.parent().context("where am I")?.join("memoir"),
    };
    anyhow::ensure!(memoir.exists(), "{} is missing: cargo build --release -p memoir", memoir.display());
    Ok(memoir)
}

/// Runs a command with that input file and waits for it.
pub fn run(command: &mut Command, input: Option<&Path>) -> Result<Cost> {
    let stdin = match input {
        Some(path) => Stdio::from(File::open(path)?),
        None => Stdio::null(),
    };
    command.stdin(stdin).stdout(Stdio::null());
    measure(command).map(|(cost, _)| cost)
}

/// Runs a command and gives what it prints.
pub fn output(command: &mut Command) -> Result<(Cost, Vec<u8>)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    measure(command)
}

fn measure(command: &mut Command) -> Result<(Cost, Vec<u8>)> {
    let begun = Instant::now();
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let mut printed = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_end(&mut printed)?;
    }
    let used = child.wait4()?;
    let wall = begun.elapsed();
    anyhow::ensure!(used.status.success(), "{command:?} ended with {}", used.status);
    Ok((Cost { wall, cpu: used.rusage.utime + used.rusage.stime, peak_bytes: used.rusage.maxrss }, printed))
}

/// The cost of a process that does nothing.
pub fn empty() -> Result<Cost> {
    run(Command::new(std::env::current_exe()?).arg("noop"), None)
}

/// Runs a command many times: the median wall time of a run, and the mean CPU time.
pub fn repeat(runs: u32, one: impl FnMut(u32) -> Result<Cost>) -> Result<Cost> {
    let costs: Vec<Cost> = (0..runs).map(one).collect::<Result<_>>()?;
    let cpu = costs.iter().map(|cost| cost.cpu).sum::<Duration>() / runs.max(1);
    let peak_bytes = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
    Ok(Cost { wall: part(costs.iter().map(|cost| cost.wall), 50), cpu, peak_bytes })
}

/// The time that so many per cent of these do not exceed.
pub fn part(times: impl Iterator<Item = Duration>, percent: usize) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}

/// A file to which a little is written at a time, and synced.
pub struct Synced(File);

impl Synced {
    /// A new one in that directory.
    pub fn new(dir: &Path) -> Result<Synced> {
        Ok(Synced(File::create(dir.join("sync"))?))
    }

    /// What 500 bytes more take.
    pub fn write(&mut self) -> Result<Duration> {
        let begun = Instant::now();
        self.0.write_all(&[7; 500])?;
        self.0.sync_data()?;
        Ok(begun.elapsed())
    }
}

/// Milliseconds with two digits.
pub fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

/// Whether a limit is met, for people to see.
pub fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
