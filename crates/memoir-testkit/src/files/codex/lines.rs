//! The lines of a rollout that are no tool calls.

use super::Session;
use serde_json::{Value, json};

const MODEL: &str = "gpt-5.5";

/// What stands before the summary in a record of a compaction.
const BEFORE_SUMMARY: &str = "Another language model started to solve this problem and produced a summary. Use it \
                              with your own analysis:\n";

impl Session<'_> {
    /// The first line; `more` tells where the thread comes from.
    pub(super) fn write_meta(&mut self, more: &Value) {
        let mut meta = json!({
            "session_id": self.root, "id": self.thread, "timestamp": self.tape.now(), "cwd": self.tape.cwd(),
            "runtime_workspace_roots": [self.tape.cwd()], "originator": "codex_exec", "cli_version": "0.166.0",
            "source": "exec", "thread_source": "user", "model_provider": "scripted",
            "base_instructions": {"text": "(left out)", "provenance": {"type": "model", "model": MODEL}},
            "history_mode": "paginated", "context_window": {"window_id": self.tape.uuid7()}, "git": {},
        });
        let fields = meta.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        self.write("session_meta", &meta, None);
    }

    pub(super) fn write_turn_start(&mut self) {
        let is_first = !self.has_begun;
        let started = json!({
            "type": "task_started",
            "turn_attribution": {
                "turn_id": self.turn, "turn_trigger": "exec", "parent_turn_id": null,
                "initiating_agent_path": null, "root_turn_id": self.turn,
            },
            "turn_id": self.turn, "root_turn_id": self.turn, "started_at": self.tape.at_ms / 1000,
            "model_context_window": 258_400, "collaboration_mode_kind": "default",
        });
        self.event(&started);
        if is_first && !self.is_agent {
            let (harness, skills) = (json!({"type": "harness", "hook": false}), json!({"type": "skills"}));
            let text = "<permissions instructions>\nanything goes\n</permissions instructions>";
            self.message("developer", text, "permissions.instructions", &skills);
            let text =
                format!("# AGENTS.md instructions for {}\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>", self.tape.cwd());
            self.message("user", &text, "agents_md.instructions", &harness);
            let text = format!("<environment_context>\n  <cwd>{}</cwd>\n</environment_context>", self.tape.cwd());
            self.message("user", &text, "environments.environment_context", &harness);
        }
        self.write("world_state", &json!({"full": is_first, "state": {}}), None);
        self.write_turn_context();
    }

    fn write_turn_context(&mut self) {
        let context = json!({
            "turn_id": self.turn, "root_turn_id": self.turn, "disabled_plugin_ids": [], "cwd": self.tape.cwd(),
            "approval_policy": "never", "sandbox_policy": {"type": "danger-full-access"}, "model": MODEL,
            "collaboration_mode": {"mode": "default"}, "summary": "auto",
        });
        self.write("turn_context", &context, None);
        let applied = json!({
            "type": "thread_settings_applied", "thread_id": self.thread,
            "thread_settings": {"model": MODEL, "model_provider_id": "scripted", "cwd": self.tape.cwd()},
        });
        self.event(&applied);
    }

    /// A message of one text in any role, with what the client knows about it.
    fn message(&mut self, role: &str, text: &str, kind: &str, provenance: &Value) {
        let message = json!({
            "type": "message", "id": format!("msg_{}", self.tape.uuid7()), "role": role,
            "content": [{"type": "input_text", "text": text}],
            "internal_chat_message_metadata_passthrough": {
                "turn_id": self.turn, "create_time": create_time(self.tape.at_ms), "content_item_kinds": [kind],
                "content_item_metadata": [{"provenance": provenance}],
            },
        });
        self.item(&message);
    }

    pub(super) fn write_hook_context(&mut self) {
        let provenance = json!({"type": "harness", "hook": true});
        self.message("developer", super::super::INJECTED, "hooks.additional_context", &provenance);
    }

    pub(super) fn write_user(&mut self, prompt: &str) {
        self.message("user", prompt, "user.text", &json!({"type": "user"}));
        let id = self.tape.uuid7();
        let content = json!([{"type": "text", "text": prompt, "text_elements": []}]);
        self.completed(&json!({"type": "UserMessage", "id": id, "content": content}));
    }

    /// The client tells the agent something in the user's place.
    pub(super) fn write_notification(&mut self, text: &str) {
        let provenance = json!({"type": "tool", "namespace": "multi_agent_v1"});
        self.message("user", text, "multi_agent.subagent_notification", &provenance);
    }

    pub(super) fn write_thought(&mut self, thought: &str) {
        let id = format!("rs_{}", self.tape.hex(24));
        self.completed(&json!({"type": "Reasoning", "id": id, "summary_text": [thought], "raw_content": []}));
        let item = json!({
            "type": "reasoning", "id": id, "summary": [{"type": "summary_text", "text": thought}], "content": null,
            "encrypted_content": "AAAA",
            "internal_chat_message_metadata_passthrough": {"turn_id": self.turn},
        });
        self.item(&item);
    }

    pub(super) fn write_answer(&mut self, text: &str) {
        let id = format!("msg_{}", self.tape.hex(24));
        let content = json!([{"type": "Text", "text": text}]);
        self.completed(&json!({"type": "AgentMessage", "id": id, "content": content}));
        let metadata = json!({"client_authored": false});
        self.write("response_item", &self.answer_item(&id, text), Some(metadata));
    }

    fn answer_item(&self, id: &str, text: &str) -> Value {
        json!({
            "type": "message", "status": "completed", "id": id, "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
            "internal_chat_message_metadata_passthrough": {"turn_id": self.turn, "content_item_kinds": ["unknown"]},
        })
    }

    pub(super) fn write_usage(&mut self, tokens: (u32, u32)) {
        for sum in &mut self.tokens {
            *sum = (sum.0 + tokens.0, sum.1 + tokens.1);
        }
        let [turn, thread] = self.tokens;
        let record = json!({
            "thread_id": self.thread, "turn_id": self.turn, "session_id": self.root, "root_turn_id": self.turn,
            "response_id": format!("resp_{}", self.tape.hex(24)), "usage": usage(tokens),
            "turn_token_usage": usage(turn), "thread_token_usage": usage(thread),
        });
        self.write("token_usage_record", &record, None);
    }

    pub(super) fn write_token_count(&mut self, tokens: (u32, u32)) {
        let count = json!({
            "type": "token_count",
            "info": {
                "total_token_usage": usage(self.tokens[1]), "last_token_usage": usage(tokens),
                "last_usage_includes_reasoning": false, "model_context_window": 258_400,
            },
            "rate_limits": {"limit_id": "codex", "primary": null},
        });
        self.event(&count);
    }

    pub(super) fn write_task_complete(&mut self, last: Option<&str>, error: Option<&str>) {
        let mut done = json!({
            "type": "task_complete", "root_turn_id": self.turn, "turn_id": self.turn, "last_agent_message": last,
            "started_at": self.tape.at_ms / 1000, "completed_at": self.tape.at_ms / 1000, "duration_ms": 335,
        });
        if let Some(error) = error {
            done["error"] = json!({"message": error, "codex_error_info": "other"});
        }
        self.event(&done);
    }

    pub(super) fn write_aborted(&mut self) {
        let provenance = json!({"type": "harness", "hook": false});
        let text = "<turn_aborted>\nThe user stopped it.\n</turn_aborted>";
        self.message("user", text, "turn.aborted", &provenance);
        let aborted = json!({
            "type": "turn_aborted", "root_turn_id": self.turn, "turn_id": self.turn, "reason": "interrupted",
            "started_at": self.tape.at_ms / 1000, "completed_at": self.tape.at_ms / 1000, "duration_ms": 4536,
        });
        self.event(&aborted);
    }

    /// The client compacts the conversation on its own account.
    pub(super) fn compact(&mut self, summary: &str) {
        self.call_hook("PreCompact", json!({"trigger": "auto"}));
        let id = format!("msg_{}", self.tape.hex(24));
        let metadata = json!({"client_authored": false, "compaction_output": true});
        self.write("response_item", &self.answer_item(&id, summary), Some(metadata));
        self.write_usage((100, 20));
        self.write_token_count((100, 20));
        let message = format!("{BEFORE_SUMMARY}{summary}");
        let history = json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "what was said before"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": message}]},
        ]);
        let window = self.tape.uuid7();
        let compacted = json!({
            "message": message, "replacement_history": history, "window_id": window, "window_number": 1,
        });
        self.write("compacted", &compacted, None);
        self.write("world_state", &json!({"full": true, "state": {}}), None);
        self.write_turn_context();
        let id = self.tape.uuid7();
        self.completed(&json!({"type": "ContextCompaction", "id": id}));
        self.call_hook("PostCompact", json!({"trigger": "auto"}));
        self.call_hook("SessionStart", json!({"source": "compact"}));
        self.write_hook_context();
    }
}

/// Tokens as every record has them.
pub(super) fn usage((input, output): (u32, u32)) -> Value {
    json!({
        "input_tokens": input, "cached_input_tokens": 0, "cache_write_input_tokens": 0, "output_tokens": output,
        "reasoning_output_tokens": 0, "total_tokens": input + output,
    })
}

#[allow(clippy::cast_precision_loss, reason = "a time of this century in milliseconds")]
fn create_time(at_ms: i64) -> f64 {
    at_ms as f64 / 1000.0
}
