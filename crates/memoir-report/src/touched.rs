//! Which sessions changed a file, and what the user had asked for.

use crate::walk::{Go, each};
use memoir_event::{Client, Content, Kind};
use memoir_journal::{Filter, Journal, JournalError, Order, Page, StoredEvent, View};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Component, Path};

/// The file that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Its path from the root of the file system.
    pub absolute: &'a Path,
    /// Its path as it is known within its project, or as it was typed.
    pub relative: &'a Path,
    /// Its project; without one any project will do.
    pub repo: Option<&'a str>,
}

impl Wanted<'_> {
    /// Whether a path in an event of that project means this file.
    fn is(&self, path: &str, repo: &str) -> bool {
        let path = Path::new(path);
        path == self.absolute || (self.repo.is_none_or(|own| own == repo) && ends_with(path, self.relative))
    }
}

fn ends_with(path: &Path, end: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> {
        let normal = path.components().filter(|part| matches!(part, Component::Normal(_)));
        normal.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (path, end) = (names(path), names(end));
    !end.is_empty() && path.ends_with(&end)
}

/// One prompt of one session that led to changes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The client.
    pub client: Option<Client>,
    /// The session.
    pub session: String,
    /// The project.
    pub repo: String,
    /// When the file was last changed for this prompt.
    pub at_ms: i64,
    /// How often it was.
    pub changes: u64,
    /// What was done to it last: add, update, delete or move.
    pub action: String,
    /// The path, as the client told it.
    pub path: String,
    /// What the user asked, if the reader may see it.
    pub prompt: Option<String>,
}

/// The prompts that led to changes of the file, the latest first, at most `limit`.
pub fn touches(
    journal: &dyn Journal,
    filter: &Filter,
    view: &View,
    wanted: Wanted<'_>,
    limit: usize,
) -> Result<Vec<Touch>, JournalError> {
    let mut found: Vec<(Touch, Option<String>)> = Vec::new();
    let mut places: HashMap<(String, Option<String>), usize> = HashMap::new();
    each(journal, filter, view, Kind::FileChange, Order::NewestFirst, &mut |event| {
        let text = |change: &Value, name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let own = changes(&event.event.content)
            .into_iter()
            .find(|change| ["path", "moved_to"].iter().any(|name| wanted.is(&text(change, name), &event.event.repo)));
        let Some(change) = own else { return Go::On };
        // One prompt, one line; without a turn each change stands for itself.
        let turn = event.event.turn.clone();
        let place = (event.event.session.clone(), turn.clone().or_else(|| Some(event.id.to_string())));
        if let Some((touch, _)) = places.get(&place).and_then(|at| found.get_mut(*at)) {
            touch.changes += 1;
            return Go::On;
        }
        if found.len() >= limit {
            return Go::Stop;
        }
        places.insert(place, found.len());
        let touch = Touch {
            client: event.event.client,
            session: event.event.session.clone(),
            repo: event.event.repo.clone(),
            at_ms: event.ts_ms,
            changes: 1,
            action: text(&change, "kind"),
            path: text(&change, "path"),
            prompt: None,
        };
        found.push((touch, turn));
        Go::On
    })?;
    found.into_iter().map(|(touch, turn)| with_prompt(journal, view, touch, turn.as_deref())).collect()
}

/// The changes that an event tells of. One that was recorded as text has a path on each line.
fn changes(content: &Content) -> Vec<Value> {
    match content {
        Content::Payload(payload) => {
            payload.to_value().pointer("/item/changes").and_then(Value::as_array).cloned().unwrap_or_default()
        }
        other => other.plain().lines().map(|line| json!({"path": line.trim(), "kind": "update"})).collect(),
    }
}

/// So many events before a change are looked through for what led to it.
const LOOKED_AT_MAX: usize = 50;

/// What begins a turn in the place of a prompt.
const BEGINNINGS: [&str; 3] = ["plan", "slash-command", "shell-command"];

/// What the user had asked: the prompt of the turn, or the plan or command that it began with, or else the last prompt
/// before the change.
fn with_prompt(
    journal: &dyn Journal,
    view: &View,
    mut touch: Touch,
    turn: Option<&str>,
) -> Result<Touch, JournalError> {
    let before = |kind: Kind| -> Result<Vec<StoredEvent>, JournalError> {
        let filter = Filter {
            session: Some(Client::shown_session(touch.client, &touch.session)),
            event_type: Some(kind.as_str().to_owned()),
            to_ms: Some(touch.at_ms),
            ..Filter::default()
        };
        let mut events = journal.page(&filter, view, &Page::first(LOOKED_AT_MAX, Order::NewestFirst))?.events;
        events.retain(|event| event.event.thread.as_ref().is_none_or(|thread| *thread == event.event.session));
        Ok(events)
    };
    let is_of_turn = |event: &&StoredEvent| turn.is_some() && event.event.turn.as_deref() == turn;
    let prompts = before(Kind::UserMessage)?;
    if let Some(prompt) = prompts.iter().find(is_of_turn) {
        touch.prompt = Some(prompt.event.content.plain().into_owned());
        return Ok(touch);
    }
    let around = before(Kind::Context)?;
    let of_turn: Vec<(String, String)> = around.iter().filter(is_of_turn).filter_map(beginning).collect();
    let began = of_turn.iter().find(|(kind, _)| BEGINNINGS.contains(&kind.as_str())).map(|(_, text)| text.clone());
    let earlier = || prompts.first().map(|prompt| prompt.event.content.plain().into_owned());
    let nod = || of_turn.iter().find(|(kind, _)| kind == "ack").map(|(_, text)| text.clone());
    touch.prompt = began.or_else(earlier).or_else(nod);
    Ok(touch)
}

/// What stands around a conversation: its kind and its text.
fn beginning(stored: &StoredEvent) -> Option<(String, String)> {
    let value: Value = serde_json::from_str(stored.event.content.verbatim()).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    text("type").zip(text("text"))
}
