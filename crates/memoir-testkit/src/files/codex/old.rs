//! Rollouts as they were written until early 2026: messages and what became of tools as events without items, and in the
//! file of a fork, or of an agent that knows the conversation, a copy of all that was said before, under the time of the
//! copying.

use crate::files::tape::{Beat, Made, Recording};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A thread's file as far as it was written.
#[derive(Default)]
struct Written {
    /// The lines in the old form, and the ordinal that each had.
    lines: Vec<(u64, Value)>,
}

/// The same rollouts in the old form, and no hook calls; without `names_turns` no line tells its turn.
pub(crate) fn in_old_form(recording: &Recording, names_turns: bool) -> Recording {
    let mut threads: HashMap<String, Written> = HashMap::new();
    let mut owners: HashMap<String, String> = HashMap::new();
    let mut beats = Vec::new();
    for beat in &recording.beats {
        let Made::Line { file, text } = &beat.made else { continue };
        let line: Value = serde_json::from_str(text).expect("a line of a rollout");
        let ordinal = line["ordinal"].as_u64().expect("an ordinal");
        let meta = &line["payload"];
        let mut own = vec![(ordinal, old_line(&line, names_turns))];
        if line["type"] == "session_meta" {
            let id = meta["id"].as_str().expect("an id").to_owned();
            owners.insert(file.clone(), id);
            own.extend(copied(meta, &threads, names_turns).into_iter().map(|mut copy| {
                copy["timestamp"] = line["timestamp"].clone();
                (ordinal, copy)
            }));
        }
        let written = threads.entry(owners[file].clone()).or_default();
        for (ordinal, line) in own {
            if line.is_null() {
                continue;
            }
            let made = Made::Line { file: file.clone(), text: line.to_string() };
            beats.push(Beat { at_ms: beat.at_ms, made });
            written.lines.push((ordinal, line));
        }
    }
    Recording { client: recording.client, sessions: recording.sessions.clone(), beats }
}

/// What a new thread copies: a fork so much as it says, an agent everything. Agents that knew the conversation came
/// after turns had names.
fn copied(meta: &Value, threads: &HashMap<String, Written>, names_turns: bool) -> Vec<Value> {
    let base = &meta["history_base"];
    let sender = || meta["parent_thread_id"].as_str().filter(|_| names_turns);
    let of = base["thread_id"].as_str().or_else(sender);
    let Some(past) = of.and_then(|thread| threads.get(thread)) else { return Vec::new() };
    let end = base["end_ordinal_exclusive"].as_u64().unwrap_or(u64::MAX);
    past.lines.iter().filter(|(ordinal, _)| *ordinal < end).map(|(_, line)| line.clone()).collect()
}

/// A line in the old form; null where there was none.
fn old_line(line: &Value, names_turns: bool) -> Value {
    let mut payload = match (line["type"].as_str(), &line["payload"]) {
        (Some("event_msg"), payload) if payload["type"] == "item_completed" => old_event(&payload["item"]),
        (Some("event_msg"), payload) if payload["type"] == "thread_settings_applied" => Value::Null,
        (Some("world_state"), _) => Value::Null,
        (_, payload) => payload.clone(),
    };
    let Some(fields) = payload.as_object_mut() else { return Value::Null };
    let left_out =
        ["history_mode", "history_base", "internal_chat_message_metadata_passthrough", "forked_from_ordinal_exclusive"];
    left_out.iter().for_each(|name| drop(fields.remove(*name)));
    if fields.get("type").is_some_and(|kind| kind == "message" || kind == "reasoning") {
        fields.remove("id");
    }
    if !names_turns {
        ["turn_id", "root_turn_id", "turn_attribution"].iter().for_each(|name| drop(fields.remove(*name)));
    }
    json!({"timestamp": line["timestamp"], "type": line["type"], "payload": payload})
}

/// An item of today as the event that there was instead.
fn old_event(item: &Value) -> Value {
    let texts = |name: &str| {
        let parts = item[name].as_array().into_iter().flatten();
        parts.map(|part| part["text"].as_str().or(part.as_str()).unwrap_or_default()).collect::<Vec<_>>().join("\n")
    };
    let event = |kind: &str, more: Value| {
        let mut fields: Map<String, Value> = item.as_object().expect("an item").clone();
        fields.insert("type".into(), json!(kind));
        if let Some(id) = fields.remove("id") {
            fields.insert("call_id".into(), id);
        }
        fields.extend(more.as_object().expect("an object").clone());
        Value::Object(fields)
    };
    match item["type"].as_str() {
        Some("UserMessage") => json!({"type": "user_message", "message": texts("content"), "kind": "plain"}),
        Some("AgentMessage") => json!({"type": "agent_message", "message": texts("content")}),
        Some("Reasoning") => json!({"type": "agent_reasoning", "text": texts("summary_text")}),
        Some("CommandExecution") => event("exec_command_end", json!({})),
        Some("FileChange") => event("patch_apply_end", json!({"success": true})),
        _ => Value::Null,
    }
}
