//! `memoir ingest --server-url`: events to a server, through the spool when it cannot be reached.
//!
//! Whatever happens to the server or to what waits in the spool, new input is read and sent or spooled.

use crate::accept::{Acceptor, OnBadLine, Place, whole_sentence};
use crate::client::Client;
use crate::deliver::{Delivered, Delivery, Forgotten, Left};
use crate::input::Input;
use crate::lines::Lines;
use crate::names::Names;
use crate::notice::{End, IngestError, Notice};
use crate::read::{LineLoop, Sink, Tally, WAIT_MAX};
use crate::spool::{Spool, SpoolError};
use crate::wire::{Destination, RawRecord, Sender, encode};
use memoir_event::{EVENT_BYTES_MAX, KeyHasher};
use memoir_journal::{Admission, Clock, Redacted};
use memoir_redact::Redactor;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Content in one request: as an array of integers it takes up to four times as much.
const BATCH_BYTES_MAX: usize = 8 << 20;
/// Records in one spool file, while the server is left in peace.
const SPOOL_RECORDS_MAX: usize = 1000;
/// How long a request may take once a signal has asked for the end.
const HURRY: Duration = Duration::from_secs(2);

/// How to send events.
#[derive(Clone, Copy)]
pub struct RemoteOptions<'a> {
    /// The longest line.
    pub event_bytes_max: usize,
    /// What to do about bad lines.
    pub on_bad_line: OnBadLine,
    /// The most records in a request.
    pub batch_records_max: usize,
    /// The longest that an accepted event waits for others.
    pub flush_interval: Duration,
    /// How long what waits in the spool may keep new input waiting; a request on its way is not cut off.
    pub replay_budget: Duration,
    /// Where the recorder works and for whom.
    pub place: Place<'a>,
    /// Who knows what was forgotten here, if anybody does: that is held back.
    pub forgotten: Option<&'a Forgotten<'a>>,
}

impl<'a> RemoteOptions<'a> {
    /// The documented defaults.
    pub const fn new(place: Place<'a>) -> RemoteOptions<'a> {
        RemoteOptions {
            event_bytes_max: EVENT_BYTES_MAX,
            on_bad_line: OnBadLine::Report,
            batch_records_max: 50,
            flush_interval: Duration::from_millis(1000),
            replay_budget: Duration::from_secs(2),
            place,
            forgotten: None,
        }
    }
}

/// What became of the input.
#[derive(Debug)]
pub struct RemoteSummary {
    /// Events taken.
    pub accepted: u64,
    /// Lines not taken.
    pub refused: u64,
    /// Secrets taken out.
    pub redactions: u64,
    /// What was delivered, spooled and set aside.
    pub delivered: Delivered,
    /// Accepted, but neither sent nor spooled nor set aside.
    pub lost: u64,
    /// How it ended.
    pub end: End,
}

impl RemoteSummary {
    /// Whether nothing needs anybody's attention. Records that wait for a server to come back do not.
    pub const fn is_clean(&self) -> bool {
        self.refused == 0
            && self.lost == 0
            && self.delivered.set_aside == 0
            && self.delivered.denied.is_none()
            && matches!(self.end, End::Finished | End::Stopped)
    }
}

/// A recorder to a server.
#[derive(Clone, Copy)]
pub struct RemoteRecorder<'a> {
    /// The server.
    pub client: &'a Client,
    /// Where records wait.
    pub spool: &'a Spool,
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// The time.
    pub clock: &'a Clock,
    /// How to send events.
    pub options: RemoteOptions<'a>,
    /// Set by a signal: accept nothing more, and see what was accepted home.
    pub stop: &'a AtomicBool,
}

impl<'a> RemoteRecorder<'a> {
    /// Sends what waits in the spool, then everything that `input` has. Fails, before anything is read, if the spool
    /// cannot be used.
    pub fn ingest(&self, input: &mut dyn Input, tell: &mut dyn FnMut(Notice)) -> Result<RemoteSummary, SpoolError> {
        self.spool.ensure()?;
        let names = Names::new(self.clock.clone())?;
        let options = &self.options;
        let admission = Admission::for_sending(self.redactor, KeyHasher::new([0; 32]));
        let mut lines = LineLoop {
            lines: Lines::new(options.event_bytes_max),
            acceptor: Acceptor::new(options.place, &names, self.redactor, admission),
            on_bad_line: options.on_bad_line,
            stop: self.stop,
            tally: Tally::default(),
        };
        let mut batch = self.batch(&names);
        batch.replay(tell);
        let mut end = lines.run(input, &mut batch, tell, &|_| false).unwrap_or(End::Finished);
        if matches!(end, End::Stopped) {
            batch.delivery.hurry = Some(HURRY);
        }
        match batch.flush(tell) {
            Err(error) => end = End::Failed(error),
            Ok(()) if matches!(end, End::Finished) => batch.replay_what_is_left(tell),
            Ok(()) => {}
        }
        let (accepted, delivered) = (lines.tally.accepted, batch.delivery.delivered);
        let home = delivered.sent + delivered.spooled + batch.set_aside_from_input + batch.held_from_input;
        Ok(RemoteSummary {
            accepted,
            refused: lines.tally.refused,
            redactions: lines.tally.redactions,
            lost: accepted.saturating_sub(home),
            delivered,
            end,
        })
    }

    /// Sends what waits in the spool and nothing else.
    pub fn flush(&self, budget: Duration, tell: &mut dyn FnMut(Notice)) -> Result<Delivered, SpoolError> {
        let mut delivery = self.delivery();
        delivery.replay(budget, tell)?;
        Ok(delivery.delivered)
    }

    fn delivery(&self) -> Delivery<'a> {
        Delivery::new(self.client, self.spool, self.redactor, self.options.batch_records_max, self.stop)
            .without(self.options.forgotten)
    }

    fn batch<'b>(&'b self, names: &'b Names) -> Batch<'b> {
        Batch {
            delivery: self.delivery(),
            options: &self.options,
            names,
            cwd: self.options.place.cwd.map(|cwd| self.redactor.text(cwd).into_owned()),
            records: Vec::new(),
            bytes: 0,
            since: None,
            set_aside_from_input: 0,
            held_from_input: 0,
            left: Left::Nothing,
        }
    }
}

/// The records that go out next.
struct Batch<'a> {
    delivery: Delivery<'a>,
    options: &'a RemoteOptions<'a>,
    names: &'a Names,
    cwd: Option<String>,
    records: Vec<RawRecord>,
    bytes: usize,
    since: Option<Instant>,
    set_aside_from_input: u64,
    held_from_input: u64,
    left: Left,
}

impl Batch<'_> {
    fn flush(&mut self, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        self.since = None;
        self.bytes = 0;
        if self.records.is_empty() {
            return Ok(());
        }
        let Delivered { set_aside, spooled, held, .. } = self.delivery.delivered;
        let outcome = self.delivery.send(std::mem::take(&mut self.records), tell);
        self.set_aside_from_input += self.delivery.delivered.set_aside - set_aside;
        self.held_from_input += self.delivery.delivered.held - held;
        if self.delivery.delivered.spooled > spooled {
            self.left = Left::Something;
        }
        outcome
    }

    fn replay_what_is_left(&mut self, tell: &mut dyn FnMut(Notice)) {
        if self.left == Left::Something && !self.delivery.is_backing_off() {
            self.replay(tell);
        }
    }

    /// Tries what waits in the spool. Whatever comes of it is told and stops nothing.
    fn replay(&mut self, tell: &mut dyn FnMut(Notice)) {
        match self.delivery.replay(self.options.replay_budget, tell) {
            Ok(left) => self.left = left,
            Err(error) => {
                // What cannot be read now is left to the next run.
                self.left = Left::Nothing;
                tell(Notice::Waiting { reason: whole_sentence(&error) });
            }
        }
    }

    fn is_full(&self) -> bool {
        let records_max = if self.delivery.is_backing_off() {
            SPOOL_RECORDS_MAX.max(self.options.batch_records_max)
        } else {
            self.options.batch_records_max
        };
        self.records.len() >= records_max || self.bytes >= BATCH_BYTES_MAX
    }

    /// How long the oldest record may still wait for others.
    fn patience(&self) -> Option<Duration> {
        self.since.map(|since| self.options.flush_interval.saturating_sub(since.elapsed()))
    }
}

impl Sink for Batch<'_> {
    fn take(&mut self, event: Redacted, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        let event = event.into_event();
        self.bytes += event.content.verbatim().len();
        self.since.get_or_insert_with(Instant::now);
        let name = self.names.uuid();
        self.records.push(encode(&event, Sender { cwd: self.cwd.as_deref(), to: Destination::Server }, Some(&name)));
        if self.is_full() { self.flush(tell) } else { Ok(()) }
    }

    fn idle(&mut self, tell: &mut dyn FnMut(Notice)) -> Result<Duration, IngestError> {
        match self.patience() {
            Some(Duration::ZERO) => self.flush(tell).map(|()| WAIT_MAX),
            Some(patience) => Ok(patience),
            None => {
                self.replay_what_is_left(tell);
                Ok(WAIT_MAX)
            }
        }
    }

    fn read(&mut self, _read_total: u64, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        if self.patience() == Some(Duration::ZERO) { self.flush(tell) } else { Ok(()) }
    }
}
