//! Words of a query that follow each other in what was said.

use crate::brief::Brief;
use crate::error::IndexError;
use crate::reading::{Doc, Reading};
use crate::stem::Word;
use std::cmp::Ordering;
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED, Term};

impl Reading {
    /// The units in which the second word follows the first, each with the number of times.
    pub fn units_with_pair(
        &self,
        first: &Word,
        second: &Word,
        found: &mut dyn FnMut(Doc, u32, Brief),
    ) -> Result<(), IndexError> {
        let (Some(first), Some(second)) = (first.stems.first(), second.stems.first()) else { return Ok(()) };
        self.indexed_pairs(first, second, found).map_err(|error| IndexError::unreadable(&error))?;
        for (doc, event) in self.tail_with(first) {
            let count = event.said().map_or(0, |stems| stems.count_pair(first, second));
            if count > 0 && self.admits(event) {
                found(doc, count, event.brief());
            }
        }
        Ok(())
    }

    fn indexed_pairs(&self, first: &str, second: &str, found: &mut dyn FnMut(Doc, u32, Brief)) -> std::io::Result<()> {
        let Some(snapshot) = &self.snapshot else { return Ok(()) };
        let term = |stem: &str| Term::from_field_text(snapshot.fields.said, stem);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, segment) in self.segments.iter().enumerate() {
            let read = |stem: &str| segment.said.read_postings(&term(stem), IndexRecordOption::WithFreqsAndPositions);
            let (Some(mut a), Some(mut b)) = (read(first)?, read(second)?) else { continue };
            let Some(look) = self.look(at) else { continue };
            while a.doc() != TERMINATED && b.doc() != TERMINATED {
                match a.doc().cmp(&b.doc()) {
                    Ordering::Less => a.seek(b.doc()),
                    Ordering::Greater => b.seek(a.doc()),
                    Ordering::Equal => {
                        a.positions_with_offset(1, &mut before);
                        b.positions(&mut after);
                        let pairs = before.iter().filter(|place| after.binary_search(place).is_ok()).count();
                        let shown = if pairs > 0 { look.shown(a.doc()) } else { None };
                        if let Some(brief) = shown {
                            found(segment.base + a.doc(), u32::try_from(pairs).unwrap_or(u32::MAX), brief);
                        }
                        a.advance()
                    }
                };
            }
        }
        Ok(())
    }
}
