//! The index over one directory: catches up when it must, and answers from index and tail together.

use crate::error::IndexError;
use crate::lock::{WriteLock, clear};
use crate::lookup::look_up;
use crate::plan::Plan;
use crate::query::Query;
use crate::rank::Top;
use crate::schema::{Fields, INDEX_VERSION};
use crate::snapshot::{Opened, Snapshot, bytes_on_disk};
use crate::snippet::Marker;
use crate::stats::Figures;
use crate::tail::{Tail, TailMatches};
use crate::write::{CatchUp, CatchUpJob};
use memoir_journal::{Journal, JournalError, Selection, Seq};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More hits than this are never returned at once, skipped ones included.
pub const HITS_MAX: usize = 10_000;

/// Of a tail that is too long to keep, recall reads so many of the newest records.
const NEWEST_RECORDS: u64 = 20_000;

/// How the index may behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexOptions {
    /// The most memory that catching up may take.
    pub memory_bytes_max: usize,
    /// Up to so many unindexed records are scanned by each search; more are indexed first.
    pub tail_records_max: u64,
    /// How much catching up may merge.
    pub merging: Merging,
}

/// How much of the index catching up may write anew, to have it in fewer pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// As much as keeps it in few pieces.
    Full,
    /// A little at a time: somebody waits. The rest is left to others, or to when there are very many pieces.
    Little,
}

impl Default for IndexOptions {
    fn default() -> IndexOptions {
        IndexOptions { memory_bytes_max: 96 << 20, tail_records_max: 1000, merging: Merging::Full }
    }
}

impl IndexOptions {
    /// For a short call that somebody waits for: no part of the work is large.
    pub const fn brief() -> IndexOptions {
        IndexOptions { memory_bytes_max: 32 << 20, tail_records_max: 100, merging: Merging::Little }
    }
}

/// Full text over one journal, cached in one directory. Any number of processes may use it at once.
pub struct Index {
    dir: PathBuf,
    options: IndexOptions,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    snapshot: Option<Arc<Snapshot>>,
    tail: Option<Arc<Tail>>,
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Leave out the best so many.
    pub skip: usize,
    /// Then at most so many.
    pub limit: usize,
}

/// One found event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its place in the journal.
    pub seq: Seq,
    /// How well it fits; 0 if the query only filters.
    pub score: f32,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Hits {
    /// The hits, the best first; of equals, the newest first.
    pub hits: Vec<Hit>,
    /// Whether there are more behind them.
    pub more: bool,
    /// Makes snippets of the found events.
    pub marker: Marker,
    /// How many records were read beside the index.
    pub scanned: u64,
    /// What the reader should know about this answer.
    pub notes: Vec<Note>,
}

/// Something a reader should know about an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A part of the query was left out.
    QueryCut,
    /// Much had to be read beside the index.
    NotIndexed {
        /// How many records.
        records: u64,
        /// Why they are not indexed.
        reason: String,
    },
    /// So many matches beside the index were too many to rank.
    NotRanked(u64),
    /// So many records are neither indexed nor among the newest, and were left out.
    NotRead(u64),
    /// The index could not be read, so the journal was read through instead.
    IndexUnreadable(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::QueryCut => f.write_str("the query is too long; its end was left out"),
            Note::NotIndexed { records, reason } => {
                write!(f, "{records} records are not indexed and were read one by one: {reason}")
            }
            Note::NotRanked(count) => write!(f, "{count} further matches were left out, because they are not indexed"),
            Note::NotRead(count) => write!(f, "{count} records are not indexed yet and were left out"),
            Note::IndexUnreadable(reason) => write!(f, "the index cannot be read: {reason}"),
        }
    }
}

/// Where the index stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexStatus {
    /// Everything up to here is indexed; 0 if there is no usable index.
    pub indexed: Seq,
    /// The journal's last record.
    pub last: Seq,
    /// How many events are indexed.
    pub events: u64,
    /// In how many segments.
    pub segments: usize,
    /// Its bytes on disk.
    pub bytes: u64,
    /// The version that this memoir writes.
    pub version: u32,
    /// Why the index in the directory cannot be used, if it cannot.
    pub problem: Option<String>,
}

impl Index {
    /// The index in `dir`. Nothing is read or made before it is needed.
    pub fn open(dir: &Path, options: IndexOptions) -> Index {
        Index { dir: dir.to_owned(), options, known: Mutex::default() }
    }

    /// Finds the events that match `query` within `selection`, the best first.
    ///
    /// If too much is unindexed, it is indexed first; `progress` gets the record reached and the last one, and may
    /// stop it: the rest is then scanned.
    pub fn search(
        &self,
        journal: &dyn Journal,
        query: &Query,
        selection: &Selection,
        window: Window,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Hits, IndexError> {
        let plan = Plan::new(query, selection, journal)?;
        let mut notes = Vec::new();
        if plan.cut {
            notes.push(Note::QueryCut);
        }
        if plan.nothing || window.limit == 0 {
            return Ok(Hits { hits: Vec::new(), more: false, marker: Marker::new(plan), scanned: 0, notes });
        }
        let ready = self.make_ready(journal, progress)?;
        let indexed = ready.indexed();
        let mut matches = TailMatches::new(&plan);
        match self.tail(indexed, ready.last, journal)? {
            Some(tail) => matches.look_at(&tail),
            None => matches.look_through(indexed, ready.last, journal)?,
        }
        if let Some(reason) = ready.delayed {
            notes.push(Note::NotIndexed { records: ready.last.saturating_sub(indexed), reason });
        }
        if matches.dropped > 0 {
            notes.push(Note::NotRanked(matches.dropped));
        }
        let places = window.skip.saturating_add(window.limit).saturating_add(1).min(HITS_MAX + 1);
        let found = rank(&plan, ready.snapshot.as_deref(), &matches, places);
        let ranked = match found {
            Ok(ranked) => ranked,
            // The commit was sound when it was opened: the disk fails under it. The journal has it all.
            Err(error) => {
                notes.push(Note::IndexUnreadable(error.to_string()));
                self.known().snapshot = None;
                matches = TailMatches::new(&plan);
                matches.look_through(0, ready.last, journal)?;
                rank(&plan, None, &matches, places).unwrap_or_default()
            }
        };
        let scanned = matches.scanned;
        let more = ranked.len() > window.skip.saturating_add(window.limit).min(HITS_MAX);
        let wanted = ranked.into_iter().skip(window.skip).take(window.limit);
        let hits = wanted.map(|hit| Hit { seq: hit.seq, score: hit.score }).collect();
        Ok(Hits { hits, more, marker: Marker::new(plan), scanned, notes })
    }

    /// Brings the index up to the journal if this process gets the lock; otherwise leaves it to whoever has it.
    ///
    /// `progress` gets the record reached and the last one, and may stop it.
    pub fn catch_up(
        &self,
        journal: &dyn Journal,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<CatchUp, IndexError> {
        let failed = |error: std::io::Error| IndexError::Write { dir: self.dir.clone(), reason: error.to_string() };
        let Some(lock) = WriteLock::try_take(&self.dir).map_err(failed)? else { return Ok(CatchUp::Busy) };
        CatchUpJob { dir: &self.dir, options: self.options, journal, lock: &lock }.run(progress)
    }

    /// Where the index stands.
    pub fn status(&self, journal: &dyn Journal) -> Result<IndexStatus, IndexError> {
        let (snapshot, problem) = self.refresh(journal)?;
        Ok(IndexStatus {
            indexed: snapshot.as_ref().map_or(0, |snapshot| snapshot.checkpoint.seq),
            last: journal.last_seq()?,
            events: snapshot.as_ref().map_or(0, |snapshot| snapshot.events()),
            segments: snapshot.as_ref().map_or(0, |snapshot| snapshot.columns.len()),
            bytes: bytes_on_disk(&self.dir).unwrap_or(0),
            version: INDEX_VERSION,
            problem,
        })
    }

    /// Deletes the cache; false if another process is writing it. The next search builds it again.
    pub fn delete(&self) -> Result<bool, IndexError> {
        let failed = |error: std::io::Error| IndexError::Delete { dir: self.dir.clone(), reason: error.to_string() };
        let Some(lock) = WriteLock::try_take(&self.dir).map_err(failed)? else { return Ok(false) };
        clear(&self.dir, &lock).map_err(failed)?;
        *self.known() = Known::default();
        Ok(true)
    }

    /// The last commit and all that came after it, as far as it can be had; and what a reader should know of that.
    pub(crate) fn everything(
        &self,
        journal: &dyn Journal,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Everything, IndexError> {
        let ready = self.make_ready(journal, progress)?;
        let indexed = ready.indexed();
        let mut notes = Vec::new();
        let tail = match self.tail(indexed, ready.last, journal)? {
            Some(tail) => tail,
            None => {
                let from = indexed.max(ready.last.saturating_sub(NEWEST_RECORDS));
                if from > indexed {
                    notes.push(Note::NotRead(from - indexed));
                }
                Arc::new(Tail::read_all(from, ready.last, journal)?)
            }
        };
        if let Some(reason) = ready.delayed {
            notes.push(Note::NotIndexed { records: ready.last.saturating_sub(indexed), reason });
        }
        Ok((ready.snapshot, tail, notes))
    }

    /// What was stored last, read from the journal alone.
    pub(crate) fn newest(&self, journal: &dyn Journal) -> Result<Tail, IndexError> {
        let last = journal.last_seq()?;
        Ok(Tail::read_all(last.saturating_sub(NEWEST_RECORDS), last, journal)?)
    }

    /// Opens the index anew next time.
    pub(crate) fn give_up_snapshot(&self) {
        self.known().snapshot = None;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last commit, if it is usable and of this journal; otherwise why it is not.
    fn refresh(&self, journal: &dyn Journal) -> Result<(Option<Arc<Snapshot>>, Option<String>), JournalError> {
        let known = self.known().snapshot.clone();
        if known.as_ref().is_some_and(|snapshot| snapshot.is_current(&self.dir)) {
            return Ok((known, None));
        }
        let (snapshot, problem) = match Snapshot::open(&self.dir) {
            Opened::Usable(snapshot) if snapshot.checkpoint.fits(journal)? => (Some(snapshot), None),
            Opened::Usable(_) => (None, Some("it is of another journal".to_owned())),
            Opened::Missing => (None, None),
            Opened::Unusable(reason) => (None, Some(reason)),
        };
        self.known().snapshot.clone_from(&snapshot);
        Ok((snapshot, problem))
    }

    /// Catches up if the tail is long, and says how far the index reaches then.
    fn make_ready(
        &self,
        journal: &dyn Journal,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Ready, IndexError> {
        let (snapshot, problem) = self.refresh(journal)?;
        let mut ready = Ready { snapshot, last: journal.last_seq()?, delayed: None };
        let is_long = |ready: &Ready| ready.last.saturating_sub(ready.indexed()) > self.options.tail_records_max;
        if !is_long(&ready) && problem.is_none() {
            return Ok(ready);
        }
        let delayed = match self.catch_up(journal, progress) {
            Ok(CatchUp::Current | CatchUp::Done { .. }) => None,
            Ok(CatchUp::Stopped) => Some("indexing was stopped".to_owned()),
            Ok(CatchUp::Busy) => Some("another process is indexing them".to_owned()),
            Err(IndexError::Journal(error)) => return Err(error.into()),
            Err(error) => Some(error.to_string()),
        };
        ready = Ready { snapshot: self.refresh(journal)?.0, last: journal.last_seq()?, delayed };
        if !is_long(&ready) {
            ready.delayed = None;
        }
        Ok(ready)
    }

    /// The unindexed tail in memory; none if it is too long to keep.
    fn tail(&self, after: Seq, last: Seq, journal: &dyn Journal) -> Result<Option<Arc<Tail>>, JournalError> {
        if last.saturating_sub(after) > self.options.tail_records_max.saturating_mul(2) {
            return Ok(None);
        }
        let known = self.known().tail.clone();
        let tail = Tail::read(known.as_ref(), after, last, journal)?;
        self.known().tail.clone_from(&tail);
        Ok(tail)
    }
}

/// What there is to read: the last commit, the tail, notes.
pub(crate) type Everything = (Option<Arc<Snapshot>>, Arc<Tail>, Vec<Note>);

struct Ready {
    snapshot: Option<Arc<Snapshot>>,
    last: Seq,
    delayed: Option<String>,
}

impl Ready {
    fn indexed(&self) -> Seq {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.checkpoint.seq)
    }
}

fn rank(
    plan: &Plan,
    snapshot: Option<&Snapshot>,
    matches: &TailMatches<'_>,
    places: usize,
) -> tantivy::Result<Vec<crate::rank::Ranked>> {
    let figures = Figures { snapshot, tail: &matches.figures };
    let (_, fields) = Fields::schema();
    let mut top = Top::new(places);
    matches.rank(&figures, fields.body, &mut top)?;
    if let Some(snapshot) = snapshot {
        look_up(snapshot, plan, &figures, &matches.replaced(snapshot.checkpoint.seq), &mut top)?;
    }
    Ok(top.into_sorted())
}
