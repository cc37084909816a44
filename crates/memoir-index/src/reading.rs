//! One consistent look at everything that was said: index and unindexed tail as one numbered list of units.
//!
//! A unit is an event in which somebody speaks. A ranking walks the postings of its words over all units, so that what
//! it counts (how many units have a word) is exactly what its reader may see: nothing hidden, deleted or outdated
//! weighs in, and an index that is built anew counts the same.

use crate::brief::{Brief, Briefs, Sieve};
use crate::error::IndexError;
use crate::index::{Index, Note};
use crate::lengths::Lengths;
use crate::snapshot::{Columns, Snapshot};
use crate::speech::Traits;
use crate::stem::Word;
use crate::tail::{Tail, TailEvent, TailWords};
use memoir_journal::{Journal, Selection, Seq};
use std::cmp::Ordering;
use std::io;
use std::sync::{Arc, OnceLock};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, InvertedIndexReader, SegmentReader, Term};

/// The number of a unit within one reading.
pub type Doc = u32;

/// What a reading knows of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Its event's place in the journal.
    pub seq: Seq,
    /// The number of its origin.
    pub origin: u32,
    /// The number of its shape.
    pub shape: u32,
    /// When it happened.
    pub ts_ms: i64,
    /// How many stems it has, about.
    pub len: u32,
    /// What kind of speech it is.
    pub traits: Traits,
}

/// Everything that was said, as one reader may see it.
pub struct Reading {
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) tail: Vec<Arc<TailEvent>>,
    pub(crate) tail_base: Doc,
    tail_words: OnceLock<TailWords>,
    pub(crate) sieve: Sieve,
    lengths: Arc<Lengths>,
    /// What the reader should know of this look.
    pub notes: Vec<Note>,
}

pub(crate) struct Segment {
    pub base: Doc,
    pub reader: SegmentReader,
    pub said: Arc<InvertedIndexReader>,
    origins: Arc<InvertedIndexReader>,
    pub lens: FieldNormReader,
}

/// A segment, what is known of its documents, and who may see them.
pub(crate) struct Look<'a> {
    at: usize,
    segment: &'a Segment,
    briefs: &'a Briefs,
    pub columns: &'a Columns,
    sieve: &'a Sieve,
}

impl Look<'_> {
    pub fn brief(&self, doc: DocId) -> Option<Brief> {
        self.briefs.get(doc, self.columns, &self.segment.lens, &self.segment.reader)
    }

    /// A document, if the reader may see it.
    pub fn shown(&self, doc: DocId) -> Option<Brief> {
        let brief = self.brief(doc)?;
        self.sieve.admits(brief, (self.at, doc), self.columns).then_some(brief)
    }
}

impl Index {
    /// Looks at everything that was said within `selection`. A long tail is indexed first, as for a search.
    pub fn reading(
        &self,
        journal: &dyn Journal,
        selection: Selection,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Reading, IndexError> {
        let (snapshot, tail, mut notes) = self.everything(journal, progress)?;
        match Reading::new(snapshot, &tail, selection.clone()) {
            Ok(mut reading) => {
                reading.notes = notes;
                Ok(reading)
            }
            // The commit was sound when it was opened: the disk fails under it. What is recent can still be read.
            Err(error) => {
                notes.push(Note::IndexUnreadable(error.to_string()));
                self.give_up_snapshot();
                let tail = self.newest(journal)?;
                let mut reading =
                    Reading::new(None, &tail, selection).map_err(|error| IndexError::Read(error.to_string()))?;
                reading.notes = notes;
                Ok(reading)
            }
        }
    }
}

impl Reading {
    fn new(snapshot: Option<Arc<Snapshot>>, tail: &Tail, selection: Selection) -> tantivy::Result<Reading> {
        let mut segments = Vec::new();
        let mut base: Doc = 0;
        if let Some(snapshot) = &snapshot {
            for reader in snapshot.searcher.segment_readers() {
                segments.push(Segment {
                    base,
                    said: reader.inverted_index(snapshot.fields.said)?,
                    origins: reader.inverted_index(snapshot.fields.origin)?,
                    lens: reader.get_fieldnorms_reader(snapshot.fields.said)?,
                    reader: reader.clone(),
                });
                base += reader.max_doc();
            }
        }
        let indexed = snapshot.as_ref().map_or(0, |snapshot| snapshot.checkpoint.seq);
        let sieve = Sieve::new(selection, tail.replaced(indexed), snapshot.as_deref());
        let tail = tail.events().to_vec();
        let (lengths, notes) = (Arc::default(), Vec::new());
        let tail_words = OnceLock::new();
        let mut reading = Reading { snapshot, segments, tail, tail_base: base, tail_words, sieve, lengths, notes };
        reading.lengths = reading.count_lengths();
        Ok(reading)
    }

    /// How many numbers there are; not every one is a unit.
    pub fn docs(&self) -> usize {
        self.tail_base as usize + self.tail.len()
    }

    /// How much was said by each origin, by whomever it may be seen.
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// In how many documents a word may be, about: costs next to nothing.
    pub fn frequency(&self, word: &Word) -> Result<u64, IndexError> {
        let Some(snapshot) = &self.snapshot else { return Ok(0) };
        let mut frequency = 0;
        for stem in &word.stems {
            let term = Term::from_field_text(snapshot.fields.said, stem);
            for segment in &self.segments {
                frequency += u64::from(segment.said.doc_freq(&term).map_err(|error| IndexError::unreadable(&error))?);
            }
        }
        Ok(frequency)
    }

    /// The units with a word that the reader may see, by their numbers, each with the number of times it says it.
    pub fn units_with(&self, word: &Word, found: &mut dyn FnMut(Doc, u32, Brief)) -> Result<(), IndexError> {
        if let [stem] = word.stems.as_slice() {
            return self.units_with_stem(stem, found);
        }
        let mut units: Vec<(Doc, u32, Brief)> = Vec::new();
        for stem in &word.stems {
            let mut more = Vec::new();
            self.units_with_stem(stem, &mut |doc, count, brief| more.push((doc, count, brief)))?;
            units = merged(units, more);
        }
        units.into_iter().for_each(|(doc, count, brief)| found(doc, count, brief));
        Ok(())
    }

    fn units_with_stem(&self, stem: &str, found: &mut dyn FnMut(Doc, u32, Brief)) -> Result<(), IndexError> {
        if let Some(snapshot) = &self.snapshot {
            self.postings(snapshot.fields.said, stem, found).map_err(|error| IndexError::unreadable(&error))?;
        }
        for (doc, event) in self.tail_with(stem) {
            let count = event.said().map_or(0, |stems| stems.count(stem));
            if count > 0 && self.admits(event) {
                found(doc, count, event.brief());
            }
        }
        Ok(())
    }

    /// The events of the tail that may say a stem.
    pub(crate) fn tail_with(&self, stem: &str) -> impl Iterator<Item = (Doc, &Arc<TailEvent>)> {
        let words = self.tail_words.get_or_init(|| TailWords::of(&self.tail));
        words.with(stem).iter().filter_map(|at| Some((self.tail_base + at, self.tail.get(*at as usize)?)))
    }

    /// The documents of the index that have a term and may be seen.
    fn postings(&self, field: Field, term: &str, found: &mut dyn FnMut(Doc, u32, Brief)) -> io::Result<()> {
        let term = Term::from_field_text(field, term);
        for (at, segment) in self.segments.iter().enumerate() {
            let postings = segment.said.read_block_postings(&term, IndexRecordOption::WithFreqs)?;
            let Some(mut postings) = postings else { continue };
            let Some(look) = self.look(at) else { continue };
            while postings.block_len() > 0 {
                for (doc, count) in postings.docs().iter().zip(postings.freqs()) {
                    if let Some(brief) = look.shown(*doc) {
                        found(segment.base + doc, *count, brief);
                    }
                }
                postings.advance();
            }
        }
        Ok(())
    }

    /// A segment as this reader sees it.
    pub(crate) fn look(&self, at: usize) -> Option<Look<'_>> {
        let (segment, snapshot) = (self.segments.get(at)?, self.snapshot.as_ref()?);
        let (briefs, columns) = (snapshot.briefs.get(at)?, snapshot.columns.get(at)?);
        Some(Look { at, segment, briefs, columns, sieve: &self.sieve })
    }

    pub(crate) fn admits(&self, event: &TailEvent) -> bool {
        event.passes(&self.sieve)
    }

    /// The units of an origin that the reader may see.
    pub fn units_of(&self, origin: u32) -> Result<Vec<Doc>, IndexError> {
        let mut docs = Vec::new();
        if let Some(snapshot) = &self.snapshot {
            let term = Term::from_field_u64(snapshot.fields.origin, u64::from(origin));
            for (at, segment) in self.segments.iter().enumerate() {
                let postings = segment.origins.read_block_postings(&term, IndexRecordOption::Basic);
                let Some(mut postings) = postings.map_err(|error| IndexError::unreadable(&error))? else { continue };
                let Some(look) = self.look(at) else { continue };
                while postings.block_len() > 0 {
                    let shown =
                        postings.docs().iter().filter(|doc| look.shown(**doc).is_some_and(|brief| brief.len > 0));
                    docs.extend(shown.map(|doc| segment.base + doc));
                    postings.advance();
                }
            }
        }
        let tail = (self.tail_base..).zip(&self.tail);
        docs.extend(tail.filter_map(|(doc, event)| {
            (event.origin == origin && event.brief().len > 0 && self.admits(event)).then_some(doc)
        }));
        Ok(docs)
    }

    /// The unit of an event, if the reader may see it.
    pub fn unit_at(&self, seq: Seq) -> Option<Doc> {
        let mut tail = (self.tail_base..).zip(&self.tail);
        if let Some((doc, event)) = tail.find(|(_, event)| event.seq == seq) {
            return (event.brief().len > 0 && self.admits(event)).then_some(doc);
        }
        let mut documents = self.snapshot.as_ref()?.documents_of(seq);
        documents.find_map(|(at, doc)| {
            let look = self.look(at)?;
            look.shown(doc).filter(|brief| brief.len > 0).map(|_| look.segment.base + doc)
        })
    }

    /// What is known of a unit.
    pub fn unit(&self, doc: Doc) -> Option<Unit> {
        if let Some(event) = doc.checked_sub(self.tail_base).and_then(|at| self.tail.get(at as usize)) {
            let traits = event.traits()?;
            let (seq, origin, shape, ts_ms) = (event.seq, event.origin, event.shape, event.ts_ms);
            return Some(Unit { seq, origin, shape, ts_ms, len: event.brief().len, traits });
        }
        let at = self.segments.partition_point(|segment| segment.base <= doc).checked_sub(1)?;
        let look = self.look(at)?;
        let local = doc - look.segment.base;
        let brief = look.brief(local)?;
        Some(Unit {
            seq: look.columns.seq(local),
            origin: brief.origin,
            shape: brief.shape,
            ts_ms: look.columns.ts_ms(local),
            len: brief.len,
            traits: Traits::from_bits(look.columns.traits(local)),
        })
    }

    fn count_lengths(&self) -> Arc<Lengths> {
        let indexed = match &self.snapshot {
            Some(snapshot) => Arc::clone(snapshot.lengths.get_or_init(|| Arc::new(self.indexed_lengths(snapshot)))),
            None => Arc::default(),
        };
        if self.tail.is_empty() {
            return indexed;
        }
        let mut lengths = Lengths::clone(&indexed);
        self.leave_out_replaced(&mut lengths);
        for event in self.tail.iter().filter(|event| event.brief().len > 0) {
            lengths.add(event.origin, event.brief().len);
        }
        Arc::new(lengths)
    }

    /// What the tail has in a newer revision counts once, as it reads now.
    fn leave_out_replaced(&self, lengths: &mut Lengths) {
        let Some(snapshot) = &self.snapshot else { return };
        let indexed = snapshot.checkpoint.seq;
        let mut replaced: Vec<(u32, Seq)> =
            self.tail.iter().filter(|event| event.seq <= indexed).map(|event| (event.origin, event.seq)).collect();
        replaced.sort_unstable();
        for of_origin in replaced.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((origin, _)) = of_origin.first() else { continue };
            let term = Term::from_field_u64(snapshot.fields.origin, u64::from(*origin));
            for (segment, columns) in self.segments.iter().zip(&snapshot.columns) {
                let postings = segment.origins.read_block_postings(&term, IndexRecordOption::Basic);
                let Ok(Some(mut postings)) = postings else { continue };
                while postings.block_len() > 0 {
                    for doc in postings.docs() {
                        let len = segment.lens.fieldnorm(*doc);
                        let is_alive = segment.reader.alive_bitset().is_none_or(|alive| alive.is_alive(*doc));
                        if len > 0 && is_alive && of_origin.binary_search(&(*origin, columns.seq(*doc))).is_ok() {
                            lengths.remove(*origin, len);
                        }
                    }
                    postings.advance();
                }
            }
        }
    }

    fn indexed_lengths(&self, snapshot: &Snapshot) -> Lengths {
        let mut lengths = Lengths::default();
        for (segment, columns) in self.segments.iter().zip(&snapshot.columns) {
            let alive = segment.reader.alive_bitset();
            for doc in 0..segment.reader.max_doc() {
                let len = segment.lens.fieldnorm(doc);
                if len > 0 && alive.is_none_or(|alive| alive.is_alive(doc)) {
                    lengths.add(columns.origin(doc), len);
                }
            }
        }
        lengths
    }
}

/// Two lists by number as one; who is in both has the counts of both.
fn merged(a: Vec<(Doc, u32, Brief)>, b: Vec<(Doc, u32, Brief)>) -> Vec<(Doc, u32, Brief)> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut both = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    while let (Some(first), Some(second)) = (a.peek(), b.peek()) {
        let (order, sum) = (first.0.cmp(&second.0), first.1 + second.1);
        match order {
            Ordering::Less => both.extend(a.next()),
            Ordering::Greater => both.extend(b.next()),
            Ordering::Equal => {
                both.extend(a.next().map(|(doc, _, brief)| (doc, sum, brief)));
                b.next();
            }
        }
    }
    both.extend(a);
    both.extend(b);
    both
}

/// The length as the index would keep it, so that a unit ranks the same before and after it is indexed.
pub(crate) fn rounded(len: u32) -> u32 {
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(len))
}
