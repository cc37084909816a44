//! Hook calls: what a client tells a hook, sorted into what it means and what is to be remembered of it.

use crate::out::{Captured, Tally};
use memoir_event::{Client, Kind, Time};

/// A hook call, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct HookCall {
    /// The client.
    pub client: Client,
    /// The event's name, as the client spells it.
    pub event: String,
    /// The root session.
    pub session: String,
    /// The turn, where the client names it.
    pub turn: Option<String>,
    /// The session file.
    pub transcript: Option<String>,
    /// The session file of the sub-agent that the call is about.
    pub agent_transcript: Option<String>,
    /// The directory.
    pub cwd: Option<String>,
    /// What kind of moment it is.
    pub moment: Moment,
    /// How a session begins, where one does and the client tells.
    pub start: Option<Start>,
    /// The sub-agent that the call is from.
    pub agent: Option<String>,
    /// What the user asked, at the moment of a prompt; it may be words to the client itself.
    pub prompt: Option<String>,
    /// The tool, where one is called.
    pub tool: Option<String>,
    /// What the tool is given, as JSON.
    pub input: Option<String>,
    /// What is to be remembered.
    pub captured: Vec<Captured>,
    /// What is to be remembered if there is no session file: that tells the same, and better.
    pub fallback: Vec<Captured>,
    /// What is not.
    pub tally: Tally,
}

/// The moments in the life of a session that hooks are called at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A session begins, is taken up again, or goes on after a compaction.
    SessionStart,
    /// The user has asked something.
    Prompt,
    /// A tool is called, or was.
    Tool,
    /// A turn has ended.
    TurnEnd,
    /// A sub-agent begins or ends.
    Subagent,
    /// The conversation is about to be compacted, or was.
    Compaction,
    /// The session is over, as far as the client knows.
    SessionEnd,
    /// Anything else.
    Other,
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Anew, with the client.
    Startup,
    /// The same session goes on.
    Resume,
    /// Anew, in a client that runs.
    Clear,
    /// The same session goes on with a summary of what was before.
    Compact,
    /// Anew, with a copy of another session.
    Fork,
}

impl Start {
    /// The start that clients call so.
    pub(crate) fn named(name: &str) -> Option<Start> {
        match name {
            "startup" => Some(Start::Startup),
            "resume" => Some(Start::Resume),
            "clear" => Some(Start::Clear),
            "compact" => Some(Start::Compact),
            "fork" => Some(Start::Fork),
            _ => None,
        }
    }
}

impl HookCall {
    /// Whether a session begins whose file begins with a copy of another.
    pub fn is_fork(&self) -> bool {
        self.start == Some(Start::Fork)
    }

    /// What the user said, at the moment of a prompt: none if it was no more than an order to the client, an
    /// acknowledgement or a notification.
    pub fn speech(&self) -> Option<String> {
        let said = self.captured.iter().find(|captured| captured.event.kind() == Kind::UserMessage)?;
        Some(said.event.content.plain().into_owned())
    }
}

/// Why a hook call cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    /// Not a JSON object.
    #[error("the payload is not a JSON object")]
    NotJson,
    /// No session is named.
    #[error("the payload names no session")]
    NoSession,
    /// No hook of this client is known.
    #[error("{0} has no hooks that memoir knows; known are codex, claude and gemini")]
    NoHooks(Client),
}

/// Understands a hook call of that client, made at `now`.
pub fn read_hook(client: Client, payload: &str, now: &Time) -> Result<HookCall, HookError> {
    let payload = crate::parser::mended(payload);
    match client {
        Client::Codex => crate::codex::read_hook(&payload, now),
        Client::Claude => crate::claude::read_hook(&payload, now),
        Client::Gemini => crate::gemini::read_hook(&payload, now),
        Client::Copilot | Client::Opencode => Err(HookError::NoHooks(client)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(client: Client, event: &str, fields: &str) -> HookCall {
        let payload = format!(
            r#"{{"session_id":"s","turn_id":"t","prompt_id":"t","transcript_path":"/x.jsonl","cwd":"/p","hook_event_name":"{event}"{fields}}}"#
        );
        read_hook(client, &payload, &Time::from_ms(0)).unwrap()
    }

    fn contents(call: &HookCall) -> Vec<(Kind, &str)> {
        call.captured.iter().map(|one| (one.event.kind(), one.event.content.verbatim())).collect()
    }

    #[test]
    fn a_tool_that_needs_leave_and_does_not_get_it_is_noted_with_what_and_why() {
        let input = r#","tool_name":"Bash","tool_input":{"command":"touch x","description":"try"}"#;
        for client in [Client::Codex, Client::Claude] {
            let asked = told(client, "PermissionRequest", input);
            assert_eq!(contents(&asked), [(Kind::Context, r#"{"type":"permission-request","text":"Bash: touch x"}"#)]);
            assert_eq!(asked.captured[0].tools, ["Bash"]);
        }
        let denied =
            told(Client::Claude, "PermissionDenied", &format!(r#"{input},"tool_use_id":"u1","reason":"not safe""#));
        assert_eq!(
            contents(&denied),
            [(Kind::Context, r#"{"type":"permission-denied","text":"Bash: touch x\nnot safe"}"#)]
        );
        assert_eq!(denied.captured[0].event.action.as_deref(), Some("u1"));
        let gemini = r#","notification_type":"ToolPermission","message":"Shell needs leave","details":{"type":"exec","command":"touch x"}"#;
        assert_eq!(
            contents(&told(Client::Gemini, "Notification", gemini)),
            [(Kind::SessionSummary, "Shell needs leave: touch x")]
        );
    }

    #[test]
    fn what_a_model_response_cost_is_told_where_no_session_file_tells_it() {
        let usage = r#","model":"m","status":"completed","error":null,"token_usage":{"input_tokens":100,"cached_input_tokens":30,"output_tokens":20}"#;
        let call = told(Client::Codex, "PostModelRequest", usage);
        assert!(call.captured.is_empty());
        let cost = call.fallback[0].event.content.verbatim();
        assert_eq!(cost, r#"{"model":"m","input_tokens":70,"cached_input_tokens":30,"output_tokens":20}"#);
        assert_eq!(call.fallback[0].event.turn.as_deref(), Some("t"));
    }

    #[test]
    fn an_event_that_nobody_knows_is_kept_as_it_is_small_and_under_one_name() {
        let long = "x".repeat(5000);
        for (client, event) in
            [(Client::Codex, "BrandNew"), (Client::Claude, "CwdChanged"), (Client::Gemini, "BrandNew")]
        {
            let call = told(client, event, &format!(r#","to":"/elsewhere","text":"{long}""#));
            let [one] = &call.captured[..] else { panic!("{:?}", call.captured) };
            assert_eq!(one.event.kind(), Kind::Other);
            assert_eq!(one.event.shape.event_type, format!("{client}.hook.{event}"));
            let kept = one.event.content.verbatim();
            assert!(kept.contains("/elsewhere") && kept.len() < 1100 && !kept.contains("session_id"), "{kept}");
            assert_eq!(told(client, event, &format!(r#","to":"/elsewhere","text":"{long}""#)).captured, call.captured);
        }
        for (client, event) in
            [(Client::Codex, "PreModelRequest"), (Client::Claude, "PostToolBatch"), (Client::Gemini, "AfterModel")]
        {
            assert!(told(client, event, r#","tool_calls":[],"llm_request":{}"#).captured.is_empty());
        }
    }
}
