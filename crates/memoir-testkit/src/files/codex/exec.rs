//! What `codex exec --json` prints.

use super::Session;
use crate::files::scenario::Manner;
use serde_json::{Value, json};

impl Session<'_> {
    fn is_shown(&self) -> bool {
        self.manner == Manner::Printed && !self.is_agent
    }

    pub(super) fn show(&mut self, line: &Value) {
        if self.is_shown() {
            self.tape.show(self.run, line);
        }
    }

    pub(super) fn show_start(&mut self) {
        self.shown = 0;
        self.show(&json!({"type": "thread.started", "thread_id": self.thread}));
        self.show(&json!({"type": "turn.started"}));
    }

    /// An item that has only begun; it keeps its number.
    pub(super) fn show_started(&mut self, item: &Value) {
        let line = self.numbered("item.started", item);
        self.show(&line);
    }

    pub(super) fn show_item(&mut self, item: &Value) {
        let line = self.numbered("item.completed", item);
        self.show(&line);
        self.shown += 1;
    }

    fn numbered(&self, kind: &str, item: &Value) -> Value {
        let mut numbered = json!({"id": format!("item_{}", self.shown)});
        let fields = numbered.as_object_mut().expect("an object");
        fields.extend(item.as_object().expect("an object").clone());
        json!({"type": kind, "item": numbered})
    }

    pub(super) fn show_end(&mut self) {
        let (input, output) = self.tokens[0];
        let usage = json!({
            "input_tokens": input, "cached_input_tokens": 0, "cache_write_input_tokens": 0, "output_tokens": output,
            "reasoning_output_tokens": 0,
        });
        self.show(&json!({"type": "turn.completed", "usage": usage}));
    }
}

/// A script as the words of one line.
pub(super) fn command_line(script: &str) -> String {
    format!("/bin/bash -lc '{}'", script.replace('\'', "'\\''"))
}
