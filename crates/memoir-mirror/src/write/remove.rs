//! Taking events out of a mirror, with every capture of them.
//!
//! The manifest first lets go of the segments that will change. Then these are written anew one after the other, then
//! the event id index, the sparse index, and last the manifest that names them again. Killed at any moment, this leaves
//! a manifest that is true and segments that it does not name, with or without the events: the next writer takes them
//! up as they are, and the next removal does the rest.

use super::Repairs;
use super::asked::{Asked, Plan};
use super::commit::sorted;
use super::cuts::{Cuts, replace_without};
use super::segment::{Durable, Segment, Sum};
use super::store::Store;
use crate::error::{MirrorError, refused};
use crate::files;
use crate::id_index::{self, IdIndex};
use crate::layout::Layout;
use crate::lock::{Lock, TookOver};
use crate::manifest::manifest_of;
use crate::scan::scan;
use crate::{Clock, Limits};
use memoir_event::EventId;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::time::Duration;

/// How often a mirror is mended that is not what was committed, before somebody else is held to write to it.
const ATTEMPTS_MAX: usize = 2;

/// What was taken out of a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// Ids that were there and are gone.
    pub events: u64,
    /// Segments that were written anew without them, or deleted because nothing else was in them.
    pub segments: u64,
    /// Ids that are in files of the layout of codaph 0.1.15, which are not ours to change.
    pub elsewhere: u64,
    /// What was mended before.
    pub repairs: Repairs,
}

/// What is to be done to one segment.
struct Step {
    at: usize,
    plan: Plan,
}

enum Planned {
    /// Nothing, if there are no steps.
    Steps(Vec<Step>),
    /// This segment is not what was committed.
    Changed(usize),
}

/// Takes the lock, mends what a killed writer left, and removes. Where there is no mirror, none is made.
pub fn remove(
    layout: &Layout,
    limits: Limits,
    patience: Duration,
    ids: &HashSet<EventId>,
    clock: &Clock,
) -> Result<Removed, MirrorError> {
    if ids.is_empty() || !files::has_dir(layout.dir())? {
        return Ok(Removed::default());
    }
    let lock = Lock::take(layout, clock, patience)?;
    files::has_dir(&layout.segments())?;
    let asked = Asked::new(ids);
    let mut store = Store::open(layout, limits)?;
    store.settle()?;
    let mut removed = store.remove(asked)?;
    removed.repairs.locks = u64::from(lock.took_over == TookOver::Yes);
    removed.elsewhere = count_in_days(layout, limits, asked)?;
    Ok(removed)
}

impl Store {
    /// Removes events from a mirror at rest. Where things are is not known any more afterwards.
    fn remove(mut self, asked: Asked<'_>) -> Result<Removed, MirrorError> {
        let mut changed = 0;
        for _ in 0..ATTEMPTS_MAX {
            match self.plan(asked)? {
                Planned::Steps(steps) if steps.is_empty() => {
                    return Ok(Removed { repairs: self.repairs, ..Removed::default() });
                }
                Planned::Steps(steps) => return self.carry_out(steps, asked),
                Planned::Changed(at) => {
                    changed = at;
                    self.repairs.checksums += 1;
                    self.rebuild()?;
                    self.commit()?;
                }
            }
        }
        Err(MirrorError::Changed { path: self.path_of(changed) })
    }

    /// Finds the segments that will change. The index is not asked: it does not know what nobody can read.
    fn plan(&self, asked: Asked<'_>) -> Result<Planned, MirrorError> {
        let mut steps = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let path = self.path_of(at);
            let open = || files::open(&path).map_err(refused("read", &path));
            let line_bytes_max = self.limits.line_bytes_max;
            if !asked.are_in(open()?, line_bytes_max).map_err(refused("read", &path))? {
                continue;
            }
            let plan = asked.plan(open()?, line_bytes_max).map_err(refused("read", &path))?;
            let entry = segment.entry();
            if entry.bytes != Some(plan.bytes) || entry.checksum != plan.checksum {
                return Ok(Planned::Changed(at));
            }
            if !plan.cuts.is_empty() {
                steps.push(Step { at, plan });
            }
        }
        Ok(Planned::Steps(steps))
    }

    fn carry_out(mut self, steps: Vec<Step>, asked: Asked<'_>) -> Result<Removed, MirrorError> {
        self.let_go(&steps)?;
        let mut removed = Removed { repairs: self.repairs, ..Removed::default() };
        let (mut ids, mut events) = (HashSet::new(), HashSet::new());
        for Step { at, plan } in steps {
            let path = self.path_of(at);
            let tmp = self.layout.rewritten();
            let Some(segment) = self.segments.get_mut(at) else { continue };
            if plan.cuts.bytes() == plan.bytes {
                fs::remove_file(&path).map_err(refused("remove", &path))?;
                segment.bytes = 0;
            } else {
                let left = replace_without(&path, plan.bytes, &plan.cuts, &tmp)?;
                (segment.bytes, segment.sum) = (left.bytes, Sum::Running(left.hash));
                segment.span = plan.span;
            }
            // An event that another segment has too was counted with the first of them.
            let counted = plan.events.into_iter().filter(|key| events.insert(*key)).count();
            segment.events = segment.events.saturating_sub(u64::try_from(counted).unwrap_or(0));
            ids.extend(plan.ids);
            removed.segments += 1;
        }
        self.segments.retain(|segment| segment.bytes > 0);
        files::sync_dir(&self.layout.segments()).map_err(refused("write", &self.layout.segments()))?;
        self.remove_from_index(asked)?;
        self.commit()?;
        removed.events = u64::try_from(ids.len()).unwrap_or(u64::MAX);
        Ok(removed)
    }

    /// Commits a manifest without the segments that will change, so that it is true whatever becomes of them.
    fn let_go(&self, steps: &[Step]) -> Result<(), MirrorError> {
        let going: HashSet<usize> = steps.iter().map(|step| step.at).collect();
        let staying = self.segments.iter().enumerate().filter(|(at, _)| !going.contains(at));
        let entries = sorted(staying.map(|(_, segment)| segment));
        let (dir, path) = (self.layout.dir(), self.layout.manifest());
        let bytes = manifest_of(&entries).map_err(|error| refused("write", &path)(io::Error::from(error)))?;
        files::replace(&path, &bytes)?;
        files::sync_dir(dir).map_err(refused("write", dir))
    }

    fn remove_from_index(&mut self, asked: Asked<'_>) -> Result<(), MirrorError> {
        let path = self.layout.id_index();
        let mut cuts = Cuts::default();
        let bytes = id_index::each_line(&path, &mut |id, at| {
            if asked.meaning(id).is_some() {
                cuts.add(at);
            }
        })?;
        if cuts.is_empty() {
            return Ok(());
        }
        let left = replace_without(&path, bytes, &cuts, &files::unfinished(&path))?;
        files::sync_dir(self.layout.dir()).map_err(refused("write", self.layout.dir()))?;
        self.index = IdIndex::good(path, left.bytes, 0);
        Ok(())
    }

    /// Commits what opening the mirror mended. One that was at rest is not touched.
    fn settle(&mut self) -> Result<(), MirrorError> {
        let is_durable = |segment: &Segment| segment.durable == Durable::Yes;
        if !self.repairs.any() && self.segments.iter().all(is_durable) { Ok(()) } else { self.commit() }
    }
}

/// How many of the ids are in files of the layout of codaph 0.1.15.
fn count_in_days(layout: &Layout, limits: Limits, asked: Asked<'_>) -> Result<u64, MirrorError> {
    let mut ids = HashSet::new();
    for day in layout.day_files()?.into_iter().filter(|day| day.is_file) {
        let file = files::open(&day.path).map_err(refused("read", &day.path))?;
        let scanned = scan(file, limits.line_bytes_max, &mut |found| ids.extend(asked.meaning(&found.id)));
        scanned.map_err(refused("read", &day.path))?;
    }
    Ok(u64::try_from(ids.len()).unwrap_or(u64::MAX))
}
