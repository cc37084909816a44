//! The stream of `gemini -o stream-json`. Answers come in pieces and have no ids; calls have theirs.

use super::tools;
use crate::boundary::Stand;
use crate::codex::Now;
use crate::lenient::{Flag, Raw, Text, Words, lenient};
use crate::out::Out;
use crate::parser::{Parser, mended, read};
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, Scene};
use crate::{shell, when};
use memoir_event::{Client, Identity, Source, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// So many calls may be on their way at once.
const CALLS_MAX: usize = 64;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    session: String,
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    calls: Vec<(String, String, String)>,
    number: u64,
    #[serde(default)]
    answer: Answer,
}

/// An answer that comes in pieces.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Answer {
    /// The pieces so far.
    text: String,
    /// How much of them is handed over.
    told: usize,
    /// When it began, in milliseconds since 1970.
    begun_ms: Option<i64>,
    /// And on which line.
    number: u64,
}

/// Reads such a stream.
pub struct ExecStream {
    state: State,
    run: String,
    scene: Scene,
    now: Option<Now>,
}

lenient! {
    struct Line<'a> {
        kind: Text<'a> = "type",
        timestamp: Raw<'a> = "timestamp",
        session_id: Text<'a> = "session_id",
        role: Text<'a> = "role",
        content: Words<'a> = "content",
        delta: Flag = "delta",
        tool_name: Text<'a> = "tool_name",
        tool_id: Text<'a> = "tool_id",
        parameters: Raw<'a> = "parameters",
        status: Text<'a> = "status",
        output: Words<'a> = "output",
        error: Failure<'a> = "error",
        message: Words<'a> = "message",
        stats: Raw<'a> = "stats",
        model: Text<'a> = "model",
    }
}

lenient! {
    struct Failure<'a> {
        message: Words<'a> = "message",
    }
}

impl ExecStream {
    /// A reader of a stream; `run` names it and is another for each.
    pub fn new(run: &str, cwd: Option<&str>, now: Option<Now>) -> ExecStream {
        ExecStream::with(State { cwd: cwd.map(str::to_owned), ..State::default() }, run, now)
    }

    /// A reader that goes on from a state.
    pub fn resume(run: &str, state: &str) -> Option<ExecStream> {
        serde_json::from_str(state).ok().map(|state| ExecStream::with(state, run, None))
    }

    fn with(state: State, run: &str, now: Option<Now>) -> ExecStream {
        let mut scene = Scene::new(Client::Gemini, Source::GeminiCliExec);
        scene.session.clone_from(&state.session);
        scene.thread.clone_from(&state.session);
        scene.cwd = state.cwd.as_deref().map(Arc::from);
        ExecStream { state, run: run.to_owned(), scene, now }
    }

    fn name(&self, what: &str) -> Identity {
        Identity::Named(format!("{}/{}/{what}", self.run, self.state.number))
    }

    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let Some(line) = read::<Line<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        self.state.number = number;
        let time = when::told(line.timestamp, out);
        let time = time.or_else(|| self.now.as_ref().map(|now| Time::from_ms(now())));
        let is_piece = line.kind.is("message") && line.role.is("assistant");
        if !is_piece {
            self.end_answer(out);
        }
        match line.kind.get() {
            Some("init") => self.init(&line, time, out),
            Some("message") if line.role.is("user") => {
                if let Some(text) = line.content.said() {
                    let name = format!("{}/{number}/prompt", self.run);
                    Maker::of_record(&self.scene, time, number, out).given_prompt(text, &name, Stand::Sent);
                }
            }
            Some("message") => {
                let answer = &mut self.state.answer;
                if answer.text.is_empty() {
                    (answer.begun_ms, answer.number) = (time.map(|time| time.ms()), number);
                }
                answer.text.push_str(line.content.get().unwrap_or_default());
                if line.delta.0 == Some(false) {
                    self.end_answer(out);
                }
            }
            Some("tool_use") => {
                let (name, arguments) =
                    (line.tool_name.said().unwrap_or("tool"), line.parameters.get().unwrap_or("{}"));
                if let Some(id) = line.tool_id.said() {
                    if self.state.calls.len() >= CALLS_MAX {
                        self.state.calls.remove(0);
                    }
                    self.state.calls.push((id.to_owned(), name.to_owned(), arguments.to_owned()));
                }
                let call = Call { id: line.tool_id.said(), name, arguments: None };
                Maker::of_record(&self.scene, time, number, out).tool_call(call, arguments);
            }
            Some("tool_result") => self.tool_result(&line, time, number, out),
            Some("error") => {
                if let Some(text) = line.message.said() {
                    let name = self.name("error");
                    Maker::of_record(&self.scene, time, number, out).error(text.to_owned(), vec![name]);
                }
            }
            Some("result") => self.result(&line, time, number, out),
            Some(kind) => {
                let name = self.name("line");
                Maker::of_record(&self.scene, time, number, out).opaque(kind, text, vec![name]);
            }
            None => out.problem("line without a type"),
        }
    }

    fn init(&mut self, line: &Line<'_>, time: Option<Time>, out: &mut Out) {
        let Some(session) = line.session_id.said() else { return };
        session.clone_into(&mut self.state.session);
        self.state.model = line.model.said().map(str::to_owned);
        self.scene.session = session.to_owned();
        self.scene.thread = session.to_owned();
        let details = Payload::new().text("thread_id", session).said("cwd", self.scene.cwd.as_deref());
        Maker::of_record(&self.scene, time, self.state.number, out).session_started(details);
    }

    fn tool_result(&mut self, line: &Line<'_>, time: Option<Time>, number: u64, out: &mut Out) {
        let Some(id) = line.tool_id.said() else {
            out.problem("result without a call");
            return;
        };
        let at = self.state.calls.iter().position(|(known, ..)| known == id);
        let (_, name, arguments) = at.map(|at| self.state.calls.remove(at)).unwrap_or_default();
        let failed = line.status.is("error");
        let text = line.error.message.said().filter(|_| failed).or_else(|| line.output.get()).unwrap_or_default();
        let told = tools::told(&name, text, failed, out);
        let of = Call { id: Some(id), name: &name, arguments: Some(&arguments) };
        let mut maker = Maker::of_record(&self.scene, time, number, out);
        maker.tool_result(of, told.output, told.exit_code, told.failed);
        if let Some(script) = shell::script_of_call(&name, &arguments) {
            let ending = Ending { exit_code: told.exit_code, status: line.status.said(), ..Ending::default() };
            maker.command(of, &script, ending);
        }
        if !failed {
            // Whether the file is new is not told here, so that this says less than the chat does, whichever comes first.
            maker.file_change(of, &tools::changes(&name, &arguments, Raw::default()), None);
        }
    }

    fn result(&mut self, line: &Line<'_>, time: Option<Time>, number: u64, out: &mut Out) {
        let status = if line.status.is("error") { "failed" } else { "completed" };
        let error = line.error.message.owned();
        let (name, error_name) = (self.name("done"), self.name("error"));
        let details = Payload::new().said("model", self.state.model.as_deref()).json("usage", line.stats.get());
        let mut maker = Maker::of_record(&self.scene, time, number, out);
        if let Some(text) = error {
            maker.error(text, vec![error_name]);
        }
        maker.end_of_turn(name, status, &details);
    }

    /// Hands over an answer up to that byte; more of it makes it the same answer, fuller.
    fn tell_answer(&mut self, end: usize, out: &mut Out) {
        let answer = &mut self.state.answer;
        let Some(text) = answer.text.get(..end).filter(|text| answer.told < end && !text.trim().is_empty()) else {
            return;
        };
        let (text, time) = (text.to_owned(), answer.begun_ms.map(Time::from_ms));
        answer.told = end;
        let name = Identity::Named(format!("{}/{}/answer", self.run, answer.number));
        Maker::of_record(&self.scene, time, answer.number, out).assistant(text, vec![name]);
    }

    /// All pieces of an answer are there.
    fn end_answer(&mut self, out: &mut Out) {
        self.tell_answer(self.state.answer.text.len(), out);
        self.state.answer = Answer::default();
    }
}

/// How much of a growing text can be handed over: half a secret is not known for one, so no word that may go on, nor a
/// key whose end is still to come.
fn whole_words(text: &str) -> usize {
    let end = text.trim_end_matches(|c: char| !c.is_whitespace()).len();
    let key = text.rfind("-----BEGIN").filter(|at| !text.split_at(*at).1.contains("-----END"));
    key.map_or(end, |at| end.min(at))
}

impl Parser for ExecStream {
    fn line(&mut self, number: u64, line: &str, out: &mut Out) {
        out.begin_record();
        self.one_line(number, &mended(line), out);
    }

    fn pause(&mut self, out: &mut Out) {
        out.begin_record();
        self.tell_answer(whole_words(&self.state.answer.text), out);
    }

    fn end(&mut self, out: &mut Out) {
        out.begin_record();
        self.end_answer(out);
    }

    fn is_settled(&self) -> bool {
        self.state.answer.told == self.state.answer.text.len()
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.state).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_growing_answer_only_whole_words_are_told_for_half_a_secret_is_not_known_for_one() {
        let said = |text: &str| format!(r#"{{"type":"message","role":"assistant","content":"{text}","delta":true}}"#);
        let (mut stream, mut out) = (ExecStream::new("run", None, None), Out::default());
        stream.line(1, r#"{"type":"init","session_id":"s","model":"m"}"#, &mut out);
        let mut told = |stream: &mut ExecStream, line: &str| {
            stream.line(2, line, &mut out);
            stream.pause(&mut out);
            std::mem::take(&mut out.events).into_iter().map(|one| one.event.content.plain().into_owned()).last()
        };
        assert_eq!(
            told(&mut stream, &said("first\\nthe token is ghp_abcdef")),
            Some("first\nthe token is ".to_owned())
        );
        assert_eq!(told(&mut stream, &said("ghij\\n-----BEGIN KEY-----\\nAAA\\n")).unwrap().lines().count(), 2);
        assert!(!stream.is_settled());
        assert!(told(&mut stream, &said("BBB\\n-----END KEY-----\\nok")).unwrap().ends_with("END KEY-----\n"));
        let mut out = Out::default();
        stream.end(&mut out);
        assert!(out.events[0].event.content.plain().ends_with("\nok"));
        assert!(stream.is_settled());
    }

    #[test]
    fn a_change_says_less_than_the_chat_does_for_nobody_tells_here_whether_the_file_is_new() {
        let (mut stream, mut out) = (ExecStream::new("run", None, None), Out::default());
        stream.line(1, r#"{"type":"init","session_id":"s","model":"m"}"#, &mut out);
        let call = r#"{"type":"tool_use","tool_name":"write_file","tool_id":"c","parameters":{"file_path":"/p/a","content":"x"}}"#;
        stream.line(2, call, &mut out);
        stream.line(3, r#"{"type":"tool_result","tool_id":"c","status":"success","output":"ok"}"#, &mut out);
        let change = out.events.iter().find(|one| one.event.kind() == memoir_event::Kind::FileChange).unwrap();
        let by_chat =
            r#"{"item":{"type":"file_change","changes":[{"path":"/p/a","kind":"add"}],"status":"completed"}}"#;
        assert!(change.event.content.verbatim().len() < by_chat.len(), "{}", change.event.content.verbatim());
    }
}
