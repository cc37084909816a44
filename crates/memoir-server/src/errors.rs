//! The one shape of every error, and the one table from what went wrong to status and code.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use memoir_index::IndexError;
use memoir_journal::JournalError;
use memoir_redact::Redactor;
use serde::Serialize;
use serde_json::json;

/// An error on its way to the client. Handlers return it; the gate writes it out with its request id.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) record: Option<usize>,
    pub(crate) retry_after: Option<u64>,
    pub(crate) allow: Option<String>,
    /// What in the request is wrong, where that has a name.
    pub(crate) field: Option<Box<str>>,
}

/// The error as clients see it.
#[derive(Serialize)]
struct Shape<'a> {
    code: &'a str,
    message: &'a str,
    details: Option<Details>,
    retry_after: Option<u64>,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<usize>,
}

#[derive(Serialize)]
struct Details {
    record: usize,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), record: None, retry_after: None, allow: None, field: None }
    }

    pub(crate) fn validation(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message)
    }

    pub(crate) fn unauthorized(message: &str) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
    }

    pub(crate) fn misdirected() -> ApiError {
        let message = "this server does not answer to the name in the Host header; add it to `server.allowed_hosts`";
        ApiError::new(StatusCode::MISDIRECTED_REQUEST, "HOST_NOT_ALLOWED", message)
    }

    pub(crate) fn not_found(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, code, message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "CONTENT_TOO_LARGE", message)
    }

    /// Too much at once; the same request can succeed a moment later.
    pub(crate) fn busy(message: &str) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "OVERLOADED", message).retry_after(1)
    }

    pub(crate) fn internal() -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", "something went wrong inside the server")
    }

    #[must_use]
    pub(crate) const fn retry_after(mut self, seconds: u64) -> ApiError {
        self.retry_after = Some(seconds);
        self
    }

    /// The answer as clients of the OpenViking API read it.
    pub(crate) fn openviking_answer(&self, redactor: &Redactor) -> Response {
        let details = match &self.field {
            Some(field) => {
                let loc: Vec<&str> = field.split('.').collect();
                json!({"validation_errors": [{"loc": loc, "message": redactor.text(&self.message), "type": "value_error"}]})
            }
            None if self.retry_after.is_some() => json!({"retryable": true}),
            None => json!({}),
        };
        let error =
            json!({"code": openviking_code(self.status), "message": redactor.text(&self.message), "details": details});
        let shape = json!({"status": "error", "result": null, "error": error, "telemetry": null, "profile": null});
        let mut answer = json_answer(self.status, &shape);
        self.add_headers(&mut answer);
        answer
    }

    /// The answer itself. The message may quote the request, so it goes through redaction like all else.
    pub(crate) fn answer(&self, redactor: &Redactor, request_id: &str) -> Response {
        let shape = Shape {
            code: self.code,
            message: &redactor.text(&self.message),
            details: self.record.map(|record| Details { record }),
            retry_after: self.retry_after,
            request_id,
            record: self.record,
        };
        let mut answer = json_answer(self.status, &shape);
        self.add_headers(&mut answer);
        answer
    }

    fn add_headers(&self, answer: &mut Response) {
        let headers = answer.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = self.allow.as_ref().and_then(|allow| HeaderValue::from_str(allow).ok()) {
            headers.insert(header::ALLOW, allow);
        }
    }

    /// The error behind a bare error status that some other layer answered with.
    pub(crate) fn of_status(status: StatusCode) -> ApiError {
        match status {
            StatusCode::NOT_FOUND => ApiError::not_found("NOT_FOUND", "there is nothing at this path"),
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large("the request is too large"),
            status if status.is_client_error() => {
                ApiError::new(status, "VALIDATION_ERROR", status.canonical_reason().unwrap_or("the request is wrong"))
            }
            _ => ApiError::internal(),
        }
    }
}

/// What the OpenViking API calls an error of that status.
fn openviking_code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHENTICATED",
        403 | 421 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        408 | 504 => "DEADLINE_EXCEEDED",
        409 => "ABORTED",
        412 => "FAILED_PRECONDITION",
        429 => "RESOURCE_EXHAUSTED",
        400..=499 => "INVALID_ARGUMENT",
        503 | 507 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

impl IntoResponse for ApiError {
    /// A bare answer that carries the error for the gate.
    fn into_response(self) -> Response {
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = self.status;
        answer.extensions_mut().insert(self);
        answer
    }
}

/// The one table from journal errors to statuses. What names files or engines stays inside.
impl From<&JournalError> for ApiError {
    fn from(error: &JournalError) -> ApiError {
        let unavailable =
            |message: String| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "STORAGE_UNAVAILABLE", message);
        match error {
            JournalError::Locked => {
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "STORAGE_BUSY", error.to_string()).retry_after(1)
            }
            JournalError::Full => ApiError::new(StatusCode::INSUFFICIENT_STORAGE, "STORAGE_FULL", error.to_string()),
            JournalError::ReadOnly | JournalError::Replaced => unavailable(error.to_string()),
            JournalError::Damaged(_) => unavailable("the journal is damaged; run `memoir doctor` on the server".into()),
            _ => unavailable("the journal cannot be read or written; run `memoir doctor` on the server".into()),
        }
    }
}

impl From<JournalError> for ApiError {
    fn from(error: JournalError) -> ApiError {
        ApiError::from(&error)
    }
}

impl From<IndexError> for ApiError {
    /// The index is a cache: what fails a search is its journal.
    fn from(error: IndexError) -> ApiError {
        match error {
            IndexError::Journal(error) => ApiError::from(error),
            IndexError::Write { .. } | IndexError::Delete { .. } | IndexError::Read(_) => ApiError::internal(),
        }
    }
}

/// A JSON answer.
pub(crate) fn json_answer<T: Serialize>(status: StatusCode, value: &T) -> Response {
    serde_json::to_vec(value)
        .map_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response(), |json| json_bytes(status, json))
}

/// An answer that is JSON already.
pub(crate) fn json_bytes(status: StatusCode, json: Vec<u8>) -> Response {
    let headers: [(HeaderName, &str); 2] =
        [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, json).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_errors_keep_their_paths_to_themselves() {
        let error = JournalError::Open { path: "/home/x/journal.db".into(), reason: "no".into() };
        assert!(!ApiError::from(&error).message.contains("/home"));
        assert_eq!(ApiError::from(JournalError::Full).status.as_u16(), 507);
        assert_eq!(ApiError::from(JournalError::Locked).retry_after, Some(1));
        assert_eq!(ApiError::from(JournalError::ReadOnly).code, "STORAGE_UNAVAILABLE");
        assert_eq!(ApiError::from(JournalError::Damaged("page 7".into())).status.as_u16(), 503);
    }
}
