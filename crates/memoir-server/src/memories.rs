//! Memories over HTTP: listed, and taken in.

mod given;

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::{App, Shared};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_dream::{Brought, Given, MemoryError, Remembered, Remembering, Said, is_of_self, read_memories, supersede};
use memoir_event::{EventId, Kind, MEMORY_CHARS_MAX, Memory, MemoryKind, MemoryScope, MemorySource, MemoryStatus};
use memoir_journal::{Admission, Audience, Filter, Lookup, Order, Page, PageToken, View};
use memoir_recall::{Listed, memory_json};
use serde::Deserialize;
use serde_json::{Map, Value, json};
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

/// A memory of a request, checked.
struct Checked {
    given: Given,
    /// What took its place: another of the request, or a memory that is there.
    newer: Option<Newer>,
}

#[derive(Clone, Copy)]
enum Newer {
    Here(usize),
    Known(EventId),
}

/// All of them are checked before the first is stored.
fn store(app: &App, text: &str) -> Result<Value, ApiError> {
    let objects = given::objects(text)?;
    let list = Value::Array(objects.iter().cloned().map(Value::Object).collect()).to_string();
    let mut checked = Vec::with_capacity(objects.len());
    for (at, (read, object)) in read_memories(&list, "").into_iter().zip(&objects).enumerate() {
        let one = read.map_err(|bad| given::refused(at, &bad.reason)).and_then(
            |Brought { given, superseded_by, .. }| {
                let newer = superseded_by.map(|name| newer(app, &name, &objects)).transpose();
                let newer =
                    newer?.map(|newer| newer.ok_or("`superseded_by` names no memory that is known")).transpose();
                let newer = newer.map_err(|reason| given::refused(at, reason))?;
                check(app, at, given, object, newer)
            },
        )?;
        checked.push(one);
    }
    if checked.is_empty() {
        return Err(ApiError::validation("the body holds no memory: send an object with `text`, or a list of them"));
    }
    let unique = || app.names.unique();
    let (redactor, now_ms) = (&*app.redactor, (app.clock)());
    let remembering = Remembering { journal: &*app.journal, redactor, now_ms, unique: &unique };
    let mut kept: Vec<Remembered> = Vec::with_capacity(checked.len());
    for one in &checked {
        kept.push(remembering.remember(&one.given)?);
    }
    link(app, &checked, &kept)?;
    Ok(json!({"results": kept.iter().map(remembered_json).collect::<Vec<_>>()}))
}

/// Whatever storing it would refuse, refused beforehand.
fn check(
    app: &App,
    at: usize,
    mut given: Given,
    object: &Map<String, Value>,
    newer: Option<Newer>,
) -> Result<Checked, ApiError> {
    let chars = given.text.trim().chars().count();
    if chars > MEMORY_CHARS_MAX {
        return Err(given::refused(at, &MemoryError::TooLong(chars).to_string()));
    }
    if !given::has_scope(object) && is_of_self(&given.text) {
        given.scope = MemoryScope::User;
    }
    if given.scope == MemoryScope::Project && given.project.is_empty() {
        return Err(given::refused(at, "it names no `project`"));
    }
    for id in given::supersedes(object).map_err(|reason| given::refused(at, &reason))? {
        if app.journal.event(&Lookup::Id(id), &View::owner_all())?.is_none() {
            return Err(given::refused(at, &MemoryError::Unknown(id.to_string()).to_string()));
        }
        if !given.supersedes.contains(&id) {
            given.supersedes.push(id);
        }
    }
    let is_no_id = |source: &&MemorySource| source.event.as_deref().is_some_and(|id| EventId::parse(id).is_err());
    if let Some(bad) = given.sources.iter().find(is_no_id).and_then(|source| source.event.as_deref()) {
        return Err(given::refused(at, &format!("the source `{bad}` is not an event id")));
    }
    if newer.is_some() {
        given.status = MemoryStatus::Superseded;
    }
    Ok(Checked { given, newer })
}

/// What a name in `superseded_by` means: another memory of the request, by its maker's name or its id, or one that is
/// there.
fn newer(app: &App, name: &str, objects: &[Map<String, Value>]) -> Result<Option<Newer>, ApiError> {
    let is_it = |object: &Map<String, Value>| {
        ["uid", "id", "_id", "memory_id"].iter().any(|field| object.get(*field).and_then(Value::as_str) == Some(name))
    };
    if let Some(at) = objects.iter().position(is_it) {
        return Ok(Some(Newer::Here(at)));
    }
    let Ok(id) = EventId::parse(name) else { return Ok(None) };
    let stored = app.journal.event(&Lookup::Id(id), &View::owner_all())?;
    Ok(stored.filter(|stored| stored.event.kind() == Kind::Memory).map(|_| Newer::Known(id)))
}

/// Says which took the place of which.
fn link(app: &App, checked: &[Checked], kept: &[Remembered]) -> Result<(), ApiError> {
    let admission = Admission::new(&app.redactor, app.journal.hasher().clone());
    let mut batch = Vec::new();
    for (one, remembered) in checked.iter().zip(kept) {
        let newer = match one.newer {
            Some(Newer::Here(at)) => kept.get(at).and_then(|newer| newer.id),
            Some(Newer::Known(id)) => Some(id),
            None => None,
        };
        if let (Some(older), Some(newer)) = (remembered.id, newer.filter(|newer| Some(*newer) != remembered.id)) {
            batch.push(admission.admit(supersede(&[older], newer, one.given.actor.as_deref())));
        }
    }
    app.journal.append(&batch, &[])?;
    Ok(())
}

fn remembered_json(remembered: &Remembered) -> Value {
    let said = match remembered.said {
        Said::New => "new",
        Said::Again => "again",
        Said::Changed => "changed",
        Said::Forgotten => "forgotten",
    };
    json!({
        "memory_id": remembered.id, "said": said, "name": remembered.memory.name, "scope": remembered.memory.scope,
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
