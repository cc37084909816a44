//! Takes what is purged out of whatever else the home holds: what waits in the spool, and older copies of the journal.
//!
//! It is known there by what it says and in which session: this must be done before the journal loses the text.

use super::Context;
use super::context::project_of;
use super::remote::forgotten_in;
use crate::home::system_clock;
use crate::print::count;
use anyhow::Result;
use memoir_event::{Client, Event, Json, Source, Time};
use memoir_journal::{
    Admission, Chosen, Depth, Forgetting, ForgettingEntry, Journal, ProjectEntry, Seq, SqliteJournal, SqliteOptions,
    TextDigest, comparable,
};
use memoir_recall::Unwanted;
use memoir_record::wire::{Capture, RawRecord};
use memoir_record::{Claimed, Lane, Spool, SpoolListing};
use memoir_vectors::Removed;
use std::cell::Cell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another process that delivers a file of the spool.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where records wait, or are held back.
pub const LANES: [Lane; 3] = [Lane::Journal, Lane::Server, Lane::Held];

/// What is to be erased, as it is found outside the journal.
pub struct Said<'a> {
    journal: &'a SqliteJournal,
    texts: HashSet<TextDigest>,
    wanted: Option<Wanted>,
}

/// What somebody wants gone of what was never stored here.
struct Wanted {
    unwanted: Unwanted,
    /// The ids that the project has or had.
    projects: Vec<String>,
}

/// What came in the way.
#[derive(Default)]
pub struct Hindered {
    /// Another process is at it: it must be tried again before the text is erased.
    pub busy: Vec<String>,
    /// What only the user can do.
    pub left: Vec<String>,
    /// So many records are held back that waited for a server.
    pub held: usize,
}

impl Said<'_> {
    /// What the events say, in every revision.
    pub fn of<'a>(journal: &'a SqliteJournal, events: &[Seq]) -> Result<Said<'a>> {
        Ok(Said { journal, texts: journal.text_digests(events)?, wanted: None })
    }

    /// And whatever waits in the spool and was never stored here, as far as it is asked for.
    pub fn and_unstored(self, unwanted: Unwanted) -> Result<Self> {
        let mut projects: Vec<String> = unwanted.project.iter().cloned().collect();
        if let Some(name) = &unwanted.project {
            let is_it = |entry: &ProjectEntry| entry.repo == *name || entry.aliases.contains(name);
            let known = self.journal.projects()?.into_iter().filter(is_it);
            projects.extend(known.flat_map(|entry| entry.aliases.into_iter().chain([entry.repo])));
        }
        Ok(Said { wanted: Some(Wanted { unwanted, projects }), ..self })
    }

    /// How many records of these lanes of the spool it is in.
    pub fn count_in_spool(&self, context: &Context, lanes: &[Lane]) -> Result<u64> {
        let spool = context.spool()?;
        let mut number = 0;
        for lane in lanes.iter().copied() {
            for file in spool.waiting(lane)? {
                let bytes = std::fs::read(&file).unwrap_or_default();
                let records = bytes.split(|byte| *byte == b'\n').filter_map(|line| RawRecord::parse(line).ok());
                number += records.filter(|record| self.is_record(record)).fold(0, |number, _| number + 1);
            }
        }
        Ok(number)
    }

    fn is_in(&self, session: &str, text: &[u8]) -> bool {
        self.texts.contains(&self.journal.text_digest(session, text))
    }

    fn is_record(&self, record: &RawRecord) -> bool {
        let any_capture = Capture { source: Source::Http, at_ms: 0, nonce: 0 };
        let Ok(event) = record.clone().into_event(any_capture) else {
            return record.content.blocks.iter().any(|block| self.is_in(&record.session_id, &block.data));
        };
        self.is_in(&event.session, event.content.verbatim().as_bytes()) || self.is_wanted_record(record)
    }

    fn is_wanted_record(&self, record: &RawRecord) -> bool {
        let any_capture = Capture { source: Source::Http, at_ms: 0, nonce: 0 };
        let Ok(event) = record.clone().into_event(any_capture) else { return false };
        let cwd = record.cwd();
        self.wanted.as_ref().is_some_and(|wanted| wanted.is(&event, cwd.as_deref()))
    }

    /// Leaves nothing of it in the home but in the journal itself.
    pub fn scrub(&self, context: &Context, entries: &[ForgettingEntry]) -> Hindered {
        let mut hindered = self.scrub_spool(context);
        self.scrub_copies(context, entries, &mut hindered);
        if let Err(error) = self.scrub_vectors(context, &mut hindered) {
            hindered.left.push(format!("the vectors may still hold it: {error:#}; delete that directory"));
        }
        hindered
    }

    /// Leaves no byte of the vectors of whatever was purged.
    fn scrub_vectors(&self, context: &Context, hindered: &mut Hindered) -> Result<()> {
        let mut purged: HashSet<Seq> = HashSet::new();
        for entry in self.journal.forgettings()?.iter().filter(|entry| entry.depth == Depth::Purge) {
            purged.extend(self.journal.forgotten_by(&entry.name)?.unwrap_or_default());
        }
        if context.vectors().remove(&mut |seq| purged.contains(&seq))? == Removed::Busy {
            hindered.busy.push("another process writes the vectors".to_owned());
        }
        Ok(())
    }

    /// Leaves nothing of it in what waits to be delivered.
    pub fn scrub_spool(&self, context: &Context) -> Hindered {
        let mut hindered = Hindered::default();
        if let Err(error) = self.try_scrub_spool(context, &mut hindered) {
            hindered.busy.push(format!("what waits in the spool could not be searched: {error:#}"));
        }
        hindered
    }

    fn try_scrub_spool(&self, context: &Context, hindered: &mut Hindered) -> Result<()> {
        let spool = context.spool()?;
        spool.recover()?;
        each_file(&spool, &LANES, hindered, &mut |file| self.scrub_file(&spool, file))?;
        let set_aside = SpoolListing::read(&context.settings.spool_dir)?.quarantined;
        if set_aside > 0 {
            let files = count(set_aside, "file");
            let look = "`memoir spool` tells where; look and delete";
            hindered.left.push(format!("{files} set aside in the spool cannot be read and may hold it: {look}"));
        }
        Ok(())
    }

    /// Takes what is forgotten now out of what waits for a server, until that is undone. It is known by what the journal
    /// would suppress, or by what was asked for.
    pub fn hold(&self, context: &Context, name: &str) -> Hindered {
        let mut hindered = Hindered::default();
        let number = Cell::new(0);
        let mut held = || -> Result<()> {
            let (spool, redactor) = (context.spool()?, context.settings.redactor()?);
            let forgotten = forgotten_in(self.journal, &redactor);
            spool.recover()?;
            each_file(&spool, &[Lane::Server], &mut hindered, &mut |file| {
                let mut claim = match spool.claim(file)? {
                    Claimed::Ours(claim) => claim,
                    Claimed::Others => return Ok(!file.exists()),
                    Claimed::SetAside(_) => return Ok(true),
                };
                let all = claim.take_records();
                let is_gone = forgotten(&all).unwrap_or_default();
                let is_held = |at: usize, record: &RawRecord| {
                    is_gone.get(at).copied().unwrap_or(false) || self.is_wanted_record(record)
                };
                let parted = all.into_iter().enumerate().partition(|(at, record)| is_held(*at, record));
                let (gone, rest): (Vec<_>, Vec<_>) = parted;
                let [gone, rest] =
                    [gone, rest].map(|part| part.into_iter().map(|(_, record)| record).collect::<Vec<_>>());
                spool.hold(name, &gone)?;
                number.set(number.get() + gone.len());
                match (gone.is_empty(), rest.is_empty()) {
                    (true, _) => {}
                    (false, true) => claim.done(&spool)?,
                    (false, false) => claim.keep_rest(&spool, &rest)?,
                }
                Ok(true)
            })
        };
        if let Err(error) = held() {
            hindered.busy.push(format!("what waits for a server could not be searched: {error:#}"));
        }
        hindered.held = number.get();
        hindered
    }

    /// False while another process has the file.
    fn scrub_file(&self, spool: &Spool, file: &Path) -> Result<bool> {
        let mut claim = match spool.claim(file)? {
            Claimed::Ours(claim) => claim,
            Claimed::Others => return Ok(!file.exists()),
            Claimed::SetAside(_) => return Ok(true),
        };
        let all = claim.take_records();
        let rest: Vec<_> = all.iter().filter(|record| !self.is_record(record)).cloned().collect();
        match (rest.len() == all.len(), rest.is_empty()) {
            (true, _) => {}
            (false, true) => claim.done(spool)?,
            (false, false) => claim.keep_rest(spool, &rest)?,
        }
        Ok(true)
    }

    /// Purges the same from copies of the journal that a restore left in the home.
    fn scrub_copies(&self, context: &Context, entries: &[ForgettingEntry], hindered: &mut Hindered) {
        let Ok(files) = std::fs::read_dir(context.home.dir()) else { return };
        let mut paths: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with("journal-before-restore-") && name.ends_with(".memoir") {
                if let Err(error) = self.purge_copy(context, &path, entries) {
                    hindered.left.push(format!("{} still holds it: {error:#}; delete it", path.display()));
                }
            } else if name.starts_with("journal-damaged-") {
                hindered.left.push(format!("{} is a damaged journal that may hold it: delete it", path.display()));
            }
        }
    }

    /// A copy has its own places: what is to go is found by what it says.
    fn purge_copy(&self, context: &Context, path: &Path, entries: &[ForgettingEntry]) -> Result<()> {
        let copy = SqliteJournal::open(path, SqliteOptions::long_lived(), system_clock())?;
        let found = copy.saying(&|session, text| self.is_in(session, text))?;
        if !found.is_empty() {
            let redactor = context.settings.redactor()?;
            let admission = Admission::new(&redactor, copy.hasher().clone());
            let entry = entries.first();
            let wish = Forgetting {
                name: entry.map_or_else(|| "purge".to_owned(), |entry| entry.name.clone()),
                chosen: Chosen::Events(found),
                depth: Depth::Purge,
                asked: entry.map(|entry| entry.asked.clone()).unwrap_or_default(),
                reason: entry.and_then(|entry| entry.reason.clone()),
                by: context.actor(),
            };
            let batch: Vec<_> = wish.into_events().into_iter().map(|event| admission.admit(event)).collect();
            copy.append(&batch, &[])?;
        }
        let erased = copy.erase(&mut |_, _| true)?;
        anyhow::ensure!(erased.is_clean, "another process reads it");
        copy.finish_purges(&erased.purges)?;
        copy.checkpoint()?;
        drop(copy);
        for suffix in ["-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }
}

/// Does something with each file that waits; what another process has is tried again for a while.
fn each_file(
    spool: &Spool,
    lanes: &[Lane],
    hindered: &mut Hindered,
    work: &mut dyn FnMut(&Path) -> Result<bool>,
) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    for lane in lanes {
        for file in spool.waiting(*lane)? {
            while !work(&file)? {
                if Instant::now() >= deadline {
                    hindered.busy.push(format!("another process delivers {}", file.display()));
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
    Ok(())
}

impl Wanted {
    /// Whether a record that was never stored here is what somebody wants gone.
    fn is(&self, event: &Event, cwd: Option<&str>) -> bool {
        let unwanted = &self.unwanted;
        if unwanted.is_nothing() {
            return false;
        }
        let session = |name: &String| {
            let (client, id) = Client::split_session(name);
            event.session == *name || (event.session == id && (client.is_none() || client == event.client))
        };
        let turn = event.turn.as_ref();
        let is_turn = unwanted.ids.is_empty() || turn.is_some_and(|turn| unwanted.ids.contains(turn));
        // One that says no time was recorded before this was asked.
        let ms = event.time.as_ref().map(Time::ms).or(event.captured_ms);
        let is_then = unwanted.from_ms.is_none_or(|from| ms.is_some_and(|ms| ms >= from))
            && unwanted.to_ms.is_none_or(|to| ms.is_none_or(|ms| ms <= to));
        is_turn
            && is_then
            && unwanted.session.as_ref().is_none_or(session)
            && unwanted.actor.as_ref().is_none_or(|actor| event.actor.as_ref() == Some(actor))
            && (unwanted.project.is_none() || self.is_of_project(event, cwd))
            && unwanted.text.as_ref().is_none_or(|text| says(event, text))
    }

    fn is_of_project(&self, event: &Event, cwd: Option<&str>) -> bool {
        let repo = if event.repo.is_empty() { project_of(cwd) } else { event.repo.clone() };
        self.projects.contains(&repo)
    }
}

/// Whether an event says a text somewhere, in its names too.
fn says(event: &Event, text: &str) -> bool {
    let wanted = comparable(text);
    let names = [&event.turn, &event.topic, &event.action, &event.adapter].into_iter().flatten();
    let data = [&event.metadata, &event.meta].into_iter().flatten().map(Json::as_str);
    let mut all = names.map(String::as_str).chain(data);
    comparable(&event.content.plain()).contains(&wanted) || all.any(|said| comparable(said).contains(&wanted))
}
