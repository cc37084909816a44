//! What the files hold, read into memory: the coarse bytes whole, the finer ones when they are needed.
//!
//! It stays as it is whatever a writer does next. The coarse file is only ever grown at its end or replaced as a whole, so
//! a later look takes what is known over and reads on from there.

use crate::block::{Block, HEAD_BYTES, Head, Reached, checked_fine, fine_bytes};
use crate::header::Header;
use crate::names;
use crate::place::{read_at, same_file};
use memoir_journal::Seq;
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// While a writer replaces the files, a reader may have to look again.
const TRIES_MAX: usize = 8;

/// The vectors there are.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub header: Header,
    pub blocks: Vec<Arc<Block>>,
    pub reached: Reached,
    /// Blocks that are damaged and left out.
    pub damaged: usize,
    /// Up to here the coarse file is whole.
    pub end: u64,
    /// In which block the vector of an event stands that has older ones.
    replaced: HashMap<Seq, usize>,
    coarse: Metadata,
    /// Kept open, so that no later file can be taken for this one.
    _coarse_file: Arc<File>,
    fine: Arc<File>,
}

/// What opening found.
pub(crate) enum Opened {
    Usable(Arc<Snapshot>),
    Missing,
    /// Damaged, foreign, or of another version.
    Unusable(String),
}

/// A vector in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub block: usize,
    pub at: usize,
}

impl Snapshot {
    /// Reads what is there; what `known` has of it is not read again.
    pub fn open(dir: &Path, known: Option<&Arc<Snapshot>>) -> Opened {
        let mut problem = String::new();
        for _ in 0..TRIES_MAX {
            let there = match fs::metadata(dir.join(names::COARSE)) {
                Ok(there) => there,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Opened::Missing,
                Err(error) => return Opened::Unusable(error.to_string()),
            };
            let known = known.filter(|known| same_file(&known.coarse, &there) && there.len() >= known.end);
            if let Some(known) = known.filter(|known| there.len() == known.end) {
                return Opened::Usable(Arc::clone(known));
            }
            match read(dir, known) {
                Ok(snapshot) => return Opened::Usable(Arc::new(snapshot)),
                Err(error) => {
                    problem = error.to_string();
                    let now = fs::metadata(dir.join(names::COARSE));
                    if now.is_ok_and(|now| same_file(&now, &there)) {
                        break;
                    }
                }
            }
        }
        Opened::Unusable(problem)
    }

    /// How many numbers a vector has.
    pub const fn dimension(&self) -> usize {
        self.header.identity.dimension
    }

    /// The block, if there is one of that number.
    pub fn block(&self, spot: Spot) -> Option<&Block> {
        self.blocks.get(spot.block).map(|block| &**block)
    }

    /// Whether a vector counts: no later one took its place.
    pub fn is_live(&self, seq: Seq, block: usize) -> bool {
        self.replaced.is_empty() || self.replaced.get(&seq).is_none_or(|by| block >= *by)
    }

    /// Where the vectors are that count, with their events.
    pub fn live(&self) -> impl Iterator<Item = (Seq, Spot)> {
        self.blocks.iter().enumerate().flat_map(move |(number, block)| {
            (0..block.count())
                .map(move |at| (block.seq(at), Spot { block: number, at }))
                .filter(move |(seq, _)| self.is_live(*seq, number))
        })
    }

    /// How many vectors there are, and how many of them count.
    pub fn counts(&self) -> (u64, u64) {
        let all = self.blocks.iter().map(|block| block.count() as u64).sum();
        let live = if self.replaced.is_empty() { all } else { self.live().count() as u64 };
        (all, live)
    }

    /// Where the vector of an event is.
    pub fn find(&self, seq: Seq) -> Option<Spot> {
        let by = self.replaced.get(&seq).copied().unwrap_or(0);
        let mut blocks = self.blocks.iter().enumerate().skip(by);
        blocks.find_map(|(block, held)| held.find(seq).map(|at| Spot { block, at }))
    }

    /// The finer bytes of a vector; none if they are damaged.
    pub fn fine<'a>(&self, spot: Spot, buffer: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        let block = self.block(spot)?;
        buffer.resize(fine_bytes(self.dimension()), 0);
        read_at(&self.fine, buffer, block.fine_at(spot.at)).ok()?;
        checked_fine(buffer, block.seq(spot.at))
    }

    /// How long the file with the finer bytes is, and how long it would be without what nobody refers to.
    pub fn fine_lengths(&self) -> (u64, u64) {
        let (all, _) = self.counts();
        let used = all * fine_bytes(self.dimension()) as u64;
        (self.fine.metadata().map_or(u64::MAX, |metadata| metadata.len()), used)
    }

    /// How many bytes a writer has to cut off: a killed one left them.
    pub fn torn_bytes(&self, dir: &Path) -> u64 {
        fs::metadata(dir.join(names::COARSE)).map_or(0, |metadata| metadata.len().saturating_sub(self.end))
    }
}

fn read(dir: &Path, known: Option<&Arc<Snapshot>>) -> io::Result<Snapshot> {
    let file = Arc::new(File::open(dir.join(names::COARSE))?);
    let (coarse, mut input) = (file.metadata()?, &*file);
    let known = known.filter(|known| same_file(&known.coarse, &coarse));
    let mut snapshot = match known {
        Some(known) => Snapshot {
            header: known.header.clone(),
            blocks: known.blocks.clone(),
            reached: known.reached,
            damaged: known.damaged,
            end: known.end,
            replaced: known.replaced.clone(),
            coarse,
            _coarse_file: Arc::clone(&file),
            fine: Arc::clone(&known.fine),
        },
        None => {
            let (header, end) = Header::read(&mut input)?;
            let fine = Arc::new(File::open(names::fine(dir, header.generation))?);
            let (blocks, replaced, reached) = (Vec::new(), HashMap::new(), Reached::default());
            let _coarse_file = Arc::clone(&file);
            Snapshot { header, blocks, reached, damaged: 0, end, replaced, coarse, _coarse_file, fine }
        }
    };
    input.seek(SeekFrom::Start(snapshot.end))?;
    snapshot.take_blocks(&mut input)?;
    Ok(snapshot)
}

impl Snapshot {
    /// Reads blocks until there are no more whole ones.
    fn take_blocks(&mut self, input: &mut impl Read) -> io::Result<()> {
        let mut left = self.coarse.len().saturating_sub(self.end);
        let mut bytes = [0; HEAD_BYTES];
        while left >= HEAD_BYTES as u64 {
            if let Err(error) = input.read_exact(&mut bytes) {
                return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) };
            }
            let Some(head) = Head::decode(&bytes, self.header.generation) else { return Ok(()) };
            let length = head.body_bytes(self.dimension());
            let whole = (HEAD_BYTES + length) as u64;
            if whole > left {
                return Ok(());
            }
            let mut body = vec![0; length];
            if let Err(error) = input.read_exact(&mut body) {
                return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) };
            }
            match Block::new(head, self.dimension(), body) {
                Some(block) => self.take(block, head.reached),
                // The last block may still be on its way; one with others behind it is damaged.
                None if whole == left => return Ok(()),
                None => self.damaged += 1,
            }
            left -= whole;
            self.end += whole;
        }
        Ok(())
    }

    fn take(&mut self, block: Block, reached: Reached) {
        let number = self.blocks.len();
        self.replaced.extend(block.replaced().map(|seq| (seq, number)));
        self.reached = reached;
        self.blocks.push(Arc::new(block));
    }
}
