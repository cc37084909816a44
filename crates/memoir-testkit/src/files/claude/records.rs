//! The records of a session file.

use super::Session;
use crate::files::INJECTED;
use crate::files::scenario::Manner;
use serde_json::{Value, json};

const MODEL: &str = "claude-opus-5-5";

impl Session<'_> {
    /// A record with an id; `more` is what is special about it.
    pub(super) fn record(&mut self, kind: &str, mut more: Value) -> String {
        let uuid = self.tape.uuid();
        let mut record = json!({"parentUuid": self.parent, "isSidechain": self.agent.is_some()});
        let fields = record.as_object_mut().expect("an object");
        if kind == "user" {
            fields.insert("promptId".into(), json!(self.prompt_id));
        }
        if let Some(agent) = &self.agent {
            fields.insert("agentId".into(), json!(agent));
        }
        fields.insert("type".into(), json!(kind));
        fields.append(more.as_object_mut().expect("an object"));
        fields.insert("uuid".into(), json!(uuid));
        fields.insert("timestamp".into(), json!(self.tape.now()));
        let entry = if self.manner == Manner::Printed { "sdk-cli" } else { "cli" };
        fields.insert("userType".into(), json!("external"));
        fields.insert("entrypoint".into(), json!(entry));
        fields.insert("cwd".into(), json!(self.tape.cwd()));
        fields.insert("sessionId".into(), json!(self.session));
        fields.insert("version".into(), json!("2.1.325"));
        fields.insert("gitBranch".into(), json!("main"));
        self.parent = Some(uuid.clone());
        self.show_record(&record);
        self.tape.line(&self.file, &record);
        uuid
    }

    pub(super) fn user(&mut self, content: Value, more: Value) -> String {
        let mut record = json!({"message": {"role": "user", "content": content}});
        record.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.record("user", record)
    }

    pub(super) fn system(&mut self, subtype: &str, more: Value) {
        let mut record = json!({"subtype": subtype});
        record.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.record("system", record);
    }

    /// A record about the client itself, which has no id.
    pub(super) fn note(&mut self, kind: &str, more: &Value) {
        let mut note = json!({"type": kind});
        let fields = note.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        fields.insert("sessionId".into(), json!(self.session));
        self.tape.line(&self.file, &note);
    }

    fn attachment(&mut self, attachment: &Value) {
        self.record("attachment", json!({"attachment": attachment}));
    }

    /// What is written before a prompt.
    pub(super) fn write_notes(&mut self, prompt: &str) {
        match self.manner {
            Manner::Printed => {
                let at = self.tape.now();
                let queued = json!({"operation": "enqueue", "timestamp": at, "content": prompt});
                self.note("queue-operation", &queued);
                self.note("queue-operation", &json!({"operation": "dequeue", "timestamp": at}));
            }
            Manner::Typed => {
                self.note("mode", &json!({"mode": "normal"}));
                self.note("permission-mode", &json!({"permissionMode": "auto"}));
                let id = self.tape.uuid();
                let snapshot = json!({"messageId": id, "trackedFileBackups": {}, "timestamp": self.tape.now()});
                let snapshot = json!({
                    "type": "file-history-snapshot", "messageId": id, "snapshot": snapshot, "isSnapshotUpdate": false,
                });
                self.tape.line(&self.file, &snapshot);
            }
        }
        if !self.has_begun && self.past.is_empty() {
            self.write_hook_context("SessionStart");
            self.attachment(&json!({"type": "environment", "snapshot": {"workingDirectory": self.tape.cwd()}}));
        }
    }

    pub(super) fn write_prompt(&mut self, prompt: &str) {
        let position = json!({"promptIndex": self.turns, "turnIndex": self.turns});
        let more = match self.manner {
            Manner::Printed => json!({
                "permissionMode": "default", "promptSource": "sdk", "turnOrigin": "sdk", "turnPosition": position,
            }),
            Manner::Typed => json!({
                "permissionMode": "auto", "origin": {"kind": "human"}, "promptSource": "typed",
                "turnOrigin": "human", "turnPosition": position,
            }),
        };
        self.user(json!(prompt), more);
    }

    /// What a hook said, in the ways in which it is written down.
    pub(super) fn write_hook_context(&mut self, event: &str) {
        let output = json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": INJECTED}});
        self.attachment(&json!({
            "type": "hook_success", "hookName": event, "hookEvent": event, "content": "",
            "stdout": format!("{output}\n"), "stderr": "", "exitCode": 0, "command": "hook", "durationMs": 9,
        }));
        self.attachment(&json!({
            "type": "hook_additional_context", "content": [INJECTED], "hookName": event, "hookEvent": event,
        }));
    }

    /// What was sent to the model, piece by piece.
    pub(super) fn write_request(&mut self) {
        let (hash, id, at) = (self.tape.hex(16), self.tape.uuid(), self.tape.now());
        let message = json!({"role": "user", "content": format!("a request to the model with {INJECTED}")});
        self.note("api-request-blob", &json!({"hash": hash, "message": message}));
        self.note("api-request", &json!({"id": id, "timestamp": at, "keep": 0, "tail": [hash]}));
    }

    pub(super) fn write_block(
        &mut self,
        message: &str,
        block: &Value,
        index: usize,
        stop: &str,
        tokens: (u32, u32),
    ) -> String {
        let request = self.tape.uuid();
        let record = json!({
            "message": {
                "id": message, "type": "message", "role": "assistant", "model": MODEL, "content": [block],
                "stop_reason": stop, "stop_sequence": null, "usage": usage(tokens), "stop_details": null,
            },
            "apiBlockIndex": index, "requestRef": request, "requestedModel": MODEL, "effort": "medium",
            "madeBy": "model",
        });
        self.record("assistant", record)
    }

    pub(super) fn write_failure(&mut self, error: &str) {
        let id = self.tape.uuid();
        let record = json!({
            "message": {
                "diagnostics": null, "id": id, "container": null, "model": "<synthetic>", "role": "assistant",
                "stop_details": null, "stop_reason": "stop_sequence", "stop_sequence": "", "type": "message",
                "usage": usage((0, 0)), "content": [{"type": "text", "text": error}], "context_management": null,
            },
            "error": "unknown", "isApiErrorMessage": true, "apiErrorStatus": 400, "madeBy": "other",
        });
        self.record("assistant", record);
    }

    /// What is written after a turn.
    pub(super) fn write_ends(&mut self, prompt: &str) {
        let leaf = self.parent.clone();
        self.note("last-prompt", &json!({"lastPrompt": prompt, "leafUuid": leaf}));
        self.note("atis-latch", &json!({"atis": ""}));
        self.note("tools-used", &json!({"tools": ["Bash"]}));
    }

    pub(super) fn write_cost(&mut self) {
        let total = f64::from(self.cost) / 1000.0;
        self.note("cost-state", &json!({"totalCostUSD": total, "totalAPIDuration": 388, "modelUsage": {}}));
    }

    pub(super) fn compact(&mut self, summary: &str, trigger: &str) {
        if trigger == "manual" {
            self.prompt_id = self.tape.uuid();
        }
        let raw = format!("<analysis>a</analysis><summary>{summary}</summary>");
        self.call_hook("PreCompact", json!({"trigger": trigger, "custom_instructions": null}));
        let agent = self.tape.hex(17);
        let stop = json!({
            "agent_id": agent, "agent_type": "", "stop_hook_active": false,
            "agent_transcript_path": self.tape.path_of("nowhere.jsonl"), "last_assistant_message": raw,
        });
        self.call_hook("SubagentStop", stop);
        let logical = self.parent.take();
        let metadata = json!({"trigger": trigger, "preTokens": 120, "postTokens": 88});
        self.system(
            "compact_boundary",
            json!({
                "content": "Conversation compacted", "level": "info", "compactMetadata": metadata,
                "logicalParentUuid": logical,
            }),
        );
        let said = format!(
            "This session is being continued from a previous conversation.\n\nSummary:\n{summary}\n\n\
             If you need specific details from before compaction, read the file."
        );
        self.user(json!(said), json!({"isVisibleInTranscriptOnly": true, "isCompactSummary": true}));
        if trigger == "manual" {
            let caveat = "<local-command-caveat>A command was run.</local-command-caveat>";
            self.user(json!(caveat), json!({"isMeta": true}));
            let command = "<command-name>/compact</command-name>\n            \
                           <command-message>compact</command-message>\n            <command-args></command-args>";
            self.user(json!(command), json!({}));
            let output = "<local-command-stdout>Compacted</local-command-stdout>";
            self.user(json!(output), json!({"repeatsCompactSummary": true}));
        }
        self.call_hook("PostCompact", json!({"trigger": trigger, "compact_summary": raw}));
        self.call_hook("SessionStart", json!({"source": "compact", "model": MODEL}));
    }
}

/// Tokens as every record of a message has them.
pub(super) fn usage((input, output): (u32, u32)) -> Value {
    json!({
        "input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": output, "service_tier": "standard",
    })
}
