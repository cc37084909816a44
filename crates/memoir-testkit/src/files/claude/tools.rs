//! Calls of tools, and agents that are sent.

use super::Session;
use crate::files::scenario::{Agent, Call, Run, Write};
use serde_json::{Value, json};

/// What a call returned: what the model is shown, the client's own object, and whether it failed.
struct Returned {
    content: Value,
    outcome: Value,
    is_error: bool,
}

impl Session<'_> {
    /// The block in which the model asks for it, with the call's id.
    pub(super) fn tool_use(&mut self, call: &Call) -> (String, Value) {
        let id = format!("toolu_{}", self.tape.hex(24));
        let (name, input) = self.asked(call);
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        (id, block)
    }

    fn asked(&self, call: &Call) -> (&'static str, Value) {
        match call {
            Call::Run(run) => ("Bash", json!({"command": run.command, "description": "run a command"})),
            Call::Write(write) => {
                let path = format!("{}/{}", self.tape.cwd(), write.path);
                ("Write", json!({"file_path": path, "content": format!("{}\n", write.line)}))
            }
            Call::Agent(agent) => (
                "Agent",
                json!({
                    "description": "a part of it", "prompt": agent.task, "subagent_type": "general-purpose",
                    "run_in_background": false,
                }),
            ),
        }
    }

    /// What a call does, and what the model is told of it; `asked` is the record that asks for it.
    pub(super) fn run_call(&mut self, call: &Call, id: &str, asked: &str) {
        let (name, input) = self.asked(call);
        let payload = json!({
            "permission_mode": "default", "effort": {"level": "medium"}, "tool_name": name, "tool_input": input,
            "tool_use_id": id,
        });
        self.call_hook("PreToolUse", payload.clone());
        self.tape.wait(30);
        let Returned { content, outcome, is_error } = match call {
            Call::Run(run) => returned_by_run(run),
            Call::Write(write) => self.returned_by_write(write),
            Call::Agent(agent) => self.returned_by_agent(agent, id),
        };
        let mut done = payload;
        if is_error {
            done["error"] = content.clone();
            done["is_interrupt"] = json!(false);
            self.call_hook("PostToolUseFailure", done);
        } else {
            done["tool_response"] = outcome.clone();
            done["duration_ms"] = json!(170);
            self.call_hook("PostToolUse", done);
        }
        let block = json!([{"tool_use_id": id, "type": "tool_result", "content": content, "is_error": is_error}]);
        let mut more = json!({"sandboxed": false, "sourceToolAssistantUUID": asked});
        if self.agent.is_none() {
            // A sub-agent's record has only what the model was shown.
            more["toolUseResult"] = outcome;
        }
        self.user(block, more);
        let batch = json!({"tool_name": name, "tool_input": input, "tool_use_id": id, "tool_response": content});
        self.call_hook("PostToolBatch", json!({"tool_calls": [batch]}));
        self.write_hook_context("PostToolUse");
    }

    fn returned_by_write(&self, write: &Write) -> Returned {
        let path = format!("{}/{}", self.tape.cwd(), write.path);
        Returned {
            content: json!(format!("File created successfully at: {path}")),
            outcome: json!({
                "type": "create", "filePath": path, "content": format!("{}\n", write.line), "structuredPatch": [],
                "originalFile": null, "userModified": false,
            }),
            is_error: false,
        }
    }

    /// An agent with a file of its own; it ends before its sender goes on.
    fn returned_by_agent(&mut self, agent: &Agent, id: &str) -> Returned {
        let name = format!("a{}", self.tape.hex(16));
        let directory = self.file.strip_suffix(".jsonl").expect("a session file").to_owned();
        let meta = format!("{directory}/subagents/agent-{name}.meta.json");
        let about = json!({"agentType": "general-purpose", "toolUseId": id});
        self.tape.file(&meta, about.to_string());
        let mut child = Session {
            file: format!("{directory}/subagents/agent-{name}.jsonl"),
            session: self.session.clone(),
            agent: Some(name.clone()),
            sent_by: Some(id.to_owned()),
            prompt_id: self.prompt_id.clone(),
            parent: None,
            has_begun: true,
            past: Vec::new(),
            manner: self.manner,
            run: self.run,
            turns: 0,
            cost: 0,
            tape: self.tape,
        };
        child.work(agent);
        let content = json!([{"type": "text", "text": agent.answer}]);
        Returned {
            content: content.clone(),
            outcome: json!({
                "status": "completed", "prompt": agent.task, "agentId": name, "agentType": "general-purpose",
                "content": content, "totalDurationMs": 381, "totalTokens": 120, "totalToolUseCount": agent.runs.len(),
                "usage": super::records::usage((100, 20)),
            }),
            is_error: false,
        }
    }

    /// What an agent does.
    fn work(&mut self, agent: &Agent) {
        self.call_hook("SubagentStart", json!({}));
        self.user(json!(agent.task), json!({}));
        for run in &agent.runs {
            let call = Call::Run(run.clone());
            let (id, block) = self.tool_use(&call);
            let message = format!("msg_{}", self.tape.hex(24));
            self.write_request();
            let asked = self.write_block(&message, &block, 0, "tool_use", (100, 20));
            self.run_call(&call, &id, &asked);
        }
        let message = format!("msg_{}", self.tape.hex(24));
        let block = json!({"type": "text", "text": agent.answer});
        self.write_block(&message, &block, 0, "end_turn", (100, 20));
        let stop = json!({
            "permission_mode": "default", "stop_hook_active": false, "last_assistant_message": agent.answer,
            "agent_transcript_path": self.tape.path_of(&self.file), "background_tasks": [], "session_crons": [],
        });
        self.call_hook("SubagentStop", stop);
    }
}

fn returned_by_run(run: &Run) -> Returned {
    if run.exit_code == 0 {
        let shown = if run.output.is_empty() { "(Bash completed with no output)" } else { &run.output };
        return Returned {
            content: json!(shown),
            outcome: json!({
                "stdout": run.output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
            }),
            is_error: false,
        };
    }
    let after = if run.output.is_empty() { String::new() } else { format!("\n{}", run.output) };
    let content = format!("Exit code {}{after}", run.exit_code);
    Returned { outcome: json!(format!("Error: {content}")), content: json!(content), is_error: true }
}
