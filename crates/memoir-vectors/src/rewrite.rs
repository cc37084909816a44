//! Writes the files anew without what shall not be in them, and puts the new ones in the place of the old.

use crate::block::{ENTRIES_MAX, Entry, Reached, encode};
use crate::header::Header;
use crate::lock::Lock;
use crate::names::{self, COARSE_NEW};
use crate::quantise::Quantised;
use crate::snapshot::{Snapshot, Spot};
use crate::write::{new_file, new_generation, put_in_place};
use memoir_journal::Seq;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// What a rewriting shall keep, and how it shall be labelled.
pub(crate) struct Wanted<'a> {
    /// The journal that the vectors are of from now on.
    pub journal: String,
    /// How far it is looked through; back to its beginning if something damaged was dropped.
    pub reached: Reached,
    /// Which vectors, by event and digest of the text.
    pub keep: &'a mut dyn FnMut(Seq, u64) -> bool,
}

/// Rewrites the store; gives how many vectors it was asked to leave out.
pub(crate) fn rewrite(dir: &Path, old: &Snapshot, wanted: Wanted<'_>, lock: &Lock) -> io::Result<u64> {
    let Wanted { journal, mut reached, keep } = wanted;
    let header = Header { generation: new_generation()?, identity: old.header.identity.clone(), journal };
    let (mut kept, mut removed): (Vec<(Seq, Spot)>, u64) = (Vec::new(), 0);
    for (seq, spot) in old.live() {
        let digest = old.block(spot).map_or(0, |block| block.digest(spot.at));
        if keep(seq, digest) {
            kept.push((seq, spot));
        } else {
            removed += 1;
        }
    }
    kept.sort_unstable_by_key(|(seq, _)| *seq);
    let is_whole = |spot: Spot, buffer: &mut Vec<u8>| old.fine(spot, buffer).is_some();
    let mut buffer = Vec::new();
    if old.damaged > 0 || !kept.iter().all(|(_, spot)| is_whole(*spot, &mut buffer)) {
        reached = Reached { seq: 0, ..reached };
    }
    let fine_file = new_file(&names::fine(dir, header.generation))?;
    let coarse_file = new_file(&dir.join(COARSE_NEW))?;
    let (mut fine, mut coarse) = (BufWriter::new(fine_file), BufWriter::new(coarse_file));
    coarse.write_all(&header.encode())?;
    let mut fine_at = 0;
    // Without any block nothing would say how far the journal is looked through.
    let portions = kept.chunks(ENTRIES_MAX).chain(kept.is_empty().then_some(&[] as &[_]));
    for portion in portions {
        let entries: Vec<Entry> =
            portion.iter().filter_map(|(seq, spot)| entry(old, *seq, *spot, &mut buffer)).collect();
        let (block, finer) = encode(&entries, &[], reached, fine_at, header.generation);
        coarse.write_all(&block)?;
        fine.write_all(&finer)?;
        fine_at += finer.len() as u64;
    }
    let fine = fine.into_inner().map_err(io::IntoInnerError::into_error)?;
    let coarse = coarse.into_inner().map_err(io::IntoInnerError::into_error)?;
    put_in_place(dir, &header, &coarse, &fine, lock)?;
    Ok(removed)
}

/// A vector as it is; none if its finer bytes are damaged.
fn entry(old: &Snapshot, seq: Seq, spot: Spot, buffer: &mut Vec<u8>) -> Option<Entry> {
    let block = old.block(spot)?;
    let (scale, digest) = (block.scale(spot.at), block.digest(spot.at));
    let coarse = block.coarse().nth(spot.at)?.to_vec();
    let fine = old.fine(spot, buffer)?.to_vec();
    Some(Entry { seq, digest, vector: Quantised { scale, coarse, fine } })
}
