//! The documented layout: manifest, segments, event id index, sparse index.

use super::{Mend, Meter, VerifyReport, counted};
use crate::Limits;
use crate::digest::{Hashing, checksum};
use crate::error::{MirrorError, refused};
use crate::files;
use crate::id_index::{self, LINE_BYTES_MAX};
use crate::ids::{ById, IdKey};
use crate::layout::{Layout, Listed, Listing};
use crate::lines::{End, Lines};
use crate::manifest::{Entry, Manifest, Sparse, check_sparse_index};
use crate::record::Field;
use crate::scan::scan;
use crate::span::Span;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// An event that some segment has.
struct Seen {
    weight: u32,
    indexed: Indexed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Indexed {
    No,
    Yes,
}

pub fn check(
    layout: &Layout,
    limits: Limits,
    manifest: &Manifest,
    listing: &Listing,
    meter: &mut Meter<'_>,
    report: &mut VerifyReport,
) -> Result<(), MirrorError> {
    let has_index = layout.id_index().exists();
    if *manifest == Manifest::Missing && listing.segments.is_empty() && listing.strangers.is_empty() && !has_index {
        return Ok(());
    }
    let entries = match manifest {
        Manifest::Known(entries) => entries.as_slice(),
        Manifest::Missing => {
            report.add("manifest.json", "it is missing; the next export makes it anew");
            &[]
        }
        Manifest::Unreadable => {
            report.add("manifest.json", "it is not a manifest; the next export makes it anew");
            &[]
        }
    };
    let mut by_name: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.segment.as_str(), entry)).collect();
    let mut seen = ById::new();
    for listed in &listing.segments {
        let entry = by_name.remove(listed.name.as_str());
        if entry.is_none() && matches!(manifest, Manifest::Known(_)) {
            report.add(shown(&listed.name), "the manifest does not name it");
        }
        let check = Check { path: layout.segments().join(&listed.name), shown: shown(&listed.name), entry };
        check.run(listed, limits, &mut seen, report)?;
        meter.file_done(listed.bytes);
    }
    for stranger in &listing.strangers {
        report.add_lasting(stranger.strip_prefix(layout.dir()).unwrap_or(stranger), "it is not a segment");
    }
    let mut gone: Vec<&str> = by_name.into_keys().collect();
    gone.sort_unstable();
    for name in gone {
        report.add(shown(name), "the manifest names it, and it is missing");
    }
    report.events += u64::try_from(seen.len()).unwrap_or(0);
    check_id_index(&layout.id_index(), &mut seen, report)?;
    if matches!(manifest, Manifest::Known(_)) && check_sparse_index(layout, entries)? == Sparse::Differs {
        report.add("sparse-index.jsonl", "it does not agree with the manifest; the next export makes it anew");
    }
    Ok(())
}

fn shown(name: &str) -> PathBuf {
    Path::new("segments").join(name)
}

/// One segment against its entry.
struct Check<'a> {
    path: PathBuf,
    shown: PathBuf,
    entry: Option<&'a Entry>,
}

/// What a segment has.
struct Counted {
    events: u64,
    span: Span,
    checksum: String,
}

impl Check<'_> {
    fn run(
        &self,
        listed: &Listed,
        limits: Limits,
        seen: &mut ById<Seen>,
        report: &mut VerifyReport,
    ) -> Result<(), MirrorError> {
        let committed = self.entry.and_then(|entry| entry.bytes).unwrap_or(listed.bytes);
        let (mut events, mut repeated, mut span) = (0, 0, Span::default());
        let file = match files::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                report.add(&self.shown, "it vanished while the mirror was checked");
                return Ok(());
            }
            file => file.map_err(refused("read", &self.path))?,
        };
        let mut hashing = Hashing::new((&file).take(committed));
        let reader = (&mut hashing).chain((&file).take(listed.bytes.saturating_sub(committed)));
        let problems = scan(reader, limits.line_bytes_max, &mut |found| {
            let Some(key) = IdKey::of(&found.id) else { return };
            span.take_in(&found.record.text(Field::Ts).unwrap_or_default());
            let weight = found.record.weight();
            match seen.entry(key) {
                Slot::Vacant(slot) => {
                    slot.insert(Seen { weight, indexed: Indexed::No });
                    events += 1;
                }
                Slot::Occupied(slot) if slot.get().weight >= weight => repeated += 1,
                Slot::Occupied(mut slot) => slot.get_mut().weight = weight,
            }
        });
        let problems = problems.map_err(refused("read", &self.path))?;
        report.session_files += 1;
        report.bytes += listed.bytes;
        report.add_problems(&self.shown, &problems, Mend::Export);
        if repeated > 0 {
            let (one, many) = ("line repeats", "lines repeat");
            let what = format!("{} an event that is there already and says no less", counted(repeated, one, many));
            report.add_lasting(&self.shown, what);
        }
        let counted = Counted { events, span, checksum: checksum(&hashing.finish()) };
        self.compare(listed.bytes, &counted, report);
        Ok(())
    }

    fn compare(&self, bytes: u64, counted: &Counted, report: &mut VerifyReport) {
        let Some(entry) = self.entry else { return };
        let mut add = |what: String| report.add(&self.shown, what);
        let committed = entry.bytes.unwrap_or(bytes);
        if bytes < committed {
            add(format!("it has {bytes} bytes, and the manifest says {committed}: committed events are lost"));
            return;
        }
        if counted.checksum != entry.checksum {
            add(format!("its checksum is {}, and the manifest says {}", counted.checksum, entry.checksum));
        }
        if bytes > committed {
            let more = bytes - committed;
            add(format!(
                "{more} bytes at its end were not committed: the next export takes up the whole lines in them"
            ));
            return;
        }
        if counted.events != entry.event_count {
            add(format!("it has {} events, and the manifest says {}", counted.events, entry.event_count));
        }
        let (first, last) = (counted.span.first(), counted.span.last());
        if first != entry.first_ts {
            add(format!("its first time is `{first}`, and the manifest says `{}`", entry.first_ts));
        }
        if last != entry.last_ts {
            add(format!("its last time is `{last}`, and the manifest says `{}`", entry.last_ts));
        }
    }
}

/// Every event is in the index once, and nothing else is.
fn check_id_index(path: &Path, seen: &mut ById<Seen>, report: &mut VerifyReport) -> Result<(), MirrorError> {
    let name = "eventid-index.jsonl";
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !seen.is_empty() {
                report.add(name, "it is missing; the next export makes it anew");
            }
            return Ok(());
        }
        opened => opened.map_err(refused("read", path))?,
    };
    let (mut bad, mut repeated, mut unknown) = (0, 0, 0);
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, file), LINE_BYTES_MAX);
    while let Some(line) = lines.read_line().map_err(refused("read", path))? {
        if line.end == End::File {
            report.add(name, "the last line is torn");
            break;
        }
        match line.bytes.and_then(id_index::id_in).map(|key| seen.get_mut(&key)) {
            None => bad += 1,
            Some(None) => unknown += 1,
            Some(Some(Seen { indexed: Indexed::Yes, .. })) => repeated += 1,
            Some(Some(event)) => event.indexed = Indexed::Yes,
        }
    }
    let missing = u64::try_from(seen.values().filter(|event| event.indexed == Indexed::No).count()).unwrap_or(0);
    for (count, one, many) in [
        (bad, "line is not a line of an index", "lines are not lines of an index"),
        (repeated, "line repeats an id", "lines repeat an id"),
        (unknown, "id is in no segment", "ids are in no segment"),
        (missing, "event of the segments is not in it", "events of the segments are not in it"),
    ] {
        if count > 0 {
            report.add(name, counted(count, one, many));
        }
    }
    Ok(())
}
