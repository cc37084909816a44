//! The lines of a chat, and the log of prompts.

use super::{Session, hooks};
use crate::files::scenario::Manner;
use serde_json::{Value, json};

impl Session<'_> {
    /// What is written whenever the client starts: a header, what the model is told first, all that was said before.
    pub(super) fn write_start(&mut self) {
        let (at, project) = (self.tape.now(), "a86e1f54eff1fc06c98ab18f277dba052c1bd01a6938846455b30c4bb1b0c7a2");
        let kind = if self.parent.is_some() { "subagent" } else { "main" };
        let header = json!({
            "sessionId": self.session, "projectHash": project, "startTime": at, "lastUpdated": at, "kind": kind,
        });
        self.tape.line(&self.file, &header);
        if self.parent.is_some() {
            return;
        }
        let context = json!({
            "id": "d04923d38bb0f6017037e74183378ef4", "timestamp": at, "type": "user",
            "content": [{"text": "<session_context>\nwhere we are\n</session_context>"}],
        });
        self.set(&json!({"messages": [context], "lastUpdated": at}));
        if self.has_begun {
            self.set(&json!({"sessionId": self.session}));
            let mut all = vec![context];
            // What was said before has the time of now, and its texts are parts.
            all.extend(self.messages.iter().map(|message| {
                let mut copy = message.clone();
                copy["timestamp"] = json!(at);
                if let Value::String(text) = &message["content"] {
                    copy["content"] = json!([{"text": text}]);
                }
                copy
            }));
            self.set(&json!({"messages": all, "lastUpdated": at}));
        } else if self.manner == Manner::Typed {
            let content = json!([{"text": hooks::context()}]);
            self.message("user", content, &json!({}));
        }
    }

    pub(super) fn set(&mut self, fields: &Value) {
        self.tape.line(&self.file, &json!({"$set": fields}));
    }

    pub(super) fn write_messages(&mut self) {
        let fields = json!({"messages": self.messages, "lastUpdated": self.tape.now()});
        self.set(&fields);
    }

    /// A message; gives its id.
    pub(super) fn message(&mut self, kind: &str, content: Value, more: &Value) -> String {
        let id = self.tape.uuid();
        let mut message = json!({"id": id, "timestamp": self.tape.now(), "type": kind, "content": content});
        message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.write_message(&message);
        id
    }

    /// Writes a message, or writes it again when there is more to it.
    pub(super) fn write_message(&mut self, message: &Value) {
        self.tape.line(&self.file, message);
        match self.messages.iter_mut().find(|known| known["id"] == message["id"]) {
            Some(known) => *known = message.clone(),
            None => self.messages.push(message.clone()),
        }
        let at = self.tape.now();
        self.set(&json!({"lastUpdated": at}));
    }

    /// A prompt with what a hook put beside it; gives the message's id.
    pub(super) fn write_prompt(&mut self, prompt: &str) -> String {
        let content = json!([{"text": prompt}, {"text": hooks::context()}]);
        self.message("user", content, &json!({"displayContent": [{"text": prompt}]}))
    }

    /// The client puts a summary in the place of what was said.
    pub(super) fn compress(&mut self, summary: &str) {
        self.set(&json!({"sessionId": self.session}));
        let at = self.tape.now();
        let said = |id: String, kind: &str, text: String| json!({"id": id, "timestamp": at, "type": kind, "content": [{"text": text}]});
        let ids = [self.tape.uuid(), self.tape.uuid()];
        let [first, second] = ids;
        let mut messages = vec![
            said(first, "user", format!("<state_snapshot>{summary}</state_snapshot>")),
            said(second, "gemini", "Got it.".to_owned()),
        ];
        if let Some(last) = self.messages.last() {
            let mut kept = last.clone();
            kept["id"] = json!(self.tape.uuid());
            messages.push(kept);
        }
        self.messages = messages;
        self.write_messages();
        self.message("info", json!(""), &json!({}));
    }

    /// The log of what was typed: one file for all sessions, written anew each time.
    pub(super) fn log(&mut self, log: &mut Vec<Value>, typed: &str) {
        let number = log.iter().filter(|entry| entry["sessionId"] == self.session).count();
        log.push(json!({
            "sessionId": self.session, "messageId": number, "type": "user", "message": typed,
            "timestamp": self.tape.now(),
        }));
        let whole = format!("{:#}", Value::Array(log.clone()));
        self.tape.file(&format!("{}/logs.json", self.project), whole);
    }
}
