//! What one way of capture tells with less than another.

use crate::any_order::Act;
use crate::world::World;
use memoir_testkit::Client;
use memoir_testkit::files::{Agent, Call, End, Manner, Reply, Run, Scenario, Turn, record};

const THREAD: &str = "01990000-0000-7000-8000-000000000001";

fn stream() -> String {
    let lines = [
        r#"{"type":"item.started","item":{"id":"item_0","type":"todo_list","items":[{"text":"look","completed":false},{"text":"mend","completed":false}]}}"#,
        r#"{"type":"item.completed","item":{"id":"item_1","type":"collab_tool_call","tool":"spawn_agent","receiver_thread_ids":["a1"],"prompt":"Look there","agents_states":{"a1":{"status":"running","message":null}},"status":"completed"}}"#,
        r#"{"type":"item.updated","item":{"id":"item_0","type":"todo_list","items":[{"text":"look","completed":true},{"text":"mend","completed":false}]}}"#,
        r#"{"type":"item.completed","item":{"id":"item_2","type":"collab_tool_call","tool":"wait","receiver_thread_ids":["a1"],"prompt":null,"agents_states":{"a1":{"status":"completed","message":"nothing"}},"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_0","type":"todo_list","items":[{"text":"look","completed":true},{"text":"mend","completed":false}]}}"#,
    ];
    format!("{{\"type\":\"thread.started\",\"thread_id\":\"{THREAD}\"}}\n{}\n", lines.join("\n"))
}

fn rollout() -> String {
    let mut file = format!(
        "{{\"timestamp\":\"2026-01-01T10:00:00Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{THREAD}\",\"timestamp\":\"2026-01-01T10:00:00Z\",\"cwd\":\"/p\"}}}}\n"
    );
    let mut call = |second: u32, name: &str, arguments: &str, output: &str| {
        let arguments = serde_json::Value::from(arguments);
        let output = serde_json::Value::from(output);
        let of = |at: u32, payload: String| {
            format!(
                "{{\"timestamp\":\"2026-01-01T10:00:{at:02}Z\",\"type\":\"response_item\",\"payload\":{payload}}}\n"
            )
        };
        file += &of(
            second,
            format!(
                r#"{{"type":"function_call","name":"{name}","namespace":null,"arguments":{arguments},"call_id":"c{second}"}}"#
            ),
        );
        file +=
            &of(second + 1, format!(r#"{{"type":"function_call_output","call_id":"c{second}","output":{output}}}"#));
    };
    let plan = |first: &str| {
        format!(
            r#"{{"explanation":"so","plan":[{{"step":"look","status":"{first}"}},{{"step":"mend","status":"pending"}}]}}"#
        )
    };
    call(1, "update_plan", &plan("in_progress"), "Plan updated");
    call(3, "spawn_agent", r#"{"message":"Look there","agent_type":"explorer"}"#, r#"{"agent_id":"a1"}"#);
    call(5, "update_plan", &plan("completed"), "Plan updated");
    call(
        7,
        "wait",
        r#"{"ids":["a1"],"timeout_ms":1000}"#,
        r#"{"status":{"a1":{"completed":"nothing"}},"timed_out":false}"#,
    );
    file
}

#[test]
fn plans_and_calls_of_a_team_are_told_once_by_stream_and_file_in_either_order() {
    let file = format!(".codex/sessions/2026/01/01/rollout-2026-01-01T10-00-00-{THREAD}.jsonl");
    let kinds = |world: &World| {
        let mut kinds: Vec<&str> = world.events().iter().map(|stored| stored.event.kind().as_str()).collect();
        kinds.sort_unstable();
        kinds.join(" ")
    };
    let calls = "session_started tool_call tool_call tool_call tool_call";
    for stream_first in [true, false] {
        let world = World::new();
        world.put("run.jsonl", stream().as_bytes());
        world.put(&file, rollout().as_bytes());
        let run = || drop(world.import_path(&world.path("run.jsonl")));
        if stream_first {
            run();
            assert_eq!(kinds(&world), format!("{calls} tool_result tool_result"));
            world.import();
        } else {
            world.import();
            run();
        }
        // A plan is answered in the file alone.
        assert_eq!(kinds(&world), format!("{calls} tool_result tool_result tool_result tool_result"));
        let told: Vec<String> = world.events().iter().map(|stored| stored.event.content.plain().into_owned()).collect();
        assert!(told.iter().any(|text| text.contains("explorer")), "the fullest is seen: {told:?}");
    }
}

#[test]
fn what_a_hook_shows_as_the_sessions_is_the_sub_agents_once_its_chat_tells_so() {
    let run = Run { command: "ls src".to_owned(), output: "main.rs".to_owned(), exit_code: 0 };
    let agent = Agent { task: "look".to_owned(), runs: vec![run], answer: "One file.".to_owned() };
    let reply = |texts: &[&str], calls| Reply {
        thought: None,
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        calls,
        tokens: (1, 1),
    };
    let turn = Turn {
        pause_s: 1,
        prompt: "send somebody to look".to_owned(),
        blocks: Vec::new(),
        compaction: None,
        replies: vec![reply(&[], vec![Call::Agent(agent)])],
        end: End::Answer(reply(&["There is one."], Vec::new())),
    };
    let scenario = Scenario { number: 0, manner: Manner::Typed, turns: vec![turn], fork: None };
    let of_agents = |world: &World| {
        let is_of_agent = |stored: &memoir_journal::StoredEvent| {
            stored.event.thread.as_ref().is_some_and(|thread| *thread != stored.event.session)
        };
        let mut told: Vec<String> = world
            .events()
            .iter()
            .filter(|stored| is_of_agent(stored) && stored.event.kind() != memoir_event::Kind::SessionStarted)
            .map(|stored| format!("{} {}", stored.event.kind().as_str(), stored.event.content.plain()))
            .map(|told| told.replace(&world.home().display().to_string(), "~"))
            .collect();
        told.sort_unstable();
        told
    };
    for client in [Client::Gemini, Client::Codex, Client::Claude] {
        let [imported, hooked] = [World::new(), World::new()];
        let recording = record(client, &scenario, &imported.home());
        imported.act(Act::Import, &recording, &scenario, 0);
        let recording = record(client, &scenario, &hooked.home());
        hooked.act(Act::Hooks, &recording, &scenario, 0);
        hooked.act(Act::Import, &recording, &scenario, 0);
        assert!(of_agents(&imported).iter().any(|told| told.contains("ls src")), "{:?}", of_agents(&imported));
        assert_eq!(of_agents(&hooked), of_agents(&imported), "{}", client.name());
    }
}

#[test]
fn runs_that_were_saved_to_one_file_are_the_same_as_each_by_itself() {
    let codex = |words: &str| {
        let item = |id: u32, text: &str| {
            format!(r#"{{"type":"item.completed","item":{{"id":"item_{id}","type":"agent_message","text":"{text}"}}}}"#)
        };
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
        let start = format!(r#"{{"type":"thread.started","thread_id":"{THREAD}"}}"#);
        format!("{start}\n{}\n{}\n{end}\n", item(0, "Done."), item(1, words))
    };
    let gemini = |words: &str| {
        let at = |second: u32| format!(r#""timestamp":"2026-01-01T10:0{}:0{second}.000Z""#, words.len() % 7);
        let start = format!(r#"{{"type":"init",{},"session_id":"9e31","model":"m"}}"#, at(0));
        let said = |second: u32, role: &str, text: &str| {
            format!(r#"{{"type":"message",{},"role":"{role}","content":"{text}"}}"#, at(second))
        };
        let end = format!(r#"{{"type":"result",{},"status":"success","stats":{{}}}}"#, at(3));
        format!("{start}\n{}\n{}\n{end}\n", said(1, "user", "go on"), said(2, "assistant", words))
    };
    for runs in [["One.", "Two..", "Three."].map(codex), ["One.", "Two..", "Three."].map(gemini)] {
        let apart = World::new();
        for (number, run) in runs.iter().enumerate() {
            apart.put(&format!("run{number}.jsonl"), run.as_bytes());
            apart.import_path(&apart.path(&format!("run{number}.jsonl")));
        }
        let told = |world: &World| {
            let mut told: Vec<String> = world
                .events()
                .iter()
                .map(|stored| format!("{:?} {}", stored.event.kind(), stored.event.content.plain()))
                .collect();
            told.sort_unstable();
            told
        };
        let expected = told(&apart);
        apart.put("log.jsonl", runs.concat().as_bytes());
        apart.import_path(&apart.path("log.jsonl"));
        assert_eq!(told(&apart), expected, "after each by itself");
        // Saved one after another, and read in between.
        let together = World::new();
        for run in &runs {
            together.append("log.jsonl", run.as_bytes());
            together.import_path(&together.path("log.jsonl"));
        }
        assert_eq!(told(&together), expected, "as the file grows");
        together.put("run1.jsonl", runs[1].as_bytes());
        together.import_path(&together.path("run1.jsonl"));
        assert_eq!(told(&together), expected, "and then one by itself");
    }
}

#[test]
fn a_stream_that_was_read_before_its_last_answer_was_whole_is_the_same_run_later() {
    let line =
        |kind: &str, more: &str| format!("{{\"type\":\"{kind}\",\"timestamp\":\"2026-01-01T10:00:00Z\"{more}}}\n");
    let said =
        |role: &str, text: &str| line("message", &format!(r#","role":"{role}","content":"{text}","delta":true"#));
    let part =
        line("init", r#","session_id":"9e31","model":"m""#) + &said("user", "go on") + &said("assistant", "Done.");
    let whole = part.clone() + &line("result", r#","status":"success","stats":{}"#);
    let world = World::new();
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_900_000_000_000);
    world.put("part.jsonl", part.as_bytes());
    std::fs::File::options().write(true).open(world.path("part.jsonl")).unwrap().set_modified(now).unwrap();
    world.import_path(&world.path("part.jsonl"));
    assert_eq!(world.events().len(), 2, "the answer may go on");
    world.put("whole.jsonl", whole.as_bytes());
    world.import_path(&world.path("whole.jsonl"));
    assert_eq!(world.events().len(), 4, "{}", world.told());
}
