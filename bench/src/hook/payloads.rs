//! What each client tells a hook, made up: every event that it has, with the fields of its version of late 2026.

use crate::words::{Dice, Vocabulary};
use memoir_testkit::Client;
use serde_json::{Value, json};

/// Every hook event of a client.
pub const fn events(client: Client) -> &'static [&'static str] {
    match client {
        Client::Codex => &[
            "SessionStart",
            "UserPromptSubmit",
            "PreModelRequest",
            "PostModelRequest",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Interrupt",
            "Stop",
            "SessionEnd",
        ],
        Client::Claude => &[
            "SessionStart",
            "InstructionsLoaded",
            "ConfigChange",
            "DirectoryAdded",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "Notification",
            "MessageDisplay",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "StopFailure",
            "Stop",
            "SessionEnd",
        ],
        Client::Gemini => &[
            "SessionStart",
            "BeforeAgent",
            "BeforeModel",
            "BeforeToolSelection",
            "AfterModel",
            "BeforeTool",
            "AfterTool",
            "Notification",
            "PreCompress",
            "AfterAgent",
            "SessionEnd",
        ],
    }
}

/// The session that a call is about.
pub struct Place<'a> {
    pub session: &'a str,
    pub transcript: &'a str,
    pub cwd: &'a str,
}

/// The payload of a call; `number` tells it from every other, so that whatever it shows is new.
pub fn payload(client: Client, event: &str, place: &Place<'_>, vocabulary: &Vocabulary, number: u64) -> String {
    let every = json!({
        "session_id": place.session, "transcript_path": place.transcript, "cwd": place.cwd, "hook_event_name": event,
    });
    let words = Words::new(vocabulary, number);
    let more = match client {
        Client::Codex => codex(event, place, &words),
        Client::Claude => claude(event, place, &words),
        Client::Gemini => gemini(event, &words),
    };
    with(every, more).to_string()
}

/// The texts and names of one call.
struct Words {
    turn: String,
    call: String,
    prompt: String,
    answer: String,
    command: String,
    output: String,
    time: String,
}

impl Words {
    fn new(vocabulary: &Vocabulary, number: u64) -> Words {
        let dice = &mut Dice::new(number + 1);
        let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
        Words {
            turn: format!("01a1e288-92bb-73c3-8351-{number:012x}"),
            call: format!("call_{number:024x}"),
            prompt: vocabulary.prose(dice, 300),
            answer: vocabulary.prose(dice, 1_000),
            command: vocabulary.prose(dice, 60),
            output: vocabulary.code(dice, 4_000),
            time: format!("2026-11-16T{hour:02}:{minute:02}:{second:02}.000Z"),
        }
    }
}

/// All fields of both.
fn with(mut fields: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

fn codex(event: &str, place: &Place<'_>, words: &Words) -> Value {
    let turn = json!({"turn_id": words.turn, "model": "gpt-5.5", "permission_mode": "default"});
    let input = json!({"tool_name": "Bash", "tool_input": {"command": words.command}});
    let call = with(with(turn.clone(), input.clone()), json!({"tool_use_id": words.call}));
    let agent = json!({"agent_id": words.turn, "agent_type": "default"});
    let answer = json!({"stop_hook_active": false, "last_assistant_message": words.answer});
    let usage = json!({"input_tokens": 4000, "output_tokens": 300, "total_tokens": 4300});
    match event {
        "SessionStart" => json!({"model": "gpt-5.5", "permission_mode": "default", "source": "startup"}),
        "UserPromptSubmit" => with(turn, json!({"prompt": words.prompt})),
        "PostModelRequest" => with(turn, json!({"status": "completed", "error": null, "token_usage": usage})),
        "PreToolUse" => call,
        "PermissionRequest" => with(turn, input),
        "PostToolUse" => with(call, json!({"tool_response": words.output})),
        "SubagentStart" => with(turn, agent),
        "SubagentStop" => with(with(turn, agent), with(answer, json!({"agent_transcript_path": place.transcript}))),
        "PreCompact" | "PostCompact" => with(turn, json!({"trigger": "auto"})),
        "Stop" => with(turn, answer),
        "SessionEnd" => json!({"reason": "other"}),
        _ => turn,
    }
}

fn claude(event: &str, place: &Place<'_>, words: &Words) -> Value {
    let turn = json!({"prompt_id": words.turn, "permission_mode": "default", "effort": {"level": "medium"}});
    let input = json!({"command": words.command, "description": "run a command"});
    let input = json!({"tool_name": "Bash", "tool_input": input});
    let call = with(with(turn.clone(), input.clone()), json!({"tool_use_id": words.call}));
    let outcome = json!({"stdout": words.output, "stderr": "", "interrupted": false, "isImage": false});
    let agent = json!({"agent_id": format!("a{}", words.turn), "agent_type": "general-purpose"});
    let answer = json!({
        "stop_hook_active": false, "last_assistant_message": words.answer, "background_tasks": [],
        "session_crons": [],
    });
    match event {
        "SessionStart" => json!({"source": "startup"}),
        "InstructionsLoaded" => json!({"file_path": "CLAUDE.md", "memory_type": "Project"}),
        "ConfigChange" => json!({"source": "user_settings", "file_path": "settings.json"}),
        "DirectoryAdded" => json!({"directory": "/tmp", "source": "slash_command"}),
        "UserPromptSubmit" => with(turn, json!({"prompt": words.prompt})),
        "UserPromptExpansion" => with(turn, json!({"command_name": "hello", "prompt": "/hello world"})),
        "PreToolUse" => call,
        "PermissionRequest" => with(turn, with(input, json!({"permission_suggestions": []}))),
        "PostToolUse" => with(call, json!({"tool_response": outcome, "duration_ms": 170})),
        "PostToolUseFailure" => with(call, json!({"error": words.output, "is_interrupt": false})),
        "PostToolBatch" => with(turn, json!({"tool_calls": [with(input, json!({"tool_response": words.output}))]})),
        "Notification" => with(turn, json!({"message": words.prompt, "notification_type": "idle_prompt"})),
        "MessageDisplay" => with(turn, json!({"index": 0, "final": true, "delta": words.answer})),
        "SubagentStart" => with(turn, agent),
        "SubagentStop" => with(with(turn, agent), with(answer, json!({"agent_transcript_path": place.transcript}))),
        "PreCompact" => with(turn, json!({"trigger": "auto", "custom_instructions": null})),
        "PostCompact" => with(turn, json!({"trigger": "auto", "compact_summary": words.answer})),
        "StopFailure" => with(turn, json!({"error": "unknown", "last_assistant_message": words.prompt})),
        "Stop" => with(turn, answer),
        "SessionEnd" => with(turn, json!({"reason": "other"})),
        _ => turn,
    }
}

fn gemini(event: &str, words: &Words) -> Value {
    let time = json!({"timestamp": words.time});
    let input = json!({"command": words.command, "description": "run a command"});
    let call = with(time.clone(), json!({"tool_name": "run_shell_command", "tool_input": input}));
    let told = format!("<untrusted_context>\nOutput: {}\n</untrusted_context>", words.output);
    let messages = json!([{"role": "user", "content": words.output}]);
    let request = json!({"llm_request": {"model": "gemini-3.8-flash", "messages": messages}});
    let response = json!({"llm_response": {"text": words.answer, "candidates": []}});
    let more = match event {
        "SessionStart" => json!({"source": "startup"}),
        "BeforeAgent" => json!({"prompt": words.prompt}),
        "BeforeModel" | "BeforeToolSelection" => request,
        "AfterModel" => with(request, response),
        "BeforeTool" => call,
        "AfterTool" => with(call, json!({"tool_response": {"llmContent": told, "returnDisplay": words.output}})),
        "Notification" => json!({"notification_type": "ToolPermission", "message": words.prompt, "details": {}}),
        "PreCompress" => json!({"trigger": "auto"}),
        "AfterAgent" => {
            json!({"prompt": words.prompt, "prompt_response": words.answer, "stop_hook_active": false})
        }
        "SessionEnd" => json!({"reason": "exit"}),
        _ => json!({}),
    };
    with(time, more)
}
