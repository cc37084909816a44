//! Events of the conversation: what happened, as the client tells it to whoever watches.

use super::item_line::Message as Said;
use super::thread::Usage;
use super::{At, Form, Rollout, Who};
use crate::codex::team::TeamCall;
use crate::content::{self, Returned};
use crate::lenient::{Flag, List, Number, Raw, Text, Words, lenient};
use crate::media::Media;
use crate::patch::{Change, ChangeKind};
use crate::payload::Payload;
use crate::scene::{Call, Ending, item};
use crate::shell;

lenient! {
    struct Message<'a> {
        kind: Text<'a> = "type",
        message: Raw<'a> = "message",
        text: Words<'a> = "text",
        user_kind: Text<'a> = "kind",
        images: List<Text<'a>> = "images",
        turn_id: Text<'a> = "turn_id",
        root_turn: Text<'a> = "root_turn_id",
        reason: Text<'a> = "reason",
        duration_ms: Number = "duration_ms",
        error: Raw<'a> = "error",
        info: Raw<'a> = "info",
        item: Raw<'a> = "item",
        num_turns: Number = "num_turns",
        started_at: Number = "started_at",
    }
}

lenient! {
    struct Info<'a> {
        total: Raw<'a> = "total_token_usage",
        last: Raw<'a> = "last_token_usage",
    }
}

lenient! {
    struct Failure<'a> {
        message: Words<'a> = "message",
    }
}

lenient! {
    /// An item of a turn, or an event about one: the names differ, the facts do not.
    struct Done<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        call_id: Text<'a> = "call_id",
        turn_id: Text<'a> = "turn_id",
        content: Raw<'a> = "content",
        summary: List<Words<'a>> = "summary_text",
        raw_content: List<Words<'a>> = "raw_content",
        command: List<Text<'a>> = "command",
        cwd: Text<'a> = "cwd",
        source: Text<'a> = "source",
        status: Text<'a> = "status",
        output: Words<'a> = "aggregated_output",
        exit_code: Number = "exit_code",
        duration: Duration<'a> = "duration",
        changes: Raw<'a> = "changes",
        success: Flag = "success",
        server: Text<'a> = "server",
        tool: Text<'a> = "tool",
        arguments: Raw<'a> = "arguments",
        invocation: Invocation<'a> = "invocation",
        result: Raw<'a> = "result",
        error: Raw<'a> = "error",
        query: Text<'a> = "query",
        text: Words<'a> = "text",
        review_output: Raw<'a> = "review_output",
    }
}

lenient! {
    struct Duration<'a> {
        secs: Number = "secs",
        nanos: Number = "nanos",
    }
}

lenient! {
    struct Invocation<'a> {
        server: Text<'a> = "server",
        tool: Text<'a> = "tool",
        arguments: Raw<'a> = "arguments",
    }
}

impl Duration<'_> {
    fn ms(&self) -> Option<i64> {
        Some(self.secs.whole()? * 1000 + self.nanos.whole().unwrap_or(0) / 1_000_000)
    }
}

impl Rollout {
    pub(super) fn event_line(&mut self, payload: Raw<'_>, at: &mut At<'_>) {
        let message: Message<'_> = payload.read();
        let turn = message.turn_id.owned();
        match message.kind.get() {
            Some("user_message") => self.user_message(&message, at),
            Some("agent_message") => {
                if let Some(text) = content::text(message.message) {
                    self.said(Who::Assistant, &text, &[], Form::Event, None, at);
                }
            }
            Some("agent_reasoning" | "agent_reasoning_raw_content") => {
                if let Some(text) = message.text.said() {
                    self.said(Who::Reasoning, text, &[], Form::Event, None, at);
                }
            }
            Some("item_completed") => {
                self.state.has_items = true;
                let done: Done<'_> = message.item.read();
                self.item_completed(&done, message.item, turn.as_deref(), at);
            }
            Some("task_started" | "turn_started") => {
                self.flush(at.out);
                self.place_turn(turn.as_deref(), message.started_at.whole(), at);
                if let Some(turn) = &turn {
                    self.thread().enter(turn, message.root_turn.said());
                    self.set_scene();
                }
                at.out.left_out("task_started");
            }
            Some("task_complete" | "turn_complete") => self.task_complete(&message, turn.as_deref(), at),
            Some("turn_aborted") => self.turn_aborted(&message, turn.as_deref(), at),
            Some("token_count") => self.token_count(&message, at),
            Some("error" | "stream_error") => {
                if let Some(text) = content::text(message.message) {
                    let name = format!("error/{}/{}", self.scene.thread, crate::scene::digest(&text));
                    self.maker(at).error(text, vec![item(&name, 0)]);
                }
            }
            Some(kind @ ("exec_command_end" | "patch_apply_end" | "mcp_tool_call_end")) => {
                let done: Done<'_> = payload.read();
                self.in_turn_of(turn.as_deref(), |rollout| match kind {
                    "exec_command_end" => rollout.command_done(&done, at),
                    "patch_apply_end" => rollout.files_done(&done, payload, at),
                    _ => rollout.mcp_done(&done, at),
                });
            }
            Some("thread_rolled_back") => {
                let turns = message.num_turns.whole().unwrap_or(1);
                let text = format!("The user took back the last {turns} turns.");
                let turn = self.scene.turn.clone().unwrap_or_default();
                let nth = self.state.turns.count(&turn, "rollback", &text);
                let names = self.scene.said("rollback", &text, nth).into_iter().collect();
                self.maker(at).context("rollback", &text, names);
            }
            Some("exited_review_mode") => {
                let done: Done<'_> = payload.read();
                self.review(&done, at);
            }
            Some(
                kind @ ("thread_settings_applied"
                | "context_compacted"
                | "entered_review_mode"
                | "web_search_end"
                | "view_image_tool_call"
                | "undo_completed"
                | "thread_name_updated"
                | "thread_goal_updated"
                | "sub_agent_activity"
                | "guardian_assessment"
                | "image_generation_end"
                | "dynamic_tool_call_request"
                | "dynamic_tool_call_response"
                | "collab_agent_spawn_end"
                | "collab_agent_interaction_end"
                | "collab_waiting_end"
                | "collab_close_end"),
            ) => at.out.left_out(kind),
            Some(kind) => {
                let (kind, text) = (format!("event.{kind}"), payload.get().unwrap_or_default().to_owned());
                self.opaque(&kind, &text, at);
            }
            None => at.out.problem("event without a type"),
        }
    }

    fn user_message(&mut self, message: &Message<'_>, at: &mut At<'_>) {
        let media: Vec<Media> = message.images.0.iter().filter_map(|url| url.said().map(Media::of_url)).collect();
        match (message.user_kind.get(), content::text(message.message)) {
            (Some("user_instructions" | "environment_context"), _) => at.out.context("instructions"),
            (_, Some(text)) => self.said(Who::User, &text, &media, Form::Event, None, at),
            (_, None) if !media.is_empty() => self.said(Who::User, "", &media, Form::Event, None, at),
            (_, None) => at.out.problem("message without content"),
        }
    }

    fn item_completed(&mut self, done: &Done<'_>, raw: Raw<'_>, turn: Option<&str>, at: &mut At<'_>) {
        match done.kind.get() {
            Some("UserMessage") => {
                let said = Said::of(done.content);
                self.said(Who::User, &said.texts.join("\n"), &said.media, Form::Event, turn, at);
                self.unknown_blocks(Who::User, &said.unknown, turn, at);
            }
            Some("AgentMessage") => {
                let said = Said::of(done.content);
                self.unknown_blocks(Who::Assistant, &said.unknown, turn, at);
                if !said.texts.is_empty() {
                    self.said(Who::Assistant, &said.texts.join("\n"), &[], Form::Event, turn, at);
                }
            }
            Some("Reasoning") => {
                let texts: Vec<&str> =
                    done.summary.0.iter().chain(&done.raw_content.0).filter_map(|text| text.said()).collect();
                if texts.is_empty() {
                    self.in_turn_of(turn, |rollout| rollout.hidden_thought(done.id.said(), at));
                } else {
                    self.said(Who::Reasoning, &texts.join("\n\n"), &[], Form::Event, turn, at);
                }
            }
            Some("CommandExecution") => self.in_turn_of(turn, |rollout| rollout.command_done(done, at)),
            Some("FileChange") => self.in_turn_of(turn, |rollout| rollout.files_done(done, raw, at)),
            Some("McpToolCall") => self.in_turn_of(turn, |rollout| rollout.mcp_done(done, at)),
            // Written as a call and its result, too, but for a script's.
            Some("CollabAgentToolCall") if done.id.said().is_some_and(|id| id.starts_with("exec-")) => {
                let call: TeamCall<'_> = raw.read();
                self.in_turn_of(turn, |rollout| call.tell(done.id.said(), &mut rollout.maker(at)));
            }
            Some(kind @ "CollabAgentToolCall") => at.out.left_out(kind),
            Some("Plan") => {
                if let (Some(text), Some(id)) = (done.text.said(), done.id.said()) {
                    self.in_turn_of(turn, |rollout| rollout.maker(at).context("plan", text, vec![item(id, 0)]));
                }
            }
            Some("ExitedReviewMode") => self.review(done, at),
            Some(
                kind @ ("ContextCompaction" | "HookPrompt" | "WebSearch" | "SubAgentActivity" | "EnteredReviewMode"
                | "ImageView" | "ImageGeneration" | "DynamicToolCall" | "Sleep" | "Extension"
                | "FunctionCallOutput"),
            ) => at.out.left_out(kind),
            Some(kind) => {
                let (kind, text) = (format!("item.{kind}"), raw.get().unwrap_or_default().to_owned());
                self.in_turn_of(turn, |rollout| rollout.opaque(&kind, &text, at));
            }
            None => at.out.problem("item without a type"),
        }
    }

    fn command_done(&mut self, done: &Done<'_>, at: &mut At<'_>) {
        let words: Vec<&str> = done.command.0.iter().filter_map(Text::get).collect();
        if words.is_empty() {
            at.out.problem("command without words");
            return;
        }
        let script = shell::script_of_words(&words);
        let id = done.id.said().or_else(|| done.call_id.said());
        let call = Call { id, name: "Bash", arguments: None };
        let cwd = done.cwd.said().map(|cwd| cwd.strip_prefix("file://").unwrap_or(cwd));
        let exit_code = done.exit_code.whole();
        let ending = Ending { exit_code, status: done.status.said(), duration_ms: done.duration.ms(), cwd };
        // In code mode, and for what the user runs, no call or result with this id is written elsewhere.
        let is_alone = id.is_some_and(|id| id.starts_with("exec-")) || done.source.is("user_shell");
        let mut maker = self.maker(at);
        let arguments = shell::arguments_of(&script);
        if is_alone {
            maker.tool_call(call, &arguments);
        }
        maker.command(call, &script, ending);
        if is_alone {
            let output = done.output.get().unwrap_or_default().to_owned();
            let answered = Call { arguments: Some(&arguments), ..call };
            maker.tool_result(answered, output, exit_code, exit_code.is_some_and(|code| code != 0));
        }
    }

    fn files_done(&mut self, done: &Done<'_>, raw: Raw<'_>, at: &mut At<'_>) {
        let failed = done.success.0 == Some(false) || done.status.is("failed") || done.status.is("declined");
        if failed {
            at.out.left_out("failed file change");
            return;
        }
        if done.changes.get().is_some() && !done.changes.is_object() {
            at.out.problem("changes that name no files");
            self.opaque("item.FileChange", raw.get().unwrap_or_default(), at);
            return;
        }
        let changes = changes_of(done.changes);
        let call = Call { id: done.id.said().or_else(|| done.call_id.said()), name: "apply_patch", arguments: None };
        self.maker(at).file_change(call, &changes, done.status.said());
    }

    fn mcp_done(&mut self, done: &Done<'_>, at: &mut At<'_>) {
        // The call and its result are written as response items too; here only what those lack.
        let failed = done.error.get().is_some() || done.status.is("failed");
        let server = done.server.said().or_else(|| done.invocation.server.said()).unwrap_or_default();
        let tool = done.tool.said().or_else(|| done.invocation.tool.said()).unwrap_or_default();
        let id = done.id.said().or_else(|| done.call_id.said());
        let arguments = done.arguments.get().or_else(|| done.invocation.arguments.get()).unwrap_or("{}");
        if id.is_some_and(|id| id.starts_with("exec-")) {
            let name = format!("mcp__{server}__{tool}");
            let call = Call { id, name: &name, arguments: None };
            let mut maker = self.maker(at);
            maker.tool_call(call, arguments);
            let returned = mcp_returned(done.result);
            maker.tool_result(call, returned.text, None, failed);
            maker.unknown_of_result(id, &returned.unknown);
        } else {
            at.out.left_out("McpToolCall");
        }
    }

    fn task_complete(&mut self, message: &Message<'_>, turn: Option<&str>, at: &mut At<'_>) {
        self.flush(at.out);
        let name = turn.map(str::to_owned).or_else(|| self.scene.turn.clone()).unwrap_or_default();
        let failure: Failure<'_> = message.error.read();
        let model = self.state.model.clone();
        self.in_turn_of(turn, |rollout| {
            let mut maker = rollout.maker(at);
            if let Some(text) = failure.message.said() {
                maker.error(text.to_owned(), vec![item(&format!("error/{name}"), 0)]);
            }
            let status = if failure.message.said().is_some() { "failed" } else { "completed" };
            let details =
                Payload::new().number("duration_ms", message.duration_ms.whole()).said("model", model.as_deref());
            maker.turn_completed(&name, status, &details);
        });
    }

    fn turn_aborted(&mut self, message: &Message<'_>, turn: Option<&str>, at: &mut At<'_>) {
        self.flush(at.out);
        let name = turn.map(str::to_owned).or_else(|| self.scene.turn.clone()).unwrap_or_default();
        let details = Payload::new().said("reason", message.reason.said());
        self.in_turn_of(turn, |rollout| rollout.maker(at).turn_completed(&name, "interrupted", &details));
    }

    /// Files without a record per response tell running totals; each total is a response.
    fn token_count(&mut self, message: &Message<'_>, at: &mut At<'_>) {
        let info: Info<'_> = message.info.read();
        let [total, last] = [info.total, info.last].map(|usage| usage.read::<Usage<'_>>());
        let are_wrong = [info.total, info.last].into_iter().any(|usage| usage.has_wrong_counts(&Usage::NAMES));
        if are_wrong || message.info.get().is_some() && !message.info.is_object() {
            at.out.problem("count that is no number");
        }
        let total = total.total.count();
        if let (Some(total), false) = (total, self.state.has_items || self.state.has_usage) {
            let id = format!("total/{}/{total}", self.scene.thread);
            let model = self.state.model.clone();
            self.maker(at).usage(&id, model.as_deref(), last.tokens());
        } else {
            at.out.left_out("token_count");
        }
    }

    fn review(&mut self, done: &Done<'_>, at: &mut At<'_>) {
        let Some(output) = done.review_output.get() else {
            at.out.left_out("exited_review_mode");
            return;
        };
        let name = format!("review/{}/{}", self.scene.thread, crate::scene::digest(output));
        self.maker(at).context("review", output, vec![item(&name, 0)]);
    }
}

/// The files of a change map: path to what happened to it.
fn changes_of(changes: Raw<'_>) -> Vec<Change> {
    let value: serde_json::Value = changes.get().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let Some(files) = value.as_object() else { return Vec::new() };
    files
        .iter()
        .map(|(path, what)| {
            let kind = what
                .get("type")
                .and_then(|kind| kind.as_str())
                .or_else(|| what.as_object().and_then(|fields| fields.keys().next()).map(String::as_str));
            let moved_to = what.get("move_path").and_then(|path| path.as_str()).map(str::to_owned);
            Change { path: path.clone(), kind: ChangeKind::parse(kind.unwrap_or_default()), moved_to }
        })
        .collect()
}

/// What an MCP call returned.
pub(in crate::codex) fn mcp_returned(result: Raw<'_>) -> Returned<'_> {
    lenient! {
        struct Outcome<'a> {
            good: Raw<'a> = "Ok",
        }
    }
    let outcome: Outcome<'_> = result.read();
    content::returned(if outcome.good.get().is_some() { outcome.good } else { result })
}
