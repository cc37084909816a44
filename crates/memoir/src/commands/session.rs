//! A session by its id, or by how its id begins.

use crate::exit::Usage;
use anyhow::Result;
use memoir_event::Kind;
use memoir_journal::{Audience, Filter, Journal, Order, Page, SessionEntry, SqliteJournal, View};
use serde_json::Value;

/// So many sessions are looked through.
const SESSIONS_MAX: usize = 1_000_000;

/// So many are named when several fit.
const NAMED_MAX: usize = 5;

/// The one session that goes by that name.
pub fn named(journal: &SqliteJournal, name: &str) -> Result<SessionEntry> {
    let none = || Usage(format!("there is no session `{name}`: `memoir sessions` lists them"));
    Ok(find(journal, name)?.ok_or_else(none)?)
}

/// The one session that goes by that name, if there is one.
pub fn find(journal: &SqliteJournal, name: &str) -> Result<Option<SessionEntry>> {
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let exact = Filter { session: Some(name.to_owned()), ..Filter::default() };
    let mut found = journal.sessions(&exact, &view, 2, 0)?;
    if found.is_empty() {
        found = journal.sessions(&Filter::default(), &view, SESSIONS_MAX, 0)?;
        found.retain(|session| session.shown().starts_with(name) || session.session.starts_with(name));
    }
    if found.len() > 1 {
        let names: Vec<String> = found.iter().take(NAMED_MAX).map(SessionEntry::shown).collect();
        return Err(Usage(format!("{} sessions begin with `{name}`: {} …", found.len(), names.join(", "))).into());
    }
    Ok(found.pop())
}

/// Where the session began: clients look for it there.
pub fn directory(journal: &SqliteJournal, session: &SessionEntry) -> Result<Option<String>> {
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let filter = Filter {
        session: Some(session.shown()),
        event_type: Some(Kind::SessionStarted.as_str().to_owned()),
        ..Filter::default()
    };
    let started = journal.page(&filter, &view, &Page::first(10, Order::OldestFirst))?.events;
    let own = started.iter().find(|event| event.event.thread.as_ref().is_none_or(|thread| *thread == session.session));
    let payload: Value =
        own.and_then(|event| serde_json::from_str(event.event.content.verbatim()).ok()).unwrap_or_default();
    Ok(payload.get("cwd").and_then(Value::as_str).map(str::to_owned))
}
