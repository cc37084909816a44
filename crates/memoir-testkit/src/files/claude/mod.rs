//! Claude Code 2.1.325: its session files, its hook calls, and what `claude -p --output-format stream-json` prints.

mod fork;
mod hooks;
mod records;
mod stream;
mod tools;

use super::scenario::{End, Manner, Reply, Scenario, Turn};
use super::tape::{Recording, Tape};
use crate::Client;
use serde_json::{Value, json};
use std::path::Path;

/// Spells a scenario.
pub(super) fn record(scenario: &Scenario, home: &Path) -> Recording {
    let mut tape = Tape::new(scenario.number, home);
    let mut session = Session::begin(&mut tape, scenario.manner);
    let mut marks = Vec::new();
    for turn in &scenario.turns {
        session.turn(turn);
        marks.push(session.tape.beats().len());
    }
    session.leave();
    let (parent, runs) = (session.file.clone(), session.run);
    if let Some(fork) = &scenario.fork {
        tape.wait(5_000);
        let end = fork.after.checked_sub(1).and_then(|last| marks.get(last)).copied().unwrap_or(0);
        let past = fork::past(&tape, &parent, end);
        let mut session = Session { run: runs, ..Session::begin(&mut tape, scenario.manner) };
        session.begin_fork(past);
        fork.turns.iter().for_each(|turn| session.turn(turn));
        session.leave();
    }
    tape.into_recording(Client::Claude)
}

/// A session, or an agent in it, and its file.
struct Session<'t> {
    tape: &'t mut Tape,
    manner: Manner,
    file: String,
    session: String,
    /// The agent, if it is one.
    agent: Option<String>,
    /// The call that sent the agent.
    sent_by: Option<String>,
    /// The present turn.
    prompt_id: String,
    /// The record before.
    parent: Option<String>,
    has_begun: bool,
    /// Lines of another session that this one begins with.
    past: Vec<Value>,
    run: usize,
    turns: usize,
    /// Thousandths of a dollar.
    cost: u32,
}

impl<'t> Session<'t> {
    fn begin(tape: &'t mut Tape, manner: Manner) -> Session<'t> {
        let session = tape.uuid();
        tape.begin(&session);
        let slug: String = tape.cwd().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Session {
            file: format!(".claude/projects/{slug}/{session}.jsonl"),
            tape,
            manner,
            session,
            agent: None,
            sent_by: None,
            prompt_id: String::new(),
            parent: None,
            has_begun: false,
            past: Vec::new(),
            run: 0,
            turns: 0,
            cost: 0,
        }
    }

    fn turn(&mut self, turn: &Turn) {
        self.tape.wait(i64::from(turn.pause_s) * 1000);
        let prompt = turn.whole_prompt();
        let is_start = !self.has_begun || self.manner == Manner::Printed;
        if is_start {
            let source = match (self.has_begun, self.past.is_empty()) {
                (true, _) => "resume",
                (false, true) => "startup",
                (false, false) => "fork",
            };
            self.call_hook("SessionStart", json!({"source": source}));
            self.show_start();
        }
        if let (Some(summary), Manner::Typed) = (&turn.compaction, self.manner) {
            self.write_past();
            self.compact(summary, "manual");
        }
        self.turns += 1;
        let forked = (!self.past.is_empty()).then(|| self.prompt_id.clone());
        self.prompt_id = forked.unwrap_or_else(|| self.tape.uuid());
        self.call_hook("UserPromptSubmit", json!({"permission_mode": "default", "prompt": prompt}));
        self.write_notes(&prompt);
        self.write_past();
        self.has_begun = true;
        self.write_prompt(&prompt);
        self.write_hook_context("UserPromptSubmit");
        if let (Some(summary), Manner::Printed) = (&turn.compaction, self.manner) {
            self.compact(summary, "auto");
        }
        for reply in &turn.replies {
            self.reply(reply, "tool_use");
        }
        self.end(turn);
        self.write_ends(&prompt);
        if self.manner == Manner::Printed {
            self.cost += 3;
            self.write_cost();
            self.show_end(turn);
            self.call_hook("SessionEnd", json!({"reason": "other"}));
            self.run += 1;
        }
    }

    /// The copy that a fork begins with.
    fn write_past(&mut self) {
        for line in std::mem::take(&mut self.past) {
            self.tape.line(&self.file, &line);
        }
    }

    fn end(&mut self, turn: &Turn) {
        match &turn.end {
            End::Answer(reply) => self.answer(reply),
            End::Failure(error) => {
                self.write_failure(error);
                if self.manner == Manner::Typed {
                    let failed = json!({"error": "unknown", "last_assistant_message": error});
                    self.call_hook("StopFailure", failed);
                }
            }
            End::Interrupt => {
                let content = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
                self.user(content, json!({"interruptedMessageId": "msg_of_before"}));
            }
        }
    }

    /// The last answer: the file has it before the hook is called, or only after.
    fn answer(&mut self, reply: &Reply) {
        let last = reply.texts.last();
        let stop = json!({
            "permission_mode": "default", "stop_hook_active": false, "last_assistant_message": last,
            "background_tasks": [], "session_crons": [],
        });
        if self.turns.is_multiple_of(2) {
            self.call_hook("Stop", stop);
            self.reply(reply, "end_turn");
        } else {
            self.reply(reply, "end_turn");
            self.call_hook("Stop", stop);
        }
        self.system("stop_hook_summary", json!({"hookCount": 1, "hookErrors": [], "preventedContinuation": false}));
        if self.manner == Manner::Typed {
            self.system("turn_duration", json!({"durationMs": 4005, "messageCount": 33, "isMeta": false}));
        }
    }

    /// One answer of the model, a record for each block of it, and everything that it has done.
    fn reply(&mut self, reply: &Reply, stop: &str) {
        self.write_request();
        self.tape.wait(40);
        let message = format!("msg_{}", self.tape.hex(24));
        let mut blocks = Vec::new();
        if let Some(thought) = &reply.thought {
            blocks.push(json!({"type": "thinking", "thinking": thought, "signature": "AAAA"}));
        }
        blocks.extend(reply.texts.iter().map(|text| json!({"type": "text", "text": text})));
        let calls: Vec<(String, Value)> = reply.calls.iter().map(|call| self.tool_use(call)).collect();
        blocks.extend(calls.iter().map(|(_, block)| block.clone()));
        let mut asked = String::new();
        for (index, block) in blocks.iter().enumerate() {
            if block["type"] == "text" && self.agent.is_none() {
                let (turn_id, id) = (self.tape.uuid(), self.tape.uuid());
                let delta = json!({
                    "turn_id": turn_id, "message_id": id, "index": 0, "final": true, "delta": block["text"],
                });
                self.call_hook("MessageDisplay", delta);
            }
            asked = self.write_block(&message, block, index, stop, reply.tokens);
        }
        for (call, (id, _)) in reply.calls.iter().zip(&calls) {
            self.run_call(call, id, &asked);
        }
    }

    /// The user leaves the terminal.
    fn leave(&mut self) {
        if self.manner == Manner::Typed && self.has_begun {
            self.cost += 5;
            self.write_cost();
            self.call_hook("SessionEnd", json!({"reason": "prompt_input_exit"}));
        }
    }
}
