//! A project of the journal, by its name or by a directory of it.

use super::Context;
use crate::clients;
use crate::exit::Usage;
use crate::home::system_clock;
use crate::print;
use anyhow::{Context as _, Result};
use memoir_journal::{Audience, Filter, Journal, ProjectEntry, SqliteJournal, View};
use memoir_record::{Project, Projects, rename_project};
use memoir_session::ProjectNames;
use std::path::{Path, PathBuf};

/// The project of a directory, as the file system tells it.
pub fn around(dir: &Path) -> Project {
    Projects::new(clients::user_home()).with_git(clients::git_files()).of(Some(&dir.to_string_lossy()), None).clone()
}

/// The top of the project around the working directory, as far as it is below it: in a worktree of its own, that.
pub fn top() -> Result<PathBuf> {
    let cwd = std::env::current_dir().context("this directory cannot be told")?;
    let root = around(&cwd).root.filter(|root| cwd.starts_with(root));
    let worktree = || cwd.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned);
    Ok(root.or_else(worktree).unwrap_or(cwd))
}

/// What projects are called; the one around the working directory without any session of it.
pub fn names(journal: &SqliteJournal) -> ProjectNames<'_> {
    let names = ProjectNames::new(journal, View::of(Audience::Owner).with_secret().with_private().with_sealed());
    let here = std::env::current_dir().ok().map(|dir| around(&dir));
    match here.and_then(|here| Some((here.id, here.root?))) {
        Some((id, root)) => names.at(&id, &root.to_string_lossy()),
        None => names,
    }
}

/// What a project is called, with its id where that is something else.
pub fn shown(journal: &SqliteJournal, id: &str) -> Result<String> {
    Ok(names(journal).in_full(id)?)
}

/// The id of the project that what was recorded under `name` belongs to now; none if nothing is recorded of it. Sessions
/// that were moved elsewhere one by one do not count.
pub fn present_id(journal: &SqliteJournal, name: &str) -> Result<Option<String>> {
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let filter = Filter { repo: Some(name.to_owned()), ..Filter::default() };
    Ok(journal.sessions(&filter, &view, 1, 0)?.into_iter().next().map(|session| session.repo))
}

/// The project that goes by that name, or went by it before it was merged into another. `hint` tells what else the user
/// can do.
pub fn named(journal: &SqliteJournal, name: &str, hint: &str) -> Result<ProjectEntry> {
    let mut known = journal.projects()?;
    let id = if known.iter().any(|entry| entry.repo == name) { None } else { present_id(journal, name)? };
    let id = id.as_deref().unwrap_or(name);
    let found = known.iter().position(|entry| entry.repo == id).map(|at| known.swap_remove(at));
    let none = || format!("nothing is recorded of project `{name}`: `memoir projects` lists what is; {hint}");
    Ok(found.ok_or_else(|| Usage(none()))?)
}

/// The project around a directory. What was recorded of it before it had an address moves along, as it would with its
/// next event.
pub fn at(context: &Context, journal: &SqliteJournal, project: &Project, hint: &str) -> Result<ProjectEntry> {
    let Some(path_id) = project.path_id.as_deref().filter(|path_id| *path_id != project.id) else {
        return named(journal, &project.id, hint);
    };
    if rename_project(journal, &context.settings.redactor()?, &system_clock(), path_id, &project.id)? {
        print::warn(&format!("`{path_id}` goes by its address now: `{}`", project.id));
    }
    // The user may have put it elsewhere, or parted it again: then it is known by its path alone.
    let is_known_by_path = present_id(journal, &project.id)?.is_none() && present_id(journal, path_id)?.is_some();
    named(journal, if is_known_by_path { path_id } else { &project.id }, hint)
}
