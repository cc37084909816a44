//! Gemini CLI hook calls. They carry a time and no ids: what they show is matched with the chat by what it says.

use super::tools;
use crate::aside;
use crate::hook::{HookCall, HookError, Moment, Start};
use crate::lenient::{Raw, Text, Words, lenient};
use crate::out::Out;
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, NO_MESSAGE, Scene, digest};
use crate::{shell, when};
use memoir_event::{Client, Identity, Kind, Source, Time};
use std::sync::Arc;

lenient! {
    struct Payload1<'a> {
        event: Text<'a> = "hook_event_name",
        session_id: Text<'a> = "session_id",
        transcript_path: Text<'a> = "transcript_path",
        cwd: Text<'a> = "cwd",
        source: Text<'a> = "source",
        timestamp: Raw<'a> = "timestamp",
        prompt: Words<'a> = "prompt",
        prompt_response: Words<'a> = "prompt_response",
        tool_name: Text<'a> = "tool_name",
        tool_input: Raw<'a> = "tool_input",
        tool_response: Raw<'a> = "tool_response",
        message: Words<'a> = "message",
        details: Raw<'a> = "details",
    }
}

lenient! {
    /// What the client wants to do.
    struct Details<'a> {
        command: Text<'a> = "command",
        file: Text<'a> = "fileName",
    }
}

lenient! {
    struct Response<'a> {
        content: Raw<'a> = "llmContent",
        display: Raw<'a> = "returnDisplay",
        error: Raw<'a> = "error",
    }
}

lenient! {
    struct Failure<'a> {
        message: Text<'a> = "message",
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
    let mut scene = Scene::new(Client::Gemini, Source::GeminiCliHook);
    session.clone_into(&mut scene.session);
    session.clone_into(&mut scene.thread);
    scene.cwd = call.cwd.said().map(Arc::from);
    let time = when::read(call.timestamp).ok().flatten().unwrap_or_else(|| now.clone());
    let mut out = Out::default();
    let mut maker = Maker::live(&scene, Some(time.clone()), &mut out);
    let moment = remember(&event, &call, payload, &mut maker);
    let mut fallback = Vec::new();
    if event == "AfterAgent" {
        fallback = std::mem::take(&mut out.events);
    }
    for captured in out.events.iter_mut().chain(&mut fallback) {
        name(&event, &time, &mut captured.event.identities, captured.event.content.verbatim());
    }
    Ok(HookCall {
        client: Client::Gemini,
        event,
        session: session.to_owned(),
        turn: None,
        transcript: call.transcript_path.owned(),
        agent_transcript: None,
        cwd: call.cwd.owned(),
        moment,
        start: call.source.said().filter(|_| moment == Moment::SessionStart).and_then(Start::named),
        agent: None,
        prompt: call.prompt.owned(),
        tool: call.tool_name.owned(),
        input: call.tool_input.get().map(str::to_owned),
        captured: out.events,
        fallback,
        tally: out.tally,
    })
}

/// Names the capture itself, so that the same call again doubles nothing.
fn name(event: &str, time: &Time, identities: &mut Vec<Identity>, content: &str) {
    let is_session =
        identities.iter().any(|identity| matches!(identity, Identity::Item { id, .. } if id.starts_with("started/")));
    if !is_session {
        identities.retain(|identity| matches!(identity, Identity::Alike(_)));
        identities.insert(0, call_name(event, time, content));
    }
}

fn call_name(event: &str, time: &Time, content: &str) -> Identity {
    Identity::Named(format!("hook/{event}/{}/{}", time.ms(), digest(content)))
}

/// The name that a call gave to an event of that kind.
pub(crate) fn name_of_kind(kind: Kind, time: &Time, content: &str) -> Option<Identity> {
    let event = match kind {
        Kind::UserMessage | Kind::Context => "BeforeAgent",
        Kind::ToolCall => "BeforeTool",
        Kind::ToolResult | Kind::Command | Kind::FileChange => "AfterTool",
        Kind::AssistantMessage => "AfterAgent",
        Kind::SessionSummary if content == NO_MESSAGE => "AfterAgent",
        Kind::SessionSummary => "Notification",
        _ => return None,
    };
    Some(call_name(event, time, content))
}

fn remember(event: &str, call: &Payload1<'_>, payload: &str, maker: &mut Maker<'_>) -> Moment {
    match event {
        "SessionStart" => {
            let details = Payload::new().said("thread_id", call.session_id.said()).said("cwd", call.cwd.said());
            maker.session_started(details);
            Moment::SessionStart
        }
        "BeforeAgent" => {
            maker.prompt(call.prompt.get().unwrap_or_default());
            Moment::Prompt
        }
        "AfterAgent" => {
            match call.prompt_response.said() {
                Some(text) => maker.assistant(text.to_owned(), Vec::new()),
                None => maker.notice(NO_MESSAGE.to_owned(), Vec::new()),
            }
            Moment::TurnEnd
        }
        "BeforeTool" => {
            let tool = call.tool_name.said().unwrap_or("tool");
            maker.tool_call(Call { id: None, name: tool, arguments: None }, call.tool_input.get().unwrap_or("{}"));
            Moment::Tool
        }
        "AfterTool" => {
            tool_done(call, maker);
            Moment::Tool
        }
        "Notification" => {
            if let Some(text) = call.message.said() {
                let details: Details<'_> = call.details.read();
                let what = details.command.said().or_else(|| details.file.said());
                maker.notice(what.map_or_else(|| text.to_owned(), |what| format!("{text}: {what}")), Vec::new());
            }
            Moment::Other
        }
        "PreCompress" => Moment::Compaction,
        "SessionEnd" => Moment::SessionEnd,
        // The chat has what was asked and answered, once.
        "BeforeModel" | "BeforeToolSelection" | "AfterModel" => Moment::Other,
        _ => {
            aside::note(event, payload, maker);
            Moment::Other
        }
    }
}

fn tool_done(call: &Payload1<'_>, maker: &mut Maker<'_>) {
    let tool = call.tool_name.said().unwrap_or("tool");
    let arguments = call.tool_input.get().unwrap_or("{}");
    let of = Call { id: None, name: tool, arguments: Some(arguments) };
    let response: Response<'_> = call.tool_response.read();
    let failed = response.error.get().is_some();
    let told = tools::told(tool, &shown(call.tool_response, &response), failed, maker.out);
    let changes = if failed { Vec::new() } else { tools::changes(tool, arguments, response.display) };
    maker.tool_result(of, told.output, told.exit_code, told.failed);
    if let Some(script) = shell::script_of_call(tool, arguments) {
        let status = if failed { "error" } else { "success" };
        maker.command(of, &script, Ending { exit_code: told.exit_code, status: Some(status), ..Ending::default() });
    }
    maker.file_change(of, &changes, Some("completed"));
}

/// What the model was shown, or else what went wrong, or else all that is there.
fn shown(whole: Raw<'_>, response: &Response<'_>) -> String {
    let content = response.content.get().or(response.error.get()).or(whole.get());
    if response.content.get().is_none()
        && let Some(text) = response.error.read::<Failure<'_>>().message.said()
    {
        return text.to_owned();
    }
    let content: serde_json::Value = content.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    tools::text_of_result(&content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_may_answer_with_anything() {
        for (response, expected) in [
            (r#""plain""#, "plain"),
            (r#"{"foo":"bar"}"#, r#"{"foo":"bar"}"#),
            (r#"{"llmContent":{"x":"y"}}"#, r#"{"x":"y"}"#),
            (r#"{"llmContent":"told","returnDisplay":"shown"}"#, "told"),
            (r#"{"llmContent":"Error: no","error":{"message":"no"}}"#, "Error: no"),
            (r#"{"error":{"message":"went wrong"}}"#, "went wrong"),
            (r#"{"error":5}"#, "5"),
            ("[1,2]", "[1,2]"),
            ("true", "true"),
        ] {
            let payload = format!(
                r#"{{"session_id":"s","hook_event_name":"AfterTool","tool_name":"t","tool_response":{response}}}"#
            );
            let call = read_hook(&payload, &Time::from_ms(0)).unwrap();
            assert_eq!(call.captured[0].event.content.verbatim(), expected, "{response}");
        }
    }
}
