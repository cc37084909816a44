//! Where in a unit a word stands.

use crate::error::IndexError;
use crate::reading::{Doc, Reading};
use crate::stem::Word;
use std::io;
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, Term};

impl Reading {
    /// Where a word stands in each of these units, counted in stems; `docs` are sorted.
    pub fn places(&self, word: &Word, docs: &[Doc]) -> Result<Vec<Vec<u32>>, IndexError> {
        let mut places = vec![Vec::new(); docs.len()];
        for stem in &word.stems {
            if let Some(snapshot) = &self.snapshot {
                let found = self.indexed_places(snapshot.fields.said, stem, docs, &mut places);
                found.map_err(|error| IndexError::unreadable(&error))?;
            }
            for (doc, places) in docs.iter().zip(&mut places) {
                let event = doc.checked_sub(self.tail_base).and_then(|at| self.tail.get(at as usize));
                if let Some(stems) = event.and_then(|event| event.said()) {
                    places.extend(stems.places(stem));
                }
            }
        }
        if word.stems.len() > 1 {
            places.iter_mut().for_each(|places| places.sort_unstable());
        }
        Ok(places)
    }

    fn indexed_places(&self, said: Field, stem: &str, docs: &[Doc], places: &mut [Vec<u32>]) -> io::Result<()> {
        let term = Term::from_field_text(said, stem);
        let mut more = Vec::new();
        for segment in &self.segments {
            let own = segment.base..segment.base + segment.reader.max_doc();
            if !docs.iter().any(|doc| own.contains(doc)) {
                continue;
            }
            let postings = segment.said.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?;
            let Some(mut postings) = postings else { continue };
            for (doc, places) in docs.iter().zip(places.iter_mut()).filter(|(doc, _)| own.contains(doc)) {
                let local = doc - segment.base;
                if postings.doc() < local {
                    postings.seek(local);
                }
                if postings.doc() == local {
                    postings.positions(&mut more);
                    places.append(&mut more);
                }
            }
        }
        Ok(())
    }
}
