//! `memoir watch`.

use super::{Context, import, pause, times};
use crate::cli::WatchArgs;
use crate::clients;
use crate::exit::Done;
use crate::home::{Life, now_ms};
use crate::print::{self, Out};
use crate::stop;
use anyhow::Result;
use memoir_event::{Client, format_ms};
use memoir_journal::SqliteJournal;
use memoir_record::{Found, ImportSummary, SourceFile, Wanted};
use serde_json::json;
use std::time::{Duration, Instant};

/// How often to look at files that are being written to.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often to look for other files.
const SEARCH_EVERY: Duration = Duration::from_secs(10);

/// A file is being written to if it was changed within this time.
const HOT_MS: i64 = 15 * 60_000;

/// How soon a signal is noticed.
const STEP: Duration = Duration::from_millis(50);

pub fn run(context: &Context, args: &WatchArgs) -> Result<Done> {
    let wanted = Wanted { clients: args.client.iter().map(|name| name.client()).collect(), ..Wanted::default() };
    let first = import::import(context, &wanted, false)?;
    say(&first, args.json)?;
    let stop = stop::on_signal()?;
    let journal = context.journal(Life::Long)?;
    if !args.json && !first.stopped {
        print::warn("watching; Ctrl-C ends it");
    }
    let mut hot: Vec<SourceFile> = Vec::new();
    let mut searched: Option<Instant> = None;
    while !stop::requested(&stop) && !first.stopped {
        let is_search = searched.is_none_or(|at| at.elapsed() >= SEARCH_EVERY);
        let files = if is_search {
            searched = Some(Instant::now());
            let found = wanted.find(&clients::dirs()).files;
            hot = found.iter().filter(|file| now_ms() - file.modified_ms < HOT_MS).cloned().collect();
            context.catch_up_with_others(&journal);
            found
        } else {
            hot.clone()
        };
        if !pause::is_paused(&context.home) && !files.is_empty() {
            let summary = read(context, &journal, files)?;
            say(&summary, args.json)?;
        }
        let begun = Instant::now();
        while begun.elapsed() < LOOK_EVERY && !stop::requested(&stop) {
            std::thread::sleep(STEP);
        }
    }
    Ok(Done::Well)
}

fn read(context: &Context, journal: &SqliteJournal, files: Vec<SourceFile>) -> Result<ImportSummary> {
    context.with_importer(journal, |importer| {
        let found = Found { files, ..Found::default() };
        Ok(importer.import(found, &mut |_| {})?)
    })
}

/// Tells of what is new, by client; of nothing, nothing.
fn say(summary: &ImportSummary, json: bool) -> Result<()> {
    for problem in &summary.problems {
        let what: Vec<String> = problem.problems.iter().map(|(what, n)| format!("{what} ({n})")).collect();
        print::warn(&format!("{}: {}", problem.path.display(), what.join(", ")));
    }
    if summary.stored + summary.revised == 0 {
        return Ok(());
    }
    let clients: Vec<Client> =
        summary.clients.iter().filter(|(_, one)| one.events > 0).map(|(client, _)| *client).collect();
    let mut out = Out::new();
    if json {
        out.json(&json!({
            "at": format_ms(now_ms()), "clients": clients, "stored": summary.stored, "revised": summary.revised,
            "duplicate": summary.duplicate,
        }))?;
    } else {
        let names: Vec<&str> = clients.iter().map(|client| client.as_str()).collect();
        let fuller = if summary.revised > 0 { format!(", {} fuller", summary.revised) } else { String::new() };
        out.line(&format!("{}  {}: {} new{fuller}", times::local(now_ms()), names.join(", "), summary.stored))?;
    }
    Ok(out.flush()?)
}
