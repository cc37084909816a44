//! Directories and files.

use super::{body, exists, reader, reading, writing};
use crate::Shared;
use crate::errors::{ApiError, json_answer};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use memoir_openviking::{Depth, Fault, Form, Lines, ROWS_MAX, Writing};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What the query string may say; what else stands there is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    uri: Option<String>,
    output: Option<String>,
    recursive: Option<String>,
    node_limit: Option<String>,
    offset: Option<String>,
    limit: Option<String>,
}

type Given = Result<Query<Asked>, QueryRejection>;

fn asked(given: Given) -> Result<(Asked, String), Fault> {
    let Query(asked) = given.map_err(|rejection| Fault::invalid("query", rejection.body_text()))?;
    let uri = asked.uri.clone().filter(|uri| !uri.trim().is_empty());
    let uri = uri.ok_or_else(|| Fault::invalid("uri", "say which address"))?;
    Ok((asked, uri))
}

fn number(field: &str, given: Option<&str>) -> Result<Option<usize>, Fault> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given
        .map(|text| match text.parse::<i64>() {
            Ok(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(_) => Err(Fault::invalid(field, "this has to be a number")),
        })
        .transpose()
}

/// `GET /api/v1/fs/ls`.
pub(crate) async fn ls(State(app): State<Shared>, query: Given, headers: HeaderMap) -> Result<Response, ApiError> {
    let (asked, uri) = asked(query)?;
    let is_recursive = matches!(asked.recursive.as_deref(), Some("true" | "1" | "True"));
    rows(app, asked, uri, if is_recursive { Depth::All } else { Depth::One }, &headers).await
}

/// `GET /api/v1/fs/tree`.
pub(crate) async fn tree(State(app): State<Shared>, query: Given, headers: HeaderMap) -> Result<Response, ApiError> {
    let (asked, uri) = asked(query)?;
    rows(app, asked, uri, Depth::All, &headers).await
}

async fn rows(app: Shared, asked: Asked, uri: String, depth: Depth, headers: &HeaderMap) -> Result<Response, ApiError> {
    let reader = reader(headers)?;
    let form = match asked.output.as_deref() {
        Some("original") => Form::Original,
        None | Some("agent" | "") => Form::Agent,
        Some(_) => return Err(Fault::invalid("output", "the form is agent or original").into()),
    };
    let limit = number("node_limit", asked.node_limit.as_deref())?.unwrap_or(ROWS_MAX);
    let worker = Arc::clone(&app);
    let rows = app.lanes.read(move || Ok(worker.openviking.ls(&uri, form, depth, limit, &reader)?)).await?;
    let envelope = json!({
        "status": "ok", "result": rows.rows, "has_more": rows.has_more, "error": null, "telemetry": null,
        "profile": null,
    });
    Ok(json_answer(StatusCode::OK, &envelope))
}

/// `GET /api/v1/fs/stat`.
pub(crate) async fn stat(State(app): State<Shared>, query: Given, headers: HeaderMap) -> Result<Response, ApiError> {
    let ((_, uri), reader) = (asked(query)?, reader(&headers)?);
    reading(&app, move |app| app.openviking.stat(&uri, &reader)).await
}

/// `GET /api/v1/content/read`.
pub(crate) async fn read(State(app): State<Shared>, query: Given, headers: HeaderMap) -> Result<Response, ApiError> {
    let ((asked, uri), reader) = (asked(query)?, reader(&headers)?);
    let from = number("offset", asked.offset.as_deref())?.unwrap_or(0);
    // A limit below nought means no limit there.
    let most = number("limit", asked.limit.as_deref())?.filter(|most| *most != usize::MAX);
    let lines = Lines { from, most };
    reading(&app, move |app| app.openviking.read(&uri, lines, &reader).map(Value::String)).await
}

/// `GET /api/v1/content/abstract`.
pub(crate) async fn abstract_of(
    State(app): State<Shared>,
    query: Given,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ((_, uri), reader) = (asked(query)?, reader(&headers)?);
    reading(&app, move |app| app.openviking.summary(&uri, &reader).map(Value::String)).await
}

/// `GET /api/v1/content/overview`.
pub(crate) async fn overview(
    State(app): State<Shared>,
    query: Given,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ((_, uri), reader) = (asked(query)?, reader(&headers)?);
    reading(&app, move |app| app.openviking.overview(&uri, &reader).map(Value::String)).await
}

/// What is written; the API refuses fields that it does not know.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    uri: String,
    content: String,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default, rename = "wait")]
    _wait: Option<Value>,
    #[serde(default, rename = "timeout")]
    _timeout: Option<Value>,
}

/// `POST /api/v1/content/write`.
pub(crate) async fn write(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let reader = reader(request.headers())?;
    let bytes = body(&app, request).await?;
    let written: Written = serde_json::from_slice(&bytes).map_err(|error| Fault::invalid("body", error.to_string()))?;
    let writing_mode = Writing::parse(written.mode.as_deref().unwrap_or("replace"))?;
    let written = writing(&app, move |app| {
        app.openviking.write(&written.uri, &written.content, writing_mode, &reader, &|| app.names.unique())
    });
    written.await.or_else(|error| exists(&app, error))
}
