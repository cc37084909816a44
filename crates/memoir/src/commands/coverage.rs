//! `memoir coverage`.

use super::{Context, times};
use crate::cli::CoverageArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, count, size, table};
use anyhow::Result;
use memoir_event::{Client, parse_ms};
use memoir_journal::{Audience, Filter, Journal, View};
use memoir_record::{ReadState, Wanted};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// So much of a file is read to see when it was begun.
const HEAD_BYTES: u64 = 64 << 10;

/// Under which clients tell when a record is from.
const TIME_KEYS: [&str; 2] = ["\"timestamp\"", "\"startTime\""];

/// So many sessions are counted at most.
const SESSIONS_MAX: usize = 1_000_000;

/// A day of one client.
#[derive(Default)]
struct Day {
    files: u64,
    bytes: u64,
    whole: u64,
    left_bytes: u64,
    events: u64,
    problems: u64,
    sessions: u64,
}

/// When the first record of a session file was written, as far as its beginning tells.
fn begun_ms(file: &Path) -> Option<i64> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let is_database = head.starts_with(b"SQLite format");
    if is_database { None } else { first_time(&String::from_utf8_lossy(&head)) }
}

/// The first time that stands under a key of a record; what stands in a text has its quotes escaped.
fn first_time(text: &str) -> Option<i64> {
    let of = |key: &str| {
        text.match_indices(key).find_map(|(at, _)| {
            let rest = text.get(at + key.len()..)?.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
            let ms = parse_ms(rest.get(..rest.find('"')?)?).ok()?;
            Some((at, ms))
        })
    };
    TIME_KEYS.iter().filter_map(|key| of(key)).min().map(|(_, ms)| ms)
}

pub fn run(context: &Context, args: &CoverageArgs) -> Result<Done> {
    let clients: Vec<Client> = args.client.iter().map(|name| name.client()).collect();
    let since_ms = args.since.as_deref().map(times::parse).transpose()?;
    let wanted = Wanted { clients: clients.clone(), since_ms, ..Wanted::default() };
    let journal = context.journal(Life::Short)?;
    let (files, unreadable) = context.with_importer(&journal, |importer| {
        let found = wanted.find(importer.dirs);
        Ok((importer.coverage(&found)?, found.unreadable))
    })?;
    let mut days: BTreeMap<(Client, String), Day> = BTreeMap::new();
    for one in &files {
        let begun_ms = begun_ms(&one.file.path).unwrap_or(one.file.modified_ms);
        let day = days.entry((one.file.format.client(), times::day_of(begun_ms))).or_default();
        day.files += 1;
        day.bytes += one.file.bytes;
        day.events += one.events;
        day.problems += one.problems;
        match one.state {
            ReadState::Whole => day.whole += 1,
            ReadState::Behind(bytes) => day.left_bytes += bytes,
            ReadState::Unread => day.left_bytes += one.file.bytes,
        }
    }
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    for session in journal.sessions(&Filter::default(), &view, SESSIONS_MAX, 0)? {
        let Some(client) = session.client.filter(|client| clients.is_empty() || clients.contains(client)) else {
            continue;
        };
        if since_ms.is_none_or(|since_ms| session.last_ms >= since_ms) {
            days.entry((client, times::day_of(session.first_ms))).or_default().sessions += 1;
        }
    }
    let mut out = Out::new();
    if args.json {
        for ((client, date), day) in days.iter().rev() {
            out.json(&json!({
                "client": client, "day": date, "files": day.files, "bytes": day.bytes, "filesRead": day.whole,
                "bytesLeft": day.left_bytes, "eventsFromFiles": day.events, "problems": day.problems,
                "sessionsInJournal": day.sessions,
            }))?;
        }
    } else {
        let heads = ["client", "day", "files", "size", "read", "left", "events", "problems", "sessions"];
        let lines: Vec<Vec<String>> = days
            .iter()
            .rev()
            .map(|((client, date), day)| {
                vec![
                    client.to_string(),
                    date.clone(),
                    day.files.to_string(),
                    size(day.bytes),
                    day.whole.to_string(),
                    size(day.left_bytes),
                    day.events.to_string(),
                    day.problems.to_string(),
                    day.sessions.to_string(),
                ]
            })
            .collect();
        table(&mut out, &heads, &lines)?;
        let left: u64 = days.values().map(|day| day.files - day.whole).sum();
        let said = match left {
            0 => "every session file on disk is in the journal".to_owned(),
            left => format!("{} with something that is not in the journal: run `memoir import`", count(left, "file")),
        };
        out.line(&said)?;
    }
    out.flush()?;
    for one in &unreadable {
        print::warn(&format!("{}: {}", one.path.display(), one.reason));
    }
    Ok(if unreadable.is_empty() { Done::Well } else { Done::Partly })
}
