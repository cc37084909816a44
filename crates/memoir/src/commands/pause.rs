//! `memoir pause` and `memoir unpause`, and what was paused when.

use super::{Context, times};
use crate::cli::PauseArgs;
use crate::exit::{Done, Usage};
use crate::home::{Home, now_ms};
use crate::print::Out;
use anyhow::{Context as _, Result};
use std::fs;

/// The end of a pause that has none.
const OPEN: &str = "-";

/// Every pause there was: from when until when, in milliseconds since 1970. Kept for good: what happened in one is not
/// to be imported later.
pub fn pauses(home: &Home) -> Vec<(i64, i64)> {
    let text = fs::read_to_string(home.pause_file()).unwrap_or_default();
    text.lines().filter(|line| !line.trim().is_empty()).map(pause).collect()
}

fn pause(line: &str) -> (i64, i64) {
    let (from, until) = line.trim().split_once(' ').unwrap_or((line, OPEN));
    // A line that cannot be understood still says that somebody wanted a pause.
    (from.parse().unwrap_or(i64::MIN), until.parse().unwrap_or(i64::MAX))
}

/// Until when nothing is recorded; none if it is.
pub fn paused_until(home: &Home) -> Option<i64> {
    let now_ms = now_ms();
    pauses(home).into_iter().filter(|(from_ms, until_ms)| (*from_ms..*until_ms).contains(&now_ms)).map(|p| p.1).max()
}

/// Whether nothing is recorded now.
pub fn is_paused(home: &Home) -> bool {
    paused_until(home).is_some()
}

/// How people read the end of a pause.
pub fn until(until_ms: i64) -> String {
    if until_ms == i64::MAX { "`memoir unpause`".to_owned() } else { times::local(until_ms) }
}

pub fn run(context: &Context, args: &PauseArgs) -> Result<Done> {
    let now_ms = now_ms();
    let until_ms = match args.length.as_deref() {
        None => i64::MAX,
        Some(text) => {
            let length = times::length(text)
                .ok_or_else(|| Usage(format!("`{text}` is no length of time: try 30m, 1h or 2d")))?;
            now_ms.saturating_add(length)
        }
    };
    context.home.prepare()?;
    // A pause in force ends where the new one begins.
    let mut all = ended(&context.home, now_ms);
    all.push((now_ms, until_ms));
    write(&context.home, &all)?;
    say(&format!("nothing is recorded until {}", until(until_ms)))
}

pub fn end(context: &Context) -> Result<Done> {
    if !is_paused(&context.home) {
        return say("recording is not paused");
    }
    write(&context.home, &ended(&context.home, now_ms()))?;
    say("recording goes on; what happened in the pause stays unrecorded")
}

/// Every pause, none of them going on.
fn ended(home: &Home, now_ms: i64) -> Vec<(i64, i64)> {
    pauses(home).into_iter().map(|(from_ms, until_ms)| (from_ms, until_ms.min(now_ms))).collect()
}

fn write(home: &Home, all: &[(i64, i64)]) -> Result<()> {
    let end = |until_ms: i64| if until_ms == i64::MAX { OPEN.to_owned() } else { until_ms.to_string() };
    let text: String = all.iter().map(|(from_ms, until_ms)| format!("{from_ms} {}\n", end(*until_ms))).collect();
    let file = home.pause_file();
    memoir_install::write_atomically(&file, text.as_bytes(), None).with_context(|| "the pause is not in force")
}

fn say(text: &str) -> Result<Done> {
    let mut out = Out::new();
    out.line(text)?;
    out.flush()?;
    Ok(Done::Well)
}
