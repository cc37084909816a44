//! Accepts connections, and lets them finish when the server is told to stop.

use crate::owner::{Owner, owner_of};
use crate::{App, Peer, Shared, gate, keeper, routes};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::Service as _;

/// How much of a connection is buffered; also the longest head that gets an answer in words.
const BUFFER_BYTES_MAX: usize = 256 * 1024;

/// The most headers of a request.
const HEADERS_MAX: usize = 100;

/// How long to wait when the system has no connection to give, such as when it is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts until `shutdown`, then waits for what was accepted, for at most the grace.
pub(crate) async fn listen(listener: TcpListener, app: Shared, shutdown: impl Future<Output = ()>) {
    let router = routes::router().layer(from_fn_with_state(Arc::clone(&app), gate::gate)).with_state(Arc::clone(&app));
    let room = Arc::new(Semaphore::new(app.settings.connections_max.min(Semaphore::MAX_PERMITS)));
    let (stop, stopping) = watch::channel(());
    let keeper = tokio::spawn(keeper::keep_indexed(Arc::clone(&app)));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            (permit, stream, peer) = accept(&listener, &room) => {
                let serving = connection(&app, router.clone(), stream, peer, stopping.clone());
                connections.spawn(async move {
                    let _permit = permit;
                    serving.await;
                });
            }
        }
    }
    drop(listener);
    drop(stop);
    keeper.abort();
    app.stopping.store(true, Ordering::Relaxed);
    let finish = async {
        while connections.join_next().await.is_some() {}
        app.lanes.idle().await;
    };
    let _ = tokio::time::timeout(app.settings.shutdown_grace, finish).await;
    connections.abort_all();
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (Option<tokio::sync::OwnedSemaphorePermit>, TcpStream, SocketAddr) {
    loop {
        let permit = Arc::clone(room).acquire_owned().await.ok();
        match listener.accept().await {
            Ok((stream, peer)) => return (permit, stream, peer),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Serves one connection; once the server stops, it ends after the request it is at.
fn connection(
    app: &App,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    mut stopping: watch::Receiver<()>,
) -> impl Future<Output = ()> + Send + 'static {
    let _ = stream.set_nodelay(true);
    let has_keys = !app.settings.keys.is_empty();
    let head_timeout = app.settings.head_timeout;
    async move {
        let owner = match stream.local_addr() {
            Ok(local) if !has_keys => {
                tokio::task::spawn_blocking(move || owner_of(peer, local)).await.unwrap_or(Owner::Other)
            }
            _ => Owner::Unknown,
        };
        let peer = Peer { ip: peer.ip(), owner };
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            router.clone().call(request)
        });
        let mut protocol = http1::Builder::new();
        protocol
            .timer(TokioTimer::new())
            .header_read_timeout(head_timeout)
            .max_buf_size(BUFFER_BYTES_MAX)
            .max_headers(HEADERS_MAX);
        let serving = protocol.serve_connection(TokioIo::new(stream), service);
        let mut serving = pin!(serving);
        tokio::select! {
            _ = serving.as_mut() => return,
            _ = stopping.changed() => {}
        }
        serving.as_mut().graceful_shutdown();
        let _ = serving.await;
    }
}
