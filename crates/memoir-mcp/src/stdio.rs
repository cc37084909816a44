//! MCP over standard input and output: one JSON message to a line.

use crate::frames::Frames;
use crate::server::Mcp;
use rmcp::model::{
    ClientNotification, ClientRequest, DiscoverRequestMethod, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service, serve_directly};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServerHandler};
use std::borrow::Cow;
use tokio::io::{AsyncRead, AsyncWrite};

/// A longer line is dropped, and that is said.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// Serves until the client closes its end, and has answered by then what it was asked before.
pub async fn serve(
    mcp: Mcp,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) {
    let Frames { input, output, done } = Frames::between(input, output);
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LINE_BYTES_MAX);
    // No state that could be left: a client that asks before it introduces itself, or twice, is answered.
    let running = serve_directly(Lenient(mcp), transport, None);
    let _ = running.waiting().await;
    let _ = done.await;
}

/// The server as clients of every version reach it: what it does not know is an error, never an end.
struct Lenient(Mcp);

impl Service<RoleServer> for Lenient {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        if let ClientRequest::DiscoverRequest(_) = request {
            // Clients that probe for a later protocol go on with `initialize` when there is no such method.
            return Err(ErrorData::method_not_found::<DiscoverRequestMethod>());
        }
        Service::handle_request(&self.0, request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.0, notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}
