//! Memories by what they are called: any word of a name or alias, with a slip of the finger in longer words.

use crate::error::IndexError;
use crate::reading::Reading;
use crate::stem::Word;
use memoir_journal::{Selection, Seq};
use std::collections::HashSet;
use tantivy::Term;
use tantivy::collector::DocSetCollector;
use tantivy::query::{FuzzyTermQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;

/// A shorter word must be typed as it is.
pub const SLIP_CHARS_MIN: usize = 5;
/// More memories than this are not looked at for one query.
const MEMORIES_MAX: usize = 4_096;

impl Reading {
    /// The places of memories within `selection` that may be called by one of the words, and of all that are not indexed
    /// yet. Whether they are called so is for the caller to look at.
    pub fn memories_called(&self, words: &[Word], selection: &Selection) -> Result<Vec<Seq>, IndexError> {
        let sieve = self.sieve.with(selection.clone(), self.snapshot.as_deref());
        let mut seqs: HashSet<Seq> = HashSet::new();
        if let Some(snapshot) = &self.snapshot {
            for word in words {
                for stem in &word.stems {
                    let term = Term::from_field_text(snapshot.fields.name, stem);
                    let query: Box<dyn Query> = if word.text.chars().count() >= SLIP_CHARS_MIN {
                        Box::new(FuzzyTermQuery::new(term, 1, true))
                    } else {
                        Box::new(TermQuery::new(term, IndexRecordOption::Basic))
                    };
                    let found = snapshot.searcher.search(&*query, &DocSetCollector);
                    let found = found.map_err(|error| IndexError::Read(error.to_string()))?;
                    for address in found {
                        let at = address.segment_ord as usize;
                        if let Some(look) = self.look(at)
                            && let Some(brief) = look.brief(address.doc_id)
                            && sieve.admits(brief, (at, address.doc_id), look.columns)
                        {
                            seqs.insert(look.columns.seq(address.doc_id));
                        }
                    }
                }
            }
        }
        seqs.extend(self.tail.iter().filter(|event| event.is_memory && event.passes(&sieve)).map(|event| event.seq));
        let mut seqs: Vec<Seq> = seqs.into_iter().collect();
        seqs.sort_unstable_by(|a, b| b.cmp(a));
        seqs.truncate(MEMORIES_MAX);
        Ok(seqs)
    }
}
