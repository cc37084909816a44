//! How much of a request is read, and for how long.

use crate::App;
use crate::errors::ApiError;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// The longest path and query.
const URI_BYTES_MAX: usize = 16 * 1024;

/// The most that all headers have together.
const HEADERS_BYTES_MAX: usize = 64 * 1024;

/// Body bytes are counted in steps of this many.
pub(crate) const BODY_STEP: usize = 64 * 1024;

/// No more than this is reserved on a client's word.
const RESERVE_MAX: usize = 4 * 1024 * 1024;

/// How long the rest of a refused request is read away, so that its sender gets to see the refusal.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A whole request body; while it lives, its bytes count as being in memory.
pub(crate) struct RequestBody {
    pub(crate) bytes: Vec<u8>,
    pub(crate) held: OwnedSemaphorePermit,
}

/// Refuses what is too long before anything else looks at it.
pub(crate) fn check_head(request: &Request) -> Result<(), ApiError> {
    let uri = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if uri > URI_BYTES_MAX {
        return Err(ApiError::new(StatusCode::URI_TOO_LONG, "URI_TOO_LONG", "the path and query are too long"));
    }
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > HEADERS_BYTES_MAX {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(ApiError::new(status, "HEADERS_TOO_LARGE", "the headers are too long"));
    }
    Ok(())
}

/// Reads a JSON body within the limits of size and time.
pub(crate) async fn read_json_body(app: &App, request: Request) -> Result<RequestBody, ApiError> {
    let (parts, body) = request.into_parts();
    check_content_type(&parts.headers)?;
    let max = app.settings.body_bytes_max;
    let declared = content_length(&parts.headers);
    let too_large = || ApiError::too_large(format!("the body is larger than {max} bytes; send smaller batches"));
    if declared.is_some_and(|length| length > max) {
        drain(app, &parts.headers, body).await;
        return Err(too_large());
    }
    let steps = u32::try_from(declared.unwrap_or(max).div_ceil(BODY_STEP)).unwrap_or(u32::MAX);
    let reading = async {
        let held = Arc::clone(&app.bodies).acquire_many_owned(steps).await.map_err(|_| ApiError::internal())?;
        let mut body = body;
        let mut bytes = Vec::with_capacity(declared.unwrap_or(0).min(RESERVE_MAX));
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| ApiError::validation("the body ended too early"))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > max {
                return Err(too_large());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(RequestBody { bytes, held })
    };
    tokio::time::timeout(app.settings.body_timeout, reading).await.unwrap_or_else(|_| {
        let message = "the body did not arrive in time";
        Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "TIMEOUT", message))
    })
}

/// Reads away the rest of a request that was refused, within bounds: a connection that is closed over unread bytes
/// is reset, and its client would see that instead of the answer.
pub(crate) async fn drain(app: &App, headers: &HeaderMap, mut body: Body) {
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let max = app.settings.body_bytes_max.saturating_mul(2);
    let reading = async {
        let mut read = 0usize;
        while let Some(Ok(frame)) = body.frame().await {
            read += frame.data_ref().map_or(0, |data| data.len());
            if read > max {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// JSON or nothing said: a form or plain text is what a web page of another site could send unasked.
fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let kind = given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "application/json" || kind.strip_prefix("application/").is_some_and(|kind| kind.ends_with("+json")) {
        return Ok(());
    }
    Err(ApiError::validation("the content-type must be application/json"))
}
