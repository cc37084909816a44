//! `memoir ingest`.

mod sdk;

use super::context::project_at;
use super::remote::{connect, existing, forgotten_in};
use super::{Context, pause};
use crate::cli::{IngestArgs, IngestFormat};
use crate::exit::Done;
use crate::home::{Life, system_clock};
use crate::print::{self, Out};
use crate::stop;
use anyhow::Result;
use memoir_journal::Journal;
use memoir_record::{
    End, Forgotten, LocalOptions, LocalRecorder, LocalSummary, Notice, OnBadLine, Place, Polled, RemoteOptions,
    RemoteRecorder, RemoteSummary, Target, rename_project, whole_sentence,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

pub fn run(context: &Context, args: &IngestArgs) -> Result<Done> {
    if let Some(until_ms) = pause::paused_until(&context.home) {
        anyhow::bail!("recording is paused until {}: nothing was recorded", pause::until(until_ms));
    }
    if args.format == IngestFormat::CodexSdk {
        return sdk::run(context, args);
    }
    let settings = &context.settings;
    let redactor = settings.redactor()?;
    let clock = system_clock();
    let stop = stop::on_signal()?;
    let spool = context.spool()?;
    let cwd = std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned());
    let actor = args.actor.clone().or_else(|| context.actor());
    let seen = Mutex::new(BTreeSet::new());
    let repo_of = |dir: Option<&str>| {
        args.repo.clone().unwrap_or_else(|| {
            let project = project_at(dir);
            if let (Some(path_id), Ok(mut seen)) = (project.path_id, seen.lock()) {
                seen.insert((path_id, project.id.clone()));
            }
            project.id
        })
    };
    let place = Place { cwd: cwd.as_deref(), actor: actor.as_deref(), repo_of: &repo_of };
    let event_bytes_max = number(args.max_event_bytes, settings.max_event_bytes);
    let on_bad_line = if args.strict { OnBadLine::Stop } else { OnBadLine::Report };
    let flush_interval = Duration::from_millis(args.flush_interval_ms.unwrap_or(settings.flush_interval_ms));
    let mut input = Polled(unbuffered_stdin()?);

    if let Some(url) = args.server_url.as_deref().or(settings.server_url.as_deref()) {
        let client = connect(settings, url)?;
        let batch_records_max = number(args.batch_max_records, settings.batch_max_records);
        let journal = existing(context);
        let forgotten = journal.as_ref().map(|journal| forgotten_in(journal, &redactor));
        let options = RemoteOptions {
            forgotten: forgotten.as_ref().map(|told| told as &Forgotten<'_>),
            event_bytes_max,
            on_bad_line,
            flush_interval,
            batch_records_max,
            ..RemoteOptions::new(place)
        };
        let recorder =
            RemoteRecorder { client: &client, spool: &spool, redactor: &redactor, clock: &clock, options, stop: &stop };
        let summary = recorder.ingest(&mut input, &mut tell)?;
        return finish_remote(&summary, args.json);
    }

    context.home.prepare()?;
    // A journal that cannot be opened must not cost the events: they wait in the spool for the next process.
    let journal = match context.journal(Life::Short) {
        Ok(journal) => Some(journal),
        Err(error) => {
            print::warn(&format!("{error:#}"));
            None
        }
    };
    let target = journal.as_ref().map_or(Target::Spool, |journal| Target::Journal(journal as &dyn Journal));
    let options = LocalOptions { event_bytes_max, on_bad_line, flush_interval, ..LocalOptions::new(place) };
    let recorder = LocalRecorder { target, spool: &spool, redactor: &redactor, clock: &clock, options, stop: &stop };
    let summary = recorder.ingest(&mut input, &mut tell)?;
    if let Some(journal) = &journal {
        for (path_id, id) in seen.into_inner().unwrap_or_default() {
            rename_project(journal, &redactor, &clock, &path_id, &id)?;
        }
    }
    finish_local(&summary, args.json)
}

/// Standard input without a buffer of its own: what has been read cannot hide from a wait for more.
#[cfg(unix)]
pub fn unbuffered_stdin() -> Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(std::fs::File::from(std::io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
pub fn unbuffered_stdin() -> Result<std::io::Stdin> {
    Ok(std::io::stdin())
}

fn number(flag: Option<u64>, setting: usize) -> usize {
    flag.map_or(setting, |n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// Says what happened while it happens.
pub fn tell(notice: Notice) {
    print::warn(&match notice {
        Notice::Line(problem) => problem.to_string(),
        Notice::Spooled { records, path, reason } => {
            let (n, s) = (
                print::count(u64::try_from(records).unwrap_or(u64::MAX), "record"),
                if records == 1 { "s" } else { "" },
            );
            format!("{n} wait{s} in {}: {reason}", path.display())
        }
        Notice::SetAside { path, reason } => format!("a record was set aside in {}: {reason}", path.display()),
        Notice::Quarantined { path } => format!("unreadable lines of the spool were set aside in {}", path.display()),
        Notice::Recovered(recovered) => format!(
            "{} records of a killed process were found in the spool; {} files of it cannot be read",
            recovered.records, recovered.quarantined
        ),
        Notice::Waiting { reason } => format!("what waits in the spool still waits: {reason}"),
    });
}

fn finish_local(summary: &LocalSummary, json: bool) -> Result<Done> {
    let counts = [
        ("stored", summary.stored),
        ("revised", summary.revised),
        ("duplicate", summary.duplicate),
        ("suppressed", summary.suppressed),
        ("refused", summary.refused),
        ("spooled", summary.spooled),
        ("lost", summary.lost),
        ("redacted", summary.redactions),
    ];
    say(&counts, summary.accepted, json)?;
    finish(&summary.end, summary.is_clean())
}

fn finish_remote(summary: &RemoteSummary, json: bool) -> Result<Done> {
    let delivered = &summary.delivered;
    let counts = [
        ("sent", delivered.sent),
        ("replayed", delivered.replayed),
        ("refused", summary.refused),
        ("spooled", delivered.spooled),
        ("set_aside", delivered.set_aside),
        ("held", delivered.held),
        ("lost", summary.lost),
        ("redacted", summary.redactions),
    ];
    say(&counts, summary.accepted, json)?;
    if let Some(reason) = &delivered.denied {
        anyhow::bail!(
            "the server does not let us in ({reason}): set MEMOIR_SERVER_API_KEY to a key it knows; the records wait in the spool"
        );
    }
    finish(&summary.end, summary.is_clean())
}

/// The first count is always said, the others when they are not nought.
fn say(counts: &[(&str, u64)], accepted: u64, json: bool) -> Result<()> {
    if json {
        let mut object: serde_json::Map<String, Value> =
            counts.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
        object.insert("accepted".to_owned(), json!(accepted));
        let mut out = Out::new();
        out.json(&object)?;
        return Ok(out.flush()?);
    }
    let said: Vec<String> = counts
        .iter()
        .enumerate()
        .filter(|(at, (_, n))| *at == 0 || *n > 0)
        .map(|(_, (name, n))| format!("{} {n}", name.replace('_', " ")))
        .collect();
    print::warn(&said.join(", "));
    Ok(())
}

fn finish(end: &End, clean: bool) -> Result<Done> {
    match end {
        End::Failed(error) => anyhow::bail!("{}", whole_sentence(error)),
        End::BadLine(_) => {
            print::warn("stopped at the first bad line, as --strict asks");
            Ok(Done::Partly)
        }
        End::Finished | End::Stopped => Ok(if clean { Done::Well } else { Done::Partly }),
    }
}
