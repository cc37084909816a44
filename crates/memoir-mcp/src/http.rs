//! MCP over HTTP: one request, one JSON answer, no sessions. Keys, hosts and limits are the server's, before this.

use crate::server::Mcp;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::sync::Arc;

/// What a caller over HTTP may do; put it into the request's extensions. Without it, a caller may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rights {
    /// It may add memories and commit sessions.
    pub may_write: bool,
    /// It may have things forgotten.
    pub may_forget: bool,
}

/// Answers MCP requests over HTTP.
#[derive(Clone)]
pub struct HttpService(StreamableHttpService<Mcp, NeverSessionManager>);

impl HttpService {
    /// Over that server, for bodies of at most so many bytes.
    pub fn new(mcp: Mcp, body_bytes_max: usize) -> HttpService {
        let config = StreamableHttpServerConfig::default()
            // Which names and pages may call is for the server around this, in one place.
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body_bytes_max);
        let service =
            StreamableHttpService::new(move || Ok(mcp.clone()), Arc::new(NeverSessionManager::default()), config);
        HttpService(service)
    }

    /// Answers one request. Whatever the client says it takes, the answer is JSON.
    pub async fn answer(&self, mut request: Request<Full<Bytes>>) -> Response<BoxBody<Bytes, Infallible>> {
        let takes = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(header::ACCEPT, takes);
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.0.handle(request).await
    }
}
