//! Calls of tools, and the threads of agents that are sent.

use super::Session;
use crate::files::scenario::{Agent, Call, Manner, Run, Write};
use crate::files::tape::file_time;
use serde_json::{Value, json};

impl Session<'_> {
    /// What the model asks for; gives the call's id.
    pub(super) fn write_call(&mut self, call: &Call) -> String {
        let (id, item) = (format!("call_{}", self.tape.hex(24)), self.tape.hex(24));
        let passthrough = json!({"turn_id": self.turn});
        let function = |name: &str, arguments: Value| {
            json!({
                "type": "function_call", "status": "completed", "id": format!("fc_{item}"), "name": name,
                "arguments": arguments.to_string(), "call_id": id,
                "internal_chat_message_metadata_passthrough": passthrough,
            })
        };
        let payload = match call {
            Call::Run(run) => function("exec_command", json!({"cmd": run.command})),
            Call::Write(write) => json!({
                "type": "custom_tool_call", "id": format!("ctc_{item}"), "status": "completed", "call_id": id,
                "name": "apply_patch", "input": patch(write),
                "internal_chat_message_metadata_passthrough": passthrough,
            }),
            Call::Agent(agent) => {
                let mut call = function("spawn_agent", json!({"message": agent.task, "fork_context": false}));
                call["namespace"] = json!("multi_agent_v1");
                call
            }
        };
        self.write("response_item", &payload, Some(json!({"client_authored": false})));
        id
    }

    /// What a call does, and what the model is told of it.
    pub(super) fn run_call(&mut self, call: &Call, id: &str) {
        let (name, input) = match call {
            Call::Run(run) => ("Bash", json!({"command": run.command})),
            Call::Write(write) => ("apply_patch", json!({"command": patch(write)})),
            Call::Agent(agent) => ("multi_agent_v1spawn_agent", json!({"message": agent.task, "fork_context": false})),
        };
        let asked = json!({"tool_name": name, "tool_input": input, "tool_use_id": id});
        self.call_hook("PreToolUse", asked.clone());
        self.tape.wait(30);
        let (told, response) = match call {
            Call::Run(run) => self.command(run, id),
            Call::Write(write) => self.patch(write, id),
            Call::Agent(agent) => self.agent(agent, id),
        };
        let mut done = asked;
        done["tool_response"] = response;
        self.call_hook("PostToolUse", done);
        self.write_output(call, id, &told);
    }

    fn write_output(&mut self, call: &Call, id: &str, told: &str) {
        let (kind, start) = match call {
            Call::Write(_) => ("custom_tool_call_output", "ctco"),
            Call::Run(_) | Call::Agent(_) => ("function_call_output", "fco"),
        };
        let output = json!({
            "type": kind, "id": format!("{start}_{}", self.tape.uuid7()), "call_id": id, "output": told,
            "internal_chat_message_metadata_passthrough": {"turn_id": self.turn, "create_time": 1_794_964_982.155_f64},
        });
        let metadata = json!({"client_authored": false, "fallback_token_limit_override": 12_000});
        self.write("response_item", &output, Some(metadata));
    }

    fn command(&mut self, run: &Run, id: &str) -> (String, Value) {
        let status = if run.exit_code == 0 { "completed" } else { "failed" };
        let output = if run.output.is_empty() { String::new() } else { format!("{}\n", run.output) };
        let shown = super::exec::command_line(&run.command);
        self.show_started(&json!({
            "type": "command_execution", "command": shown, "aggregated_output": "", "exit_code": null,
            "status": "in_progress",
        }));
        self.completed(&json!({
            "type": "CommandExecution", "id": id, "process_id": "29770",
            "command": ["/bin/bash", "-lc", run.command], "cwd": format!("file://{}", self.tape.cwd()),
            "parsed_cmd": [{"type": "unknown", "cmd": run.command}], "source": "unified_exec_startup",
            "status": status, "aggregated_output": output, "exit_code": run.exit_code,
            "duration": {"secs": 0, "nanos": 14_660},
        }));
        self.show_item(&json!({
            "type": "command_execution", "command": shown, "aggregated_output": output, "exit_code": run.exit_code,
            "status": status,
        }));
        let told = format!(
            "Chunk ID: {}\nWall time: 0.0000 seconds\nProcess exited with code {}\nOriginal token count: 2\nOutput:\n{output}",
            self.tape.hex(6),
            run.exit_code
        );
        (told, json!(output))
    }

    fn patch(&mut self, write: &Write, id: &str) -> (String, Value) {
        let path = format!("{}/{}", self.tape.cwd(), write.path);
        let changes = json!([{"path": path, "kind": "add"}]);
        self.show_started(&json!({"type": "file_change", "changes": changes, "status": "in_progress"}));
        let stdout = format!("Success. Updated the following files:\nA {}\n", write.path);
        self.completed(&json!({
            "type": "FileChange", "id": id, "changes": {path: {"type": "add", "content": format!("{}\n", write.line)}},
            "status": "completed", "stdout": stdout, "stderr": "",
        }));
        self.show_item(&json!({"type": "file_change", "changes": changes, "status": "completed"}));
        let told = format!("Exit code: 0\nWall time: 0 seconds\nOutput:\n{stdout}");
        (told.clone(), json!(told))
    }

    /// Another thread with a file of its own; it ends before its sender goes on.
    fn agent(&mut self, agent: &Agent, id: &str) -> (String, Value) {
        let thread = self.tape.uuid7();
        let time = file_time(self.tape.at_ms);
        let (day, _) = time.split_once('T').expect("a day and a time");
        let mut child = Session {
            file: format!(".codex/sessions/{}/rollout-{time}-{thread}.jsonl", day.replace('-', "/")),
            thread: thread.clone(),
            root: self.root.clone(),
            turn: self.tape.uuid7(),
            ordinal: 0,
            is_agent: true,
            has_begun: false,
            manner: Manner::Typed,
            run: 0,
            shown: 0,
            tokens: [(0, 0); 2],
            tape: self.tape,
        };
        let spawned = json!({"thread_spawn": {"parent_thread_id": self.thread, "depth": 1}});
        child.write_meta(&json!({
            "parent_thread_id": self.thread, "source": {"subagent": spawned}, "thread_source": "subagent",
        }));
        child.work(agent);
        let (sender, states) = (self.thread.clone(), json!({thread.clone(): {"status": "completed"}}));
        let called = |kind: &str| {
            json!({
                "type": kind, "tool": "spawn_agent", "status": "completed", "sender_thread_id": sender,
                "receiver_thread_ids": [thread], "prompt": agent.task, "agents_states": states,
            })
        };
        let mut item = called("CollabAgentToolCall");
        item["id"] = json!(id);
        self.completed(&item);
        self.show_item(&called("collab_tool_call"));
        let status = json!({"agent_path": thread, "status": {"completed": agent.answer}});
        self.write_notification(&format!("<subagent_notification>\n{status}\n</subagent_notification>"));
        let told = json!({"agent_id": thread, "nickname": "Lagrange"}).to_string();
        (told.clone(), json!(told))
    }

    /// What an agent does in its own thread.
    fn work(&mut self, agent: &Agent) {
        self.write_turn_start();
        self.has_begun = true;
        self.call_hook("SubagentStart", json!({}));
        self.write_user(&agent.task);
        for run in &agent.runs {
            let call = Call::Run(run.clone());
            let id = self.write_call(&call);
            self.write_usage((100, 20));
            self.run_call(&call, &id);
        }
        self.write_answer(&agent.answer);
        self.write_usage((100, 20));
        self.call_hook("SubagentStop", json!({"stop_hook_active": false, "last_assistant_message": agent.answer}));
        self.write_task_complete(Some(&agent.answer), None);
    }
}

fn patch(write: &Write) -> String {
    format!("*** Begin Patch\n*** Add File: {}\n+{}\n*** End Patch\n", write.path, write.line)
}
