//! Has the configured model make vectors while the server runs. A model that is down costs the server nothing.

use crate::commands::Context;
use crate::commands::models::Waits;
use crate::print;
use anyhow::Result;
use memoir_journal::{Journal, Seq, SqliteJournal};
use memoir_model::EmbeddingModel;
use memoir_redact::Redactor;
use memoir_vectors::{CatchUp, Vectors};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often it is looked whether there is something new.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// After a failure it is left in peace for so long, then for twice as long and so on.
const PEACE_MIN: Duration = Duration::from_secs(5);
const PEACE_MAX: Duration = Duration::from_secs(600);
/// The server waits no longer than this for a batch to be written down; what is on its way to the model is given up.
const LAST_BATCH: Duration = Duration::from_millis(300);

/// The work beside a server; it ends when this is dropped.
pub struct Embedding {
    stop: Arc<AtomicBool>,
    awake: Option<Sender<()>>,
    ended: Receiver<()>,
}

impl Drop for Embedding {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.awake.take());
        let _ = self.ended.recv_timeout(LAST_BATCH);
    }
}

/// Starts the work, if a model is configured.
pub fn start(context: &Context, journal: &Arc<SqliteJournal>, redactor: &Arc<Redactor>) -> Result<Option<Embedding>> {
    let Some(model) = context.embedding_model(Waits::Building)? else { return Ok(None) };
    let stop = Arc::new(AtomicBool::new(false));
    let (awake, asleep) = channel();
    let (at_end, ended) = channel();
    let worker = Worker {
        vectors: context.vectors(),
        journal: Arc::clone(journal),
        redactor: Arc::clone(redactor),
        model,
        stop: Arc::clone(&stop),
        seen: None,
    };
    std::thread::Builder::new().name("embedding".to_owned()).spawn(move || {
        worker.run(&asleep);
        drop(at_end);
    })?;
    Ok(Some(Embedding { stop, awake: Some(awake), ended }))
}

struct Worker {
    vectors: Vectors,
    journal: Arc<SqliteJournal>,
    redactor: Arc<Redactor>,
    model: EmbeddingModel,
    stop: Arc<AtomicBool>,
    /// The journal's last record when everything was done.
    seen: Option<Seq>,
}

impl Worker {
    fn run(mut self, asleep: &Receiver<()>) {
        let mut failures = 0_u32;
        let mut pause = Duration::ZERO;
        while asleep.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            match self.look() {
                Ok(()) => {
                    if failures > 0 {
                        print::warn("the embedding model is there again");
                    }
                    (failures, pause) = (0, LOOK_EVERY);
                }
                Err(error) => {
                    if failures == 0 {
                        print::warn(&format!("no vectors are made for now: {error:#}"));
                    }
                    pause = PEACE_MIN.saturating_mul(1 << failures.min(16)).min(PEACE_MAX);
                    failures += 1;
                }
            }
        }
    }

    fn look(&mut self) -> Result<()> {
        let last = self.journal.last_seq()?;
        if self.seen == Some(last) {
            return Ok(());
        }
        let go_on = &mut |_, _| !self.stop.load(Ordering::Relaxed);
        let outcome = self.vectors.catch_up(&*self.journal, &self.redactor, &self.model, go_on)?;
        self.seen = matches!(outcome, CatchUp::Current | CatchUp::Done(_)).then_some(last);
        Ok(())
    }
}
