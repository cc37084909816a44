//! The flags that choose events, as the journal's own filter and view.

use super::{session, times};
use crate::cli::{FilterArgs, ViewArgs};
use crate::exit::Usage;
use anyhow::Result;
use memoir_event::{Kind, Source, nearest};
use memoir_journal::{Audience, Filter, SqliteJournal, View};

/// The filter that the flags mean.
pub fn filter(args: &FilterArgs) -> Result<Filter, Usage> {
    let source = args.source.as_deref().map(source).transpose()?;
    Ok(Filter {
        repo: args.repo.as_deref().map(project),
        session: args.session.clone(),
        thread: args.thread.clone(),
        actor: args.actor.clone(),
        from_ms: args.from.as_deref().map(times::parse).transpose()?,
        to_ms: args.to.as_deref().map(times::parse_end).transpose()?,
        item_type: args.item_type.clone(),
        event_type: args.event_type.as_deref().map(event_type).transpose()?,
        source,
    })
}

/// The project that somebody names; `.` and other directories stand for the project in them.
pub fn project(name: &str) -> String {
    let is_directory = matches!(name, "." | "..") || name.starts_with(['/', '.', '~']);
    if !is_directory {
        return name.to_owned();
    }
    let dir = std::path::absolute(name).unwrap_or_else(|_| name.into());
    super::context::project_of(Some(&dir.to_string_lossy()))
}

/// The same, of what is recorded: a project without an address also goes by the name of its directory.
pub fn project_in(journal: &SqliteJournal, name: &str) -> Result<String> {
    let name = project(name);
    let mut ids = super::project::names(journal).named(&name)?;
    match ids.len() {
        0 | 1 => Ok(ids.pop().unwrap_or(name)),
        count => {
            Err(Usage(format!("{count} projects are called `{name}`: {}; pass one of them", ids.join(", "))).into())
        }
    }
}

/// The project of the working directory.
pub fn project_here() -> String {
    project(".")
}

/// The filter with its session and project named in full: people may give only how an id begins, or what a directory is
/// called.
pub fn in_journal(mut filter: Filter, journal: &SqliteJournal) -> Result<Filter> {
    if let Some(name) = filter.repo.take() {
        filter.repo = Some(project_in(journal, &name)?);
    }
    if let Some(name) = filter.session.take() {
        filter.session = Some(session::find(journal, &name)?.map_or(name, |session| session.shown()));
    }
    Ok(filter)
}

fn source(name: &str) -> Result<Source, Usage> {
    Source::parse(name).ok_or_else(|| unknown("source", name, Source::ALL.iter().map(|source| source.as_str())))
}

fn event_type(name: &str) -> Result<String, Usage> {
    let names = Kind::ALL.iter().map(|kind| kind.as_str());
    if Kind::is_type(name) { Ok(name.to_owned()) } else { Err(unknown("type", name, names)) }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Usage {
    let meant = nearest(name, known.clone()).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    let known: Vec<&str> = known.collect();
    Usage(format!("unknown {what} `{name}`{meant} (known are {})", known.join(", ")))
}

/// The view that the flags mean.
pub fn view(args: &ViewArgs) -> View {
    let mut view = View::of(Audience::Owner);
    if args.secret {
        view = view.with_secret();
    }
    if args.private {
        view = view.with_private();
    }
    if args.sealed {
        view = view.with_sealed();
    }
    if args.history {
        view = view.with_history();
    }
    view
}
