//! What the user marks as private is nowhere, however and in whatever order it is seen; the rest is there.

use crate::any_order::{Act, any_client};
use crate::world::{PRIVATE, World, cases};
use memoir_event::{Client, Kind};
use memoir_testkit::files::{Call, End, Manner, Reply, Run, Scenario, Turn, record, scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Stands in everything that is private.
const HUSH: &str = "hushhush";

/// Tokens that only private answers use.
const HUSHED_TOKENS: (u32, u32) = (424_242, 434_343);

/// The same turn, marked as private, with a mark in all that is said and done in it.
fn hush(turn: &mut Turn) {
    turn.prompt = format!("{} {HUSH} {PRIVATE}", turn.prompt);
    turn.replies.iter_mut().for_each(hush_reply);
    match &mut turn.end {
        End::Answer(reply) => hush_reply(reply),
        End::Failure(text) => text.push_str(HUSH),
        End::Interrupt => {}
    }
}

fn hush_reply(reply: &mut Reply) {
    reply.tokens = HUSHED_TOKENS;
    reply.thought.iter_mut().chain(&mut reply.texts).for_each(|text| *text = format!("{HUSH} {text} {HUSH}"));
    for call in &mut reply.calls {
        match call {
            Call::Run(run) => hush_run(run),
            Call::Write(write) => write.line.push_str(HUSH),
            Call::Agent(agent) => {
                agent.task.push_str(HUSH);
                agent.answer = format!("{HUSH} {}", agent.answer);
                agent.runs.iter_mut().for_each(hush_run);
            }
        }
    }
}

fn hush_run(run: &mut Run) {
    run.command = format!("{} {HUSH}", run.command);
    run.output = format!("{HUSH} {}", run.output);
}

/// What the user asked in words of which no client makes more than they are.
fn prompts(scenario: &Scenario) -> Vec<&str> {
    let forked = scenario.fork.iter().flat_map(|fork| &fork.turns);
    let prompts = scenario.turns.iter().chain(forked).map(|turn| turn.prompt.as_str());
    let mut prompts: Vec<&str> = prompts.filter(|prompt| *prompt != "ok" && !prompt.contains(HUSH)).collect();
    prompts.sort_unstable();
    prompts
}

fn check(world: &World, scenario: &Scenario) -> Result<(), TestCaseError> {
    let events = world.events();
    for stored in &events {
        let text = stored.event.content.verbatim();
        prop_assert!(!text.contains(HUSH) && !text.contains("424242"), "{text} in {}", world.told());
    }
    let words = events.iter().filter(|stored| stored.event.kind() == Kind::UserMessage);
    let mut words: Vec<String> = words.map(|stored| stored.event.content.plain().into_owned()).collect();
    words.sort_unstable();
    prop_assert_eq!(words, prompts(scenario), "{}", world.told());
    Ok(())
}

/// A scenario of which one turn is private.
fn with_private_turn() -> impl Strategy<Value = Scenario> {
    (scenario(0), any::<prop::sample::Index>()).prop_map(|(mut scenario, which)| {
        let at = which.index(scenario.turns.len());
        hush(&mut scenario.turns[at]);
        // What sums up the conversation later sums up this turn too. At a terminal that is done before a turn.
        let first = if scenario.manner == Manner::Printed { at } else { at + 1 };
        let summaries = scenario.turns.iter_mut().skip(first).filter_map(|turn| turn.compaction.as_mut());
        summaries.for_each(|summary| summary.push_str(HUSH));
        scenario
    })
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn nothing_of_a_private_turn_is_imported_and_nothing_else_is_lost(
        client in any_client(), scenario in with_private_turn(),
    ) {
        let world = World::new();
        world.put_all(&record(client, &scenario, &world.home()));
        world.import();
        check(&world, &scenario)?;
        world.import();
        check(&world, &scenario)?;
    }

    #[test]
    fn nothing_of_a_private_turn_is_kept_while_it_happens(
        client in any_client(), scenario in with_private_turn(), listens: bool, rest in 0usize..40,
    ) {
        let world = World::new();
        let recording = record(client, &scenario, &world.home());
        world.live(&recording, &scenario, listens, &|number| rest > 0 && number % rest == rest - 1);
        world.import();
        check(&world, &scenario)?;
    }

    #[test]
    fn nothing_of_a_private_turn_is_kept_in_whatever_order_it_is_seen(
        client in any_client(),
        scenario in with_private_turn(),
        acts in Just(vec![Act::Import, Act::Hooks, Act::Streams, Act::Import, Act::Hooks]).prop_shuffle(),
        few in 1usize..6,
    ) {
        let world = World::new();
        let recording = record(client, &scenario, &world.home());
        for (time, act) in (0..).zip(&acts[..few]) {
            world.act(*act, &recording, &scenario, time);
        }
        world.act(Act::Import, &recording, &scenario, 0);
        check(&world, &scenario)?;
    }
}

/// One Codex rollout in code mode: a script that runs a command and goes on, and one that only writes a file.
const CODE_MODE: [&str; 8] = [
    r#"{"timestamp":"2026-11-16T03:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"01a10000-0000-7000-8000-000000000001","session_id":"01a10000-0000-7000-8000-000000000001","cwd":"/p","history_mode":"paginated"}}"#,
    r#"{"timestamp":"2026-11-16T03:00:01.000Z","ordinal":1,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"UserMessage","id":"u1","content":[{"type":"text","text":"look around"}]}}}"#,
    r#"{"timestamp":"2026-11-16T03:00:02.000Z","ordinal":2,"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c1","name":"exec","input":"const r = await tools.exec_command({cmd: \"cat diary\"}); text(r.output);"}}"#,
    r#"{"timestamp":"2026-11-16T03:00:03.000Z","ordinal":3,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"CommandExecution","id":"exec-1","command":["/bin/bash","-lc","cat diary"],"status":"completed","aggregated_output":"dear diary\n","exit_code":0}}}"#,
    r#"{"timestamp":"2026-11-16T03:00:04.000Z","ordinal":4,"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"Script running with cell ID 7\nWall time 9 seconds\nOutput:\n"},{"type":"input_text","text":"dear"}]}}"#,
    r#"{"timestamp":"2026-11-16T03:00:05.000Z","ordinal":5,"type":"response_item","payload":{"type":"function_call","call_id":"c2","name":"wait","arguments":"{\"cell_id\":\"7\"}"}}"#,
    r#"{"timestamp":"2026-11-16T03:00:06.000Z","ordinal":6,"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Script completed\nWall time 1 seconds\nOutput:\ndear diary"}}"#,
    r#"{"timestamp":"2026-11-16T03:00:07.000Z","ordinal":7,"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c3","name":"exec","input":"await tools.apply_patch(\"*** Begin Patch\")"}}"#,
];

#[test]
fn a_shell_that_a_script_runs_is_excluded_with_the_script_in_however_many_sittings_it_is_read() {
    const FILE: &str =
        ".codex/sessions/2026/11/16/rollout-2026-11-16T03-00-00-01a10000-0000-7000-8000-000000000001.jsonl";
    for sittings in [1, CODE_MODE.len()] {
        let world = World::new().without_tool("Bash");
        for lines in CODE_MODE.chunks(CODE_MODE.len() / sittings) {
            world.append(FILE, format!("{}\n", lines.join("\n")).as_bytes());
            world.import();
        }
        let kinds: Vec<Kind> = world.events().iter().map(|stored| stored.event.kind()).collect();
        assert_eq!(kinds, [Kind::SessionStarted, Kind::UserMessage, Kind::ToolCall], "{}", world.told());
        assert!(!world.told().contains("diary"), "{}", world.told());
        assert!(world.told().contains("apply_patch"), "{}", world.told());
    }
}

/// A record of Claude Code; `more` is what is special about it.
fn claude(uuid: &str, second: u32, kind: &str, prompt: Option<&str>, more: &Value) -> String {
    let mut record = json!({
        "type": kind, "uuid": uuid, "sessionId": "s", "cwd": "/p", "promptId": prompt,
        "timestamp": format!("2026-11-16T03:00:{second:02}.000Z"),
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{record}\n")
}

fn says(text: &str) -> Value {
    json!({"message": {"role": "user", "content": text}})
}

fn answers(text: &str, tokens: u32) -> Value {
    json!({"message": {
        "id": format!("m{tokens}"), "role": "assistant", "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn", "usage": {"input_tokens": tokens, "output_tokens": 1},
    }})
}

#[test]
fn a_sub_agent_in_the_background_and_what_comes_of_it_are_private_too() {
    let notice = "<task-notification>\n<task-id>a1</task-id>\n<result>hushhush</result>\n</task-notification>";
    let of_agent = json!({"isSidechain": true, "agentId": "a1"});
    let by_agent = |more: &Value| {
        let mut all = of_agent.as_object().unwrap().clone();
        all.extend(more.as_object().unwrap().clone());
        Value::Object(all)
    };
    let session = [
        claude("u1", 1, "user", Some("p1"), &says("do it hushhush [private]")),
        claude("u2", 2, "assistant", None, &answers("I sent an agent, hushhush", 424_242)),
        claude(
            "u3",
            5,
            "user",
            Some("p2"),
            &json!({"origin": {"kind": "task-notification"}, "promptSource": "system",
            "message": {"role": "user", "content": notice}}),
        ),
        claude("u4", 6, "assistant", None, &answers("The agent says hushhush", 424_242)),
        claude("u5", 8, "user", Some("p3"), &says("and now something else")),
        claude("u6", 9, "assistant", None, &answers("Gladly.", 7)),
    ];
    let agent = [
        claude("v1", 2, "user", Some("p1"), &by_agent(&says("look for hushhush"))),
        claude("v2", 3, "assistant", None, &by_agent(&answers("found hushhush", 424_242))),
        // It goes on while the user is at something else.
        claude("v3", 9, "assistant", None, &by_agent(&answers("still hushhush", 424_242))),
    ];
    let world = World::new();
    // The agent's file comes first by its name.
    world.put(".claude/projects/-p/0/subagents/agent-a1.jsonl", agent.concat().as_bytes());
    world.put(".claude/projects/-p/s.jsonl", session.concat().as_bytes());
    world.import();
    let told = world.told();
    assert!(!told.contains("hushhush") && !told.contains("424242"), "{told}");
    assert!(told.contains("something else") && told.contains("Gladly.") && told.contains("usage"), "{told}");
    // The file of an agent that comes later, when the session's has been read long since.
    let late = claude("v4", 4, "assistant", None, &by_agent(&answers("later hushhush", 424_242)));
    world.put(".claude/projects/-p/0/subagents/agent-a2.jsonl", late.as_bytes());
    world.import();
    assert_eq!(world.told(), told);

    let world = World::new();
    let hook = |second: i64, prompt: &str, event: &str, more: &Value| {
        let mut payload = json!({"session_id": "s", "cwd": "/p", "prompt_id": prompt, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.hook(Client::Claude, 1_794_798_000_000 + second * 1000, &payload.to_string());
    };
    let agent = json!({"agent_id": "a1", "agent_type": "x"});
    let tool = |more: &Value| {
        let mut call = json!({"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "hushhush"}});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    hook(1, "p1", "UserPromptSubmit", &json!({"prompt": "do it hushhush [private]"}));
    hook(2, "p1", "SubagentStart", &agent);
    hook(3, "p1", "PreToolUse", &tool(&agent));
    hook(4, "p1", "Stop", &json!({"last_assistant_message": "hushhush"}));
    hook(5, "p2", "UserPromptSubmit", &json!({"prompt": notice}));
    hook(6, "p2", "Stop", &json!({"last_assistant_message": "hushhush again"}));
    hook(7, "p3", "UserPromptSubmit", &json!({"prompt": "and now something else"}));
    hook(8, "p3", "SubagentStop", &json!({"agent_id": "a1", "agent_type": "x", "last_assistant_message": "hushhush"}));
    hook(9, "p3", "PreToolUse", &json!({"tool_name": "Read", "tool_use_id": "d", "tool_input": {"path": "x"}}));
    let told = world.told();
    assert!(!told.contains("hushhush") && told.contains("something else") && told.contains("Read"), "{told}");
}
