//! What `claude -p --output-format stream-json` prints.

use super::Session;
use super::records::usage;
use crate::files::scenario::{End, Manner, Turn};
use serde_json::{Value, json};

impl Session<'_> {
    fn show(&mut self, line: &Value) {
        if self.manner == Manner::Printed {
            self.tape.show(self.run, line);
        }
    }

    pub(super) fn show_start(&mut self) {
        // A hook of a session that is taken up again is shown under an id that is thrown away.
        let session = if self.has_begun { self.tape.uuid() } else { self.session.clone() };
        let (id, uuid) = (self.tape.uuid(), self.tape.uuid());
        self.show(&json!({
            "type": "system", "subtype": "hook_started", "hook_id": id, "hook_name": "SessionStart:startup",
            "hook_event": "SessionStart", "uuid": uuid, "session_id": session,
        }));
        let uuid = self.tape.uuid();
        self.show(&json!({
            "type": "system", "subtype": "init", "cwd": self.tape.cwd(), "session_id": self.session,
            "tools": ["Bash"], "mcp_servers": [], "model": "claude-opus-5-5", "permissionMode": "default",
            "claude_code_version": "2.1.325", "uuid": uuid,
        }));
    }

    /// A record as the stream has it: the same id, other names for what is around it.
    pub(super) fn show_record(&mut self, record: &Value) {
        let is_prompt = record["promptSource"] == "sdk" || record["isCompactSummary"] == true;
        let is_interrupt = !record["interruptedMessageId"].is_null();
        let kind = record["type"].as_str().unwrap_or_default();
        if !matches!(kind, "user" | "assistant") || is_prompt || is_interrupt {
            return;
        }
        let mut message = record["message"].clone();
        if kind == "assistant" && message["model"] != "<synthetic>" {
            message["stop_reason"] = Value::Null;
            // The stream shows what a message had cost when it began.
            message["usage"] =
                usage((u32::try_from(message["usage"]["input_tokens"].as_u64().unwrap_or(0)).unwrap_or(0), 1));
        }
        if let (Value::String(text), true) = (&message["content"], kind == "user") {
            message["content"] = json!([{"type": "text", "text": text}]);
        }
        let mut line = json!({
            "type": kind, "message": message, "parent_tool_use_id": self.sent_by, "session_id": self.session,
            "uuid": record["uuid"], "timestamp": record["timestamp"],
        });
        if let Some(agent) = &self.agent {
            line["agent_id"] = json!(agent);
            line["subagent_type"] = json!("general-purpose");
        } else if !record["toolUseResult"].is_null() {
            line["tool_use_result"] = record["toolUseResult"].clone();
        }
        self.show(&line);
    }

    pub(super) fn show_end(&mut self, turn: &Turn) {
        let (result, is_error) = match &turn.end {
            End::Answer(reply) => (reply.texts.last().cloned().unwrap_or_default(), false),
            End::Failure(error) => (error.clone(), true),
            // It is gone before it can print anything.
            End::Interrupt => return,
        };
        let uuid = self.tape.uuid();
        self.show(&json!({
            "duration_api_ms": 114, "stop_reason": "end_turn", "session_id": self.session,
            "total_cost_usd": f64::from(self.cost) / 1000.0, "usage": usage((200, 40)), "modelUsage": {},
            "permission_denials": [], "is_error": is_error, "num_turns": 1, "subtype": "success", "result": result,
            "type": "result", "duration_ms": 791, "uuid": uuid,
        }));
    }
}
