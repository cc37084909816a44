//! `memoir memory`: one memory at a time, by the user's own hand.

use super::forget::Work;
use super::{Context, filter, memories, times, why};
use crate::cli::{MemoryAction, MemoryArgs, StatusName, UnwantedArgs, ViewArgs};
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out};
use anyhow::Result;
use memoir_dream::{Review, ReviewError, Rule};
use memoir_event::{EventId, Memory, format_ms};
use memoir_journal::{Change, Depth, Journal, RecordClass, SqliteJournal, StoredEvent, View};
use memoir_recall::{Form, Gate, Listed, memory_json};
use memoir_redact::Redactor;
use serde_json::{Value, json};
use std::cell::RefCell;

pub fn run(context: &Context, args: &MemoryArgs) -> Result<Done> {
    if let MemoryAction::Reject { ids } = &args.action {
        return reject(context, ids, args.json);
    }
    let unknown = || Usage("there are no memories yet: `memoir remember` and `memoir dream` make some".to_owned());
    let journal = context.existing_journal(Life::Short)?.ok_or_else(unknown)?;
    let (redactor, actor) = (context.settings.redactor()?, context.actor());
    let review = Review { journal: &journal, redactor: &redactor, actor: actor.as_deref() };
    let changed = match &args.action {
        MemoryAction::Show { id, secret, private, sealed } => {
            let view = ViewArgs { secret: *secret, private: *private, sealed: *sealed, history: true };
            return show(&review, &journal, id, &filter::view(&view), args.json);
        }
        MemoryAction::Edit { id, text, kind, name, aliases, status } => {
            if text.is_none() && kind.is_none() && name.is_none() && aliases.is_empty() && status.is_none() {
                return Err(Usage("say what to change: --text, --kind, --name, --alias or --status".to_owned()).into());
            }
            if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                let message = format!("a memory needs a text: `memoir memory reject {id}` takes it away");
                return Err(Usage(message).into());
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
    let (mut out, gate) = (Out::new(), Gate::new(&redactor, Form::Shown));
    let names = super::project::names(&journal);
    for (stored, _) in changed {
        let Some(listed) = Listed::read(&journal, stored)? else { continue };
        if args.json {
            out.json(&memory_json(&listed, &redactor))?;
        } else {
            memories::print_memory(&mut out, &listed, &gate, &names)?;
        }
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

/// A memory with all that is known of it, also one that no longer holds.
fn show(review: &Review<'_>, journal: &SqliteJournal, id: &str, view: &View, json: bool) -> Result<Done> {
    let (stored, memory) = review.find(id).map_err(as_usage)?;
    let hidden = || Usage(format!("the memory `{id}` is hidden: pass --secret, --private or --sealed"));
    let is_shown = |stored: &StoredEvent| view.admits(stored.event.visibility, stored.event.secrecy);
    if !is_shown(&stored) {
        return Err(hidden().into());
    }
    let gate = Gate::new(review.redactor, Form::Shown);
    let mut replaced = review.replaced(stored.id).map_err(as_usage)?;
    replaced.retain(|(stored, _)| is_shown(stored));
    let before: Vec<(EventId, String)> =
        replaced.into_iter().map(|(stored, memory)| (stored.id, gate.text(&memory.text))).collect();
    let changes = changes(journal, &stored, &memory, &gate)?;
    let stored = gate.event(stored).ok_or_else(hidden)?;
    let Some(listed) = Listed::read(journal, stored)? else { return Ok(Done::Well) };
    let mut out = Out::new();
    if json {
        out.json(&to_json(&listed, &before, &changes, review.redactor))?;
    } else {
        print(&mut out, journal, &listed, (&before, &changes), &gate)?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// A time at which a memory was told anew.
struct Retold {
    at_ms: i64,
    /// What it said before, if it said something else.
    before: Option<String>,
}

fn changes(journal: &SqliteJournal, stored: &StoredEvent, memory: &Memory, gate: &Gate<'_>) -> Result<Vec<Retold>> {
    let told = journal.sightings(stored.seq)?.into_iter().filter(|one| one.class != RecordClass::Sighting);
    let told: Vec<i64> = told.map(|one| one.at_ms).collect();
    let texts = texts(journal, stored, memory, told.len())?;
    let change = |(at, ms): (usize, &i64)| {
        let said = texts.get(at).zip(texts.get(at + 1)).filter(|(before, after)| before != after);
        Retold { at_ms: *ms, before: said.map(|(before, _)| gate.text(before)) }
    };
    Ok(told.iter().skip(1).enumerate().map(change).collect())
}

/// What a memory said each of the times that it was told. One that was only said again has one text; else the journal is
/// looked through for those between the first and the last.
fn texts(journal: &SqliteJournal, stored: &StoredEvent, memory: &Memory, times: usize) -> Result<Vec<String>> {
    let last = memory.text.clone();
    let first = match journal.changes(stored.seq.saturating_sub(1), 1)?.pop() {
        Some(Change::Event(first)) => Memory::of_event(&first.event).map_or_else(|| last.clone(), |first| first.text),
        _ => last.clone(),
    };
    if times <= 2 {
        return Ok(vec![first, last]);
    }
    if first == last && !memory.by_user {
        return Ok(Vec::new());
    }
    let found = RefCell::new(Vec::new());
    journal.saying(&|session, text| {
        let told = || serde_json::from_slice::<Memory>(text).ok().filter(|told| told.uid == memory.uid);
        if let Some(told) = (session == Memory::SESSION).then(told).flatten() {
            found.borrow_mut().push(told.text);
        }
        false
    })?;
    Ok(found.into_inner())
}

fn to_json(listed: &Listed, replaced: &[(EventId, String)], changes: &[Retold], redactor: &Redactor) -> Value {
    let mut value = memory_json(listed, redactor);
    if let Some(fields) = value.as_object_mut() {
        let memory = &listed.memory;
        let older: Vec<Value> = replaced.iter().map(|(id, text)| json!({"memory_id": id, "text": text})).collect();
        let changed: Vec<String> = changes.iter().map(|change| format_ms(change.at_ms)).collect();
        let said = changes.iter().filter_map(|change| Some((change.at_ms, change.before.as_ref()?)));
        let said: Vec<Value> = said.map(|(ms, text)| json!({"text": text, "until": format_ms(ms)})).collect();
        fields.insert("rule".to_owned(), json!(Rule::of(memory.made_by.as_deref()).map(Rule::name)));
        fields.insert("by_user".to_owned(), json!(memory.by_user));
        fields.insert("supersedes".to_owned(), json!(older));
        fields.insert("changed_at".to_owned(), json!(changed));
        fields.insert("said_before".to_owned(), json!(said));
    }
    value
}

fn print(
    out: &mut Out,
    journal: &SqliteJournal,
    listed: &Listed,
    (replaced, changes): (&[(EventId, String)], &[Retold]),
    gate: &Gate<'_>,
) -> Result<()> {
    let (stored, memory) = (&listed.stored, &listed.memory);
    why::line(out, "says", &memory.text)?;
    why::line(out, "is", &stored.id.to_string())?;
    why::line(out, "project", &super::project::shown(journal, &stored.event.repo)?)?;
    why::line(out, "first said", &times::local(stored.ts_ms))?;
    why::print_memory(out, journal, (stored, memory), gate)?;
    if let Some(rule) = Rule::of(memory.made_by.as_deref()) {
        let looked = if memory.by_user { "you have looked at it" } else { "nobody has looked at it yet" };
        why::line(out, "rule", &format!("{rule}; {looked}"))?;
    }
    for (older, text) in replaced {
        why::line(out, "instead of", &format!("{older}, {}", print::one_line(text, 120)))?;
    }
    for Retold { at_ms, before } in changes {
        let before = before.as_ref().map(|text| format!(", before: {}", print::one_line(text, 300)));
        why::line(out, "changed", &format!("{}{}", times::local(*at_ms), before.unwrap_or_default()))?;
    }
    Ok(())
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
    let mirrors = work.take_out_of_copies(&events);
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
