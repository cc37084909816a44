//! What one should know of a project before anybody asks anything: what was settled, what is open, what was done last.

use crate::ordinary::says_nothing;
use crate::outdated::replaced;
use crate::policy::{clean, holds};
use memoir_event::{EventId, Kind, Memory, MemoryKind, MemoryScope};
use memoir_journal::{Audience, Filter, Journal, JournalError, Order, Page, SessionEntry, StoredEvent, View};
use memoir_redact::Redactor;

/// So many memories are looked through, the newest first.
const MEMORIES_MAX: usize = 400;
/// So many sessions are looked through for those that began with something.
const SESSIONS_MAX: usize = 8;
/// So many of the first things that were asked in each are looked at.
const BEGINNINGS_MAX: usize = 6;
/// A title is a reminder, not the text.
const TITLE_CHARS_MAX: usize = 120;

/// What is known of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Essence {
    /// What holds: pinned memories first, then conventions, preferences, decisions and procedures.
    pub kept: Vec<Kept>,
    /// Questions that nobody has settled.
    pub open: Vec<Kept>,
    /// The last sessions, the latest first.
    pub sessions: Vec<LastSession>,
}

/// A memory, fit to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Its id.
    pub id: EventId,
    /// What it says.
    pub text: String,
    /// When it was said.
    pub ts_ms: i64,
    /// What it knows of itself.
    pub memory: Memory,
}

/// A session, fit to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LastSession {
    /// As people see it.
    pub shown: String,
    /// The first thing that the user asked in it.
    pub title: String,
    /// The event whose text is the title, whole.
    pub title_is: Option<EventId>,
    /// When its last event happened.
    pub last_ms: i64,
}

/// What is known of a project and, beside it, of the user everywhere; not from the session that asks.
pub fn essence(
    journal: &dyn Journal,
    redactor: &Redactor,
    project: &str,
    not_session: &str,
    sessions_max: usize,
) -> Result<Essence, JournalError> {
    let mut essence = Essence::default();
    let view = View::of(Audience::Recall);
    for (stored, memory) in memories(journal, project, &view)? {
        let list = match standing(&memory) {
            None => continue,
            Some(OPEN) => &mut essence.open,
            Some(_) => &mut essence.kept,
        };
        list.push(Kept { id: stored.id, text: clean(&memory.text, redactor), ts_ms: stored.ts_ms, memory });
    }
    for list in [&mut essence.kept, &mut essence.open] {
        list.sort_by_key(|kept| {
            let standing = standing(&kept.memory).unwrap_or(OPEN);
            (standing, std::cmp::Reverse((kept.memory.reinforced, kept.ts_ms)))
        });
    }
    let filter = Filter { repo: Some(project.to_owned()), ..Filter::default() };
    let last = if sessions_max > 0 { journal.sessions(&filter, &view, SESSIONS_MAX, 0)? } else { Vec::new() };
    for entry in last.iter().filter(|entry| entry.shown() != not_session) {
        if essence.sessions.len() < sessions_max {
            essence.sessions.extend(told(journal, &view, entry, redactor)?);
        }
    }
    Ok(essence)
}

/// What holds in a project for whoever works on it: its conventions, and whatever is pinned.
pub fn conventions(journal: &dyn Journal, redactor: &Redactor, project: &str) -> Result<Vec<Kept>, JournalError> {
    let mut kept = essence(journal, redactor, project, "", 0)?.kept;
    let is_shared = |memory: &Memory| memory.scope == MemoryScope::Project;
    kept.retain(|kept| is_shared(&kept.memory) && (kept.memory.pinned || kept.memory.kind == MemoryKind::Convention));
    Ok(kept)
}

/// Where a question stands: apart from what holds.
const OPEN: u8 = 9;

/// In which order memories come; none if such a one waits until it is asked for.
fn standing(memory: &Memory) -> Option<u8> {
    match memory.kind {
        MemoryKind::Question => Some(OPEN),
        _ if memory.pinned => Some(0),
        MemoryKind::Convention => Some(1),
        MemoryKind::Preference => Some(2),
        MemoryKind::Decision => Some(3),
        MemoryKind::Procedure => Some(4),
        _ => None,
    }
}

/// Memories that hold for the user and in the project, the newest first.
fn memories(journal: &dyn Journal, project: &str, view: &View) -> Result<Vec<(StoredEvent, Memory)>, JournalError> {
    let event_type = Some(Kind::Memory.as_str().to_owned());
    let mut found = Vec::new();
    // What holds for the user everywhere is in no project.
    for repo in [project, ""] {
        let filter = Filter { repo: Some(repo.to_owned()), event_type: event_type.clone(), ..Filter::default() };
        let page = journal.page(&filter, view, &Page::first(MEMORIES_MAX, Order::NewestFirst))?;
        let memory = |stored: StoredEvent| Memory::of_event(&stored.event).map(|memory| (stored, memory));
        let is_for_all = |memory: &Memory| !matches!(memory.scope, MemoryScope::Session(_)) && holds(memory, view);
        found.extend(page.events.into_iter().filter_map(memory).filter(|(_, memory)| is_for_all(memory)));
        if project.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// What a session began with: the first thing that says something and, as far as anybody knows, still holds.
fn told(
    journal: &dyn Journal,
    view: &View,
    entry: &SessionEntry,
    redactor: &Redactor,
) -> Result<Option<LastSession>, JournalError> {
    let event_type = Some(Kind::UserMessage.as_str().to_owned());
    let filter = Filter { session: Some(entry.shown()), event_type, ..Filter::default() };
    for stored in journal.page(&filter, view, &Page::first(BEGINNINGS_MAX, Order::OldestFirst))?.events {
        let said = stored.event.content.plain();
        let said = said.trim();
        let (line, is_cut) = line_of(said);
        let title = clean(line, redactor) + if is_cut { "…" } else { "" };
        if title.trim().is_empty() || says_nothing(said) || replaced(journal, &stored)?.is_some() {
            continue;
        }
        let title_is = (line == said).then_some(stored.id);
        return Ok(Some(LastSession { shown: entry.shown(), title, title_is, last_ms: entry.last_ms }));
    }
    Ok(None)
}

/// The first line of a text, as much of it as reminds of it, and whether that is not all of it.
fn line_of(text: &str) -> (&str, bool) {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => (line.get(..end).unwrap_or_default(), true),
        None => (line, false),
    }
}
