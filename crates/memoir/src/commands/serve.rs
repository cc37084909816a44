//! `memoir serve`.

mod embedding;
mod sweeping;

use super::{Context, pause};
use crate::cli::ServeArgs;
use crate::exit::{Done, Usage};
use crate::home::{Life, system_clock};
use crate::print::{self, Out};
use crate::{process_table, stop};
use anyhow::{Context as _, Result};
use memoir_server::{ApiKey, LetGo, Parts, Rate, RatedClients, Scope, Scopes, ServerError, ServerSettings, serve};
use std::sync::Arc;
use std::time::Duration;

/// A server catches up often and little: it needs less memory for that than a first build.
const SERVER_INDEX_BYTES: usize = 16 << 20;

/// How long work on blocking threads may outlast the server.
const LAST_WORK: Duration = Duration::from_secs(10);

pub fn run(context: &Context, args: &ServeArgs) -> Result<Done> {
    let settings = server_settings(context, args)?;
    let redactor = Arc::new(context.settings.redactor()?);
    let journal = Arc::new(context.journal(Life::Long)?);
    let embedding = embedding::start(context, &journal, &redactor)?;
    let sweeping = sweeping::start(context, &journal, &redactor)?;
    let (meaning, index) = (context.meaning(&redactor), Arc::new(context.index_within(SERVER_INDEX_BYTES)));
    let home = context.home.clone();
    let is_paused = Arc::new(move || pause::is_paused(&home));
    let (let_go, is_alive) = (let_go(context)?, Arc::new(process_table::is_alive));
    let parts = Parts { redactor, journal, index, clock: system_clock(), meaning, is_paused, let_go, is_alive };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(settings.blocking_threads.max(2) * 2)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let served = runtime.block_on(async {
        let stop = signalled()?;
        serve(settings, parts, announce, stop).await.map_err(anyhow::Error::from)
    });
    drop((embedding, sweeping));
    runtime.shutdown_timeout(LAST_WORK);
    served.map_err(|error| match error.downcast_ref::<ServerError>() {
        Some(ServerError::KeyNeeded { .. }) => {
            Usage(format!("{error} ([[server.keys]] in config.toml, or MEMOIR_SERVER_KEYS='ingest+read:KEY')")).into()
        }
        _ => error,
    })?;
    Ok(Done::Well)
}

/// Has what a forgetting held back in the spool wait again.
fn let_go(context: &Context) -> Result<LetGo> {
    let spool = context.spool()?;
    Ok(Arc::new(move |name| spool.let_go(name).map_err(|error| error.to_string())))
}

fn announce(address: std::net::SocketAddr) {
    let mut out = Out::new();
    let said = out.line(&format!("memoir listens on http://{address}")).and_then(|()| out.flush());
    if said.is_err() {
        print::warn(&format!("listens on http://{address}"));
    }
}

/// Ready when the process is told to stop.
fn signalled() -> Result<impl Future<Output = ()>> {
    let signalled = stop::signalled()?;
    Ok(async move {
        signalled.await;
        print::warn("finishing what was accepted");
    })
}

fn server_settings(context: &Context, args: &ServeArgs) -> Result<ServerSettings> {
    let settings = &context.settings;
    let clients = if settings.server_limit_loopback { RatedClients::All } else { RatedClients::Remote };
    let rate = settings.server_rate.map(|(requests_per_second, burst)| Rate { requests_per_second, burst, clients });
    let defaults = ServerSettings::default();
    Ok(ServerSettings {
        host: args.host.clone().unwrap_or_else(|| settings.server_host.clone()),
        port: args.port.unwrap_or(settings.server_port),
        keys: settings.server_keys.iter().map(|(key, scopes)| api_key(key, scopes)).collect::<Result<_>>()?,
        allowed_hosts: settings.server_allowed_hosts.clone(),
        policy: settings.policy()?,
        commit_rules: settings.commit_rules,
        body_bytes_max: settings.server_body_bytes_max,
        bodies_bytes_max: defaults.bodies_bytes_max.max(settings.server_body_bytes_max),
        rate,
        blocked: settings.blocked.clone(),
        ..defaults
    })
}

fn api_key(key: &str, scopes: &[Scope]) -> Result<ApiKey> {
    ApiKey::new(key, Scopes::of(scopes)).map_err(|error| Usage(error.to_string()).into())
}
