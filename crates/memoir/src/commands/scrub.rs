//! Takes what is purged out of whatever else the home holds: what waits in the spool, and older copies of the journal.
//!
//! It is known there by what it says and in which session: this must be done before the journal loses the text.

use super::Context;
use crate::home::system_clock;
use crate::print::count;
use anyhow::Result;
use memoir_event::{Client, Event, Source};
use memoir_journal::{
    Admission, Chosen, Depth, Forgetting, ForgettingEntry, Journal, Seq, SqliteJournal, SqliteOptions, TextDigest,
    comparable,
};
use memoir_recall::Unwanted;
use memoir_record::wire::{Capture, RawRecord};
use memoir_record::{Claimed, Lane, Spool, SpoolListing};
use memoir_vectors::Removed;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another process that delivers a file of the spool.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is to be erased, as it is found outside the journal.
pub struct Said<'a> {
    journal: &'a SqliteJournal,
    texts: HashSet<TextDigest>,
    wanted: Option<Unwanted>,
}

/// What came in the way.
#[derive(Default)]
pub struct Hindered {
    /// Another process is at it: it must be tried again before the text is erased.
    pub busy: Vec<String>,
    /// What only the user can do.
    pub left: Vec<String>,
}

impl Said<'_> {
    /// What the events say, in every revision.
    pub fn of<'a>(journal: &'a SqliteJournal, events: &[Seq]) -> Result<Said<'a>> {
        Ok(Said { journal, texts: journal.text_digests(events)?, wanted: None })
    }

    /// And whatever waits in the spool and was never stored here, as far as it is asked for by text or session.
    #[must_use]
    pub fn and_unstored(self, unwanted: Unwanted) -> Self {
        Said { wanted: Some(unwanted), ..self }
    }

    /// How many records in the spool it is in.
    pub fn count_in_spool(&self, context: &Context) -> Result<u64> {
        let spool = context.spool()?;
        let mut number = 0;
        for lane in [Lane::Journal, Lane::Server] {
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
        self.is_in(&event.session, event.content.verbatim().as_bytes())
            || self.wanted.as_ref().is_some_and(|wanted| is_wanted(wanted, &event))
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
        let deadline = Instant::now() + PATIENCE;
        for lane in [Lane::Journal, Lane::Server] {
            for file in spool.waiting(lane)? {
                while !self.scrub_file(&spool, &file)? {
                    if Instant::now() >= deadline {
                        hindered.busy.push(format!("another process delivers {}", file.display()));
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        }
        let set_aside = SpoolListing::read(&context.settings.spool_dir)?.quarantined;
        if set_aside > 0 {
            let files = count(set_aside, "file");
            let look = "`memoir spool` tells where; look and delete";
            hindered.left.push(format!("{files} set aside in the spool cannot be read and may hold it: {look}"));
        }
        Ok(())
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

/// Whether a record that was never stored here is what somebody wants gone, by its text or its session.
fn is_wanted(wanted: &Unwanted, event: &Event) -> bool {
    if wanted.text.is_none() && wanted.session.is_none() {
        return false;
    }
    let says = |text: &String| comparable(&event.content.plain()).contains(&comparable(text));
    let is_of = |name: &String| {
        let (client, id) = Client::split_session(name);
        event.session == *name || (event.session == id && (client.is_none() || client == event.client))
    };
    wanted.text.as_ref().is_none_or(says) && wanted.session.as_ref().is_none_or(is_of)
}
