//! Brings the index up to the journal. Only whoever holds the lock gets here.

use crate::error::IndexError;
use crate::guard::GuardedDirectory;
use crate::index::{IndexOptions, Merging};
use crate::lock::{WriteLock, clear};
use crate::replace::OfEvents;
use crate::schema::{Checkpoint, Fields, register_tokenizer};
use crate::snapshot::{Opened, Snapshot};
use crate::ticket::{Budget, TicketedDocument};
use memoir_journal::{Change, Journal, Seq, StoredEvent};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tantivy::TantivyDocument;
use tantivy::indexer::{IndexWriter, IndexWriterOptions, LogMergePolicy, UserOperation};

/// A commit costs a segment: this many events are worth one.
const COMMIT_EVENTS: u64 = 250_000;
/// More revised events than this are not held back for a commit.
const REVISED_MAX: usize = 50_000;
/// The change feed is read in pieces of about this many bytes.
const CHUNK_BYTES: usize = 4 << 20;
const CHUNK_EVENTS: std::ops::RangeInclusive<usize> = 16..=4096;
/// So many segments of a size become one. Merging a document costs half of what indexing it did, and saves a tenth of
/// its bytes: with fewer, a first build would spend its time on merging; with more, the index would be larger.
const MERGE_SEGMENTS: usize = 5;
/// Where little may be merged at once, segments of so many documents are left as they are.
const MERGED_DOCS_MAX: usize = 2_000;
/// The same where there are more segments than that: each costs whoever opens the index.
const MANY_SEGMENTS: usize = 32;
const MERGED_DOCS_OF_MANY_MAX: usize = 20_000;
/// Smaller segments than this are of one size, where little may be merged at once.
const SMALL_DOCS: u32 = 100;
/// Documents are handed to the indexing thread so many at a time.
const HAND_OVER_EVENTS: usize = 256;
const HAND_OVER_BYTES: usize = 256 << 10;
/// What a document takes beside its text.
const DOCUMENT_BYTES: usize = 512;
/// Reading the journal keeps one core busy for a fifth of the time, indexing for the rest.
const INDEXING_THREADS: usize = 2;
/// Tantivy does not work with less.
const HEAP_BYTES_MIN: usize = 16 << 20;

/// What a catch-up did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUp {
    /// There was nothing to do.
    Current,
    /// The index now has everything that the journal had.
    Done {
        /// How many records were taken in.
        records: u64,
        /// Whether it was built from nothing.
        rebuilt: bool,
    },
    /// `progress` stopped it; what was done is kept.
    Stopped,
    /// Another process is at it.
    Busy,
}

pub(crate) struct CatchUpJob<'a> {
    pub dir: &'a Path,
    pub options: IndexOptions,
    pub journal: &'a dyn Journal,
    pub lock: &'a WriteLock,
}

impl CatchUpJob<'_> {
    /// Takes in everything up to the journal's last record.
    pub fn run(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<CatchUp, IndexError> {
        let last = self.journal.last_seq()?;
        let (index, from, rebuilt) = match Snapshot::open(self.dir) {
            Opened::Usable(snapshot)
                if snapshot.checkpoint.seq <= last && snapshot.checkpoint.fits(self.journal)? =>
            {
                (snapshot.searcher.index().clone(), snapshot.checkpoint.seq, false)
            }
            _ => (self.create().map_err(|error| self.failed(&error))?, 0, true),
        };
        if from >= last {
            return Ok(CatchUp::Current);
        }
        let mut writing = Writing::start(self, &index, (from, last)).map_err(|error| self.failed(&error))?;
        let stopped = writing.feed(last, progress)?;
        let records = writing.finish()?;
        Ok(if stopped { CatchUp::Stopped } else { CatchUp::Done { records, rebuilt } })
    }

    fn create(&self) -> tantivy::Result<tantivy::Index> {
        clear(self.dir, self.lock)?;
        let (schema, _) = Fields::schema();
        let settings = tantivy::IndexSettings::default();
        let index = tantivy::Index::create(GuardedDirectory::open(self.dir)?, schema, settings)?;
        register_tokenizer(&index);
        Ok(index)
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> IndexError {
        IndexError::Write { dir: self.dir.to_owned(), reason: reason.to_string() }
    }
}

/// Where more is to be indexed than this, a short call does not do it a little at a time: it would never be done, and what
/// it left would be in very many pieces.
const LITTLE_RECORDS_MAX: Seq = 2_000;

struct Writing<'a> {
    job: &'a CatchUpJob<'a>,
    fields: Fields,
    writer: IndexWriter<TicketedDocument>,
    budget: Arc<Budget>,
    /// Documents on their way to the indexing thread.
    waiting: Vec<TantivyDocument>,
    waiting_bytes: usize,
    /// Events whose documents must be replaced at the next commit.
    revised: BTreeSet<Seq>,
    at: Seq,
    committed: Seq,
    records: u64,
}

impl<'a> Writing<'a> {
    fn start(
        job: &'a CatchUpJob<'a>,
        index: &tantivy::Index,
        (from, last): (Seq, Seq),
    ) -> tantivy::Result<Writing<'a>> {
        // A part of the memory is for documents on their way to the indexing thread, and for merging.
        let in_flight = job.options.memory_bytes_max / 16;
        // A few documents are one portion, and what a thread begins with costs more than they do.
        let is_little = last.saturating_sub(from) <= LITTLE_RECORDS_MAX;
        let merging = if is_little { job.options.merging } else { Merging::Full };
        let threads = if merging == Merging::Little { 1 } else { INDEXING_THREADS };
        let heap = (job.options.memory_bytes_max / 4 * 3).max(HEAP_BYTES_MIN * threads);
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(heap / threads)
            .num_worker_threads(threads)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options)?;
        let segments = index.searchable_segment_ids()?.len();
        writer.set_merge_policy(Box::new(merge_policy(merging, segments)));
        let (_, fields) = Fields::schema();
        let budget = Budget::new(in_flight);
        Ok(Writing {
            job,
            fields,
            writer,
            budget,
            waiting: Vec::new(),
            waiting_bytes: 0,
            revised: BTreeSet::new(),
            at: from,
            committed: from,
            records: 0,
        })
    }

    /// Reads the change feed; true if `progress` stopped it.
    fn feed(&mut self, last: Seq, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<bool, IndexError> {
        let mut chunk = *CHUNK_EVENTS.start();
        while self.at < last {
            let changes = self.job.journal.changes(self.at, chunk)?;
            if changes.is_empty() {
                break;
            }
            let mut bytes = 1;
            let count = changes.len();
            for change in changes {
                self.at = change.seq();
                self.records += 1;
                match change {
                    Change::Event(event) => bytes += self.add(&event)?,
                    Change::Revision { event, .. } => {
                        self.revised.insert(event.seq);
                    }
                    Change::Sighting { .. } => {}
                }
            }
            chunk = (CHUNK_BYTES / (bytes / count + 1)).clamp(*CHUNK_EVENTS.start(), *CHUNK_EVENTS.end());
            if self.at - self.committed >= COMMIT_EVENTS || self.revised.len() >= REVISED_MAX {
                self.commit()?;
            }
            if !progress(self.at.min(last), last) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add(&mut self, event: &StoredEvent) -> Result<usize, IndexError> {
        let bytes = event.event.content.verbatim().len() + DOCUMENT_BYTES;
        self.waiting.push(self.fields.document(event));
        self.waiting_bytes += bytes;
        if self.waiting.len() >= HAND_OVER_EVENTS || self.waiting_bytes >= HAND_OVER_BYTES {
            self.hand_over()?;
        }
        Ok(bytes)
    }

    /// Gives the indexing thread what waits, as one operation: waking it for each document costs a tenth of the work.
    fn hand_over(&mut self) -> Result<(), IndexError> {
        let mut ticket = Some(self.budget.take(std::mem::take(&mut self.waiting_bytes)));
        // The last document carries the ticket: when it is indexed, so are the others.
        let documents: Vec<_> = std::mem::take(&mut self.waiting).into_iter().rev().collect();
        let adds: Vec<_> = documents
            .into_iter()
            .map(|document| UserOperation::Add(TicketedDocument::new(document, ticket.take())))
            .rev()
            .collect();
        self.writer.run(adds).map_err(|error| self.job.failed(&error))?;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), IndexError> {
        self.hand_over()?;
        self.replace_revised()?;
        self.hand_over()?;
        if !self.job.lock.is_current() {
            return Err(self.job.failed(&"it was deleted meanwhile"));
        }
        let payload = Checkpoint::at(self.at, self.job.journal)?.payload();
        let committed = self.writer.prepare_commit().and_then(|mut prepared| {
            prepared.set_payload(&payload);
            prepared.commit()
        });
        committed.map_err(|error| self.job.failed(&error))?;
        self.committed = self.at;
        Ok(())
    }

    /// Takes the documents of revised events out, then puts the events in as they now read.
    fn replace_revised(&mut self) -> Result<(), IndexError> {
        if self.revised.is_empty() {
            return Ok(());
        }
        let seqs: Vec<Seq> = std::mem::take(&mut self.revised).into_iter().collect();
        let outdated = Box::new(OfEvents::new(seqs.clone()));
        self.writer.delete_query(outdated).map_err(|error| self.job.failed(&error))?;
        for some in seqs.chunks(*CHUNK_EVENTS.start()) {
            // What is forgotten now is there again when that is undone.
            for event in self.job.journal.unfiltered(some)? {
                self.add(&event)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<u64, IndexError> {
        if self.at > self.committed {
            self.commit()?;
        }
        // What was not merged now is merged next time.
        let _ = self.writer.wait_merging_threads();
        Ok(self.records)
    }
}

/// Which segments become one, of so many.
fn merge_policy(merging: Merging, segments: usize) -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGE_SEGMENTS);
    policy.set_del_docs_ratio_before_merge(0.3);
    if merging == Merging::Little {
        policy.set_min_layer_size(SMALL_DOCS);
        let is_much = segments > MANY_SEGMENTS;
        policy.set_max_docs_before_merge(if is_much { MERGED_DOCS_OF_MANY_MAX } else { MERGED_DOCS_MAX });
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use tantivy::index::SegmentId;
    use tantivy::indexer::MergePolicy as _;

    /// How many documents are merged of segments of those sizes.
    fn merged(merging: Merging, sizes: &[u32]) -> Vec<u32> {
        let index = tantivy::Index::create_in_ram(Fields::schema().0);
        let segments: Vec<_> =
            sizes.iter().map(|docs| index.new_segment_meta(SegmentId::generate_random(), *docs)).collect();
        let size = |id: &SegmentId| segments.iter().find(|one| one.id() == *id).map_or(0, |one| one.max_doc());
        let candidates = merge_policy(merging, sizes.len()).compute_merge_candidates(&segments);
        candidates.iter().map(|candidate| candidate.0.iter().map(size).sum()).collect()
    }

    #[test]
    fn a_short_call_merges_small_pieces_only_and_larger_ones_where_there_are_very_many() {
        assert_eq!(merged(Merging::Full, &[40_000, 40_000, 40_000, 40_000, 40_000]), [200_000]);
        assert!(merged(Merging::Little, &[40_000, 40_000, 40_000, 40_000, 40_000]).is_empty());
        assert!(merged(Merging::Little, &[2_500, 2_500, 2_500, 2_500, 2_500, 100, 100, 100, 100]).is_empty());
        assert_eq!(merged(Merging::Little, &[40_000, 500, 100, 100, 100, 100, 100]), [500]);
        assert_eq!(merged(Merging::Little, &[500, 500, 500, 500, 500]), [2_500]);
        assert_eq!(merged(Merging::Little, &[2_500; 40]), [100_000]);
        assert!(merged(Merging::Little, &[100_000; 40]).is_empty());
    }
}
