//! Hook calls.

use super::Session;
use serde_json::{Value, json};

impl Session<'_> {
    /// Calls the hook of that event with what is special about it.
    pub(super) fn call_hook(&mut self, event: &str, more: Value) {
        let own = self.tape.path_of(&self.file);
        let mut payload = json!({"session_id": self.root, "cwd": self.tape.cwd(), "hook_event_name": event});
        let fields = payload.as_object_mut().expect("an object");
        if !matches!(event, "SessionStart" | "SessionEnd") {
            fields.insert("turn_id".into(), json!(self.turn));
        }
        fields.insert("transcript_path".into(), json!(own));
        if event != "SessionEnd" {
            fields.insert("model".into(), json!("gpt-5.5"));
            fields.insert("permission_mode".into(), json!("bypassPermissions"));
        }
        if self.is_agent {
            fields.insert("agent_id".into(), json!(self.thread));
            fields.insert("agent_type".into(), json!("default"));
        }
        if event == "SubagentStop" {
            fields.insert("agent_transcript_path".into(), json!(own));
        }
        fields.extend(more.as_object().expect("an object").clone());
        self.tape.hook(&payload);
    }
}
