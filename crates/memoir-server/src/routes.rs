//! Every route, in one table: what it is called, who may use it, and who answers.

use crate::auth::Scope;
use crate::errors::ApiError;
use crate::{
    Shared, dream, encode, forget, mcp, memories, openapi, openviking, probes, raw_recall, read, recall, runs, search,
};
use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, post};

/// What a route needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing: probes are for anyone, and are not counted by the rate limit.
    Open,
    /// A key with that scope, where keys are set.
    Scoped(Scope),
}

/// One route.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    handler: fn() -> MethodRouter<Shared>,
}

const fn read_with(path: &'static str, access: Access, handler: fn() -> MethodRouter<Shared>) -> Route {
    Route { method: "GET", path, access, handler }
}

const fn send_to(path: &'static str, access: Access, handler: fn() -> MethodRouter<Shared>) -> Route {
    Route { method: "POST", path, access, handler }
}

const fn take_away(path: &'static str, access: Access, handler: fn() -> MethodRouter<Shared>) -> Route {
    Route { method: "DELETE", path, access, handler }
}

/// How the paths begin that are for clients of the OpenViking API.
pub(crate) const OPENVIKING: &str = "/api/v1/";

const INGEST: Access = Access::Scoped(Scope::Ingest);
const READ: Access = Access::Scoped(Scope::Read);
const ADMIN: Access = Access::Scoped(Scope::Admin);

/// The routes.
pub(crate) static ROUTES: [Route; 50] = [
    send_to("/v1/encode/raw/batch", INGEST, || post(encode::batch)),
    send_to("/v1/encode/raw", INGEST, || post(encode::one)),
    send_to("/v1/recall/raw", READ, || post(raw_recall::raw)),
    send_to("/v1/recall", READ, || post(recall::recall)),
    send_to("/v1/forget", ADMIN, || post(forget::forget)),
    send_to("/v1/lifecycle/dream-tick", ADMIN, || post(dream::tick)),
    read_with("/v1/memories", READ, || get(memories::list)),
    send_to("/v1/memories", INGEST, || post(memories::add)),
    send_to("/v1/events", INGEST, || post(runs::push)),
    read_with("/v1/timeline", READ, || get(read::timeline)),
    read_with("/v1/sessions", READ, || get(read::sessions)),
    read_with("/v1/search", READ, || get(search::search)),
    read_with("/v1/events/{id}", READ, || get(read::event)),
    read_with("/api/v1/system/status", READ, || get(openviking::status)),
    send_to("/api/v1/sessions", INGEST, || post(openviking::create)),
    read_with("/api/v1/sessions", READ, || get(openviking::list)),
    read_with("/api/v1/sessions/{id}", READ, || get(openviking::get)),
    take_away("/api/v1/sessions/{id}", ADMIN, || delete(openviking::delete)),
    send_to("/api/v1/sessions/{id}/messages", INGEST, || post(openviking::add_message)),
    send_to("/api/v1/sessions/{id}/messages/batch", INGEST, || post(openviking::add_batch)),
    send_to("/api/v1/sessions/{id}/commit", INGEST, || post(openviking::commit)),
    read_with("/api/v1/sessions/{id}/context", READ, || get(openviking::context)),
    read_with("/api/v1/sessions/{id}/archives/{archive}", READ, || get(openviking::archive)),
    read_with("/api/v1/sessions/{id}/tool-results/{result}", READ, || get(openviking::tool_result)),
    read_with("/api/v1/sessions/{id}/tool-results/{result}/search", READ, || get(openviking::tool_result_search)),
    read_with("/api/v1/tasks/{id}", READ, || get(openviking::task)),
    send_to("/api/v1/search/find", READ, || post(openviking::find)),
    send_to("/api/v1/search/search", READ, || post(openviking::search)),
    send_to("/api/v1/search/recall", READ, || post(openviking::recall)),
    send_to("/api/v1/search/grep", READ, || post(openviking::grep)),
    send_to("/api/v1/search/glob", READ, || post(openviking::glob)),
    read_with("/api/v1/fs/ls", READ, || get(openviking::ls)),
    read_with("/api/v1/fs/tree", READ, || get(openviking::tree)),
    read_with("/api/v1/fs/stat", READ, || get(openviking::stat)),
    send_to("/api/v1/fs/mkdir", INGEST, || post(openviking::mkdir)),
    send_to("/api/v1/fs/mv", INGEST, || post(openviking::mv)),
    take_away("/api/v1/fs", ADMIN, || delete(openviking::remove)),
    read_with("/api/v1/content/download", READ, || get(openviking::download)),
    read_with("/api/v1/content/read", READ, || get(openviking::read)),
    read_with("/api/v1/content/abstract", READ, || get(openviking::abstract_of)),
    read_with("/api/v1/content/overview", READ, || get(openviking::overview)),
    send_to("/api/v1/content/write", INGEST, || post(openviking::write)),
    send_to("/api/v1/content/batch-write", INGEST, || post(openviking::write_batch)),
    send_to("/mcp", READ, || post(mcp::answer)),
    read_with("/v1/status", READ, || get(probes::status)),
    read_with("/metrics", READ, || get(probes::metrics)),
    read_with("/openapi.json", Access::Open, || get(openapi::document)),
    read_with("/health", Access::Open, || get(probes::health)),
    read_with("/readiness", Access::Open, || get(probes::readiness)),
    read_with("/ready", Access::Open, || get(probes::readiness)),
];

/// The route behind a matched path and a method; of another method, any route of the path: it is refused all the same.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    let wanted = if method == Method::HEAD { "GET" } else { method.as_str() };
    let of_path = || ROUTES.iter().filter(|route| route.path == path);
    of_path().find(|route| route.method == wanted).or_else(|| of_path().next())
}

/// The router over all of them.
pub(crate) fn router() -> Router<Shared> {
    ROUTES
        .iter()
        .fold(Router::new(), |router, route| router.route(route.path, (route.handler)()))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
}

async fn unknown_path() -> ApiError {
    ApiError::not_found("NOT_FOUND", "there is nothing at this path; GET /openapi.json describes what there is")
}

async fn wrong_method(request: Request) -> ApiError {
    let matched = request.extensions().get::<axum::extract::MatchedPath>();
    let path = matched.map_or("", |path| path.as_str());
    let of_path = ROUTES.iter().filter(|route| route.path == path);
    let methods = of_path.map(|route| if route.method == "GET" { "GET, HEAD" } else { route.method });
    let allow = methods.collect::<Vec<_>>().join(", ");
    let status = axum::http::StatusCode::METHOD_NOT_ALLOWED;
    let mut error = ApiError::new(
        status,
        "METHOD_NOT_ALLOWED",
        format!("this path answers to {} only", allow.replace(", HEAD", "")),
    );
    error.allow = Some(allow);
    error
}
