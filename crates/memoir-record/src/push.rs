//! Sends a project's events to another memoir. The journal itself is the outbox: a cursor tells how far it was sent, and
//! moves only when the other side has stored what came before it.

use crate::client::{Client, explain};
use crate::wire::{ErrorBody, RunAnswer, RunId, RunRequest};
use memoir_event::Envelope;
use memoir_journal::{Change, Cursor, Journal, JournalError, Seq, StoredEvent, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Changes looked at together.
const PAGE_CHANGES: usize = 500;

/// A request holds about this much at most.
const REQUEST_BYTES: usize = 2 << 20;

/// How often a request is tried before the other side counts as gone.
const TRIES: u32 = 5;

/// The first pause between two tries; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// No pause is longer, whatever the other side asks for.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// How events are grouped into runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunScope {
    /// One run for the project.
    Project,
    /// One for each session.
    Session,
}

/// What to send, and where.
pub struct Push<'a> {
    /// The other side.
    pub client: &'a Client,
    /// What is sent.
    pub journal: &'a dyn Journal,
    /// The projects.
    pub repos: &'a [String],
    /// Which of their events.
    pub view: &'a View,
    /// What of an event may leave; none if all of it stays.
    pub gate: &'a dyn Fn(StoredEvent) -> Option<StoredEvent>,
    /// How they are grouped.
    pub scope: RunScope,
    /// Whether to begin with the first event, whatever was sent before.
    pub from_start: bool,
    /// Set by a signal: stop soon, and well.
    pub stop: &'a AtomicBool,
}

/// What became of a push.
#[derive(Debug, Default)]
pub struct PushSummary {
    /// Of each project.
    pub projects: BTreeMap<String, PushCounts>,
    /// Why the last event that was refused was refused.
    pub refusal: Option<String>,
    /// How it ended.
    pub end: PushEnd,
}

/// What became of a project's events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PushCounts {
    /// Events that the other side has taken.
    pub sent: u64,
    /// Of these, new there.
    pub stored: u64,
    /// Of these, known there and now fuller.
    pub revised: u64,
    /// Of these, known there.
    pub known: u64,
    /// Of these, forgotten there.
    pub suppressed: u64,
    /// Events that the other side will not have.
    pub refused: u64,
}

/// How a push ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum PushEnd {
    /// Everything is there.
    #[default]
    Done,
    /// A signal stopped it; the next push goes on.
    Stopped,
    /// The other side cannot be reached, or cannot store; the next push goes on.
    Outage(String),
    /// The other side does not let us in, or is none.
    Denied(String),
}

/// How far a project was sent.
struct Place {
    repo: String,
    stream: String,
    meaning: String,
    at: Seq,
}

/// What became of one request.
enum Sent {
    Taken(RunAnswer),
    Refused { event: Option<usize>, reason: String },
    TooLarge(String),
    Ended(PushEnd),
}

impl Push<'_> {
    /// Sends what is missing; `progress` is told the place in the journal and its end.
    pub fn run(&self, progress: &mut dyn FnMut(Seq, Seq)) -> Result<PushSummary, JournalError> {
        let Some(first) = self.repos.first() else { return Ok(PushSummary::default()) };
        // A request without events tells which journal answers there, and that it does.
        let there = match self.send(&RunId { project: first.clone(), session: None }, &[]) {
            Sent::Taken(answer) => answer.journal,
            Sent::Ended(end) => return Ok(PushSummary { end, ..PushSummary::default() }),
            Sent::Refused { reason, .. } | Sent::TooLarge(reason) => {
                return Ok(PushSummary { end: PushEnd::Denied(reason), ..PushSummary::default() });
            }
        };
        let mut places = self.places(&there)?;
        let projects = self.repos.iter().map(|repo| (repo.clone(), PushCounts::default())).collect();
        let mut summary = PushSummary { projects, ..PushSummary::default() };
        let mut at = places.iter().map(|place| place.at).min().unwrap_or(0);
        let last = self.journal.last_seq()?;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                summary.end = PushEnd::Stopped;
                return Ok(summary);
            }
            let changes = self.journal.changes(at, PAGE_CHANGES)?;
            let Some(end) = changes.last().map(Change::seq) else { return Ok(summary) };
            for (run, events) in self.runs(&changes, &places)? {
                if let Some(end) = self.send_all(&run, events, &mut summary) {
                    summary.end = end;
                    return Ok(summary);
                }
            }
            at = end;
            let mut cursors = Vec::new();
            for place in places.iter_mut().filter(|place| place.at < end) {
                place.at = end;
                cursors.push(Cursor { stream: place.stream.clone(), sequence: end, position: place.meaning.clone() });
            }
            self.journal.append(&[], &cursors)?;
            progress(at.min(last), last);
        }
    }

    /// How far each project was sent.
    fn places(&self, there: &str) -> Result<Vec<Place>, JournalError> {
        let projects = self.journal.projects()?;
        let place = |repo: &String| {
            let stream = format!("push|{}|{}|{repo}", self.client.url(), self.scope_name());
            let own = projects.iter().find(|project| project.repo == *repo);
            let meaning = self.meaning(there, own.map(|own| own.aliases.clone()).unwrap_or_default());
            let at = match self.journal.cursor(&stream)? {
                // Another journal answers, or what belongs to the project or may be sent has changed: then events from
                // long ago may be missing there.
                Some(known) if known.position == meaning && !self.from_start => known.sequence,
                _ => 0,
            };
            Ok(Place { repo: repo.clone(), stream, meaning, at })
        };
        self.repos.iter().map(place).collect()
    }

    const fn scope_name(&self) -> &'static str {
        match self.scope {
            RunScope::Project => "project",
            RunScope::Session => "session",
        }
    }

    /// A digest of what the cursor stands for: the journal there, the ids that belong to the project, and who may see
    /// what.
    fn meaning(&self, there: &str, mut aliases: Vec<String>) -> String {
        aliases.sort_unstable();
        let text = format!("{there}\n{}\n{:?}", aliases.join("\n"), self.view);
        blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect()
    }

    /// The events of the projects among the changes, as they read now, by their runs.
    fn runs(&self, changes: &[Change], places: &[Place]) -> Result<BTreeMap<RunId, Vec<Envelope>>, JournalError> {
        let is_wanted = |seq: Seq, repo: &str| places.iter().any(|place| place.repo == repo && place.at < seq);
        let wanted: BTreeSet<Seq> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Event(event) | Change::Revision { event, .. } => {
                    is_wanted(change.seq(), &event.event.repo).then_some(event.seq)
                }
                Change::Sighting { .. } => None,
            })
            .collect();
        let wanted: Vec<Seq> = wanted.into_iter().collect();
        let mut runs: BTreeMap<RunId, Vec<Envelope>> = BTreeMap::new();
        for stored in self.journal.events(&wanted, self.view)? {
            if stored.event.kind().is_own() {
                continue;
            }
            let Some(stored) = (self.gate)(stored) else { continue };
            let session = (self.scope == RunScope::Session).then(|| stored.event.session.clone());
            let run = RunId { project: stored.event.repo.clone(), session };
            runs.entry(run).or_default().push(stored.into_envelope());
        }
        Ok(runs)
    }

    /// Sends the events of a run, in requests of a fair size; says why it had to end, if it had.
    fn send_all(&self, run: &RunId, events: Vec<Envelope>, summary: &mut PushSummary) -> Option<PushEnd> {
        let mut waiting: Vec<Vec<Envelope>> = Vec::new();
        let mut bytes = 0;
        for event in events {
            let size = event.payload.as_str().len() + 1024;
            match waiting.last_mut() {
                Some(batch) if bytes + size <= REQUEST_BYTES => batch.push(event),
                _ => {
                    bytes = 0;
                    waiting.push(vec![event]);
                }
            }
            bytes += size;
        }
        waiting.reverse();
        let counts = summary.projects.entry(run.project.clone()).or_default();
        while let Some(mut batch) = waiting.pop() {
            match self.send(run, &batch) {
                Sent::Taken(answer) => {
                    counts.sent += batch.len() as u64;
                    counts.stored += answer.stored;
                    counts.revised += answer.revised;
                    counts.known += answer.known;
                    counts.suppressed += answer.suppressed;
                }
                Sent::Refused { event: Some(at), reason } if at < batch.len() => {
                    batch.remove(at);
                    counts.refused += 1;
                    summary.refusal = Some(reason);
                    waiting.extend((!batch.is_empty()).then_some(batch));
                }
                Sent::Refused { reason, .. } => return Some(PushEnd::Denied(reason)),
                Sent::TooLarge(_) if batch.len() > 1 => {
                    let rest = batch.split_off(batch.len() / 2);
                    waiting.extend([rest, batch]);
                }
                Sent::TooLarge(reason) => {
                    counts.refused += 1;
                    summary.refusal = Some(reason);
                }
                Sent::Ended(end) => return Some(end),
            }
        }
        None
    }

    fn send(&self, run: &RunId, events: &[Envelope]) -> Sent {
        let request = RunRequest { run_id: run.to_string(), events: events.to_vec() };
        let body = match serde_json::to_vec(&request) {
            Ok(body) => body,
            Err(error) => return Sent::Refused { event: None, reason: error.to_string() },
        };
        let mut pause = FIRST_PAUSE;
        let mut tries = 1;
        loop {
            let (reason, after) = match self.client.post("/v1/events", &body, None) {
                Err(reason) => (reason, None),
                Ok(answer) => {
                    let said = serde_json::from_str::<ErrorBody>(&answer.body).ok();
                    let reason = explain(&answer, said.as_ref());
                    match answer.status {
                        200..=299 => match serde_json::from_str::<RunAnswer>(&answer.body) {
                            Ok(taken) if taken.event_ids.len() == events.len() => return Sent::Taken(taken),
                            _ => return Sent::Ended(PushEnd::Denied("this server is no memoir".to_owned())),
                        },
                        429 | 500..=599 => (reason, answer.retry_after),
                        413 => return Sent::TooLarge(reason),
                        400 | 422 => return Sent::Refused { event: said.and_then(|said| said.record), reason },
                        _ => return Sent::Ended(PushEnd::Denied(reason)),
                    }
                }
            };
            if tries >= TRIES {
                return Sent::Ended(PushEnd::Outage(reason));
            }
            if !self.wait(after.unwrap_or(pause).min(PAUSE_MAX)) {
                return Sent::Ended(PushEnd::Stopped);
            }
            tries += 1;
            pause *= 2;
        }
    }

    /// Waits; false if a signal came.
    fn wait(&self, pause: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < pause {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20).min(pause));
        }
        true
    }
}
