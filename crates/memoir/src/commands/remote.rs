//! Reaching a server: its address, its key, and the proxies that the environment names.

use crate::exit::Usage;
use crate::home::{non_empty, system_clock};
use crate::settings::Settings;
use anyhow::Result;
use memoir_record::{Client, Place, Proxies, RemoteOptions, RemoteRecorder, ServerUrl, Spool, Timeouts};
use memoir_redact::Redactor;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A client for that server.
pub fn connect(settings: &Settings, url: &str) -> Result<Client> {
    connect_within(settings, url, Duration::from_millis(settings.timeout_ms))
}

/// A client for that server that takes no longer than that for a request.
pub fn connect_within(settings: &Settings, url: &str, total: Duration) -> Result<Client> {
    let url = ServerUrl::parse(url).map_err(|error| Usage(format!("`{url}` is not a server address: {error}")))?;
    let timeouts = Timeouts { connect: total.min(Duration::from_secs(5)), total };
    let client = Client::new(url, settings.server_api_key.as_deref(), &proxies(), timeouts);
    client.map_err(|error| Usage(error.to_string()).into())
}

/// Sends what waits for that server, for at most so long. What cannot be sent now goes on waiting.
pub fn flush_outbox(settings: &Settings, url: &str, spool: &Spool, redactor: &Redactor, time: Duration) -> Result<()> {
    let (client, clock, stop) = (connect_within(settings, url, time)?, system_clock(), AtomicBool::new(false));
    let place = Place { cwd: None, actor: None, repo_of: &|_| String::new() };
    let options = RemoteOptions::new(place);
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
