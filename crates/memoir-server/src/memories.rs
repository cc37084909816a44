//! Memories over HTTP: listed, and taken in.

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::{App, Shared};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_dream::{MemoryError, Remembered, Remembering, Said, read_memories};
use memoir_event::{Kind, Memory, MemoryKind, MemoryScope, MemoryStatus};
use memoir_journal::{Audience, Filter, Order, Page, PageToken, View};
use memoir_recall::{Listed, memory_json};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// How many memories a page has if the request does not say.
const PAGE_DEFAULT: usize = 100;

/// What the query string may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Wanted {
    project: Option<String>,
    kind: Option<MemoryKind>,
    pinned: Option<bool>,
    limit: Option<usize>,
    cursor: Option<String>,
}

/// `GET /v1/memories`.
pub(crate) async fn list(
    State(app): State<Shared>,
    query: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(wanted) = query.map_err(|rejection| ApiError::validation(rejection.body_text()))?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.read(move || found(&worker, &wanted)).await?;
    Ok(json_answer(StatusCode::OK, &answer))
}

fn found(app: &App, wanted: &Wanted) -> Result<Value, ApiError> {
    let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
    let view = View::of(Audience::Recall);
    let of_project = match &wanted.project {
        Some(project) => {
            let filter = Filter { repo: Some(project.clone()), ..filter.clone() };
            app.journal.select(&filter, &view)?.origins
        }
        None => None,
    };
    let limit = wanted.limit.unwrap_or(PAGE_DEFAULT).min(app.settings.page_max);
    let after = crate::params::cursor(wanted.cursor.as_deref())?;
    let mut page = Page { limit: limit.max(1), order: Order::NewestFirst, after };
    let (mut listed, mut next): (Vec<Value>, Option<PageToken>) = (Vec::new(), None);
    while listed.len() < limit {
        let events = app.journal.page(&filter, &view, &page)?;
        for stored in events.events {
            if app.settings.blocked.holds_back(&stored.event) {
                continue;
            }
            if listed.len() >= limit {
                break;
            }
            next = Some(PageToken { ts_ms: stored.ts_ms, seq: stored.seq });
            let Some(memory) = Memory::of_event(&stored.event).filter(|memory| memory.status.is_current()) else {
                continue;
            };
            let is_here = of_project.as_ref().is_none_or(|origins| origins.binary_search(&stored.origin).is_ok());
            let is_wanted = wanted.kind.is_none_or(|kind| kind == memory.kind)
                && wanted.pinned.is_none_or(|pinned| pinned == memory.pinned);
            if (is_here || memory.scope == MemoryScope::User)
                && is_wanted
                && let Some(memory) = Listed::read(&*app.journal, stored)?
            {
                listed.push(memory_json(&memory, &app.redactor));
            }
        }
        match events.next {
            Some(token) if listed.len() < limit => page.after = Some(token),
            Some(_) => break,
            None => {
                next = None;
                break;
            }
        }
    }
    Ok(json!({"memories": listed, "next_cursor": next.map(|next| next.to_string())}))
}

/// `POST /v1/memories`.
pub(crate) async fn add(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.write(move || {
        let text = std::str::from_utf8(&body.bytes).map_err(|_| ApiError::validation("the body is not UTF-8"))?;
        store(&worker, text)
    });
    Ok(json_answer(StatusCode::OK, &answer.await?))
}

/// All of them are read before the first is stored.
fn store(app: &App, text: &str) -> Result<Value, ApiError> {
    let read = read_memories(text, "");
    let mut given = Vec::with_capacity(read.len());
    for (at, one) in read.into_iter().enumerate() {
        let (one, superseded_by) = one.map_err(|bad| {
            let mut error = ApiError::validation(format!("{bad}; nothing was stored"));
            error.record = Some(at);
            error
        })?;
        if one.scope == MemoryScope::Project && one.project.is_empty() {
            let mut error = ApiError::validation(format!("memory {} names no `project`; nothing was stored", at + 1));
            error.record = Some(at);
            return Err(error);
        }
        given.push((one, superseded_by));
    }
    if given.is_empty() {
        return Err(ApiError::validation("the body holds no memory: send an object with `text`, or a list of them"));
    }
    let unique = || app.names.unique();
    let (redactor, now_ms) = (&*app.redactor, (app.clock)());
    let remembering = Remembering { journal: &*app.journal, redactor, now_ms, unique: &unique };
    let mut results = Vec::with_capacity(given.len());
    for (mut one, superseded_by) in given {
        if superseded_by.is_some() {
            one.status = MemoryStatus::Superseded;
        }
        results.push(remembered_json(&remembering.remember(&one)?));
    }
    Ok(json!({"results": results}))
}

fn remembered_json(remembered: &Remembered) -> Value {
    let said = match remembered.said {
        Said::New => "new",
        Said::Again => "again",
        Said::Changed => "changed",
        Said::Forgotten => "forgotten",
    };
    json!({
        "memory_id": remembered.id, "said": said, "name": remembered.memory.name,
        "superseded": remembered.superseded, "contradicts": remembered.contradicts, "redacted": remembered.secrets,
    })
}

impl From<MemoryError> for ApiError {
    fn from(error: MemoryError) -> ApiError {
        match error {
            MemoryError::Journal(error) => error.into(),
            error => ApiError::validation(error.to_string()),
        }
    }
}
