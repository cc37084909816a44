//! The HTTP server over a journal: thin handlers only.
//!
//! Owns routes, keys, limits and the shapes of answers. What is stored, who may see it and how it is found belongs to
//! the journal and the index; this crate calls them on a bounded number of blocking threads and holds no lock while
//! it waits. It reads no environment and no clock of its own.

mod auth;
mod counters;
mod dream;
mod encode;
mod errors;
mod forget;
mod gate;
mod host;
mod keeper;
mod lanes;
mod limits;
mod listen;
mod mcp;
mod memories;
mod names;
mod openapi;
mod openviking;
mod owner;
mod pages;
mod params;
mod probes;
mod rate;
mod raw_recall;
mod read;
mod recall;
mod routes;
mod runs;
mod search;
mod settings;

pub use auth::{ApiKey, ApiKeyError, Scope, Scopes};
pub use settings::{BODY_BYTES_MAX, Rate, RatedClients, ServerError, ServerSettings};

use counters::Counters;
use host::Hosts;
use lanes::Lanes;
use memoir_index::Index;
use memoir_journal::{Clock, Journal};
use memoir_mcp::HttpService;
use memoir_openviking::{Openviking, Paused};
use memoir_recall::{Form, Gate, Meaning, Recall};
use memoir_redact::Redactor;
use names::Names;
use rate::RateLimit;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Whether that very process is still running.
pub type IsAlive = Arc<dyn Fn(&memoir_session::Process) -> bool + Send + Sync>;

/// Has what waits for another server, and was held back by a forgetting of that name, wait to be sent again; says how many
/// records, or why it cannot be done now.
pub type LetGo = Arc<dyn Fn(&str) -> Result<usize, String> + Send + Sync>;

/// What the server works with.
#[derive(Clone)]
pub struct Parts {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The rules that take secrets out of what comes in.
    pub redactor: Arc<Redactor>,
    /// The full-text index.
    pub index: Arc<Index>,
    /// Tells the time.
    pub clock: Clock,
    /// Who knows what things mean, if anybody does.
    pub meaning: Option<Arc<dyn Meaning>>,
    /// Whether nothing may be recorded now: the user may want a pause at any moment.
    pub is_paused: Paused,
    /// Has what waits for another server wait again.
    pub let_go: LetGo,
    /// Whether the process of a client is still running.
    pub is_alive: IsAlive,
}

/// All that handlers share.
pub(crate) struct App {
    settings: ServerSettings,
    journal: Arc<dyn Journal>,
    redactor: Arc<Redactor>,
    index: Arc<Index>,
    clock: Clock,
    hosts: Hosts,
    rate: Option<RateLimit>,
    counters: Counters,
    lanes: Lanes,
    requests: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    writes: probes::Writes,
    recall: Arc<Recall>,
    openviking: Openviking,
    mcp: HttpService,
    names: Names,
    is_paused: Paused,
    let_go: LetGo,
    is_alive: IsAlive,
    nonce: AtomicU64,
    stopping: AtomicBool,
    started: Instant,
}

pub(crate) type Shared = Arc<App>;

/// Where a request came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    /// Its address.
    ip: IpAddr,
    /// Whose process it is; only asked where no key tells.
    owner: owner::Owner,
}

/// Serves until `shutdown` is ready, then finishes what was accepted, for at most the grace, and returns.
///
/// `bound` is told the address once the server listens on it.
pub async fn serve(
    settings: ServerSettings,
    parts: Parts,
    bound: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    settings.check()?;
    let listener = bind(&settings).await?;
    let address = listener
        .local_addr()
        .map_err(|error| ServerError::Bind { address: unspecified(&settings), reason: error.to_string() })?;
    let app = Arc::new(App::new(settings, parts, address));
    bound(address);
    listen::listen(listener, app, shutdown).await;
    Ok(())
}

impl App {
    fn new(settings: ServerSettings, parts: Parts, address: SocketAddr) -> App {
        let mut seed = [0u8; 8];
        let _ = getrandom::fill(&mut seed);
        let recall = Recall::new(Arc::clone(&parts.redactor)).with_meaning(parts.meaning.clone());
        let recall = Arc::new(recall.without(settings.blocked.clone()));
        let owner = format!("server-{:016x}", u64::from_le_bytes(seed));
        let wishes = (settings.policy.clone(), settings.blocked.clone());
        let openviking = openviking::over(&parts, &recall, wishes, owner);
        App {
            hosts: Hosts::new(address.ip(), &settings.host, &settings.allowed_hosts),
            rate: settings.rate.map(RateLimit::new),
            counters: Counters::default(),
            lanes: Lanes::new(settings.blocking_threads),
            requests: Arc::new(Semaphore::new(settings.requests_max.min(Semaphore::MAX_PERMITS))),
            bodies: Arc::new(Semaphore::new(settings.bodies_bytes_max.div_ceil(limits::BODY_STEP))),
            writes: probes::Writes::default(),
            mcp: mcp::service(&settings, &parts, &recall),
            recall,
            openviking,
            names: Names::new(),
            nonce: AtomicU64::new(u64::from_le_bytes(seed)),
            stopping: AtomicBool::new(false),
            started: Instant::now(),
            journal: parts.journal,
            is_paused: parts.is_paused,
            let_go: parts.let_go,
            is_alive: parts.is_alive,
            redactor: parts.redactor,
            index: parts.index,
            clock: parts.clock,
            settings,
        }
    }

    /// The gate that whatever is read here goes through: for readers that may be agents, or for programs that want the
    /// record as it is.
    pub(crate) fn gate(&self, form: Form) -> Gate<'_> {
        Gate::new(&self.redactor, form).without(&self.settings.blocked)
    }
}

fn unspecified(settings: &ServerSettings) -> SocketAddr {
    SocketAddr::from(([0, 0, 0, 0], settings.port))
}

/// Listens on the first address of the host that can be had; none of them may let strangers in.
async fn bind(settings: &ServerSettings) -> Result<TcpListener, ServerError> {
    let resolve = |reason: String| ServerError::Resolve { host: settings.host.clone(), reason };
    let host = settings.host.trim_start_matches('[').trim_end_matches(']');
    let found = tokio::net::lookup_host((host, settings.port)).await.map_err(|error| resolve(error.to_string()))?;
    let mut addresses: Vec<SocketAddr> = found.collect();
    // `localhost` is both: clients that know an address rather than the name mostly know 127.0.0.1.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses.iter().try_for_each(|address| settings.check_address(address.ip()))?;
    let mut problem = resolve("it has none".to_owned());
    for address in addresses {
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(error) => problem = ServerError::Bind { address, reason: error.to_string() },
        }
    }
    Err(problem)
}
