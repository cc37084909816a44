//! One commit of the index, opened for reading: it stays readable whatever a writer does next.

use crate::brief::Briefs;
use crate::guard::GuardedDirectory;
use crate::hidden::HiddenCache;
use crate::lengths::Lengths;
use crate::schema::{ACCESS, Checkpoint, Fields, ORIGIN, SEQ, SHAPE, TRAITS, TS_MS, register_tokenizer};
use memoir_journal::Seq;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use tantivy::columnar::ColumnValues;
use tantivy::{DocId, ReloadPolicy, Searcher, SegmentReader};

/// While a writer commits, a reader may have to look again.
const TRIES_MAX: usize = 8;

/// A readable commit.
pub(crate) struct Snapshot {
    pub searcher: Searcher,
    pub fields: Fields,
    pub checkpoint: Checkpoint,
    pub columns: Vec<Columns>,
    pub briefs: Vec<Briefs>,
    pub lengths: OnceLock<Arc<Lengths>>,
    pub hidden: HiddenCache,
    places: OnceLock<Vec<Vec<(Seq, DocId)>>>,
    stamp: Stamp,
}

/// What opening found.
pub(crate) enum Opened {
    Usable(Arc<Snapshot>),
    Missing,
    /// Damaged, foreign, or of another version.
    Unusable(String),
}

/// The numbers of one segment's documents.
pub(crate) struct Columns {
    seq: Arc<dyn ColumnValues<u64>>,
    origin: Arc<dyn ColumnValues<u64>>,
    shape: Arc<dyn ColumnValues<u64>>,
    ts_ms: Arc<dyn ColumnValues<i64>>,
    access: Arc<dyn ColumnValues<u64>>,
    traits: Arc<dyn ColumnValues<u64>>,
}

impl Columns {
    fn open(reader: &SegmentReader) -> tantivy::Result<Columns> {
        let fast = reader.fast_fields();
        Ok(Columns {
            seq: fast.column_first_or_default(SEQ)?,
            origin: fast.column_first_or_default(ORIGIN)?,
            shape: fast.column_first_or_default(SHAPE)?,
            ts_ms: fast.column_first_or_default(TS_MS)?,
            access: fast.column_first_or_default(ACCESS)?,
            traits: fast.column_first_or_default(TRAITS)?,
        })
    }

    pub fn seq(&self, doc: DocId) -> u64 {
        self.seq.get_val(doc)
    }

    /// How many documents there are, deleted ones too.
    pub fn docs(&self) -> u32 {
        self.seq.num_vals()
    }

    /// The least and the greatest place of an event, about.
    pub fn seq_range(&self) -> (u64, u64) {
        (self.seq.min_value(), self.seq.max_value())
    }

    /// The documents by the places of their events.
    fn places(&self) -> Vec<(Seq, DocId)> {
        let mut places: Vec<(Seq, DocId)> = (0..self.docs()).map(|doc| (self.seq(doc), doc)).collect();
        // Most lie in their order already, which this sort makes use of.
        places.sort();
        places
    }

    /// The places of the events from a document on.
    pub fn seqs(&self, from: DocId, places: &mut [u64]) {
        self.seq.get_range(u64::from(from), places);
    }

    pub fn ts_ms(&self, doc: DocId) -> i64 {
        self.ts_ms.get_val(doc)
    }

    pub fn origin(&self, doc: DocId) -> u32 {
        u32::try_from(self.origin.get_val(doc)).unwrap_or(u32::MAX)
    }

    pub fn shape(&self, doc: DocId) -> u32 {
        u32::try_from(self.shape.get_val(doc)).unwrap_or(u32::MAX)
    }

    pub fn traits(&self, doc: DocId) -> u64 {
        self.traits.get_val(doc)
    }

    pub fn access(&self, doc: DocId) -> u8 {
        u8::try_from(self.access.get_val(doc)).unwrap_or(u8::MAX)
    }
}

impl Snapshot {
    /// Opens the last commit in `dir`.
    pub fn open(dir: &Path) -> Opened {
        let mut problem = String::new();
        for _ in 0..TRIES_MAX {
            let Some(before) = Stamp::of(dir) else { return Opened::Missing };
            match open_as_is(dir, before) {
                Ok(Some(snapshot)) if Stamp::of(dir) == Some(before) => return Opened::Usable(Arc::new(snapshot)),
                Ok(Some(_)) => "it changes too fast".clone_into(&mut problem),
                Ok(None) => return Opened::Unusable("it is of another version".to_owned()),
                Err(error) => {
                    problem = error.to_string();
                    if Stamp::of(dir) == Some(before) {
                        break;
                    }
                }
            }
        }
        Opened::Unusable(problem)
    }

    /// Whether it is still the last commit.
    pub fn is_current(&self, dir: &Path) -> bool {
        Stamp::of(dir) == Some(self.stamp)
    }

    /// The documents of an event, deleted ones too: their segments and numbers.
    pub fn documents_of(&self, seq: Seq) -> impl Iterator<Item = (usize, DocId)> {
        let places = self.places.get_or_init(|| self.columns.iter().map(Columns::places).collect());
        places.iter().enumerate().flat_map(move |(at, places)| {
            let from = places.partition_point(|(known, _)| *known < seq);
            let same = places.get(from..).unwrap_or_default().iter().take_while(move |(known, _)| *known == seq);
            same.map(move |(_, doc)| (at, *doc))
        })
    }

    /// How many events it has.
    pub fn events(&self) -> u64 {
        self.searcher.num_docs()
    }
}

fn open_as_is(dir: &Path, stamp: Stamp) -> tantivy::Result<Option<Snapshot>> {
    let index = tantivy::Index::open(GuardedDirectory::open(dir)?)?;
    let (schema, fields) = Fields::schema();
    let metas = index.load_metas()?;
    let checkpoint = metas.payload.as_deref().and_then(Checkpoint::parse);
    let Some(checkpoint) = checkpoint.filter(|_| metas.schema == schema) else { return Ok(None) };
    register_tokenizer(&index);
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).doc_store_cache_num_blocks(1).try_into()?;
    let searcher = reader.searcher();
    let columns = searcher.segment_readers().iter().map(Columns::open).collect::<tantivy::Result<_>>()?;
    let briefs = searcher.segment_readers().iter().map(Briefs::new).collect();
    let (lengths, hidden, places) = (OnceLock::new(), HiddenCache::default(), OnceLock::new());
    Ok(Some(Snapshot { searcher, fields, checkpoint, columns, briefs, lengths, hidden, places, stamp }))
}

/// Tells one `meta.json` from the next: it is never changed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: SystemTime,
    file: u64,
}

impl Stamp {
    fn of(dir: &Path) -> Option<Stamp> {
        let metadata = fs::metadata(dir.join("meta.json")).ok()?;
        Some(Stamp { len: metadata.len(), modified: metadata.modified().ok()?, file: file_number(&metadata) })
    }
}

#[cfg(unix)]
fn file_number(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
const fn file_number(_: &fs::Metadata) -> u64 {
    0
}

/// The bytes of the cache on disk.
pub(crate) fn bytes_on_disk(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        bytes += entry?.metadata().map_or(0, |metadata| metadata.len());
    }
    Ok(bytes)
}
