//! Records of Claude Code that hold nothing to remember.

/// Kinds of records that are about the client itself.
const KINDS: [&str; 49] = [
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "summary",
    "last-prompt",
    "mode",
    "permission-mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tools-used",
    "atis-latch",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "tag",
    "relocated",
    "frame-link",
    "bridge-session",
    "history-suppression",
    "attribution-snapshot",
    "isolation-latch",
    "session-owner",
    "dev-mods",
    "memory-mode",
    "worktree-state",
    "observer-ref",
    "content-replacement",
    "data-flow-records",
    "data-flow-incomplete",
    "derived-from",
    "fork-context-ref",
    "continued-in",
    "resume-head-vouch",
    "ended-by-model",
    "repl-mode",
    "stream_event",
    "rate_limit_event",
    "keep_alive",
    "control_request",
    "control_response",
    "tool_progress",
    "auth_status",
    "prompt_suggestion",
    "tool_use_summary",
    "streamlined_text",
    "streamlined_tool_use_summary",
    "session-created",
    "compact-state",
];

/// The kind of a record that is left out.
pub(super) fn left_out(kind: &str) -> Option<&'static str> {
    let artifact = kind.starts_with("artifact-").then_some("artifact");
    KINDS.iter().find(|known| **known == kind).copied().or(artifact)
}

/// Kinds that can be told by the beginning of a line: most of a file's bytes are in these.
pub(super) fn left_out_at_once(line: &str) -> Option<&'static str> {
    let rest = line.strip_prefix("{\"type\":\"")?;
    let kind = rest.split('"').next()?;
    if kind.starts_with("api-request") || kind == "file-history-snapshot" { left_out(kind) } else { None }
}
