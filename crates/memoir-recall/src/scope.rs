//! Which records an answer may be made of: projects, sessions, times and who may see what, in numbers.

use crate::field::Voices;
use crate::request::Request;
use crate::sessions::SessionMap;
use memoir_event::Kind;
use memoir_journal::{Filter, Journal, JournalError, Selection, View};

/// What is to be looked at.
pub(crate) struct Scoped {
    /// Speech, memories among it.
    pub spoken: Selection,
    /// The same, with memories that something newer replaced: they lead to it.
    pub memories: Selection,
    /// The shapes that memories have.
    pub memory_shapes: Vec<u32>,
    /// Anything, for what is looked up as it is.
    pub anything: Selection,
}

impl Scoped {
    pub fn new(
        journal: &dyn Journal,
        request: &Request,
        sessions: &SessionMap,
        voices: &Voices,
    ) -> Result<Scoped, JournalError> {
        let mut anything = journal.select(&request.filter, &request.view)?;
        if !request.projects.is_empty() {
            let mut origins = Vec::new();
            for project in &request.projects {
                let filter = Filter { repo: Some(project.clone()), ..request.filter.clone() };
                origins.extend(journal.select(&filter, &request.view)?.origins.unwrap_or_default());
            }
            if request.filter.session.is_none() && request.filter.source.is_none() {
                // What holds for the user holds in every project.
                origins.extend(sessions.own_everywhere());
            }
            origins.sort_unstable();
            origins.dedup();
            anything.origins = Some(origins);
        }
        if let Some(asking) = request.not_session.as_ref().filter(|_| request.dropped_before_ms.is_none()) {
            leave_out(journal, asking, sessions, &mut anything)?;
        }
        let mut spoken = anything.clone();
        let shapes = voices.shapes();
        spoken.shapes = Some(match spoken.shapes.take() {
            Some(wanted) => wanted.into_iter().filter(|shape| shapes.binary_search(shape).is_ok()).collect(),
            None => shapes,
        });
        let forgotten = journal.select(&Filter::default(), &View::owner_all())?.hidden;
        let mut memories = Selection { hidden: forgotten, ..spoken.clone() };
        if request.filter.session.is_some() {
            // What holds in one session is no part of its conversation.
            for origins in [&mut spoken.origins, &mut memories.origins] {
                let mut all: Vec<u32> = origins.take().unwrap_or_default().into_iter().chain(sessions.own()).collect();
                all.sort_unstable();
                all.dedup();
                *origins = Some(all);
            }
        }
        Ok(Scoped { spoken, memories, memory_shapes: voices.shapes_of(|kind| kind == Kind::Memory), anything })
    }
}

impl Scoped {
    /// Whether anything of that origin may be in the answer.
    pub fn has_origin(&self, origin: u32) -> bool {
        self.anything.origins.as_ref().is_none_or(|origins| origins.binary_search(&origin).is_ok())
    }
}

/// Leaves a session out.
fn leave_out(
    journal: &dyn Journal,
    session: &str,
    sessions: &SessionMap,
    selection: &mut Selection,
) -> Result<(), JournalError> {
    let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
    let out = journal.select(&filter, &View::owner_all())?.origins.unwrap_or_default();
    if out.is_empty() {
        return Ok(());
    }
    let all = match selection.origins.take() {
        Some(origins) => origins,
        None => sessions.all().collect(),
    };
    selection.origins = Some(all.into_iter().filter(|origin| out.binary_search(origin).is_err()).collect());
    Ok(())
}
