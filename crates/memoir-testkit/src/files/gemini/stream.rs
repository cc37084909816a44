//! What `gemini -o stream-json` prints.

use super::Session;
use crate::files::scenario::Manner;
use serde_json::{Value, json};

impl Session<'_> {
    fn show(&mut self, kind: &str, more: Value) {
        if self.manner != Manner::Printed || self.parent.is_some() {
            return;
        }
        let mut line = json!({"type": kind, "timestamp": self.tape.now()});
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.tape.show(self.run, &line);
    }

    pub(super) fn show_start(&mut self, prompt: &str) {
        let init = json!({"session_id": self.session, "model": "auto"});
        self.show("init", init);
        self.show("message", json!({"role": "user", "content": prompt}));
    }

    pub(super) fn show_piece(&mut self, text: &str) {
        // An answer comes in pieces that end anywhere.
        let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        let (first, second) = text.split_at(middle);
        for piece in [first, second].into_iter().filter(|piece| !piece.is_empty()) {
            self.show("message", json!({"role": "assistant", "content": piece, "delta": true}));
        }
    }

    pub(super) fn show_call(&mut self, id: &str, name: &str, args: &Value) {
        self.show("tool_use", json!({"tool_name": name, "tool_id": id, "parameters": args}));
    }

    pub(super) fn show_result(&mut self, id: &str, output: Option<&str>) {
        let mut result = json!({"tool_id": id, "status": "success"});
        if let Some(output) = output {
            result["output"] = json!(output);
        }
        self.show("tool_result", result);
    }

    pub(super) fn show_end(&mut self, error: Option<&str>) {
        let stats = json!({"total_tokens": 360, "input_tokens": 300, "output_tokens": 60, "duration_ms": 216});
        let result = match error {
            Some(error) => {
                json!({"status": "error", "error": {"type": "unknown", "message": error}, "stats": stats})
            }
            None => json!({"status": "success", "stats": stats}),
        };
        self.show("result", result);
    }
}
