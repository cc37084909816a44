//! `memoir projects`.

use super::{Context, project, session, timeline, times};
use crate::cli::{ProjectsAction, ProjectsArgs};
use crate::exit::{Done, Usage};
use crate::home::{Life, system_clock};
use crate::print::{Out, count, table};
use anyhow::Result;
use memoir_event::format_ms;
use memoir_journal::{Admission, Alias, Audience, Filter, Journal, ProjectEntry, SqliteJournal, View};
use memoir_record::Names;
use serde_json::json;

pub fn run(context: &Context, args: &ProjectsArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return timeline::nothing(args.json);
    };
    match &args.action {
        None => list(&journal, args.json),
        Some(ProjectsAction::Merge { from, to }) => merge(context, &journal, (from, to), args.json),
        Some(ProjectsAction::Split { what, to }) => split(context, &journal, (what, to.as_deref()), args.json),
    }
}

fn list(journal: &SqliteJournal, json: bool) -> Result<Done> {
    let projects = journal.projects()?;
    if projects.is_empty() {
        return timeline::nothing(json);
    }
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let place = |project: &ProjectEntry| -> Result<Option<String>> {
        let filter = Filter { repo: Some(project.repo.clone()), ..Filter::default() };
        let latest = journal.sessions(&filter, &view, 1, 0)?;
        Ok(latest.first().map(|latest| session::directory(journal, latest)).transpose()?.flatten())
    };
    let places: Vec<Option<String>> = projects.iter().map(place).collect::<Result<_>>()?;
    let mut out = Out::new();
    if json {
        for (project, place) in projects.iter().zip(&places) {
            out.json(&json!({
                "project": project.repo, "directory": place, "aliases": project.aliases, "sessions": project.sessions,
                "events": project.events, "firstTs": format_ms(project.first_ms), "lastTs": format_ms(project.last_ms),
            }))?;
        }
    } else {
        let cells = |(project, place): (&ProjectEntry, &Option<String>)| {
            vec![
                project.repo.clone(),
                place.clone().unwrap_or_default(),
                project.sessions.to_string(),
                project.events.to_string(),
                times::local(project.last_ms),
                project.aliases.join(", "),
            ]
        };
        let lines: Vec<Vec<String>> = projects.iter().zip(&places).map(cells).collect();
        table(&mut out, &["project", "last in", "sessions", "events", "last", "also recorded as"], &lines)?;
    }
    out.flush()?;
    Ok(Done::Well)
}

fn merge(context: &Context, journal: &SqliteJournal, (from, to): (&str, &str), json: bool) -> Result<Done> {
    let projects = journal.projects()?;
    if from == to {
        return Err(Usage("a project cannot be merged into itself".into()).into());
    }
    let Some(project) = projects.iter().find(|project| project.repo == from) else {
        return Err(Usage(match project::present_id(journal, from)? {
            Some(whole) => format!("`{from}` belongs to `{whole}` already"),
            None => format!("there is no project `{from}`: `memoir projects` lists them"),
        })
        .into());
    };
    // Whatever was recorded under another id and belongs to it goes with it.
    append(context, journal, Alias::Project { from: from.to_owned(), to: to.to_owned() })?;
    let said = format!("`{from}` belongs to `{to}` now ({})", count(project.sessions, "session"));
    say(&said, &json!({"project": from, "belongsTo": to, "sessions": project.sessions}), json)
}

fn split(
    context: &Context,
    journal: &SqliteJournal,
    (what, to): (&[String], Option<&str>),
    json: bool,
) -> Result<Done> {
    let projects = journal.projects()?;
    let Some(to) = to else {
        for name in what {
            undo_merge(context, journal, &projects, name, json)?;
        }
        return Ok(Done::Well);
    };
    let sessions: Vec<_> = what.iter().map(|name| session::named(journal, name)).collect::<Result<_>>()?;
    for session in sessions {
        let alias = Alias::Session { client: session.client, session: session.session.clone(), to: to.to_owned() };
        append(context, journal, alias)?;
        let said = format!("{} belongs to `{to}` now, apart from `{}`", session.shown(), session.repo);
        say(&said, &json!({"session": session.shown(), "belongsTo": to, "belonged": session.repo}), json)?;
    }
    Ok(Done::Well)
}

/// Makes what was merged into another project one of its own again. Sessions that were moved one by one stay where they
/// are: somebody wanted each of them there.
fn undo_merge(
    context: &Context,
    journal: &SqliteJournal,
    projects: &[ProjectEntry],
    name: &str,
    json: bool,
) -> Result<()> {
    let whole = project::present_id(journal, name)?.filter(|whole| whole != name);
    let is_elsewhere = |project: &&ProjectEntry| {
        project.repo != name && Some(&project.repo) != whole.as_ref() && project.aliases.iter().any(|id| id == name)
    };
    let moved: Vec<String> = projects.iter().filter(is_elsewhere).map(|project| project.repo.clone()).collect();
    let places = moved.iter().map(|repo| format!("`{repo}`")).collect::<Vec<_>>().join(", ");
    let Some(whole) = whole else {
        let hint = "pass --to with the project that a session belongs to";
        return Err(Usage(if moved.is_empty() {
            format!("`{name}` is no project that was merged into another: {hint}")
        } else {
            format!("`{name}` was not merged into another: its sessions in {places} were moved one by one; {hint}")
        })
        .into());
    };
    append(context, journal, Alias::Project { from: name.to_owned(), to: name.to_owned() })?;
    let stay =
        if moved.is_empty() { String::new() } else { format!("; sessions that were moved to {places} stay there") };
    let said = format!("`{name}` is a project of its own again, apart from `{whole}`{stay}");
    say(&said, &json!({"project": name, "belongsTo": name, "belonged": whole, "stayElsewhere": moved}), json)?;
    Ok(())
}

fn append(context: &Context, journal: &SqliteJournal, alias: Alias) -> Result<()> {
    let redactor = context.settings.redactor()?;
    let name = Names::new(system_clock())?.uuid();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    journal.append(&[admission.admit(alias.into_event(name))], &[])?;
    Ok(())
}

fn say(text: &str, object: &serde_json::Value, json: bool) -> Result<Done> {
    let mut out = Out::new();
    if json {
        out.json(object)?
    } else {
        out.line(text)?
    }
    out.flush()?;
    Ok(Done::Well)
}
