//! Chats as they were written until early 2026: one JSON object, written anew whenever something happens.

use crate::files::tape::{Beat, Made, Recording};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The same chats in the old form: the same ids, and no hook calls.
pub(crate) fn in_old_form(recording: &Recording) -> Recording {
    let mut chats: BTreeMap<String, Value> = BTreeMap::new();
    let mut beats = Vec::new();
    for beat in &recording.beats {
        let made = match &beat.made {
            Made::Line { file, text } => {
                let chat = chats.entry(file.clone()).or_insert_with(|| json!({"messages": []}));
                let line: Value = serde_json::from_str(text).expect("a line of a chat");
                if !take(chat, &line) {
                    continue;
                }
                Made::File { file: file.replace(".jsonl", ".json"), text: format!("{chat:#}") }
            }
            Made::File { .. } => beat.made.clone(),
            Made::Hook(_) | Made::Shown { .. } => continue,
        };
        beats.push(Beat { at_ms: beat.at_ms, made });
    }
    Recording { client: recording.client, sessions: recording.sessions.clone(), beats }
}

/// Takes one line of today's form into an object; says whether the object was changed.
fn take(chat: &mut Value, line: &Value) -> bool {
    if line.get("projectHash").is_some() {
        let messages = chat["messages"].take();
        let fields = ["sessionId", "projectHash", "startTime", "lastUpdated"];
        *chat = fields.iter().map(|name| ((*name).to_owned(), line[*name].clone())).collect();
        chat["messages"] = messages;
        return true;
    }
    let is_response =
        line["content"].as_array().is_some_and(|parts| parts.iter().any(|part| part.get("functionResponse").is_some()));
    if line.get("id").is_none() || is_response {
        return false;
    }
    let mut message = line.clone();
    if let Some(parts) = line["displayContent"].as_array().or_else(|| line["content"].as_array()) {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        message["content"] = json!(texts.join("\n"));
        message.as_object_mut().expect("an object").remove("displayContent");
    }
    let messages = chat["messages"].as_array_mut().expect("a list");
    match messages.iter_mut().find(|known| known["id"] == message["id"]) {
        Some(known) => *known = message,
        None => messages.push(message),
    }
    true
}
