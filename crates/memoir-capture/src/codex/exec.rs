//! The stream of `codex exec --json` and of the Codex SDK, in today's form and the forms before it.
//!
//! It names no turn and gives no times, and its item ids begin anew in each run: what it shows is matched with the
//! session file by what it says.

mod old;

use self::old::OldMessage;
use super::rollout::mcp_returned;
use super::team::TeamCall;
use crate::boundary::Stand;
use crate::lenient::{Flag, List, Number, Raw, Text, Words, lenient};
use crate::out::Out;
use crate::parser::{Parser, mended, read};
use crate::patch::{Change, ChangeKind};
use crate::payload::{Payload, push_text};
use crate::scene::{Call, Ending, Maker, Scene, digest};
use crate::shell;
use memoir_event::{Client, Identity, Source, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Tells the time in milliseconds since 1970, for a stream that is read while it is written.
pub type Now = Box<dyn Fn() -> i64 + Send>;

/// So many commands may run at once.
const COMMANDS_MAX: usize = 64;

/// Reads such a stream.
pub struct ExecStream {
    scene: Scene,
    state: State,
    /// Tells runs apart: item ids begin anew in each.
    run: String,
    /// Names the line among those of its run.
    line: String,
    now: Option<Now>,
    /// What the user asked: the stream itself does not say.
    prompt: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    thread: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Calls that have begun and not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    begun: Vec<String>,
    /// The plan that was told last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
    /// Commands that have begun, in the old form: their ids and scripts. Never stored, they may hold anything.
    #[serde(skip)]
    commands: Vec<(String, String)>,
    /// What went wrong in this turn; never stored, it may hold anything.
    #[serde(skip)]
    error: Option<String>,
}

lenient! {
    struct Line<'a> {
        kind: Text<'a> = "type",
        thread_id: Text<'a> = "thread_id",
        session_id: Text<'a> = "session_id",
        item: Raw<'a> = "item",
        usage: Raw<'a> = "usage",
        message: Words<'a> = "message",
        error: Failure<'a> = "error",
        msg: Raw<'a> = "msg",
        prompt: Text<'a> = "prompt",
        workdir: Text<'a> = "workdir",
        model: Text<'a> = "model",
    }
}

lenient! {
    struct Failure<'a> {
        message: Words<'a> = "message",
    }
}

lenient! {
    struct Item<'a> {
        kind: Text<'a> = "type",
        old_kind: Text<'a> = "item_type",
        text: Words<'a> = "text",
        command: Text<'a> = "command",
        output: Words<'a> = "aggregated_output",
        exit_code: Number = "exit_code",
        status: Text<'a> = "status",
        changes: Raw<'a> = "changes",
        server: Text<'a> = "server",
        tool: Text<'a> = "tool",
        arguments: Raw<'a> = "arguments",
        result: Raw<'a> = "result",
        error: Raw<'a> = "error",
        id: Text<'a> = "id",
        items: List<Step<'a>> = "items",
        query: Text<'a> = "query",
        action: Raw<'a> = "action",
        message: Words<'a> = "message",
    }
}

impl Item<'_> {
    /// The tool that is called, and with what.
    fn call(&self) -> (String, String) {
        if self.kind.is("mcp_tool_call") {
            let (server, tool) = (self.server.get().unwrap_or_default(), self.tool.get().unwrap_or_default());
            return (format!("mcp__{server}__{tool}"), self.arguments.get().unwrap_or("{}").to_owned());
        }
        let script = shell::script_of_line(self.command.get().unwrap_or_default());
        ("Bash".to_owned(), shell::arguments_of(&script))
    }
}

lenient! {
    struct Step<'a> {
        text: Words<'a> = "text",
        is_done: Flag = "completed",
    }
}

lenient! {
    struct FileChange<'a> {
        path: Text<'a> = "path",
        kind: Text<'a> = "kind",
    }
}

impl ExecStream {
    /// A reader of a stream; `run` names it and is another for each. With a clock, things happen when they are read.
    pub fn new(source: Source, run: &str, cwd: Option<&str>, now: Option<Now>) -> ExecStream {
        let mut scene = Scene::new(Client::Codex, source);
        scene.cwd = cwd.map(Arc::from);
        ExecStream { scene, state: State::default(), run: run.to_owned(), line: String::new(), now, prompt: None }
    }

    /// What the user asked, to be told when the session is known.
    #[must_use]
    pub fn with_prompt(mut self, prompt: Option<String>) -> ExecStream {
        self.prompt = prompt;
        self
    }

    /// The model that is asked: the stream itself does not say.
    #[must_use]
    pub fn with_model(mut self, model: Option<String>) -> ExecStream {
        self.state.model = model;
        self
    }

    /// A reader that goes on from a state.
    pub fn resume(source: Source, run: &str, state: &str) -> Option<ExecStream> {
        let state: State = serde_json::from_str(state).ok()?;
        let mut stream = ExecStream::new(source, run, None, None);
        if let Some(thread) = &state.thread {
            stream.scene.session.clone_from(thread);
            stream.scene.thread.clone_from(thread);
        }
        stream.state = state;
        Some(stream)
    }

    fn enter(&mut self, thread: &str, number: u64, out: &mut Out) {
        self.scene.session = thread.to_owned();
        self.scene.thread = thread.to_owned();
        self.state.thread = Some(thread.to_owned());
        self.state.begun.clear();
        let details = Payload::new().text("thread_id", thread).said("cwd", self.scene.cwd.as_deref());
        let prompt = self.prompt.take();
        let name = self.name_of("prompt");
        let mut maker = self.maker(number, out);
        maker.session_started(details);
        if let Some(prompt) = prompt {
            maker.given_prompt(&prompt, &name, Stand::Sent);
        }
    }

    fn maker<'a>(&'a self, number: u64, out: &'a mut Out) -> Maker<'a> {
        let time = self.now.as_ref().map(|now| Time::from_ms(now()));
        Maker::of_record(&self.scene, time, number, out)
    }

    /// The name of this capture, so that the same stream read again doubles nothing.
    fn name(&self, what: &str) -> Identity {
        Identity::Named(self.name_of(what))
    }

    fn name_of(&self, what: &str) -> String {
        format!("{}/{}/{what}", self.run, self.line)
    }

    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let Some(line) = read::<Line<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        self.line = format!("{number}/{}", digest(text));
        match line.kind.get() {
            Some("thread.started" | "session.created") => {
                if let Some(thread) = line.thread_id.said().or_else(|| line.session_id.said()) {
                    let thread = thread.to_owned();
                    self.enter(&thread, number, out);
                }
            }
            Some("item.completed") => {
                let item: Item<'_> = line.item.read();
                self.item(&item, line.item, number, out);
            }
            Some("turn.failed" | "error") => {
                let text = line.error.message.said().or_else(|| line.message.said()).unwrap_or("the turn failed");
                // A reconnection is announced like a failure and is none.
                if text.starts_with("Reconnecting") {
                    out.left_out("reconnecting");
                } else if self.state.error.as_deref() == Some(text) {
                    // What went wrong is told again when the turn ends.
                    out.left_out("turn.failed");
                } else {
                    self.state.error = Some(text.to_owned());
                    let name = self.name("error");
                    self.maker(number, out).error(text.to_owned(), vec![name]);
                }
            }
            Some("turn.completed") => {
                let model = line.model.said().or(self.state.model.as_deref());
                let details = Payload::new().said("model", model).json("usage", line.usage.get());
                let name = self.name("done");
                self.maker(number, out).end_of_turn(name, "completed", &details);
            }
            Some("turn.started") => {
                self.state.error = None;
                out.left_out("turn.started");
            }
            Some(kind @ ("item.started" | "item.updated")) => {
                let item: Item<'_> = line.item.read();
                match item.kind.get().filter(|_| !self.scene.session.is_empty()) {
                    Some("todo_list") => self.plan(&item, number, out),
                    Some("command_execution" | "mcp_tool_call") if kind == "item.started" => {
                        self.begin(&item, number, out);
                    }
                    _ => out.left_out(kind),
                }
            }
            Some(kind) => {
                let name = self.name("line");
                self.maker(number, out).opaque(kind, text, vec![name]);
            }
            None if line.msg.get().is_some() => {
                let message: OldMessage<'_> = line.msg.read();
                self.old(&message, number, out);
            }
            None if line.workdir.said().is_some() => {
                self.scene.cwd = line.workdir.said().map(Arc::from);
                self.state.model = line.model.owned().or_else(|| self.state.model.take());
            }
            None if line.prompt.said().is_some() => self.prompt = line.prompt.owned(),
            None => out.problem("line without a type"),
        }
    }

    fn item(&mut self, item: &Item<'_>, raw: Raw<'_>, number: u64, out: &mut Out) {
        if self.scene.session.is_empty() {
            out.problem("item before its thread");
            return;
        }
        let name = self.name("item");
        let kind = item.kind.said().or_else(|| item.old_kind.said());
        match kind {
            Some("agent_message" | "assistant_message") => {
                if let Some(text) = item.text.owned() {
                    self.maker(number, out).assistant(text, vec![name]);
                }
            }
            Some("reasoning") => {
                if let Some(text) = item.text.owned() {
                    self.maker(number, out).reasoning(text, vec![name]);
                }
            }
            Some("command_execution") => self.command(item, number, out),
            Some("file_change") => {
                let files: List<FileChange<'_>> = item.changes.read();
                let change = |file: &FileChange<'_>| {
                    let kind = ChangeKind::parse(file.kind.get().unwrap_or_default());
                    file.path.said().map(|path| Change::new(path, kind))
                };
                let changes: Vec<Change> = files.0.iter().filter_map(change).collect();
                if changes.len() < files.0.len() || item.changes.get().is_some() && !item.changes.is_list() {
                    out.problem("changes that name no files");
                    self.maker(number, out).opaque("file_change", raw.get().unwrap_or_default(), vec![name]);
                    return;
                }
                if item.status.is("failed") {
                    out.left_out("failed file change");
                } else {
                    let status = item.status.said();
                    self.named(out, number, |maker| maker.file_change(Call::default(), &changes, status));
                }
            }
            Some("mcp_tool_call") => {
                let (full, arguments) = item.call();
                let failed = item.error.get().is_some() || item.status.is("failed");
                let returned = mcp_returned(if failed { item.error } else { item.result });
                let has_begun = self.has_begun(item);
                self.named(out, number, |maker| {
                    if !has_begun {
                        maker.tool_call(Call { id: None, name: &full, arguments: None }, &arguments);
                    }
                    maker.tool_result(Call { id: None, name: &full, arguments: None }, returned.text, None, failed);
                    maker.unknown_of_result(None, &returned.unknown);
                });
            }
            Some("error") => {
                let text = item.message.said().unwrap_or("an error");
                self.maker(number, out).error(text.to_owned(), vec![name]);
            }
            Some("web_search") => {
                let mut asked = String::from("{\"type\":\"search\",\"query\":");
                push_text(&mut asked, item.query.get().unwrap_or_default());
                asked.push('}');
                let arguments = item.action.get().unwrap_or(&asked);
                let call = Call { id: None, name: "web_search", arguments: None };
                self.named(out, number, |maker| maker.tool_call(call, arguments));
            }
            // At the end of a turn its plan is told again.
            Some(kind @ "todo_list") if item.id.said().is_some() && item.id.said() == self.state.plan.as_deref() => {
                out.left_out(kind);
            }
            Some("todo_list") => self.plan(item, number, out),
            Some("collab_tool_call") => {
                let call: TeamCall<'_> = raw.read();
                self.named(out, number, |maker| call.tell(None, maker));
            }
            Some(kind) => self.maker(number, out).opaque(kind, raw.get().unwrap_or_default(), vec![name]),
            None => out.problem("item without a type"),
        }
    }

    fn command(&mut self, item: &Item<'_>, number: u64, out: &mut Out) {
        let script = shell::script_of_line(item.command.get().unwrap_or_default());
        let output = item.output.get().unwrap_or_default();
        let exit_code = item.exit_code.whole();
        let arguments = shell::arguments_of(&script);
        let call = Call { id: None, name: "Bash", arguments: None };
        let has_begun = self.has_begun(item);
        self.named(out, number, |maker| {
            if !has_begun {
                maker.tool_call(call, &arguments);
            }
            maker.command(call, &script, Ending { exit_code, status: item.status.said(), ..Ending::default() });
            // The file may have less of it, so that its text tells nothing.
            let answered = Call { arguments: Some(&arguments), ..call };
            maker.tool_result(answered, output.to_owned(), exit_code, exit_code.is_some_and(|code| code != 0));
        });
    }

    /// A call has begun: it is told now, for its end may be far or never come.
    fn begin(&mut self, item: &Item<'_>, number: u64, out: &mut Out) {
        let Some(id) = item.id.owned() else {
            out.left_out("item.started");
            return;
        };
        let (name, arguments) = item.call();
        self.named(out, number, |maker| maker.tool_call(Call { id: None, name: &name, arguments: None }, &arguments));
        if self.state.begun.len() >= COMMANDS_MAX {
            self.state.begun.remove(0);
        }
        self.state.begun.push(id);
    }

    /// Whether the call was told when it began.
    fn has_begun(&mut self, item: &Item<'_>) -> bool {
        let at = self.state.begun.iter().position(|begun| item.id.is(begun));
        at.map(|at| self.state.begun.remove(at)).is_some()
    }

    /// A plan, as it was made or changed by a call that the session file tells.
    fn plan(&mut self, item: &Item<'_>, number: u64, out: &mut Out) {
        self.state.plan = item.id.owned();
        let step = |step: &Step<'_>| {
            let status = if step.is_done.is_set() { "completed" } else { "pending" };
            Payload::new().text("step", step.text.get().unwrap_or_default()).text("status", status).end()
        };
        let steps: Vec<String> = item.items.0.iter().map(step).collect();
        let arguments = Payload::new().json("plan", Some(&format!("[{}]", steps.join(",")))).end();
        let call = Call { id: None, name: "update_plan", arguments: None };
        self.named(out, number, |maker| maker.tool_call(call, &arguments));
    }

    /// Makes events that have no id of their own, and names them as captures of this stream.
    fn named(&self, out: &mut Out, number: u64, make: impl FnOnce(&mut Maker<'_>)) {
        make(&mut self.maker(number, out));
        for (part, captured) in out.of_record().enumerate() {
            captured.event.identities.insert(0, self.name(&part.to_string()));
        }
    }
}

impl Parser for ExecStream {
    fn line(&mut self, number: u64, line: &str, out: &mut Out) {
        out.begin_record();
        self.one_line(number, &mended(line), out);
    }

    fn pause(&mut self, _out: &mut Out) {}

    fn is_settled(&self) -> bool {
        true
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.state).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::Kind;

    #[test]
    fn items_that_nobody_knows_keep_their_content_and_a_search_is_a_call() {
        let (mut stream, mut out) = (ExecStream::new(Source::CodexExec, "run", None, None), Out::default());
        let item = |item: &str| format!(r#"{{"type":"item.completed","item":{item}}}"#);
        let unknown = r#"{"id":"i3","type":"brand_new","x":"kept too"}"#;
        stream.line(1, r#"{"type":"thread.started","thread_id":"t"}"#, &mut out);
        stream.line(2, &item(r#"{"id":"i1","type":"web_search","query":"rust"}"#), &mut out);
        stream.line(3, &item(unknown), &mut out);
        let told: Vec<(Kind, String)> =
            out.events.iter().skip(1).map(|one| (one.event.kind(), one.event.content.verbatim().to_owned())).collect();
        assert!(told[0].0 == Kind::ToolCall && told[0].1.contains("rust"), "{told:?}");
        assert_eq!(told[1..], [(Kind::Other, unknown.to_owned())]);
    }

    #[test]
    fn a_command_is_told_when_it_begins_and_once() {
        let (mut stream, mut out) = (ExecStream::new(Source::CodexExec, "run", None, None), Out::default());
        let item = |kind: &str, more: &str| {
            format!(
                r#"{{"type":"item.{kind}","item":{{"id":"i1","type":"command_execution","command":"bash -lc make",{more}}}}}"#
            )
        };
        stream.line(1, r#"{"type":"thread.started","thread_id":"t"}"#, &mut out);
        stream.line(2, &item("started", r#""exit_code":null"#), &mut out);
        let kinds = |out: &Out| out.events.iter().skip(1).map(|one| one.event.kind()).collect::<Vec<_>>();
        assert_eq!(kinds(&out), [Kind::ToolCall]);
        stream.line(3, &item("completed", r#""exit_code":0,"aggregated_output":"ok""#), &mut out);
        assert_eq!(kinds(&out), [Kind::ToolCall, Kind::Command, Kind::ToolResult]);
        stream.line(4, &item("completed", r#""exit_code":0,"aggregated_output":"ok""#), &mut out);
        assert_eq!(kinds(&out).len(), 6, "another one that nobody saw begin");
    }

    #[test]
    fn a_plan_is_told_each_time_it_changes_and_not_again_when_the_turn_ends() {
        let (mut stream, mut out) = (ExecStream::new(Source::CodexExec, "run", None, None), Out::default());
        let plan = |kind: &str, is_done: bool| {
            format!(
                r#"{{"type":"item.{kind}","item":{{"id":"i1","type":"todo_list","items":[{{"text":"look","completed":{is_done}}}]}}}}"#
            )
        };
        stream.line(1, r#"{"type":"thread.started","thread_id":"t"}"#, &mut out);
        stream.line(2, &plan("started", false), &mut out);
        stream.line(3, &plan("updated", true), &mut out);
        stream.line(4, &plan("completed", true), &mut out);
        let told: Vec<&str> = out.events.iter().skip(1).map(|one| one.event.content.verbatim()).collect();
        let call = |status: &str| {
            format!(
                r#"{{"item":{{"type":"tool_call","name":"update_plan","arguments":{{"plan":[{{"step":"look","status":"{status}"}}]}}}}}}"#
            )
        };
        assert_eq!(told, [call("pending"), call("completed")]);
    }
}
