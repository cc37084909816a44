//! Which events an overview is made of: chosen by rules, the same ones whenever they are asked again.

mod commands;
mod decisions;
mod endings;
mod failures;
mod requests;
mod sentences;
mod shell;

pub(crate) use commands::bare;
pub(crate) use decisions::decision_in;
pub(crate) use endings::loose_end_in;
pub(crate) use sentences::cut;

use self::commands::Runs;
use self::decisions::Decisions;
use self::requests::Requests;
use crate::told::Told;
use memoir_event::{ARCHIVE_POINTS_MAX, EventId, Kind, Point, Section};
use memoir_journal::StoredEvent;
use std::collections::HashMap;

/// The kinds of events that are read for an overview.
pub(crate) const READ: [Kind; 5] =
    [Kind::UserMessage, Kind::AssistantMessage, Kind::Command, Kind::FileChange, Kind::Error];

/// At most so many points of each section; together they are [`ARCHIVE_POINTS_MAX`].
const REQUESTS_MAX: usize = 14;
const DECISIONS_MAX: usize = 10;
const FILES_MAX: usize = 14;
const COMMANDS_MAX: usize = 10;
const FAILURES_MAX: usize = 8;
const OPEN_MAX: usize = 7;
/// More commands that still fail say no more than these.
const STILL_FAILING_MAX: usize = 3;

/// Errors that begin like this are the same one.
const ERROR_CHARS: usize = 200;

/// An event among those that are read: its id, when in their order it came, and whether a sub-agent did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub id: EventId,
    pub at: usize,
    pub is_aside: bool,
}

/// A file that was changed.
struct Changed {
    last: Mark,
    times: u32,
}

/// Gathers what an overview is made of, from events in the order in which they happened.
#[derive(Default)]
pub(crate) struct Points {
    read: usize,
    requests: Requests,
    decisions: Decisions,
    runs: Runs,
    files: HashMap<String, Changed>,
    errors: Vec<(Mark, String)>,
    last_answer: Option<(Mark, String)>,
}

impl Points {
    /// Takes an event in.
    pub fn take(&mut self, stored: &StoredEvent) {
        let Some(told) = Told::of(&stored.event) else { return };
        let event = &stored.event;
        let is_aside = event.thread.as_ref().is_some_and(|thread| *thread != event.session);
        let mark = Mark { id: stored.id, at: self.read, is_aside };
        self.read += 1;
        match told {
            Told::Asked(text) => {
                self.decisions.look_at(mark, &text, true);
                self.requests.take(mark, &text);
            }
            Told::Said(text) => {
                self.decisions.look_at(mark, &text, false);
                if !is_aside {
                    self.requests.answered();
                    self.last_answer = Some((mark, text));
                }
            }
            Told::Ran(ran) => self.runs.take(mark, &ran),
            Told::Changed(paths) => self.changed(mark, paths),
            Told::Failed(text) => self.errors.push((mark, cut(&text, ERROR_CHARS).0)),
        }
    }

    fn changed(&mut self, mark: Mark, paths: Vec<String>) {
        self.runs.note_change(mark);
        for path in paths {
            let file = self.files.entry(path).or_insert(Changed { last: mark, times: 0 });
            *file = Changed { last: mark, times: file.times.saturating_add(1) };
        }
    }

    /// The points, section by section.
    pub fn chosen(&self) -> Vec<Point> {
        let mut points = self.requests.chosen(REQUESTS_MAX);
        points.extend(self.decisions.chosen(DECISIONS_MAX));
        points.extend(self.changes());
        points.extend(self.runs.chosen(COMMANDS_MAX));
        points.extend(failures::chosen(&self.runs, &self.errors, FAILURES_MAX));
        let outcome = self.last_answer.as_ref();
        points.extend(outcome.map(|(mark, _)| point(Section::Outcome, &[mark.id], 1)));
        points.extend(self.open());
        points.truncate(ARCHIVE_POINTS_MAX);
        points
    }

    /// One point for each event that is the last to change some file; who reads it sees its paths.
    fn changes(&self) -> Vec<Point> {
        let mut files: Vec<&Changed> = self.files.values().collect();
        files.sort_by_key(|file| (file.last.is_aside, std::cmp::Reverse((file.times, file.last.at))));
        files.truncate(FILES_MAX);
        files.sort_by_key(|file| (std::cmp::Reverse(file.last.at), std::cmp::Reverse(file.times)));
        files.dedup_by_key(|file| file.last.id);
        files.into_iter().map(|file| point(Section::Changed, &[file.last.id], file.times)).collect()
    }

    fn open(&self) -> Vec<Point> {
        let mut ids: Vec<EventId> = self.requests.unanswered().map(|mark| mark.id).into_iter().collect();
        if let Some((mark, text)) = &self.last_answer
            && loose_end_in(text).is_some()
        {
            ids.push(mark.id);
        }
        ids.extend(self.runs.left_broken().take(STILL_FAILING_MAX).map(|mark| mark.id));
        ids.truncate(OPEN_MAX);
        ids.into_iter().map(|id| point(Section::Open, &[id], 1)).collect()
    }
}

pub(crate) fn point(section: Section, events: &[EventId], times: u32) -> Point {
    Point { section, events: events.to_vec(), times }
}
