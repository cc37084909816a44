//! Reads one file from where it was left, and hands over what it holds in portions.

use super::clears::Clears;
use super::files::SourceFile;
use super::format::{self, Format};
use super::lines::{self, FileLines, Line};
use super::opened::Opened;
use super::position::{Fate, Position, Stamp, numbered};
use super::shrink::ShrinkingReader;
use super::{database, summary::FileReport, torn};
use crate::intake::{Intake, Rules};
use crate::private::{Place, PrivateRequests};
use crate::runs::{Run, Runs};
use memoir_capture::{Counts, Out, Parser, Salt, Tally, gemini};
use memoir_event::{Client, Content, Event, KeyHasher, Kind};
use memoir_journal::{Cursor, Redacted};
use memoir_redact::Redactor;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

/// Events in one portion.
const PORTION_EVENTS: usize = 250;

/// Text in one portion.
const PORTION_BYTES: usize = 1 << 20;

/// A stream that nobody has written to for so long is at its end, whole or not.
const AT_REST_MS: i64 = 60_000;

/// What every reader shares.
pub(super) struct Shared<'a> {
    pub rules: Rules<'a>,
    pub hasher: KeyHasher,
    pub salt: Salt,
    /// The runs whose streams are known.
    pub runs: Mutex<Runs>,
    /// What the user does not want recorded of any session.
    pub private: PrivateRequests,
    pub stop: &'a AtomicBool,
    pub now_ms: i64,
    /// Held by whoever unpacks something that takes much memory.
    pub wide: &'a Mutex<()>,
}

/// What one step of reading gives to the journal.
#[derive(Debug, Default)]
pub struct Portion {
    /// Events, redacted and packed.
    pub batch: Vec<Redacted>,
    /// Where the file stands after them, and which run it is of.
    pub cursors: Vec<Cursor>,
    /// Projects that go by an address now: what they were known by, and their address.
    pub renamed: BTreeSet<(String, String)>,
    /// Bytes of the file that it took.
    pub bytes: u64,
}

/// Whether to go on.
pub(super) enum Go {
    On,
    Stop,
}

/// The name of a file's cursor: a file keeps it when it is archived or packed.
pub(super) fn stream_of(file: &SourceFile, salt: Salt) -> String {
    let rollout = file.rollout_name().filter(|_| !file.is_copy);
    // Two names that are not UTF-8 may look alike as text, and never so.
    let path = || file.path.to_str().map_or_else(|| format!("{:?}", file.path), str::to_owned);
    let name = rollout.unwrap_or_else(path);
    let hash = blake3::keyed_hash(&salt.0, name.as_bytes()).to_hex();
    let short: String = hash.chars().take(32).collect();
    format!("{}{}|{short}", STREAM_PREFIX, file.format.client())
}

/// What the names of files' cursors begin with.
pub(super) const STREAM_PREFIX: &str = "import|";

/// One file being read.
pub(super) struct Reading<'a, 'g> {
    shared: &'a Shared<'a>,
    intake: &'g mut Intake<'a>,
    stream: String,
    /// The run that the file is a stream of.
    run: Option<Run>,
    /// Runs that the file has before it.
    ended: Vec<Run>,
    out: Out,
    batch: Vec<Redacted>,
    batch_bytes: usize,
    /// How often the file was written anew.
    rewrites: u64,
    /// When what was read last happened: what tells no time happened then. Of a file without any, when it was written.
    last_ms: Option<i64>,
    /// Bytes of the file up to which portions were handed over.
    told_bytes: u64,
    pub report: FileReport,
    give: &'g mut dyn FnMut(Portion) -> Go,
    stopped: bool,
    /// What to do about a sub-agent's file, until the first event has told whose file it is.
    agents: Option<Agents>,
}

/// What to do about files of sub-agents and of forks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agents {
    /// Read them.
    Read,
    /// Leave them for later: whether they are private is known once the sessions that started them are read, and what
    /// they copied is told best where it was said.
    Leave,
}

/// Reads a file; `budget` bounds how many bytes of it, `agents` says what to do if it is a sub-agent's.
pub(super) fn read_file<'a>(
    shared: &'a Shared<'a>,
    file: &SourceFile,
    cursor: Option<&Cursor>,
    (budget, agents): (Option<u64>, Agents),
    intake: &mut Intake<'a>,
    give: &mut dyn FnMut(Portion) -> Go,
) -> FileReport {
    let known: Option<Position> = cursor.and_then(|cursor| serde_json::from_str(&cursor.position).ok());
    intake.judge().begin([]);
    let mut reading = Reading {
        shared,
        intake,
        stream: stream_of(file, shared.salt),
        run: None,
        ended: Vec::new(),
        out: Out::default(),
        batch: Vec::new(),
        batch_bytes: 0,
        rewrites: 0,
        last_ms: written_ms(&file.path).map(|written_ms| written_ms.min(shared.now_ms)),
        told_bytes: 0,
        report: FileReport::default(),
        give,
        stopped: false,
        agents: Some(agents),
    };
    let read = match file.format {
        Format::OpencodeDatabase => database::read(&mut reading, file, known.as_ref()),
        format if format.has_lines() => reading.lines(file, known.as_ref(), budget),
        _ => reading.document(file, known.as_ref(), budget),
    };
    if let Err(error) = read {
        let is_gone = error.kind() == io::ErrorKind::NotFound;
        reading.report.fail(if is_gone { "it is gone" } else { "" }, &error);
        // What was found before it is stored; the place is not noted, so that it is read again when it can be.
        if !reading.stopped && !reading.batch.is_empty() {
            reading.send(None, reading.told_bytes);
        }
    }
    reading.report.tally = redacted(std::mem::take(&mut reading.report.tally), shared.rules.redactor);
    reading.report
}

/// What was counted, under names that hold no secrets: a file may call its records anything.
fn redacted(tally: Tally, redactor: &Redactor) -> Tally {
    let clean = |counts: Counts| {
        let mut clean = Counts::new();
        for (name, count) in counts {
            *clean.entry(redactor.text(&name).into_owned()).or_default() += count;
        }
        clean
    };
    Tally {
        context: clean(tally.context),
        left_out: clean(tally.left_out),
        unknown: clean(tally.unknown),
        problems: clean(tally.problems),
    }
}

/// When a file was last written, in milliseconds since 1970.
fn written_ms(path: &Path) -> Option<i64> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Whether the session goes on from another, whose history may stand in its file.
fn may_begin_with_a_copy(first: &Event) -> bool {
    let Content::Payload(told) = &first.content else { return false };
    first.client == Some(Client::Codex)
        && first.kind() == Kind::SessionStarted
        && told.to_value().get("forked_from").is_some()
}

impl Reading<'_, '_> {
    /// What has become of the file since it was read; nothing is known of a file that never was.
    pub(super) fn fate(&mut self, file: &SourceFile, stamp: Stamp, known: Option<&Position>) -> Option<Fate> {
        let fate = known.map(|known| known.fate(stamp, &|| self.shown_path(file) != known.path));
        self.report.unchanged = fate == Some(Fate::Same);
        self.report.bytes = stamp.bytes;
        fate
    }

    fn shown_path(&self, file: &SourceFile) -> String {
        self.shared.rules.redactor.text(&file.path.to_string_lossy()).into_owned()
    }

    /// Whether there is nothing in the file and never was: there are many of those, and nothing to note of them.
    fn is_empty(&mut self, stamp: Stamp, known: Option<&Position>) -> bool {
        self.report.unchanged = stamp.bytes == 0 && known.is_none();
        self.report.unchanged
    }

    fn lines(&mut self, file: &SourceFile, known: Option<&Position>, budget: Option<u64>) -> io::Result<()> {
        let stamp = Stamp::of(&fs::metadata(&file.path)?);
        let fate = self.fate(file, stamp, known);
        if fate == Some(Fate::Same) || self.is_empty(stamp, known) {
            return Ok(());
        }
        let mut opened = Opened::open(&file.path)?;
        let is_packed = opened.is_packed;
        let is_wide = opened.is_wide()?;
        let wide = self.shared.wide;
        let _one_at_a_time = is_wide.then(|| wide.lock().unwrap_or_else(PoisonError::into_inner));
        if is_packed && budget.is_some() {
            self.report.left_bytes = stamp.bytes;
            return Ok(());
        }
        // Opened once: a file that is gone by now, or another, has still told what it told.
        let mut same = Opened::open(&file.path)?;
        self.rewrites = known.map_or(0, |known| known.rewrites);
        let at = match known {
            Some(known) if fate == Some(Fate::Grown) && opened.is_same(known, self.shared.salt)? => Some(known),
            Some(_) => {
                self.report.rewritten = true;
                self.rewrites += 1;
                None
            }
            None => None,
        };
        let (offset, mut number) = at.map_or((0, 0), |at| (at.offset, at.lines));
        self.last_ms = at.and_then(|at| at.last_ms).filter(|_| !file.format.is_stream()).or(self.last_ms);
        let private = at.into_iter().flat_map(|at| &at.private);
        self.intake.judge().begin(private.map(|(place, request)| (Place::kept(place), request.clone())));
        if file.format.is_stream() {
            let head = if let Some(at) = at { same.head(at.run_offset)? } else { opened.head(0)? };
            let known = at.map(|at| at.run.as_str()).filter(|name| !name.is_empty());
            self.enter_run(file, known, &head);
        }
        let parser_of = |reading: &Reading<'_, '_>, state: Option<&str>| {
            let run = reading.run.as_ref().map_or("", Run::name);
            format::parser(file.format, &file.path, file.cwd.as_deref(), run, state, reading.shared.salt)
        };
        let mut parser = parser_of(self, at.map(|at| at.state.as_str()));
        // A good place to stop at is waited for, but not for ever, and no line may be longer than there is time for.
        let bytes_max = budget.map_or(u64::MAX, |budget| budget.saturating_mul(2));
        let mut lines = FileLines::new(opened.from(offset)?.take(bytes_max), offset);
        self.told_bytes = offset;
        let (events_before, problems_before) = at.map_or((0, 0), |at| (at.events, at.problems));
        let mut position = Position {
            seen: stamp,
            path: self.shown_path(file),
            run: self.run.as_ref().map_or("", Run::name).to_owned(),
            run_offset: at.map_or(0, |at| at.run_offset),
            run_lines: at.map_or(0, |at| at.run_lines),
            rewrites: self.rewrites,
            ..Position::default()
        };
        let mut is_left = false;
        let mut line_offset = offset;
        while let Some(line) = lines.next_line()? {
            let begins_run = matches!(&line, Line::Whole(bytes) if !is_packed && file.format.begins_run(bytes));
            if begins_run && number > position.run_lines {
                // Another run was saved to the same file: what it says has the names that it has elsewhere.
                parser.end(&mut self.out);
                self.admit();
                self.ended.extend(self.run.take());
                self.enter_run(file, None, &same.head(line_offset)?);
                (position.run_offset, position.run_lines) = (line_offset, number);
                position.run = self.run.as_ref().map_or("", Run::name).to_owned();
                parser = parser_of(self, None);
            }
            number += 1;
            self.one_line(&mut *parser, number - position.run_lines, line);
            line_offset = lines.offset();
            let place = (lines.offset(), number);
            if self.batch.len() >= PORTION_EVENTS || self.batch_bytes >= PORTION_BYTES {
                let settled = parser.is_settled();
                // The stamp counts only once the end is reached: until then the file is to be read on.
                position.seen = Stamp::default();
                self.note(&mut position, place, (events_before, problems_before), &*parser);
                // Of a packed file the ends can only be compared by unpacking all of it: once, at its end.
                let here = (settled && !is_packed).then_some(&mut position);
                self.hand_over(here, place.0, &mut same)?;
            }
            let read_bytes = place.0.saturating_sub(offset);
            let over_budget = budget.is_some_and(|budget| read_bytes >= budget && parser.is_settled());
            if self.stopped {
                return Ok(());
            }
            is_left = over_budget || self.shared.stop.load(Ordering::Relaxed);
            if is_left {
                break;
            }
        }
        let place = (lines.offset(), number);
        if is_left || offset.saturating_add(bytes_max) < stamp.bytes {
            self.report.left_bytes = stamp.bytes.saturating_sub(place.0);
            if place.0 == offset {
                return Ok(());
            }
            if budget.is_some() {
                parser.pause(&mut self.out);
                self.admit();
            }
            position.seen = Stamp::default();
            self.note(&mut position, place, (events_before, problems_before), &*parser);
            return self.hand_over(parser.is_settled().then_some(&mut position), place.0, &mut same);
        }
        if let Some(last) = lines.last_line().map(<[u8]>::to_vec) {
            number += 1;
            self.one_line(&mut *parser, number - position.run_lines, lines::taken(&last));
        }
        self.report.unfinished = lines.has_unfinished();
        let place = (lines.offset(), number);
        // What unpacked it makes room for who compares its ends.
        drop(lines);
        let is_at_rest = self.shared.now_ms.saturating_sub(written_ms(&file.path).unwrap_or(0)) > AT_REST_MS;
        if is_at_rest && file.format.is_stream() {
            parser.end(&mut self.out);
        } else if !file.format.is_stream() || !self.shared.rules.policy.has_patterns() {
            parser.pause(&mut self.out);
        }
        self.admit();
        if self.report.is_left {
            return Ok(());
        }
        position.seen = stamp;
        self.note(&mut position, place, (events_before, problems_before), &*parser);
        // Of a text that grows nothing is kept but what was told: it is read again from where it began.
        self.hand_over(parser.is_settled().then_some(&mut position), place.0, &mut same)
    }

    /// A run begins, or is gone on with: the one that it was when it was last read, or one that begins like it. What
    /// stands behind the first of another is none of it.
    fn enter_run(&mut self, file: &SourceFile, known: Option<&str>, head: &[u8]) {
        let mut ends = memchr::memchr_iter(b'\n', head).map(|at| at + 1);
        let is_next = |at: &usize| head.get(*at..).is_some_and(|rest| file.format.begins_run(first_line(rest)));
        let own = ends.find(is_next).and_then(|at| head.get(..at)).unwrap_or(head);
        let mut runs = self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let run = runs.find(file.format.client(), known, own, self.shared.salt);
        drop(runs);
        if !self.ended.is_empty() {
            self.intake.judge().begin([]);
        }
        if run.is_private() {
            self.intake.judge().hide_all();
        }
        self.run = Some(run);
    }

    fn note(&mut self, position: &mut Position, place: (u64, u64), before: (u64, u64), parser: &dyn Parser) {
        (position.offset, position.lines) = place;
        position.last_ms = self.last_ms;
        position.events = before.0 + self.report.events;
        position.problems = before.1 + self.report.tally.problems.values().sum::<u64>();
        position.state = self.shared.rules.redactor.json(&parser.state()).into_owned();
        let private = self.intake.judge().open();
        position.private = private.map(|(place, request)| (place.as_str().to_owned(), request.to_owned())).collect();
    }

    fn one_line(&mut self, parser: &mut dyn Parser, number: u64, line: Line<'_>) {
        let bytes: Cow<'_, [u8]> = match line {
            Line::Whole(bytes) => Cow::Borrowed(bytes),
            Line::Shrunk(bytes) => {
                self.out_problem("huge line, shortened");
                Cow::Owned(bytes)
            }
            Line::TooLong { .. } => {
                self.out_problem("line too long");
                return;
            }
        };
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, Cow::Owned(_)) {
            self.out_problem("invalid UTF-8");
        }
        self.report.lines += 1;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        parser.line(number, text, &mut self.out);
        if self.out.tally.problems.contains_key("not JSON") {
            // The torn part is counted by now.
            torn::whole_records(text).into_iter().for_each(|record| parser.line(number, record, &mut self.out));
        }
        self.admit();
    }

    pub(super) fn out_problem(&mut self, kind: &str) {
        memoir_capture::Tally::add(&mut self.report.tally.problems, kind);
    }

    /// Takes what a record gave: what may be recorded is placed, redacted and packed.
    pub(super) fn take(&mut self, out: Out) {
        self.out = out;
        self.admit();
    }

    fn admit(&mut self) {
        self.report.tally.merge(std::mem::take(&mut self.out.tally));
        let found = std::mem::take(&mut self.out).events;
        if let Some(first) = found.first().map(|captured| &captured.event)
            && self.agents.take() == Some(Agents::Leave)
            && (first.thread.as_ref().is_some_and(|thread| *thread != first.session) || may_begin_with_a_copy(first))
        {
            self.report.is_left = true;
            self.stopped = true;
        }
        if self.report.is_left {
            return;
        }
        self.intake.look_at(&found);
        for mut captured in found {
            captured.event.sequence = captured.event.sequence.map(|number| numbered(number, self.rewrites));
            match &captured.event.time {
                Some(time) => self.last_ms = self.last_ms.map(|_| time.ms()),
                None => captured.event.captured_ms = captured.event.captured_ms.or(self.last_ms),
            }
            let admitted = match self.intake.take(captured) {
                Ok(admitted) => admitted,
                Err(reason) => {
                    *self.report.excluded.entry(reason).or_default() += 1;
                    continue;
                }
            };
            self.batch_bytes += admitted.event().content.verbatim().len();
            self.report.events += 1;
            self.report.redactions += admitted.secrets();
            self.batch.push(admitted);
        }
    }

    /// Hands over what was read so far; with a position, the file's cursor moves there.
    fn hand_over(&mut self, position: Option<&mut Position>, offset: u64, file: &mut Opened) -> io::Result<()> {
        let Some(position) = position else {
            self.send(None, offset);
            return Ok(());
        };
        (position.head, position.tail) = file.checks(position.offset, self.shared.salt)?;
        let cursor = self.cursor(position);
        self.send(Some(cursor), offset);
        Ok(())
    }

    fn cursor(&self, position: &Position) -> Cursor {
        let text = serde_json::to_string(position).unwrap_or_default();
        Cursor { stream: self.stream.clone(), sequence: position.lines, position: text }
    }

    fn send(&mut self, cursor: Option<Cursor>, offset: u64) {
        let bytes = offset.saturating_sub(self.told_bytes);
        self.told_bytes = offset;
        self.batch_bytes = 0;
        // Also where the place is not noted: what was handed over has the names of its run.
        let ended = std::mem::take(&mut self.ended);
        let runs = ended.iter().chain(&self.run).map(Run::cursor);
        let cursors = self.intake.judge().take_changed().into_iter().chain(cursor).chain(runs).collect();
        let renamed = self.intake.take_renamed();
        let portion = Portion { batch: std::mem::take(&mut self.batch), cursors, renamed, bytes };
        if let Go::Stop = (self.give)(portion) {
            self.stopped = true;
        }
    }

    /// Hands over full portions of something that has no lines, whose cursor moves only at its end.
    pub(super) fn hand_over_if_full(&mut self) -> Go {
        if self.batch.len() >= PORTION_EVENTS || self.batch_bytes >= PORTION_BYTES {
            self.send(None, self.told_bytes);
        }
        if self.stopped || self.shared.stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    }

    /// Hands over the rest of something without lines, with a position that says how it was.
    pub(super) fn hand_over_end(&mut self, file: &SourceFile, seen: Stamp, state: String, lines: u64) {
        let path = self.shown_path(file);
        let position = Position {
            offset: seen.bytes,
            lines,
            seen,
            state,
            path,
            events: self.report.events,
            problems: self.report.tally.problems.values().sum(),
            ..Position::default()
        };
        let cursor = self.cursor(&position);
        self.send(Some(cursor), seen.bytes);
    }

    /// A file that is one JSON document: read as a whole whenever it has changed.
    fn document(&mut self, file: &SourceFile, known: Option<&Position>, budget: Option<u64>) -> io::Result<()> {
        let stamp = Stamp::of(&fs::metadata(&file.path)?);
        if self.fate(file, stamp, known) == Some(Fate::Same) {
            return Ok(());
        }
        if budget.is_some_and(|budget| stamp.bytes > budget) {
            self.report.left_bytes = stamp.bytes;
            return Ok(());
        }
        let records_depth = if file.format == Format::GeminiLog { 1 } else { 2 };
        let mut shrinking = ShrinkingReader::new(File::open(&file.path)?, records_depth);
        let reader = BufReader::with_capacity(256 << 10, &mut shrinking);
        let mut stopped = false;
        let stem = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let place = format::chat_place(&file.path, file.cwd.as_deref());
        let mut each = |out: Out| {
            if !stopped {
                self.report.lines += 1;
                self.take(out);
                stopped = matches!(self.hand_over_if_full(), Go::Stop);
            }
        };
        let mut clears = Clears::new(&file.path, known.map(|known| known.state.as_str()));
        let mut after_clear = |session: &str, at_ms: i64| clears.after(session, at_ms);
        let read = match file.format {
            Format::GeminiLog => gemini::read_log_json(reader, file.cwd.as_deref(), &mut after_clear, &mut each),
            _ => gemini::read_chat_json(reader, place, &stem, &mut each),
        };
        if stopped {
            return Ok(());
        }
        if let Err(error) = read {
            // It may be written right now: what could be read is kept, and it is read again when it has changed.
            self.out_problem(if error.is_eof() { "unfinished JSON" } else { "not JSON" });
            self.report.unfinished = error.is_eof();
        }
        if shrinking.has_cut() {
            self.out_problem("huge record, shortened");
        }
        let lines = self.report.lines;
        let state = if file.format == Format::GeminiLog { clears.state() } else { String::new() };
        let state = self.shared.rules.redactor.json(&state).into_owned();
        self.hand_over_end(file, stamp, state, lines);
        Ok(())
    }
}
