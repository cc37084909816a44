//! Which sessions changed a file, and what the user had asked for.

use crate::walk::{Go, each};
use memoir_event::{Client, Content, Kind};
use memoir_journal::{Filter, Journal, JournalError, Order, Page, View};
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

/// What the user had asked: the prompt of the turn, or else the last one before the change.
fn with_prompt(
    journal: &dyn Journal,
    view: &View,
    mut touch: Touch,
    turn: Option<&str>,
) -> Result<Touch, JournalError> {
    let filter = Filter {
        session: Some(Client::shown_session(touch.client, &touch.session)),
        event_type: Some(Kind::UserMessage.as_str().to_owned()),
        to_ms: Some(touch.at_ms),
        ..Filter::default()
    };
    let prompts = journal.page(&filter, view, &Page::first(50, Order::NewestFirst))?.events;
    let of_user =
        || prompts.iter().filter(|event| event.event.thread.as_ref().is_none_or(|t| *t == event.event.session));
    let of_turn = turn.and_then(|turn| of_user().find(|event| event.event.turn.as_deref() == Some(turn)));
    touch.prompt = of_turn.or_else(|| of_user().next()).map(|event| event.event.content.plain().into_owned());
    Ok(touch)
}
