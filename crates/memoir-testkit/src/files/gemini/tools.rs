//! Calls of tools, and agents that are sent.

use super::{Session, hooks};
use crate::files::scenario::{Agent, Call, Manner, Run, Write};
use serde_json::{Value, json};

/// What a call returned: what the model is told, what the user is shown, how it ended.
struct Returned {
    told: Value,
    shown: Value,
    /// What the stream shows; nothing for files.
    streamed: Option<String>,
}

impl Session<'_> {
    /// Runs the calls of a message; then the message is written again, or another one with the calls.
    pub(super) fn run_calls(&mut self, calls: &[Call], message: &str) {
        let mut done = Vec::new();
        let mut responses = Vec::new();
        for call in calls {
            let (id, name, args) = self.asked(call);
            self.show_call(&id, name, &args);
            self.call_hook("BeforeTool", json!({"tool_name": name, "tool_input": args}));
            self.tape.wait(30);
            let Returned { told, shown, streamed } = match call {
                Call::Run(run) => returned_by_run(run),
                Call::Write(write) => self.returned_by_write(write),
                Call::Agent(agent) => self.returned_by_agent(agent),
            };
            let response = json!({"llmContent": told, "returnDisplay": shown});
            self.call_hook("AfterTool", json!({"tool_name": name, "tool_input": args, "tool_response": response}));
            self.show_result(&id, streamed.as_deref());
            // What a hook says is added to what the model is told.
            let output = format!("{}\n\n{}", told.as_str().unwrap_or_default(), hooks::context());
            let part = json!({"functionResponse": {"id": id, "name": name, "response": {"output": output}}});
            done.push(json!({
                "id": id, "name": name, "args": args, "result": [part], "status": "success",
                "timestamp": self.tape.now(), "resultDisplay": shown, "description": name, "displayName": name,
                "renderOutputAsMarkdown": true,
            }));
            responses.push(part);
        }
        let more = json!({"toolCalls": done});
        if self.manner == Manner::Typed {
            // Something else was written in between: the calls get a message of their own.
            self.message("info", json!("a hook said something"), &json!({}));
            self.message("gemini", json!(""), &more);
        } else if let Some(known) = self.messages.iter().find(|known| known["id"] == message) {
            let mut again = known.clone();
            again["toolCalls"] = more["toolCalls"].clone();
            self.write_message(&again);
        }
        self.message("user", json!(responses), &json!({}));
    }

    fn asked(&mut self, call: &Call) -> (String, &'static str, Value) {
        let (name, args) = match call {
            Call::Run(run) => ("run_shell_command", json!({"command": run.command, "description": "run a command"})),
            Call::Write(write) => {
                ("write_file", json!({"file_path": write.path, "content": format!("{}\n", write.line)}))
            }
            Call::Agent(agent) => ("invoke_agent", json!({"agent_name": "generalist", "prompt": agent.task})),
        };
        self.calls += 1;
        let id = match self.parent {
            Some(_) => format!("{}#0-{}", self.session, self.calls),
            None => format!("{name}__{name}_{}_{}", self.tape.at_ms, self.calls),
        };
        (id, name, args)
    }

    fn returned_by_write(&self, write: &Write) -> Returned {
        let path = format!("{}/{}", self.tape.cwd(), write.path);
        Returned {
            told: json!(format!("Successfully created and wrote to new file: {path}.")),
            shown: json!({
                "fileDiff": "", "fileName": write.path, "filePath": path, "originalContent": "",
                "newContent": format!("{}\n", write.line), "isNewFile": true, "isBuildFile": false,
            }),
            streamed: None,
        }
    }

    /// An agent with a chat of its own; it ends before its sender goes on.
    fn returned_by_agent(&mut self, agent: &Agent) -> Returned {
        let session = self.tape.uuid();
        let mut child = Session {
            file: format!("{}/chats/{}/{session}.jsonl", self.project, self.session),
            session,
            parent: Some((self.session.clone(), self.file.clone())),
            project: self.project.clone(),
            manner: Manner::Printed,
            messages: Vec::new(),
            has_begun: true,
            calls: 0,
            run: 0,
            tape: self.tape,
        };
        child.work(agent);
        let told = format!("Subagent 'generalist' finished.\nTermination Reason: GOAL\nResult:\n{}", agent.answer);
        Returned { shown: json!(told), streamed: Some(told.clone()), told: json!(told) }
    }

    /// What an agent does.
    fn work(&mut self, agent: &Agent) {
        self.write_start();
        self.message("user", json!([{"text": agent.task}]), &json!({}));
        for run in &agent.runs {
            let tokens = json!({"input": 100, "output": 20, "cached": 0, "thoughts": 0, "tool": 0, "total": 120});
            let about = json!({"thoughts": [], "tokens": tokens, "model": "gemini-3.8-flash"});
            let id = self.message("gemini", json!(""), &about);
            self.run_calls(&[Call::Run(run.clone())], &id);
        }
        self.message("gemini", json!(agent.answer), &json!({"thoughts": [], "model": "gemini-3.8-flash"}));
    }
}

fn returned_by_run(run: &Run) -> Returned {
    let output = if run.output.is_empty() { "(empty)" } else { &run.output };
    let exit = if run.exit_code == 0 { String::new() } else { format!("Exit Code: {}\n", run.exit_code) };
    Returned {
        told: json!(format!(
            "<untrusted_context>\nOutput: {output}\n{exit}Process Group PGID: 3256\n</untrusted_context>"
        )),
        shown: json!(run.output),
        streamed: Some(run.output.clone()),
    }
}
