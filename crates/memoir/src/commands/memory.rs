//! `memoir memory`: one memory at a time, by the user's own hand.

use super::forget::Work;
use super::{Context, copied, memories, why};
use crate::cli::{MemoryAction, MemoryArgs, StatusName, UnwantedArgs};
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out};
use anyhow::Result;
use memoir_dream::{Review, ReviewError, Rule};
use memoir_event::{EventId, Memory, format_ms};
use memoir_journal::{Depth, Journal, RecordClass, SqliteJournal, StoredEvent};
use memoir_recall::{Listed, memory_json};
use serde_json::{Value, json};

pub fn run(context: &Context, args: &MemoryArgs) -> Result<Done> {
    if let MemoryAction::Reject { ids } = &args.action {
        return reject(context, ids, args.json);
    }
    let unknown = || Usage("there are no memories yet: `memoir remember` and `memoir dream` make some".to_owned());
    let journal = context.existing_journal(Life::Short)?.ok_or_else(unknown)?;
    let (redactor, actor) = (context.settings.redactor()?, context.actor());
    let review = Review { journal: &journal, redactor: &redactor, actor: actor.as_deref() };
    let changed = match &args.action {
        MemoryAction::Show { id } => return show(context, &journal, &review, id, args.json),
        MemoryAction::Edit { id, text, kind, name, aliases, status } => {
            if text.is_none() && kind.is_none() && name.is_none() && aliases.is_empty() && status.is_none() {
                return Err(Usage("say what to change: --text, --kind, --name, --alias or --status".to_owned()).into());
            }
            let change = |memory: &mut Memory| {
                memory.text = text.as_ref().map_or_else(|| memory.text.clone(), |text| text.trim().to_owned());
                memory.kind = kind.unwrap_or(memory.kind);
                memory.name = name.clone().unwrap_or_else(|| memory.name.clone());
                memory.status = status.map_or(memory.status, StatusName::status);
                for alias in aliases.iter().filter(|alias| !alias.trim().is_empty()) {
                    if !memory.aliases.contains(alias) {
                        memory.aliases.push(alias.clone());
                    }
                }
            };
            vec![review.change(id, &change).map_err(as_usage)?]
        }
        MemoryAction::Pin { ids } => each(ids, |id| review.change(id, &|memory| memory.pinned = true))?,
        MemoryAction::Unpin { ids } => each(ids, |id| review.change(id, &|memory| memory.pinned = false))?,
        MemoryAction::Approve { ids } => each(ids, |id| review.approve(id))?,
        MemoryAction::Merge { ids } => match ids.split_first() {
            Some((first, others)) => vec![review.merge(first, others).map_err(as_usage)?],
            None => Vec::new(),
        },
        MemoryAction::Reject { .. } => Vec::new(),
    };
    let mut out = Out::new();
    for (stored, _) in changed {
        let Some(listed) = Listed::read(&journal, stored)? else { continue };
        if args.json { out.json(&memory_json(&listed, &redactor))? } else { memories::print_memory(&mut out, &listed)? }
    }
    out.flush()?;
    Ok(Done::Well)
}

type Changed = (StoredEvent, Memory);

fn each(ids: &[String], change: impl Fn(&str) -> Result<Changed, ReviewError>) -> Result<Vec<Changed>> {
    ids.iter().map(|id| change(id).map_err(as_usage)).collect()
}

/// Mistakes of whoever asked are told as such.
fn as_usage(error: ReviewError) -> anyhow::Error {
    match error {
        ReviewError::Journal(error) => error.into(),
        error => Usage(error.to_string()).into(),
    }
}

fn show(context: &Context, journal: &SqliteJournal, review: &Review<'_>, id: &str, json: bool) -> Result<Done> {
    let (stored, memory) = review.find(id).map_err(as_usage)?;
    let replaced = review.replaced(stored.id).map_err(as_usage)?;
    let sightings = journal.sightings(stored.seq)?;
    let changes: Vec<i64> =
        sightings.iter().filter(|one| one.class == RecordClass::Revision).map(|one| one.at_ms).collect();
    let redactor = context.settings.redactor()?;
    let mut out = Out::new();
    if json {
        let Some(listed) = Listed::read(journal, stored)? else { return Ok(Done::Well) };
        let mut value = memory_json(&listed, &redactor);
        if let Some(fields) = value.as_object_mut() {
            let rule = Rule::of(memory.made_by.as_deref()).map(Rule::name);
            let older: Vec<Value> =
                replaced.iter().map(|(stored, memory)| json!({"memory_id": stored.id, "text": memory.text})).collect();
            let changed: Vec<String> = changes.iter().map(|ms| format_ms(*ms)).collect();
            fields.insert("rule".to_owned(), json!(rule));
            fields.insert("by_user".to_owned(), json!(memory.by_user));
            fields.insert("supersedes".to_owned(), json!(older));
            fields.insert("changed_at".to_owned(), json!(changed));
        }
        out.json(&value)?;
        out.flush()?;
        return Ok(Done::Well);
    }
    why::line(&mut out, "says", &memory.text)?;
    why::line(&mut out, "is", &stored.id.to_string())?;
    why::line(&mut out, "project", &stored.event.repo)?;
    why::line(&mut out, "first said", &super::times::local(stored.ts_ms))?;
    why::print_memory(&mut out, journal, &stored, &memory)?;
    if let Some(rule) = Rule::of(memory.made_by.as_deref()) {
        let looked = if memory.by_user { "you have looked at it" } else { "nobody has looked at it yet" };
        why::line(&mut out, "rule", &format!("{rule}; {looked}"))?;
    }
    for (older, its) in &replaced {
        why::line(&mut out, "instead of", &format!("{}, {}", older.id, print::one_line(&its.text, 120)))?;
    }
    for ms in changes {
        why::line(&mut out, "changed", &super::times::local(ms))?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Forgets memories; what they took the place of holds again.
fn reject(context: &Context, ids: &[String], json: bool) -> Result<Done> {
    let unknown = || Usage("there are no memories yet".to_owned());
    let work = Work::open(context)?.ok_or_else(unknown)?;
    let (redactor, actor) = (context.settings.redactor()?, context.actor());
    let review = Review { journal: &work.journal, redactor: &redactor, actor: actor.as_deref() };
    let mut replaced = Vec::new();
    for id in ids {
        let (stored, _) = review.find(id).map_err(as_usage)?;
        replaced.extend(review.replaced(stored.id).map_err(as_usage)?);
    }
    replaced.retain(|(stored, _)| !ids.contains(&stored.id.to_string()));
    let args = UnwantedArgs { ids: ids.to_vec(), yes: true, ..UnwantedArgs::default() };
    let Some((name, choice)) = work.choose_quietly(&args)? else { return Ok(Done::Well) };
    let events = choice.events.clone();
    work.forget(work.wish(choice, Depth::Forget, &name, Some("rejected".to_owned())))?;
    let mirrors = copied::take_out_of_mirrors(&work.journal, &events);
    let restored: Vec<EventId> = review.holding(replaced).map_err(as_usage)?;
    let mut out = Out::new();
    if json {
        out.json(&json!({"name": name, "rejected": ids, "restored": restored}))?;
    } else {
        let number = if ids.len() == 1 { "1 memory".to_owned() } else { format!("{} memories", ids.len()) };
        out.line(&format!("rejected {number}; `memoir forget --undo {name}` brings them back"))?;
        for id in &restored {
            out.line(&format!("{id} holds again"))?;
        }
    }
    out.flush()?;
    mirrors.problems.iter().for_each(|problem| print::warn(problem));
    Ok(Done::Well)
}
