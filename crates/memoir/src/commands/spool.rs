//! `memoir spool`.

use super::remote::{connect, existing, forgotten_in};
use super::{Context, ingest, times};
use crate::cli::{SpoolAction, SpoolArgs};
use crate::exit::{Done, Usage};
use crate::home::{Life, system_clock};
use crate::print::{Out, count, size};
use crate::stop;
use anyhow::Result;
use memoir_record::{Forgotten, Lane, Place, RemoteOptions, RemoteRecorder, Spool, SpoolListing};
use serde_json::json;
use std::time::Duration;

/// A flush that someone asked for may take its time; Ctrl-C ends it.
const FLUSH_TIME: Duration = Duration::from_secs(3600);

pub fn run(context: &Context, args: &SpoolArgs) -> Result<Done> {
    let spool = context.spool()?;
    match &args.action {
        None | Some(SpoolAction::List) => list(&spool, args.json),
        Some(SpoolAction::Flush { server_url }) => flush(context, &spool, server_url.as_deref(), args.json),
    }
}

const fn destination(lane: Lane) -> &'static str {
    match lane {
        Lane::Server => "server",
        Lane::Journal => "journal",
        Lane::Held => "nobody",
    }
}

fn list(spool: &Spool, json: bool) -> Result<Done> {
    let held = SpoolListing::read(spool.dir())?;
    let mut out = Out::new();
    if json {
        let files: Vec<_> = held
            .files
            .iter()
            .map(|file| json!({"name": file.name, "for": destination(file.lane), "records": file.records, "bytes": file.bytes}))
            .collect();
        out.json(&json!({
            "dir": spool.dir(), "records": held.records, "bytes": held.bytes, "files": files,
            "held": held.held, "setAside": held.quarantined, "setAsideBytes": held.quarantined_bytes, "unfinished": held.unfinished,
        }))?;
    } else {
        for file in &held.files {
            let when = file.at_ms.map(times::local).unwrap_or_default();
            out.line(&format!(
                "{when}  {}  {} for the {}, {}",
                file.name,
                count(file.records, "record"),
                destination(file.lane),
                size(file.bytes)
            ))?;
        }
        out.line(&format!(
            "{} waiting in {} ({})",
            count(held.records, "record"),
            spool.dir().display(),
            size(held.bytes)
        ))?;
        if held.held > 0 {
            out.line(&format!("{} held back: forgotten before it was sent", count(held.held, "record")))?;
        }
        if held.quarantined > 0 {
            out.line(&format!(
                "{} files are set aside there, named *.bad-*: look at them, then delete them",
                held.quarantined
            ))?;
        }
        if held.unfinished > 0 {
            out.line(&format!(
                "{} files are being written, or were left by a killed process; the next run takes them up",
                held.unfinished
            ))?;
        }
    }
    out.flush()?;
    Ok(Done::Well)
}

fn flush(context: &Context, spool: &Spool, server_url: Option<&str>, json: bool) -> Result<Done> {
    spool.ensure()?;
    spool.recover()?;
    if !spool.waiting(Lane::Journal)?.is_empty() {
        drop(context.journal(Life::Short)?);
    }
    let mut delivered = memoir_record::Delivered::default();
    let for_server = spool.waiting(Lane::Server)?;
    if !for_server.is_empty() {
        let url = server_url.or(context.settings.server_url.as_deref());
        let url = url
            .ok_or_else(|| Usage("records wait for a server: name it with --server-url, or set `server_url`".into()))?;
        let client = connect(&context.settings, url)?;
        let redactor = context.settings.redactor()?;
        let stop = stop::on_signal()?;
        let place = Place { cwd: None, actor: None, repo_of: &|_| String::new() };
        let options =
            RemoteOptions { batch_records_max: context.settings.batch_max_records, ..RemoteOptions::new(place) };
        let clock = system_clock();
        let journal = existing(context);
        let forgotten = journal.as_ref().map(|journal| forgotten_in(journal, &redactor));
        let options = RemoteOptions { forgotten: forgotten.as_ref().map(|told| told as &Forgotten<'_>), ..options };
        let recorder =
            RemoteRecorder { client: &client, spool, redactor: &redactor, clock: &clock, options, stop: &stop };
        delivered = recorder.flush(FLUSH_TIME, &mut ingest::tell)?;
    }
    let left = SpoolListing::read(spool.dir())?;
    let mut out = Out::new();
    if json {
        out.json(&json!({"delivered": delivered.replayed, "held": delivered.held, "setAside": delivered.set_aside, "waiting": left.records}))?;
    } else {
        out.line(&format!("delivered {}; {} still waiting", count(delivered.replayed, "record"), left.records))?;
    }
    if delivered.held > 0 && !json {
        out.line(&format!("held back {}: forgotten before it was sent", count(delivered.held, "record")))?;
    }
    out.flush()?;
    Ok(if left.records == 0 && delivered.set_aside == 0 { Done::Well } else { Done::Partly })
}
