//! Directories and files.

use super::{body, exists, reader, reading, writing};
use crate::Shared;
use crate::errors::{ApiError, json_answer};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use memoir_openviking::{Depth, Fault, Form, Lines, ROWS_MAX, Reach, Write, Writing};
use serde::Deserialize;
use serde::de::DeserializeOwned;
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
    let depth = if is_true(asked.recursive.as_deref()) { Depth::All } else { Depth::One };
    rows(app, asked, uri, depth, &headers).await
}

fn is_true(given: Option<&str>) -> bool {
    matches!(given, Some("true" | "1" | "True"))
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

/// `GET /api/v1/content/download`: the file as it is, and not in the envelope.
pub(crate) async fn download(
    State(app): State<Shared>,
    query: Given,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ((_, uri), reader) = (asked(query)?, reader(&headers)?);
    let worker = Arc::clone(&app);
    let text = app.lanes.read(move || Ok(worker.openviking.read(&uri, Lines::default(), &reader)?)).await?;
    let kind = [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, "attachment")];
    Ok((kind, text).into_response())
}

/// `DELETE /api/v1/fs`.
pub(crate) async fn remove(State(app): State<Shared>, query: Given, headers: HeaderMap) -> Result<Response, ApiError> {
    let ((asked, uri), reader) = (asked(query)?, reader(&headers)?);
    let reach = if is_true(asked.recursive.as_deref()) { Reach::Below } else { Reach::File };
    writing(&app, move |app| app.openviking.remove(&uri, reach, &reader, app.names.forgetting())).await
}

/// A directory to make.
#[derive(Debug, Deserialize)]
struct Made {
    uri: String,
}

/// `POST /api/v1/fs/mkdir`.
pub(crate) async fn mkdir(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let made: Made = parsed(&body(&app, request).await?)?;
    reading(&app, move |app| app.openviking.mkdir(&made.uri)).await
}

/// What is to be moved.
#[derive(Debug, Deserialize)]
struct Moved {
    from_uri: String,
    to_uri: String,
}

/// `POST /api/v1/fs/mv`.
pub(crate) async fn mv(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let reader = reader(request.headers())?;
    let moved: Moved = parsed(&body(&app, request).await?)?;
    let done =
        writing(&app, move |app| app.openviking.mv(&moved.from_uri, &moved.to_uri, &reader, &|| app.names.unique()));
    done.await.or_else(|error| exists(&app, error))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| Fault::invalid("body", error.to_string()))
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
    let written: Written = parsed(&body(&app, request).await?)?;
    let writing_mode = mode_of(written.mode.as_deref())?;
    let written = writing(&app, move |app| {
        app.openviking.write(&written.uri, &written.content, writing_mode, &reader, &|| app.names.unique())
    });
    written.await.or_else(|error| exists(&app, error))
}

fn mode_of(given: Option<&str>) -> Result<Writing, Fault> {
    Writing::parse(given.unwrap_or("replace"))
}

/// Several files to write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    root_uri: String,
    operations: Vec<Operation>,
    #[serde(default, rename = "wait")]
    _wait: Option<Value>,
    #[serde(default, rename = "timeout")]
    _timeout: Option<Value>,
    #[serde(default, rename = "telemetry")]
    _telemetry: Option<Value>,
}

/// One of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    uri: String,
    content: String,
    #[serde(default)]
    mode: Option<String>,
}

/// `POST /api/v1/content/batch-write`.
pub(crate) async fn write_batch(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let reader = reader(request.headers())?;
    let Batch { root_uri, operations, .. } = parsed(&body(&app, request).await?)?;
    let write = |Operation { uri, content, mode }| Ok(Write { uri, content, writing: mode_of(mode.as_deref())? });
    let writes: Vec<Write> = operations.into_iter().map(write).collect::<Result<_, Fault>>()?;
    let written =
        writing(&app, move |app| app.openviking.write_batch(&root_uri, &writes, &reader, &|| app.names.unique()));
    written.await.or_else(|error| exists(&app, error))
}
