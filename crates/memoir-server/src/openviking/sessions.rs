//! Sessions: made, written to, told, sealed, forgotten.

use super::{body, ok, reader, reading, writing};
use crate::Shared;
use crate::auth::{self, Scope, Scopes};
use crate::errors::ApiError;
use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use memoir_openviking::{Fault, Making, Message, Spoken, TOKENS_DEFAULT, read_batch, read_message};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Creation {
    session_id: Option<String>,
}

/// `POST /api/v1/sessions`.
pub(crate) async fn create(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let peer = reader(request.headers())?.peer;
    let bytes = body(&app, request).await?;
    let asked: Creation = serde_json::from_slice(&bytes).map_err(|error| Fault::invalid("body", error.to_string()))?;
    writing(&app, move |app| {
        app.openviking.create(asked.session_id.as_deref(), &|| app.names.session(), peer.as_deref())
    })
    .await
}

/// `GET /api/v1/sessions`.
pub(crate) async fn list(State(app): State<Shared>) -> Result<Response, ApiError> {
    reading(&app, |app| app.openviking.list()).await
}

/// What the query string of a session may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    auto_create: Option<String>,
    token_budget: Option<String>,
    offset: Option<String>,
    limit: Option<String>,
    q: Option<String>,
}

type Given = Result<Query<Asked>, QueryRejection>;

fn asked(given: Given) -> Result<Asked, ApiError> {
    given.map(|Query(asked)| asked).map_err(|rejection| Fault::invalid("query", rejection.body_text()).into())
}

fn number<T: std::str::FromStr>(field: &str, given: Option<&str>) -> Result<Option<T>, Fault> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given.map(|text| text.parse().map_err(|_| Fault::invalid(field, "this has to be a number"))).transpose()
}

/// `GET /api/v1/sessions/{id}`.
pub(crate) async fn get(
    State(app): State<Shared>,
    Extension(scopes): Extension<Scopes>,
    Path(id): Path<String>,
    query: Given,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (asked, peer, spoken) = (asked(query)?, reader(&headers)?.peer, Spoken::parse(&id)?);
    if matches!(asked.auto_create.as_deref(), Some("true" | "1" | "True")) {
        auth::require(scopes, Scope::Ingest, "`auto_create`")?;
        return writing(&app, move |app| app.openviking.session(&spoken, Making::Yes, peer.as_deref())).await;
    }
    reading(&app, move |app| app.openviking.session(&spoken, Making::No, None)).await
}

/// `POST /api/v1/sessions/{id}/messages`.
pub(crate) async fn add_message(
    State(app): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    add(app, id, request, |bytes| Ok(vec![read_message(bytes)?])).await
}

/// `POST /api/v1/sessions/{id}/messages/batch`.
pub(crate) async fn add_batch(
    State(app): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    add(app, id, request, read_batch).await
}

async fn add(
    app: Shared,
    id: String,
    request: Request,
    read: fn(&[u8]) -> Result<Vec<Message>, Fault>,
) -> Result<Response, ApiError> {
    let (spoken, peer) = (Spoken::parse(&id)?, reader(request.headers())?.peer);
    let body = crate::limits::read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let appended = app.lanes.write(move || {
        let messages = read(&body.bytes)?;
        drop(body);
        let appended = worker.openviking.append(&spoken, &messages, peer.as_deref());
        match &appended {
            Ok(appended) => {
                worker.writes.note(None);
                worker.counters.appended(&appended.outcomes);
            }
            Err(Fault::Journal(error)) => worker.writes.note(Some(error)),
            Err(_) => {}
        }
        Ok(appended?)
    });
    let result = serde_json::to_value(appended.await?).map_err(|_| ApiError::internal())?;
    Ok(ok(result))
}

/// What a commit may say; what else stands there is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sealing {
    keep_recent_count: Option<u64>,
}

/// `POST /api/v1/sessions/{id}/commit`.
pub(crate) async fn commit(
    State(app): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let spoken = Spoken::parse(&id)?;
    let bytes = body(&app, request).await?;
    let asked: Value = serde_json::from_slice(&bytes).map_err(|error| Fault::invalid("body", error.to_string()))?;
    if !asked.is_object() {
        return Err(Fault::invalid("body", "the body has to be an object").into());
    }
    let wrong = |_| Fault::invalid("keep_recent_count", "this has to be a number that is not negative");
    let asked: Sealing = serde_json::from_value(asked).map_err(wrong)?;
    writing(&app, move |app| app.openviking.commit(&spoken, asked.keep_recent_count.unwrap_or(0))).await
}

/// `GET /api/v1/sessions/{id}/context`.
pub(crate) async fn context(
    State(app): State<Shared>,
    Path(id): Path<String>,
    query: Given,
) -> Result<Response, ApiError> {
    let spoken = Spoken::parse(&id)?;
    let budget = number("token_budget", asked(query)?.token_budget.as_deref())?.unwrap_or(TOKENS_DEFAULT);
    reading(&app, move |app| app.openviking.context(&spoken, budget)).await
}

/// `GET /api/v1/sessions/{id}/archives/{archive}`.
pub(crate) async fn archive(
    State(app): State<Shared>,
    Path((id, archive)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let spoken = Spoken::parse(&id)?;
    reading(&app, move |app| app.openviking.archive(&spoken, &archive)).await
}

/// `GET /api/v1/sessions/{id}/tool-results/{result}`.
pub(crate) async fn tool_result(
    State(app): State<Shared>,
    Path((id, result)): Path<(String, String)>,
    query: Given,
) -> Result<Response, ApiError> {
    let (spoken, asked) = (Spoken::parse(&id)?, asked(query)?);
    let from = number("offset", asked.offset.as_deref())?.unwrap_or(0);
    let most = number("limit", asked.limit.as_deref())?;
    reading(&app, move |app| app.openviking.tool_result(&spoken, &result, from, most)).await
}

/// `GET /api/v1/sessions/{id}/tool-results/{result}/search`.
pub(crate) async fn tool_result_search(
    State(app): State<Shared>,
    Path((id, result)): Path<(String, String)>,
    query: Given,
) -> Result<Response, ApiError> {
    let (spoken, text) = (Spoken::parse(&id)?, asked(query)?.q.unwrap_or_default());
    reading(&app, move |app| app.openviking.search_tool_result(&spoken, &result, &text)).await
}

/// `DELETE /api/v1/sessions/{id}`.
pub(crate) async fn delete(State(app): State<Shared>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let spoken = Spoken::parse(&id)?;
    writing(&app, move |app| app.openviking.delete(&spoken, app.names.forgetting())).await
}

/// `GET /api/v1/tasks/{id}`.
pub(crate) async fn task(State(app): State<Shared>, Path(id): Path<String>) -> Result<Response, ApiError> {
    reading(&app, move |app| app.openviking.task(&id)).await
}
