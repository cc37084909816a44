//! Finds the documents of given events by their numbers, so that fuller revisions can take their place.
//!
//! A term for each event's number would make this a look-up, and every index a tenth bigger; revisions come in
//! batches, so one pass over a column does as well.

use crate::schema::SEQ;
use memoir_journal::Seq;
use std::sync::Arc;
use tantivy::query::{ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED, TantivyError};

/// Matches the documents of these events.
#[derive(Debug, Clone)]
pub(crate) struct OfEvents(Arc<[Seq]>);

impl OfEvents {
    pub fn new(mut seqs: Vec<Seq>) -> OfEvents {
        seqs.sort_unstable();
        OfEvents(seqs.into())
    }
}

impl Query for OfEvents {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for OfEvents {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let column = reader.fast_fields().column_first_or_default::<u64>(SEQ)?;
        let (least, most) = (column.min_value(), column.max_value());
        let wanted: &[Seq] = &self.0;
        let apart = wanted.last().is_none_or(|last| *last < least) || wanted.first().is_none_or(|first| *first > most);
        let docs = if apart {
            Vec::new()
        } else {
            (0..reader.max_doc()).filter(|doc| wanted.binary_search(&column.get_val(*doc)).is_ok()).collect()
        };
        Ok(Box::new(ConstScorer::new(Docs { docs, at: 0 }, boost)))
    }

    fn explain(&self, _reader: &SegmentReader, _doc: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("nothing to explain".to_owned()))
    }
}

struct Docs {
    docs: Vec<DocId>,
    at: usize,
}

impl DocSet for Docs {
    fn advance(&mut self) -> DocId {
        self.at = self.at.saturating_add(1).min(self.docs.len());
        self.doc()
    }

    fn doc(&self) -> DocId {
        self.docs.get(self.at).copied().unwrap_or(TERMINATED)
    }

    fn size_hint(&self) -> u32 {
        u32::try_from(self.docs.len()).unwrap_or(u32::MAX)
    }
}
