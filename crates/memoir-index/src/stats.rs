//! The figures behind BM25, for index and tail together: a word is as rare as it is in both.

use crate::snapshot::Snapshot;
use std::collections::HashMap;
use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;

/// What the unindexed tail adds.
#[derive(Debug, Default)]
pub(crate) struct TailFigures {
    pub docs: u64,
    pub tokens: u64,
    pub doc_freq: HashMap<String, u64>,
}

/// The figures of a snapshot and a tail.
pub(crate) struct Figures<'a> {
    pub snapshot: Option<&'a Snapshot>,
    pub tail: &'a TailFigures,
}

impl Bm25StatisticsProvider for Figures<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let indexed = self.snapshot.map_or(Ok(0), |snapshot| snapshot.searcher.total_num_tokens(field))?;
        Ok((indexed + self.tail.tokens).max(1))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        let indexed = self.snapshot.map_or(Ok(0), |snapshot| snapshot.searcher.total_num_docs())?;
        Ok((indexed + self.tail.docs).max(1))
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let indexed = self.snapshot.map_or(Ok(0), |snapshot| snapshot.searcher.doc_freq(term))?;
        let value = term.value();
        let in_tail = value.as_str().and_then(|text| self.tail.doc_freq.get(text)).copied().unwrap_or(0);
        Ok(indexed + in_tail)
    }
}
