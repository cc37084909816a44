//! Hook calls.

use super::Session;
use crate::files::INJECTED;
use serde_json::{Value, json};

/// What a hook says, as the client puts it into the conversation.
pub(super) fn context() -> String {
    format!("<hook_context>{INJECTED}</hook_context>")
}

impl Session<'_> {
    /// Calls the hook of that event with what is special about it. Nothing tells an agent's calls from its sender's.
    pub(super) fn call_hook(&mut self, event: &str, more: Value) {
        let (session, file) = match &self.parent {
            Some((session, file)) => (session, file),
            None => (&self.session, &self.file),
        };
        let mut payload = json!({
            "session_id": session, "transcript_path": self.tape.path_of(file), "cwd": self.tape.cwd(),
            "hook_event_name": event, "timestamp": self.tape.now(),
        });
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.tape.hook(&payload);
    }
}
