//! What hooks are told beside the conversation: that a tool needs leave, and whatever no session file tells.

use crate::scene::{Maker, digest};
use crate::shell;
use memoir_event::Identity;
use serde_json::{Map, Value};

/// Fields of every call: where it is made, which the event has anyway, and how the client is set.
const COMMON: [&str; 11] = [
    "hook_event_name",
    "session_id",
    "transcript_path",
    "cwd",
    "timestamp",
    "prompt_id",
    "turn_id",
    "agent_id",
    "agent_type",
    "permission_mode",
    "effort",
];

/// Such a note is small: longer texts lose their ends, longer lists what comes last.
const NOTE_CHARS_MAX: usize = 1000;
const NOTE_ITEMS_MAX: usize = 20;

/// A tool for which the user's leave is asked, or was not given.
pub(crate) struct Leave<'a> {
    pub id: Option<&'a str>,
    pub tool: &'a str,
    pub input: &'a str,
    pub reason: Option<&'a str>,
}

impl Leave<'_> {
    /// Notes that the client told so.
    pub fn note(&self, event: &str, maker: &mut Maker<'_>) {
        let label = if event == "PermissionDenied" { "permission-denied" } else { "permission-request" };
        let script = shell::script_of_call(self.tool, self.input);
        let mut text = format!("{}: {}", self.tool, script.as_deref().unwrap_or(self.input));
        if let Some(reason) = self.reason {
            text = format!("{text}\n{reason}");
        }
        let names = maker.scene.said(label, &text, 0).into_iter().collect();
        maker.context(label, &text, names);
        maker.last(|event| event.action = self.id.map(str::to_owned));
        maker.about([self.tool]);
    }
}

/// Keeps what a call tells that has no event of its own: once in its turn, and small.
pub(crate) fn note(event: &str, payload: &str, maker: &mut Maker<'_>) {
    let fields: Map<String, Value> = serde_json::from_str(payload).unwrap_or_default();
    let fields: Map<String, Value> = fields
        .into_iter()
        .filter(|(name, _)| !COMMON.contains(&name.as_str()))
        .map(|(name, told)| (name, small(told, 0)))
        .collect();
    if event.is_empty() || fields.is_empty() {
        return;
    }
    let told = Value::from(fields).to_string();
    let kind = format!("hook.{event}");
    let name = maker.scene.said(&kind, &told, 0);
    let name = name.unwrap_or_else(|| Identity::Named(format!("{kind}/{}/{}", maker.scene.thread, digest(&told))));
    maker.opaque(&kind, &told, vec![name]);
}

fn small(told: Value, depth: usize) -> Value {
    match told {
        Value::String(text) if text.len() > NOTE_CHARS_MAX => {
            text.chars().take(NOTE_CHARS_MAX).collect::<String>().into()
        }
        Value::Array(_) | Value::Object(_) if depth > 3 => Value::Null,
        Value::Array(items) => items.into_iter().take(NOTE_ITEMS_MAX).map(|item| small(item, depth + 1)).collect(),
        Value::Object(fields) => {
            fields.into_iter().take(NOTE_ITEMS_MAX).map(|(name, told)| (name, small(told, depth + 1))).collect()
        }
        other => other,
    }
}
