//! `memoir status`.

use super::{Context, times};
use crate::cli::JsonArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{Out, Style, count, size};
use anyhow::Result;
use memoir_event::format_ms;
use memoir_index::IndexStatus;
use memoir_journal::{Journal, Stats};
use memoir_record::SpoolListing;
use serde_json::json;

pub fn run(context: &Context, args: &JsonArgs) -> Result<Done> {
    let journal = context.existing_journal(Life::Short)?;
    let stats = journal.as_ref().map(Journal::stats).transpose()?.unwrap_or_default();
    let index = journal.as_ref().map(|journal| context.index().status(journal)).transpose()?.unwrap_or_default();
    let spool = SpoolListing::read(&context.settings.spool_dir)?;
    let mut out = Out::new();
    if args.json {
        out.json(&json!({
            "home": context.home.dir(),
            "journal": {
                "events": stats.events, "records": stats.records, "sessions": stats.sessions,
                "forgotten": stats.forgotten, "redactions": stats.redactions, "bytes": stats.bytes,
                "lastRecordedAt": stats.last_at_ms.map(format_ms),
            },
            "index": {"indexed": index.indexed, "waiting": index.last.saturating_sub(index.indexed), "bytes": index.bytes, "problem": index.problem},
            "spool": {"dir": context.settings.spool_dir, "records": spool.records, "files": spool.files.len(), "bytes": spool.bytes, "setAside": spool.quarantined, "unfinished": spool.unfinished},
            "serverUrl": context.settings.server_url,
        }))?;
    } else {
        for (name, text) in lines(context, &stats, &index, &spool) {
            let name = out.styled(Style::Dim, &format!("{name:>9}"));
            out.line(&format!("{name}  {text}"))?;
        }
    }
    out.flush()?;
    Ok(Done::Well)
}

fn lines(context: &Context, stats: &Stats, index: &IndexStatus, spool: &SpoolListing) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("home", context.home.dir().display().to_string()),
        (
            "journal",
            format!("{} in {}, {}", count(stats.events, "event"), count(stats.sessions, "session"), size(stats.bytes)),
        ),
    ];
    if let Some(at_ms) = stats.last_at_ms {
        lines.push(("last", times::local(at_ms)));
    }
    lines.push(("redacted", format!("{} taken out on the way in", count(stats.redactions, "secret"))));
    if stats.forgotten > 0 {
        lines.push(("forgotten", count(stats.forgotten, "event")));
    }
    let waiting = index.last.saturating_sub(index.indexed);
    lines.push((
        "index",
        match &index.problem {
            Some(problem) => format!("not usable ({problem}); the next search rebuilds it"),
            None => format!(
                "{}, {}; the newest {} are searched without it",
                count(index.events, "event"),
                size(index.bytes),
                count(waiting, "record")
            ),
        },
    ));
    lines.push((
        "spool",
        format!(
            "{} waiting ({}), {} set aside",
            count(spool.records, "record"),
            size(spool.bytes),
            count(spool.quarantined, "file")
        ),
    ));
    if let Some(url) = &context.settings.server_url {
        lines.push(("server", format!("events go to {url}")));
    }
    lines
}
