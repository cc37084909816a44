//! The tool `status`.

use super::Desk;
use crate::answer::Answer;
use crate::error::ToolError;
use crate::lines::one_line;
use crate::when;
use memoir_recall::clean;
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write as _;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {}

pub(super) fn run(desk: &Desk<'_>, _asked: &Asked) -> Result<Answer, ToolError> {
    let library = desk.library;
    let stats = library.journal.stats()?;
    let index = library.index.status(&*library.journal)?;
    let shown = library.shown();
    let names = desk.project_names(&shown)?;
    let project = desk.project_here()?;
    let called = project.as_deref().map(|project| names.in_full(project)).transpose()?;
    let fit = |text: &str| clean(&one_line(text), &library.redactor);
    let (session, project) = (desk.caller.session.as_deref().map(fit), project.as_deref().map(fit));
    let called = called.as_deref().map(fit);
    let last = stats.last_at_ms.map(|ms| when::shown(ms, &library.zone));
    let waiting = index.last.saturating_sub(index.indexed);
    let unknown = "not known";
    let mut text = format!("{} events in {} sessions", stats.events, stats.sessions);
    let _ = writeln!(text, ", last recorded {}", last.as_deref().unwrap_or("never"));
    let _ = writeln!(text, "{waiting} records are not indexed yet; searches read them as well");
    let _ = writeln!(text, "your session: {}", session.as_deref().unwrap_or(unknown));
    let _ = write!(text, "your project: {}", called.as_deref().unwrap_or(unknown));
    let values = json!({
        "events": stats.events, "sessions": stats.sessions, "last_recorded": last, "forgotten": stats.forgotten,
        "redactions": stats.redactions, "index_waiting": waiting, "session": session, "project": project,
    });
    Ok(Answer::with_values(text, values))
}
