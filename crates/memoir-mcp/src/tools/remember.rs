//! The tool `remember`: an agent keeps something. It is marked as made by that agent, not as the user's own words.

use super::Desk;
use crate::answer::Answer;
use crate::caller::Writer;
use crate::error::ToolError;
use crate::names;
use memoir_dream::{Given, Remembered, Remembering, Said, Way, is_of_self};
use memoir_event::{Client, EventId, MemoryKind, MemoryScope, MemorySource, MemoryStatus, nearest};
use memoir_recall::clean;
use serde::Deserialize;
use serde_json::json;

/// How sure a memory is that an agent of the user's writes, and one that memoir's own agent writes.
const CONFIDENCE: f32 = 0.9;
const CONFIDENCE_OWN_AGENT: f32 = 0.6;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    text: String,
    kind: Option<String>,
    scope: Option<String>,
    project: Option<String>,
    name: Option<String>,
    supersedes: Vec<String>,
    sources: Vec<String>,
}

pub(super) fn run(desk: &Desk<'_>, asked: Asked) -> Result<Answer, ToolError> {
    let given = given(desk, asked)?;
    let library = desk.library;
    let unique = names::memory;
    let remembering =
        Remembering { journal: &*library.journal, redactor: &library.redactor, now_ms: desk.now_ms(), unique: &unique };
    let remembered = remembering.remember(&given)?;
    Ok(answer(desk, &remembered))
}

fn given(desk: &Desk<'_>, asked: Asked) -> Result<Given, ToolError> {
    let caller = desk.caller;
    let scope = scope(desk, asked.scope.as_deref(), &asked.text)?;
    let project = match desk.project(asked.project.as_deref())? {
        Some(project) => project,
        None if scope == MemoryScope::User => String::new(),
        None => desk.project_here()?.unwrap_or_default(),
    };
    if scope == MemoryScope::Project && project.is_empty() {
        return Err(ToolError::wrong("memoir cannot tell which project you are in: name it, or pass scope `user`"));
    }
    // What the user forgot only the user brings back.
    let mut given = Given { way: Way::SaidByAgent, ..Given::new(&asked.text, &project) };
    given.kind = asked.kind.as_deref().map_or(Ok(MemoryKind::Fact), kind)?;
    given.scope = scope;
    given.name = asked.name.filter(|name| !name.trim().is_empty());
    given.supersedes = asked.supersedes.iter().map(|id| event_id(id)).collect::<Result<_, _>>()?;
    for id in &asked.sources {
        given.sources.push(MemorySource { event: Some(event_id(id)?.to_string()), ..MemorySource::default() });
    }
    if given.sources.is_empty()
        && let Some(session) = &caller.session
    {
        given.sources.push(MemorySource { session: Some(session.clone()), ..MemorySource::default() });
    }
    let client = caller.name.as_deref().unwrap_or("an agent");
    match caller.writer {
        Writer::UsersAgent => {
            given.actor.clone_from(&desk.library.actor);
            given.confidence = CONFIDENCE;
            given.made_by = Some(format!("{client} over mcp"));
        }
        Writer::OwnAgent => {
            given.confidence = CONFIDENCE_OWN_AGENT;
            given.status = MemoryStatus::Inferred;
            given.made_by = Some(format!("{client} over mcp, started by memoir"));
        }
    }
    Ok(given)
}

/// The scope that is named; if none is, what is about the user holds wherever they work.
fn scope(desk: &Desk<'_>, named: Option<&str>, text: &str) -> Result<MemoryScope, ToolError> {
    match named.map(str::trim) {
        None | Some("") if is_of_self(text) => Ok(MemoryScope::User),
        None | Some("" | "project") => Ok(MemoryScope::Project),
        Some("user") => Ok(MemoryScope::User),
        Some("session") => {
            let unknown = || ToolError::wrong("memoir cannot tell which session you are in: pass scope `project`");
            let session = desk.caller.session.as_deref().ok_or_else(unknown)?;
            Ok(MemoryScope::Session(Client::split_session(session).1.to_owned()))
        }
        Some(other) => Err(ToolError::wrong(format!("unknown scope `{other}`: known are project, user, session"))),
    }
}

fn kind(name: &str) -> Result<MemoryKind, ToolError> {
    MemoryKind::parse(name.trim()).ok_or_else(|| {
        let known = || MemoryKind::ALL.iter().map(|kind| kind.as_str());
        let meant = nearest(name, known()).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        ToolError::wrong(format!("unknown kind `{name}`{meant} (known are {})", known().collect::<Vec<_>>().join(", ")))
    })
}

fn event_id(text: &str) -> Result<EventId, ToolError> {
    EventId::parse(text.trim()).map_err(|error| ToolError::wrong(error.to_string()))
}

fn answer(desk: &Desk<'_>, remembered: &Remembered) -> Answer {
    let id = remembered.id.map(|id| id.to_string()).unwrap_or_default();
    let name = clean(&remembered.memory.name, &desk.library.redactor);
    let (said, mut text) = match remembered.said {
        Said::New => ("new", format!("Remembered as {id} ({name}).")),
        Said::Again => ("again", format!("{id} ({name}) was known; it counts the more now.")),
        Said::Changed => ("changed", format!("{id} ({name}) was changed.")),
        Said::Forgotten => (
            "forgotten",
            "Nothing was kept: the user had this forgotten, and only they can bring it back, with `memoir remember`."
                .to_owned(),
        ),
    };
    let list = |ids: &[EventId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    if !remembered.superseded.is_empty() {
        text.push_str(&format!(" It takes the place of {}.", list(&remembered.superseded).join(", ")));
    }
    if !remembered.contradicts.is_empty() {
        let ids = list(&remembered.contradicts).join(", ");
        text.push_str(&format!(" {ids} says otherwise: pass `supersedes` if that no longer holds."));
    }
    if remembered.id.is_some() && remembered.memory.scope == MemoryScope::User {
        text.push_str(" It holds wherever the user works.");
    }
    if remembered.secrets > 0 {
        text.push_str(" Secrets were taken out of it.");
    }
    let values = json!({
        "memory_id": remembered.id, "said": said, "scope": remembered.memory.scope, "superseded": remembered.superseded,
        "contradicts": remembered.contradicts, "redacted": remembered.secrets, "message": text,
    });
    Answer::with_values(text, values)
}
