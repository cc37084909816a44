//! Opening a store: what the manifest says is trusted where sizes and counts fit; otherwise all is read anew.

use super::Repairs;
use super::segment::Segment;
use super::store::{Adopted, Place, Store};
use crate::Limits;
use crate::digest::{Hashing, checksum};
use crate::error::{MirrorError, refused};
use crate::files;
use crate::id_index::{self, IdIndex, Loaded, Wanted};
use crate::ids::ById;
use crate::layout::{Layout, Listing};
use crate::manifest::{Entry, Manifest, Sparse, check_sparse_index};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// Whether what the mirror says about itself fits.
enum Opened {
    Trusted(Box<Store>),
    /// It does not; what was mended before that came out.
    Distrusted(Repairs),
}

impl Store {
    /// Opens a mirror and mends it. The lock is ours.
    pub fn open(layout: &Layout, limits: Limits) -> Result<Store, MirrorError> {
        let manifest = Manifest::read(layout)?;
        for path in layout.unfinished() {
            files::remove_left(&path)?;
        }
        let listing = layout.list_segments()?;
        let mut repairs = Repairs::default();
        let is_new =
            || listing.segments.is_empty() && fs::metadata(layout.id_index()).map_or(0, |found| found.len()) == 0;
        let entries = match manifest {
            Manifest::Known(entries) => entries,
            Manifest::Missing if is_new() => return Store::trusted_or_rebuilt(layout, limits, &listing, &[], repairs),
            Manifest::Missing | Manifest::Unreadable => {
                repairs.manifests += 1;
                return Store::rebuilt(layout, limits, None, repairs);
            }
        };
        repairs.sparse_indexes += u64::from(check_sparse_index(layout, &entries)? == Sparse::Differs);
        Store::trusted_or_rebuilt(layout, limits, &listing, &entries, repairs)
    }

    fn trusted_or_rebuilt(
        layout: &Layout,
        limits: Limits,
        listing: &Listing,
        entries: &[Entry],
        repairs: Repairs,
    ) -> Result<Store, MirrorError> {
        match Store::trusting(layout, limits, listing, entries, repairs)? {
            Opened::Trusted(store) => Ok(*store),
            Opened::Distrusted(repairs) => Store::rebuilt(layout, limits, Some(entries), repairs),
        }
    }

    /// Reads the id index and those segments that a writer left unfinished.
    fn trusting(
        layout: &Layout,
        limits: Limits,
        listing: &Listing,
        entries: &[Entry],
        mut repairs: Repairs,
    ) -> Result<Opened, MirrorError> {
        let sizes: HashMap<&str, u64> =
            listing.segments.iter().map(|listed| (listed.name.as_str(), listed.bytes)).collect();
        let size_of = |entry: &Entry| sizes.get(entry.segment.as_str()).copied();
        let missing = entries.iter().filter(|entry| size_of(entry).is_none()).count();
        let cut =
            entries.iter().filter(|entry| size_of(entry).is_some_and(|size| entry.bytes.is_some_and(|b| size < b)));
        let cut = cut.count();
        repairs.segments_missing += u64::try_from(missing).unwrap_or(0);
        repairs.segments_cut += u64::try_from(cut).unwrap_or(0);
        if missing + cut > 0 {
            return Ok(Opened::Distrusted(repairs));
        }
        let Some((known, index)) = read_index(layout, &mut repairs)? else { return Ok(Opened::Distrusted(repairs)) };
        let mut store = Store::with(layout, limits, listing, index, repairs);
        store.known = known;
        let by_name: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.segment.as_str(), entry)).collect();
        for listed in &listing.segments {
            match by_name.get(listed.name.as_str()) {
                Some(entry) if entry.bytes == Some(listed.bytes) => store.add_committed(entry, listed.bytes),
                Some(entry) => {
                    let differs = committed_differs(&layout.segments().join(&listed.name), entry)?;
                    store.repairs.checksums += u64::from(differs);
                    store.adopt(&listed.name, Some(&entry.session_id), entry.bytes.unwrap_or(u64::MAX))?;
                }
                None => {
                    let adopted = store.adopt(&listed.name, None, 0)?;
                    store.repairs.segments_adopted += u64::from(adopted == Adopted::Segment);
                }
            }
        }
        if usize::try_from(store.counts().0).is_ok_and(|events| events == store.known.len()) {
            return Ok(Opened::Trusted(Box::new(store)));
        }
        // Reading all of it counts these again.
        let repairs = Repairs { checksums: 0, lines_recovered: 0, segments_adopted: 0, ..store.repairs };
        Ok(Opened::Distrusted(Repairs { id_indexes: repairs.id_indexes + 1, ..repairs }))
    }

    fn add_committed(&mut self, entry: &Entry, bytes: u64) {
        self.by_session.entry(entry.session_id.clone()).or_insert(self.segments.len());
        self.segments.push(Segment::committed(entry, bytes));
    }

    /// Reads every segment. `entries` is what the manifest said, if it could be read.
    fn rebuilt(
        layout: &Layout,
        limits: Limits,
        entries: Option<&[Entry]>,
        repairs: Repairs,
    ) -> Result<Store, MirrorError> {
        let listing = layout.list_segments()?;
        let index = IdIndex::anew(layout.id_index())?;
        let mut store = Store::with(layout, limits, &listing, index, repairs);
        let named = entries.unwrap_or_default();
        let by_name: HashMap<&str, &Entry> = named.iter().map(|entry| (entry.segment.as_str(), entry)).collect();
        for listed in &listing.segments {
            let Some(entry) = by_name.get(listed.name.as_str()) else {
                let committed = if entries.is_some() { 0 } else { u64::MAX };
                let adopted = store.adopt(&listed.name, None, committed)?;
                store.repairs.segments_adopted += u64::from(entries.is_some() && adopted == Adopted::Segment);
                continue;
            };
            store.adopt(&listed.name, Some(&entry.session_id), entry.bytes.unwrap_or(u64::MAX))?;
            let now = store.segments.last().map(Segment::entry);
            let differs = match now {
                Some(now) if now.bytes == entry.bytes => now.checksum != entry.checksum,
                _ => committed_differs(&layout.segments().join(&listed.name), entry)?,
            };
            store.repairs.checksums += u64::from(differs);
        }
        Ok(store)
    }

    /// Reads every segment in the middle of a run, because one is not what was committed.
    pub(super) fn rebuild(&mut self) -> Result<(), MirrorError> {
        self.flush()?;
        let mut entries: Vec<Entry> = self.segments.iter().map(Segment::entry).collect();
        // What is wrong was counted when it was found.
        entries.iter_mut().for_each(|entry| entry.bytes = None);
        *self = Store::rebuilt(&self.layout, self.limits, Some(&entries), self.repairs)?;
        Ok(())
    }

    fn with(layout: &Layout, limits: Limits, listing: &Listing, index: IdIndex, repairs: Repairs) -> Store {
        Store {
            layout: layout.clone(),
            limits,
            segments: Vec::with_capacity(listing.segments.len()),
            by_session: HashMap::with_capacity(listing.segments.len()),
            taken: listing.taken.clone(),
            known: ById::new(),
            index,
            waiting_bytes: 0,
            repairs,
        }
    }
}

/// Every id of the index, none of them seen in a segment yet; nothing if the index is not one.
fn read_index(layout: &Layout, repairs: &mut Repairs) -> Result<Option<(ById<Place>, IdIndex)>, MirrorError> {
    /// An ordinary line of an index.
    const LINE_BYTES: u64 = 71;
    /// The size of a file is not believed beyond this.
    const RESERVED_MAX: u64 = 1 << 22;
    let path = layout.id_index();
    let lines = fs::metadata(&path).map_or(0, |found| found.len() / LINE_BYTES).min(RESERVED_MAX);
    let mut known = ById::with_capacity(usize::try_from(lines).unwrap_or(0));
    let loaded = id_index::load(&path, &mut |key| match known.insert(key, Place::UNSEEN) {
        None => Wanted::Yes,
        Some(_) => Wanted::No,
    })?;
    let Loaded::Good { whole_bytes, lines_cut } = loaded else {
        repairs.id_indexes += 1;
        return Ok(None);
    };
    repairs.lines_cut += lines_cut;
    Ok(Some((known, IdIndex::good(path, whole_bytes, lines_cut))))
}

/// Whether what was committed of a segment is there and is not what it was. What lies beyond may be anything.
fn committed_differs(path: &Path, entry: &Entry) -> Result<bool, MirrorError> {
    let Some(bytes) = entry.bytes else { return Ok(false) };
    let file = files::open(path).map_err(refused("read", path))?;
    let mut committed = Hashing::new(file.take(bytes));
    let read = io::copy(&mut committed, &mut io::sink()).map_err(refused("read", path))?;
    Ok(read == bytes && checksum(&committed.finish()) != entry.checksum)
}
