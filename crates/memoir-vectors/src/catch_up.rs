//! Brings the vectors up to the journal, a batch at a time. What is done is kept, whatever happens next.
//!
//! One process at a time builds. It asks the model without holding the lock for writing, so that whoever removes
//! something never waits for a model; before it writes, it looks whether each event may still be embedded and still says
//! what it said.

use crate::block::{Entry, Reached};
use crate::embed::{Asking, PLAIN, Trouble};
use crate::error::VectorsError;
use crate::header::Header;
use crate::lock::{Lock, Task};
use crate::quantise::Quantised;
use crate::rewrite::{Wanted, rewrite};
use crate::snapshot::{Opened, Snapshot};
use crate::speech::{digest, text_for_model, view};
use crate::store::Vectors;
use crate::write;
use memoir_index::speech_of;
use memoir_journal::{Change, Journal, Seq, StoredEvent};
use memoir_model::{Embedder, Identity};
use memoir_redact::Redactor;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// So many texts are sent at once.
const BATCH_TEXTS: usize = 64;
/// The change feed is read in pieces of so many records.
const CHUNK_RECORDS: usize = 256;
/// Fewer records without speech than this are looked through again rather than noted.
const NOTE_RECORDS: Seq = 256;
/// A writer holds its lock for a moment only.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// A part of the store that is of no use is borne up to this size.
const SPARE_VECTORS: u64 = 64;
const SPARE_BYTES: u64 = 64 << 10;

/// What was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Made {
    /// So many vectors.
    pub vectors: u64,
    /// So many texts the model took in no form.
    pub refused: u64,
    /// Whether they were built from nothing.
    pub rebuilt: bool,
    /// How long the vectors were that these took the place of, because the model makes others now.
    pub replaced_dimension: Option<usize>,
}

/// What a catch-up did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUp {
    /// There was nothing to do.
    Current,
    /// Everything that the journal had and that may have a vector has one now.
    Done(Made),
    /// `progress` stopped it; what was made is kept.
    Stopped(Made),
    /// Another process is at it.
    Busy,
}

/// What a catch-up works with.
pub(crate) struct Job<'a> {
    pub vectors: &'a Vectors,
    pub journal: &'a dyn Journal,
    pub redactor: &'a Redactor,
    pub model: &'a dyn Embedder,
    /// Hears what is waited for.
    pub tell: &'a dyn Fn(&str),
}

impl Job<'_> {
    pub fn run(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<CatchUp, VectorsError> {
        let Some(_build) = self.io(Lock::try_take(self.vectors.dir(), Task::Build))? else { return Ok(CatchUp::Busy) };
        let (journal_id, last) = (self.journal.identity()?, self.journal.last_seq()?);
        let undone = self.journal.forgettings()?.iter().filter(|entry| entry.undone).count();
        let undone = u32::try_from(undone).unwrap_or(u32::MAX);
        if !self.mend(&journal_id, undone, last, progress)? {
            return Ok(CatchUp::Stopped(Made::default()));
        }
        let mut ours = self.vectors.refresh().filter(|snapshot| self.is_ours(snapshot, &journal_id));
        let mut replaced_dimension = None;
        if let Some(there) = ours.as_ref().map(|snapshot| snapshot.dimension())
            && self
                .dimension_now(ours.as_ref().is_some_and(|snapshot| snapshot.reached.seq >= last))
                .is_some_and(|now| now != there)
        {
            (ours, replaced_dimension) = (None, Some(there));
        }
        let from = ours.as_ref().map_or(0, |snapshot| snapshot.reached.seq);
        if from >= last {
            return Ok(CatchUp::Current);
        }
        let known = ours.as_ref().map(|snapshot| digests(snapshot)).unwrap_or_default();
        let made = Made { rebuilt: ours.is_none(), replaced_dimension, ..Made::default() };
        let mut building =
            Building { job: self, journal_id, undone, pending: BTreeSet::new(), known, noted: from, restarts: 0, made };
        let outcome = building.feed(from, last, progress);
        if let Some(snapshot) = self.vectors.refresh() {
            let synced = write::sync(self.vectors.dir(), &snapshot);
            outcome.as_ref().map_or(Ok(()), |_| self.io(synced))?;
        }
        outcome
    }

    /// How long the model's vectors are now. Where there is nothing to embed that would tell, it is asked once in the life
    /// of a process; whether it answers then is of no matter.
    fn dimension_now(&self, has_nothing_to_do: bool) -> Option<usize> {
        let known = self.vectors.dimension();
        if known.is_some() || !has_nothing_to_do {
            return known;
        }
        let dimension = self.model.embed(&[PLAIN]).ok()?.first().map(Vec::len)?;
        self.vectors.learn_dimension(dimension);
        Some(dimension)
    }

    fn is_ours(&self, snapshot: &Snapshot, journal_id: &str) -> bool {
        snapshot.header.journal == journal_id && snapshot.header.identity.model == self.model.model()
    }

    /// Puts the store in order before it grows: of this journal, without damage and without much that is of no use.
    fn mend(
        &self,
        journal_id: &str,
        undone: u32,
        last: Seq,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<bool, VectorsError> {
        let of_model = |snapshot: &Arc<Snapshot>| snapshot.header.identity.model == self.model.model();
        let Some(before) = self.vectors.refresh().filter(of_model) else { return Ok(true) };
        let confirmed = match before.header.journal == journal_id {
            true => None,
            false => match self.confirmed(&before, last, progress)? {
                Some(confirmed) => Some(confirmed),
                None => return Ok(false),
            },
        };
        let lock = self.write_lock()?;
        let Some(snapshot) = self.vectors.refresh().filter(of_model) else { return Ok(true) };
        let keeps_place = confirmed.is_none() && snapshot.reached.undone == undone && snapshot.reached.seq <= last;
        let reached = Reached { seq: if keeps_place { snapshot.reached.seq } else { 0 }, undone };
        if confirmed.is_some() || self.vectors.is_unsound(&snapshot) || is_wasteful(&snapshot) {
            let mut keep =
                |seq: Seq, digest: u64| confirmed.as_ref().is_none_or(|confirmed| confirmed.get(&seq) == Some(&digest));
            let wanted = Wanted { journal: journal_id.to_owned(), reached, keep: &mut keep };
            self.io(rewrite(self.vectors.dir(), &snapshot, wanted, &lock))?;
        } else if reached != snapshot.reached {
            self.io(write::append(self.vectors.dir(), &snapshot, &[], reached, &lock))?;
        }
        Ok(true)
    }

    /// The vectors of another journal that are also of this one: the same text at the same place. None if stopped.
    fn confirmed(
        &self,
        snapshot: &Snapshot,
        last: Seq,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Option<HashMap<Seq, u64>>, VectorsError> {
        let seqs: Vec<Seq> = snapshot.live().map(|(seq, _)| seq).filter(|seq| *seq <= last).collect();
        let mut confirmed = HashMap::with_capacity(seqs.len());
        for some in seqs.chunks(CHUNK_RECORDS) {
            for (seq, _, digest) in self.texts(some)? {
                confirmed.insert(seq, digest);
            }
            if !progress(0, last) {
                return Ok(None);
            }
        }
        Ok(Some(confirmed))
    }

    /// What a model may get to see of those events, as they read now.
    fn texts(&self, seqs: &[Seq]) -> Result<Vec<(Seq, String, u64)>, VectorsError> {
        let text = |event: &StoredEvent| {
            let text = text_for_model(event, self.redactor)?;
            let digest = digest(&text);
            Some((event.seq, text, digest))
        };
        Ok(self.journal.events(seqs, &view())?.iter().filter_map(text).collect())
    }

    fn write_lock(&self) -> Result<Lock, VectorsError> {
        let busy = || io::Error::other("another process does not stop writing them");
        let lock = Lock::take_within(self.vectors.dir(), Task::Write, WRITE_PATIENCE);
        self.io(lock.and_then(|lock| lock.ok_or_else(busy)))
    }

    fn io<T>(&self, outcome: io::Result<T>) -> Result<T, VectorsError> {
        outcome.map_err(|error| VectorsError::write(self.vectors.dir(), &error))
    }
}

/// Which text each event's vector was made of.
fn digests(snapshot: &Snapshot) -> HashMap<Seq, u64> {
    let digest = |(seq, spot): (Seq, crate::snapshot::Spot)| Some((seq, snapshot.block(spot)?.digest(spot.at)));
    snapshot.live().filter_map(digest).collect()
}

/// Whether much of it is of no use, or it is in many small pieces.
fn is_wasteful(snapshot: &Snapshot) -> bool {
    let (all, live) = snapshot.counts();
    let (fine, used) = snapshot.fine_lengths();
    let pieces = snapshot.blocks.len() as u64;
    all - live > live / 4 + SPARE_VECTORS || pieces > all / 32 + SPARE_VECTORS || fine > used + used / 4 + SPARE_BYTES
}

/// A catch-up on its way.
struct Building<'a> {
    job: &'a Job<'a>,
    journal_id: String,
    undone: u32,
    /// Events that may need a vector.
    pending: BTreeSet<Seq>,
    known: HashMap<Seq, u64>,
    /// How far the store says that the journal is looked through.
    noted: Seq,
    restarts: u32,
    made: Made,
}

/// What became of a batch.
enum Flushed {
    Kept,
    /// The store is another one now, with nothing in it: everything must be looked at again.
    Restart,
}

impl Building<'_> {
    fn feed(
        &mut self,
        from: Seq,
        last: Seq,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<CatchUp, VectorsError> {
        let mut at = from;
        loop {
            let changes = if at < last { self.job.journal.changes(at, CHUNK_RECORDS)? } else { Vec::new() };
            let is_end = changes.is_empty();
            let mut flushed = Ok(Flushed::Kept);
            for change in changes {
                at = change.seq();
                self.take(&change);
                if self.pending.len() >= BATCH_TEXTS {
                    flushed = self.flush(at, last, progress);
                    if !matches!(flushed, Ok(Flushed::Kept)) {
                        break;
                    }
                }
            }
            if is_end {
                flushed = self.flush(at, last, progress);
            }
            match flushed {
                Ok(Flushed::Kept) if is_end => return Ok(self.done()),
                Ok(Flushed::Kept) => {}
                Ok(Flushed::Restart) => at = 0,
                Err(Trouble::Stopped) => return Ok(CatchUp::Stopped(self.made)),
                Err(Trouble::Other(error)) => return Err(error),
            }
            if !progress(at.min(last), last) {
                return Ok(CatchUp::Stopped(self.made));
            }
        }
    }

    /// What there was to do, if anything.
    const fn done(&self) -> CatchUp {
        if self.made.vectors + self.made.refused == 0 { CatchUp::Current } else { CatchUp::Done(self.made) }
    }

    fn take(&mut self, change: &Change) {
        if let Change::Event(event) | Change::Revision { event, .. } = change
            && view().admits(event.event.visibility, event.event.secrecy)
            && speech_of(&event.event).is_some()
        {
            self.pending.insert(event.seq);
        }
    }

    /// Makes vectors of what is pending, and notes that everything up to `at` is looked at.
    fn flush(&mut self, at: Seq, last: Seq, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Flushed, Trouble> {
        let seqs: Vec<Seq> = std::mem::take(&mut self.pending).into_iter().collect();
        let mut texts = self.job.texts(&seqs)?;
        texts.retain(|(seq, _, digest)| self.known.get(seq) != Some(digest));
        if texts.is_empty() {
            return self.note(at);
        }
        if !progress(at.min(last), last) {
            return Err(Trouble::Stopped);
        }
        let mut unique: Vec<&str> = texts.iter().map(|(_, text, _)| text.as_str()).collect();
        unique.sort_unstable();
        unique.dedup();
        let mut asking =
            Asking { model: self.job.model, go_on: &mut || progress(at.min(last), last), tell: self.job.tell };
        let vectors = asking.vectors(&unique)?;
        let quantised: HashMap<&str, Quantised> = unique
            .iter()
            .zip(&vectors)
            .filter_map(|(text, vector)| Some((*text, Quantised::of(vector.as_deref()?)?)))
            .collect();
        let mut entries = Vec::with_capacity(texts.len());
        for (seq, text, digest) in &texts {
            match quantised.get(text.as_str()) {
                Some(vector) => entries.push(Entry { seq: *seq, digest: *digest, vector: vector.clone() }),
                None => self.made.refused += 1,
            }
        }
        self.keep(entries, at)
    }

    /// Writes vectors down, but for those of events that were forgotten or have changed since.
    fn keep(&mut self, mut entries: Vec<Entry>, at: Seq) -> Result<Flushed, Trouble> {
        let (job, dir) = (self.job, self.job.vectors.dir());
        let lock = job.write_lock()?;
        let seqs: Vec<Seq> = entries.iter().map(|entry| entry.seq).collect();
        let now: HashMap<Seq, u64> = job.texts(&seqs)?.into_iter().map(|(seq, _, digest)| (seq, digest)).collect();
        entries.retain(|entry| now.get(&entry.seq) == Some(&entry.digest));
        let Some(dimension) = entries.first().map(|entry| entry.vector.coarse.len()) else {
            drop(lock);
            return self.note(at);
        };
        job.vectors.learn_dimension(dimension);
        let fits = |snapshot: &Arc<Snapshot>| {
            job.is_ours(snapshot, &self.journal_id) && snapshot.header.identity.dimension == dimension
        };
        let before = job.vectors.refresh().filter(|snapshot| job.is_ours(snapshot, &self.journal_id));
        let there = before.clone().filter(fits);
        let is_new = there.is_none();
        if is_new && self.made.replaced_dimension.is_none() {
            self.made.replaced_dimension = before.map(|snapshot| snapshot.dimension());
        }
        let snapshot = match there {
            Some(snapshot) => snapshot,
            None => {
                let identity = Identity { model: job.model.model().to_owned(), dimension };
                let generation = job.io(write::new_generation())?;
                let header = Header { generation, identity, journal: self.journal_id.clone() };
                job.io(write::create(dir, &header, &lock))?;
                let gone = || VectorsError::write(dir, &io::Error::other("they were deleted meanwhile"));
                job.vectors.refresh().ok_or_else(gone)?
            }
        };
        // Where others are missing, nothing can be said of what is stored up to here.
        let is_restart = is_new && (self.noted > 0 || !self.known.is_empty());
        let seq = if is_restart { 0 } else { at };
        job.io(write::append(dir, &snapshot, &entries, Reached { seq, undone: self.undone }, &lock))?;
        if is_restart {
            self.known.clear();
            self.made.rebuilt = true;
            self.restarts += 1;
            if self.restarts > 1 {
                let reason = io::Error::other("something else deletes or changes them all the time");
                return Err(VectorsError::write(dir, &reason).into());
            }
        }
        self.made.vectors += entries.len() as u64;
        self.known.extend(entries.iter().map(|entry| (entry.seq, entry.digest)));
        self.noted = seq.max(1);
        Ok(if is_restart { Flushed::Restart } else { Flushed::Kept })
    }

    /// Notes that everything up to `at` is looked at, if that is worth a note.
    fn note(&mut self, at: Seq) -> Result<Flushed, Trouble> {
        if self.noted > 0 && at.saturating_sub(self.noted) < NOTE_RECORDS {
            return Ok(Flushed::Kept);
        }
        let lock = self.job.write_lock()?;
        let snapshot = self.job.vectors.refresh().filter(|snapshot| self.job.is_ours(snapshot, &self.journal_id));
        if let Some(snapshot) = snapshot {
            let reached = Reached { seq: at, undone: self.undone };
            self.job.io(write::append(self.job.vectors.dir(), &snapshot, &[], reached, &lock))?;
            self.noted = at;
        }
        Ok(Flushed::Kept)
    }
}

/// What a look at the store without changing it tells: how many events of the last records have no vector yet.
pub(crate) fn missing(
    snapshot: Option<&Snapshot>,
    journal: &dyn Journal,
    redactor: &Redactor,
    last: Seq,
) -> Result<u64, memoir_journal::JournalError> {
    let mut at = snapshot.map_or(0, |snapshot| snapshot.reached.seq);
    let mut seqs = BTreeSet::new();
    while at < last {
        let changes = journal.changes(at, CHUNK_RECORDS)?;
        let Some(reached) = changes.last().map(Change::seq) else { break };
        at = reached;
        for change in &changes {
            if let Change::Event(event) | Change::Revision { event, .. } = change
                && speech_of(&event.event).is_some()
            {
                seqs.insert(event.seq);
            }
        }
    }
    let seqs: Vec<Seq> = seqs.into_iter().collect();
    let lacks = |event: &StoredEvent| {
        let Some(text) = text_for_model(event, redactor) else { return false };
        let held = snapshot.and_then(|snapshot| {
            let spot = snapshot.find(event.seq)?;
            Some(snapshot.block(spot)?.digest(spot.at))
        });
        held != Some(digest(&text))
    };
    let mut count = 0;
    for some in seqs.chunks(CHUNK_RECORDS) {
        count += journal.events(some, &view())?.iter().filter(|event| lacks(event)).count() as u64;
    }
    Ok(count)
}

/// Opens what is there, whoever made it.
pub(crate) fn usable(opened: Opened) -> Option<Arc<Snapshot>> {
    match opened {
        Opened::Usable(snapshot) => Some(snapshot),
        Opened::Missing | Opened::Unusable(_) => None,
    }
}
