//! Gemini CLI 0.61: its chats, its log of prompts, its hook calls, and what `gemini -o stream-json` prints.

mod chat;
mod hooks;
mod old;
mod stream;
mod tools;

pub(super) use old::in_old_form;

use super::scenario::{End, Manner, Reply, Scenario, Turn};
use super::tape::{Recording, Tape};
use crate::Client;
use serde_json::{Value, json};
use std::path::Path;

/// Spells a scenario. A fork has no counterpart: it is a session of its own.
pub(super) fn record(scenario: &Scenario, home: &Path) -> Recording {
    let mut tape = Tape::new(scenario.number, home);
    let project = format!(".gemini/tmp/work-{}", scenario.number);
    let cwd = tape.cwd();
    tape.file(&format!("{project}/.project_root"), cwd);
    let mut log = Vec::new();
    let mut session = Session::begin(&mut tape, scenario.manner, &project);
    scenario.turns.iter().for_each(|turn| session.turn(turn, &mut log));
    session.leave();
    let runs = session.run;
    if let Some(fork) = &scenario.fork {
        tape.wait(70_000);
        let mut session = Session { run: runs, ..Session::begin(&mut tape, scenario.manner, &project) };
        fork.turns.iter().for_each(|turn| session.turn(turn, &mut log));
        session.leave();
    }
    tape.into_recording(Client::Gemini)
}

/// A session, or an agent in it, and its chat.
struct Session<'t> {
    tape: &'t mut Tape,
    manner: Manner,
    project: String,
    file: String,
    session: String,
    /// The session that an agent belongs to, and its chat.
    parent: Option<(String, String)>,
    /// The messages as the client remembers them.
    messages: Vec<Value>,
    has_begun: bool,
    calls: usize,
    run: usize,
}

impl<'t> Session<'t> {
    fn begin(tape: &'t mut Tape, manner: Manner, project: &str) -> Session<'t> {
        let session = tape.uuid();
        tape.begin(&session);
        let time = super::tape::file_time(tape.at_ms);
        let file = format!("{project}/chats/session-{}-{}.jsonl", &time[..16], &session[..8]);
        Session {
            tape,
            manner,
            project: project.to_owned(),
            file,
            session,
            parent: None,
            messages: Vec::new(),
            has_begun: false,
            calls: 0,
            run: 0,
        }
    }

    fn turn(&mut self, turn: &Turn, log: &mut Vec<Value>) {
        self.tape.wait(i64::from(turn.pause_s) * 1000);
        let typed = turn.whole_prompt();
        if !self.has_begun || self.manner == Manner::Printed {
            self.write_start();
            let source = if self.has_begun { "resume" } else { "startup" };
            self.call_hook("SessionStart", json!({"source": source}));
            self.has_begun = true;
        }
        if let (Some(summary), Manner::Typed) = (&turn.compaction, self.manner) {
            self.log(log, "/compress");
            self.call_hook("PreCompress", json!({"trigger": "manual"}));
            self.compress(summary);
        }
        self.show_start(&typed);
        if self.manner == Manner::Typed {
            self.log(log, &typed);
        }
        let prompt = match self.manner {
            Manner::Printed => format!("{}\n\n{typed}", hooks::context()),
            Manner::Typed => typed,
        };
        self.call_hook("BeforeAgent", json!({"prompt": prompt}));
        self.call_hook("PreCompress", json!({"trigger": "auto"}));
        let asked = self.write_prompt(&prompt);
        if let (Some(summary), Manner::Printed) = (&turn.compaction, self.manner) {
            self.compress(summary);
        }
        for reply in &turn.replies {
            self.reply(reply);
        }
        self.end(turn, &prompt, &asked);
        if self.manner == Manner::Printed {
            self.call_hook("SessionEnd", json!({"reason": "exit"}));
            self.run += 1;
        }
    }

    fn end(&mut self, turn: &Turn, prompt: &str, asked: &str) {
        match &turn.end {
            End::Answer(reply) => {
                self.reply(reply);
                // All texts of a turn in one.
                let all = turn.replies.iter().chain([reply]);
                let said: Vec<&str> = all.flat_map(|reply| &reply.texts).map(String::as_str).collect();
                let answered = json!({
                    "prompt": prompt, "prompt_response": said.join("\n"), "stop_hook_active": false,
                });
                self.call_hook("AfterAgent", answered);
                self.show_end(None);
            }
            End::Failure(error) => {
                if self.manner == Manner::Typed {
                    self.message("error", json!(error), &json!({}));
                }
                self.messages.retain(|message| message["id"] != asked);
                self.write_messages();
                self.show_end(Some(error));
            }
            End::Interrupt => {
                self.message("info", json!("Request cancelled."), &json!({}));
            }
        }
    }

    /// One answer of the model and everything that it has done.
    fn reply(&mut self, reply: &Reply) {
        self.call_hook("BeforeModel", json!({"llm_request": {"model": "gemini-3.8-flash", "messages": []}}));
        self.tape.wait(40);
        for (at, text) in reply.texts.iter().enumerate() {
            let between = if at + 1 < reply.texts.len() { "\n\n" } else { "" };
            self.show_piece(&format!("{text}{between}"));
        }
        let thoughts: Vec<Value> = reply
            .thought
            .iter()
            .map(|thought| json!({"subject": "", "description": thought, "timestamp": self.tape.now()}))
            .collect();
        let (input, output) = reply.tokens;
        let about = json!({
            "thoughts": thoughts,
            "tokens": {
                "input": input, "output": output, "cached": 0, "thoughts": 0, "tool": 0, "total": input + output,
            },
            "model": "gemini-3.8-flash",
        });
        let id = self.message("gemini", json!(reply.texts.join("\n\n")), &about);
        if !reply.calls.is_empty() {
            self.run_calls(&reply.calls, &id);
        }
    }

    /// The user leaves the terminal, which the client tells three times.
    fn leave(&mut self) {
        if self.manner == Manner::Typed && self.has_begun {
            (0..3).for_each(|_| self.call_hook("SessionEnd", json!({"reason": "exit"})));
        }
    }
}
