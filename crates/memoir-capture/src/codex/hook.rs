//! Codex hook calls.

use super::rollout::Usage;
use crate::aside::{self, Leave};
use crate::content::Returned;
use crate::hook::{HookCall, HookError, Moment, Start};
use crate::lenient::{Raw, Text, Words, lenient};
use crate::likeness;
use crate::out::Out;
use crate::patch::changes_of_patch;
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, NO_MESSAGE, Scene, item};
use crate::shell;
use memoir_event::{Client, Identity, Kind, Source, Time};
use std::sync::Arc;

lenient! {
    struct Call1<'a> {
        event: Text<'a> = "hook_event_name",
        session_id: Text<'a> = "session_id",
        turn_id: Text<'a> = "turn_id",
        transcript_path: Text<'a> = "transcript_path",
        agent_transcript_path: Text<'a> = "agent_transcript_path",
        agent_id: Text<'a> = "agent_id",
        agent_type: Text<'a> = "agent_type",
        cwd: Text<'a> = "cwd",
        model: Text<'a> = "model",
        source: Text<'a> = "source",
        prompt: Words<'a> = "prompt",
        tool_name: Text<'a> = "tool_name",
        tool_input: Raw<'a> = "tool_input",
        tool_use_id: Text<'a> = "tool_use_id",
        tool_response: Raw<'a> = "tool_response",
        last_assistant_message: Words<'a> = "last_assistant_message",
        message: Words<'a> = "message",
        error: Raw<'a> = "error",
        reason: Text<'a> = "reason",
        token_usage: Raw<'a> = "token_usage",
    }
}

/// Understands a call.
pub(crate) fn read_hook(payload: &str, now: &Time) -> Result<HookCall, HookError> {
    let call: Call1<'_> = serde_json::from_str(payload).map_err(|_| HookError::NotJson)?;
    if !payload.trim_start().starts_with('{') {
        return Err(HookError::NotJson);
    }
    let session = call.session_id.said().ok_or(HookError::NoSession)?;
    let event = call.event.get().unwrap_or_default().to_owned();
    let mut scene = Scene::new(Client::Codex, Source::CodexHook);
    session.clone_into(&mut scene.session);
    call.agent_id.said().unwrap_or(session).clone_into(&mut scene.thread);
    scene.turn = call.turn_id.owned();
    scene.cwd = call.cwd.said().map(Arc::from);
    let mut out = Out::default();
    let mut maker = Maker::live(&scene, Some(now.clone()), &mut out);
    let moment = remember(&event, &call, payload, &mut maker);
    let (captured, fallback) = out.events.into_iter().partition(|captured| captured.event.kind() != Kind::Usage);
    Ok(HookCall {
        client: Client::Codex,
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
        captured,
        fallback,
        tally: out.tally,
    })
}

fn remember(event: &str, call: &Call1<'_>, payload: &str, maker: &mut Maker<'_>) -> Moment {
    let turn = call.turn_id.said().unwrap_or_default();
    match event {
        "SessionStart" => {
            maker.session_started(started(call));
            Moment::SessionStart
        }
        "UserPromptSubmit" => {
            maker.prompt(call.prompt.get().unwrap_or_default());
            Moment::Prompt
        }
        "PreToolUse" => {
            let name = call.tool_name.said().unwrap_or("tool");
            let input = call.tool_input.get().unwrap_or("{}");
            let arguments = patch_as_written(name, input).unwrap_or_else(|| input.to_owned());
            maker.tool_call(Call { id: call.tool_use_id.said(), name, arguments: None }, &arguments);
            Moment::Tool
        }
        "PostToolUse" => {
            tool_done(call, maker);
            Moment::Tool
        }
        "Stop" | "SubagentStop" | "Notification" => {
            let text = call.last_assistant_message.said().filter(|_| event != "Notification");
            match (text, call.message.said()) {
                (Some(text), _) => {
                    maker.assistant(text.to_owned(), maker.scene.said("assistant", text, 0).into_iter().collect())
                }
                (None, message) => {
                    let said = message.unwrap_or(NO_MESSAGE);
                    maker.notice(said.to_owned(), maker.scene.said(event, said, 0).into_iter().collect());
                }
            }
            match event {
                "Stop" => Moment::TurnEnd,
                "SubagentStop" => Moment::Subagent,
                _ => Moment::Other,
            }
        }
        "SubagentStart" => {
            maker.session_started(started(call).said("agent_type", call.agent_type.said()));
            Moment::Subagent
        }
        "Interrupt" => {
            maker.turn_completed(turn, "interrupted", &Payload::new());
            Moment::TurnEnd
        }
        "PostModelRequest" => {
            if let Some(error) = call.error.get() {
                let text = serde_json::from_str::<String>(error).unwrap_or_else(|_| error.to_owned());
                maker.error(text.clone(), maker.scene.said("error", &text, 0).into_iter().collect());
            }
            if call.token_usage.is_object() {
                let at_ms = maker.time.as_ref().map_or(0, Time::ms);
                let name = Identity::Named(format!("hook/{event}/{turn}/{at_ms}"));
                maker.usage_named(name, call.model.said(), call.token_usage.read::<Usage<'_>>().tokens());
            }
            Moment::Other
        }
        "PostCompact" => {
            let text = "(compacted)".to_owned();
            maker.summary(text, vec![item(&format!("compaction/{turn}"), 0)]);
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
        // Only says what PostModelRequest says again.
        "PreModelRequest" => Moment::Other,
        _ => {
            aside::note(event, payload, maker);
            Moment::Other
        }
    }
}

fn started(call: &Call1<'_>) -> Payload {
    let thread = call.agent_id.said().or_else(|| call.session_id.said());
    Payload::new().said("thread_id", thread).said("cwd", call.cwd.said()).said("model", call.model.said())
}

/// The arguments of a patch as the session file has them: hooks call the patch a command.
fn patch_as_written(name: &str, input: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(input).ok().filter(|_| name == "apply_patch")?;
    Some(Payload::new().text("input", value.get("command")?.as_str()?).end())
}

fn tool_done(call: &Call1<'_>, maker: &mut Maker<'_>) {
    let name = call.tool_name.said().unwrap_or("tool");
    let of = Call { id: call.tool_use_id.said(), name, arguments: None };
    let arguments = call.tool_input.get().unwrap_or("{}");
    let Returned { text, unknown } = super::rollout::mcp_returned(call.tool_response);
    let script = shell::script_of_call(name, arguments);
    let told =
        if script.is_some() { shell::Told { output: text, exit_code: None } } else { shell::told_by_codex(&text) };
    let failed = told.exit_code.is_some_and(|code| code != 0);
    let worked = told.exit_code == Some(0) || told.output.trim_start().starts_with("Success.");
    let asked = likeness::arguments_to_keep(name, arguments);
    let answered = Call { arguments: asked.as_deref(), ..of };
    maker.tool_result(answered, told.output, told.exit_code, failed);
    maker.unknown_of_result(of.id, &unknown);
    if let Some(script) = script {
        maker.command(of, &script, Ending::default());
    }
    if name == "apply_patch" && worked {
        let value: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
        let patch = ["command", "input", "patch"].iter().find_map(|name| value.get(name)?.as_str());
        maker.file_change(of, &changes_of_patch(patch.unwrap_or_default()), Some("completed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_called_with_the_same_words_as_in_the_session_file() {
        let payload = r#"{"session_id":"s","turn_id":"t","hook_event_name":"PreToolUse","tool_name":"apply_patch",
            "tool_use_id":"c","tool_input":{"command":"*** Begin Patch\n*** End Patch"}}"#;
        let call = read_hook(payload, &Time::from_ms(0)).unwrap();
        assert_eq!(
            call.captured[0].event.content.verbatim(),
            r#"{"item":{"type":"tool_call","name":"apply_patch","arguments":{"input":"*** Begin Patch\n*** End Patch"}}}"#
        );
    }

    #[test]
    fn a_tool_may_answer_with_anything() {
        for (response, expected) in [
            (r#""plain""#, "plain"),
            (r#"{"foo": 1.50}"#, r#"{"foo": 1.50}"#),
            (r#"["a","b"]"#, r#"["a","b"]"#),
            ("42", "42"),
            ("null", ""),
            (r#"{"content":[{"type":"text","text":"told"},{"type":"newkind","x":1}],"isError":false}"#, "told"),
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
