//! From memory to files, and from files to a manifest that names them.

use super::segment::{Durable, Segment, Sum};
use super::store::Store;
use crate::error::{MirrorError, refused};
use crate::files;
use crate::manifest::{Entry, manifest_of, sparse_index_of};
use sha2::Digest as _;
use std::io::{self, Write as _};
use std::path::Path;

/// What became of a file that is replaced whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaced {
    Yes,
    /// It was as it should be.
    NotNeeded,
}

impl Store {
    /// Writes what waits to the ends of the segments. They are not durable by that, nor committed.
    pub(super) fn flush(&mut self) -> Result<(), MirrorError> {
        let dir = self.layout.segments();
        for segment in self.segments.iter_mut().filter(|segment| !segment.waiting.is_empty()) {
            segment.write(&dir)?;
        }
        self.waiting_bytes = 0;
        Ok(())
    }

    /// Makes everything durable, in the order that leaves a true manifest whenever this is interrupted.
    pub fn commit(&mut self) -> Result<(), MirrorError> {
        self.flush()?;
        self.sync_segments()?;
        self.index.commit()?;
        let entries = sorted(self.segments.iter());
        let (sparse_index, manifest) = (self.layout.sparse_index(), self.layout.manifest());
        let sparse_index = (&sparse_index, sparse_index_of(&entries));
        let manifest = (&manifest, manifest_of(&entries));
        let mut replaced = false;
        for (path, bytes) in [sparse_index, manifest] {
            let bytes = bytes.map_err(|error| refused("write", path)(io::Error::from(error)))?;
            replaced |= replace_if_other(path, &bytes)? == Replaced::Yes;
        }
        if replaced {
            let dir = self.layout.dir();
            files::sync_dir(dir).map_err(refused("write", dir))?;
        }
        Ok(())
    }

    fn sync_segments(&mut self) -> Result<(), MirrorError> {
        let dir = self.layout.segments();
        let mut any = false;
        for segment in self.segments.iter_mut().filter(|segment| segment.durable == Durable::NotYet) {
            let path = dir.join(&segment.name);
            files::sync(&path).map_err(refused("write", &path))?;
            segment.durable = Durable::Yes;
            any = true;
        }
        // Some of them may be new names.
        if any { files::sync_dir(&dir).map_err(refused("write", &dir)) } else { Ok(()) }
    }
}

/// The lines of a manifest for these segments, in its order.
pub(super) fn sorted<'a>(segments: impl Iterator<Item = &'a Segment>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = segments.map(Segment::entry).collect();
    entries.sort_unstable_by(|a, b| (&a.session_id, &a.segment).cmp(&(&b.session_id, &b.segment)));
    entries
}

impl Segment {
    fn write(&mut self, dir: &Path) -> Result<(), MirrorError> {
        let path = dir.join(&self.name);
        let mut file = files::open_to_append(&path)?;
        let found = file.metadata().map_err(refused("write", &path))?.len();
        let Sum::Running(hash) = &mut self.sum else { return Err(MirrorError::Changed { path }) };
        if found != self.bytes {
            return Err(MirrorError::Changed { path });
        }
        file.write_all(&self.waiting).map_err(refused("write", &path))?;
        hash.update(&self.waiting);
        self.bytes += u64::try_from(self.waiting.len()).unwrap_or(0);
        self.waiting = Vec::new();
        self.durable = Durable::NotYet;
        Ok(())
    }
}

/// Replaces a file unless it says the same already: a run without news touches nothing.
fn replace_if_other(path: &Path, bytes: &[u8]) -> Result<Replaced, MirrorError> {
    let bytes_max = u64::try_from(bytes.len()).unwrap_or(u64::MAX - 1);
    if files::read_whole(path, bytes_max).is_ok_and(|old| old.as_deref() == Some(bytes)) {
        return Ok(Replaced::NotNeeded);
    }
    files::replace(path, bytes)?;
    Ok(Replaced::Yes)
}
