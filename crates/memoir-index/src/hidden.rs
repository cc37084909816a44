//! Which documents of a commit belong to events that must not be shown: found once, then a bit each.

use crate::snapshot::Columns;
use memoir_journal::Seq;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::DocId;

/// Documents are looked through in pieces of so many.
const PIECE: u32 = 4096;
/// So many lists are kept: readers of history and the others have one each.
const LISTS_MAX: usize = 2;

/// The documents of hidden events, by segment; a segment without any has no bits.
#[derive(Debug, Default)]
pub(crate) struct HiddenDocs(Vec<Vec<u64>>);

impl HiddenDocs {
    fn find(hidden: &[Seq], columns: &[Columns]) -> HiddenDocs {
        HiddenDocs(columns.iter().map(|columns| bits_of(hidden, columns)).collect())
    }

    /// Whether a document of a segment is one of them.
    pub fn has(&self, at: usize, doc: DocId) -> bool {
        let word = self.0.get(at).and_then(|bits| bits.get(doc as usize / 64));
        word.is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }
}

fn bits_of(hidden: &[Seq], columns: &Columns) -> Vec<u64> {
    let (least, most) = columns.seq_range();
    let from = hidden.partition_point(|seq| *seq < least);
    let hidden = hidden.get(from..).unwrap_or_default();
    if hidden.first().is_none_or(|first| *first > most) {
        return Vec::new();
    }
    let docs = columns.docs();
    let mut bits = vec![0_u64; docs.div_ceil(64) as usize];
    let mut seqs = Vec::new();
    for from in (0..docs).step_by(PIECE as usize) {
        seqs.resize(PIECE.min(docs - from) as usize, 0);
        columns.seqs(from, &mut seqs);
        for (doc, seq) in (from..).zip(&seqs) {
            if hidden.binary_search(seq).is_ok()
                && let Some(word) = bits.get_mut(doc as usize / 64)
            {
                *word |= 1 << (doc % 64);
            }
        }
    }
    bits
}

/// What was found last, for as long as the list of hidden events is the same one.
#[derive(Default)]
pub(crate) struct HiddenCache(Mutex<Vec<(Arc<[Seq]>, Arc<HiddenDocs>)>>);

impl HiddenCache {
    /// The documents of the hidden events.
    pub fn of(&self, hidden: &Arc<[Seq]>, columns: &[Columns]) -> Arc<HiddenDocs> {
        if hidden.is_empty() {
            return Arc::default();
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, docs)) = known.iter().find(|(list, _)| Arc::ptr_eq(list, hidden)) {
            return Arc::clone(docs);
        }
        let docs = Arc::new(HiddenDocs::find(hidden, columns));
        if known.len() >= LISTS_MAX {
            known.remove(0);
        }
        known.push((Arc::clone(hidden), Arc::clone(&docs)));
        docs
    }
}
