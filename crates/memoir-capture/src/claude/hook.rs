//! Claude Code hook calls.

use super::answer::answer_place;
use super::speech::{finish, summary_text};
use super::tools::Pending;
use crate::aside::{self, Leave};
use crate::content::returned;
use crate::hook::{HookCall, HookError, Moment, Start};
use crate::lenient::{Flag, Raw, Text, Words, lenient};
use crate::out::Out;
use crate::payload::Payload;
use crate::scene::{Call, Maker, NO_MESSAGE, Scene, digest, item};
use memoir_event::{Client, Source, Time};
use std::sync::Arc;

lenient! {
    struct Payload1<'a> {
        event: Text<'a> = "hook_event_name",
        session_id: Text<'a> = "session_id",
        prompt_id: Text<'a> = "prompt_id",
        transcript_path: Text<'a> = "transcript_path",
        agent_transcript_path: Text<'a> = "agent_transcript_path",
        agent_id: Text<'a> = "agent_id",
        agent_type: Text<'a> = "agent_type",
        cwd: Text<'a> = "cwd",
        source: Text<'a> = "source",
        model: Text<'a> = "model",
        prompt: Words<'a> = "prompt",
        tool_name: Text<'a> = "tool_name",
        tool_input: Raw<'a> = "tool_input",
        tool_use_id: Text<'a> = "tool_use_id",
        tool_response: Raw<'a> = "tool_response",
        error: Raw<'a> = "error",
        reason: Text<'a> = "reason",
        message: Words<'a> = "message",
        delta: Words<'a> = "delta",
        is_final: Flag = "final",
        index: crate::lenient::Number = "index",
        last_assistant_message: Words<'a> = "last_assistant_message",
        compact_summary: Words<'a> = "compact_summary",
    }
}

/// Understands a call.
pub(crate) fn read_hook(payload: &str, now: &Time) -> Result<HookCall, HookError> {
    let call: Payload1<'_> = serde_json::from_str(payload).map_err(|_| HookError::NotJson)?;
    if !payload.trim_start().starts_with('{') {
        return Err(HookError::NotJson);
    }
    let session = call.session_id.said().ok_or(HookError::NoSession)?;
    let event = call.event.get().unwrap_or_default().to_owned();
    let mut scene = Scene::new(Client::Claude, Source::ClaudeCodeHook);
    session.clone_into(&mut scene.session);
    call.agent_id.said().unwrap_or(session).clone_into(&mut scene.thread);
    scene.turn = call.prompt_id.owned();
    scene.asked = call.prompt_id.said().filter(|_| call.agent_id.said().is_some()).map(Arc::from);
    scene.cwd = call.cwd.said().map(Arc::from);
    let mut out = Out::default();
    let mut maker = Maker::live(&scene, Some(now.clone()), &mut out);
    let moment = remember(&event, &call, payload, &mut maker);
    Ok(HookCall {
        client: Client::Claude,
        event,
        session: session.to_owned(),
        turn: scene.turn.clone(),
        transcript: call.transcript_path.owned(),
        agent_transcript: call.agent_transcript_path.owned(),
        cwd: call.cwd.owned(),
        moment,
        start: call.source.said().filter(|_| moment == Moment::SessionStart).and_then(Start::named),
        agent: call.agent_id.owned(),
        prompt: call.prompt.owned(),
        tool: call.tool_name.owned(),
        input: call.tool_input.get().map(str::to_owned),
        captured: out.events,
        fallback: Vec::new(),
        tally: out.tally,
    })
}

fn remember(event: &str, call: &Payload1<'_>, payload: &str, maker: &mut Maker<'_>) -> Moment {
    let turn = call.prompt_id.said().unwrap_or_default();
    match event {
        "SessionStart" => {
            maker.session_started(started(call));
            Moment::SessionStart
        }
        "UserPromptSubmit" | "UserPromptExpansion" => {
            maker.prompt(call.prompt.get().unwrap_or_default());
            Moment::Prompt
        }
        "PreToolUse" => {
            let name = call.tool_name.said().unwrap_or("tool");
            maker.tool_call(
                Call { id: call.tool_use_id.said(), name, arguments: None },
                call.tool_input.get().unwrap_or("{}"),
            );
            Moment::Tool
        }
        "PostToolUse" | "PostToolUseFailure" => {
            if let Some(id) = call.tool_use_id.said() {
                let name = call.tool_name.said().unwrap_or("tool");
                let pending = Pending::new(id, name, call.tool_input.get().unwrap_or("{}"));
                let error = call.error.read::<Text<'_>>().owned().or_else(|| call.error.get().map(str::to_owned));
                let failed = event == "PostToolUseFailure";
                let shown = error.filter(|_| failed);
                finish(maker, Some(id), &pending, call.tool_response, shown, failed);
                maker.unknown_of_result(Some(id), &returned(call.tool_response).unknown);
            }
            Moment::Tool
        }
        "Stop" => {
            answer(event, call, maker);
            Moment::TurnEnd
        }
        "SubagentStop" => {
            // A compaction ends like an agent that has no type.
            if call.agent_type.said().is_some() {
                answer(event, call, maker);
            }
            Moment::Subagent
        }
        "SubagentStart" => {
            let details =
                started(call).said("agent_type", call.agent_type.said()).said("parent_thread", call.session_id.said());
            maker.session_started(details);
            Moment::Subagent
        }
        "StopFailure" => {
            let text = call.last_assistant_message.said().or_else(|| call.message.said()).unwrap_or("the turn failed");
            maker.error(text.to_owned(), maker.scene.said("error", text, 0).into_iter().collect());
            Moment::TurnEnd
        }
        "MessageDisplay" => {
            // A message comes in pieces: only one that is the first and the last is all of it. Stop and the session file
            // tell the others.
            let is_whole = call.is_final.is_set() && call.index.count() == Some(0);
            if let Some(text) = call.delta.said().filter(|_| is_whole) {
                maker.assistant(text.to_owned(), maker.scene.said("assistant", text, 0).into_iter().collect());
            }
            Moment::Other
        }
        "Notification" => {
            if let Some(text) = call.message.said() {
                maker.notice(text.to_owned(), maker.scene.said("notification", text, 0).into_iter().collect());
            }
            Moment::Other
        }
        "PostCompact" => {
            if let Some(text) = call.compact_summary.said() {
                let text = summary_text(text);
                let name = item(&format!("compaction/{turn}/{}", digest(&text)), 0);
                maker.summary(text, vec![name]);
            }
            Moment::Compaction
        }
        "PermissionRequest" | "PermissionDenied" => {
            let (id, tool) = (call.tool_use_id.said(), call.tool_name.said().unwrap_or("tool"));
            let input = call.tool_input.get().unwrap_or("{}");
            Leave { id, tool, input, reason: call.reason.said() }.note(event, maker);
            Moment::Other
        }
        "PreCompact" => Moment::Compaction,
        "SessionEnd" => Moment::SessionEnd,
        // Each of its calls is told by PostToolUse.
        "PostToolBatch" => Moment::Other,
        _ => {
            aside::note(event, payload, maker);
            Moment::Other
        }
    }
}

fn started(call: &Payload1<'_>) -> Payload {
    let thread = call.agent_id.said().or_else(|| call.session_id.said());
    Payload::new().said("thread_id", thread).said("cwd", call.cwd.said()).said("model", call.model.said())
}

fn answer(event: &str, call: &Payload1<'_>, maker: &mut Maker<'_>) {
    match call.last_assistant_message.said() {
        Some(text) => {
            let names = maker.scene.said("assistant", text, 0).into_iter().chain(answer_place(maker.scene)).collect();
            maker.assistant(text.to_owned(), names);
        }
        None => {
            let text = NO_MESSAGE;
            maker.notice(text.to_owned(), maker.scene.said(event, text, 0).into_iter().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_may_answer_with_anything() {
        for (response, expected) in [
            (r#""plain""#, "plain"),
            (r#"{"foo": 1.50}"#, r#"{"foo": 1.50}"#),
            ("[1,2]", "[1,2]"),
            (r#"["a","b"]"#, r#"["a","b"]"#),
            (r#"[{"type":"text","text":"told"},{"type":"newkind","x":1}]"#, "told"),
            ("42", "42"),
            ("true", "true"),
        ] {
            let payload = format!(
                r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_use_id":"c","tool_name":"t","tool_response":{response}}}"#
            );
            let call = read_hook(&payload, &Time::from_ms(0)).unwrap();
            assert_eq!(call.captured[0].event.content.verbatim(), expected, "{response}");
            let unknown = u64::from(response.contains("newkind"));
            assert_eq!(call.tally.unknown.get("block.newkind").copied().unwrap_or(0), unknown);
        }
    }
}
