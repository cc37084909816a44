//! `memoir memories`: lists them, takes them in from files, changes what they know of themselves.

use super::{Context, filter, project, remember, timeline, times};
use crate::cli::{MemoriesAction, MemoriesArgs, StatusName};
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style, count};
use anyhow::{Context as _, Result};
use memoir_dream::{Brought, Said, read_memories};
use memoir_event::{EventId, Kind, Memory, MemoryScope, MemoryStatus};
use memoir_journal::{Admission, Filter, Journal, Lookup, Order, Page, SqliteJournal, StoredEvent, View};
use memoir_recall::{Form, Gate, Listed, memory_json};
use memoir_session::ProjectNames;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

/// A file with memories may have so many bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;

pub fn run(context: &Context, args: &MemoriesArgs) -> Result<Done> {
    match &args.action {
        None => list(context, args),
        Some(MemoriesAction::Import { file, project, dry_run }) => {
            let project = project.as_deref().map_or_else(filter::project_here, filter::project);
            import(context, file, &project, *dry_run, args.json)
        }
        Some(MemoriesAction::Set { id, pin, unpin, status, name, aliases }) => {
            let change = |memory: &mut Memory| {
                memory.pinned = (memory.pinned || *pin) && !unpin;
                memory.status = status.map_or(memory.status, StatusName::status);
                memory.name = name.clone().unwrap_or_else(|| memory.name.clone());
                name.iter().chain(aliases).for_each(|name| memory.give_name(name));
            };
            set(context, id, &change, args.json)
        }
    }
}

fn list(context: &Context, args: &MemoriesArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Short)? else { return timeline::nothing(args.json) };
    let view = filter::view(&args.view);
    let project = args.project.as_deref().map(|name| filter::project_in(&journal, name)).transpose()?;
    let mut found: Vec<(StoredEvent, Memory)> = all(&journal, project.as_deref(), &view)?;
    found.retain(|(stored, memory)| {
        let is_new = || memoir_dream::is_to_review(memory, stored.event.secrecy, stored.event.visibility);
        if args.review && !is_new() {
            return false;
        }
        let wanted = args.kind.is_none_or(|kind| memory.kind == kind) && (!args.pinned || memory.pinned);
        wanted && (memory.status.is_current() || args.view.history)
    });
    let more = found.len() > args.limit;
    found.truncate(args.limit);
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let (gate, names) = (Gate::new(&redactor, Form::Shown), project::names(&journal));
    for (stored, _) in &found {
        let Some(listed) = Listed::read(&journal, stored.clone())? else { continue };
        if args.json {
            out.json(&memory_json(&listed, &redactor))?
        } else {
            print_memory(&mut out, &listed, &gate, &names)?
        }
    }
    out.flush()?;
    if more {
        print::warn("there are more: raise --limit, or narrow the project or the kind");
    }
    if found.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

/// Every memory that the view shows, the newest first; of a project, with those for the user.
fn all(journal: &SqliteJournal, project: Option<&str>, view: &View) -> Result<Vec<(StoredEvent, Memory)>> {
    let event_type = Some(Kind::Memory.as_str().to_owned());
    let filter = Filter { event_type, ..Filter::default() };
    let home = project.map(|project| Filter { repo: Some(project.to_owned()), ..filter.clone() });
    let of_project =
        home.map(|filter| journal.select(&filter, view)).transpose()?.and_then(|selection| selection.origins);
    let (mut found, mut page) = (Vec::new(), Page::first(500, Order::NewestFirst));
    loop {
        let events = journal.page(&filter, view, &page)?;
        for stored in events.events {
            let Some(memory) = Memory::of_event(&stored.event) else { continue };
            let is_here = of_project.as_ref().is_none_or(|origins| origins.binary_search(&stored.origin).is_ok());
            if is_here || memory.scope == MemoryScope::User {
                found.push((stored, memory));
            }
        }
        match events.next {
            Some(next) => page.after = Some(next),
            None => return Ok(found),
        }
    }
}

pub fn print_memory(out: &mut Out, listed: &Listed, gate: &Gate<'_>, names: &ProjectNames<'_>) -> Result<()> {
    let Listed { stored, memory, superseded_by } = listed;
    let memory = gate.memory(memory.clone());
    let id = out.styled(Style::Dim, &stored.id.to_string());
    let kind = out.styled(Style::Bold, memory.kind.as_str());
    let repo = gate.text(&names.of(&stored.event.repo)?);
    let place = if memory.scope == MemoryScope::User { "user" } else { &repo };
    let mut marks: Vec<String> = Vec::new();
    if memory.pinned {
        marks.push("pinned".to_owned());
    }
    if !memory.status.is_current() || memory.status != MemoryStatus::Active {
        marks.push(memory.status.to_string());
    }
    if memory.reinforced > 0 {
        marks.push(format!("said {} times", memory.reinforced + 1));
    }
    marks.extend((memory.by_user && memory.made_by.is_some()).then(|| "looked at".to_owned()));
    marks.extend(superseded_by.map(|newer| format!("superseded by {newer}")));
    marks.extend(memory.contradicts.iter().map(|id| format!("contradicts {id}")));
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    out.line(&format!("{id}  {kind}  {}  {}{marks}", print::one_line(place, 40), times::day_of(stored.ts_ms)))?;
    out.line(&format!("    {}", print::one_line(&memory.text, 200)))?;
    Ok(())
}

/// What an import did.
#[derive(Default)]
struct Imported {
    new: u64,
    again: u64,
    changed: u64,
    forgotten: u64,
    superseded: u64,
    refused: u64,
    /// Names of what was to be superseded that nothing goes by.
    unknown: u64,
}

fn import(context: &Context, file: &Path, project: &str, dry_run: bool, json: bool) -> Result<Done> {
    let text = read(file)?;
    let mut done = Imported::default();
    let mut given: Vec<Brought> = Vec::new();
    for one in read_memories(&text, project) {
        match one {
            Ok(one) => given.push(one),
            Err(bad) => {
                done.refused += 1;
                print::warn(&bad.to_string());
            }
        }
    }
    leave_replaced(&mut given);
    if !dry_run && !given.is_empty() {
        context.home.prepare()?;
        let journal = context.journal(Life::Long)?;
        let mut ids: HashMap<String, EventId> = HashMap::new();
        let mut newer: Vec<(EventId, &Brought)> = Vec::new();
        for brought in &given {
            let Brought { given: one, names, .. } = brought;
            let kept = match remember::remember(context, &journal, one) {
                Ok(kept) => kept,
                Err(error) if error.is::<Usage>() => {
                    done.refused += 1;
                    print::warn(&format!("{}: {error}", print::one_line(&one.text, 60)));
                    continue;
                }
                Err(error) => return Err(error),
            };
            match kept.said {
                Said::New => done.new += 1,
                Said::Again => done.again += 1,
                Said::Changed => done.changed += 1,
                Said::Forgotten => done.forgotten += 1,
            }
            ids.extend(kept.id.into_iter().flat_map(|id| names.iter().map(move |name| (name.clone(), id))));
            newer.extend(kept.id.map(|id| (id, brought)));
        }
        done.superseded = supersede(context, &journal, &given, &ids)?;
        let (superseded, unknown) = take_places(context, &journal, &newer, &ids)?;
        done.superseded += superseded;
        done.unknown = unknown;
        relate(context, &journal, &given, &ids)?;
    }
    let mut out = Out::new();
    if json {
        out.json(&json!({
            "dryRun": dry_run, "read": given.len(), "new": done.new, "again": done.again, "changed": done.changed,
            "forgotten": done.forgotten, "superseded": done.superseded, "refused": done.refused, "unknown": done.unknown,
        }))?;
    } else if dry_run {
        out.line(&format!(
            "{}; nothing was stored: this was a dry run",
            count(u64::try_from(given.len()).unwrap_or(0), "memory").replace("memorys", "memories")
        ))?;
    } else {
        let counts = [
            ("known", done.again),
            ("changed", done.changed),
            ("superseded", done.superseded),
            ("forgotten", done.forgotten),
            ("refused", done.refused),
            ("names that nothing goes by", done.unknown),
        ];
        let more: String = counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!(", {what} {n}")).collect();
        out.line(&format!("new {}{more}", done.new))?;
    }
    out.flush()?;
    Ok(if done.refused + done.unknown > 0 { Done::Partly } else { Done::Well })
}

fn read(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let mut take = |from: &mut dyn Read| from.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    if file == Path::new("-") {
        take(&mut std::io::stdin().lock())?;
    } else {
        let opened = std::fs::File::open(file);
        let mut opened = opened.map_err(|error| Usage(format!("{} cannot be read: {error}", file.display())))?;
        take(&mut opened).with_context(|| format!("{} cannot be read", file.display()))?;
    }
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
        return Err(
            Usage(format!("{} is larger than {}: split it", file.display(), print::size(FILE_BYTES_MAX))).into()
        );
    }
    String::from_utf8(bytes).map_err(|_| Usage(format!("{} is not UTF-8 text", file.display())).into())
}

/// What took its place may not be in the file: then it is brought as what no longer holds.
fn leave_replaced(given: &mut [Brought]) {
    let names: HashSet<String> = given.iter().flat_map(|one| one.names.iter().cloned()).collect();
    for one in given.iter_mut() {
        if one.superseded_by.as_ref().is_some_and(|by| !names.contains(by)) && one.given.status.is_current() {
            one.given.status = MemoryStatus::Superseded;
        }
    }
}

/// Says what the file says of which took the place of which.
fn supersede(
    context: &Context,
    journal: &SqliteJournal,
    given: &[Brought],
    ids: &HashMap<String, EventId>,
) -> Result<u64> {
    let mut batch = Vec::new();
    for Brought { given: one, superseded_by: by, .. } in given {
        let older = one.uid.as_ref().and_then(|uid| ids.get(uid));
        if let (Some(older), Some(newer)) = (older, by.as_ref().and_then(|by| ids.get(by))) {
            batch.push(memoir_dream::supersede(&[*older], *newer, context.actor().as_deref()));
        }
    }
    let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
    append(context, journal, batch)?;
    Ok(count)
}

/// What a memory says that it takes the place of: another one of the file, or one that is known by its id. How many there
/// were, and how many names nothing goes by.
fn take_places(
    context: &Context,
    journal: &SqliteJournal,
    newer: &[(EventId, &Brought)],
    ids: &HashMap<String, EventId>,
) -> Result<(u64, u64)> {
    let (mut batch, mut unknown) = (Vec::new(), 0);
    for (id, Brought { given, supersedes, .. }) in newer {
        for name in supersedes {
            let known = || -> Result<Option<EventId>> {
                let Ok(id) = EventId::parse(name) else { return Ok(None) };
                let stored = journal.event(&Lookup::Id(id), &View::owner_all())?;
                Ok(stored.filter(|stored| stored.event.kind() == Kind::Memory).map(|stored| stored.id))
            };
            let older = ids.get(name).copied().map_or_else(known, |id| Ok(Some(id)))?;
            match older.filter(|older| older != id) {
                Some(older) => batch.push(memoir_dream::supersede(&[older], *id, context.actor().as_deref())),
                None => {
                    unknown += 1;
                    let text = print::one_line(&given.text, 60);
                    print::warn(&format!(
                        "{text}: it supersedes `{}`, and nothing goes by that",
                        print::one_line(name, 60)
                    ));
                }
            }
        }
    }
    let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
    append(context, journal, batch)?;
    Ok((count, unknown))
}

/// Memories that name others by their makers' names know them by their ids from now on.
fn relate(context: &Context, journal: &SqliteJournal, given: &[Brought], ids: &HashMap<String, EventId>) -> Result<()> {
    let mut batch = Vec::new();
    for one in given.iter().map(|one| &one.given).filter(|given| !given.related.is_empty()) {
        let Some(id) = one.uid.as_ref().and_then(|uid| ids.get(uid)) else { continue };
        let Some(stored) = journal.event(&Lookup::Id(*id), &View::owner_all())? else { continue };
        let Some(mut memory) = Memory::of_event(&stored.event) else { continue };
        for related in &mut memory.related {
            if let Some(id) = ids.get(related) {
                *related = id.to_string();
            }
        }
        let mut event = memory.into_event(&stored.event.repo);
        (event.secrecy, event.visibility) = (stored.event.secrecy, stored.event.visibility);
        batch.push(event);
    }
    append(context, journal, batch)
}

fn append(context: &Context, journal: &SqliteJournal, events: Vec<memoir_event::Event>) -> Result<()> {
    let redactor = context.settings.redactor()?;
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
    journal.append(&batch, &[])?;
    Ok(())
}

fn set(context: &Context, id: &str, change: &dyn Fn(&mut Memory), json: bool) -> Result<Done> {
    let unknown = || Usage(format!("there is no memory `{id}`: `memoir memories` lists them"));
    let journal = context.existing_journal(Life::Short)?.ok_or_else(unknown)?;
    let lookup = Lookup::parse(id).ok_or_else(unknown)?;
    let stored = journal.event(&lookup, &View::owner_all())?.ok_or_else(unknown)?;
    let mut memory = Memory::of_event(&stored.event).ok_or_else(unknown)?;
    change(&mut memory);
    memory.by_user |= memory.made_by.is_some();
    let mut event = memory.clone().into_event(&stored.event.repo);
    (event.secrecy, event.visibility) = (stored.event.secrecy, stored.event.visibility);
    event.actor = context.actor();
    append(context, &journal, vec![event])?;
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let listed = Listed { superseded_by: None, stored, memory };
    if json {
        out.json(&memory_json(&listed, &redactor))?
    } else {
        print_memory(&mut out, &listed, &Gate::new(&redactor, Form::Shown), &project::names(&journal))?
    }
    out.flush()?;
    Ok(Done::Well)
}
