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
