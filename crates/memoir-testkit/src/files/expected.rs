//! What a journal must hold of a scenario.

use super::scenario::{Agent, Call, End, Manner, Reply, Run, Scenario, Turn, Write};
use crate::Client;

/// One thing that a journal must hold, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// Its session: 0 for the first, 1 for its fork.
    pub session: usize,
    /// Its kind, as memoir calls it.
    pub kind: &'static str,
    /// What it says, as far as every client says it alike.
    pub text: String,
    /// Who can know of it.
    pub ways: Vec<Way>,
}

/// A way of capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Session files.
    History,
    /// Hook calls.
    Hooks,
    /// What the client prints.
    Stream,
}

use Way::{History, Hooks, Stream};

/// Everything that a journal must hold of a scenario, in the order in which session files have it.
pub fn expected(client: Client, scenario: &Scenario) -> Vec<Thing> {
    let mut book = Book { client, manner: scenario.manner, session: 0, cost: 0, things: Vec::new() };
    book.turns(&scenario.turns);
    if let Some(fork) = &scenario.fork {
        book.session = 1;
        book.cost = 0;
        book.turns(&fork.turns);
    }
    book.things
}

struct Book {
    client: Client,
    manner: Manner,
    session: usize,
    cost: u32,
    things: Vec<Thing>,
}

impl Book {
    fn add(&mut self, kind: &'static str, text: impl Into<String>, ways: &[Way]) {
        let mut ways = ways.to_vec();
        if self.manner == Manner::Typed {
            ways.retain(|way| *way != Stream);
        }
        self.things.push(Thing { session: self.session, kind, text: text.into().trim().to_owned(), ways });
    }

    fn turns(&mut self, turns: &[Turn]) {
        self.add("session_started", "session", &[History, Hooks, Stream]);
        turns.iter().for_each(|turn| self.turn(turn));
        if (self.client, self.manner) == (Client::Claude, Manner::Typed) {
            self.cost += 5;
            self.add("usage", cost(self.cost), &[History]);
        }
    }

    fn turn(&mut self, turn: &Turn) {
        if self.manner == Manner::Typed {
            self.compaction(turn);
        }
        let kind = if turn.prompt == "ok" { "context" } else { "user_message" };
        self.add(kind, &turn.prompt, &[History, Hooks, Stream]);
        if self.manner == Manner::Printed {
            self.compaction(turn);
        }
        turn.replies.iter().for_each(|reply| self.reply(reply));
        self.end(turn);
        if (self.client, self.manner) == (Client::Claude, Manner::Printed) {
            self.cost += 3;
            let ways: &[Way] = if matches!(turn.end, End::Interrupt) { &[History] } else { &[History, Stream] };
            self.add("usage", cost(self.cost), ways);
        }
    }

    fn compaction(&mut self, turn: &Turn) {
        let Some(summary) = &turn.compaction else { return };
        match (self.client, self.manner) {
            (Client::Codex, _) => {
                self.add("usage", "100/20", &[History]);
                self.add("session_summary", summary, &[History, Hooks]);
            }
            (Client::Claude, Manner::Printed) => self.add("session_summary", summary, &[History, Hooks]),
            (Client::Claude, Manner::Typed) => {
                self.add("session_summary", summary, &[History, Hooks]);
                self.add("context", "/compact", &[History]);
                self.add("context", "Compacted", &[History]);
            }
            (Client::Gemini, Manner::Typed) => {
                self.add("context", "/compress", &[History]);
                self.summary(summary);
            }
            (Client::Gemini, Manner::Printed) => self.summary(summary),
        }
    }

    /// Gemini CLI writes a summary again whenever it writes its messages anew: in the same words it is the same.
    fn summary(&mut self, text: &str) {
        let is_it = |thing: &Thing| {
            (thing.session, thing.kind, thing.text.as_str()) == (self.session, "session_summary", text.trim())
        };
        if !self.things.iter().any(is_it) {
            self.add("session_summary", text, &[History]);
        }
    }

    fn end(&mut self, turn: &Turn) {
        match (&turn.end, self.client) {
            (End::Answer(reply), client) => {
                self.reply(reply);
                match client {
                    Client::Codex => self.add("turn_completed", "completed", &[History, Stream]),
                    Client::Claude if self.manner == Manner::Typed => {
                        self.add("turn_completed", "completed", &[History]);
                    }
                    Client::Claude | Client::Gemini => self.add("turn_completed", "completed", &[Stream]),
                }
            }
            (End::Failure(error), Client::Codex) => {
                self.add("error", error, &[History, Hooks, Stream]);
                self.add("turn_completed", "failed", &[History]);
            }
            (End::Failure(error), Client::Claude) => {
                let ways: &[Way] = if self.manner == Manner::Typed { &[History, Hooks] } else { &[History, Stream] };
                self.add("error", error, ways);
                if self.manner == Manner::Printed {
                    self.add("turn_completed", "failed", &[Stream]);
                }
            }
            (End::Failure(error), Client::Gemini) => {
                let ways: &[Way] = if self.manner == Manner::Typed { &[History] } else { &[Stream] };
                self.add("error", error, ways);
                self.add("turn_completed", "failed", &[Stream]);
            }
            (End::Interrupt, Client::Codex) => self.add("turn_completed", "interrupted", &[History, Hooks]),
            (End::Interrupt, _) => self.add("turn_completed", "interrupted", &[History]),
        }
    }

    fn reply(&mut self, reply: &Reply) {
        let heard: &[Way] = if self.client == Client::Gemini { &[History] } else { &[History, Stream] };
        if let Some(thought) = &reply.thought {
            self.add("reasoning", thought, heard);
        }
        match self.client {
            Client::Codex => {
                self.texts(&reply.texts);
                reply.calls.iter().for_each(|call| self.asked(call));
                self.usage(reply.tokens);
                reply.calls.iter().for_each(|call| self.returned(call));
            }
            Client::Claude => {
                self.texts(&reply.texts);
                reply.calls.iter().for_each(|call| self.asked(call));
                reply.calls.iter().for_each(|call| self.returned(call));
                self.usage(reply.tokens);
            }
            Client::Gemini => {
                if !reply.texts.is_empty() {
                    self.add("assistant_message", reply.texts.join("\n\n"), &[History, Stream]);
                }
                self.usage(reply.tokens);
                for call in &reply.calls {
                    self.asked(call);
                    self.returned(call);
                }
            }
        }
    }

    fn texts(&mut self, texts: &[String]) {
        texts.iter().for_each(|text| self.add("assistant_message", text, &[History, Hooks, Stream]));
    }

    fn usage(&mut self, (input, output): (u32, u32)) {
        self.add("usage", format!("{input}/{output}"), &[History]);
    }

    fn asked(&mut self, call: &Call) {
        let text = match call {
            Call::Run(run) => format!("run {}", run.command),
            Call::Write(write) => format!("write {}", write.path),
            Call::Agent(agent) => format!("agent {}", agent.task),
        };
        // Codex prints what a command or a patch did, and nothing of the call of an agent.
        let ways: &[Way] = match (self.client, call) {
            (Client::Codex, Call::Run(_)) => &[History, Hooks, Stream],
            (Client::Codex, _) => &[History, Hooks],
            _ => &[History, Hooks, Stream],
        };
        self.add("tool_call", text, ways);
    }

    fn returned(&mut self, call: &Call) {
        match call {
            Call::Run(run) => self.ran(run),
            Call::Write(write) => self.wrote(write),
            Call::Agent(agent) => self.sent(agent),
        }
    }

    fn ran(&mut self, run: &Run) {
        let all = [History, Hooks, Stream];
        let command = format!("{} -> {}", run.command, run.exit_code);
        if self.client == Client::Codex {
            self.add("command", &command, &all);
            self.add("tool_result", &run.output, &all);
        } else {
            self.add("tool_result", &run.output, &all);
            self.add("command", &command, &all);
        }
    }

    fn wrote(&mut self, write: &Write) {
        let path = &write.path;
        let change = format!("add {path}");
        match self.client {
            Client::Codex => {
                self.add("file_change", change, &[History, Hooks, Stream]);
                let told = format!("Success. Updated the following files:\nA {path}");
                self.add("tool_result", told, &[History, Hooks]);
            }
            Client::Claude => {
                self.add("tool_result", format!("add {path}"), &[History, Hooks, Stream]);
                self.add("file_change", change, &[History, Hooks, Stream]);
            }
            Client::Gemini => {
                let told = format!("Successfully created and wrote to new file: {path}.");
                self.add("tool_result", told, &[History, Hooks, Stream]);
                self.add("file_change", change, &[History, Hooks, Stream]);
            }
        }
    }

    /// What an agent did, and what its sender was told.
    fn sent(&mut self, agent: &Agent) {
        let client = self.client;
        let (seen, told): (&[Way], &[Way]) = match client {
            Client::Codex | Client::Gemini => (&[History], &[History, Hooks]),
            Client::Claude => (&[History, Stream], &[History, Hooks, Stream]),
        };
        let started: &[Way] = if client == Client::Gemini { &[History] } else { told };
        self.add("session_started", "agent", started);
        self.add("context", &agent.task, seen);
        for run in &agent.runs {
            self.agents_run(run);
        }
        let answered: &[Way] = if client == Client::Gemini { &[History] } else { told };
        self.add("assistant_message", &agent.answer, answered);
        if client != Client::Gemini {
            self.add("usage", "100/20", &[History]);
        }
        match client {
            Client::Codex => {
                self.add("turn_completed", "completed", &[History]);
                self.add("tool_result", "spawned", &[History, Hooks]);
            }
            Client::Claude => self.add("tool_result", &agent.answer, &[History, Hooks, Stream]),
            Client::Gemini => {
                let text =
                    format!("Subagent 'generalist' finished.\nTermination Reason: GOAL\nResult:\n{}", agent.answer);
                self.add("tool_result", text, &[History, Hooks, Stream]);
            }
        }
    }

    fn agents_run(&mut self, run: &Run) {
        let ways: &[Way] = if self.client == Client::Claude { &[History, Hooks, Stream] } else { &[History, Hooks] };
        let from = self.things.len();
        match self.client {
            Client::Gemini => {
                self.usage((100, 20));
                self.add("tool_call", format!("run {}", run.command), ways);
                self.ran(run);
            }
            Client::Codex | Client::Claude => {
                self.add("tool_call", format!("run {}", run.command), ways);
                self.usage((100, 20));
                self.ran(run);
            }
        }
        // The stream of Codex and Gemini shows nothing of what an agent does.
        for thing in self.things.iter_mut().skip(from).filter(|_| self.client != Client::Claude) {
            thing.ways.retain(|way| *way != Stream);
        }
    }
}

fn cost(thousandths: u32) -> String {
    format!("cost {}", f64::from(thousandths) / 1000.0)
}
