//! One block of the coarse file: some vectors, sorted by their events, under one checksum.
//!
//! Head: magic, count, replaced, undone (4 bytes each), reached, place of the finer bytes (8 each), generation, checksum
//! of the body, checksum of the head (4 each), padding. Body: for each vector its event's place (8), the digest of its
//! text (8) and its scale (4); then the places of events whose older vectors no longer count; then the coarse bytes.
//! The finer bytes of each vector lie in the other file, with a checksum of their own, because they are read one by one.

use crate::header::{long, number, size, small};
use crate::quantise::Quantised;
use memoir_journal::Seq;

const MAGIC: u32 = 0x3142_564d;
/// The head of a block.
pub(crate) const HEAD_BYTES: usize = 48;
/// More vectors than this are not in one block.
pub(crate) const ENTRIES_MAX: usize = 1024;
/// What a vector takes beside its numbers.
const BESIDE_BYTES: usize = 20;
/// A checksum.
const SUM_BYTES: usize = 4;

/// A vector of an event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub seq: Seq,
    pub digest: u64,
    pub vector: Quantised,
}

/// How far the journal is looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reached {
    /// What is to have a vector and is stored up to here has one.
    pub seq: Seq,
    /// So many forgettings were undone by then: one more, and what was hidden is there again.
    pub undone: u32,
}

/// What the head of a block says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub count: usize,
    pub replaced: usize,
    pub reached: Reached,
    pub fine_at: u64,
    body_sum: u32,
}

impl Head {
    /// Reads the head of a block of that generation.
    pub fn decode(bytes: &[u8; HEAD_BYTES], generation: u64) -> Option<Head> {
        let sum = crc32fast::hash(bytes.get(..HEAD_BYTES - 8)?);
        if number(bytes, 0) != MAGIC || number(bytes, 32) != mark(generation) || number(bytes, 40) != sum {
            return None;
        }
        let (count, replaced) = (size(number(bytes, 4)), size(number(bytes, 8)));
        let reached = Reached { seq: long(bytes, 16), undone: number(bytes, 12) };
        let fits = count <= ENTRIES_MAX && replaced <= ENTRIES_MAX;
        fits.then(|| Head { count, replaced, reached, fine_at: long(bytes, 24), body_sum: number(bytes, 36) })
    }

    /// How long the body is.
    pub const fn body_bytes(&self, dimension: usize) -> usize {
        self.count * (BESIDE_BYTES + dimension) + self.replaced * 8
    }
}

/// The low half of a generation: a block of another one is not ours.
const fn mark(generation: u64) -> u32 {
    (generation & 0xffff_ffff) as u32
}

/// The bytes of a block: those for the coarse file, and those for the other.
pub(crate) fn encode(
    entries: &[Entry],
    replaced: &[Seq],
    reached: Reached,
    fine_at: u64,
    generation: u64,
) -> (Vec<u8>, Vec<u8>) {
    let mut body = Vec::new();
    entries.iter().for_each(|entry| body.extend_from_slice(&entry.seq.to_le_bytes()));
    entries.iter().for_each(|entry| body.extend_from_slice(&entry.digest.to_le_bytes()));
    entries.iter().for_each(|entry| body.extend_from_slice(&entry.vector.scale.to_le_bytes()));
    replaced.iter().for_each(|seq| body.extend_from_slice(&seq.to_le_bytes()));
    entries.iter().for_each(|entry| body.extend_from_slice(&entry.vector.coarse));
    let mut bytes = Vec::with_capacity(HEAD_BYTES + body.len());
    for part in [MAGIC, small(entries.len()), small(replaced.len()), reached.undone] {
        bytes.extend_from_slice(&part.to_le_bytes());
    }
    bytes.extend_from_slice(&reached.seq.to_le_bytes());
    bytes.extend_from_slice(&fine_at.to_le_bytes());
    bytes.extend_from_slice(&mark(generation).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&body);
    let mut fine = Vec::new();
    for entry in entries {
        fine.extend_from_slice(&entry.vector.fine);
        fine.extend_from_slice(&fine_sum(entry.seq, &entry.vector.fine).to_le_bytes());
    }
    (bytes, fine)
}

/// The finer bytes of one vector with their checksum.
pub(crate) const fn fine_bytes(dimension: usize) -> usize {
    dimension + SUM_BYTES
}

/// The finer bytes without their checksum, if it holds.
pub(crate) fn checked_fine(bytes: &[u8], seq: Seq) -> Option<&[u8]> {
    let (fine, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM_BYTES)?)?;
    (number(sum, 0) == fine_sum(seq, fine)).then_some(fine)
}

/// The checksum covers whose vector it is: bytes at a wrong place are as good as damaged.
fn fine_sum(seq: Seq, fine: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&seq.to_le_bytes());
    hasher.update(fine);
    hasher.finalize()
}

/// A block in memory.
#[derive(Debug)]
pub(crate) struct Block {
    head: Head,
    dimension: usize,
    body: Vec<u8>,
    /// The first and the last event.
    range: (Seq, Seq),
}

impl Block {
    /// A body that fits its head; none if it is damaged.
    pub fn new(head: Head, dimension: usize, body: Vec<u8>) -> Option<Block> {
        if body.len() != head.body_bytes(dimension) || crc32fast::hash(&body) != head.body_sum {
            return None;
        }
        let range = (long(&body, 0), long(&body, head.count.saturating_sub(1) * 8));
        Some(Block { head, dimension, body, range })
    }

    pub const fn count(&self) -> usize {
        self.head.count
    }

    pub fn seq(&self, at: usize) -> Seq {
        long(&self.body, at * 8)
    }

    pub fn digest(&self, at: usize) -> u64 {
        long(&self.body, (self.head.count + at) * 8)
    }

    pub fn scale(&self, at: usize) -> f32 {
        f32::from_bits(number(&self.body, self.head.count * 16 + at * 4))
    }

    /// The events whose older vectors no longer count.
    pub fn replaced(&self) -> impl Iterator<Item = Seq> {
        let from = self.head.count * BESIDE_BYTES;
        (0..self.head.replaced).map(move |at| long(&self.body, from + at * 8))
    }

    /// The coarse bytes of all its vectors, one after the other.
    pub fn coarse(&self) -> std::slice::ChunksExact<'_, u8> {
        let from = self.head.count * BESIDE_BYTES + self.head.replaced * 8;
        self.body.get(from..).unwrap_or_default().chunks_exact(self.dimension)
    }

    /// Where the finer bytes of a vector are.
    pub const fn fine_at(&self, at: usize) -> u64 {
        self.head.fine_at + (at * fine_bytes(self.dimension)) as u64
    }

    /// The first and the last event that has a vector here.
    pub fn range(&self) -> Option<(Seq, Seq)> {
        (self.head.count > 0).then_some(self.range)
    }

    /// Where an event's vector is, if it has one here.
    pub fn find(&self, seq: Seq) -> Option<usize> {
        if self.head.count == 0 || seq < self.range.0 || seq > self.range.1 {
            return None;
        }
        let (mut low, mut high) = (0, self.head.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.seq(middle).cmp(&seq) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let vector = |n: f32| Quantised::of(&[1.0, n, -0.5, 0.25]).unwrap();
        (1..=3).map(|n: u32| Entry { seq: u64::from(n) * 10, digest: u64::from(n), vector: vector(n as f32) }).collect()
    }

    fn read(bytes: &[u8]) -> Option<Block> {
        let head = Head::decode(bytes.get(..HEAD_BYTES)?.try_into().ok()?, 7)?;
        Block::new(head, 4, bytes.get(HEAD_BYTES..)?.to_vec())
    }

    #[test]
    fn a_block_comes_back_as_it_was() {
        let (entries, reached) = (entries(), Reached { seq: 99, undone: 2 });
        let (bytes, fine) = encode(&entries, &[10, 20], reached, 1000, 7);
        let block = read(&bytes).unwrap();
        assert_eq!((block.count(), block.head.reached), (3, reached));
        assert_eq!(block.replaced().collect::<Vec<_>>(), [10, 20]);
        for (at, (entry, coarse)) in entries.iter().zip(block.coarse()).enumerate() {
            assert_eq!(
                (block.seq(at), block.digest(at), block.scale(at)),
                (entry.seq, entry.digest, entry.vector.scale)
            );
            assert_eq!(coarse, entry.vector.coarse);
            assert_eq!(block.find(entry.seq), Some(at));
            let from = usize::try_from(block.fine_at(at)).unwrap() - 1000;
            assert_eq!(checked_fine(&fine[from..from + fine_bytes(4)], entry.seq), Some(&*entry.vector.fine));
            assert_eq!(checked_fine(&fine[from..from + fine_bytes(4)], entry.seq + 1), None);
        }
        assert_eq!([5, 15, 35].map(|seq| block.find(seq)), [None; 3]);
    }

    #[test]
    fn damage_anywhere_is_seen() {
        let (bytes, _) = encode(&entries(), &[10], Reached::default(), 0, 7);
        let padding = HEAD_BYTES - 4..HEAD_BYTES;
        for at in (0..bytes.len()).filter(|at| !padding.contains(at)) {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(read(&bad).is_none(), "byte {at}");
            assert!(read(&bytes[..at]).is_none(), "cut at {at}");
        }
    }
}
