//! Reaching a server: its address, its key, and the proxies that the environment names.

use crate::exit::Usage;
use crate::home::non_empty;
use crate::settings::Settings;
use anyhow::Result;
use memoir_record::{Client, Proxies, ServerUrl, Timeouts};
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

fn proxies() -> Proxies {
    let either = |lower: &str, upper: &str| non_empty(lower).or_else(|| non_empty(upper));
    Proxies {
        http: either("http_proxy", "HTTP_PROXY"),
        https: either("https_proxy", "HTTPS_PROXY"),
        all: either("all_proxy", "ALL_PROXY"),
        none_for: either("no_proxy", "NO_PROXY"),
    }
}
