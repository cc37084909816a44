//! Where an event was captured, and which client's session it belongs to.

use crate::access::vocabulary;
use serde::{Deserialize, Serialize};

vocabulary! {
    /// The way an event came in.
    Source {
        /// Live Codex SDK stream.
        CodexSdk = 0 "codex_sdk",
        /// Output of `codex exec --json`.
        CodexExec = 1 "codex_exec",
        /// Codex session files.
        CodexHistory = 2 "codex_history",
        /// Claude Code transcripts.
        ClaudeCodeHistory = 3 "claude_code_history",
        /// Gemini CLI chats.
        GeminiCliHistory = 4 "gemini_cli_history",
        /// A wrapped Claude Code run.
        ClaudeCodeExec = 5 "claude_code_exec",
        /// A wrapped Gemini CLI run.
        GeminiCliExec = 6 "gemini_cli_exec",
        /// A Codex hook call.
        CodexHook = 7 "codex_hook",
        /// A Claude Code hook call.
        ClaudeCodeHook = 8 "claude_code_hook",
        /// A Gemini CLI hook call.
        GeminiCliHook = 9 "gemini_cli_hook",
        /// Capture events piped into `memoir ingest`.
        Recorder = 10 "recorder",
        /// Raw records posted to the server.
        Http = 11 "http",
        /// The model proxy.
        Proxy = 12 "proxy",
        /// memoir itself: memories, archives, tombstones, aliases.
        Memoir = 13 "memoir",
        /// Copilot CLI sessions.
        CopilotCliHistory = 14 "copilot_cli_history",
        /// opencode sessions.
        OpencodeHistory = 15 "opencode_history",
        /// Prompts that Gemini CLI logs beside its chats.
        GeminiCliLog = 16 "gemini_cli_log",
    }
}

vocabulary! {
    /// The agent program whose own session id a session carries.
    Client {
        /// OpenAI Codex CLI.
        Codex = 1 "codex",
        /// Anthropic Claude Code.
        Claude = 2 "claude",
        /// Google Gemini CLI.
        Gemini = 3 "gemini",
        /// GitHub Copilot CLI.
        Copilot = 4 "copilot",
        /// opencode.
        Opencode = 5 "opencode",
    }
}

impl Source {
    /// Whether a hook saw it, perhaps before all of it was there.
    pub const fn is_hook(self) -> bool {
        matches!(self, Source::CodexHook | Source::ClaudeCodeHook | Source::GeminiCliHook)
    }

    /// Whether it was seen in what a client printed.
    pub const fn is_stream(self) -> bool {
        matches!(self, Source::CodexExec | Source::CodexSdk | Source::ClaudeCodeExec | Source::GeminiCliExec)
    }
}

impl Client {
    /// The short prefix that people see before the client's own session id.
    pub const fn prefix(self) -> &'static str {
        match self {
            Client::Codex => "cx",
            Client::Claude => "cc",
            Client::Gemini => "gm",
            Client::Copilot => "cp",
            Client::Opencode => "oc",
        }
    }

    /// The client that an adapter's free-form name means, if it is one we know.
    pub fn from_adapter(name: &str) -> Option<Client> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.to_ascii_lowercase().as_str() {
            "codex" | "codexcli" | "openaicodex" => Some(Client::Codex),
            "claude" | "claudecode" | "claudecli" => Some(Client::Claude),
            "gemini" | "geminicli" => Some(Client::Gemini),
            "copilot" | "copilotcli" | "githubcopilot" => Some(Client::Copilot),
            "opencode" => Some(Client::Opencode),
            _ => None,
        }
    }

    /// The client whose work comes in by that way.
    pub fn of_source(source: Source) -> Option<Client> {
        let name = source.as_str();
        let is_of = |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with('_'));
        let starts = [
            ("codex", Client::Codex),
            ("claude_code", Client::Claude),
            ("gemini_cli", Client::Gemini),
            ("copilot_cli", Client::Copilot),
            ("opencode", Client::Opencode),
        ];
        starts.into_iter().find(|(start, _)| is_of(start)).map(|(_, client)| client)
    }

    /// Splits `cx-0193…` into the client and its own id; any other text has no client.
    pub fn split_session(shown: &str) -> (Option<Client>, &str) {
        for client in Client::ALL {
            if let Some(id) = shown.strip_prefix(client.prefix()).and_then(|rest| rest.strip_prefix('-'))
                && !id.is_empty()
            {
                return (Some(*client), id);
            }
        }
        (None, shown)
    }

    /// The form of a session id that people see.
    pub fn shown_session(client: Option<Client>, id: &str) -> String {
        client.map_or_else(|| id.to_owned(), |client| format!("{}-{id}", client.prefix()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_session_splits_back_into_client_and_id() {
        assert_eq!(
            Client::split_session(&Client::shown_session(Some(Client::Codex), "0193")),
            (Some(Client::Codex), "0193")
        );
        assert_eq!(Client::split_session("cx-"), (None, "cx-"));
        assert_eq!(Client::split_session("demo"), (None, "demo"));
    }

    #[test]
    fn adapters_are_recognised_whatever_their_spelling() {
        assert_eq!(Client::from_adapter("Claude Code"), Some(Client::Claude));
        assert_eq!(Client::from_adapter("gemini-cli"), Some(Client::Gemini));
        assert_eq!(Client::from_adapter("cursor"), None);
    }

    #[test]
    fn a_source_tells_its_client() {
        assert_eq!(Client::of_source(Source::CodexHook), Some(Client::Codex));
        assert_eq!(Client::of_source(Source::GeminiCliHistory), Some(Client::Gemini));
        assert_eq!(Client::of_source(Source::OpencodeHistory), Some(Client::Opencode));
        assert_eq!(Client::of_source(Source::Http), None);
    }
}
