//! Times and CPU of child processes.

use anyhow::{Context, Result};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a child process cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// On the processor, in user and system mode.
    pub cpu: Duration,
}

/// CPU time of all children that have ended so far, in clock ticks of 10 ms summed from exact times.
fn children_cpu() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("CPU time of children is read from /proc")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    // After the command's name come its state and numbers; cutime and cstime are the 14th and 15th of these fields.
    let ticks: u64 = fields.iter().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

/// Runs a command with that input file and waits for it.
pub fn run(command: &mut Command, input: Option<&std::path::Path>) -> Result<Cost> {
    let stdin = match input {
        Some(path) => Stdio::from(std::fs::File::open(path)?),
        None => Stdio::null(),
    };
    let before = children_cpu()?;
    let begun = Instant::now();
    let status = command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let wall = begun.elapsed();
    anyhow::ensure!(status.success(), "{command:?} ended with {status}");
    Ok(Cost { wall, cpu: children_cpu()?.saturating_sub(before) })
}

/// Runs a command many times: the median wall time of a run, and the mean CPU time.
pub fn repeat(runs: u32, mut one: impl FnMut(u32) -> Result<Cost>) -> Result<Cost> {
    let mut walls = Vec::new();
    let before = children_cpu()?;
    for run in 0..runs {
        walls.push(one(run)?.wall);
    }
    let cpu = (children_cpu()?.saturating_sub(before)) / runs.max(1);
    walls.sort_unstable();
    Ok(Cost { wall: walls.get(walls.len() / 2).copied().unwrap_or_default(), cpu })
}

/// Milliseconds with two digits.
pub fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
