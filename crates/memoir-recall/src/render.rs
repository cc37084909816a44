//! An answer as people, agents and programs read it.

use crate::listed::Listed;
use crate::policy::{Form, Gate, defused};
use crate::request::{Answer, Block, SessionBlock};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memoir_event::{Client, Memory, MemoryScope, Speaker, format_ms};
use memoir_redact::Redactor;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The answer as a digest: for each block one line of what, then where it is from. Texts stand in quotes: they are data.
pub fn digest(answer: &Answer, zone: &TimeZone) -> String {
    let mut out = String::new();
    for block in &answer.blocks {
        let _ = writeln!(out, "- {}", what(block));
        let _ = writeln!(out, "  {}", origin(block, zone));
    }
    out
}

/// One line of what a block says, and who said it.
pub fn what(block: &Block) -> String {
    let cut = if block.cut { " …" } else { "" };
    format!("{}: \"{}\"{cut}", who(block), one_line(&block.text).replace('"', "'"))
}

/// Where a block is from: session, date, id.
pub fn origin(block: &Block, zone: &TimeZone) -> String {
    let day = Timestamp::from_millisecond(block.ts_ms)
        .map(|time| time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default();
    let from = match &block.memory {
        Some(memory) => memory_from(memory),
        None => session_name(&Client::shown_session(block.client, &block.session)),
    };
    let same = match block.same.len() {
        0 => String::new(),
        count => format!(", said {} times", count + 1),
    };
    let against = match block.memory.as_ref().map_or(0, |memory| memory.contradicts.len()) {
        0 => String::new(),
        _ => ", contradicted by another memory".to_owned(),
    };
    let newer = block.superseded_by.map(|newer| format!(", superseded by {newer}")).unwrap_or_default();
    // What holds in one project need not hold in another.
    let called = block.project.as_deref().unwrap_or(&block.repo);
    let project = if block.elsewhere { format!(", in project {}", defused(&one_line(called))) } else { String::new() };
    format!("{from}, {day}, {}{same}{project}{against}{newer}", block.event_id)
}

/// Where a memory is from: the first session that it is made of, if it is of one.
pub fn memory_from(memory: &Memory) -> String {
    let of = memory.sources.iter().find_map(|source| source.session.as_deref());
    of.map_or_else(|| "memory".to_owned(), |session| format!("memory of {}", session_name(session)))
}

/// A session's name on a line: anybody may have chosen it.
pub fn session_name(shown: &str) -> String {
    defused(&one_line(shown)).into_owned()
}

fn who(block: &Block) -> String {
    match (&block.memory, block.speaker) {
        (Some(memory), _) => memory.kind.to_string(),
        (None, Speaker::User) => "user said".to_owned(),
        (None, Speaker::Assistant) => "agent said".to_owned(),
        (None, _) => block.kind.to_string().replace('_', " "),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The answer as programs read it: everything there is to know.
pub fn to_json(answer: &Answer) -> Value {
    json!({
        "blocks": answer.blocks.iter().map(block).collect::<Vec<_>>(),
        "sessions": answer.sessions.iter().map(session).collect::<Vec<_>>(),
        "left_out": answer.left_out,
        "tokens": answer.tokens,
        "notes": answer.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn block(block: &Block) -> Value {
    let mut fields = Map::new();
    let id = if block.memory.is_some() { "memory_id" } else { "event_id" };
    fields.insert(id.to_owned(), block.event_id.to_string().into());
    let known = json!({
        "session_id": block.session,
        "session": Client::shown_session(block.client, &block.session),
        "turn_id": block.turn,
        "ts": format_ms(block.ts_ms),
        "kind": block.kind,
        "speaker": block.speaker,
        "project": block.repo,
        "elsewhere": block.elsewhere,
        "actor": block.actor,
        "source": block.source,
        "score": rounded(block.score),
        "confidence": rounded(block.confidence),
        "text": block.text,
        "cut": block.cut,
        "signals": signals(&block.signals),
        "same": block.same,
        "superseded_by": block.superseded_by,
    });
    if let Value::Object(known) = known {
        fields.extend(known);
    }
    if let Some(memory) = &block.memory {
        let session = match &memory.scope {
            MemoryScope::Session(session) => Some(session.as_str()),
            _ => None,
        };
        let about = json!({
            "kind": memory.kind,
            "name": memory.name,
            "aliases": memory.aliases,
            "scope": memory.scope.name(),
            "scope_session": session,
            "status": memory.status,
            "confidence": rounded(memory.confidence),
            "pinned": memory.pinned,
            "reinforced": memory.reinforced,
            "reinforced_at": memory.reinforced_ms.map(format_ms),
            "related": memory.related,
            "contradicts": memory.contradicts,
            "sources": memory.sources,
            "uid": memory.uid,
        });
        fields.insert("memory".to_owned(), about);
    }
    Value::Object(fields)
}

/// A memory in a list: all that it knows of itself, cleaned like everything that is handed out.
pub fn memory_json(listed: &Listed, redactor: &Redactor) -> Value {
    let Listed { stored, memory, superseded_by } = listed;
    let gate = Gate::new(redactor, Form::Shown);
    let memory = gate.memory(memory.clone());
    let (scope, session) = match &memory.scope {
        MemoryScope::Session(session) => (format!("session:{session}"), Some(session)),
        scope => (scope.name().to_owned(), None),
    };
    json!({
        "memory_id": stored.id,
        "uid": memory.uid,
        "kind": memory.kind,
        "text": memory.text,
        "name": memory.name,
        "aliases": memory.aliases,
        "scope": scope,
        "session": session,
        "project": gate.text(&stored.event.repo),
        "status": memory.status,
        "confidence": rounded(memory.confidence),
        "pinned": memory.pinned,
        "reinforced": memory.reinforced,
        "reinforced_at": memory.reinforced_ms.map(format_ms),
        "related": memory.related,
        "contradicts": memory.contradicts,
        "superseded_by": superseded_by,
        "sources": memory.sources,
        "secrecy": stored.event.secrecy,
        "visibility": stored.event.visibility,
        "actor": stored.event.actor.as_deref().map(|actor| gate.text(actor)),
        "created_at": format_ms(stored.ts_ms),
        "made_by": memory.made_by,
    })
}

fn session(session: &SessionBlock) -> Value {
    json!({
        "session_id": session.session,
        "session": Client::shown_session(session.client, &session.session),
        "score": rounded(session.score),
        "signals": signals(&session.signals),
    })
}

fn signals(signals: &[(crate::Signal, f32)]) -> Value {
    let told = signals.iter().filter(|(_, value)| *value != 0.0);
    Value::Object(told.map(|(signal, value)| (signal.name().to_owned(), rounded(*value).into())).collect())
}

/// To four digits: more would only be noise.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}
