//! Codex CLI 0.166: its session files, its hook calls, and what `codex exec --json` prints.

mod exec;
mod hooks;
mod lines;
mod old;
mod tools;

pub(super) use old::in_old_form;

use super::scenario::{End, Manner, Reply, Scenario, Turn};
use super::tape::{Recording, Tape, file_time};
use crate::Client;
use serde_json::{Value, json};
use std::path::Path;

/// Spells a scenario.
pub(super) fn record(scenario: &Scenario, home: &Path) -> Recording {
    let mut tape = Tape::new(scenario.number, home);
    let mut session = Session::begin(&mut tape, scenario.manner);
    session.write_meta(&json!({}));
    let mut marks = Vec::new();
    for turn in &scenario.turns {
        session.turn(turn);
        marks.push(session.ordinal);
    }
    session.leave();
    let (parent, runs) = (session.thread.clone(), session.run);
    if let Some(fork) = &scenario.fork {
        tape.wait(5_000);
        let ordinal = fork.after.checked_sub(1).and_then(|last| marks.get(last)).copied().unwrap_or(1);
        let mut session = Session { ordinal, run: runs, ..Session::begin(&mut tape, scenario.manner) };
        session.write_meta(&json!({
            "forked_from_id": parent, "forked_from_ordinal_exclusive": ordinal,
            "history_base": {"thread_id": parent, "end_ordinal_exclusive": ordinal, "end_byte_offset": 40_115},
        }));
        // Whoever goes on reads what was said before.
        session.tape.wait(2_000);
        fork.turns.iter().for_each(|turn| session.turn(turn));
        session.leave();
    }
    tape.into_recording(Client::Codex)
}

/// A thread and its file.
struct Session<'t> {
    tape: &'t mut Tape,
    manner: Manner,
    file: String,
    thread: String,
    /// The session that a sub-agent belongs to; of any other thread its own id.
    root: String,
    /// The present turn.
    turn: String,
    ordinal: u64,
    is_agent: bool,
    has_begun: bool,
    /// Runs of `codex exec` so far, and what the present one has shown.
    run: usize,
    shown: usize,
    /// Tokens of the turn and of the thread.
    tokens: [(u32, u32); 2],
}

impl<'t> Session<'t> {
    fn begin(tape: &'t mut Tape, manner: Manner) -> Session<'t> {
        let thread = tape.uuid7();
        tape.begin(&thread);
        let time = file_time(tape.at_ms);
        let (day, _) = time.split_once('T').expect("a day and a time");
        let file = format!(".codex/sessions/{}/rollout-{time}-{thread}.jsonl", day.replace('-', "/"));
        Session {
            tape,
            manner,
            file,
            root: thread.clone(),
            thread,
            turn: String::new(),
            ordinal: 0,
            is_agent: false,
            has_begun: false,
            run: 0,
            shown: 0,
            tokens: [(0, 0); 2],
        }
    }

    fn turn(&mut self, turn: &Turn) {
        self.tape.wait(i64::from(turn.pause_s) * 1000);
        let is_start = !self.has_begun || self.manner == Manner::Printed;
        self.turn = self.tape.uuid7();
        self.tokens[0] = (0, 0);
        self.show_start();
        self.write_turn_start();
        if is_start {
            let source = if self.has_begun { "resume" } else { "startup" };
            self.call_hook("SessionStart", json!({"source": source}));
            self.write_hook_context();
        }
        self.has_begun = true;
        let prompt = turn.whole_prompt();
        self.call_hook("UserPromptSubmit", json!({"prompt": prompt}));
        self.write_user(&prompt);
        self.write_hook_context();
        if let Some(summary) = &turn.compaction {
            self.compact(summary);
        }
        for reply in &turn.replies {
            self.reply(reply);
        }
        self.end(turn);
        self.run += usize::from(self.manner == Manner::Printed);
        if self.manner == Manner::Printed {
            self.call_hook("SessionEnd", json!({"reason": "other"}));
        }
    }

    fn end(&mut self, turn: &Turn) {
        match &turn.end {
            End::Answer(reply) => {
                self.reply(reply);
                let last = json!({"stop_hook_active": false, "last_assistant_message": turn.last_text()});
                self.call_hook("Stop", last);
                self.write_task_complete(turn.last_text(), None);
                self.show_end();
            }
            End::Failure(error) => {
                let failed = json!({"status": "failed", "error": error, "token_usage": null});
                self.call_hook("PostModelRequest", failed);
                self.write_task_complete(None, Some(error));
                self.show(&json!({"type": "error", "message": error}));
                self.show(&json!({"type": "turn.failed", "error": {"message": error}}));
            }
            End::Interrupt => {
                self.write_aborted();
                self.call_hook("Interrupt", json!({}));
            }
        }
    }

    /// One answer of the model and everything that it has done.
    fn reply(&mut self, reply: &Reply) {
        self.call_hook("PreModelRequest", json!({}));
        self.tape.wait(40);
        if let Some(thought) = &reply.thought {
            self.write_thought(thought);
            self.show_item(&json!({"type": "reasoning", "text": thought}));
        }
        for text in &reply.texts {
            self.write_answer(text);
            self.show_item(&json!({"type": "agent_message", "text": text}));
        }
        let calls: Vec<String> = reply.calls.iter().map(|call| self.write_call(call)).collect();
        self.write_usage(reply.tokens);
        let usage = lines::usage(reply.tokens);
        self.call_hook("PostModelRequest", json!({"status": "completed", "error": null, "token_usage": usage}));
        for (call, id) in reply.calls.iter().zip(&calls) {
            self.run_call(call, id);
        }
        self.write_token_count(reply.tokens);
    }

    /// The user leaves the terminal.
    fn leave(&mut self) {
        if self.manner == Manner::Typed && self.has_begun {
            self.call_hook("SessionEnd", json!({"reason": "other"}));
        }
    }

    fn event(&mut self, payload: &Value) {
        self.write("event_msg", payload, None);
    }

    fn item(&mut self, payload: &Value) {
        self.write("response_item", payload, None);
    }

    fn write(&mut self, kind: &str, payload: &Value, metadata: Option<Value>) {
        let mut line = json!({
            "timestamp": self.tape.now(), "ordinal": self.ordinal, "type": kind, "payload": payload,
        });
        if let Some(metadata) = metadata {
            line["metadata"] = metadata;
        }
        self.ordinal += 1;
        self.tape.line(&self.file, &line);
    }

    /// An item of the turn, as the client tells it to whoever watches.
    fn completed(&mut self, item: &Value) {
        let at_ms = self.tape.at_ms;
        let payload = json!({
            "type": "item_completed", "thread_id": self.thread, "turn_id": self.turn, "item": item,
            "started_at_ms": at_ms, "completed_at_ms": at_ms,
        });
        self.event(&payload);
    }
}
