//! Rollouts of Codex that begin with a copy of another, or are read again: nothing in them has an id, and it is there once.

use crate::world::World;
use memoir_event::Kind;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PARENT: &str = "019d8f00-0000-7000-8000-000000000001";
const FORK: &str = "019d9600-0000-7000-8000-000000000002";
const AGENT: &str = "019d9600-0000-7000-8000-000000000003";
const GRANDCHILD: &str = "019d9900-0000-7000-8000-000000000004";

/// Milliseconds of 2026-04-16T10:00:00Z.
const TEN_MS: i64 = 1_776_333_600_000;

fn line(at_ms: i64, kind: &str, payload: &Value) -> Value {
    json!({"timestamp": memoir_event::Time::from_ms(at_ms).given(), "type": kind, "payload": payload})
}

fn meta(at_ms: i64, thread: &str, more: &Value) -> Value {
    let mut meta = json!({"id": thread, "timestamp": memoir_event::Time::from_ms(at_ms).given(), "cwd": "/w"});
    meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line(at_ms, "session_meta", &meta)
}

/// A turn in which nothing but the prompt and the answer tells it from any other.
fn turn(at_ms: i64, words: &str, turn: Option<&str>) -> Vec<Value> {
    let event = |more: Value| line(at_ms, "event_msg", &more);
    let item = |more: Value| line(at_ms + 1000, "response_item", &more);
    let user = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]});
    let search = json!({"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}});
    let shell = json!({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}});
    let mut lines = vec![
        line(at_ms, "response_item", &user),
        event(json!({"type": "user_message", "message": words})),
        item(json!({"type": "reasoning", "summary": [], "encrypted_content": "AAAA"})),
        item(search.clone()),
        line(at_ms + 1500, "response_item", &search),
        item(shell),
        item(json!({"type": "function_call", "name": "lookup", "arguments": "{\"a\":1}", "call_id": 7})),
        line(at_ms + 2000, "strange_record", &json!({"about": "nothing"})),
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
        event(json!({"type": "agent_message", "message": format!("{words}: done")})),
    ];
    if let Some(turn) = turn {
        lines.insert(0, event(json!({"type": "task_started", "turn_id": turn})));
        lines.insert(1, line(at_ms, "turn_context", &json!({"turn_id": turn, "cwd": "/w"})));
        lines.push(event(json!({"type": "task_complete", "turn_id": turn})));
    }
    lines
}

/// The lines of another file as a new one copies them.
fn copied(of: &[Value], at_ms: i64) -> impl Iterator<Item = Value> {
    of.iter().map(move |known| line(at_ms, known["type"].as_str().unwrap(), &known["payload"]))
}

/// A session, a fork of it, an agent that knew it, and a fork of the fork.
fn family(names_turns: bool) -> Vec<(String, Vec<Value>)> {
    let id = |at_ms: i64, number: u32| {
        let time = format!("{at_ms:012x}");
        names_turns.then(|| format!("{}-{}-7000-8000-{number:012}", &time[..8], &time[8..]))
    };
    let mut parent = vec![meta(TEN_MS, PARENT, &json!({}))];
    for (number, words) in (1..).zip(["go on", "go on", "look there"]) {
        let at_ms = TEN_MS + i64::from(number) * 60_000;
        parent.extend(turn(at_ms, words, id(at_ms, number).as_deref()));
    }
    let branch = |thread: &str, at_ms: i64, more: Value, of: &[Value], words: &str, number: u32| {
        let mut lines = vec![meta(at_ms, thread, &more)];
        lines.extend(copied(of, at_ms + 40));
        lines.extend(turn(at_ms + 60_000, words, id(at_ms + 60_000, number).as_deref()));
        lines
    };
    let noon_ms = TEN_MS + 7_200_000;
    let fork = branch(FORK, noon_ms, json!({"forked_from_id": PARENT}), &parent, "go on", 11);
    let sent =
        json!({"forked_from_id": PARENT, "parent_thread_id": PARENT, "source": {"subagent": {"thread_spawn": {}}}});
    let agent = branch(AGENT, noon_ms, sent, &parent, "go on", 12);
    let mut files = vec![(PARENT, parent), (FORK, fork), (AGENT, agent)];
    if names_turns {
        let of_fork = json!({"forked_from_id": FORK});
        let grandchild = branch(GRANDCHILD, noon_ms + 3_600_000, of_fork, &files[1].1, "go on", 13);
        files.push((GRANDCHILD, grandchild));
    }
    let named = |(thread, lines): (&str, Vec<Value>)| (file(thread), lines);
    files.into_iter().map(named).collect()
}

fn file(thread: &str) -> String {
    format!(".codex/sessions/2026/04/16/rollout-2026-04-16T10-00-00-{thread}.jsonl")
}

fn put(world: &World, file: &str, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    world.put(file, text.as_bytes());
}

/// How much there is of each kind, by session and thread.
fn counted(world: &World) -> BTreeMap<(String, String, &'static str), usize> {
    let mut counts = BTreeMap::new();
    for stored in world.events() {
        let event = stored.event;
        let (session, thread) = (event.session.clone(), event.thread.clone().unwrap_or_default());
        *counts.entry((session, thread, event.kind().as_str())).or_default() += 1;
    }
    counts
}

fn expected(names_turns: bool) -> BTreeMap<(String, String, &'static str), usize> {
    let mut counts = BTreeMap::new();
    let mut threads = vec![(PARENT, PARENT, 3), (FORK, FORK, 1), (PARENT, AGENT, 1)];
    if names_turns {
        threads.push((GRANDCHILD, GRANDCHILD, 1));
    }
    for (session, thread, turns) in threads {
        let mut add = |kind: Kind, each: usize| {
            counts.insert((session.to_owned(), thread.to_owned(), kind.as_str()), each);
        };
        add(Kind::SessionStarted, 1);
        add(Kind::Reasoning, turns);
        add(Kind::ToolCall, 4 * turns);
        add(Kind::Other, turns);
        add(Kind::AssistantMessage, turns);
        // An agent's task is nobody's speech.
        let is_agent = thread == AGENT;
        add(Kind::Context, if is_agent { 2 } else { turns });
        if !is_agent {
            add(Kind::UserMessage, turns);
        }
        if names_turns {
            add(Kind::TurnCompleted, turns);
        }
    }
    counts
}

#[test]
fn what_a_fork_or_an_agent_of_codex_copied_folds_into_the_original() {
    for names_turns in [true, false] {
        let files = family(names_turns);
        let orders: [Vec<usize>; 4] =
            [vec![], (0..files.len()).collect(), (0..files.len()).rev().collect(), vec![1, 0, 2, 0, 1]];
        for order in orders {
            let world = World::new();
            files.iter().for_each(|(file, lines)| put(&world, file, lines));
            order.iter().for_each(|at| drop(world.import_path(&world.path(&files[*at].0))));
            world.import();
            assert_eq!(counted(&world), expected(names_turns), "{names_turns} {order:?}");
        }
    }
}

#[test]
fn what_was_copied_keeps_the_time_at_which_it_happened() {
    let world = World::new();
    family(true).iter().for_each(|(file, lines)| put(&world, file, lines));
    world.import();
    let noon_ms = TEN_MS + 7_200_000;
    let late: Vec<_> = world.events().into_iter().filter(|stored| stored.ts_ms >= noon_ms).collect();
    assert!(late.iter().all(|stored| stored.event.thread.as_deref() != Some(PARENT)), "{late:#?}");
    let times = |world: &World| {
        let time = |stored: &memoir_journal::StoredEvent| (stored.ts_ms, stored.event.thread.clone());
        let mut times: Vec<_> = world.events().iter().map(time).collect();
        times.sort();
        times
    };
    for names_turns in [true, false] {
        let files = family(names_turns);
        let whole = World::new();
        files.iter().for_each(|(file, lines)| put(&whole, file, lines));
        whole.import();
        for first in 0..files.len() {
            let world = World::new();
            files.iter().for_each(|(file, lines)| put(&world, file, lines));
            world.import_path(&world.path(&files[first].0));
            world.import();
            assert_eq!(times(&world), times(&whole), "{names_turns} {first}");
        }
    }
}

#[test]
fn a_rollout_without_ids_that_is_read_again_gives_nothing_new() {
    for names_turns in [true, false] {
        let (file, lines) = family(names_turns).remove(0);
        let world = World::new();
        put(&world, &file, &lines);
        world.import();
        let (before, file_again) = (counted(&world), file.replace("/sessions/2026/04/16/", "/archived_sessions/"));
        // Written anew, shrunk and grown again, copied, and without lines that tell nothing.
        put(&world, &file, &lines[..lines.len() / 2]);
        world.import();
        put(&world, &file, &lines);
        world.import();
        put(&world, &file_again, &lines);
        world.import();
        let mut fewer = lines.clone();
        fewer.retain(|line| line["payload"]["type"] != "function_call");
        put(&world, &file, &fewer);
        world.import();
        assert_eq!(counted(&world), before, "{names_turns}");
    }
}
