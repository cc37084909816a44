//! Reaching a server: its address, its key, and the proxies that the environment names.

use super::Context;
use super::context::project_of;
use crate::exit::Usage;
use crate::home::{Life, non_empty, now_ms, system_clock};
use crate::settings::Settings;
use anyhow::Result;
use memoir_event::Source;
use memoir_journal::{Admission, Journal, Redacted, SqliteJournal};
use memoir_record::wire::{Capture, RawRecord};
use memoir_record::{Client, Forgotten, Place, Proxies, RemoteOptions, RemoteRecorder, ServerUrl, Spool, Timeouts};
use memoir_redact::Redactor;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A client for that server.
pub fn connect(settings: &Settings, url: &str) -> Result<Client> {
    connect_within(settings, url, Duration::from_millis(settings.timeout_ms))
}

/// A client for that server that takes no longer than that for a request.
pub fn connect_within(settings: &Settings, url: &str, total: Duration) -> Result<Client> {
    let url = ServerUrl::parse(url).map_err(|error| Usage(format!("that is not a server address: {error}")))?;
    let timeouts = Timeouts { connect: total.min(Duration::from_secs(5)), total };
    let client = Client::new(url, settings.server_api_key.as_deref(), &proxies(), timeouts);
    client.map_err(|error| Usage(error.to_string()).into())
}

/// The journal of this home, if there is one that can be opened: it knows what was forgotten.
pub fn existing(context: &Context) -> Option<SqliteJournal> {
    let is_there = context.home.journal_file().exists();
    is_there.then(|| context.home.journal(&context.settings, Life::Short).ok()).flatten()
}

/// Tells which records a journal would suppress because they were forgotten in it.
pub fn forgotten_in<'a>(
    journal: &'a SqliteJournal,
    redactor: &'a Redactor,
) -> impl Fn(&[RawRecord]) -> Option<Vec<bool>> + Sync + 'a {
    let admission = Admission::for_sending(redactor, journal.hasher().clone());
    move |records| {
        let events = records.iter().enumerate().map(|(at, record)| {
            let capture = Capture { source: Source::Http, at_ms: now_ms(), nonce: u64::try_from(at).unwrap_or(0) };
            let mut event = record.clone().into_event(capture).ok()?;
            if event.repo.is_empty() {
                event.repo = project_of(record.cwd().as_deref());
            }
            Some(admission.admit(event))
        });
        // What is no event was never stored either, so nothing of it was forgotten.
        let events: Vec<Option<Redacted>> = events.collect();
        let known: Vec<Redacted> = events.iter().flatten().cloned().collect();
        let mut told = journal.suppressed(&known).ok()?.into_iter();
        Some(events.iter().map(|event| event.is_some() && told.next().unwrap_or(false)).collect())
    }
}

/// Sends what waits for that server, for at most so long. What cannot be sent now goes on waiting, and what was
/// forgotten in the journal is held back.
pub fn flush_outbox(
    settings: &Settings,
    url: &str,
    spool: &Spool,
    (redactor, journal): (&Redactor, Option<&SqliteJournal>),
    time: Duration,
) -> Result<()> {
    let (client, clock, stop) = (connect_within(settings, url, time)?, system_clock(), AtomicBool::new(false));
    let place = Place { cwd: None, actor: None, repo_of: &|_| String::new() };
    let forgotten = journal.map(|journal| forgotten_in(journal, redactor));
    let forgotten = forgotten.as_ref().map(|told| told as &Forgotten<'_>);
    let options = RemoteOptions { forgotten, ..RemoteOptions::new(place) };
    let recorder = RemoteRecorder { client: &client, spool, redactor, clock: &clock, options, stop: &stop };
    recorder.flush(time, &mut |_| {})?;
    Ok(())
}

/// The proxy on the way to that address, if the environment names one.
pub fn proxy_to(url: &str) -> Option<String> {
    let url = ServerUrl::parse(url).ok()?;
    proxies().on_the_way_to(&url).map(str::to_owned)
}

fn proxies() -> Proxies {
    let either = |lower: &str, upper: &str| non_empty(lower).or_else(|| non_empty(upper));
    Proxies {
        http: either("http_proxy", "HTTP_PROXY"),
        https: either("https_proxy", "HTTPS_PROXY"),
        all: either("all_proxy", "ALL_PROXY"),
        none_for: either("no_proxy", "NO_PROXY"),
    }
}
