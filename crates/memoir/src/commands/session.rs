//! A session by its id, or by how its id begins.

use crate::exit::Usage;
use anyhow::Result;
use memoir_journal::{Audience, Filter, Journal, SessionEntry, SqliteJournal, View};

/// So many sessions are looked through.
const SESSIONS_MAX: usize = 1_000_000;

/// So many are named when several fit.
const NAMED_MAX: usize = 5;

/// The one session that goes by that name.
pub fn named(journal: &SqliteJournal, name: &str) -> Result<SessionEntry> {
    Ok(find(journal, name)?.ok_or_else(|| Usage(unknown(name)))?)
}

/// What is said of a session that nobody knows.
pub fn unknown(name: &str) -> String {
    format!("there is no session `{name}`: `memoir sessions` lists them")
}

/// The one session that goes by that name, if there is one.
pub fn find(journal: &SqliteJournal, name: &str) -> Result<Option<SessionEntry>> {
    if name.trim().is_empty() {
        return Err(Usage("no session is named: pass its id, or how it begins".to_owned()).into());
    }
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
    Ok(memoir_session::directory(journal, session, &view)?)
}
