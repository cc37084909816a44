//! How the server is: health, readiness, status and metrics.

use crate::counters::EventCounts;
use crate::errors::{ApiError, json_answer};
use crate::{App, Shared};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use memoir_event::format_ms;
use memoir_journal::JournalError;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the journal may take to answer a readiness probe.
const READY_TIME: Duration = Duration::from_secs(2);

/// How long a write that failed for good keeps the server from being ready; after that it deserves another try.
const FAILURE_TIME: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Probe {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// Whether the last write could be made.
#[derive(Default)]
pub(crate) struct Writes(Mutex<Option<(Instant, &'static str)>>);

impl Writes {
    /// Notes how a write went.
    pub(crate) fn note(&self, failure: Option<&JournalError>) {
        let reason = match failure {
            None => None,
            Some(JournalError::Locked) => return,
            Some(JournalError::Full) => Some("disk full"),
            Some(JournalError::ReadOnly) => Some("journal read-only"),
            Some(_) => Some("storage unavailable"),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reason.map(|reason| (Instant::now(), reason));
    }

    fn failing(&self) -> Option<&'static str> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| at.elapsed() < FAILURE_TIME).map(|(_, reason)| reason)
    }
}

/// What clients of the raw journal and of the OpenViking API look for.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    healthy: bool,
    version: &'static str,
    auth_mode: &'static str,
}

/// `GET /health`: the process is there.
pub(crate) async fn health(State(app): State<Shared>) -> Response {
    let auth_mode = if app.settings.keys.is_empty() { "dev" } else { "api_key" };
    let version = env!("CARGO_PKG_VERSION");
    json_answer(StatusCode::OK, &Health { status: "ok", healthy: true, version, auth_mode })
}

/// `GET /readiness`: the journal answers. One small read, whatever the journal's size.
pub(crate) async fn readiness(State(app): State<Shared>) -> Response {
    let reason = match app.writes.failing() {
        Some(reason) => Some(reason),
        None => journal_problem(&app).await,
    };
    match reason {
        None => json_answer(StatusCode::OK, &Probe { status: "ready", reason }),
        Some(_) => json_answer(StatusCode::SERVICE_UNAVAILABLE, &Probe { status: "not_ready", reason }),
    }
}

async fn journal_problem(app: &Shared) -> Option<&'static str> {
    let journal = Arc::clone(&app.journal);
    let asked = app.lanes.read(move || journal.last_seq().map_err(ApiError::from));
    match tokio::time::timeout(READY_TIME, asked).await {
        Ok(Ok(_)) => None,
        Ok(Err(_)) => Some("storage unavailable"),
        Err(_) => Some("storage busy"),
    }
}

#[derive(Serialize)]
struct Status {
    version: &'static str,
    uptime_seconds: u64,
    now: String,
    journal: JournalStatus,
    index: IndexFigures,
    received: EventCounts,
}

#[derive(Serialize)]
struct JournalStatus {
    records: u64,
    events: u64,
    sessions: u64,
    forgotten: u64,
    redactions: u64,
    bytes: u64,
    last_stored_at: Option<String>,
}

#[derive(Serialize)]
struct IndexFigures {
    /// How many of the journal's records are not indexed yet: searches read these one by one.
    behind: u64,
    events: u64,
    bytes: u64,
    usable: bool,
}

/// `GET /v1/status`: figures about the journal and this server.
pub(crate) async fn status(State(app): State<Shared>) -> Result<Response, ApiError> {
    let worker = Arc::clone(&app);
    let asked = app.lanes.read(move || Ok((worker.journal.stats()?, worker.index.status(&*worker.journal)?)));
    let (stats, index) = asked.await?;
    let status = Status {
        version: env!("CARGO_PKG_VERSION"),
        uptime_seconds: app.started.elapsed().as_secs(),
        now: format_ms((app.clock)()),
        journal: JournalStatus {
            records: stats.records,
            events: stats.events,
            sessions: stats.sessions,
            forgotten: stats.forgotten,
            redactions: stats.redactions,
            bytes: stats.bytes,
            last_stored_at: stats.last_at_ms.map(format_ms),
        },
        index: IndexFigures {
            behind: index.last.saturating_sub(index.indexed),
            events: index.events,
            bytes: index.bytes,
            usable: index.problem.is_none(),
        },
        received: app.counters.events(),
    };
    Ok(json_answer(StatusCode::OK, &status))
}

/// `GET /metrics`, for Prometheus. A journal that does not answer is a figure too.
pub(crate) async fn metrics(State(app): State<Shared>) -> Response {
    let journal = Arc::clone(&app.journal);
    let stats = app.lanes.read(move || Ok(journal.stats()?)).await.ok();
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (StatusCode::OK, kind, app.counters.render(stats.as_ref())).into_response()
}

impl App {
    /// A number that no other record of this process gets.
    pub(crate) fn next_nonce(&self) -> u64 {
        self.nonce.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}
