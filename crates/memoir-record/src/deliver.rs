//! Gets records to a server: what it takes is sent, what it refuses is set aside alone, what is left is handed back.

use crate::client::{Client, Refused, Sent};
use crate::notice::{IngestError, Notice};
use crate::spool::{Claimed, Lane, Recovered, Spool, SpoolError};
use crate::wire::RawRecord;
use memoir_redact::Redactor;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most characters of a server's reason that are kept.
const REASON_CHARS_MAX: usize = 512;
const BACKOFF_FIRST: Duration = Duration::from_millis(1000);
const BACKOFF_MAX: Duration = Duration::from_secs(30);

/// What was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delivered {
    /// Records that the server took from the input.
    pub sent: u64,
    /// Records that the server took from the spool.
    pub replayed: u64,
    /// Records of the input that wait in the spool.
    pub spooled: u64,
    /// Records that the server will never take.
    pub set_aside: u64,
    /// Records that were forgotten here: they are held back.
    pub held: u64,
    /// Why the server will not talk to us, if somebody has to do something about it.
    pub denied: Option<String>,
}

/// Whether something still waits after a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// All that was there and was not another process's has gone.
    Nothing,
    /// The time was up or the server failed.
    Something,
}

/// Whence the records of an offer come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Input,
    /// With a moment after which new input is more urgent.
    Spool {
        until: Instant,
    },
}

/// Tells which of the records were forgotten here; none if that cannot be told now.
pub type Forgotten<'a> = dyn Fn(&[RawRecord]) -> Option<Vec<bool>> + Sync + 'a;

/// The way to one server.
pub struct Delivery<'a> {
    client: &'a Client,
    spool: &'a Spool,
    redactor: &'a Redactor,
    batch_records_max: usize,
    stop: &'a AtomicBool,
    forgotten: Option<&'a Forgotten<'a>>,
    backoff: Option<Backoff>,
    /// Shortens each request, once somebody waits for the end.
    pub hurry: Option<Duration>,
    pub delivered: Delivered,
}

struct Backoff {
    until: Instant,
    step: Duration,
    reason: String,
}

impl<'a> Delivery<'a> {
    pub fn new(
        client: &'a Client,
        spool: &'a Spool,
        redactor: &'a Redactor,
        batch_records_max: usize,
        stop: &'a AtomicBool,
    ) -> Delivery<'a> {
        let batch_records_max = batch_records_max.max(1);
        let delivered = Delivered::default();
        let (backoff, hurry, forgotten) = (None, None, None);
        Delivery { client, spool, redactor, batch_records_max, stop, forgotten, backoff, hurry, delivered }
    }

    /// With somebody who knows what was forgotten here.
    pub fn without(self, forgotten: Option<&'a Forgotten<'a>>) -> Delivery<'a> {
        Delivery { forgotten, ..self }
    }

    /// Holds back what was forgotten, and gives what may be sent; all of them as an error if nobody can tell now.
    fn hold_forgotten(
        &mut self,
        records: Vec<RawRecord>,
    ) -> Result<Result<Vec<RawRecord>, Vec<RawRecord>>, SpoolError> {
        let Some(forgotten) = self.forgotten else { return Ok(Ok(records)) };
        let Some(which) = forgotten(&records) else { return Ok(Err(records)) };
        let (held, left): (Vec<_>, Vec<_>) =
            records.into_iter().enumerate().partition(|(at, _)| which.get(*at).copied().unwrap_or(false));
        let held: Vec<RawRecord> = held.into_iter().map(|(_, record)| record).collect();
        self.spool.hold("", &held)?;
        self.delivered.held += count(held.len());
        Ok(Ok(left.into_iter().map(|(_, record)| record).collect()))
    }

    /// Whether the server failed a moment ago and is left in peace for now.
    pub fn is_backing_off(&self) -> bool {
        self.backoff.as_ref().is_some_and(|backoff| Instant::now() < backoff.until)
    }

    fn is_time_up(&self, until: Instant) -> bool {
        Instant::now() >= until || self.stop.load(Ordering::Relaxed)
    }

    /// Sends new records; what cannot be sent now is spooled.
    pub fn send(&mut self, records: Vec<RawRecord>, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        let unsent = match self.hold_forgotten(records).map_err(IngestError::Spool)? {
            Ok(left) => self.offer(left, From::Input, tell).map_err(IngestError::Spool)?,
            Err(all) => all,
        };
        if unsent.is_empty() {
            return Ok(());
        }
        let path = self.spool.keep(Lane::Server, &unsent).map_err(IngestError::Spool)?;
        self.delivered.spooled += count(unsent.len());
        tell(Notice::Spooled { records: unsent.len(), path, reason: self.why() });
        Ok(())
    }

    /// Sends what waits in the spool, the oldest first, until `budget` is used up or the server fails.
    pub fn replay(&mut self, budget: Duration, tell: &mut dyn FnMut(Notice)) -> Result<Left, SpoolError> {
        if self.is_backing_off() {
            return Ok(Left::Something);
        }
        let until = Instant::now() + budget;
        let recovered = self.spool.recover()?;
        if recovered != Recovered::default() {
            tell(Notice::Recovered(recovered));
        }
        for path in self.spool.waiting(Lane::Server)? {
            if self.is_backing_off() {
                tell(Notice::Waiting { reason: self.why() });
                return Ok(Left::Something);
            }
            if self.is_time_up(until) {
                return Ok(Left::Something);
            }
            match self.spool.claim(&path)? {
                Claimed::Ours(mut claim) => {
                    if let Some(path) = claim.bad_lines() {
                        tell(Notice::Quarantined { path: path.to_owned() });
                    }
                    let records = claim.take_records();
                    let before = records.len();
                    let Ok(records) = self.hold_forgotten(records)? else { return Ok(Left::Something) };
                    let rest = self.offer(records, From::Spool { until }, tell)?;
                    match rest.len() {
                        0 => claim.done(self.spool)?,
                        left if left < before => claim.keep_rest(self.spool, &rest)?,
                        _ => {}
                    }
                }
                Claimed::SetAside(path) => tell(Notice::Quarantined { path }),
                Claimed::Others => {}
            }
        }
        Ok(if self.is_backing_off() { Left::Something } else { Left::Nothing })
    }

    /// Offers records in batches; hands back those that the server did not take now.
    fn offer(
        &mut self,
        records: Vec<RawRecord>,
        from: From,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Vec<RawRecord>, SpoolError> {
        let mut unsent = Vec::new();
        let mut records = records.into_iter().peekable();
        while records.peek().is_some() {
            if let From::Spool { until } = from
                && self.is_time_up(until)
            {
                unsent.extend(records);
                break;
            }
            let batch: Vec<RawRecord> = records.by_ref().take(self.batch_records_max).collect();
            unsent.extend(self.offer_batch(batch, from, tell)?);
        }
        Ok(unsent)
    }

    /// Offers one batch. A refused one is split until the record at fault stands alone.
    fn offer_batch(
        &mut self,
        batch: Vec<RawRecord>,
        from: From,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Vec<RawRecord>, SpoolError> {
        let (mut taken, mut unsent, mut refused) = (0, Vec::new(), Vec::new());
        let mut parts = VecDeque::from([batch]);
        while let Some(mut part) = parts.pop_front() {
            if part.is_empty() {
                continue;
            }
            if self.is_backing_off() {
                unsent.append(&mut part);
                continue;
            }
            match self.client.send(&part, self.hurry) {
                Sent::Stored => {
                    self.backoff = None;
                    taken += part.len();
                }
                Sent::Refused(why) => split(part, why, &mut parts, &mut refused),
                Sent::Later { reason, after } => {
                    self.back_off(&reason, after);
                    unsent.append(&mut part);
                }
                Sent::Denied { reason } | Sent::Misdirected { reason } => {
                    self.back_off(&reason, None);
                    self.delivered.denied = Some(self.why());
                    unsent.append(&mut part);
                }
            }
        }
        match from {
            From::Input => self.delivered.sent += count(taken),
            From::Spool { .. } => self.delivered.replayed += count(taken),
        }
        let is_about_records = taken > 0 || refused.len() < 2 || refused.iter().any(|(_, why)| why.is_from_journal);
        if is_about_records {
            refused.iter().try_for_each(|(record, why)| self.set_aside(record, why, tell))?;
        } else {
            // Something that is no raw journal refuses everything: that says nothing about the records.
            for (record, why) in refused {
                self.back_off(&why.reason, None);
                unsent.push(record);
            }
            self.delivered.denied = Some(self.why());
        }
        Ok(unsent)
    }

    fn set_aside(&mut self, record: &RawRecord, why: &Refused, tell: &mut dyn FnMut(Notice)) -> Result<(), SpoolError> {
        let reason = self.clean(&why.reason);
        let path = self.spool.set_aside(record, Some(why.status), &reason)?;
        self.delivered.set_aside += 1;
        tell(Notice::SetAside { path, reason });
        Ok(())
    }

    fn back_off(&mut self, reason: &str, after: Option<Duration>) {
        let step = self.backoff.as_ref().map_or(BACKOFF_FIRST, |last| (last.step * 2).min(BACKOFF_MAX));
        let reason = self.clean(reason);
        self.backoff = Some(Backoff { until: Instant::now() + after.unwrap_or(step).max(BACKOFF_FIRST), step, reason });
    }

    fn why(&self) -> String {
        self.backoff.as_ref().map_or_else(String::new, |backoff| backoff.reason.clone())
    }

    fn clean(&self, reason: &str) -> String {
        clean_reason(reason, self.redactor)
    }
}

/// A server's words, redacted and short. Redacted first: a cut could hide half of a secret from the rules.
pub fn clean_reason(reason: &str, redactor: &Redactor) -> String {
    redactor.text(reason).chars().take(REASON_CHARS_MAX).collect()
}

/// Takes the record at fault out of a refused part, or halves the part to find it.
fn split(
    mut part: Vec<RawRecord>,
    why: Refused,
    parts: &mut VecDeque<Vec<RawRecord>>,
    refused: &mut Vec<(RawRecord, Refused)>,
) {
    let named = why.record.filter(|at| *at < part.len());
    let at_fault = if part.len() == 1 { Some(0) } else { named };
    if let Some(at) = at_fault {
        refused.push((part.remove(at), why));
        parts.push_front(part);
    } else {
        let second = part.split_off(part.len() / 2);
        parts.push_front(second);
        parts.push_front(part);
    }
}

fn count(records: usize) -> u64 {
    u64::try_from(records).unwrap_or(0)
}
