//! `memoir ingest` into the journal here.
//!
//! Owns the way from lines to appended batches. A short input is handled without starting a thread; a long one is
//! parsed and redacted on one thread and written on another.

mod store;

use crate::accept::{Acceptor, OnBadLine, Place};
use crate::input::Input;
use crate::lines::Lines;
use crate::names::{Names, NamesError};
use crate::notice::{End, IngestError, Notice};
use crate::read::{LineLoop, Sink, Tally, WAIT_MAX};
use crate::spool::Spool;
use memoir_event::{EVENT_BYTES_MAX, KeyHasher};
use memoir_journal::{Admission, Clock, Journal, JournalError, Redacted};
use memoir_redact::Redactor;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};
use store::{Store, Written};

/// Up to here a run is short and starts no thread.
const SHORT_INPUT_BYTES: u64 = 64 * 1024;
/// Events that go to the writer together.
const BATCH_EVENTS: usize = 250;
/// Batches that may wait for the writer.
const BATCHES_WAITING: usize = 8;

/// Where local events go.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// Into a journal.
    Journal(&'a dyn Journal),
    /// The journal could not even be opened: to the spool, for the next process to store.
    Spool,
}

/// How to take events in.
#[derive(Clone, Copy)]
pub struct LocalOptions<'a> {
    /// The longest line.
    pub event_bytes_max: usize,
    /// What to do about bad lines.
    pub on_bad_line: OnBadLine,
    /// The longest that an accepted event waits for others.
    pub flush_interval: Duration,
    /// Where the recorder works and for whom.
    pub place: Place<'a>,
}

impl<'a> LocalOptions<'a> {
    /// The documented defaults.
    pub const fn new(place: Place<'a>) -> LocalOptions<'a> {
        LocalOptions {
            event_bytes_max: EVENT_BYTES_MAX,
            on_bad_line: OnBadLine::Report,
            flush_interval: Duration::from_millis(1000),
            place,
        }
    }
}

/// What became of the input.
#[derive(Debug)]
pub struct LocalSummary {
    /// Events taken.
    pub accepted: u64,
    /// New in the journal.
    pub stored: u64,
    /// Known, and now fuller.
    pub revised: u64,
    /// Known.
    pub duplicate: u64,
    /// Forgotten, and kept so.
    pub suppressed: u64,
    /// In the spool, because the journal could not be written.
    pub spooled: u64,
    /// Lines not taken.
    pub refused: u64,
    /// Secrets taken out.
    pub redactions: u64,
    /// Accepted, but neither stored nor spooled.
    pub lost: u64,
    /// What was wrong with the journal, if events had to be spooled.
    pub journal_problem: Option<JournalError>,
    /// How it ended.
    pub end: End,
}

impl LocalSummary {
    /// Whether everything that came in is in the journal.
    pub const fn is_clean(&self) -> bool {
        self.refused == 0 && self.spooled == 0 && self.lost == 0 && matches!(self.end, End::Finished | End::Stopped)
    }
}

/// A recorder into the journal here. What the journal cannot take now goes to the spool.
#[derive(Clone, Copy)]
pub struct LocalRecorder<'a> {
    /// Where events go.
    pub target: Target<'a>,
    /// Where they go instead.
    pub spool: &'a Spool,
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// The time.
    pub clock: &'a Clock,
    /// How to take events in.
    pub options: LocalOptions<'a>,
    /// Set by a signal: accept nothing more, and see what was accepted home.
    pub stop: &'a AtomicBool,
}

impl LocalRecorder<'_> {
    /// Takes everything that `input` has.
    pub fn ingest(&self, input: &mut dyn Input, tell: &mut dyn FnMut(Notice)) -> Result<LocalSummary, NamesError> {
        let LocalRecorder { target, spool, redactor, options, .. } = *self;
        let names = Names::new(self.clock.clone())?;
        let hasher = match target {
            Target::Journal(journal) => journal.hasher().clone(),
            // Keys are made when the event is stored; until then its name or its identity fields tell it apart.
            Target::Spool => KeyHasher::new([0; 32]),
        };
        let mut lines = LineLoop {
            lines: Lines::new(options.event_bytes_max),
            acceptor: Acceptor::new(options.place, &names, redactor, Admission::new(redactor, hasher)),
            on_bad_line: options.on_bad_line,
            stop: self.stop,
            tally: Tally::default(),
        };
        let mut store = Store::new(target, spool, options.place.cwd.map(|cwd| redactor.text(cwd).into_owned()));
        let is_long = |lines: &Lines| lines.read_total() > SHORT_INPUT_BYTES;
        let mut inline = Batches::new(Inline(&mut store), options.flush_interval);
        let mut end = lines.run(input, &mut inline, tell, &is_long);
        if let Err(error) = inline.submit(tell) {
            end = Some(End::Failed(error));
        }
        let end = end.unwrap_or_else(|| piped(&mut lines, input, &mut store, options.flush_interval, tell));
        Ok(summary(lines.tally, store.into_written(), end))
    }
}

/// Goes on with a writer on a thread of its own.
fn piped(
    lines: &mut LineLoop<'_>,
    input: &mut dyn Input,
    store: &mut Store<'_>,
    flush_interval: Duration,
    tell: &mut dyn FnMut(Notice),
) -> End {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BATCHES_WAITING);
        let (notices, noticed) = std::sync::mpsc::channel();
        let writer = scope.spawn(move || store.write_all(&receiver, &notices));
        let mut tell_all = |notice| {
            noticed.try_iter().for_each(&mut *tell);
            tell(notice);
        };
        let mut batches = Batches::new(Piped(sender), flush_interval);
        let mut end = lines.run(input, &mut batches, &mut tell_all, &|_| false).unwrap_or(End::Finished);
        let submitted = batches.submit(&mut tell_all);
        drop(batches);
        let written = writer.join().unwrap_or(Err(IngestError::Writer));
        noticed.try_iter().for_each(tell);
        // The writer knows better than the reader why it went away.
        if let Err(error) = written.and(submitted) {
            end = End::Failed(error);
        }
        end
    })
}

fn summary(tally: Tally, written: Written, end: End) -> LocalSummary {
    let kept = written.stored + written.revised + written.duplicate + written.suppressed + written.spooled;
    LocalSummary {
        accepted: tally.accepted,
        stored: written.stored,
        revised: written.revised,
        duplicate: written.duplicate,
        suppressed: written.suppressed,
        spooled: written.spooled,
        refused: tally.refused,
        redactions: tally.redactions,
        lost: tally.accepted.saturating_sub(kept),
        journal_problem: written.journal_problem,
        end,
    }
}

/// Where full batches go.
trait Submit {
    fn submit(&mut self, batch: Vec<Redacted>, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError>;
}

struct Inline<'a, 'b>(&'a mut Store<'b>);

impl Submit for Inline<'_, '_> {
    fn submit(&mut self, batch: Vec<Redacted>, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        self.0.write(&batch, tell)
    }
}

struct Piped(SyncSender<Vec<Redacted>>);

impl Submit for Piped {
    fn submit(&mut self, batch: Vec<Redacted>, _tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        self.0.send(batch).map_err(|_| IngestError::Writer)
    }
}

/// Collects events into batches.
struct Batches<S> {
    to: S,
    batch: Vec<Redacted>,
    since: Option<Instant>,
    flush_interval: Duration,
}

impl<S: Submit> Batches<S> {
    const fn new(to: S, flush_interval: Duration) -> Batches<S> {
        Batches { to, batch: Vec::new(), since: None, flush_interval }
    }

    fn submit(&mut self, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        self.since = None;
        if self.batch.is_empty() {
            return Ok(());
        }
        self.to.submit(std::mem::take(&mut self.batch), tell)
    }
}

impl<S: Submit> Sink for Batches<S> {
    fn take(&mut self, event: Redacted, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        self.batch.push(event);
        if self.batch.len() >= BATCH_EVENTS { self.submit(tell) } else { Ok(()) }
    }

    fn idle(&mut self, tell: &mut dyn FnMut(Notice)) -> Result<Duration, IngestError> {
        self.submit(tell).map(|()| WAIT_MAX)
    }

    fn read(&mut self, _read_total: u64, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        // A producer that never pauses and never fills a batch must not keep events from being stored.
        match self.since {
            Some(since) if since.elapsed() >= self.flush_interval => self.submit(tell),
            Some(_) => Ok(()),
            None => {
                self.since = (!self.batch.is_empty()).then(Instant::now);
                Ok(())
            }
        }
    }
}
