//! Runs an import: several readers, one writer.

use super::copies;
use super::coverage::Coverage;
use super::files::{ClientDirs, Found, SourceFile};
use super::position::{Fate, Position, Stamp};
use super::read::{Agents, Go, Portion, STREAM_PREFIX, Shared, read_file, stream_of};
use super::summary::{FileReport, ImportSummary};
use crate::intake::{Intake, Rules};
use crate::names::{Names, NamesError};
use crate::private::{Place, PrivateRequests};
use crate::runs::{Runs, salt_of};
use memoir_journal::{Admission, Alias, Clock, Cursor, Journal, JournalError, Redacted};
use memoir_redact::Redactor;
use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// At most so many files are read at once.
const READERS_MAX: usize = 4;

/// Held by the reader that unpacks something that takes much memory.
static WIDE: Mutex<()> = Mutex::new(());

/// Portions that may wait for the writer; those of small files are small.
const PORTIONS_WAITING: usize = 32;

/// Events in one append at most, and at least: enough to share the cost of a sync and of pages that many write to, few
/// enough to let other writers in.
const APPEND_EVENTS: RangeInclusive<usize> = 250..=2000;

/// So long an append should take: hooks wait for its end.
const APPEND_TIME: Duration = Duration::from_millis(40);

/// So much of the files is in one append, or a portion more.
const APPEND_BYTES_MAX: u64 = 16 << 20;

/// How long a writer with few events waits for more: small files would cost a sync each.
const GATHER_TIME: Duration = Duration::from_millis(10);

/// How long to try when another process keeps the journal locked.
const LOCKED_PATIENCE: Duration = Duration::from_secs(60);

/// Why an import could not go on. What was stored is stored; the next import goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The journal cannot be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No names can be made.
    #[error(transparent)]
    Names(#[from] NamesError),
}

/// How far an import has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes looked at.
    pub done: u64,
    /// Bytes there are.
    pub total: u64,
}

/// Imports history into a journal.
#[derive(Clone, Copy)]
pub struct Importer<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// For whom and by which rules.
    pub rules: Rules<'a>,
    /// Where clients keep their sessions.
    pub dirs: &'a ClientDirs,
    /// The time.
    pub clock: &'a Clock,
    /// Set by a signal: stop soon, and well.
    pub stop: &'a AtomicBool,
}

impl Importer<'_> {
    fn shared(&self) -> Shared<'_> {
        let hasher = self.journal.hasher().clone();
        Shared {
            rules: self.rules,
            salt: salt_of(&hasher),
            hasher,
            runs: Mutex::default(),
            private: PrivateRequests::default(),
            stop: self.stop,
            now_ms: (self.clock)(),
            wide: &WIDE,
        }
    }

    /// Imports what is new in those files.
    pub fn import(&self, found: Found, progress: &mut dyn FnMut(Progress)) -> Result<ImportSummary, ImportError> {
        self.run(found, progress, &mut Some(self.journal))
    }

    /// Reads what is new in those files and stores nothing.
    pub fn look(&self, found: Found, progress: &mut dyn FnMut(Progress)) -> Result<ImportSummary, ImportError> {
        self.run(found, progress, &mut None)
    }

    fn run(
        &self,
        found: Found,
        progress: &mut dyn FnMut(Progress),
        journal: &mut Option<&dyn Journal>,
    ) -> Result<ImportSummary, ImportError> {
        let mut shared = self.shared();
        shared.private = PrivateRequests::of(self.journal)?;
        if found.files.iter().any(|file| file.format.is_stream()) {
            shared.runs = Mutex::new(Runs::of(self.journal)?);
        }
        let cursors: HashMap<String, Cursor> =
            self.journal.cursors(STREAM_PREFIX)?.into_iter().map(|cursor| (cursor.stream.clone(), cursor)).collect();
        let mut summary = ImportSummary::default();
        found.unreadable.into_iter().for_each(|unreadable| summary.add_unreadable(unreadable));
        let mut files = found.files;
        let is_new = |file: &SourceFile| !cursors.contains_key(&stream_of(file, shared.salt));
        let mut lists = copies::lists(&mut files, &is_new);
        let total = files.iter().map(|file| file.bytes).sum();
        let mut left = BTreeSet::new();
        let mut writer = Writer {
            importer: self,
            journal: *journal,
            summary: &mut summary,
            renamed: BTreeSet::new(),
            left: &mut left,
            total,
            done: 0,
        };
        // Sub-agents and forks come last: then it is known which requests are private that they work for, and whatever
        // they copied is there in its place.
        for agents in [Agents::Leave, Agents::Read] {
            let mut written = Ok(());
            let next = AtomicUsize::new(0);
            let readers =
                std::thread::available_parallelism().map_or(2, usize::from).clamp(1, READERS_MAX).min(lists.len());
            std::thread::scope(|scope| {
                let (sender, receiver) = sync_channel(PORTIONS_WAITING);
                for _ in 0..readers {
                    let sender = sender.clone();
                    let (shared, files, cursors, lists, next) = (&shared, &files, &cursors, &lists, &next);
                    scope.spawn(move || read_files(shared, files, cursors, (lists, next, agents), &sender));
                }
                drop(sender);
                written = writer.write_all(&receiver, &files, progress);
                // Readers that wait to hand over find nobody there and end.
                drop(receiver);
            });
            written?;
            let left = std::mem::take(writer.left);
            lists.iter_mut().for_each(|list| list.retain(|at| left.contains(at)));
            lists.retain(|list| !list.is_empty());
            copies::in_order(&files, &mut lists);
        }
        summary.stopped = self.stop.load(Ordering::Relaxed);
        Ok(summary)
    }

    /// Reads at most so many bytes of one file of a session: all that a hook has time for. Says whether something is
    /// left.
    pub fn catch_up(&self, file: &SourceFile, session: &str, bytes_max: u64) -> Result<CaughtUp, ImportError> {
        let salt = self.shared().salt;
        let place = Place::new(file.format.client(), session, salt);
        self.read_some(file, PrivateRequests::of_session(self.journal, &place)?, bytes_max)
    }

    /// The same of a file of any session.
    pub fn catch_up_any(&self, file: &SourceFile, bytes_max: u64) -> Result<CaughtUp, ImportError> {
        self.read_some(file, PrivateRequests::of(self.journal)?, bytes_max)
    }

    fn read_some(&self, file: &SourceFile, private: PrivateRequests, bytes_max: u64) -> Result<CaughtUp, ImportError> {
        let shared = Shared { private, ..self.shared() };
        let cursor = self.journal.cursor(&stream_of(file, shared.salt))?;
        let mut intake = Intake::knowing(shared.rules, shared.hasher.clone(), shared.private.clone());
        let mut portions = Vec::new();
        let bounds = (Some(bytes_max), Agents::Read);
        let report = read_file(&shared, file, cursor.as_ref(), bounds, &mut intake, &mut |portion| {
            portions.push(portion);
            Go::On
        });
        Ok(CaughtUp { is_whole: report.left_bytes == 0 && report.failed.is_none(), events: report.events, portions })
    }

    /// Whether the file was read to its end, as it is now.
    pub fn is_read(&self, file: &SourceFile) -> Result<bool, ImportError> {
        let cursor = self.journal.cursor(&stream_of(file, self.shared().salt))?;
        let position: Option<Position> = cursor.and_then(|cursor| serde_json::from_str(&cursor.position).ok());
        let stamp = std::fs::metadata(&file.path).map(|metadata| Stamp::of(&metadata));
        Ok(stamp.is_ok_and(|stamp| position.is_some_and(|position| position.fate(stamp, &|| false) == Fate::Same)))
    }

    /// Whether anything of the file was ever read.
    pub fn has_begun(&self, file: &SourceFile) -> Result<bool, ImportError> {
        Ok(self.journal.cursor(&stream_of(file, self.shared().salt))?.is_some())
    }

    /// How much of each file is in the journal.
    pub fn coverage(&self, found: &Found) -> Result<Vec<Coverage>, ImportError> {
        let salt = self.shared().salt;
        let cursors: HashMap<String, Cursor> =
            self.journal.cursors(STREAM_PREFIX)?.into_iter().map(|cursor| (cursor.stream.clone(), cursor)).collect();
        let one = |file: &SourceFile| {
            let cursor = cursors.get(&stream_of(file, salt));
            let known = cursor.and_then(|cursor| serde_json::from_str(&cursor.position).ok());
            let path = || self.rules.redactor.text(&file.path.to_string_lossy()).into_owned();
            Coverage::of(file, known.as_ref(), &|known| known.path != path())
        };
        Ok(found.files.iter().map(one).collect())
    }
}

/// Tells the journal that a project goes by its address now, if events are recorded under its path alone.
pub fn rename_project(
    journal: &dyn Journal,
    redactor: &Redactor,
    clock: &Clock,
    from: &str,
    to: &str,
) -> Result<bool, ImportError> {
    if from == to || !journal.has_project(from)? {
        return Ok(false);
    }
    let name = Names::new(clock.clone())?.uuid();
    let alias = Alias::Project { from: from.to_owned(), to: to.to_owned() }.into_event(name);
    let admission = Admission::new(redactor, journal.hasher().clone());
    journal.append(&[admission.admit(alias)], &[])?;
    Ok(true)
}

/// What a hook read of a session file.
#[derive(Debug)]
pub struct CaughtUp {
    /// Whether the end was reached.
    pub is_whole: bool,
    /// How many events it gave.
    pub events: u64,
    /// What is to be stored.
    pub portions: Vec<Portion>,
}

/// What readers tell the writer.
enum Told {
    Portion(Portion),
    Done(usize, Box<FileReport>),
}

/// Reads one list of files after another, until there is none left.
fn read_files<'a>(
    shared: &'a Shared<'a>,
    files: &[SourceFile],
    cursors: &HashMap<String, Cursor>,
    (lists, next, agents): (&[Vec<usize>], &AtomicUsize, Agents),
    sender: &SyncSender<Told>,
) {
    let mut intake = Intake::knowing(shared.rules, shared.hasher.clone(), shared.private.clone());
    while let Some(list) = lists.get(next.fetch_add(1, Ordering::Relaxed)) {
        for &at in list {
            let Some(file) = files.get(at).filter(|_| !shared.stop.load(Ordering::Relaxed)) else { return };
            let cursor = cursors.get(&stream_of(file, shared.salt));
            let mut gone = false;
            let report = read_file(shared, file, cursor, (None, agents), &mut intake, &mut |portion| {
                gone = sender.send(Told::Portion(portion)).is_err();
                if gone { Go::Stop } else { Go::On }
            });
            if gone || sender.send(Told::Done(at, Box::new(report))).is_err() {
                return;
            }
        }
    }
}

/// Writes what readers hand over.
struct Writer<'a> {
    importer: &'a Importer<'a>,
    journal: Option<&'a dyn Journal>,
    summary: &'a mut ImportSummary,
    /// Projects of which the journal knows that they go by an address now.
    renamed: BTreeSet<(String, String)>,
    /// Files that are to be read after the others.
    left: &'a mut BTreeSet<usize>,
    total: u64,
    done: u64,
}

impl Writer<'_> {
    /// Tells the journal where projects belong that have an address now, before anything comes under it: what was
    /// forgotten of them stays away under that, too.
    fn rename(&mut self, renamed: BTreeSet<(String, String)>) -> Result<(), ImportError> {
        let Some(journal) = self.journal else { return Ok(()) };
        let Importer { rules, clock, .. } = self.importer;
        for (from, to) in renamed {
            if self.renamed.insert((from.clone(), to.clone())) {
                self.summary.renamed += u64::from(rename_project(journal, rules.redactor, clock, &from, &to)?);
            }
        }
        Ok(())
    }

    fn write_all(
        &mut self,
        receiver: &Receiver<Told>,
        files: &[SourceFile],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ImportError> {
        let mut events_max = *APPEND_EVENTS.end();
        while let Ok(told) = receiver.recv() {
            let (mut batch, mut cursors): (Vec<Redacted>, Vec<Cursor>) = (Vec::new(), Vec::new());
            let (mut next, mut bytes) = (Some(told), 0);
            while let Some(told) = next {
                match told {
                    Told::Portion(portion) => {
                        self.rename(portion.renamed)?;
                        batch.extend(portion.batch);
                        cursors.extend(portion.cursors);
                        bytes += portion.bytes;
                    }
                    Told::Done(at, report) if report.is_left => {
                        self.left.insert(at);
                    }
                    Told::Done(at, report) => {
                        if let Some(file) = files.get(at) {
                            if report.unchanged {
                                self.done += report.bytes;
                            }
                            self.summary.add(file.format.client(), file.path.clone(), *report);
                        }
                    }
                }
                let has_room = batch.len() < events_max && bytes < APPEND_BYTES_MAX;
                next = if has_room { receiver.recv_timeout(GATHER_TIME).ok() } else { None };
            }
            self.done += bytes;
            if let Some(journal) = self.journal {
                let begun = Instant::now();
                for outcome in append_with_patience(journal, &batch, &cursors)? {
                    self.summary.count(&outcome);
                }
                let wanted = if begun.elapsed() > APPEND_TIME { events_max / 2 } else { events_max * 2 };
                events_max = wanted.clamp(*APPEND_EVENTS.start(), *APPEND_EVENTS.end());
            }
            progress(Progress { done: self.done.min(self.total), total: self.total });
        }
        Ok(())
    }
}

/// Appends; an import can wait for other writers.
fn append_with_patience(
    journal: &dyn Journal,
    batch: &[Redacted],
    cursors: &[Cursor],
) -> Result<Vec<memoir_journal::Outcome>, JournalError> {
    let begun = Instant::now();
    loop {
        match journal.append(batch, cursors) {
            Err(error) if error.is_transient() && begun.elapsed() < LOCKED_PATIENCE => {
                std::thread::sleep(Duration::from_millis(50));
            }
            done => return done,
        }
    }
}
