//! Raw records in: one, or a batch of which all are stored or none.

use crate::errors::{ApiError, json_answer};
use crate::limits::{RequestBody, read_json_body};
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_capture::RegainedNames;
use memoir_event::{Event, EventId, RecordUuid, Source};
use memoir_journal::{Admission, Outcome, Redacted};
use memoir_record::wire::{BatchAnswer, BatchError, BatchRequest, Capture, RawRecord, RecordAnswer, WireError};
use std::sync::Arc;

/// `POST /v1/encode/raw/batch`.
pub(crate) async fn batch(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let results = app.lanes.write(move || store_batch(&worker, body)).await?;
    Ok(json_answer(StatusCode::OK, &BatchAnswer { results }))
}

/// `POST /v1/encode/raw`.
pub(crate) async fn one(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let result = app.lanes.write(move || store_one(&worker, body)).await?;
    Ok(json_answer(StatusCode::OK, &result))
}

fn store_batch(app: &App, body: RequestBody) -> Result<Vec<RecordAnswer>, ApiError> {
    let records = BatchRequest::parse(&body.bytes).map_err(|error| refusal(&error))?.records;
    drop(body);
    let (count, max) = (records.len(), app.settings.records_max);
    if count > max {
        return Err(ApiError::too_large(format!("the batch has {count} records; the most is {max}, send it in parts")));
    }
    let events = decode(app, records).inspect_err(|_| app.counters.refused(count)).map_err(|error| refusal(&error))?;
    append(app, events)
}

fn store_one(app: &App, body: RequestBody) -> Result<RecordAnswer, ApiError> {
    let of_one = |error: WireError| refusal(&BatchError { record: None, error });
    let record = RawRecord::parse(&body.bytes).map_err(of_one)?;
    drop(body);
    let event = record.into_event(capture(app)).inspect_err(|_| app.counters.refused(1)).map_err(of_one)?;
    append(app, vec![event])?.pop().ok_or_else(ApiError::internal)
}

/// Every record is checked before any is stored.
fn decode(app: &App, records: Vec<RawRecord>) -> Result<Vec<Event>, BatchError> {
    let decoded = records
        .into_iter()
        .enumerate()
        .map(|(at, record)| record.into_event(capture(app)).map_err(|error| BatchError { record: Some(at), error }));
    decoded.collect()
}

fn capture(app: &App) -> Capture {
    Capture { source: Source::Http, at_ms: (app.clock)(), nonce: app.next_nonce() }
}

fn append(app: &App, events: Vec<Event>) -> Result<Vec<RecordAnswer>, ApiError> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let admission = Admission::new(&app.redactor, app.journal.hasher().clone());
    let mut names = RegainedNames::default();
    let named = events.into_iter().map(|mut event| {
        if event.source != Source::Http {
            names.give(&mut event);
        }
        event
    });
    let admitted: Vec<Redacted> = named.map(|event| admission.admit(event)).collect();
    if (app.is_paused)() {
        // Answered like what was forgotten: whoever sent it must not try for ever.
        return Ok(admitted.iter().map(|admitted| answer(admitted, &Outcome::Suppressed)).collect());
    }
    let appended = app.journal.append(&admitted, &[]);
    app.writes.note(appended.as_ref().err());
    let outcomes = appended?;
    app.counters.appended(&outcomes);
    Ok(admitted.iter().zip(&outcomes).map(|(admitted, outcome)| answer(admitted, outcome)).collect())
}

fn answer(admitted: &Redacted, outcome: &Outcome) -> RecordAnswer {
    let event = admitted.event();
    RecordAnswer {
        record_id: outcome.uuid().unwrap_or_else(|| suppressed_uuid(admitted)).to_string(),
        session_id: event.session.clone(),
        visibility: event.visibility,
        secrecy_level: event.secrecy,
    }
}

/// The id of a record that was forgotten and is not stored again. Its sender needs one, or it would try for ever; it
/// is made of the record's key, so that the same record always gets the same.
fn suppressed_uuid(admitted: &Redacted) -> RecordUuid {
    let event = admitted.event();
    let key = admitted.keys().all_names().next().map(ToString::to_string).unwrap_or_default();
    let id = EventId::derive(Source::Http, event.thread.as_deref(), 0, event.kind().event_type(), &key);
    RecordUuid::new(event.time.as_ref().map_or(0, memoir_event::Time::ms), &id)
}

/// The answer to records that cannot be taken.
fn refusal(error: &BatchError) -> ApiError {
    let refusal = error.error.refusal();
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let nothing = if error.record.is_some() { "; nothing of this batch was stored" } else { "" };
    let mut answer = ApiError::new(status, refusal.code(), format!("{error}{nothing}"));
    answer.record = error.record;
    answer
}
