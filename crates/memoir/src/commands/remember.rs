//! `memoir remember`.

use super::{Context, filter, session};
use crate::cli::RememberArgs;
use crate::exit::{Done, Usage};
use crate::home::{Life, now_ms, system_clock};
use crate::print::{self, Out};
use anyhow::Result;
use memoir_dream::{Given, MemoryError, Remembered, Remembering, Said, is_of_self};
use memoir_event::{EventId, MemoryScope, MemorySource, Secrecy};
use memoir_journal::SqliteJournal;
use memoir_record::Names;
use serde_json::json;

pub fn run(context: &Context, args: &RememberArgs) -> Result<Done> {
    context.home.prepare()?;
    let journal = context.journal(Life::Short)?;
    let project = match args.project.as_deref() {
        Some(name) => filter::project_in(&journal, name)?,
        None => filter::project_here(),
    };
    let mut given = Given::new(&args.text.join(" "), &project);
    given.kind = args.kind;
    given.name.clone_from(&args.name);
    given.aliases.clone_from(&args.aliases);
    given.pinned = args.pin;
    given.actor = context.actor();
    given.supersedes = args.supersedes.iter().map(|id| event_id(id)).collect::<Result<_>>()?;
    let source = |id: &String| Ok(MemorySource { event: Some(event_id(id)?.to_string()), ..MemorySource::default() });
    given.sources = args.sources.iter().map(source).collect::<Result<_>>()?;
    if args.secret {
        given.secrecy = Secrecy::Secret;
    }
    let is_of_self = args.project.is_none() && is_of_self(&given.text);
    if args.user || is_of_self {
        given.scope = MemoryScope::User;
    }
    if let Some(name) = &args.session {
        given.scope = MemoryScope::Session(session::named(&journal, name)?.session);
    }
    let remembered = remember(context, &journal, &given)?;
    let mut out = Out::new();
    if args.json {
        out.json(&to_json(&remembered))?;
        out.flush()?;
        return Ok(Done::Well);
    }
    out.line(&in_words(&remembered))?;
    if is_of_self && remembered.memory.scope == MemoryScope::User {
        out.line("it is about you, so it holds wherever you work; `--project .` keeps it to this project")?;
    }
    for id in &remembered.superseded {
        out.line(&format!("it takes the place of {id}"))?;
    }
    for id in &remembered.contradicts {
        out.line(&format!("{id} says otherwise; both are shown until one is superseded or forgotten"))?;
    }
    out.flush()?;
    if remembered.secrets > 0 {
        print::warn(&format!("{} taken out", print::count(remembered.secrets, "secret")));
    }
    Ok(Done::Well)
}

fn event_id(text: &str) -> Result<EventId> {
    Ok(EventId::parse(text).map_err(|error| Usage(error.to_string()))?)
}

/// Takes a memory in.
pub fn remember(context: &Context, journal: &SqliteJournal, given: &Given) -> Result<Remembered> {
    let redactor = context.settings.redactor()?;
    let names = Names::new(system_clock())?;
    let unique = || names.uuid();
    let remembering = Remembering { journal, redactor: &redactor, now_ms: now_ms(), unique: &unique };
    remembering.remember(given).map_err(|error| match error {
        MemoryError::Journal(error) => error.into(),
        error => Usage(error.to_string()).into(),
    })
}

/// What became of it, in one line.
pub fn in_words(remembered: &Remembered) -> String {
    let id = remembered.id.map(|id| id.to_string()).unwrap_or_default();
    let name = print::one_line(&remembered.memory.name, 60);
    match remembered.said {
        Said::New => format!("remembered as {id} ({name})"),
        Said::Again => format!("{id} ({name}) was said again: {} times by now", remembered.memory.reinforced + 1),
        Said::Changed => format!("{id} ({name}) was changed"),
        Said::Forgotten => "this was forgotten, and stays so: `memoir forgotten` lists what was".to_owned(),
    }
}

fn to_json(remembered: &Remembered) -> serde_json::Value {
    let said = match remembered.said {
        Said::New => "new",
        Said::Again => "again",
        Said::Changed => "changed",
        Said::Forgotten => "forgotten",
    };
    json!({
        "memory_id": remembered.id,
        "said": said,
        "memory": remembered.memory,
        "superseded": remembered.superseded,
        "contradicts": remembered.contradicts,
        "redacted": remembered.secrets,
    })
}
