//! MCP over HTTP, behind the same gate as every route: whoever may read may ask, and what a key lacks for writing and
//! forgetting, its tools say.

use crate::auth::{Scope, Scopes};
use crate::errors::{ApiError, json_answer};
use crate::limits::{RequestBody, read_json_body};
use crate::settings::ServerSettings;
use crate::{Parts, Shared};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use http_body_util::Full;
use jiff::tz::TimeZone;
use memoir_mcp::{HttpService, Library, Mcp, Rights, Surroundings};
use memoir_recall::Recall;
use serde::de::IgnoredAny;
use serde_json::json;
use std::sync::Arc;

/// No message of MCP is longer.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// What JSON-RPC calls a body that is not JSON.
const PARSE_ERROR: i32 = -32_700;

/// What JSON-RPC calls JSON that is no request.
const INVALID_REQUEST: i32 = -32_600;

/// What answers.
pub(crate) fn service(settings: &ServerSettings, parts: &Parts, recall: &Arc<Recall>) -> HttpService {
    let library = Arc::new(Library {
        journal: Arc::clone(&parts.journal),
        redactor: Arc::clone(&parts.redactor),
        index: Arc::clone(&parts.index),
        recall: Arc::clone(recall),
        blocked: settings.blocked.clone(),
        clock: Arc::clone(&parts.clock),
        zone: TimeZone::UTC,
        actor: None,
        // A caller's directories are on its own machine; its session tells the project.
        project_of: None,
    });
    let mcp = Mcp::new(Arc::new(move || Ok(Arc::clone(&library))), Surroundings::default());
    HttpService::new(mcp, settings.body_bytes_max.min(MESSAGE_BYTES_MAX))
}

/// `POST /mcp`.
pub(crate) async fn answer(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let scopes = request.extensions().get::<Scopes>().copied().unwrap_or_default();
    let (parts, body) = request.into_parts();
    let RequestBody { bytes, held: _held } = read_json_body(&app, Request::from_parts(parts.clone(), body)).await?;
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
        return Ok(refused(PARSE_ERROR, &format!("this is not JSON: {error}")));
    }
    let mut message = Request::from_parts(parts, Full::new(Bytes::from(bytes)));
    let rights = Rights { may_write: scopes.allow(Scope::Ingest), may_forget: scopes.allow(Scope::Admin) };
    message.extensions_mut().insert(rights);
    let answer = app.mcp.answer(message).await;
    // What comes in is marked as JSON, so this is about what the JSON says.
    if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return Ok(refused(INVALID_REQUEST, "this is no message of JSON-RPC 2.0"));
    }
    Ok(answer.map(Body::new))
}

/// The answer to what is no message: nobody knows which request it was to be.
fn refused(code: i32, message: &str) -> Response {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    json_answer(StatusCode::BAD_REQUEST, &error)
}
