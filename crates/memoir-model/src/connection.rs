//! One request at a time, each within its time, each answer of a bounded length.

use crate::address::Address;
use crate::error::ModelError;
use crate::secret::Secret;
use serde_json::Value;
use std::io;
use std::time::{Duration, Instant};
use ureq::http::Response;
use ureq::{Agent, Body, Proxy};

/// So much of what a server says about a failure is told.
const SAID_CHARS_MAX: usize = 200;
/// And so much of it is read.
const FAILURE_BYTES_MAX: u64 = 64 << 10;
/// A server may ask for more patience than anybody has.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// A model's server.
#[derive(Debug)]
pub(crate) struct Connection {
    agent: Agent,
    address: Address,
    key: Option<Secret>,
    timeout: Duration,
}

impl Connection {
    /// Prepares to talk to a server; nothing is sent yet.
    pub fn new(
        address: Address,
        key: Option<Secret>,
        proxy: Option<&str>,
        timeout: Duration,
    ) -> Result<Connection, ModelError> {
        if key.as_ref().is_some_and(|key| !key.is_sendable()) {
            return Err(ModelError::BadKey);
        }
        if key.is_some() && !address.keeps_secrets() {
            return Err(ModelError::KeyInClear(address.host().to_owned()));
        }
        let proxy = proxy.map(Proxy::new).transpose();
        let config = Agent::config_builder()
            .proxy(proxy.map_err(|_| ModelError::BadProxy(address.host().to_owned()))?)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("memoir/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .max_idle_age(Duration::from_secs(3))
            .build();
        Ok(Connection { agent: config.into(), address, key, timeout })
    }

    pub fn host(&self) -> &str {
        self.address.host()
    }

    pub const fn key(&self) -> Option<&Secret> {
        self.key.as_ref()
    }

    /// Posts JSON and gives back the whole answer, or why there is none. It never takes longer than the timeout.
    pub fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
        bytes_max: u64,
    ) -> Result<Vec<u8>, ModelError> {
        let start = Instant::now();
        let mut request = self
            .agent
            .post(self.address.endpoint(path))
            .header("content-type", "application/json")
            .config()
            .timeout_global(Some(self.timeout))
            .build();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let failed = |error: &ureq::Error| self.failed(error, start, bytes_max);
        let mut response = request.send(body.to_string()).map_err(|error| failed(&error))?;
        let status = response.status().as_u16();
        if (200..300).contains(&status) {
            return response.body_mut().with_config().limit(bytes_max).read_to_vec().map_err(|error| failed(&error));
        }
        Err(self.refused(status, &mut response))
    }

    /// An answer that is none.
    pub fn unusable(&self, what: impl Into<String>) -> ModelError {
        ModelError::Unusable { host: self.host().to_owned(), what: what.into() }
    }

    fn failed(&self, error: &ureq::Error, start: Instant, bytes_max: u64) -> ModelError {
        let host = self.host().to_owned();
        let timed_out = matches!(error, ureq::Error::Timeout(_))
            || matches!(error, ureq::Error::Io(cause) if cause.kind() == io::ErrorKind::TimedOut)
            || start.elapsed() >= self.timeout;
        if timed_out {
            return ModelError::Timeout { host, after: self.timeout };
        }
        match error {
            ureq::Error::BodyExceedsLimit(_) => ModelError::TooLong { host, bytes_max },
            error => ModelError::Unreachable { host, reason: self.tamed(&error.to_string()) },
        }
    }

    fn refused(&self, status: u16, response: &mut Response<Body>) -> ModelError {
        let host = self.host().to_owned();
        let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let after = after.map(|seconds| Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
        // A refusal counts even if its explanation cannot be read.
        let body = response.body_mut().with_config().limit(FAILURE_BYTES_MAX).lossy_utf8(true).read_to_string();
        let said = match message(&body.unwrap_or_default()) {
            said if said.is_empty() => said,
            said => format!(": {}", self.tamed(&said)),
        };
        match status {
            // What a server says about a wrong key may quote it.
            401 | 403 => ModelError::Denied { host, status },
            404 | 405 => ModelError::Missing { host, said },
            300..=399 => ModelError::Redirected { host, status },
            429 | 503 => ModelError::Busy { host, status, said, after },
            500..=599 => ModelError::Failed { host, status, said },
            _ => ModelError::Refused { host, status, said },
        }
    }

    /// One short line, without the key.
    fn tamed(&self, said: &str) -> String {
        let said = self.key.as_ref().map_or_else(|| said.to_owned(), |key| key.taken_out_of(said));
        let line: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        match line.char_indices().nth(SAID_CHARS_MAX) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

/// What a server says about a failure, wherever in its answer that stands.
fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return body.trim().to_owned() };
    let places = [value.pointer("/error/message"), value.get("error"), value.get("message"), value.get("detail")];
    places.iter().find_map(|place| place.and_then(Value::as_str)).unwrap_or_default().trim().to_owned()
}
