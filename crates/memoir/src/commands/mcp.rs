//! `memoir mcp`: tools for agents over standard input and output, until the client leaves. On standard output stands
//! nothing but the protocol.

use super::hook::OWN_AGENT;
use super::housekeeping::Keeping;
use super::{Context, pause};
use crate::exit::Done;
use crate::home::{Life, non_empty, system_clock};
use crate::{print, stop};
use anyhow::{Context as _, Result};
use jiff::tz::TimeZone;
use memoir_journal::{Journal, SqliteJournal};
use memoir_mcp::{Library, Mcp, Open, Surroundings, Writer, serve};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A client starts many of these: catching up must not take much memory.
const INDEX_BYTES: usize = 16 << 20;
/// After so long the first housekeeping begins: a client that starts has better things to do.
const FIRST_HOUSEKEEPING: Duration = Duration::from_secs(5);
/// And then so often.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
/// How often it is looked whether whoever started this is still there.
const LOOK_AROUND: Duration = Duration::from_secs(2);
/// How long housekeeping may outlast the client.
const LAST_WORK: Duration = Duration::from_secs(2);

pub fn run(context: Context) -> Result<Done> {
    let context = Arc::new(context);
    let cwd = std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned());
    let own = non_empty(OWN_AGENT);
    let writer = if own.is_some() { Writer::OwnAgent } else { Writer::UsersAgent };
    let around = Surroundings::new(&non_empty, cwd, writer);
    let mcp = Mcp::new(opener(&context), around);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    // What memoir's own agents do is theirs to finish; the user's processes look after the journal.
    let housekeeper = own.is_none().then(|| Housekeeper::start(Arc::clone(&context)));
    runtime.block_on(async {
        let end = told_to_end()?;
        tokio::select! {
            () = serve(mcp, tokio::io::stdin(), tokio::io::stdout()) => {}
            () = end => {}
        }
        Ok::<(), anyhow::Error>(())
    })?;
    if let Some(housekeeper) = housekeeper {
        housekeeper.stop();
    }
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    Ok(Done::Well)
}

/// Opens what tools work with when the first of them is called, and anew once the journal's file was replaced.
fn opener(context: &Arc<Context>) -> Open {
    let (context, opened) = (Arc::clone(context), Mutex::new(None::<Arc<Library>>));
    Arc::new(move || {
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = opened.as_ref().filter(|library| library.journal.last_seq().is_ok()) {
            return Ok(Arc::clone(library));
        }
        let library =
            Arc::new(library(&context).map_err(|error| format!("memoir cannot open its journal: {error:#}"))?);
        *opened = Some(Arc::clone(&library));
        Ok(library)
    })
}

fn library(context: &Context) -> Result<Library> {
    let redactor = Arc::new(context.settings.redactor()?);
    let journal: Arc<dyn Journal> = Arc::new(context.home.journal(&context.settings, Life::Short)?);
    Ok(Library {
        journal,
        index: Arc::new(context.index_within(INDEX_BYTES)),
        recall: Arc::new(context.recall(&redactor)),
        blocked: context.settings.blocked.clone(),
        redactor,
        clock: system_clock(),
        zone: TimeZone::system(),
        actor: context.actor(),
        project_of: Some(Arc::new(|dir| super::context::project_of(Some(dir)))),
    })
}

/// Ready when a signal says so, or when whoever started this process is gone and somebody else holds its pipe open.
fn told_to_end() -> Result<impl Future<Output = ()>> {
    let signalled = stop::signalled()?;
    Ok(async move {
        tokio::select! {
            () = signalled => {}
            () = orphaned() => {}
        }
    })
}

#[cfg(unix)]
async fn orphaned() {
    let parent = rustix::process::getppid();
    while rustix::process::getppid() == parent {
        tokio::time::sleep(LOOK_AROUND).await;
    }
}

#[cfg(not(unix))]
async fn orphaned() {
    std::future::pending::<()>().await;
}

/// Does what hooks left for later, now and then, so that sessions are finished without any server.
struct Housekeeper {
    stop: Sender<()>,
    stopped: Receiver<()>,
}

impl Housekeeper {
    fn start(context: Arc<Context>) -> Housekeeper {
        let (stop, stopping) = channel::<()>();
        let (at_end, stopped) = channel::<()>();
        std::thread::spawn(move || {
            let mut pause = FIRST_HOUSEKEEPING;
            while stopping.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = HOUSEKEEPING;
                match context.home.journal(&context.settings, Life::Short) {
                    Ok(journal) => keep_house(&context, &journal, &stopping),
                    Err(error) => print::warn(&format!("{error:#}")),
                }
            }
            drop(at_end);
        });
        Housekeeper { stop, stopped }
    }

    fn stop(self) {
        drop(self.stop);
        let _ = self.stopped.recv_timeout(LAST_WORK);
    }
}

fn keep_house(context: &Context, journal: &SqliteJournal, stopping: &Receiver<()>) {
    context.catch_up_with_others(journal);
    if pause::is_paused(&context.home) {
        return;
    }
    let mut go_on = || stopping.try_recv() == Err(TryRecvError::Empty);
    let kept = context
        .settings
        .redactor()
        .and_then(|redactor| Keeping::new(&context.settings).keep(journal, &redactor, &mut go_on));
    if let Err(error) = kept {
        print::warn(&format!("sessions that wait cannot be committed: {error:#}"));
    }
}
