//! A session that begins with a copy of another: the same records under another session and one prompt.

use super::Session;
use crate::files::tape::{Made, Tape};
use serde_json::{Value, json};

/// The records of a file as it was after so many beats: those that have an id.
pub(super) fn past(tape: &Tape, file: &str, beats: usize) -> Vec<Value> {
    let lines = tape.beats().iter().take(beats).filter_map(|beat| match &beat.made {
        Made::Line { file: of, text } if of == file => serde_json::from_str::<Value>(text).ok(),
        _ => None,
    });
    lines.filter(|record| record.get("uuid").is_some()).collect()
}

impl Session<'_> {
    pub(super) fn begin_fork(&mut self, mut past: Vec<Value>) {
        self.prompt_id = self.tape.uuid();
        for record in &mut past {
            record["sessionId"] = json!(self.session);
            if record.get("promptId").is_some() {
                record["promptId"] = json!(self.prompt_id);
            }
        }
        self.parent = past.last().and_then(|record| record["uuid"].as_str()).map(str::to_owned);
        self.past = past;
        self.note("mode", &json!({"mode": "normal"}));
        self.note("atis-latch", &json!({"atis": ""}));
    }
}
