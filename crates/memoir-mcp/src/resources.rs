//! Resources: sessions, archives and memories under names that clients can offer to their users.

use crate::error::ToolError;
use crate::library::VIEW;
use crate::lines;
use crate::tools::{Desk, SCHEME, read_whole};
use memoir_journal::{Filter, Journal as _};
use memoir_recall::clean;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

/// So many sessions are listed, the latest first.
const SESSIONS_MAX: usize = 20;
const TITLE_CHARS: usize = 80;

/// The latest sessions of the caller's project, or of all.
pub(crate) fn list(desk: &Desk<'_>) -> Result<Vec<Resource>, ToolError> {
    let filter = Filter { repo: desk.project_here()?, ..Filter::default() };
    let mut found = desk.library.shown().sessions(&filter, &VIEW, SESSIONS_MAX, 0)?;
    if found.is_empty() && filter.repo.is_some() {
        found = desk.library.shown().sessions(&Filter::default(), &VIEW, SESSIONS_MAX, 0)?;
    }
    let resource = |session: memoir_journal::SessionEntry| {
        let shown = session.shown();
        let title = session.title.map(|title| clean(&lines::one_line(&title), &desk.library.redactor));
        let (title, _) = lines::cut(&title.unwrap_or_default(), TITLE_CHARS);
        Resource::new(format!("{SCHEME}session/{shown}"), shown).with_title(title).with_mime_type("text/plain")
    };
    Ok(found.into_iter().filter(|session| session.client.is_some()).map(resource).collect())
}

/// What can be named besides.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, what: &str| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name).with_description(what).with_mime_type("text/plain")
    };
    vec![
        template("session/{id}", "session", "A session, from its beginning; its id is like cx-0193…"),
        template("archive/{session}/{archive}", "archive", "A sealed part of a session, such as archive_001"),
        template("memory/{id}", "memory", "A memory with where it is from"),
        template("event/{id}", "event", "One event in full"),
    ]
}

/// What a name stands for, its first page.
pub(crate) fn read(desk: &Desk<'_>, uri: &str) -> Result<ReadResourceResult, ToolError> {
    if !uri.starts_with(SCHEME) {
        return Err(ToolError::unknown(format!("memoir's resources begin with {SCHEME}")));
    }
    let text = read_whole(desk, uri)?.text;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}
