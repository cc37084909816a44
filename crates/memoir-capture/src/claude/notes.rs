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

/// System records that are about the client itself.
const SYSTEM: [&str; 28] = [
    "init",
    "thinking_tokens",
    "compact_boundary",
    "microcompact_boundary",
    "stop_hook_summary",
    "hook_started",
    "hook_progress",
    "hook_response",
    "status",
    "informational",
    "away_summary",
    "api_retry",
    "api_metrics",
    "task_started",
    "task_progress",
    "task_updated",
    "task_notification",
    "files_persisted",
    "bridge_status",
    "memory_saved",
    "permission_retry",
    "agents_killed",
    "scheduled_task_fire",
    "session_state_changed",
    "post_turn_summary",
    "elicitation_complete",
    "local_command_output",
    "file_snapshot",
];

/// Attachments with which the client tells the model of itself, of its tools and of what the user looks at.
const ATTACHMENTS: [&str; 62] = [
    "agent_listing_delta",
    "agent_mention",
    "already_read_file",
    "async_hook_response",
    "auto_mode",
    "auto_mode_exit",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "compaction_reminder",
    "companion_intro",
    "context_efficiency",
    "critical_system_reminder",
    "current_session_memory",
    "date",
    "date_change",
    "deferred_tools_delta",
    "diagnostics",
    "directory",
    "dynamic_skill",
    "edited_image_file",
    "edited_text_file",
    "environment",
    "file",
    "goal_status",
    "image",
    "invoked_skills",
    "max_turns_reached",
    "mcp_instructions_delta",
    "mcp_resource",
    "model",
    "nested_memory",
    "new_diagnostics",
    "opened_file_in_ide",
    "output_style",
    "output_token_usage",
    "pdf_reference",
    "plan_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "prompt_snapshot",
    "relevant_memories",
    "remote_session_change",
    "selected_lines_in_ide",
    "session_context",
    "skill_discovery",
    "skill_listing",
    "structured_output",
    "task_reminder",
    "task_status",
    "team_context",
    "teammate_mailbox",
    "teammate_shutdown_batch",
    "text_file",
    "todo",
    "todo_reminder",
    "token_usage",
    "ultrathink_effort",
    "unified_task_status",
    "user_context",
    "verify_plan_reminder",
];

/// Whether a system record of that kind is about the client itself.
pub(super) fn is_about_client(kind: &str) -> bool {
    SYSTEM.contains(&kind)
}

/// Whether an attachment of that kind is known to hold nothing to remember.
pub(super) fn is_known_attachment(kind: &str) -> bool {
    ATTACHMENTS.contains(&kind)
}

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
