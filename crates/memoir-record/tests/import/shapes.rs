//! Every form in which a client has ever written its sessions, spelt out by hand, and what becomes of it.

use crate::world::World;
use memoir_event::Reasoning;
use rusqlite::Connection;
use std::fs;

const THREAD: &str = "01990000-0000-7000-8000-000000000001";
const ROLLOUT: &str =
    ".codex/sessions/2025/08/30/rollout-2025-08-30T10-00-00-01990000-0000-7000-8000-000000000001.jsonl";

/// Everything in the journal: kind, then text, in the order of storage.
fn told(world: &World) -> Vec<String> {
    let mut events = world.events();
    events.sort_by_key(|stored| stored.seq);
    let text = |stored: &memoir_journal::StoredEvent| match &stored.event.content {
        memoir_event::Content::Text(text) => text.clone(),
        content => content.plain().replace('\n', " "),
    };
    events.iter().map(|stored| format!("{}: {}", stored.event.kind().as_str(), text(stored))).collect()
}

/// Imports one file of lines, where the client keeps it or from anywhere by its path, and then again: checks what is
/// there of it.
fn check(file: &str, lines: &[&str], expected: &[&str]) -> World {
    let world = World::new();
    world.put(file, format!("{}\n", lines.join("\n")).as_bytes());
    let is_kept_by_client = file.starts_with('.');
    let summary = if is_kept_by_client { world.import() } else { world.import_path(&world.path(file)) };
    assert!(summary.problems.is_empty() && summary.tally.problems.is_empty(), "{summary:?}");
    let told = told(&world);
    assert_eq!(told, expected, "{told:#?}");
    let again = world.import_path(&world.path(file));
    assert_eq!((again.stored, again.revised), (0, 0));
    world
}

#[test]
fn codex_of_august_2025_wrote_bare_items() {
    check(
        ROLLOUT,
        &[
            r#"{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2025-08-30T10:00:00.000Z","instructions":null,"git":{"branch":"main"}}"#,
            r#"{"record_type":"state"}"#,
            r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/p</cwd>\n</environment_context>"}]}"#,
            r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"what is in here?"}]}"#,
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking**"}],"content":null,"encrypted_content":"gAAA"}"#,
            r#"{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}","call_id":"call_1"}"#,
            r#"{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"a.txt\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}"}"#,
            r#"{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"One file."}]}"#,
        ],
        &[
            "session_started: 01990000-0000-7000-8000-000000000001",
            "user_message: what is in here?",
            "reasoning: **Looking**",
            "tool_call: shell bash -lc ls",
            "tool_result: a.txt\n",
            "command: ls 0 completed",
            "assistant_message: One file.",
        ],
    );
}

#[test]
fn a_call_of_codex_whose_name_is_no_text_is_kept_as_it_is() {
    let world = World::new();
    let lines = [
        r#"{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2026-10-01T10:00:00.000Z","cwd":"/p"}}"#,
        r#"{"timestamp":"2026-10-01T10:00:01.000Z","type":"response_item","payload":{"type":"function_call","name":{"tool":"odd"},"call_id":"call_1","arguments":"{}"}}"#,
    ];
    world.put(ROLLOUT, format!("{}\n", lines.join("\n")).as_bytes());
    let summary = world.import();
    assert_eq!(summary.tally.unknown.get("item.function_call"), Some(&1), "{:?}", summary.tally);
    let events = world.events();
    let kept = events.iter().find(|stored| stored.event.kind() == memoir_event::Kind::Other).unwrap();
    assert!(kept.event.content.verbatim().contains(r#""name":{"tool":"odd"}"#));
    assert_eq!(kept.event.shape.event_type, "codex.item.function_call");
}

#[test]
fn codex_of_late_2025_wrote_each_message_twice() {
    let world = check(
        ROLLOUT,
        &[
            r#"{"timestamp":"2025-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2025-10-01T10:00:00.000Z","cwd":"/p","originator":"codex_cli_rs","cli_version":"0.42.0","instructions":null,"git":{"branch":"main"}}}"#,
            r#"{"timestamp":"2025-10-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<user_instructions>\n\nBe brief.\n\n</user_instructions>"}]}}"#,
            r#"{"timestamp":"2025-10-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"},{"type":"input_image","image_url":"data:image/png;base64,aGVsbG8="}]}}"#,
            r#"{"timestamp":"2025-10-01T10:00:02.001Z","type":"event_msg","payload":{"type":"user_message","message":"fix it","kind":"plain","images":["data:image/png;base64,aGVsbG8="]}}"#,
            r#"{"timestamp":"2025-10-01T10:00:03.000Z","type":"turn_context","payload":{"cwd":"/p","approval_policy":"never","model":"gpt-5-codex","summary":"auto"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:04.000Z","type":"event_msg","payload":{"type":"agent_reasoning","text":"**Thinking** about it"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:04.001Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"**Thinking** about it"}],"content":null,"encrypted_content":"gAAA"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:05.000Z","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","call_id":"call_2","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:06.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_2","output":"{\"output\":\"Success. Updated the following files:\\nM a.txt\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:07.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7,"reasoning_output_tokens":3,"total_tokens":107},"last_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7,"reasoning_output_tokens":3,"total_tokens":107},"model_context_window":272000},"rate_limits":null}}"#,
            r#"{"timestamp":"2025-10-01T10:00:08.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Done."}}"#,
            r#"{"timestamp":"2025-10-01T10:00:08.001Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}"#,
            r#"{"timestamp":"2025-10-01T10:00:09.000Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#,
            r#"{"timestamp":"2025-10-01T10:00:10.000Z","type":"compacted","payload":{"message":"So far: it was fixed."}}"#,
            r#"{"timestamp":"2025-10-01T10:00:11.000Z","type":"a_kind_of_tomorrow","payload":{"what":"is this"}}"#,
        ],
        &[
            "session_started: 01990000-0000-7000-8000-000000000001 /p codex_cli_rs 0.42.0 main",
            "user_message: fix it",
            "reasoning: **Thinking** about it",
            "tool_call: apply_patch *** Begin Patch *** Update File: a.txt @@ -x +y *** End Patch",
            "tool_result: Success. Updated the following files:\nM a.txt\n",
            "file_change: a.txt update completed",
            "usage: gpt-5-codex 60 40 7 3",
            "assistant_message: Done.",
            "turn_completed: interrupted interrupted",
            "session_summary: So far: it was fixed.",
            "other: 2025-10-01T10:00:11.000Z is this",
        ],
    );
    let events = world.events();
    let thought = events.iter().find(|stored| stored.event.kind().as_str() == "reasoning").unwrap();
    assert_eq!(thought.event.reasoning, Reasoning::Full);
    let prompt = events.iter().find(|stored| stored.event.kind().as_str() == "user_message").unwrap();
    let about = prompt.event.metadata.as_ref().unwrap().as_str();
    assert!(about.contains("image/png") && about.contains('5'), "an image is a note of type and size: {about}");
}

#[test]
fn codex_exec_printed_messages_with_numbers_once() {
    check(
        "run.jsonl",
        &[
            r#"{"model":"gpt-5","sandbox":"read-only","workdir":"/p","reasoning summaries":"auto"}"#,
            r#"{"prompt":"what is in here?"}"#,
            r#"{"id":"0","msg":{"type":"session_configured","session_id":"01990000-0000-7000-8000-000000000001","model":"gpt-5"}}"#,
            r#"{"id":"1","msg":{"type":"task_started","model_context_window":272000}}"#,
            r#"{"id":"1","msg":{"type":"agent_reasoning","text":"**Looking**"}}"#,
            r#"{"id":"1","msg":{"type":"exec_command_begin","call_id":"c1","command":["bash","-lc","ls"],"cwd":"/p"}}"#,
            r#"{"id":"1","msg":{"type":"exec_command_end","call_id":"c1","stdout":"a.txt\n","stderr":"","exit_code":0,"duration":{"secs":0,"nanos":1}}}"#,
            r#"{"id":"1","msg":{"type":"agent_message","message":"One file."}}"#,
            r#"{"id":"1","msg":{"type":"task_complete","last_agent_message":"One file."}}"#,
        ],
        &[
            "session_started: 01990000-0000-7000-8000-000000000001 /p",
            "user_message: what is in here?",
            "reasoning: **Looking**",
            "tool_call: Bash ls",
            "command: ls 0 completed",
            "tool_result: a.txt\n",
            "assistant_message: One file.",
        ],
    );
}

#[test]
fn codex_exec_prints_items_today() {
    check(
        "run.jsonl",
        &[
            r#"{"type":"thread.started","thread_id":"01990000-0000-7000-8000-000000000001"}"#,
            r#"{"type":"turn.started"}"#,
            r#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Looking**"}}"#,
            r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc ls","aggregated_output":"a.txt\n","exit_code":0,"status":"completed"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"/p/b.txt","kind":"add"}],"status":"completed"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_3","type":"mcp_tool_call","server":"echo","tool":"say","arguments":{"text":"hi"},"result":{"content":[{"type":"text","text":"hi"}]},"error":null,"status":"completed"}}"#,
            r#"{"type":"item.started","item":{"id":"item_5","type":"todo_list","items":[{"text":"look","completed":false}]}}"#,
            r#"{"type":"item.started","item":{"id":"item_6","type":"collab_tool_call","tool":"spawn_agent","sender_thread_id":"01990000-0000-7000-8000-000000000001","receiver_thread_ids":[],"prompt":"Look there","agents_states":{},"status":"in_progress"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_6","type":"collab_tool_call","tool":"spawn_agent","sender_thread_id":"01990000-0000-7000-8000-000000000001","receiver_thread_ids":["a1"],"prompt":"Look there","agents_states":{"a1":{"status":"running","message":null}},"status":"completed"}}"#,
            r#"{"type":"item.completed","item":{"id":"item_7","type":"collab_tool_call","tool":"wait","sender_thread_id":"01990000-0000-7000-8000-000000000001","receiver_thread_ids":["a1"],"prompt":null,"agents_states":{"a1":{"status":"completed","message":"nothing there"}},"status":"completed"}}"#,
            r#"{"type":"item.updated","item":{"id":"item_5","type":"todo_list","items":[{"text":"look","completed":true}]}}"#,
            r#"{"type":"item.completed","item":{"id":"item_4","type":"agent_message","text":"One file."}}"#,
            r#"{"type":"item.completed","item":{"id":"item_5","type":"todo_list","items":[{"text":"look","completed":true}]}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}"#,
        ],
        &[
            "session_started: 01990000-0000-7000-8000-000000000001",
            "reasoning: **Looking**",
            "tool_call: Bash ls",
            "command: ls 0 completed",
            "tool_result: a.txt\n",
            "file_change: /p/b.txt add completed",
            "tool_call: mcp__echo__say hi",
            "tool_result: hi",
            "tool_call: update_plan look pending",
            "tool_call: spawn_agent Look there",
            r#"tool_result: {"a1":{"status":"running","message":null}}"#,
            "tool_call: wait a1",
            r#"tool_result: {"a1":{"status":"completed","message":"nothing there"}}"#,
            "tool_call: update_plan look completed",
            "assistant_message: One file.",
            "turn_completed: completed 100 40 7",
        ],
    );
}

#[test]
fn claude_prints_records_as_json() {
    check(
        "run.jsonl",
        &[
            r#"{"type":"system","subtype":"init","cwd":"/p","session_id":"5e55","tools":["Bash"],"model":"claude-opus","uuid":"u0"}"#,
            r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":90,"output_tokens":5}},"parent_tool_use_id":null,"session_id":"5e55","uuid":"u1"}"#,
            r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"a.txt","is_error":false}]},"parent_tool_use_id":null,"session_id":"5e55","uuid":"u2","tool_use_result":{"stdout":"a.txt","stderr":"","interrupted":false}}"#,
            r#"{"type":"assistant","message":{"id":"msg_2","type":"message","role":"assistant","model":"claude-opus","content":[{"type":"text","text":"One file."}],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":5}},"parent_tool_use_id":null,"session_id":"5e55","uuid":"u3"}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"One file.","session_id":"5e55","total_cost_usd":0.25,"usage":{"input_tokens":6,"cache_read_input_tokens":90,"output_tokens":40},"modelUsage":{"claude-opus":{"outputTokens":400}},"uuid":"u4"}"#,
        ],
        &[
            "session_started: 5e55 /p",
            "tool_call: Bash ls",
            "tool_result: a.txt",
            "command: ls 0 completed",
            "assistant_message: One file.",
            "usage: 0.25",
            "turn_completed: completed 96 90 0 40",
        ],
    );
}

#[test]
fn gemini_logs_the_prompts_of_chats_that_are_gone() {
    check(
        ".gemini/tmp/proj/logs.json",
        &[
            r#"[{"sessionId":"9e31","messageId":0,"type":"user","message":"/help","timestamp":"2025-08-30T10:00:00.000Z"},"#,
            r#" {"sessionId":"9e31","messageId":1,"type":"user","message":"what is in here?","timestamp":"2025-08-30T10:00:05.000Z"}]"#,
        ],
        &["context: /help", "user_message: what is in here?"],
    );
}

#[test]
fn two_notices_in_one_logged_prompt_are_two() {
    check(
        ".gemini/tmp/proj/logs.json",
        &[
            r#"[{"sessionId":"9e31","messageId":0,"type":"user","message":"<task-notification>one is done</task-notification>\n<task-notification>two is done</task-notification>","timestamp":"2025-08-30T10:00:00.000Z"}]"#,
        ],
        &["context: one is done", "context: two is done"],
    );
}

#[test]
fn copilot_writes_events() {
    check(
        ".copilot/session-state/3b17/events.jsonl",
        &[
            r#"{"type":"session.start","data":{"sessionId":"3b17","version":1,"copilotVersion":"1.0.102","context":{"cwd":"/p","branch":"main"}},"id":"e0","timestamp":"2026-11-16T03:58:58.000Z","parentId":null}"#,
            r#"{"type":"hook.start","data":{"hookType":"sessionStart"},"id":"e1","timestamp":"2026-11-16T03:58:59.000Z","parentId":"e0"}"#,
            r#"{"type":"user.message","data":{"content":"what is in here?","transformedContent":"<current_datetime>now</current_datetime>\n\nwhat is in here?\n\n<system_reminder>\nsomething\n</system_reminder>","turnId":"0"},"id":"e2","timestamp":"2026-11-16T03:59:00.000Z","parentId":"e1"}"#,
            r#"{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"call_1","name":"bash","arguments":{"command":"ls"}}],"model":"gpt-5.4"},"id":"e3","timestamp":"2026-11-16T03:59:01.000Z","parentId":"e2"}"#,
            r#"{"type":"tool.execution_start","data":{"toolCallId":"call_1","toolName":"bash","arguments":{"command":"ls"}},"id":"e4","timestamp":"2026-11-16T03:59:01.100Z","parentId":"e3"}"#,
            r#"{"type":"tool.execution_complete","data":{"toolCallId":"call_1","shellExecution":{"exitCode":0},"success":true,"result":{"content":"a.txt\n<shellId: 0 completed with exit code 0>\n\nTool \"bash\" succeeded. Additional guidance from postToolUse hooks:\nsomething"}},"id":"e5","timestamp":"2026-11-16T03:59:02.000Z","parentId":"e4"}"#,
            r#"{"type":"assistant.message","data":{"messageId":"m2","content":"One file.","toolRequests":[],"model":"gpt-5.4"},"id":"e6","timestamp":"2026-11-16T03:59:03.000Z","parentId":"e5"}"#,
            r#"{"type":"session.shutdown","data":{},"id":"e7","timestamp":"2026-11-16T03:59:04.000Z","parentId":"e6"}"#,
        ],
        &[
            "session_started: 3b17 /p 1.0.102 main",
            "user_message: what is in here?",
            "tool_call: bash ls",
            "tool_result: a.txt",
            "command: ls 0 completed",
            "assistant_message: One file.",
        ],
    );
}

#[test]
fn opencode_keeps_rows_in_a_database_that_grows() {
    let world = World::new();
    let file = world.path(".local/share/opencode/opencode.db");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let database = Connection::open(&file).unwrap();
    database
        .execute_batch(
            r#"
            CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
            CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, data TEXT, time_created INTEGER, time_updated INTEGER);
            CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT, time_created INTEGER, time_updated INTEGER);
            INSERT INTO session VALUES('ses_1', NULL, '/p', '1.18.33', 1794801539000);
            INSERT INTO message VALUES('msg_1', 'ses_1', '{"role":"user","time":{"created":1794801540000}}', 1794801540000, 1794801540000);
            INSERT INTO part VALUES('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"what is in here?"}', 1794801540000, 1794801540000);
            INSERT INTO message VALUES('msg_2', 'ses_1', '{"role":"assistant","parentID":"msg_1","modelID":"m","time":{"created":1794801541000}}', 1794801541000, 1794801541000);
            INSERT INTO part VALUES('prt_2', 'msg_2', 'ses_1', '{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"running","input":{"command":"ls"}}}', 1794801541000, 1794801541000);
            "#,
        )
        .unwrap();
    world.import();
    database
        .execute_batch(
            r#"
            UPDATE part SET data = '{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"completed","input":{"command":"ls"},"output":"a.txt","metadata":{"exit":0}}}', time_updated = 1794801542000 WHERE id = 'prt_2';
            INSERT INTO part VALUES('prt_3', 'msg_2', 'ses_1', '{"type":"reasoning","text":"One, I think.","time":{"start":1,"end":2}}', 1794801542500, 1794801542500);
            INSERT INTO part VALUES('prt_4', 'msg_2', 'ses_1', '{"type":"text","text":"One file.","time":{"start":1,"end":2}}', 1794801543000, 1794801543000);
            INSERT INTO part VALUES('prt_5', 'msg_2', 'ses_1', '{"type":"step-finish","tokens":{"input":100,"output":7,"reasoning":3,"cache":{"read":40,"write":0}},"cost":0.01}', 1794801544000, 1794801544000);
            "#,
        )
        .unwrap();
    world.import();
    let told = told(&world);
    let expected = [
        "session_started: ses_1 /p 1.18.33",
        "user_message: what is in here?",
        "tool_call: bash ls",
        "tool_result: a.txt",
        "command: ls 0 completed",
        "reasoning: One, I think.",
        "assistant_message: One file.",
        "usage: m 100 40 0 7 3 0.01",
    ];
    assert_eq!(told, expected, "{told:#?}");
    assert_eq!(world.import().stored, 0);
}

#[test]
fn a_huge_result_loses_its_middle_and_says_how_much_there_was() {
    let world = World::new();
    let output = "x".repeat(150_000);
    let lines = [
        format!(r#"{{"timestamp":"2025-10-01T10:00:00.000Z","type":"session_meta","payload":{{"id":"{THREAD}","cwd":"/p"}}}}"#),
        r#"{"timestamp":"2025-10-01T10:00:01.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"call_1"}}"#.to_owned(),
        format!(r#"{{"timestamp":"2025-10-01T10:00:02.000Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"call_1","output":"{output}"}}}}"#),
    ];
    world.put(ROLLOUT, format!("{}\n", lines.join("\n")).as_bytes());
    world.import();
    let events = world.events();
    let result = events.iter().find(|stored| stored.event.kind().as_str() == "tool_result").unwrap();
    let text = result.event.content.plain();
    assert!(text.chars().count() <= 100_200 && text.contains("150000"), "{} {}", text.len(), &text[49_900..50_100]);
}

#[test]
fn what_claude_notes_without_a_time_happened_when_it_wrote_last() {
    let world = check(
        ".claude/projects/-p/5e550000-0000-4000-8000-000000000001.jsonl",
        &[
            r#"{"type":"user","message":{"role":"user","content":"what is in here?"},"uuid":"u1","sessionId":"5e550000-0000-4000-8000-000000000001","cwd":"/p","timestamp":"2026-01-02T03:04:05.000Z"}"#,
            r#"{"type":"cost-state","sessionId":"5e550000-0000-4000-8000-000000000001","totalCostUSD":0.25}"#,
        ],
        &["session_started: 5e550000-0000-4000-8000-000000000001 /p", "user_message: what is in here?", "usage: 0.25"],
    );
    assert!(
        world.events().iter().all(|stored| stored.event.time.as_ref().unwrap().given() == "2026-01-02T03:04:05.000Z")
    );
}

#[test]
fn codex_of_august_2025_wrote_no_times_and_its_session_tells_them() {
    let items = [
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}"#,
        r#"{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"}"#,
        r#"{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}"#,
    ];
    let expected = [
        "session_started: 01990000-0000-7000-8000-000000000001",
        "user_message: go on",
        "assistant_message: Done.",
        "user_message: go on",
        "tool_call: shell ls",
        "tool_result: a",
        "command: ls 0 completed",
        "assistant_message: Done.",
    ];
    for (first, begun) in [
        (r#""timestamp":"2025-08-05T10:00:00.123Z","instructions":null"#, "2025-08-05T10:00:00.123Z"),
        // Then the name of the file tells.
        (r#""instructions":null"#, "2025-08-30T10:00:00.000Z"),
    ] {
        let first = format!(r#"{{"id":"01990000-0000-7000-8000-000000000001",{first}}}"#);
        let lines: Vec<&str> = std::iter::once(first.as_str()).chain(items).collect();
        let world = check(ROLLOUT, &lines, &expected);
        let events = world.events();
        assert!(events.iter().all(|stored| stored.event.time.as_ref().unwrap().given() == begun), "{}", world.told());
        // In the order of their times they are in the order of the file.
        let kinds: Vec<&str> = events.iter().map(|stored| stored.event.kind().as_str()).collect();
        let in_file: Vec<&str> = expected.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(kinds, in_file);
        // Line by line it is the same.
        let slowly = World::new();
        for line in &lines {
            slowly.append(ROLLOUT, format!("{line}\n").as_bytes());
            slowly.import();
        }
        assert_eq!(told(&slowly), expected);
    }
}

#[test]
fn gemini_writes_what_a_compression_made_of_the_chat_among_its_messages() {
    let snapshot = r#"{"id":"m5","timestamp":"2026-11-16T03:32:28.024Z","type":"user","content":[{"text":"<state_snapshot>\nthey counted\n</state_snapshot>"}]}"#;
    let compressed = format!(
        r#"{{"$set":{{"messages":[{snapshot},{{"id":"m6","timestamp":"2026-11-16T03:32:28.024Z","type":"gemini","content":[{{"text":"Got it."}}]}}],"lastUpdated":"x"}}}}"#
    );
    check(
        ".gemini/tmp/proj/chats/session-2026-11-16T03-32-d75c.jsonl",
        &[
            r#"{"sessionId":"d75c","projectHash":"h","startTime":"2026-11-16T03:32:07.566Z","kind":"main"}"#,
            r#"{"id":"m1","timestamp":"2026-11-16T03:32:11.122Z","type":"user","content":[{"text":"please count"}]}"#,
            &compressed,
            r#"{"id":"m7","timestamp":"2026-11-16T03:33:00.000Z","type":"info","content":""}"#,
            // The same messages again, as after a resume.
            &compressed,
            r#"{"id":"m8","timestamp":"2026-11-16T03:34:20.592Z","type":"user","content":[{"text":"after compress"}]}"#,
        ],
        &[
            "session_started: d75c",
            "user_message: please count",
            "session_summary: they counted",
            "user_message: after compress",
        ],
    );
}

#[test]
fn a_result_of_gemini_comes_after_its_call_though_it_is_a_moment_older() {
    let world = check(
        ".gemini/tmp/proj/chats/session-2026-11-16T03-20-f2c9.jsonl",
        &[
            r#"{"sessionId":"f2c9","projectHash":"h","startTime":"2026-11-16T03:20:59.914Z","kind":"main"}"#,
            r#"{"id":"m1","timestamp":"2026-11-16T03:21:16.315Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"ls"},"result":[{"functionResponse":{"id":"c1","name":"run_shell_command","response":{"output":"Output: a\nProcess Group PGID: 7"}}}],"status":"success","timestamp":"2026-11-16T03:21:16.314Z"}]}"#,
        ],
        &["session_started: f2c9", "tool_call: run_shell_command ls", "tool_result: a", "command: ls 0 success"],
    );
    let kinds: Vec<&str> = world.events().iter().map(|stored| stored.event.kind().as_str()).collect();
    assert_eq!(kinds, ["session_started", "tool_call", "tool_result", "command"]);
}

#[test]
fn gemini_logs_what_is_typed_after_a_clear_under_the_session_before() {
    const LOG: &str = ".gemini/tmp/proj/logs.json";
    const CHATS: &str = ".gemini/tmp/proj/chats";
    let chat = |id: &str, start: &str, message: &str, at: &str, text: &str| {
        format!(
            r#"{{"sessionId":"{id}","projectHash":"h","startTime":"2026-11-16T{start}Z","kind":"main"}}
{{"id":"{message}","timestamp":"2026-11-16T{at}Z","type":"user","content":[{{"text":"{text}"}}]}}
"#
        )
    };
    let entry = |id: u32, at: &str, text: &str| {
        format!(
            r#"{{"sessionId":"f2c9","messageId":{id},"type":"user","message":"{text}","timestamp":"2026-11-16T{at}Z"}}"#
        )
    };
    let mut entries = vec![
        entry(0, "03:21:11.435", "before"),
        entry(1, "03:21:42.626", "/clear"),
        entry(2, "03:21:48.361", "after clear"),
    ];
    let world = World::new();
    world.put(
        &format!("{CHATS}/session-2026-11-16T03-20-f2c9.jsonl"),
        chat("f2c9", "03:20:59.914", "m1", "03:21:12.149", "before").as_bytes(),
    );
    world.put(
        &format!("{CHATS}/session-2026-11-16T03-21-2d7a.jsonl"),
        chat("2d7a", "03:21:42.801", "m2", "03:21:48.966", "after clear").as_bytes(),
    );
    let prompts = |world: &World| -> Vec<(String, String)> {
        let events = world.events().into_iter().filter(|stored| stored.event.kind().as_str() == "user_message");
        events.map(|stored| (stored.event.session.clone(), stored.event.content.plain().into_owned())).collect()
    };
    let expected = [("f2c9".to_owned(), "before".to_owned()), ("2d7a".to_owned(), "after clear".to_owned())];
    world.put(LOG, format!("[{}]", entries.join(",")).as_bytes());
    world.import();
    assert_eq!(prompts(&world), expected);
    // The chat goes away, the log goes on.
    fs::remove_dir_all(world.path(CHATS)).unwrap();
    entries.push(entry(3, "03:22:00.000", "and on"));
    world.put(LOG, format!("[{}]", entries.join(",")).as_bytes());
    world.import();
    let mut expected = expected.to_vec();
    expected.push(("2d7a".to_owned(), "and on".to_owned()));
    assert_eq!(prompts(&world), expected);
}

#[test]
fn a_result_that_nobody_can_hold_says_how_long_it_was() {
    let world = World::new();
    // Escapes and characters of several bytes count as one each.
    let (piece, pieces) = (r"aé\n\u00e9漢", 2_000_000);
    let lines = [
        format!(
            r#"{{"timestamp":"2025-10-01T10:00:00.000Z","type":"session_meta","payload":{{"id":"{THREAD}","cwd":"/p"}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2025-10-01T10:00:01.000Z","type":"response_item","payload":{{"type":"function_call","name":"write","arguments":{{"text":"{}"}},"call_id":"call_1"}}}}"#,
            "y".repeat(12_000_000)
        ),
        format!(
            r#"{{"timestamp":"2025-10-01T10:00:02.000Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"call_1","output":"Exit code: 0\nWall time: 1 seconds\nOutput:\n{}"}}}}"#,
            piece.repeat(pieces)
        ),
    ];
    world.put(ROLLOUT, format!("{}\n", lines.join("\n")).as_bytes());
    world.import();
    let events = world.events();
    let text_of = |kind: &str| {
        let found = events.iter().find(|stored| stored.event.kind().as_str() == kind).unwrap();
        found.event.content.plain().into_owned()
    };
    let result = text_of("tool_result");
    assert!(
        result.contains(&format!(" of {} characters left out]…", 5 * pieces)),
        "{}",
        &result[result.len() / 2 - 200..][..300]
    );
    assert!(result.chars().count() <= 100_000 && result.starts_with("aé\n") && result.ends_with("é漢"));
    let call = text_of("tool_call");
    assert!(call.contains(" of 12000000 characters left out]…") && call.chars().count() <= 1_000_100);
}
