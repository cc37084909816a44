//! What ranking wants to know of every document it meets, in eight bytes: read from the columns once, then kept with the
//! commit. And the sieve that decides by it who may see what.

use crate::hidden::HiddenDocs;
use crate::snapshot::{Columns, Snapshot};
use memoir_journal::{Selection, Seq};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::{DocId, SegmentReader};

/// A document in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// The number of its origin.
    pub origin: u32,
    /// The number of its shape.
    pub shape: u32,
    /// How many stems it has, about.
    pub len: u32,
    pub(crate) access: u8,
    pub(crate) is_gone: bool,
}

const SHAPE_SHIFT: u32 = 32;
const LEN_SHIFT: u32 = 48;
const ACCESS_SHIFT: u32 = 56;
const GONE: u64 = 1 << 60;
const KNOWN: u64 = 1 << 61;

impl Brief {
    fn pack(origin: u32, shape: u16, len_id: u8, access: u8, is_gone: bool) -> u64 {
        let gone = if is_gone { GONE } else { 0 };
        u64::from(origin)
            | u64::from(shape) << SHAPE_SHIFT
            | u64::from(len_id) << LEN_SHIFT
            | u64::from(access & 15) << ACCESS_SHIFT
            | gone
            | KNOWN
    }

    fn unpack(packed: u64) -> Brief {
        let part = |shift: u32, mask: u64| packed >> shift & mask;
        let len_id = u8::try_from(part(LEN_SHIFT, 0xff)).unwrap_or(0);
        Brief {
            origin: u32::try_from(part(0, 0xffff_ffff)).unwrap_or(0),
            shape: u32::try_from(part(SHAPE_SHIFT, 0xffff)).unwrap_or(0),
            len: FieldNormReader::id_to_fieldnorm(len_id),
            access: u8::try_from(part(ACCESS_SHIFT, 15)).unwrap_or(0),
            is_gone: packed & GONE != 0,
        }
    }
}

/// The briefs of one segment, filled as they are asked for.
pub(crate) struct Briefs(Vec<AtomicU64>);

impl Briefs {
    pub fn new(reader: &SegmentReader) -> Briefs {
        Briefs((0..reader.max_doc()).map(|_| AtomicU64::new(0)).collect())
    }

    pub fn get(&self, doc: DocId, columns: &Columns, lens: &FieldNormReader, reader: &SegmentReader) -> Option<Brief> {
        let slot = self.0.get(doc as usize)?;
        let packed = slot.load(Ordering::Relaxed);
        if packed & KNOWN != 0 {
            return Some(Brief::unpack(packed));
        }
        let is_gone = reader.alive_bitset().is_some_and(|alive| alive.is_deleted(doc));
        // A journal has a few dozen shapes; should one ever have more than fit, they are nobody's.
        let shape = u16::try_from(columns.shape(doc)).unwrap_or(u16::MAX);
        let packed = Brief::pack(columns.origin(doc), shape, lens.fieldnorm_id(doc), columns.access(doc), is_gone);
        slot.store(packed, Ordering::Relaxed);
        Some(Brief::unpack(packed))
    }
}

/// A selection in the form that is quickest to ask for each of many documents.
pub(crate) struct Sieve {
    selection: Selection,
    origins: Option<Vec<bool>>,
    shapes: Option<Vec<bool>>,
    hidden: Arc<HiddenDocs>,
    /// Events of the index that the tail has in a newer revision, sorted.
    replaced: Vec<Seq>,
}

impl Sieve {
    pub fn new(selection: Selection, replaced: Vec<Seq>, snapshot: Option<&Snapshot>) -> Sieve {
        let (origins, shapes) = (marks(selection.origins.as_deref()), marks(selection.shapes.as_deref()));
        let hidden = snapshot.map(|snapshot| snapshot.hidden.of(&selection.hidden, &snapshot.columns));
        Sieve { selection, origins, shapes, hidden: hidden.unwrap_or_default(), replaced }
    }

    /// Another selection of the same events.
    pub fn with(&self, selection: Selection, snapshot: Option<&Snapshot>) -> Sieve {
        Sieve::new(selection, self.replaced.clone(), snapshot)
    }

    /// Whether a document of a segment passes; `columns` are read only if its brief does not tell.
    pub fn admits(&self, brief: Brief, (at, doc): (usize, DocId), columns: &Columns) -> bool {
        let passes = |marks: &Option<Vec<bool>>, number: u32| {
            marks.as_ref().is_none_or(|marks| marks.get(number as usize).copied().unwrap_or(false))
        };
        if brief.is_gone
            || self.selection.access_mask >> brief.access & 1 == 0
            || !passes(&self.origins, brief.origin)
            || !passes(&self.shapes, brief.shape)
        {
            return false;
        }
        if self.selection.from_ms.is_some() || self.selection.to_ms.is_some() {
            let ts_ms = columns.ts_ms(doc);
            let is_early = self.selection.from_ms.is_some_and(|from| ts_ms < from);
            if is_early || self.selection.to_ms.is_some_and(|to| ts_ms > to) {
                return false;
            }
        }
        !self.hidden.has(at, doc)
            && (self.replaced.is_empty() || self.replaced.binary_search(&columns.seq(doc)).is_err())
    }

    /// Whether an event of the tail passes.
    pub fn admits_event(&self, seq: Seq, origin: u32, shape: u32, ts_ms: i64, access: u8) -> bool {
        self.selection.admits(seq, origin, shape, ts_ms, access)
    }
}

fn marks(numbers: Option<&[u32]>) -> Option<Vec<bool>> {
    let numbers = numbers?;
    let mut marks = vec![false; numbers.iter().max().map_or(0, |most| *most as usize + 1)];
    for number in numbers {
        if let Some(mark) = marks.get_mut(*number as usize) {
            *mark = true;
        }
    }
    Some(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_survives_its_packing() {
        for (origin, shape, len_id, access, is_gone) in [(0, 0, 0, 0, false), (u32::MAX, 7, 255, 10, true)] {
            let brief = Brief::unpack(Brief::pack(origin, shape, len_id, access, is_gone));
            assert_eq!((brief.origin, brief.shape, brief.access), (origin, u32::from(shape), access));
            assert_eq!((brief.len, brief.is_gone), (FieldNormReader::id_to_fieldnorm(len_id), is_gone));
        }
    }

    #[test]
    fn marks_tell_who_is_listed() {
        assert_eq!(marks(Some(&[1, 3])), Some(vec![false, true, false, true]));
        assert_eq!((marks(Some(&[])), marks(None)), (Some(vec![]), None));
    }
}
