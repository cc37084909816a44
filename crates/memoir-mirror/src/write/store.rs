//! What a writer knows: its segments, every id, and where each event is.

use super::segment::{Durable, Segment, Sum};
use super::weigh::weigh;
use super::{Appended, Repairs, tail};
use crate::digest::{Hashing, checksum};
use crate::error::{MirrorError, refused};
use crate::id_index::IdIndex;
use crate::ids::{ById, IdKey};
use crate::layout::Layout;
use crate::lines::End;
use crate::record::Field;
use crate::scan::scan;
use crate::span::Span;
use crate::{Limits, files, names};
use memoir_event::Envelope;
use sha2::Sha256;
use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::path::PathBuf;

/// Where an event is and how much the fullest capture of it says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub segment: u32,
    pub weight: u32,
}

impl Place {
    /// The index has the id; which segment has the event shows when that is read.
    pub const UNSEEN: Place = Place { segment: u32::MAX, weight: 0 };
}

/// All that a writer knows.
pub struct Store {
    pub(super) layout: Layout,
    pub(super) limits: Limits,
    pub(super) segments: Vec<Segment>,
    /// Which segment new events of a session go to.
    pub(super) by_session: HashMap<String, usize>,
    /// File names that nobody else may have, in lower case.
    pub(super) taken: HashSet<String>,
    pub(super) known: ById<Place>,
    pub(super) index: IdIndex,
    pub(super) waiting_bytes: usize,
    pub(super) repairs: Repairs,
}

/// What reading a segment from start to end showed.
pub struct Surveyed {
    pub hash: Sha256,
    pub bytes: u64,
    pub events: u64,
    pub span: Span,
    /// The session of its first event.
    pub owner: Option<String>,
    /// Events beyond what was committed.
    pub recovered: u64,
}

impl Store {
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub const fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    /// How many events and segments there are.
    pub fn counts(&self) -> (u64, u64) {
        let events = self.segments.iter().map(|segment| segment.events).sum();
        (events, u64::try_from(self.segments.len()).unwrap_or(u64::MAX))
    }

    /// Appends a line to the segment it belongs to, unless the event is there and no less full.
    pub fn append(&mut self, envelope: &Envelope, line: &[u8], weight: u32) -> Result<Appended, MirrorError> {
        let key = IdKey::from(envelope.event_id);
        let (at, appended) = match self.place_of(key, &envelope.session_id)? {
            Some(place) if weight <= place.weight => return Ok(Appended::Known),
            // A session that was given another name since does not tear its events apart.
            Some(place) => (usize::try_from(place.segment).unwrap_or(usize::MAX), Appended::Revised),
            None => (self.segment_for(&envelope.session_id)?, Appended::New),
        };
        let Some(segment) = self.segments.get_mut(at) else {
            return Err(MirrorError::Failed { dir: self.layout.dir().to_owned() });
        };
        segment.waiting.extend_from_slice(line);
        segment.span.take_in(&envelope.ts);
        self.known.insert(key, Place { segment: u32::try_from(at).unwrap_or(u32::MAX), weight });
        if appended == Appended::New {
            segment.events += 1;
            self.index.push(&envelope.event_id.to_string(), &envelope.ts);
        }
        self.waiting_bytes += line.len();
        if self.index.waiting_bytes() > self.limits.index_bytes_max {
            self.commit()?;
        } else if self.waiting_bytes > self.limits.buffer_bytes_max {
            self.flush()?;
        }
        Ok(appended)
    }

    /// Where an event is, if it is anywhere. The index does not tell how full it is: its segment is read for that,
    /// once a run. The segment of its session is the likely one, and others are tried only if it is not there. A new
    /// event goes to that segment, whose hash is needed then: it is read in any case, and the index not just believed.
    fn place_of(&mut self, key: IdKey, session_id: &str) -> Result<Option<Place>, MirrorError> {
        let unseen = |store: &Store| store.known.get(&key) == Some(&Place::UNSEEN);
        if unseen(self) || !self.known.contains_key(&key) {
            self.read_segment_of(session_id)?;
        }
        let mut at = 0;
        while unseen(self) && at < self.segments.len() {
            self.read_segment(at)?;
            at += 1;
        }
        if unseen(self) {
            self.repairs.id_indexes += 1;
            self.rebuild()?;
        }
        Ok(self.known.get(&key).copied())
    }

    /// The segment for new events of a session: the one that was read, or one that is made.
    fn segment_for(&mut self, session_id: &str) -> Result<usize, MirrorError> {
        if let Some(at) = self.by_session.get(session_id) {
            return Ok(*at);
        }
        let free = names::candidates(session_id).into_iter().find(|name| !self.taken.contains(&name.to_lowercase()));
        let name = free.ok_or_else(|| MirrorError::NoName { session_id: session_id.to_owned() })?;
        self.taken.insert(name.to_lowercase());
        self.by_session.insert(session_id.to_owned(), self.segments.len());
        self.segments.push(Segment::new(session_id.to_owned(), name));
        Ok(self.segments.len() - 1)
    }

    fn read_segment_of(&mut self, session_id: &str) -> Result<(), MirrorError> {
        self.by_session.get(session_id).copied().map_or(Ok(()), |at| self.read_segment(at))
    }

    /// Reads a segment that is known from the manifest only: its hash is needed to go on with, and its ids get their
    /// place. If it is not what was committed, nothing is trusted any more.
    fn read_segment(&mut self, at: usize) -> Result<(), MirrorError> {
        let Some(segment) = self.segments.get(at) else { return Ok(()) };
        let Sum::Committed(expected) = &segment.sum else { return Ok(()) };
        let (expected, expected_events) = (expected.clone(), segment.events);
        let (path, number) = (self.path_of(at), u32::try_from(at).unwrap_or(u32::MAX));
        let (mut events, mut unindexed) = (0, 0);
        let file = files::open(&path).map_err(refused("read", &path))?;
        let mut reader = Hashing::new(file.take(segment.bytes));
        let weighed =
            weigh(&mut reader, self.limits.line_bytes_max, &mut |key, weight| match self.known.get_mut(&key) {
                None => unindexed += 1,
                Some(place) if *place == Place::UNSEEN => {
                    *place = Place { segment: number, weight };
                    events += 1;
                }
                Some(place) => place.weight = place.weight.max(weight),
            });
        let end = weighed.map_err(refused("read", &path))?;
        let hash = reader.finish();
        let same_bytes = checksum(&hash) == expected;
        if same_bytes && end == End::Newline && events == expected_events && unindexed == 0 {
            if let Some(segment) = self.segments.get_mut(at) {
                segment.sum = Sum::Running(hash);
            }
            return Ok(());
        }
        self.repairs.checksums += u64::from(!same_bytes);
        self.repairs.id_indexes += 1;
        self.rebuild()
    }

    pub(super) fn path_of(&self, at: usize) -> PathBuf {
        let name = self.segments.get(at).map_or("", |segment| &segment.name);
        self.layout.segments().join(name)
    }

    /// Reads a segment's file, gives its ids their place, and adds those to the index that it lacks.
    pub(super) fn survey(&mut self, at: usize, committed_bytes: u64) -> Result<Surveyed, MirrorError> {
        let path = self.path_of(at);
        let segment = u32::try_from(at).unwrap_or(u32::MAX);
        let (known, index) = (&mut self.known, &mut self.index);
        let (mut events, mut recovered, mut owner, mut span) = (0, 0, None, Span::default());
        let file = files::open(&path).map_err(refused("read", &path))?;
        // Lines that wait in memory are not in the file, and someone else's are not to be.
        let len = file.metadata().map_err(refused("read", &path))?.len();
        let mut reader = Hashing::new(file.take(len));
        let scanned = scan(&mut reader, self.limits.line_bytes_max, &mut |found| {
            let Some(key) = IdKey::of(&found.id) else { return };
            let ts = found.record.text(Field::Ts).unwrap_or_default();
            let weight = found.record.weight();
            span.take_in(&ts);
            owner.get_or_insert_with(|| found.session.to_string());
            recovered += u64::from(found.offset >= committed_bytes);
            match known.entry(key) {
                Slot::Vacant(slot) => {
                    slot.insert(Place { segment, weight });
                    index.push(&found.id, &ts);
                    events += 1;
                }
                Slot::Occupied(mut slot) if *slot.get() == Place::UNSEEN => {
                    slot.insert(Place { segment, weight });
                    events += 1;
                }
                // An event that another segment has too stays where it was seen first.
                Slot::Occupied(mut slot) => {
                    let place = slot.get_mut();
                    place.weight = place.weight.max(weight);
                }
            }
        });
        scanned.map_err(refused("read", &path))?;
        Ok(Surveyed { hash: reader.finish(), bytes: len, events, span, owner, recovered })
    }

    /// Takes up a file that is not as the manifest says, or is not in it.
    pub(super) fn adopt(
        &mut self,
        name: &str,
        session_id: Option<&str>,
        committed: u64,
    ) -> Result<Adopted, MirrorError> {
        let at = self.segments.len();
        self.segments.push(Segment::new(session_id.unwrap_or_default().to_owned(), name.to_owned()));
        let path = self.path_of(at);
        let mended = tail::mend(&path, self.limits.line_bytes_max)?;
        self.repairs.lines_cut += mended.lines_cut;
        let surveyed = self.survey(at, committed)?;
        let owner = session_id.map(str::to_owned).or(surveyed.owner);
        let (Some(session_id), Some(segment)) = (owner, self.segments.last_mut()) else {
            // Without an event it belongs to nobody. What is in it stays for `verify` to report.
            self.segments.pop();
            if surveyed.bytes == 0 {
                std::fs::remove_file(&path).map_err(refused("remove", &path))?;
                self.taken.remove(&name.to_lowercase());
            }
            return Ok(Adopted::Nothing);
        };
        self.repairs.lines_recovered += surveyed.recovered;
        segment.session_id.clone_from(&session_id);
        segment.bytes = surveyed.bytes;
        segment.events = surveyed.events;
        segment.span = surveyed.span;
        segment.sum = Sum::Running(surveyed.hash);
        segment.durable = Durable::NotYet;
        self.by_session.entry(session_id).or_insert(at);
        Ok(Adopted::Segment)
    }
}

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adopted {
    Segment,
    /// It has no event.
    Nothing,
}
