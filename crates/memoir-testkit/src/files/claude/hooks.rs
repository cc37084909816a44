//! Hook calls.

use super::Session;
use serde_json::{Value, json};

impl Session<'_> {
    /// Calls the hook of that event with what is special about it.
    pub(super) fn call_hook(&mut self, event: &str, more: Value) {
        let transcript = match (&self.agent, self.file.split_once("/subagents/")) {
            (Some(_), Some((session, _))) => format!("{session}.jsonl"),
            _ => self.file.clone(),
        };
        let mut payload = json!({
            "session_id": self.session, "transcript_path": self.tape.path_of(&transcript), "cwd": self.tape.cwd(),
            "hook_event_name": event,
        });
        let fields = payload.as_object_mut().expect("an object");
        if !self.prompt_id.is_empty() && (event != "SessionStart" || self.has_begun) {
            fields.insert("prompt_id".into(), json!(self.prompt_id));
        }
        if let Some(agent) = &self.agent {
            fields.insert("agent_id".into(), json!(agent));
            fields.insert("agent_type".into(), json!("general-purpose"));
        }
        fields.extend(more.as_object().expect("an object").clone());
        self.tape.hook(&payload);
    }
}
