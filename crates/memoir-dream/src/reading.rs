//! One archive as dream reads it: what was said and done in its range, and nothing that dream may not see.

use crate::rules::{Turn, Work, worth_naming};
use memoir_event::{Archive, Content, Kind, Speaker};
use memoir_journal::{Audience, Journal, JournalError, Placed, Seq, StoredEvent, View};
use serde_json::Value;

/// So many events are read at a time.
const PORTION: usize = 200;
/// A result stands so near to its command.
const RESULT_NEAR: usize = 8;
/// A turn began so many places before at most.
const TURN_PLACES_MAX: Seq = 100_000;
/// A complaint that is longer loses its end.
const COMPLAINT_CHARS_MAX: usize = 160;
/// So much of a text is kept for what work is told by.
const TEXT_BYTES_KEPT: usize = 1_000;

/// What of an archive is read.
pub(crate) struct Reading<'a> {
    journal: &'a dyn Journal,
    placed: Vec<Placed>,
    /// The places that are worth reading.
    wanted: Vec<usize>,
    next: usize,
}

/// Some events of an archive.
pub(crate) struct Portion {
    /// Each with its place in the range.
    pub events: Vec<(usize, StoredEvent)>,
    /// How many were kept back.
    pub withheld: u64,
}

impl<'a> Reading<'a> {
    /// The range of an archive, beginning after a place.
    pub fn of(journal: &'a dyn Journal, archive: &Archive, after: Seq) -> Result<Reading<'a>, JournalError> {
        let after = after.max(archive.after_seq);
        let placed = journal.placed(archive.client, &archive.session, (after, archive.last_seq), usize::MAX)?;
        let is_wanted = |one: &Placed| match one.kind {
            Kind::UserMessage | Kind::AssistantMessage => is_said(one),
            Kind::Command | Kind::FileChange => true,
            _ => false,
        };
        let wanted = placed.iter().enumerate().filter(|(_, one)| is_wanted(one)).map(|(at, _)| at).collect();
        Ok(Reading { journal, placed, wanted, next: 0 })
    }

    /// How many events the range has.
    pub fn events(&self) -> u64 {
        u64::try_from(self.placed.len()).unwrap_or(u64::MAX)
    }

    /// The place of the agent's last message.
    pub fn last_answer(&self) -> Option<Seq> {
        let is_answer = |one: &&Placed| one.kind == Kind::AssistantMessage && one.thread.is_none();
        self.placed.iter().rev().find(is_answer).map(|one| one.seq)
    }

    /// What was said in the turn that was open where this begins: the user's message, and what the agent said to it.
    pub fn turn_before(&self, archive: &Archive) -> Result<Vec<StoredEvent>, JournalError> {
        let after = self.placed.first().map_or(archive.after_seq, |first| first.seq.saturating_sub(1));
        let before = self.journal.placed(
            archive.client,
            &archive.session,
            (after.saturating_sub(TURN_PLACES_MAX), after),
            usize::MAX,
        )?;
        let is_said = |one: &&Placed| is_said(one);
        let from =
            before.iter().rposition(|one| one.kind == Kind::UserMessage && is_said(&one)).unwrap_or(before.len());
        let said = before.get(from..).unwrap_or_default().iter().filter(is_said);
        let seqs: Vec<Seq> = said.map(|one| one.seq).collect();
        self.journal.events(&seqs, &View::of(Audience::Dream))
    }

    /// The next events; none at the end.
    pub fn portion(&mut self) -> Result<Option<Portion>, JournalError> {
        let Some(wanted) = self.wanted.get(self.next..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
        let wanted = wanted.get(..PORTION.min(wanted.len())).unwrap_or_default();
        self.next += wanted.len();
        let seqs: Vec<Seq> = wanted.iter().filter_map(|at| self.placed.get(*at)).map(|one| one.seq).collect();
        let events = self.journal.events(&seqs, &View::of(Audience::Dream))?;
        let withheld = u64::try_from(seqs.len() - events.len()).unwrap_or(0);
        let mut places = wanted.iter().copied();
        let placed = |stored: StoredEvent| {
            let at = places.find(|at| self.placed.get(*at).is_some_and(|one| one.seq == stored.seq))?;
            Some((at, stored))
        };
        Ok(Some(Portion { events: events.into_iter().filter_map(placed).collect(), withheld }))
    }

    /// What was done in an event, for what work tells.
    pub fn work(&self, at: usize, stored: &StoredEvent) -> Result<Option<Turn>, JournalError> {
        let event = &stored.event;
        let text = || {
            let text = event.content.plain();
            text.get(..text.floor_char_boundary(TEXT_BYTES_KEPT)).unwrap_or_default().to_owned()
        };
        let work = match event.kind() {
            Kind::UserMessage if event.speaker == Speaker::User => Work::Asked(text()),
            Kind::AssistantMessage => Work::Answered(text()),
            Kind::Command => match self.command(at, stored)? {
                Some(ran) => ran,
                None => return Ok(None),
            },
            Kind::FileChange => Work::Changed(changed(&event.content)),
            _ => return Ok(None),
        };
        Ok(Some(Turn { id: stored.id, ts_ms: stored.ts_ms, secrecy: event.secrecy, work }))
    }

    fn command(&self, at: usize, stored: &StoredEvent) -> Result<Option<Work>, JournalError> {
        let item = item(&stored.event.content);
        let text = item.get("command").and_then(Value::as_str).map(str::to_owned);
        let command = text.unwrap_or_else(|| stored.event.content.plain().into_owned());
        if worth_naming(&command).is_none() {
            return Ok(None);
        }
        let status = item.get("status").and_then(Value::as_str);
        let went_well = match (item.get("exit_code").and_then(Value::as_i64), status) {
            (Some(code), _) => Some(code == 0),
            (None, Some("failed" | "error" | "declined" | "denied")) => Some(false),
            (None, Some("completed" | "success")) => Some(true),
            _ => None,
        };
        let complaint = if went_well == Some(false) { self.complaint(at, stored)? } else { None };
        Ok(Some(Work::Ran { command, went_well, complaint }))
    }

    /// What a command said when it failed: the first line of its result that complains.
    fn complaint(
        &self,
        at: usize,
        command: &StoredEvent,
    ) -> Result<Option<(memoir_event::EventId, String)>, JournalError> {
        let near = self.placed.get(at.saturating_sub(RESULT_NEAR / 2)..self.placed.len().min(at + RESULT_NEAR));
        let results = near.unwrap_or_default().iter().filter(|one| one.kind == Kind::ToolResult);
        let seqs: Vec<Seq> = results.map(|one| one.seq).collect();
        let found = self.journal.events(&seqs, &View::of(Audience::Dream))?;
        let of_call = |one: &&StoredEvent| one.event.action.is_some() && one.event.action == command.event.action;
        let result = found.iter().find(of_call);
        Ok(result.and_then(|result| Some((result.id, complaint_in(&result.event.content.plain())?))))
    }
}

/// Whether the user or the agent says it: a sub-agent is told what to do by the agent, not by the user.
fn is_said(one: &Placed) -> bool {
    matches!(one.kind, Kind::UserMessage | Kind::AssistantMessage) && one.thread.is_none()
}

fn item(content: &Content) -> Value {
    match content {
        Content::Payload(payload) => payload.to_value().get("item").cloned().unwrap_or_default(),
        Content::Json(json) => json.to_value(),
        Content::Text(_) => Value::Null,
    }
}

fn changed(content: &Content) -> Vec<String> {
    if let Content::Text(text) = content {
        return text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.contains(' '))
            .map(str::to_owned)
            .collect();
    }
    let item = item(content);
    let changes = item.get("changes").and_then(Value::as_array);
    let path = |change: &Value| change.get("path").and_then(Value::as_str).map(str::to_owned);
    changes.into_iter().flatten().filter_map(path).collect()
}

/// Words of lines that say what went wrong, the plainest first.
const COMPLAINTS: [&str; 9] =
    ["error", "panicked", "exception", "failed", "cannot", "not found", "denied", "no such", "undefined"];

/// Words of lines that only say that something went wrong.
const EMPTY_COMPLAINTS: [&str; 4] = ["task failed", "exit status", "exited with", "command failed"];

fn complaint_in(output: &str) -> Option<String> {
    let tells = |line: &&str| {
        let lower = line.to_lowercase();
        line.split_whitespace().count() >= 3 && !EMPTY_COMPLAINTS.iter().any(|empty| lower.contains(empty))
    };
    let lines = || output.lines().map(str::trim).filter(tells);
    let complains = |word: &str| lines().find(|line| line.to_lowercase().contains(word));
    // A place in a file tells more than a word.
    let line = lines().find(|line| names_place(line)).or_else(|| COMPLAINTS.iter().find_map(|word| complains(word)))?;
    Some(line.chars().take(COMPLAINT_CHARS_MAX).collect())
}

/// `src/main.rs:42:7: …`
fn names_place(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let mut parts = first.split(':');
    let (file, number) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    file.contains('.') && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
