//! Where sessions ran, and what their projects are called for people.

use crate::policy::clean;
use crate::request::Block;
use memoir_event::{Kind, repo_id_of_path};
use memoir_journal::{Filter, Journal, JournalError, Order, Page, SessionEntry, View};
use memoir_redact::Redactor;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;

/// So many beginnings of a session are looked through: those of its sub-agents begin elsewhere.
const BEGINNINGS_MAX: usize = 10;

/// The id of a project that has no address has so many hexadecimal digits.
const PATH_ID_CHARS: usize = 12;

/// Where a session began.
pub fn directory(journal: &dyn Journal, session: &SessionEntry, view: &View) -> Result<Option<String>, JournalError> {
    let filter = Filter {
        session: Some(session.shown()),
        event_type: Some(Kind::SessionStarted.as_str().to_owned()),
        ..Filter::default()
    };
    let started = journal.page(&filter, view, &Page::first(BEGINNINGS_MAX, Order::OldestFirst))?.events;
    let own = started.iter().find(|event| event.event.thread.as_ref().is_none_or(|thread| *thread == session.session));
    let payload: Value =
        own.and_then(|event| serde_json::from_str(event.event.content.verbatim()).ok()).unwrap_or_default();
    Ok(payload.get("cwd").and_then(Value::as_str).map(str::to_owned))
}

/// What projects are called: by their address, or, of one that has none, by the name of its directory. Each is looked up
/// once.
pub struct ProjectNames<'a> {
    journal: &'a dyn Journal,
    view: View,
    known: RefCell<HashMap<String, String>>,
}

impl<'a> ProjectNames<'a> {
    /// As a reader with that view may know them.
    pub fn new(journal: &'a dyn Journal, view: View) -> ProjectNames<'a> {
        ProjectNames { journal, view, known: RefCell::default() }
    }

    /// The same, for somebody who is in a project: what that is called needs no session.
    #[must_use]
    pub fn at(self, project: &str, directory: &str) -> ProjectNames<'a> {
        if let Some(name) = name_in(project, directory).filter(|_| is_of_path(project)) {
            self.known.borrow_mut().insert(project.to_owned(), name);
        }
        self
    }

    /// What a project is called.
    pub fn of(&self, project: &str) -> Result<String, JournalError> {
        if !is_of_path(project) {
            return Ok(project.to_owned());
        }
        if let Some(name) = self.known.borrow().get(project) {
            return Ok(name.clone());
        }
        let filter = Filter { repo: Some(project.to_owned()), ..Filter::default() };
        let latest = self.journal.sessions(&filter, &self.view, 1, 0)?;
        let ran_in = latest.first().map(|latest| directory(self.journal, latest, &self.view)).transpose()?.flatten();
        let name = ran_in.and_then(|ran_in| name_in(project, &ran_in)).unwrap_or_else(|| project.to_owned());
        self.known.borrow_mut().insert(project.to_owned(), name.clone());
        Ok(name)
    }

    /// Has blocks from elsewhere say what their projects are called.
    pub(crate) fn call(&self, blocks: &mut [Block], redactor: &Redactor) -> Result<(), JournalError> {
        for block in blocks.iter_mut().filter(|block| block.elsewhere) {
            block.project = Some(clean(&self.of(&block.repo)?, redactor));
        }
        Ok(())
    }

    /// What a project is called, with its id where that is something else.
    pub fn in_full(&self, project: &str) -> Result<String, JournalError> {
        let name = self.of(project)?;
        Ok(if name == project { name } else { format!("{name} ({project})") })
    }

    /// The ids of the projects that somebody may mean: the one of that id, or else those that are called so.
    pub fn named(&self, name: &str) -> Result<Vec<String>, JournalError> {
        if name.is_empty() || name.contains('/') || self.journal.has_project(name)? {
            return Ok(vec![name.to_owned()]);
        }
        let mut found = Vec::new();
        for entry in self.journal.projects()? {
            if is_of_path(&entry.repo) && self.of(&entry.repo)? == name {
                found.push(entry.repo);
            }
        }
        Ok(found)
    }
}

/// Whether an id stands for a path: nobody can read it.
fn is_of_path(project: &str) -> bool {
    project.len() == PATH_ID_CHARS && project.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The name of a project's directory, as far as a directory in it tells: of those around it the one that the id stands
/// for, or else itself.
fn name_in(project: &str, directory: &str) -> Option<String> {
    let parts: Vec<&str> = directory.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let is_it = |end: &usize| repo_id_of_path(&parts.get(..*end).unwrap_or_default().join("/")) == project;
    let end = (1..=parts.len()).rev().find(is_it).unwrap_or(parts.len());
    parts.get(end.checked_sub(1)?).map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_called_after_its_directory_wherever_in_it_a_session_began() {
        let id = repo_id_of_path("/home/alice/shop");
        for directory in ["/home/alice/shop", "/home/alice/shop/", "/home/alice/shop/src/deep"] {
            assert_eq!(name_in(&id, directory).as_deref(), Some("shop"));
        }
        // What was merged or moved goes by where its sessions are.
        assert_eq!(name_in(&id, "/srv/store").as_deref(), Some("store"));
        assert_eq!(name_in(&id, "/"), None);
        assert!(is_of_path(&id) && !is_of_path("acme/shop") && !is_of_path("deadbeef") && !is_of_path("ABCDEFABCDEF"));
    }
}
