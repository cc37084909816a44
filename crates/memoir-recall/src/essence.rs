//! What one should know of a project before anybody asks anything: what was settled, what is open, what was done last.

use crate::policy::{clean, holds};
use memoir_event::{EventId, Kind, Memory, MemoryKind, MemoryScope};
use memoir_journal::{Audience, Filter, Journal, JournalError, Order, Page, SessionEntry, StoredEvent, View};
use memoir_redact::Redactor;

/// So many memories are looked through, the newest first.
const MEMORIES_MAX: usize = 400;
/// So many sessions are looked through for those with a title.
const SESSIONS_MAX: usize = 8;

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
    let last = journal.sessions(&filter, &view, SESSIONS_MAX, 0)?.into_iter();
    let told = last.filter(|entry| entry.shown() != not_session).filter_map(|entry| told(&entry, redactor));
    essence.sessions = told.take(sessions_max).collect();
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

fn told(entry: &SessionEntry, redactor: &Redactor) -> Option<LastSession> {
    let shown = entry.shown();
    let title = clean(entry.title.as_deref()?, redactor);
    (!title.trim().is_empty()).then_some(LastSession { shown, title, title_is: entry.title_is, last_ms: entry.last_ms })
}
