//! A client's stream while it is written: each line is stored before anybody sees it.

use crate::import::Shrinker;
use crate::input::Input;
use crate::intake::{Intake, Rules};
use crate::keep::{Kept, for_server, keep};
use crate::names::Names;
use crate::policy::Reason;
use crate::runs::{Run, salt_of};
use crate::spool::{Lane, Spool};
use memoir_capture::{Captured, Counts, Out, Parser, Salt, Tally};
use memoir_event::KeyHasher;
use memoir_journal::{Journal, Redacted};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much is read at once.
const READ_BYTES: usize = 64 << 10;

/// A longer line is made smaller while it is read.
const LINE_BYTES_MAX: usize = 8 << 20;

/// How long to wait for more before looking round.
const WAIT: Duration = Duration::from_millis(100);

/// So long may a text grow before what is there of it is stored and shown.
const GROWING: Duration = Duration::from_millis(500);

/// So long is read what a client left that has ended: something that it started may go on writing for ever.
const LEFT_OVER: Duration = Duration::from_secs(5);

/// What parsers say of a line that is no data.
const NOT_JSON: &str = "not JSON";

/// What a stream is stored with.
#[derive(Clone, Copy)]
pub struct Live<'a> {
    /// The journal, if it can be opened.
    pub journal: Option<&'a dyn Journal>,
    /// Where events go that the journal cannot take.
    pub spool: &'a Spool,
    /// For whom and by which rules.
    pub rules: Rules<'a>,
    /// Names for what has none.
    pub names: &'a Names,
    /// Whether events also go into the outbox for a server.
    pub to_server: bool,
    /// Whether nothing may be recorded now: the user may want a pause at any moment.
    pub is_paused: &'a dyn Fn() -> bool,
}

/// What may be shown: it is stored.
#[derive(Debug)]
pub enum Shown<'a> {
    /// A line without its newline, and what it says.
    Line(&'a [u8], &'a [Captured]),
    /// More of what earlier lines began to say.
    More(&'a [Captured]),
    /// A piece of a line that is too long to wait for; its end says what it says.
    Piece(&'a [u8]),
}

/// What became of a stream.
#[derive(Debug, Default)]
pub struct LiveSummary {
    /// Events that are stored or wait in the spool.
    pub events: u64,
    /// Those that only wait in the spool.
    pub spooled: u64,
    /// Those that could be kept nowhere.
    pub lost: u64,
    /// What is wrong with the journal.
    pub problem: Option<String>,
    /// Secrets taken out.
    pub redactions: u64,
    /// What was not recorded, by why.
    pub excluded: BTreeMap<Reason, u64>,
    /// Everything that became no event.
    pub tally: Tally,
    /// How many lines are no data: the client speaks beside its stream. They are among the problems, too.
    pub beside: u64,
}

impl LiveSummary {
    /// What of the stream itself could not be read, by what is wrong with it.
    pub fn unread(&self) -> Counts {
        let mut unread = self.tally.problems.clone();
        if let Some(lines) = unread.get_mut(NOT_JSON) {
            *lines = lines.saturating_sub(self.beside);
        }
        unread.retain(|_, lines| *lines > 0);
        unread
    }
}

/// A stream on its way.
pub struct LiveStream<'a> {
    live: Live<'a>,
    parser: Box<dyn Parser>,
    /// The run, and whether the journal is still to hear how it begins.
    run: (Run, bool),
    salt: Salt,
    intake: Intake<'a>,
    number: u64,
    /// What is read of a line, and of one that is too long.
    line: Vec<u8>,
    huge: Option<Shrinker>,
    /// Lines that are read and not shown yet, with their events.
    held: Vec<(Vec<u8>, Vec<Captured>)>,
    batch: Vec<Redacted>,
    /// Since when something is read that is not handed over.
    growing: Option<Instant>,
    /// Set once it is known that the run is private.
    hush: Option<&'a AtomicBool>,
    /// What became of it so far.
    pub summary: LiveSummary,
}

impl<'a> LiveStream<'a> {
    /// The stream of that run, which `parser` can read. Nothing of a private run is stored, but that it was one.
    pub fn new(live: Live<'a>, run: Run, parser: Box<dyn Parser>) -> LiveStream<'a> {
        let hasher = live.journal.map_or_else(|| KeyHasher::new([0; 32]), |journal| journal.hasher().clone());
        let salt = salt_of(&hasher);
        let mut intake = Intake::new(live.rules, hasher);
        if run.is_private() {
            intake.judge().hide_all();
        }
        LiveStream {
            live,
            parser,
            run: (run, false),
            salt,
            intake,
            number: 0,
            line: Vec::new(),
            huge: None,
            held: Vec::new(),
            batch: Vec::new(),
            growing: None,
            hush: None,
            summary: LiveSummary::default(),
        }
    }

    /// The same stream, of a run that is private as soon as that is set: a prompt may come piece by piece.
    #[must_use]
    pub fn hushed_by(mut self, hush: &'a AtomicBool) -> LiveStream<'a> {
        self.hush = Some(hush);
        self.listen_for_hush();
        self
    }

    /// If the run turns out to be private, nothing more of it is stored, and nothing that waits.
    fn listen_for_hush(&mut self) {
        if self.run.0.is_private() || !self.hush.is_some_and(|hush| hush.load(Ordering::Acquire)) {
            return;
        }
        self.run = (self.run.0.clone().private(true), true);
        self.intake.judge().hide_all();
        let waiting = u64::try_from(self.batch.len()).unwrap_or(0);
        self.batch.clear();
        *self.summary.excluded.entry(Reason::Private).or_default() += waiting;
    }

    /// Takes the stream to its end, or until `is_over` says that nothing more will come.
    pub fn run(
        &mut self,
        input: &mut dyn Input,
        is_over: &mut dyn FnMut() -> bool,
        show: &mut dyn FnMut(Shown<'_>),
    ) -> io::Result<()> {
        let mut buffer = vec![0; READ_BYTES];
        let mut over: Option<Instant> = None;
        loop {
            // Who has ended may have written something right before: what is there is read, but nobody is waited for.
            let wait = if over.is_some() { Duration::ZERO } else { WAIT };
            if over.is_some_and(|at| at.elapsed() >= LEFT_OVER) {
                break;
            }
            if !input.ready(wait)? {
                if !self.parser.is_settled() {
                    self.settle(show);
                }
                if over.is_some() {
                    break;
                }
                over = is_over().then(Instant::now);
                continue;
            }
            let read = match input.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.finish(show);
                    return Err(error);
                }
                Ok(read) => read,
            };
            if read == 0 {
                break;
            }
            self.take(buffer.get(..read).unwrap_or_default(), show);
            match (self.parser.is_settled(), self.growing) {
                (true, _) => self.hand_over(show),
                (false, Some(since)) if since.elapsed() >= GROWING => self.settle(show),
                (false, Some(_)) => {}
                (false, None) => self.growing = Some(Instant::now()),
            }
        }
        self.finish(show);
        Ok(())
    }

    /// Takes some bytes: lines that they complete are read.
    fn take(&mut self, mut bytes: &[u8], show: &mut dyn FnMut(Shown<'_>)) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            let (end, rest) = bytes.split_at(at);
            bytes = rest.get(1..).unwrap_or_default();
            self.end_line(end, show);
        }
        if self.huge.is_none() && self.line.len() + bytes.len() <= LINE_BYTES_MAX {
            self.line.extend_from_slice(bytes);
            return;
        }
        self.hand_over(show);
        let begun = std::mem::take(&mut self.line);
        let huge = self.huge.get_or_insert_default();
        for piece in [begun.as_slice(), bytes].into_iter().filter(|piece| !piece.is_empty()) {
            huge.push(piece);
            show(Shown::Piece(piece));
        }
    }

    fn end_line(&mut self, end: &[u8], show: &mut dyn FnMut(Shown<'_>)) {
        if let Some(mut huge) = self.huge.take() {
            huge.push(end);
            show(Shown::Piece(end));
            let said = match huge.finish() {
                (Some(line), _) => {
                    self.problem("huge line, shortened");
                    self.read(&line)
                }
                (None, _) => {
                    self.problem("line too long");
                    Vec::new()
                }
            };
            self.store();
            show(Shown::Piece(b"\n"));
            show(Shown::More(&said));
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(end);
        let said = self.read(&line);
        self.held.push((line, said));
    }

    fn problem(&mut self, what: &str) {
        Tally::add(&mut self.summary.tally.problems, what);
    }

    fn read(&mut self, line: &[u8]) -> Vec<Captured> {
        self.number += 1;
        self.run.1 |= self.run.0.take(line, self.salt);
        let line = line.trim_ascii();
        if line.is_empty() {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(line);
        if matches!(text, Cow::Owned(_)) {
            self.problem("invalid UTF-8");
        }
        let mut out = Out::default();
        self.parser.line(self.number, &text, &mut out);
        if !line.starts_with(b"{") && out.tally.problems.contains_key(NOT_JSON) {
            self.summary.beside += 1;
        }
        self.listen_for_hush();
        self.admit(out)
    }

    fn admit(&mut self, out: Out) -> Vec<Captured> {
        self.summary.tally.merge(out.tally);
        self.intake.look_at(&out.events);
        for captured in &out.events {
            match self.intake.take(captured.clone()) {
                Ok(redacted) => {
                    self.summary.redactions += redacted.secrets();
                    self.batch.push(redacted);
                }
                Err(reason) => *self.summary.excluded.entry(reason).or_default() += 1,
            }
        }
        out.events
    }

    /// Stores what a growing text says so far, and everything before it.
    fn settle(&mut self, show: &mut dyn FnMut(Shown<'_>)) {
        let mut out = Out::default();
        if !self.live.rules.policy.has_patterns() {
            self.parser.pause(&mut out);
        }
        let more = self.admit(out);
        self.hand_over(show);
        show(Shown::More(&more));
    }

    /// Stores what was read, and then shows it.
    fn hand_over(&mut self, show: &mut dyn FnMut(Shown<'_>)) {
        self.store();
        self.growing = None;
        for (line, said) in std::mem::take(&mut self.held) {
            show(Shown::Line(&line, &said));
        }
    }

    fn store(&mut self) {
        self.listen_for_hush();
        let mut batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() && (self.live.is_paused)() {
            let paused = u64::try_from(batch.len()).unwrap_or(0);
            *self.summary.excluded.entry(Reason::Paused).or_default() += paused;
            batch.clear();
        }
        let mut cursors = self.intake.judge().take_changed();
        if batch.is_empty() && cursors.is_empty() && !(self.run.0.is_private() && self.run.1) {
            return;
        }
        cursors.extend(std::mem::take(&mut self.run.1).then(|| self.run.0.cursor()));
        let events = u64::try_from(batch.len()).unwrap_or(0);
        match keep(self.live.journal, self.live.spool, self.live.names, &batch, &cursors) {
            Kept::Stored => self.summary.events += events,
            Kept::Spooled(problem) => {
                self.summary.events += events;
                self.summary.spooled += events;
                self.summary.problem = Some(problem);
            }
            Kept::Lost(problem) => {
                self.summary.lost += events;
                self.summary.problem = Some(problem);
            }
        }
        if self.live.to_server && !batch.is_empty() {
            let records = for_server(&batch, self.live.names);
            if let Err(error) = self.live.spool.keep(Lane::Server, &records) {
                self.summary.problem = Some(error.to_string());
            }
        }
    }

    fn finish(&mut self, show: &mut dyn FnMut(Shown<'_>)) {
        if self.huge.is_some() || !self.line.is_empty() {
            self.end_line(b"", show);
        }
        let mut out = Out::default();
        self.parser.end(&mut out);
        let more = self.admit(out);
        self.hand_over(show);
        show(Shown::More(&more));
    }
}
