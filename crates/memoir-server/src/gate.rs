//! What every request passes on its way in and every answer on its way out: name, limits, key, errors, counting.

use crate::auth::{self, Scopes};
use crate::errors::ApiError;
use crate::limits;
use crate::owner::Owner;
use crate::routes::{self, Access, Route};
use crate::{App, Peer, Shared};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response as HttpResponse};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use tokio::sync::OwnedSemaphorePermit;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_BYTES_MAX: usize = 128;

/// Lets a request through to its handler, or answers it at once.
pub(crate) async fn gate(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let request_id = request_id(request.headers());
    let shape = Shape::of(request.uri().path());
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.and_then(|path| routes::find(request.method(), path.as_str()));
    let answer = match admit(&app, &mut request, route) {
        Ok(_permit) => run(next, request).await,
        Err(error) => {
            let (parts, body) = request.into_parts();
            limits::drain(&app, &parts.headers, body).await;
            error.into_response()
        }
    };
    let mut answer = shaped(&app, answer, shape, &request_id);
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        answer.headers_mut().insert(REQUEST_ID, value);
    }
    app.counters.count(route.map_or("unknown", |route| route.path), answer.status().as_u16(), started.elapsed());
    answer
}

/// The checks, the cheap ones first; the permit counts the request as being worked on.
fn admit(app: &App, request: &mut Request, route: Option<&Route>) -> Result<OwnedSemaphorePermit, ApiError> {
    limits::check_head(request)?;
    app.hosts.check(request.uri(), request.headers())?;
    let access = route.map_or(Access::Open, |route| route.access);
    if route.is_none() || access != Access::Open {
        check_rate(app, request)?;
    }
    let scopes = match access {
        Access::Open => Scopes::default(),
        Access::Scoped(scope) => {
            let owner = request.extensions().get::<Peer>().map_or(Owner::Unknown, |peer| peer.owner);
            let header = match Shape::of(request.uri().path()) {
                Shape::Own => auth::KeyHeader::Authorization,
                Shape::Openviking => auth::KeyHeader::Either,
            };
            let scopes = auth::scopes_of(&app.settings.keys, request.headers(), header, owner)?;
            let named = route.map_or("this", |route| route.path);
            auth::require(scopes, scope, named)?;
            scopes
        }
    };
    request.extensions_mut().insert(scopes);
    Arc::clone(&app.requests)
        .try_acquire_owned()
        .map_err(|_| ApiError::busy("the server has too many requests at once; try again"))
}

fn check_rate(app: &App, request: &Request) -> Result<(), ApiError> {
    let (Some(limit), Some(Peer { ip: client, .. })) = (&app.rate, request.extensions().get::<Peer>()) else {
        return Ok(());
    };
    limit.take(*client, Instant::now()).map_err(|wait| {
        app.counters.rate_limited();
        let seconds = wait.as_secs_f64().ceil().max(1.0);
        let status = axum::http::StatusCode::TOO_MANY_REQUESTS;
        let seconds = if seconds < 3600.0 { seconds as u64 } else { 3600 };
        ApiError::new(status, "RATE_LIMITED", "too many requests from this address; try again").retry_after(seconds)
    })
}

/// Runs the handler; should it panic, the client gets an answer and the server goes on.
async fn run(next: Next, request: Request) -> Response {
    let mut running = Box::pin(next.run(request));
    poll_fn(move |context| {
        catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context)))
            .unwrap_or_else(|_| Poll::Ready(ApiError::internal().into_response()))
    })
    .await
}

/// Whose clients a path is for: they read errors in a shape of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Own,
    Openviking,
}

impl Shape {
    fn of(path: &str) -> Shape {
        if path.starts_with(routes::OPENVIKING) { Shape::Openviking } else { Shape::Own }
    }
}

/// Every error leaves in the shape of its path, whoever made it.
fn shaped(app: &App, mut answer: HttpResponse<Body>, shape: Shape, request_id: &str) -> Response {
    let told = |error: &ApiError| match shape {
        Shape::Own => error.answer(&app.redactor, request_id),
        Shape::Openviking => error.openviking_answer(&app.redactor),
    };
    if let Some(error) = answer.extensions_mut().remove::<ApiError>() {
        return told(&error);
    }
    let status = answer.status();
    let is_json = answer.headers().get(axum::http::header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if (status.is_client_error() || status.is_server_error()) && !is_json {
        return told(&ApiError::of_status(status));
    }
    answer
}

/// The caller's id if it is one that can be shown anywhere, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let sane = |id: &&str| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_BYTES_MAX
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).map(str::trim).filter(sane);
    given.map_or_else(new_request_id, str::to_owned)
}

/// A random UUID; all zeros should the system have no randomness.
fn new_request_id() -> String {
    let mut bytes = [0u8; 16];
    let _ = getrandom::fill(&mut bytes);
    let number = u128::from_be_bytes(bytes) & !(0xf << 76 | 0b11 << 62) | 0x4 << 76 | 0b10 << 62;
    let hex = format!("{number:032x}");
    let part = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0..8), part(8..12), part(12..16), part(16..20), part(20..32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(given: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, HeaderValue::from_str(given).unwrap());
        request_id(&headers)
    }

    #[test]
    fn a_sane_request_id_is_kept_and_any_other_replaced() {
        assert_eq!(id_for(" run-7.a:b_C "), "run-7.a:b_C");
        for odd in ["", "a b", "<script>", &"x".repeat(129)] {
            assert_eq!(id_for(odd).len(), 36, "{odd}");
        }
        let id = new_request_id();
        assert_eq!(id.as_bytes()[14], b'4');
        assert_ne!(id, new_request_id());
    }
}
