//! Events of other journals in: each is known by its id, and by the names that captures of the same thing have.

use crate::errors::{ApiError, json_answer};
use crate::limits::{RequestBody, read_json_body};
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_capture::RegainedNames;
use memoir_event::{Envelope, EventId};
use memoir_journal::{Admission, Outcome, Redacted};
use memoir_record::wire::{RunAnswer, RunId, RunRequest};
use std::sync::Arc;

/// `POST /v1/events`.
pub(crate) async fn push(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.write(move || store(&worker, body)).await?;
    Ok(json_answer(StatusCode::OK, &answer))
}

/// All events are stored or none.
fn store(app: &App, body: RequestBody) -> Result<RunAnswer, ApiError> {
    let request: RunRequest = serde_json::from_slice(&body.bytes)
        .map_err(|error| ApiError::validation(format!("the body is not a run with events: {error}")))?;
    drop(body);
    let run = RunId::parse(&request.run_id).map_err(|error| ApiError::validation(error.to_string()))?;
    let (count, max) = (request.events.len(), app.settings.records_max);
    if count > max {
        return Err(ApiError::too_large(format!("there are {count} events; the most is {max}, send them in parts")));
    }
    let ids: Vec<EventId> = request.events.iter().map(|event| event.event_id).collect();
    for (at, event) in request.events.iter().enumerate() {
        if let Some(problem) = problem(&run, event) {
            app.counters.refused(count);
            let mut error = ApiError::validation(format!("event {at} {problem}; nothing of this batch was stored"));
            error.record = Some(at);
            return Err(error);
        }
    }
    let admission = Admission::new(&app.redactor, app.journal.hasher().clone());
    let mut names = RegainedNames::default();
    let named = request.events.into_iter().map(|envelope| {
        let mut event = envelope.into_event();
        names.give(&mut event);
        event
    });
    let admitted: Vec<Redacted> = named.map(|event| admission.admit(event)).collect();
    let appended = app.journal.append(&admitted, &[]);
    app.writes.note(appended.as_ref().err());
    let outcomes = appended?;
    app.counters.appended(&outcomes);
    let journal = app.journal.identity()?;
    let mut answer = RunAnswer { run_id: run.to_string(), journal, event_ids: ids, ..RunAnswer::default() };
    for (place, outcome) in answer.event_ids.iter_mut().zip(&outcomes) {
        *place = outcome.id().unwrap_or(*place);
        match outcome {
            Outcome::Stored { .. } => answer.stored += 1,
            Outcome::Revised { .. } => answer.revised += 1,
            Outcome::SeenAgain { .. } => answer.known += 1,
            Outcome::Suppressed => answer.suppressed += 1,
        }
    }
    Ok(answer)
}

/// Why an event cannot be taken.
fn problem(run: &RunId, event: &Envelope) -> Option<String> {
    if !run.has(event) {
        return Some(format!("is not of the run {run}"));
    }
    if event.session_id.is_empty() {
        return Some("has no session".to_owned());
    }
    event.kind.is_own().then(|| format!("is a {}, which each memoir makes for itself", event.kind))
}
