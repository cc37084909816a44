//! Searches.

use super::{body, ok, reader};
use crate::errors::ApiError;
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::response::Response;
use memoir_openviking::{Fault, Glob, Grep, Reader, Search, Way};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// `POST /api/v1/search/find`.
pub(crate) async fn find(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    searched(app, request, Way::Find).await
}

/// `POST /api/v1/search/search`: the one that plugins ask before each prompt.
pub(crate) async fn search(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    searched(app, request, Way::Search).await
}

/// `POST /api/v1/search/recall`.
pub(crate) async fn recall(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    searched(app, request, Way::Recall).await
}

async fn searched(app: Shared, request: Request, way: Way) -> Result<Response, ApiError> {
    asked(app, request, move |app, bytes, reader| {
        let search = Search::parse(bytes, way)?;
        app.openviking.search(&search, way, reader, &mut || goes_on(app))
    })
    .await
}

/// `POST /api/v1/search/grep`.
pub(crate) async fn grep(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    asked(app, request, |app, bytes, _| {
        let grep = Grep::parse(bytes)?;
        app.openviking.grep(&grep, &mut || goes_on(app))
    })
    .await
}

/// `POST /api/v1/search/glob`.
pub(crate) async fn glob(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    asked(app, request, |app, bytes, reader| app.openviking.glob(&Glob::parse(bytes)?, reader)).await
}

async fn asked(
    app: Shared,
    request: Request,
    work: impl FnOnce(&App, &[u8], &Reader) -> Result<Value, Fault> + Send + 'static,
) -> Result<Response, ApiError> {
    let reader = reader(request.headers())?;
    let bytes = body(&app, request).await?;
    let worker = Arc::clone(&app);
    app.lanes.read(move || Ok(work(&worker, &bytes, &reader)?)).await.map(ok)
}

fn goes_on(app: &App) -> bool {
    !app.stopping.load(Ordering::Relaxed)
}
