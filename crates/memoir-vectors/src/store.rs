//! The vectors in one directory. Any number of processes may use them at once.

use crate::catch_up::{CatchUp, Job, missing, usable};
use crate::error::VectorsError;
use crate::lock::{Lock, Task};
use crate::names;
use crate::quantise::Needle;
use crate::rewrite::{Wanted, rewrite};
use crate::scan;
use crate::snapshot::{Opened, Snapshot, Spot};
use memoir_journal::{Journal, JournalError, Seq};
use memoir_model::{Embedder, Identity};
use memoir_redact::Redactor;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long removing waits for another writer, which is at it for a moment only.
const REMOVE_PATIENCE: Duration = Duration::from_secs(10);
/// With no more records than this to be looked through, it is counted which events lack a vector.
const COUNTED_RECORDS_MAX: Seq = 10_000;

/// A query as a vector, and what it can be compared with: vectors of the same model, of events of the same journal.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The query's vector.
    pub vector: &'a [f32],
    /// The model that made it.
    pub model: &'a str,
    /// The journal whose events are wanted, by its identity.
    pub journal: &'a str,
}

/// Somebody who watches a catch-up.
pub struct Watch<'a> {
    /// Gets the record reached and the last one, and may stop it.
    pub progress: &'a mut dyn FnMut(Seq, Seq) -> bool,
    /// Hears what is waited for.
    pub tell: &'a dyn Fn(&str),
}

/// What removing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// So many vectors are gone, to the last byte.
    Done(u64),
    /// Another process is writing and did not come to an end.
    Busy,
}

/// Where the vectors stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VectorsStatus {
    /// What made them; none if there are none that can be used.
    pub made_by: Option<Identity>,
    /// How many events have one.
    pub vectors: u64,
    /// Their bytes on disk.
    pub bytes: u64,
    /// The journal is looked through up to here.
    pub reached: Seq,
    /// The journal's last record.
    pub last: Seq,
    /// How many events lack one; none where much is still to be looked through.
    pub missing: Option<u64>,
    /// Why those in the directory cannot be used, if they cannot.
    pub problem: Option<String>,
}

/// Vectors of what was said in one journal, cached in one directory.
pub struct Vectors {
    dir: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    snapshot: Option<Arc<Snapshot>>,
    /// The generation whose finer bytes were read through and found whole.
    sound: Option<u64>,
    /// How long the vectors are that the model makes now, if it was asked.
    dimension: Option<usize>,
}

impl Vectors {
    /// The vectors in `dir`. Nothing is read or made before it is needed.
    pub fn open(dir: &Path) -> Vectors {
        Vectors { dir: dir.to_owned(), known: Mutex::default() }
    }

    /// The `k` events nearest to a query that are allowed, with their cosines, the best first; of equals, the newest.
    ///
    /// Nothing is near to a query of another model or journal. `allowed` is only asked about events that are among the
    /// nearest so far.
    pub fn near(&self, probe: &Probe<'_>, k: usize, allowed: &mut dyn FnMut(Seq) -> bool) -> Vec<(Seq, f32)> {
        self.comparable(probe).map_or_else(Vec::new, |(snapshot, needle)| scan::near(&snapshot, &needle, k, allowed))
    }

    /// The cosines of those events that have a vector.
    pub fn cosines(&self, probe: &Probe<'_>, seqs: &[Seq]) -> Vec<(Seq, f32)> {
        let Some((snapshot, needle)) = self.comparable(probe) else { return Vec::new() };
        let mut wanted = seqs.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut spots: Vec<(Seq, Spot)> = Vec::with_capacity(wanted.len());
        for (number, block) in snapshot.blocks.iter().enumerate() {
            let Some((first, last)) = block.range() else { continue };
            let from = wanted.partition_point(|seq| *seq < first);
            for seq in wanted.iter().skip(from).take_while(|seq| **seq <= last) {
                if let Some(at) = block.find(*seq).filter(|_| snapshot.is_live(*seq, number)) {
                    spots.push((*seq, Spot { block: number, at }));
                }
            }
        }
        scan::cosines(&snapshot, &needle, &spots)
    }

    /// Makes vectors of what was said and has none of its present text yet.
    ///
    /// `progress` gets the record reached and the last one, and may stop it. What is made is kept at every moment.
    pub fn catch_up(
        &self,
        journal: &dyn Journal,
        redactor: &Redactor,
        model: &dyn Embedder,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<CatchUp, VectorsError> {
        self.catch_up_watched(journal, redactor, model, Watch { progress, tell: &|_| {} })
    }

    /// The same, watched.
    pub fn catch_up_watched(
        &self,
        journal: &dyn Journal,
        redactor: &Redactor,
        model: &dyn Embedder,
        Watch { progress, tell }: Watch<'_>,
    ) -> Result<CatchUp, VectorsError> {
        Job { vectors: self, journal, redactor, model, tell }.run(progress)
    }

    /// Removes the vectors of events, so that no byte of them is left in the directory.
    pub fn remove(&self, unwanted: &mut dyn FnMut(Seq) -> bool) -> Result<Removed, VectorsError> {
        if !self.dir.exists() {
            return Ok(Removed::Done(0));
        }
        let failed = |error: io::Error| VectorsError::write(&self.dir, &error);
        let lock = Lock::take_within(&self.dir, Task::Write, REMOVE_PATIENCE).map_err(failed)?;
        let Some(lock) = lock else { return Ok(Removed::Busy) };
        let Some(snapshot) = self.refresh() else {
            // What cannot be read may hold anything.
            names::clear_but(&self.dir, None).map_err(failed)?;
            return Ok(Removed::Done(0));
        };
        let (fine, used) = snapshot.fine_lengths();
        let (all, live) = snapshot.counts();
        let is_clean = snapshot.damaged == 0 && snapshot.torn_bytes(&self.dir) == 0 && fine == used && all == live;
        if is_clean && !snapshot.live().any(|(seq, _)| unwanted(seq)) {
            names::clear_but(&self.dir, Some(snapshot.header.generation)).map_err(failed)?;
            return Ok(Removed::Done(0));
        }
        let mut keep = |seq: Seq, _| !unwanted(seq);
        let wanted = Wanted { journal: snapshot.header.journal.clone(), reached: snapshot.reached, keep: &mut keep };
        let removed = rewrite(&self.dir, &snapshot, wanted, &lock).map_err(failed)?;
        self.known().snapshot = None;
        Ok(Removed::Done(removed))
    }

    /// Where they stand.
    pub fn status(&self, journal: &dyn Journal, redactor: &Redactor) -> Result<VectorsStatus, JournalError> {
        let (identity, last) = (journal.identity()?, journal.last_seq()?);
        let known = self.known().snapshot.clone();
        let (snapshot, problem) = match Snapshot::open(&self.dir, known.as_ref()) {
            Opened::Usable(snapshot) if snapshot.header.journal == identity => (Some(snapshot), None),
            Opened::Usable(_) => (None, Some("they are of another journal".to_owned())),
            Opened::Missing => (None, None),
            Opened::Unusable(reason) => (None, Some(reason)),
        };
        let reached = snapshot.as_ref().map_or(0, |snapshot| snapshot.reached.seq);
        let is_short = last.saturating_sub(reached) <= COUNTED_RECORDS_MAX;
        let missing = is_short.then(|| missing(snapshot.as_deref(), journal, redactor, last)).transpose()?;
        Ok(VectorsStatus {
            made_by: snapshot.as_ref().map(|snapshot| snapshot.header.identity.clone()),
            vectors: snapshot.as_ref().map_or(0, |snapshot| snapshot.counts().1),
            bytes: names::bytes_on_disk(&self.dir).unwrap_or(0),
            reached,
            last,
            missing,
            problem,
        })
    }

    /// Deletes them; false if another process is writing. The next catch-up makes them again.
    pub fn delete(&self) -> Result<bool, VectorsError> {
        if !self.dir.exists() {
            return Ok(true);
        }
        let failed = |error: io::Error| VectorsError::write(&self.dir, &error);
        let lock = Lock::take_within(&self.dir, Task::Write, REMOVE_PATIENCE).map_err(failed)?;
        if lock.is_none() {
            return Ok(false);
        }
        names::clear_but(&self.dir, None).map_err(failed)?;
        *self.known() = Known::default();
        Ok(true)
    }

    /// How long the vectors are that the model makes now, if it was asked by this process.
    pub(crate) fn dimension(&self) -> Option<usize> {
        self.known().dimension
    }

    pub(crate) fn learn_dimension(&self, dimension: usize) {
        self.known().dimension = Some(dimension);
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What is there now; none if there is nothing that can be used.
    pub(crate) fn refresh(&self) -> Option<Arc<Snapshot>> {
        let known = self.known().snapshot.clone();
        let snapshot = usable(Snapshot::open(&self.dir, known.as_ref()));
        self.known().snapshot.clone_from(&snapshot);
        snapshot
    }

    /// Whether a part is damaged. The finer bytes of a generation are read through once by a process.
    pub(crate) fn is_unsound(&self, snapshot: &Snapshot) -> bool {
        if snapshot.damaged > 0 {
            return true;
        }
        if self.known().sound == Some(snapshot.header.generation) {
            return false;
        }
        let mut buffer = Vec::new();
        let is_sound = snapshot.live().all(|(_, spot)| snapshot.fine(spot, &mut buffer).is_some());
        if is_sound {
            self.known().sound = Some(snapshot.header.generation);
        }
        !is_sound
    }

    fn comparable(&self, probe: &Probe<'_>) -> Option<(Arc<Snapshot>, Needle)> {
        let snapshot = self.refresh()?;
        let header = &snapshot.header;
        let fits = header.identity.model == probe.model
            && header.identity.dimension == probe.vector.len()
            && header.journal == probe.journal;
        Some((snapshot, Needle::of(probe.vector)?)).filter(|_| fits)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
