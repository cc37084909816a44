//! `manifest.json`, the commit of a mirror, and `sparse-index.jsonl`, which follows from it.

use crate::error::{MirrorError, refused};
use crate::files;
use crate::layout::Layout;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io;

const SCHEMA: &str = "codaph.mirror.v2";
const SCHEMA_FAMILY: &str = "codaph.mirror.";
/// Some four million sessions.
const MANIFEST_BYTES_MAX: u64 = 1 << 30;

/// What is committed of one segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub session_id: String,
    /// The file's name in `segments/`.
    pub segment: String,
    /// `sha256:` and 64 hexadecimal characters, over the first [`Entry::bytes`] of the file.
    pub checksum: String,
    /// How many different events it has.
    pub event_count: u64,
    pub first_ts: String,
    pub last_ts: String,
    /// How much of the file is committed; what lies beyond was left by a writer that was interrupted. Not in the
    /// documented format: a manifest of another tool may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

#[derive(Serialize)]
struct Written<'a> {
    schema: &'static str,
    segments: &'a [Entry],
}

#[derive(Deserialize)]
struct Read {
    schema: String,
    segments: Vec<Entry>,
}

#[derive(Deserialize)]
struct Schema {
    schema: String,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparseLine<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    segment: Cow<'a, str>,
    event_count: u64,
}

impl<'a> SparseLine<'a> {
    fn of(entry: &'a Entry) -> SparseLine<'a> {
        let (session_id, segment) = (Cow::Borrowed(&*entry.session_id), Cow::Borrowed(&*entry.segment));
        SparseLine { session_id, segment, event_count: entry.event_count }
    }
}

/// What is known of the segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manifest {
    /// There is none.
    Missing,
    /// It is empty, torn, or no manifest.
    Unreadable,
    /// What it says; no file is named twice.
    Known(Vec<Entry>),
}

impl Manifest {
    /// Reads the manifest. One of a later format is an error: it is not ours to repair.
    pub fn read(layout: &Layout) -> Result<Manifest, MirrorError> {
        let path = layout.manifest();
        let bytes = match files::read_whole(&path, MANIFEST_BYTES_MAX) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Manifest::Missing),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(Manifest::Unreadable),
            Err(error) => return Err(refused("read", &path)(error)),
        };
        if let Ok(Schema { schema }) = serde_json::from_slice(&bytes)
            && schema.starts_with(SCHEMA_FAMILY)
            && schema != SCHEMA
        {
            return Err(MirrorError::Schema { dir: layout.dir().to_owned(), schema });
        }
        let Ok(read) = serde_json::from_slice::<Read>(&bytes) else { return Ok(Manifest::Unreadable) };
        let mut names = HashSet::new();
        let sound = read.schema == SCHEMA && read.segments.iter().all(|entry| names.insert(&entry.segment));
        Ok(if sound { Manifest::Known(read.segments) } else { Manifest::Unreadable })
    }
}

/// The bytes of a manifest with these entries.
pub fn manifest_of(entries: &[Entry]) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(&Written { schema: SCHEMA, segments: entries })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The bytes of the sparse index that goes with these entries.
pub fn sparse_index_of(entries: &[Entry]) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut bytes, &SparseLine::of(entry))?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// Whether the sparse index and the manifest tell the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sparse {
    Agrees,
    /// It is missing, unreadable, or says something else.
    Differs,
}

/// Compares the sparse index with the manifest; spelling and order do not count.
pub fn check_sparse_index(layout: &Layout, entries: &[Entry]) -> Result<Sparse, MirrorError> {
    let path = layout.sparse_index();
    let bytes = match files::read_whole(&path, MANIFEST_BYTES_MAX) {
        Ok(None) => return Ok(Sparse::Differs),
        Ok(Some(bytes)) => bytes,
        // No manifest is that long.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(Sparse::Differs),
        Err(error) => return Err(refused("read", &path)(error)),
    };
    if sparse_index_of(entries).is_ok_and(|expected| expected == bytes) {
        return Ok(Sparse::Agrees);
    }
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let Ok(mut read) = lines.map(serde_json::from_slice).collect::<Result<Vec<SparseLine<'_>>, _>>() else {
        return Ok(Sparse::Differs);
    };
    let mut expected: Vec<SparseLine<'_>> = entries.iter().map(SparseLine::of).collect();
    read.sort_unstable();
    expected.sort_unstable();
    Ok(if read == expected { Sparse::Agrees } else { Sparse::Differs })
}
