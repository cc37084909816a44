//! What a file is, and which parser reads it.

use memchr::memmem;
use memoir_capture::{Parser, Salt, claude, codex, copilot, gemini};
use memoir_event::{Client, Source, Time};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// So much of a line shows whether a run begins with it.
const HEAD_OF_RUN_BYTES: usize = 256;

/// The forms of files that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A Codex session.
    CodexRollout,
    /// Output of `codex exec --json`.
    CodexExec,
    /// A Claude Code session.
    ClaudeTranscript,
    /// Output of `claude --output-format stream-json`.
    ClaudeStream,
    /// A Gemini CLI chat, one message to a line.
    GeminiChat,
    /// A Gemini CLI chat that is one JSON object.
    GeminiChatJson,
    /// Prompts that Gemini CLI logs.
    GeminiLog,
    /// Output of `gemini -o stream-json`.
    GeminiStream,
    /// A Copilot CLI session.
    CopilotEvents,
    /// The database of opencode.
    OpencodeDatabase,
}

impl Format {
    /// The client that writes it.
    pub const fn client(self) -> Client {
        match self {
            Format::CodexRollout | Format::CodexExec => Client::Codex,
            Format::ClaudeTranscript | Format::ClaudeStream => Client::Claude,
            Format::GeminiChat | Format::GeminiChatJson | Format::GeminiLog | Format::GeminiStream => Client::Gemini,
            Format::CopilotEvents => Client::Copilot,
            Format::OpencodeDatabase => Client::Opencode,
        }
    }

    /// Whether it is a client's stream, saved: it names no run.
    pub(super) const fn is_stream(self) -> bool {
        matches!(self, Format::CodexExec | Format::ClaudeStream | Format::GeminiStream)
    }

    /// Whether a run begins with that line: several may be saved to one file. Claude Code gives records names of their own.
    pub(super) fn begins_run(self, line: &[u8]) -> bool {
        let kinds: &[&str] = match self {
            Format::CodexExec => &["thread.started", "session.created"],
            Format::GeminiStream => &["init"],
            _ => return false,
        };
        let head = line.get(..HEAD_OF_RUN_BYTES).unwrap_or(line);
        kinds.iter().any(|kind| memmem::find(head, kind.as_bytes()).is_some())
            && serde_json::from_slice::<serde_json::Value>(line)
                .is_ok_and(|line| kinds.iter().any(|kind| line["type"] == *kind))
    }

    /// Whether it is read line by line.
    pub(super) const fn has_lines(self) -> bool {
        !matches!(self, Format::GeminiChatJson | Format::GeminiLog | Format::OpencodeDatabase)
    }

    /// What a file is, by its name and, where that tells nothing, by how it begins.
    pub fn of_file(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?;
        if name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")) {
            return Some(Format::CodexRollout);
        }
        if name == "logs.json" {
            return Some(Format::GeminiLog);
        }
        if name.starts_with("opencode") && name.ends_with(".db") {
            return Some(Format::OpencodeDatabase);
        }
        let mut head = Vec::new();
        File::open(path).ok()?.take(64 << 10).read_to_end(&mut head).ok()?;
        of_beginning(&String::from_utf8_lossy(&head))
    }
}

/// What a file is by its first lines.
fn of_beginning(text: &str) -> Option<Format> {
    let flat: String = text.chars().take(4096).filter(|c| !c.is_whitespace()).collect();
    if flat.starts_with("{\"sessionId\"") && flat.contains("\"messages\":[") && text.lines().next() == Some("{") {
        return Some(Format::GeminiChatJson);
    }
    text.lines().filter(|line| line.starts_with('{')).take(40).find_map(of_line)
}

fn of_line(line: &str) -> Option<Format> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let has = |name: &str| value.get(name).is_some();
    let kind = value.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
    match kind {
        "thread.started" | "session.created" => Some(Format::CodexExec),
        "session_meta" | "response_item" | "event_msg" | "turn_context" if has("payload") => Some(Format::CodexRollout),
        "init" if has("session_id") && has("timestamp") => Some(Format::GeminiStream),
        "system" if value.get("subtype").is_some_and(|kind| kind == "init") && has("session_id") => {
            Some(Format::ClaudeStream)
        }
        "session.start" if has("data") => Some(Format::CopilotEvents),
        "user" | "assistant" if has("sessionId") => Some(Format::ClaudeTranscript),
        "user" | "assistant" if has("session_id") && has("uuid") => Some(Format::ClaudeStream),
        "queue-operation" | "file-history-snapshot" | "last-prompt" | "summary" | "mode" => {
            Some(Format::ClaudeTranscript)
        }
        _ if has("sessionId") && has("projectHash") => Some(Format::GeminiChat),
        _ if has("sessionId") && has("messages") => Some(Format::GeminiChatJson),
        _ if has("record_type") || (has("id") && has("timestamp") && has("instructions")) => Some(Format::CodexRollout),
        _ if has("workdir") && has("model") => Some(Format::CodexExec),
        _ => None,
    }
}

/// The parser of a file's lines; with a state it goes on from there.
pub(super) fn parser(
    format: Format,
    path: &Path,
    cwd: Option<&str>,
    run: &str,
    state: Option<&str>,
    salt: Salt,
) -> Box<dyn Parser> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split(".jsonl").next().unwrap_or_default();
    let directory = || path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let resumed: Option<Box<dyn Parser>> = state.and_then(|state| match format {
        Format::CodexRollout => codex::Rollout::resume(state, salt).map(boxed),
        Format::CodexExec => codex::ExecStream::resume(Source::CodexExec, run, state).map(boxed),
        Format::ClaudeTranscript => claude::Transcript::resume(Source::ClaudeCodeHistory, state, salt).map(boxed),
        Format::ClaudeStream => claude::Transcript::resume(Source::ClaudeCodeExec, state, salt).map(boxed),
        Format::GeminiStream => gemini::ExecStream::resume(run, state).map(boxed),
        Format::CopilotEvents => copilot::Events::resume(state).map(boxed),
        Format::GeminiChat | Format::GeminiChatJson | Format::GeminiLog | Format::OpencodeDatabase => {
            gemini::Chat::resume(state).map(boxed)
        }
    });
    if let Some(parser) = resumed {
        return parser;
    }
    match format {
        Format::CodexRollout => boxed(codex::Rollout::new(thread_of(stem), salt).begun(begun_of(stem))),
        Format::CodexExec => boxed(codex::ExecStream::new(Source::CodexExec, run, cwd, None)),
        Format::ClaudeTranscript => {
            boxed(claude::Transcript::new(Some(stem).filter(|stem| !stem.starts_with("agent-")), salt))
        }
        Format::ClaudeStream => boxed(claude::Transcript::stream(run, cwd, None, None)),
        Format::GeminiStream => boxed(gemini::ExecStream::new(run, cwd, None)),
        Format::CopilotEvents => boxed(copilot::Events::new(directory().as_deref())),
        Format::GeminiChat | Format::GeminiChatJson | Format::GeminiLog | Format::OpencodeDatabase => {
            boxed(gemini::Chat::new(chat_place(path, cwd)))
        }
    }
}

fn boxed<P: Parser + 'static>(parser: P) -> Box<dyn Parser> {
    Box::new(parser)
}

/// The thread in the name of a rollout: the first id after its time.
fn thread_of(stem: &str) -> Option<&str> {
    let rest = stem.strip_prefix("rollout-")?;
    // 2026-11-16T03-55-09-<thread>[_<rollout>]
    rest.get(20..).map(|ids| ids.split('_').next().unwrap_or_default()).filter(|id| id.len() >= 32)
}

/// The time in the name of a rollout: `rollout-2026-11-16T03-55-09-…`.
fn begun_of(stem: &str) -> Option<Time> {
    let (date, time) = stem.strip_prefix("rollout-")?.get(..19)?.split_once('T')?;
    Time::parse(&format!("{date}T{}Z", time.replace('-', ":"))).ok()
}

/// What the place of a chat says about it: a sub-agent's lies in a directory named after its session.
pub(super) fn chat_place(path: &Path, cwd: Option<&str>) -> gemini::ChatPlace {
    let directory = path.parent();
    let name = directory.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let above = directory.and_then(Path::parent).and_then(Path::file_name).and_then(|name| name.to_str());
    let parent = (above == Some("chats")).then(|| name.to_owned());
    gemini::ChatPlace { cwd: cwd.map(str::to_owned), parent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_how_it_begins() {
        for (line, format) in [
            (r#"{"type":"thread.started","thread_id":"t"}"#, Format::CodexExec),
            (r#"{"timestamp":"t","type":"session_meta","payload":{}}"#, Format::CodexRollout),
            (r#"{"id":"x","timestamp":"t","instructions":null}"#, Format::CodexRollout),
            (r#"{"type":"system","subtype":"init","session_id":"s"}"#, Format::ClaudeStream),
            (r#"{"type":"user","sessionId":"s","message":{}}"#, Format::ClaudeTranscript),
            (r#"{"type":"init","timestamp":"t","session_id":"s"}"#, Format::GeminiStream),
            (r#"{"sessionId":"s","projectHash":"h"}"#, Format::GeminiChat),
            ("{\n  \"sessionId\": \"s\",\n  \"messages\": [\n", Format::GeminiChatJson),
            (r#"{"type":"session.start","data":{}}"#, Format::CopilotEvents),
        ] {
            assert_eq!(of_beginning(&format!("{line}\n{{}}")), Some(format), "{line}");
        }
        assert_eq!(of_beginning("hello\nworld"), None);
        assert_eq!(
            thread_of("rollout-2026-11-16T03-55-09-01a1e27e-965d-7132-9211-af161038a2d4"),
            Some("01a1e27e-965d-7132-9211-af161038a2d4")
        );
        let begun = begun_of("rollout-2025-08-05T10-00-07-01a1e27e-965d-7132-9211-af161038a2d4").unwrap();
        assert_eq!(begun.given(), "2025-08-05T10:00:07Z");
        assert!(begun_of("rollout-x").is_none() && begun_of("rollout-2025-08-05 10-00-07").is_none());
    }
}
