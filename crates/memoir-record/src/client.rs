//! Talks to a server: one request at a time, each within its time, each answer sorted by what it means for the sender.

use crate::url::{Proxies, Scheme, ServerUrl};
use crate::wire::{BatchAnswer, BatchRequestRef, ErrorBody, Header, RawRecord};
use std::time::Duration;
use ureq::http::Response;
use ureq::{Agent, Body, Proxy};

/// The most of an answer that is read.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// A server may ask for more patience than a recorder has.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);
/// Codes with which a server says that a record itself is at fault.
const RECORD_CODES: [&str; 4] = ["VALIDATION_ERROR", "CONTENT_TOO_LARGE", "STORE_INVALID", "MODALITY_UNSUPPORTED"];

/// Why a server cannot be talked to at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The key would travel in clear.
    #[error("the API key would travel unencrypted to {0}; use https:// or a loopback address")]
    KeyInClear(String),
    /// The key cannot be sent.
    #[error("the API key has characters that no header can hold")]
    BadKey,
    /// The proxy is none.
    #[error("the proxy for {0} is not a proxy address")]
    BadProxy(String),
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For a whole request.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { connect: Duration::from_secs(5), total: Duration::from_secs(10) }
    }
}

/// What the answer to a batch means. Reasons may quote records: redact them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    /// All of it is stored.
    Stored,
    /// Not now: nobody there, too busy, failing, or an answer that says nothing.
    Later { reason: String, after: Option<Duration> },
    /// Not with this key.
    Denied { reason: String },
    /// Not at this address.
    Misdirected { reason: String },
    /// Not these records, or not one of them.
    Refused(Refused),
}

/// A refusal of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Which record, if the server says so.
    pub(crate) record: Option<usize>,
    /// Why.
    pub(crate) reason: String,
    /// Whether the answer is one that a raw journal gives.
    pub(crate) is_from_journal: bool,
}

/// A plain answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) retry_after: Option<Duration>,
}

/// A connection to one server.
pub struct Client {
    agent: Agent,
    url: ServerUrl,
    authorization: Option<String>,
}

impl Client {
    /// Prepares to talk to a server; nothing is sent yet. A blank key is no key.
    pub fn new(
        url: ServerUrl,
        key: Option<&str>,
        proxies: &Proxies,
        timeouts: Timeouts,
    ) -> Result<Client, ClientError> {
        let key = key.map(str::trim).filter(|key| !key.is_empty());
        if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')) {
            return Err(ClientError::BadKey);
        }
        if key.is_some() && url.scheme() == Scheme::Http && !url.is_loopback() {
            return Err(ClientError::KeyInClear(url.host().to_owned()));
        }
        let proxy = proxies.on_the_way_to(&url).map(Proxy::new).transpose();
        let config = Agent::config_builder()
            .proxy(proxy.map_err(|_| ClientError::BadProxy(url.host().to_owned()))?)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("memoir/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .timeout_connect(Some(timeouts.connect))
            .timeout_global(Some(timeouts.total))
            .max_idle_age(Duration::from_secs(3))
            .build();
        let authorization = key.map(|key| format!("Bearer {key}"));
        Ok(Client { agent: config.into(), url, authorization })
    }

    /// The server.
    pub const fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Asks for an endpoint.
    pub(crate) fn get(&self, path: &str) -> Result<Answer, String> {
        let mut request = self.agent.get(self.url.endpoint(path)).header("content-type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        read(request.call())
    }

    /// Posts JSON; `within` shortens the time for it.
    pub(crate) fn post(&self, path: &str, body: &[u8], within: Option<Duration>) -> Result<Answer, String> {
        let mut request = self.agent.post(self.url.endpoint(path)).header("content-type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        match within {
            Some(within) => read(request.config().timeout_global(Some(within)).build().send(body)),
            None => read(request.send(body)),
        }
    }

    /// Sends a batch.
    pub(crate) fn send(&self, records: &[RawRecord], within: Option<Duration>) -> Sent {
        let body = match serde_json::to_vec(&BatchRequestRef { header: Header, records }) {
            Ok(body) => body,
            Err(error) => return Sent::Later { reason: error.to_string(), after: None },
        };
        match self.post("/v1/encode/raw/batch", &body, within) {
            Ok(answer) => sort(&answer, records.len()),
            Err(reason) => Sent::Later { reason, after: None },
        }
    }
}

fn read(outcome: Result<Response<Body>, ureq::Error>) -> Result<Answer, String> {
    let mut response = outcome.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).lossy_utf8(true).read_to_string();
    // A refusal counts even if its explanation cannot be read; a success has to say what was stored.
    let body =
        body.or_else(|error| if (200..300).contains(&status) { Err(error.to_string()) } else { Ok(String::new()) })?;
    let retry_after = retry_after.map(Duration::from_secs).map(|after| after.min(RETRY_AFTER_MAX));
    Ok(Answer { status, body, retry_after })
}

fn sort(answer: &Answer, records: usize) -> Sent {
    let said = serde_json::from_str::<ErrorBody>(&answer.body).ok();
    let reason = || explain(answer, said.as_ref());
    match answer.status {
        200..=299 => match serde_json::from_str::<BatchAnswer>(&answer.body) {
            Ok(stored) if stored.results.len() == records => Sent::Stored,
            Ok(stored) => Sent::Later {
                reason: format!("the server answered for {} of {records} records", stored.results.len()),
                after: None,
            },
            Err(_) => Sent::Later { reason: "the server's answer could not be understood".to_owned(), after: None },
        },
        429 | 500..=599 => {
            let in_body = said.as_ref().and_then(|body| body.retry_after).map(Duration::from_secs);
            let after = answer.retry_after.or(in_body).map(|after| after.min(RETRY_AFTER_MAX));
            Sent::Later { reason: reason(), after }
        }
        401 | 403 => Sent::Denied { reason: reason() },
        400 | 413 | 422 => Sent::Refused(Refused {
            status: answer.status,
            record: said.as_ref().and_then(|body| body.record),
            reason: reason(),
            is_from_journal: said.as_ref().is_some_and(|body| RECORD_CODES.contains(&body.code.as_str())),
        }),
        _ => Sent::Misdirected { reason: reason() },
    }
}

/// The status, and what the server says about it.
pub(crate) fn explain(answer: &Answer, said: Option<&ErrorBody>) -> String {
    match said {
        Some(body) => format!("HTTP {} {}: {}", answer.status, body.code, body.message),
        None if answer.body.trim().is_empty() => format!("HTTP {}", answer.status),
        None => format!("HTTP {}: {}", answer.status, answer.body.trim()),
    }
}
