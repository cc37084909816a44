//! Commits sessions that are over while the server runs, so that the last one of a machine is committed too, and has a
//! model tell archives if one is configured.

use crate::commands::housekeeping::Keeping;
use crate::commands::telling::Teller;
use crate::commands::{Context, pause};
use crate::home::Home;
use crate::print;
use anyhow::Result;
use memoir_journal::SqliteJournal;
use memoir_redact::Redactor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often it is looked whether a session is over: a few times within the time after which one is, within these bounds.
const LOOK_EVERY_MIN: Duration = Duration::from_millis(200);
const LOOK_EVERY_MAX: Duration = Duration::from_secs(30);
const LOOKS_IN_A_TTL: u32 = 4;

/// The server waits no longer than this for a commit that is under way; one that is given up is done by whoever comes next.
const LAST_COMMIT: Duration = Duration::from_millis(500);

/// The work beside a server; it ends when this is dropped.
pub struct Sweeping {
    stop: Arc<AtomicBool>,
    awake: Option<Sender<()>>,
    ended: Receiver<()>,
}

impl Drop for Sweeping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.awake.take());
        let _ = self.ended.recv_timeout(LAST_COMMIT);
    }
}

/// Starts the work.
pub fn start(context: &Context, journal: &Arc<SqliteJournal>, redactor: &Arc<Redactor>) -> Result<Sweeping> {
    let stop = Arc::new(AtomicBool::new(false));
    let (awake, asleep) = channel();
    let (at_end, ended) = channel();
    let ttl = u64::try_from(context.settings.commit_rules.idle_ttl_ms).unwrap_or(0);
    let worker = Worker {
        home: context.home.clone(),
        keeping: Keeping::new(&context.settings),
        teller: Teller::of(&context.settings)?,
        journal: Arc::clone(journal),
        redactor: Arc::clone(redactor),
        stop: Arc::clone(&stop),
        every: (Duration::from_millis(ttl) / LOOKS_IN_A_TTL).clamp(LOOK_EVERY_MIN, LOOK_EVERY_MAX),
    };
    std::thread::Builder::new().name("sweeping".to_owned()).spawn(move || {
        worker.run(&asleep);
        drop(at_end);
    })?;
    Ok(Sweeping { stop, awake: Some(awake), ended })
}

struct Worker {
    home: Home,
    keeping: Keeping,
    teller: Option<Teller>,
    journal: Arc<SqliteJournal>,
    redactor: Arc<Redactor>,
    stop: Arc<AtomicBool>,
    every: Duration,
}

impl Worker {
    fn run(self, asleep: &Receiver<()>) {
        let mut has_failed = false;
        while asleep.recv_timeout(self.every) == Err(RecvTimeoutError::Timeout) {
            if pause::is_paused(&self.home) {
                continue;
            }
            let go_on = &mut || !self.stop.load(Ordering::Relaxed);
            match self.keeping.keep(&*self.journal, &self.redactor, go_on) {
                Ok(()) => {
                    has_failed = false;
                    self.teller.iter().for_each(|teller| teller.tell_quietly(&*self.journal, &self.redactor, go_on));
                }
                Err(error) => {
                    if !std::mem::replace(&mut has_failed, true) {
                        print::warn(&format!("sessions that are over cannot be committed: {error:#}"));
                    }
                }
            }
        }
    }
}
