//! `memoir status`.

use super::{Context, embed, exclude, pause, times};
use crate::budget;
use crate::cli::JsonArgs;
use crate::dropped;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{Out, Style, count, size};
use anyhow::Result;
use memoir_capture::Counts;
use memoir_dream::{LeftOut, waiting_archives};
use memoir_event::{Client, format_ms};
use memoir_hook::{Fired, Late, fired, late};
use memoir_index::IndexStatus;
use memoir_install::Launcher;
use memoir_journal::{Journal, SqliteJournal, Stats};
use memoir_record::{OFF_FILE, SpoolListing};
use memoir_session::{TellingTally, silent_since, waiting_count};
use memoir_vectors::VectorsStatus;
use serde_json::{Value, json};

pub fn run(context: &Context, args: &JsonArgs) -> Result<Done> {
    let journal = context.existing_journal(Life::Short)?;
    let stats = journal.as_ref().map(Journal::stats).transpose()?.unwrap_or_default();
    let index = journal.as_ref().map(|journal| context.index().status(journal)).transpose()?.unwrap_or_default();
    let vectors = journal.as_ref().map(|journal| vectors(context, journal)).transpose()?.flatten();
    let spool = SpoolListing::read(&context.settings.spool_dir)?;
    let fired = journal.as_ref().map(|journal| fired(journal)).transpose()?.unwrap_or_default();
    let late = journal.as_ref().map(|journal| late(journal)).transpose()?.unwrap_or_default();
    let launcher = Launcher::in_home(context.home.dir());
    let purges = journal.as_ref().map(SqliteJournal::unfinished_purges).transpose()?.unwrap_or_default();
    let open = journal.as_ref().map(|journal| waiting_count(journal)).transpose()?.unwrap_or_default();
    let undreamt = journal.as_ref().map(|journal| waiting_archives(journal)).transpose()?.unwrap_or_default();
    let left_out = journal.as_ref().map(|journal| LeftOut::read(journal)).transpose()?.unwrap_or_default();
    let telling = journal.as_ref().map(|journal| TellingTally::read(journal)).transpose()?.unwrap_or_default();
    let silent = journal.as_ref().map(|journal| silent_since(journal)).transpose()?.flatten();
    let spent = journal.as_ref().map(|journal| budget::spent(journal)).transpose()?.unwrap_or_default();
    let kept_out = journal.as_ref().map(|journal| memoir_record::left_out(journal)).transpose()?.unwrap_or_default();
    let unread = journal.as_ref().map(|journal| memoir_record::unread(journal)).transpose()?.unwrap_or_default();
    let gone = journal.as_ref().map(|journal| memoir_record::gone(journal)).transpose()?.unwrap_or_default();
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
            "vectors": vectors.as_ref().map(embed::as_json),
            "spool": {"dir": context.settings.spool_dir, "records": spool.records, "files": spool.files.len(), "bytes": spool.bytes, "setAside": spool.quarantined, "unfinished": spool.unfinished},
            "serverUrl": context.settings.server_url,
            "hooks": fired.iter().filter(|one| one.is_event() || one.is_bad_payload()).map(|one| json!({
                "client": one.client, "event": one.event, "count": one.count, "lastAt": format_ms(one.last_ms),
            })).collect::<Vec<_>>(),
            "late": late.iter().map(|one| json!({
                "client": one.client, "count": one.count, "lastAt": format_ms(one.last_ms),
            })).collect::<Vec<_>>(),
            "program": program(&launcher),
            "pausedUntil": pause::paused_until(&context.home).map(|ms| if ms == i64::MAX { Value::from("unpause") } else { format_ms(ms).into() }),
            "excluded": {
                "paths": context.settings.exclude_paths, "tools": context.settings.exclude_tools,
                "patterns": context.settings.exclude_patterns, "privateMarkers": context.settings.private_markers,
                "offFile": OFF_FILE, "offHere": exclude::off_here(), "excludedHere": exclude::excluded_here(&context.settings),
            },
            "unfinishedPurges": purges,
            "uncommittedSessions": open,
            "dream": {"waitingArchives": undreamt, "leftOut": left_out},
            "model": {"tokensToday": spent, "dailyTokens": context.settings.model_budget.daily_tokens, "told": telling.told, "fellBack": telling.fell_back, "silentSince": silent.map(format_ms)},
            "pending": context.pending().count(),
            "gone": gone,
            "leftOutByHooks": kept_out,
            "unread": unread,
            "dropped": dropped::read(&context.home).0,
        }))?;
    } else {
        let vectors = vectors.as_ref().map(embed::described);
        let mut lines = lines(context, &stats, &index, vectors, &spool, &fired);
        if open > 0 {
            let text = format!("{} to be committed; see `memoir sessions --pending`", count(open as u64, "session"));
            lines.push(("open", text));
        }
        lines.extend(dreamt(undreamt as u64, &left_out).map(|text| ("dream", text)));
        lines.extend(model(context, spent, telling, silent).map(|text| ("model", text)));
        lines.extend(late.iter().map(|late| ("late", without_memory(late))));
        let said = |counts: &Counts| counts.iter().map(|(why, n)| format!("{why} {n}")).collect::<Vec<_>>().join(", ");
        if !kept_out.is_empty() {
            lines.push(("left out", format!("by hooks and runs, as you wish: {}", said(&kept_out))));
        }
        if !unread.is_empty() {
            lines.push(("unread", format!("lines of clients that `memoir exec` ran: {}", said(&unread))));
        }
        if gone > 0 {
            let were =
                format!("{} that hooks left for later were gone before they were read", count(gone, "session file"));
            lines.push(("gone", were));
        }
        if !purges.is_empty() {
            let text = "not all of it is erased yet; `memoir purge` finishes it";
            lines.push(("purge", format!("{}: {text}", purges.join(", "))));
        }
        for (name, text) in lines {
            let name = out.styled(Style::Dim, &format!("{name:>9}"));
            out.line(&format!("{name}  {text}"))?;
        }
    }
    out.flush()?;
    Ok(Done::Well)
}

/// What the configured model took and did, if there is one or was.
fn model(context: &Context, spent: u64, telling: TellingTally, silent: Option<i64>) -> Option<String> {
    let settings = &context.settings;
    if !settings.has_model() && spent + telling.told + telling.fell_back == 0 {
        return None;
    }
    let limit = settings.model_budget.daily_tokens;
    let of = if limit > 0 { format!(" of {limit}") } else { String::new() };
    let told = format!("{} told by a model", count(telling.told, "archive"));
    let own = format!("{} as the rules chose them", telling.fell_back);
    let went = match (telling.told, telling.fell_back) {
        (0, 0) => String::new(),
        (_, 0) => format!("; {told}"),
        _ => format!("; {told}, {own}"),
    };
    let silent = silent.map(|ms| format!("; it told nothing when asked last, {}", times::local(ms)));
    Some(format!("{spent}{of} tokens today{went}{}", silent.unwrap_or_default()))
}

/// What waits to be dreamt, and what dreaming left out.
fn dreamt(waiting: u64, left_out: &LeftOut) -> Option<String> {
    let counts = [
        (left_out.private, "kept out as you asked"),
        (left_out.passing, "passing"),
        (left_out.hearsay, "hearsay"),
        (left_out.outweighed, "outweighed"),
        (left_out.forgotten, "forgotten before"),
        (left_out.withheld, "not to be seen"),
    ];
    let waits = (waiting > 0).then(|| format!("{} to be dreamt", count(waiting, "archive")));
    let told: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let left = (!told.is_empty()).then(|| format!("left out: {}", told.join(", ")));
    let parts: Vec<String> = waits.into_iter().chain(left).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Where vectors stand, if somebody wants them or there are some.
fn vectors(context: &Context, journal: &dyn Journal) -> Result<Option<VectorsStatus>> {
    if context.settings.embeddings.url.is_none() && !context.home.vectors_dir().exists() {
        return Ok(None);
    }
    let redactor = context.settings.redactor()?;
    Ok(Some(context.vectors().status(journal, &redactor)?))
}

fn lines(
    context: &Context,
    stats: &Stats,
    index: &IndexStatus,
    vectors: Option<String>,
    spool: &SpoolListing,
    fired: &[Fired],
) -> Vec<(&'static str, String)> {
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
    lines.extend(vectors.map(|vectors| ("vectors", vectors)));
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
    for client in Client::ALL {
        let of_client = || fired.iter().filter(|one| one.client == *client && one.is_event());
        if let Some(last_ms) = of_client().map(|one| one.last_ms).max() {
            let calls = of_client().map(|one| one.count).sum();
            lines.push(("hooks", format!("{client} called {}, last {}", times_said(calls), times::local(last_ms))));
        }
    }
    let launcher = Launcher::in_home(context.home.dir());
    if launcher.is_dangling() {
        lines.push(("program", format!("{} leads nowhere; see `memoir doctor`", launcher.path().display())));
    }
    if let Some(until_ms) = pause::paused_until(&context.home) {
        lines.push(("paused", format!("until {}", pause::until(until_ms))));
    }
    for (what, names) in exclude::excluded(&context.settings) {
        if !names.is_empty() {
            lines.push(("excluded", format!("{what}: {}", names.join(", "))));
        }
    }
    if let Some(file) = exclude::off_here() {
        lines.push(("off", format!("this project is not recorded: {} says so", file.display())));
    }
    if let Some(path) = exclude::excluded_here(&context.settings) {
        lines.push(("off", format!("this directory is not recorded: {path} is excluded")));
    }
    let pending = context.pending().count() as u64;
    if pending > 0 {
        lines.push(("pending", format!("{} to be read", count(pending, "session file"))));
    }
    let (dropped, _) = dropped::read(&context.home);
    if dropped > 0 {
        lines.push(("dropped", format!("{}; see `memoir doctor`", count(dropped, "event"))));
    }
    lines
}

/// Where hooks find memoir; nothing if none were installed here.
fn program(launcher: &Launcher) -> Value {
    if !launcher.is_alive() && !launcher.is_dangling() {
        return Value::Null;
    }
    json!({"link": launcher.path(), "leadsTo": launcher.target(), "found": launcher.is_alive()})
}

/// How often a client's prompts went on before recall was done.
pub fn without_memory(late: &Late) -> String {
    let times = times_said(late.count);
    format!("{} went on without memory {times}, last {}: recall took too long", late.client, times::local(late.last_ms))
}

fn times_said(calls: u64) -> String {
    if calls == 1 { "once".to_owned() } else { format!("{calls} times") }
}
