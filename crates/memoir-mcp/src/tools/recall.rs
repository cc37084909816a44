//! The tool `recall`: few, ranked, budgeted blocks. The asking session knows what was said in it, so it is left out.

use super::{Desk, Wanted};
use crate::answer::Answer;
use crate::error::ToolError;
use crate::library::VIEW;
use memoir_recall::{Request, digest};
use serde::Deserialize;

const LIMIT_MAX: usize = 50;
const BUDGET_MAX: usize = 10_000;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    query: String,
    project: Option<String>,
    session: Option<String>,
    since: Option<String>,
    until: Option<String>,
    files: Vec<String>,
    limit: Option<usize>,
    budget: Option<usize>,
}

pub(super) fn run(desk: &Desk<'_>, asked: Asked) -> Result<Answer, ToolError> {
    if asked.query.trim().is_empty() {
        return Err(ToolError::wrong("say in `query` what it is about"));
    }
    let wanted = Wanted::at([&asked.project, &asked.session], [&asked.since, &asked.until]);
    let library = desk.library;
    let mut request = Request::new(&asked.query, VIEW, desk.now_ms());
    let mut filter = desk.filter(&wanted)?;
    request.projects.extend(filter.repo.take());
    // Whoever asks for a session by name wants it, even its own.
    request.not_session = desk.caller.session.clone().filter(|_| filter.session.is_none());
    request.filter = filter;
    request.here = desk.project_here()?;
    request.files = asked.files;
    request.limit = asked.limit.unwrap_or(request.limit).clamp(1, LIMIT_MAX);
    request.budget_tokens = Some(asked.budget.unwrap_or(Request::BUDGET_TOKENS).min(BUDGET_MAX));
    request.zone = library.zone.clone();
    let mut go_on = |_, _| (desk.go_on)();
    let answer = library.recall.recall(&*library.journal, &library.index, &request, &mut go_on)?;
    let mut notes: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
    if answer.blocks.is_empty() {
        notes.insert(0, "Nothing in memoir helps with that.".to_owned());
        return Ok(Answer::told(notes.join("\n")));
    }
    if answer.blocks.iter().any(|block| block.cut) {
        notes.push("`read` shows what is cut, by its id.".to_owned());
    }
    Ok(Answer::quoted("recall", &digest(&answer, &library.zone), &notes.join("\n")))
}
