//! The layout that codaph 0.1.15 writes: lines, repeated events, and whether its indexes fit.

use super::{Mend, Meter, VerifyReport, counted};
use crate::Limits;
use crate::error::{MirrorError, refused};
use crate::files;
use crate::ids::{ById, IdKey};
use crate::layout::{EventFile, Layout};
use crate::problems::{ProblemKind, Problems};
use crate::scan::scan;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read as _};
use std::path::PathBuf;

/// What its own program could read of an index.
const INDEX_BYTES_MAX: u64 = 1 << 30;

const NOTE: &str = "events/ is in codaph's own layout, which has no checksums: \
                    lines, ids and counts were checked, changed bytes cannot be seen";

#[derive(Deserialize)]
struct DayManifest {
    segments: BTreeMap<String, Day>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Day {
    relative_path: PathBuf,
    event_count: u64,
}

#[derive(Deserialize)]
struct EventIds {
    events: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct Sessions {
    #[serde(rename = "sessions")]
    _sessions: BTreeMap<String, IgnoredAny>,
}

pub fn check(
    layout: &Layout,
    limits: Limits,
    days: &[EventFile],
    meter: &mut Meter<'_>,
    report: &mut VerifyReport,
) -> Result<(), MirrorError> {
    report.notes.push(NOTE.to_owned());
    let mut weights = ById::new();
    let mut counts = HashMap::new();
    for day in days {
        let (events, bytes) = check_day(day, limits, &mut weights, report)?;
        counts.insert(day.shown.clone(), events);
        meter.file_done(bytes);
    }
    report.events += u64::try_from(weights.len()).unwrap_or(0);
    check_manifests(layout, counts, report)?;
    check_event_ids(layout, weights, report)?;
    for file in layout.day_index_files("sparse-index.json")? {
        let _: Option<Sessions> = read_index(&file, report)?;
    }
    Ok(())
}

/// Checks the lines of a day; gives how many different events it has, and its size.
fn check_day(
    day: &EventFile,
    limits: Limits,
    weights: &mut ById<u32>,
    report: &mut VerifyReport,
) -> Result<(u64, u64), MirrorError> {
    if !day.is_file {
        let mut problems = Problems::default();
        problems.add(ProblemKind::NotAFile);
        report.add_problems(&day.shown, &problems, Mend::Never);
        return Ok((0, 0));
    }
    let file = files::open(&day.path).map_err(refused("read", &day.path))?;
    let bytes = file.metadata().map_err(refused("read", &day.path))?.len();
    let (mut events, mut repeated) = (0, 0);
    let problems = scan(file.take(bytes), limits.line_bytes_max, &mut |found| {
        let Some(key) = IdKey::of(&found.id) else { return };
        let weight = found.record.weight();
        match weights.entry(key) {
            Slot::Vacant(slot) => {
                slot.insert(weight);
                events += 1;
            }
            Slot::Occupied(slot) if *slot.get() >= weight => repeated += 1,
            Slot::Occupied(mut slot) => _ = slot.insert(weight),
        }
    });
    report.add_problems(&day.shown, &problems.map_err(refused("read", &day.path))?, Mend::Never);
    if repeated > 0 {
        let what = counted(repeated, "line repeats", "lines repeat");
        report.add_lasting(&day.shown, format!("{what} an event that is there already and says no less"));
    }
    report.day_files += 1;
    report.bytes += bytes;
    Ok((events, bytes))
}

fn check_manifests(
    layout: &Layout,
    mut counts: HashMap<PathBuf, u64>,
    report: &mut VerifyReport,
) -> Result<(), MirrorError> {
    for file in layout.day_index_files("manifest.json")? {
        let Some(manifest): Option<DayManifest> = read_index(&file, report)? else { continue };
        for day in manifest.segments.into_values() {
            match counts.remove(&day.relative_path) {
                None => report.add_lasting(day.relative_path, "a manifest names it, and it is missing"),
                Some(events) if events != day.event_count => {
                    let says = day.event_count;
                    report.add_lasting(
                        day.relative_path,
                        format!("it has {events} events, and its manifest says {says}"),
                    );
                }
                Some(_) => {}
            }
        }
    }
    let mut unnamed: Vec<PathBuf> = counts.into_keys().collect();
    unnamed.sort_unstable();
    for path in unnamed {
        report.add_lasting(path, "no manifest names it");
    }
    Ok(())
}

fn check_event_ids(layout: &Layout, mut weights: ById<u32>, report: &mut VerifyReport) -> Result<(), MirrorError> {
    let files = layout.day_index_files("event-ids.json")?;
    for file in &files {
        let Some(ids): Option<EventIds> = read_index(file, report)? else { continue };
        let mut unknown = 0;
        for id in ids.events.keys() {
            let known = IdKey::of(id.trim()).is_some_and(|key| weights.remove(&key).is_some());
            unknown += u64::from(!known);
        }
        if unknown > 0 {
            report.add_lasting(&file.shown, counted(unknown, "id is in no segment", "ids are in no segment"));
        }
    }
    if !weights.is_empty() {
        let missing = u64::try_from(weights.len()).unwrap_or(0);
        let what = counted(missing, "event of the segments is in no index", "events of the segments are in no index");
        report.add_lasting("events", what);
    }
    Ok(())
}

fn read_index<T: for<'de> Deserialize<'de>>(
    file: &EventFile,
    report: &mut VerifyReport,
) -> Result<Option<T>, MirrorError> {
    let bytes = match files::read_whole(&file.path, INDEX_BYTES_MAX) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            report.add_lasting(&file.shown, format!("it has more than {INDEX_BYTES_MAX} bytes and was not read"));
            return Ok(None);
        }
        Err(error) => return Err(refused("read", &file.path)(error)),
    };
    if bytes.is_empty() {
        report.add_lasting(&file.shown, "it is empty");
        return Ok(None);
    }
    let index = serde_json::from_slice(&bytes).ok();
    if index.is_none() {
        report.add_lasting(&file.shown, "it is not an index of codaph");
    }
    Ok(index)
}
