//! `memoir why`: where something is from, and why it is recalled.

use super::{Context, filter, recall, times};
use crate::cli::{FilterArgs, WhyArgs};
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::{Client, Memory, MemorySource, format_ms};
use memoir_journal::{Journal, Lookup, SqliteJournal, StoredEvent, View};
use memoir_recall::{Block, Form, Gate};
use serde_json::{Value, json};

/// So many blocks are looked through for it.
const LOOKED_AT: usize = 200;

pub fn run(context: &Context, args: &WhyArgs) -> Result<Done> {
    let unknown = || {
        Usage(format!(
            "nothing is known as `{}`: pass the id of an event or a memory (hidden ones need --secret, --private, --sealed or --history)",
            args.id
        ))
    };
    let journal = context.existing_journal(Life::Short)?.ok_or_else(unknown)?;
    let view = filter::view(&args.view);
    let lookup = Lookup::parse(&args.id).ok_or_else(unknown)?;
    let redactor = context.settings.redactor()?;
    let gate = Gate::new(&redactor, Form::Shown);
    let stored = journal.event(&lookup, &view)?.and_then(|stored| gate.event(stored)).ok_or_else(unknown)?;
    let ranked = args.query.as_deref().map(|query| ranked(context, &journal, query, &stored, args)).transpose()?;
    let mut out = Out::new();
    if args.json {
        out.json(&to_json(&journal, &stored, ranked.as_ref())?)?;
        out.flush()?;
        return Ok(Done::Well);
    }
    print_origin(&mut out, &journal, &stored)?;
    if let Some(memory) = Memory::of_event(&stored.event) {
        print_memory(&mut out, &journal, (&stored, &memory), &gate)?;
    }
    match ranked {
        Some(Some((place, block))) => print_rank(&mut out, place, &block)?,
        Some(None) => out.line("it is not recalled for that query")?,
        None => {}
    }
    out.flush()?;
    Ok(Done::Well)
}

type Ranked = Option<(usize, Block)>;

/// Which block it is for a query.
fn ranked(
    context: &Context,
    journal: &SqliteJournal,
    query: &str,
    stored: &StoredEvent,
    args: &WhyArgs,
) -> Result<Ranked> {
    let mut request = recall::request(query, &FilterArgs::default(), &args.view, journal)?;
    (request.limit, request.budget_tokens, request.min_confidence) = (LOOKED_AT, None, 0.0);
    let answer = recall::answer(context, journal, &request)?;
    let found = answer.blocks.into_iter().enumerate();
    Ok(found
        .into_iter()
        .find(|(_, block)| block.seq == stored.seq || block.same.contains(&stored.id))
        .map(|(at, block)| (at + 1, block)))
}

pub fn line(out: &mut Out, name: &str, text: &str) -> Result<()> {
    if !text.is_empty() {
        let name = out.styled(Style::Dim, &format!("{name:>12}"));
        out.line(&format!("{name}  {}", print::one_line(text, 400)))?;
    }
    Ok(())
}

fn print_origin(out: &mut Out, journal: &SqliteJournal, stored: &StoredEvent) -> Result<()> {
    let event = &stored.event;
    let text = Memory::of_event(event).map_or_else(|| event.content.plain().into_owned(), |memory| memory.text);
    line(out, "says", &text)?;
    line(out, "is", &format!("{} {}", event.kind(), stored.id))?;
    line(out, "session", &Client::shown_session(event.client, &event.session))?;
    line(out, "turn", event.turn.as_deref().unwrap_or_default())?;
    line(out, "project", &super::project::shown(journal, &event.repo)?)?;
    line(
        out,
        "said by",
        &format!("{}{}", event.speaker, event.actor.as_deref().map(|actor| format!(", {actor}")).unwrap_or_default()),
    )?;
    line(out, "happened", &times::local(stored.ts_ms))?;
    let seen: Vec<String> = journal
        .sightings(stored.seq)?
        .iter()
        .map(|seen| format!("{} at {}", seen.source, times::local(seen.at_ms)))
        .collect();
    line(out, "captured", &seen.join("; "))
}

pub fn print_memory(
    out: &mut Out,
    journal: &SqliteJournal,
    (stored, memory): (&StoredEvent, &Memory),
    gate: &Gate<'_>,
) -> Result<()> {
    line(out, "kind", memory.kind.as_str())?;
    line(out, "called", &memory.names().collect::<Vec<_>>().join(", "))?;
    line(out, "holds for", memory.scope.name())?;
    line(
        out,
        "status",
        &format!(
            "{}, confidence {:.2}{}",
            memory.status,
            memory.confidence,
            if memory.pinned { ", pinned" } else { "" }
        ),
    )?;
    if memory.reinforced > 0 {
        let last = memory.reinforced_ms.map(|ms| format!(", last at {}", times::local(ms))).unwrap_or_default();
        line(out, "said again", &format!("{} times{last}", memory.reinforced))?;
    }
    line(out, "made by", memory.made_by.as_deref().unwrap_or_default())?;
    for source in &memory.sources {
        line(out, "made of", &gate.text(&of_source(journal, source)?))?;
    }
    if let Some(newer) = newer(journal, stored)? {
        line(out, "superseded", &format!("by {newer}"))?;
    }
    line(out, "contradicts", &memory.contradicts.join(", "))?;
    line(out, "related", &memory.related.join(", "))
}

fn newer(journal: &SqliteJournal, stored: &StoredEvent) -> Result<Option<String>> {
    let Some(newer) = journal.successor(stored.seq)? else { return Ok(None) };
    Ok(journal.events(&[newer], &View::owner_all())?.pop().map(|newer| newer.id.to_string()))
}

fn of_source(journal: &SqliteJournal, source: &MemorySource) -> Result<String> {
    let Some(id) = &source.event else {
        let parts = [("session", &source.session), ("turn", &source.turn)];
        let told: Vec<String> =
            parts.iter().filter_map(|(what, id)| Some(format!("{what} {}", id.as_ref()?))).collect();
        return Ok(told.join(", "));
    };
    let stored = Lookup::parse(id).map(|lookup| journal.event(&lookup, &View::owner_all())).transpose()?.flatten();
    Ok(match stored {
        Some(stored) => format!(
            "{id}, {}, {}",
            Client::shown_session(stored.event.client, &stored.event.session),
            times::local(stored.ts_ms)
        ),
        None => format!("{id}, which is not here or was forgotten"),
    })
}

fn print_rank(out: &mut Out, place: usize, block: &Block) -> Result<()> {
    line(out, "ranked", &format!("number {place}, score {:.2}, confidence {:.2}", block.score, block.confidence))?;
    for (signal, value) in block.signals.iter().filter(|(_, value)| value.abs() >= 0.005) {
        line(out, signal.name(), &format!("{value:+.2}"))?;
    }
    Ok(())
}

fn to_json(journal: &SqliteJournal, stored: &StoredEvent, ranked: Option<&Ranked>) -> Result<Value> {
    let event = &stored.event;
    let captures: Vec<Value> = journal
        .sightings(stored.seq)?
        .iter()
        .map(|seen| json!({"event_id": seen.id, "source": seen.source, "recorded_at": format_ms(seen.at_ms)}))
        .collect();
    let memory = Memory::of_event(event);
    let text = memory.as_ref().map_or_else(|| event.content.plain().into_owned(), |memory| memory.text.clone());
    let mut value = json!({
        "event_id": stored.id, "kind": event.kind(), "text": text, "session_id": event.session,
        "session": Client::shown_session(event.client, &event.session), "turn_id": event.turn, "project": event.repo,
        "speaker": event.speaker, "actor": event.actor, "ts": format_ms(stored.ts_ms), "captures": captures,
        "memory": memory, "superseded_by": newer(journal, stored)?,
    });
    if let (Some(ranked), Some(fields)) = (ranked, value.as_object_mut()) {
        let rank = ranked.as_ref().map(|(place, block)| {
            let signals: serde_json::Map<String, Value> =
                block.signals.iter().map(|(signal, value)| (signal.name().to_owned(), json!(value))).collect();
            json!({"place": place, "score": block.score, "confidence": block.confidence, "signals": signals})
        });
        fields.insert("ranked".to_owned(), rank.unwrap_or(Value::Null));
    }
    Ok(value)
}
