//! `memoir ingest --format codex-sdk`: what a thread of the Codex SDK streams.

use super::{finish, say, unbuffered_stdin};
use crate::cli::IngestArgs;
use crate::commands::remote::flush_outbox;
use crate::commands::{Context, pause};
use crate::exit::Done;
use crate::home::{Life, system_clock};
use crate::print;
use crate::stop;
use anyhow::Result;
use memoir_capture::codex;
use memoir_event::{Client, Source};
use memoir_journal::Journal;
use memoir_record::{End, Live, LiveStream, Names, Polled, RUN_HEAD_BYTES, Run, Runs, salt_of};
use std::time::Duration;

/// What was streamed goes to the server at the end, for at most so long.
const OUTBOX_TIME: Duration = Duration::from_secs(10);

pub fn run(context: &Context, args: &IngestArgs) -> Result<Done> {
    let (mut wishes, spool, names) = (context.wishes()?, context.spool()?, Names::new(system_clock())?);
    wishes.repo.clone_from(&args.repo);
    if args.actor.is_some() {
        wishes.actor.clone_from(&args.actor);
        wishes.is_actor_given = true;
    }
    let server = args.server_url.as_deref().or(context.settings.server_url.as_deref());
    let cwd = std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned());
    context.home.prepare()?;
    let journal = match context.journal(Life::Short) {
        Ok(journal) => Some(journal),
        Err(error) => {
            print::warn(&format!("{error:#}"));
            None
        }
    };
    let mut input = unbuffered_stdin()?;
    let (run, now) = match (head_of_file(&mut input), &journal) {
        // A file is a run that was streamed once; when its lines were written nobody knows.
        (Some(head), Some(journal)) => {
            let run = Runs::of(journal)?.find(Client::Codex, None, &head, salt_of(journal.hasher()));
            (run.again(), None)
        }
        _ => {
            let clock = system_clock();
            let now: codex::Now = Box::new(move || clock());
            (Run::new(Client::Codex, names.uuid()), Some(now))
        }
    };
    let parser = codex::ExecStream::new(Source::CodexSdk, run.name(), cwd.as_deref(), now);
    let live = Live {
        is_paused: &|| pause::is_paused(&context.home),
        journal: journal.as_ref().map(|journal| journal as &dyn Journal),
        spool: &spool,
        rules: wishes.rules(),
        names: &names,
        to_server: server.is_some(),
    };
    let stop = stop::on_signal()?;
    let mut stream = LiveStream::new(live, run, Box::new(parser));
    let read = stream.run(&mut Polled(input), &mut || stop::requested(&stop), &mut |_| {});
    let summary = stream.summary;
    if let Some(url) = server {
        flush_outbox(&context.settings, url, &spool, (&wishes.redactor, journal.as_ref()), OUTBOX_TIME)?;
    }
    let problems: u64 = summary.tally.problems.values().sum();
    let counts = [
        ("recorded", summary.events),
        ("spooled", summary.spooled),
        ("lost", summary.lost),
        ("refused", problems),
        ("redacted", summary.redactions),
        ("excluded", summary.excluded.values().sum()),
    ];
    for (what, number) in &summary.tally.problems {
        print::warn(&format!("{what} ({number})"));
    }
    say(&counts, summary.events, args.json)?;
    read?;
    finish(&End::Finished, summary.spooled == 0 && summary.lost == 0 && problems == 0)
}

/// How standard input begins if it is a file, which then is at its beginning again.
#[cfg(unix)]
fn head_of_file(input: &mut std::fs::File) -> Option<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    if !input.metadata().ok()?.is_file() {
        return None;
    }
    let from = input.stream_position().ok()?;
    let mut head = Vec::new();
    input.by_ref().take(RUN_HEAD_BYTES).read_to_end(&mut head).ok()?;
    input.seek(SeekFrom::Start(from)).ok()?;
    Some(head)
}

#[cfg(not(unix))]
fn head_of_file(_input: &mut std::io::Stdin) -> Option<Vec<u8>> {
    None
}
