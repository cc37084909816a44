//! Events out, as envelopes: the timeline, the sessions, one event. Never what is sealed, private or secret.

use crate::Shared;
use crate::errors::{ApiError, json_answer, json_bytes};
use crate::pages;
use crate::params::Params;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_event::{Envelope, format_ms};
use memoir_journal::{Audience, Journal as _, Lookup, RecordClass, SessionEntry, Sighting, StoredEvent, View};
use memoir_recall::{Form, Gate, Withheld};
use serde::Serialize;
use std::sync::Arc;

/// What search, timeline and the like show to anyone who may read.
pub(crate) const VIEW: View = View::of(Audience::Recall);

type Given = Result<Query<Params>, QueryRejection>;

/// Where the next page begins.
#[derive(Serialize)]
pub(crate) struct Next {
    pub(crate) next_cursor: Option<String>,
}

/// `GET /v1/timeline`.
pub(crate) async fn timeline(State(app): State<Shared>, query: Given) -> Result<Response, ApiError> {
    let params = Params::of(query)?;
    params.refuse("the timeline", &["q"])?;
    let (filter, page) = (params.filter()?, params.page(app.settings.page_max)?);
    let worker = Arc::clone(&app);
    let json = app.lanes.read(move || {
        let bytes_max = worker.settings.answer_bytes_max;
        let gate = worker.gate(Form::Shown);
        let shown = |stored| gate.event(stored).map(StoredEvent::into_envelope);
        let listed = pages::list(&*worker.journal, (&filter, &VIEW), page, bytes_max, shown)?;
        let next = Next { next_cursor: listed.next.map(|next| next.to_string()) };
        listed.into_object("events", &next)
    });
    Ok(json_bytes(StatusCode::OK, json.await?))
}

/// One session in the answer.
#[derive(Serialize)]
struct SessionItem {
    /// As people see it, such as `cx-0193…`; accepted wherever a session is asked for.
    session: String,
    session_id: String,
    client: Option<&'static str>,
    repo_id: String,
    events: u64,
    first_ts: String,
    last_ts: String,
    title: Option<String>,
}

impl SessionItem {
    fn of(entry: SessionEntry, gate: &Gate<'_>) -> SessionItem {
        SessionItem {
            session: gate.text(&entry.shown()),
            client: entry.client.map(|client| client.as_str()),
            events: entry.events,
            first_ts: format_ms(entry.first_ms),
            last_ts: format_ms(entry.last_ms),
            session_id: gate.text(&entry.session),
            repo_id: gate.text(&entry.repo),
            title: entry.title.map(|title| gate.text(&title)),
        }
    }
}

#[derive(Serialize)]
struct Sessions {
    sessions: Vec<SessionItem>,
    next_cursor: Option<String>,
}

/// `GET /v1/sessions`: the latest first.
pub(crate) async fn sessions(State(app): State<Shared>, query: Given) -> Result<Response, ApiError> {
    let params = Params::of(query)?;
    params.refuse("the list of sessions", &["q", "order", "type", "item_type"])?;
    let (filter, limit, skip) = (params.filter()?, params.limit(app.settings.page_max), params.skip()?);
    let worker = Arc::clone(&app);
    let found = app.lanes.read(move || {
        let shown = Withheld::new(&*worker.journal, &worker.settings.blocked);
        Ok(shown.sessions(&filter, &VIEW, limit + 1, skip)?)
    });
    let mut found = found.await?;
    let next_cursor = (found.len() > limit && limit > 0).then(|| (skip + limit).to_string());
    found.truncate(limit);
    let gate = app.gate(Form::Shown);
    let sessions = found.into_iter().map(|entry| SessionItem::of(entry, &gate)).collect();
    Ok(json_answer(StatusCode::OK, &Sessions { sessions, next_cursor }))
}

#[derive(Serialize)]
struct OneEvent {
    event: Envelope,
    record_id: String,
    sightings: Vec<SightingItem>,
}

/// One capture of an event in the answer.
#[derive(Serialize)]
struct SightingItem {
    event_id: String,
    source: &'static str,
    class: &'static str,
    recorded_at: String,
    journal_sequence: u64,
}

impl From<Sighting> for SightingItem {
    fn from(sighting: Sighting) -> SightingItem {
        SightingItem {
            event_id: sighting.id.to_string(),
            source: sighting.source.as_str(),
            class: match sighting.class {
                RecordClass::Event => "event",
                RecordClass::Revision => "revision",
                RecordClass::Sighting => "sighting",
            },
            recorded_at: format_ms(sighting.at_ms),
            journal_sequence: sighting.seq,
        }
    }
}

/// `GET /v1/events/{id}`: by the event id of any of its sightings, or by the UUID that raw clients know.
pub(crate) async fn event(State(app): State<Shared>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let lookup = Lookup::parse(id.trim()).ok_or_else(|| {
        ApiError::validation("an event is named by 24 hexadecimal characters or by the UUID of its raw record")
    })?;
    let worker = Arc::clone(&app);
    let found = app.lanes.read(move || {
        let stored = worker.journal.event(&lookup, &VIEW)?.and_then(|stored| worker.gate(Form::Shown).event(stored));
        let Some(stored) = stored else { return Ok(None) };
        let sightings = worker.journal.sightings(stored.seq)?;
        let record_id = stored.uuid().to_string();
        let sightings = sightings.into_iter().map(SightingItem::from).collect();
        Ok(Some(OneEvent { event: stored.into_envelope(), record_id, sightings }))
    });
    match found.await? {
        Some(event) => Ok(json_answer(StatusCode::OK, &event)),
        None => Err(ApiError::not_found("RECORD_NOT_FOUND", "there is no such event, or it may not be shown here")),
    }
}
