//! Which hook events memoir wants of each client, and how they are called.

use memoir_event::Client;

/// One hook event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookEvent {
    /// Its name in the client's settings.
    pub name: &'static str,
    /// Which tools it is for, where it is about tools.
    pub matcher: Option<&'static str>,
    /// How long the client waits, in the client's own unit.
    pub timeout: u64,
}

const fn event(name: &'static str, timeout: u64) -> HookEvent {
    HookEvent { name, matcher: None, timeout }
}

const fn tool(name: &'static str, matcher: &'static str, timeout: u64) -> HookEvent {
    HookEvent { name, matcher: Some(matcher), timeout }
}

/// Seconds. The last two are cut to three by the client itself. A compressor may take its time at the first two; without
/// one memoir's own limit is two seconds.
const CODEX: [HookEvent; 12] = [
    event("SessionStart", 70),
    event("UserPromptSubmit", 130),
    tool("PreToolUse", "*", 10),
    tool("PermissionRequest", "*", 10),
    tool("PostToolUse", "*", 10),
    event("PreCompact", 10),
    event("PostCompact", 10),
    event("SubagentStart", 10),
    event("SubagentStop", 10),
    event("Stop", 10),
    event("Interrupt", 3),
    event("SessionEnd", 3),
];

/// Seconds.
const CLAUDE: [HookEvent; 15] = [
    event("SessionStart", 70),
    event("UserPromptSubmit", 130),
    event("UserPromptExpansion", 10),
    tool("PreToolUse", "*", 10),
    tool("PermissionRequest", "*", 10),
    tool("PermissionDenied", "*", 10),
    tool("PostToolUse", "*", 10),
    tool("PostToolUseFailure", "*", 10),
    event("SubagentStart", 10),
    event("SubagentStop", 10),
    event("Stop", 10),
    event("StopFailure", 10),
    event("PreCompact", 10),
    event("PostCompact", 10),
    event("SessionEnd", 10),
];

/// Milliseconds.
const GEMINI: [HookEvent; 6] = [
    event("SessionStart", 70_000),
    event("BeforeAgent", 130_000),
    tool("BeforeTool", ".*", 10_000),
    tool("AfterTool", ".*", 10_000),
    event("AfterAgent", 10_000),
    event("SessionEnd", 10_000),
];

/// The events that memoir wants of a client: those that show something which the others do not.
pub const fn hook_events(client: Client) -> &'static [HookEvent] {
    match client {
        Client::Codex => &CODEX,
        Client::Claude => &CLAUDE,
        Client::Gemini => &GEMINI,
        Client::Copilot | Client::Opencode => &[],
    }
}
