//! The OpenViking API: thin handlers over [`memoir_openviking::Openviking`], in the envelope that its clients read.

mod files;
mod searches;
mod sessions;

pub(crate) use files::{abstract_of, download, ls, mkdir, mv, overview, read, remove, stat, tree, write, write_batch};
pub(crate) use searches::{find, glob, grep, recall, search};
pub(crate) use sessions::{
    add_batch, add_message, archive, commit, context, create, delete, get, list, task, tool_result, tool_result_search,
};

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use memoir_openviking::{Fault, Openviking, Parts, Reader, USER, check_peer};
use memoir_recall::{Blocked, Recall};
use memoir_record::Policy;
use serde_json::{Value, json};
use std::sync::Arc;

/// The header in which plugins say where they work.
const PEER: &str = "x-openviking-actor-peer";

/// What there is already.
const EXISTS: &str = "ALREADY_EXISTS";

/// The API over the server's own parts.
pub(crate) fn over(
    parts: &crate::Parts,
    recall: &Arc<Recall>,
    (policy, blocked): (Policy, Blocked),
    owner: String,
) -> Openviking {
    Openviking::new(Parts {
        journal: Arc::clone(&parts.journal),
        redactor: Arc::clone(&parts.redactor),
        index: Arc::clone(&parts.index),
        recall: Arc::clone(recall),
        policy,
        blocked,
        is_paused: Arc::clone(&parts.is_paused),
        owner,
        clock: Arc::clone(&parts.clock),
    })
}

/// A success in the envelope.
fn ok(result: Value) -> Response {
    let mut envelope = json!({"status": "ok", "error": null, "telemetry": null, "profile": null});
    envelope["result"] = result;
    json_answer(StatusCode::OK, &envelope)
}

/// For whom something is read.
fn reader(headers: &HeaderMap) -> Result<Reader, ApiError> {
    let Some(peer) = headers.get(PEER) else { return Ok(Reader::default()) };
    let peer = peer.to_str().unwrap_or_default().trim().to_owned();
    check_peer("X-OpenViking-Actor-Peer", &peer)?;
    Ok(Reader { peer: Some(peer) })
}

/// Runs something that reads.
async fn reading(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<Value, Fault> + Send + 'static,
) -> Result<Response, ApiError> {
    let worker = Arc::clone(app);
    app.lanes.read(move || Ok(work(&worker)?)).await.map(ok)
}

/// Runs something that writes.
async fn writing(
    app: &Shared,
    work: impl FnOnce(&App) -> Result<Value, Fault> + Send + 'static,
) -> Result<Response, ApiError> {
    let worker = Arc::clone(app);
    let done = app.lanes.write(move || {
        let done = work(&worker);
        match &done {
            Ok(_) => worker.writes.note(None),
            Err(Fault::Journal(error)) => worker.writes.note(Some(error)),
            Err(_) => {}
        }
        Ok(done?)
    });
    done.await.map(ok)
}

/// An answer of the status 409 that says which of its kinds it is.
fn exists(app: &App, error: ApiError) -> Result<Response, ApiError> {
    if error.code != EXISTS {
        return Err(error);
    }
    let error = json!({"code": EXISTS, "message": app.redactor.text(&error.message), "details": {}});
    let envelope = json!({"status": "error", "result": null, "error": error, "telemetry": null, "profile": null});
    Ok(json_answer(StatusCode::CONFLICT, &envelope))
}

/// A body as JSON; an empty one is an empty object.
async fn body(app: &App, request: Request) -> Result<Vec<u8>, ApiError> {
    let body = read_json_body(app, request).await?;
    Ok(if body.bytes.iter().all(u8::is_ascii_whitespace) { b"{}".to_vec() } else { body.bytes })
}

/// `GET /api/v1/system/status`.
pub(crate) async fn status(State(_): State<Shared>) -> Response {
    ok(json!({"initialized": true, "user": USER, "version": env!("CARGO_PKG_VERSION"), "service": "memoir"}))
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> ApiError {
        match fault {
            Fault::Invalid { field, message } => {
                ApiError { field: Some(field.into()), ..ApiError::validation(message) }
            }
            Fault::Exists(message) => ApiError::new(StatusCode::CONFLICT, EXISTS, message),
            Fault::NotFound(message) => ApiError::not_found("NOT_FOUND", message),
            Fault::Denied(message) => ApiError::forbidden(message),
            Fault::Busy(message) => ApiError::new(StatusCode::CONFLICT, "BUSY", message).retry_after(1),
            Fault::Stopped => ApiError::busy("the server is stopping"),
            Fault::Journal(error) => error.into(),
            Fault::Index(error) => error.into(),
        }
    }
}
