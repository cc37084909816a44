//! GitHub Copilot CLI: `events.jsonl` of a session.

use crate::boundary;
use crate::lenient::{Flag, List, Number, Raw, Text, lenient};
use crate::media::{self, Media};
use crate::out::Out;
use crate::parser::{Parser, mended, read};
use crate::patch::{Change, ChangeKind};
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, Scene, Tokens, item};
use crate::{shell, when};
use memoir_event::{Client, Source, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// So many calls may be on their way at once.
const CALLS_MAX: usize = 64;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    session: String,
    cwd: Option<String>,
    turn: Option<String>,
    calls: Vec<(String, String, Option<String>)>,
}

/// Reads the events of a session.
pub struct Events {
    state: State,
    scene: Scene,
}

lenient! {
    struct Line<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        timestamp: Raw<'a> = "timestamp",
        agent_id: Text<'a> = "agentId",
        ephemeral: Flag = "ephemeral",
        data: Raw<'a> = "data",
    }
}

lenient! {
    struct Data<'a> {
        session_id: Text<'a> = "sessionId",
        version: Text<'a> = "copilotVersion",
        context: Context<'a> = "context",
        content: Text<'a> = "content",
        source: Text<'a> = "source",
        interaction: Text<'a> = "interactionId",
        attachments: List<Attachment<'a>> = "attachments",
        model: Text<'a> = "model",
        reasoning: Text<'a> = "reasoningText",
        requests: List<Request<'a>> = "toolRequests",
        call_id: Text<'a> = "toolCallId",
        tool: Text<'a> = "toolName",
        arguments: Raw<'a> = "arguments",
        success: Flag = "success",
        result: ToolResult<'a> = "result",
        error: Failure<'a> = "error",
        shell: ShellEnd<'a> = "shellExecution",
        edits: List<Edit<'a>> = "fileEdits",
        usage: Usage<'a> = "usage",
        message: Text<'a> = "message",
        reason: Text<'a> = "reason",
        summary: Text<'a> = "summaryContent",
        agent_name: Text<'a> = "agentName",
    }
}

lenient! {
    struct Context<'a> {
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "branch",
    }
}

lenient! {
    struct Attachment<'a> {
        kind: Text<'a> = "type",
        path: Text<'a> = "path",
        mime: Text<'a> = "mimeType",
        bytes: Number = "byteLength",
    }
}

lenient! {
    struct Request<'a> {
        id: Text<'a> = "toolCallId",
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

lenient! {
    struct ToolResult<'a> {
        content: Text<'a> = "content",
    }
}

lenient! {
    struct Failure<'a> {
        message: Text<'a> = "message",
    }
}

lenient! {
    struct ShellEnd<'a> {
        exit_code: Number = "exitCode",
    }
}

lenient! {
    struct Edit<'a> {
        path: Text<'a> = "path",
        kind: Text<'a> = "kind",
    }
}

lenient! {
    struct Usage<'a> {
        model: Text<'a> = "model",
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cached: Number = "cacheReadTokens",
        cache_written: Number = "cacheWriteTokens",
        cost: Number = "cost",
    }
}

impl Events {
    /// A reader at the beginning of a file; `session` is the name of its directory.
    pub fn new(session: Option<&str>) -> Events {
        Events::with(State { session: session.unwrap_or_default().to_owned(), ..State::default() })
    }

    /// A reader that goes on from a state.
    pub fn resume(state: &str) -> Option<Events> {
        serde_json::from_str(state).ok().map(Events::with)
    }

    fn with(state: State) -> Events {
        let mut scene = Scene::new(Client::Copilot, Source::CopilotCliHistory);
        scene.session.clone_from(&state.session);
        scene.thread.clone_from(&state.session);
        scene.turn.clone_from(&state.turn);
        scene.cwd = state.cwd.as_deref().map(Arc::from);
        Events { state, scene }
    }

    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let Some(line) = read::<Line<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        if line.ephemeral.is_set() {
            out.left_out("ephemeral");
            return;
        }
        let time = when::told(line.timestamp, out);
        let data: Data<'_> = line.data.read();
        self.scene.thread = line.agent_id.owned().unwrap_or_else(|| self.state.session.clone());
        let is_agent = self.scene.thread != self.state.session;
        self.scene.asked = self.state.turn.as_deref().filter(|_| is_agent).map(Arc::from);
        let id = line.id.get().unwrap_or_default().to_owned();
        let kind = line.kind.get().unwrap_or_default();
        let mut at = At { id: &id, time, number, out };
        match kind {
            "session.start" | "session.resume" => self.started(&data, &mut at),
            "user.message" => self.user(&data, &mut at),
            "assistant.message" => self.answer(&data, &mut at),
            "assistant.reasoning" => {
                if let Some(text) = data.content.owned() {
                    self.maker(&mut at).reasoning(text, vec![item(&id, 0)]);
                }
            }
            "tool.execution_start" | "tool.user_requested" => {
                let (call, arguments) = (data.call_id.said(), data.arguments.get().unwrap_or("{}"));
                self.call(call, data.tool.said().unwrap_or("tool"), arguments, &mut at);
            }
            "tool.execution_complete" => self.finished(&data, &mut at),
            "session.usage_record" => self.usage(&data.usage, &mut at),
            "session.error" => {
                let text = data.message.owned().unwrap_or_else(|| "the turn failed".to_owned());
                self.maker(&mut at).error(text, vec![item(&id, 0)]);
            }
            "session.compaction_complete" => {
                if let Some(text) = data.summary.owned() {
                    self.maker(&mut at).summary(text, vec![item(&id, 0)]);
                }
            }
            "abort" => {
                let turn = self.state.turn.clone().unwrap_or_default();
                let details = Payload::new().said("reason", data.reason.said());
                self.maker(&mut at).turn_completed(&turn, "interrupted", &details);
            }
            "subagent.started" => {
                let details = Payload::new()
                    .text("thread_id", &self.scene.thread)
                    .said("agent_type", data.agent_name.said())
                    .text("parent_thread", &self.state.session);
                self.maker(&mut at).session_started(details);
            }
            kind if is_left_out(kind) => at.out.left_out(kind),
            "" => at.out.problem("record without a type"),
            kind => self.maker(&mut at).opaque(kind, text, vec![item(&id, 0)]),
        }
    }

    fn maker<'a>(&'a self, at: &'a mut At<'_>) -> Maker<'a> {
        Maker::of_record(&self.scene, at.time.clone(), at.number, at.out)
    }

    fn started(&mut self, data: &Data<'_>, at: &mut At<'_>) {
        if let Some(session) = data.session_id.said() {
            session.clone_into(&mut self.state.session);
        }
        if let Some(cwd) = data.context.cwd.owned() {
            self.state.cwd = Some(cwd);
        }
        self.scene.session.clone_from(&self.state.session);
        self.scene.thread.clone_from(&self.state.session);
        self.scene.cwd = self.state.cwd.as_deref().map(Arc::from);
        let details = Payload::new()
            .text("thread_id", &self.state.session)
            .said("cwd", self.state.cwd.as_deref())
            .said("version", data.version.said())
            .said("branch", data.context.branch.said());
        self.maker(at).session_started(details);
    }

    fn user(&mut self, data: &Data<'_>, at: &mut At<'_>) {
        let Some(text) = data.content.said() else { return };
        let is_agent = self.scene.thread != self.state.session;
        let by_user = data.source.get().is_none_or(|source| source == "user");
        let id = at.id.to_owned();
        let name = item(&id, 0);
        if is_agent {
            self.maker(at).context("subagent-task", text, vec![name]);
            return;
        }
        if !by_user {
            at.out.context("meta");
            return;
        }
        self.state.turn = data.interaction.owned().or_else(|| Some(at.id.to_owned()));
        self.scene.turn.clone_from(&self.state.turn);
        let media: Vec<Media> = data.attachments.0.iter().filter_map(attached).collect();
        let sorted = boundary::sort(text);
        let mut maker = self.maker(at);
        for (nth, (what, kept)) in (1..).zip(&sorted.context) {
            maker.out.context(what);
            if let Some(kept) = kept {
                maker.context(what, kept, vec![item(&id, nth)]);
            }
        }
        if let Some(words) = sorted.speech {
            maker.user(words.into_owned(), vec![name]);
            maker.last(|event| event.metadata = media::metadata(&media));
        }
    }

    fn answer(&mut self, data: &Data<'_>, at: &mut At<'_>) {
        let name = item(at.id, 0);
        if let Some(text) = data.reasoning.owned() {
            let thought = item(at.id, 1);
            self.maker(at).reasoning(text, vec![thought]);
        }
        if let Some(text) = data.content.owned() {
            self.maker(at).assistant(text, vec![name]);
        }
        for request in &data.requests.0 {
            let tool = request.name.said().unwrap_or("tool");
            let arguments = request.arguments.get().unwrap_or("{}");
            self.call(request.id.said(), tool, arguments, at);
        }
    }

    fn call(&mut self, id: Option<&str>, tool: &str, arguments: &str, at: &mut At<'_>) {
        let known = id.is_some_and(|id| self.state.calls.iter().any(|(known, ..)| known == id));
        if known {
            return;
        }
        if let Some(id) = id {
            if self.state.calls.len() >= CALLS_MAX {
                self.state.calls.remove(0);
            }
            let script = shell::script_of_call(tool, arguments);
            self.state.calls.push((id.to_owned(), tool.to_owned(), script));
        }
        self.maker(at).tool_call(Call { id, name: tool, arguments: None }, arguments);
    }

    fn finished(&mut self, data: &Data<'_>, at: &mut At<'_>) {
        let Some(id) = data.call_id.said() else {
            at.out.problem("result without a call");
            return;
        };
        let known = self.state.calls.iter().position(|(known, ..)| known == id);
        let (_, tool, script) = known.map(|at| self.state.calls.remove(at)).unwrap_or_default();
        let exit_code = data.shell.exit_code.whole();
        let failed = data.success.0 == Some(false) || exit_code.is_some_and(|code| code != 0);
        let text = data.error.message.said().or_else(|| data.result.content.get()).unwrap_or_default();
        let output = boundary::without_injected(text, at.out);
        let output = output.split("\n<shellId: ").next().unwrap_or_default().to_owned();
        let call = Call { id: Some(id), name: &tool, arguments: None };
        let mut maker = self.maker(at);
        maker.tool_result(call, output, exit_code, failed);
        if let Some(script) = script {
            let status = if failed { "failed" } else { "completed" };
            maker.command(call, &script, Ending { exit_code, status: Some(status), ..Ending::default() });
        }
        let changes: Vec<Change> = data
            .edits
            .0
            .iter()
            .filter_map(|edit| {
                let kind = ChangeKind::parse(edit.kind.get().unwrap_or_default());
                edit.path.said().map(|path| Change::new(path, kind))
            })
            .collect();
        maker.file_change(call, &changes, Some("completed"));
    }

    fn usage(&mut self, usage: &Usage<'_>, at: &mut At<'_>) {
        let tokens = Tokens {
            input: usage.input.count(),
            cached: usage.cached.count(),
            cache_written: usage.cache_written.count(),
            output: usage.output.count(),
            reasoning: None,
            cost_usd: usage.cost.0.filter(|cost| *cost > 0.0),
        };
        let id = at.id.to_owned();
        self.maker(at).usage(&id, usage.model.said(), tokens);
    }
}

struct At<'a> {
    id: &'a str,
    time: Option<Time>,
    number: u64,
    out: &'a mut Out,
}

fn attached(attachment: &Attachment<'_>) -> Option<Media> {
    let kind = attachment.mime.said().or_else(|| attachment.kind.said())?;
    let path = attachment.path.said().map(|path| format!(" {path}")).unwrap_or_default();
    Some(Media { kind: format!("{kind}{path}"), bytes: attachment.bytes.count() })
}

/// Records about the client itself, and copies of what stands elsewhere.
fn is_left_out(kind: &str) -> bool {
    ["hook.", "model.", "permission.", "elicitation.", "external_tool.", "command."]
        .iter()
        .any(|head| kind.starts_with(head))
        || matches!(
            kind,
            "system.message"
                | "system.notification"
                | "assistant.turn_start"
                | "assistant.turn_end"
                | "assistant.intent"
                | "subagent.configured"
                | "subagent.completed"
                | "subagent.selected"
                | "subagent.deselected"
                | "session.shutdown"
                | "session.model_change"
                | "session.binary_asset"
                | "session.skills_loaded"
                | "session.compaction_start"
                | "session.info"
                | "session.idle"
                | "session.title_changed"
                | "session.mode_changed"
                | "session.truncation"
                | "session.usage_checkpoint"
        )
}

impl Parser for Events {
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
