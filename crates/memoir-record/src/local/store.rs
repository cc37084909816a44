//! Writes batches into the journal, or into the spool when the journal will not have them.

use super::Target;
use crate::notice::{IngestError, Notice};
use crate::spool::{Lane, Spool};
use crate::wire::{Destination, RawRecord, Sender, encode};
use memoir_event::Identity;
use memoir_journal::{JournalError, Outcome, Redacted};
use std::sync::mpsc;
use std::time::Duration;

/// Events in one append: enough to share the cost of a sync, few enough to let other writers in.
const APPEND_EVENTS_MAX: usize = 1000;
/// A locked journal, which waits by itself for a while, is tried again after these pauses.
const RETRY_PAUSES_MS: [u64; 2] = [50, 200];

/// What was written.
#[derive(Debug, Default)]
pub struct Written {
    pub stored: u64,
    pub revised: u64,
    pub duplicate: u64,
    pub suppressed: u64,
    pub spooled: u64,
    pub journal_problem: Option<JournalError>,
}

/// The end of the way: a journal, and a spool beside it.
pub struct Store<'a> {
    target: Target<'a>,
    spool: &'a Spool,
    /// The recorder's directory, redacted.
    cwd: Option<String>,
    written: Written,
}

impl<'a> Store<'a> {
    pub const fn new(target: Target<'a>, spool: &'a Spool, cwd: Option<String>) -> Store<'a> {
        let written = Written { stored: 0, revised: 0, duplicate: 0, suppressed: 0, spooled: 0, journal_problem: None };
        Store { target, spool, cwd, written }
    }

    pub fn into_written(self) -> Written {
        self.written
    }

    /// Writes what comes, several waiting batches in one append, until nothing can come any more.
    pub fn write_all(
        &mut self,
        batches: &mpsc::Receiver<Vec<Redacted>>,
        notices: &mpsc::Sender<Notice>,
    ) -> Result<(), IngestError> {
        let mut tell = |notice| drop(notices.send(notice));
        while let Ok(mut batch) = batches.recv() {
            while batch.len() < APPEND_EVENTS_MAX
                && let Ok(more) = batches.try_recv()
            {
                batch.extend(more);
            }
            self.write(&batch, &mut tell)?;
        }
        Ok(())
    }

    /// Writes one batch; when this returns without an error it is durable here or there.
    pub fn write(&mut self, batch: &[Redacted], tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        if let Target::Journal(journal) = self.target
            && self.written.journal_problem.is_none()
        {
            let mut pauses = RETRY_PAUSES_MS.iter();
            loop {
                match (journal.append(batch, &[]), pauses.next()) {
                    (Ok(outcomes), _) => {
                        outcomes.iter().for_each(|outcome| self.count(outcome));
                        return Ok(());
                    }
                    (Err(error), Some(pause)) if error.is_transient() => {
                        drop(error);
                        std::thread::sleep(Duration::from_millis(*pause));
                    }
                    (Err(error), _) => {
                        self.written.journal_problem = Some(error);
                        break;
                    }
                }
            }
        }
        self.spool(batch, tell)
    }

    fn count(&mut self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Stored { .. } => &mut self.written.stored,
            Outcome::Revised { .. } => &mut self.written.revised,
            Outcome::SeenAgain { .. } => &mut self.written.duplicate,
            Outcome::Suppressed => &mut self.written.suppressed,
        };
        *counter += 1;
    }

    fn spool(&mut self, batch: &[Redacted], tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        let records: Vec<RawRecord> = batch.iter().map(|event| self.record(event)).collect();
        match self.spool.keep(Lane::Journal, &records) {
            Ok(path) => {
                self.written.spooled += u64::try_from(records.len()).unwrap_or(0);
                let problem = self.written.journal_problem.as_ref();
                let reason = problem.map_or_else(|| "the journal cannot be opened".to_owned(), ToString::to_string);
                tell(Notice::Spooled { records: records.len(), path, reason });
                Ok(())
            }
            Err(spool) => Err(match self.written.journal_problem.take() {
                Some(journal) => IngestError::JournalAndSpool { journal, spool },
                None => IngestError::Spool(spool),
            }),
        }
    }

    /// The record that stands for the same event when it is stored later.
    fn record(&self, redacted: &Redacted) -> RawRecord {
        let event = redacted.event();
        // Without a journal there is no secret to make keys with; they are made when the event is stored.
        let keys = matches!(self.target, Target::Journal(_)).then(|| redacted.keys());
        let sender = Sender { cwd: self.cwd.as_deref(), to: Destination::Spool(keys) };
        let name = event.identities.iter().find_map(|identity| match identity {
            Identity::Named(name) => Some(name.clone()),
            _ => None,
        });
        let name = name.unwrap_or_else(|| self.spool.names().uuid());
        encode(event, sender, Some(&name))
    }
}
