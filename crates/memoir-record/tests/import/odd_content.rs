//! Content that no client has written yet: blocks of unknown kinds, and values of other types than they should be. All of
//! it is kept, or counted.

use crate::world::World;
use memoir_capture::Counts;
use memoir_event::{Content, Kind};

const ROLLOUT: &str =
    ".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-01990000-0000-7000-8000-000000000001.jsonl";
const TRANSCRIPT: &str = ".claude/projects/-p/4c1a77d2-90be-4e0b-a7a5-3f6d1b2c8e90.jsonl";
const CHAT: &str = ".gemini/tmp/p/chats/session-2026-10-01T10-00-aaaaaaaa.jsonl";

/// What an import of those lines tells: kind and content of each event but the first, what was unknown, what was wrong.
/// A second import finds nothing new.
fn told(file: &str, lines: &[String]) -> (Vec<(Kind, String)>, Counts, Counts) {
    let world = World::new();
    world.put(file, format!("{}\n", lines.join("\n")).as_bytes());
    let summary = world.import();
    let again = world.import_path(&world.path(file));
    assert_eq!((again.stored, again.revised), (0, 0));
    let mut events = world.events();
    events.sort_by_key(|stored| stored.seq);
    let text = |content: &Content| match content {
        Content::Text(text) => text.clone(),
        content => content.verbatim().to_owned(),
    };
    let told = events.iter().skip(1).map(|stored| (stored.event.kind(), text(&stored.event.content))).collect();
    (told, summary.tally.unknown, summary.tally.problems)
}

fn counts(named: &[(&str, u64)]) -> Counts {
    named.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

fn codex(kind: &str, payloads: &[&str]) -> Vec<String> {
    let begin = r#"{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2026-10-01T10:00:00.000Z","cwd":"/p"}}"#;
    let line = |(n, payload): (usize, &&str)| {
        format!(r#"{{"timestamp":"2026-10-01T10:00:{:02}.000Z","type":"{kind}","payload":{payload}}}"#, n + 1)
    };
    std::iter::once(begin.to_owned()).chain(payloads.iter().enumerate().map(line)).collect()
}

#[test]
fn blocks_of_codex_that_nobody_knows_are_kept_beside_the_words() {
    let new = r#"{"type":"newkind","data":1.50}"#;
    let lines = codex(
        "response_item",
        &[
            &format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"do it"}},{new}]}}"#),
            &format!(
                r#"{{"type":"message","role":"assistant","content":["loose",{{"type":"output_text","text":5}},{new},{new}]}}"#
            ),
            r#"{"type":"function_call","name":"look","arguments":"{}","call_id":"c1"}"#,
            &format!(
                r#"{{"type":"function_call_output","call_id":"c1","output":[{{"type":"input_text","text":"out"}},{new}]}}"#
            ),
        ],
    );
    let (told, unknown, problems) = told(ROLLOUT, &lines);
    let of =
        |kind: Kind| told.iter().filter(|(found, _)| *found == kind).map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    assert_eq!(of(Kind::UserMessage), ["do it"]);
    assert_eq!(of(Kind::AssistantMessage), ["loose\n5"]);
    assert_eq!(of(Kind::ToolResult), ["out"]);
    assert_eq!(of(Kind::Other), [new; 4]);
    assert_eq!((unknown, problems), (counts(&[("block.newkind", 4)]), counts(&[])));
}

#[test]
fn a_block_of_codex_in_both_forms_of_a_message_is_kept_once() {
    let new = r#"{"type":"newkind","data":1}"#;
    let item = format!(
        r#"{{"timestamp":"2026-10-01T10:00:02.000Z","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"hi"}},{new}]}}}}"#
    );
    let mut lines = codex(
        "event_msg",
        &[
            r#"{"type":"task_started","turn_id":"t1"}"#,
            &format!(
                r#"{{"type":"item_completed","turn_id":"t1","item":{{"type":"AgentMessage","id":"m","content":[{{"type":"Text","text":"hi"}},{new}]}}}}"#
            ),
        ],
    );
    lines.insert(2, item);
    let (told, ..) = told(ROLLOUT, &lines);
    assert_eq!(told, [(Kind::Other, new.to_owned()), (Kind::AssistantMessage, "hi".to_owned())]);
}

#[test]
fn values_of_other_types_in_codex_files_are_kept_as_they_are_written() {
    for (output, expected) in [
        (r#"{"a": 1.50}"#, r#"{"a": 1.50}"#),
        ("42", "42"),
        ("false", "false"),
        ("[1,2,3]", "[1,2,3]"),
        (r#"["a","b"]"#, r#"["a","b"]"#),
        (r#"[{"odd":1}]"#, r#"[{"odd":1}]"#),
    ] {
        let call = r#"{"type":"function_call","name":"look","arguments":"{}","call_id":"c1"}"#;
        let result = format!(r#"{{"type":"function_call_output","call_id":"c1","output":{output}}}"#);
        let (told, unknown, problems) = told(ROLLOUT, &codex("response_item", &[call, &result]));
        assert_eq!(told.last(), Some(&(Kind::ToolResult, expected.to_owned())));
        assert_eq!((unknown, problems), (counts(&[]), counts(&[])), "{output}");
    }
    for (message, expected) in
        [(r#"{"a":1}"#, r#"{"a":1}"#), (r#"["a",{"type":"text","text":"b"}]"#, "a\nb"), ("7", "7")]
    {
        for (kind, said) in [("user_message", Kind::UserMessage), ("agent_message", Kind::AssistantMessage)] {
            let payload = format!(r#"{{"type":"{kind}","message":{message}}}"#);
            let (told, _, problems) = told(ROLLOUT, &codex("event_msg", &[&payload]));
            assert_eq!((told, problems), (vec![(said, expected.to_owned())], counts(&[])));
        }
    }
}

#[test]
fn what_cannot_be_kept_of_a_codex_file_is_counted() {
    let problems = |kind: &str, payload: &str| told(ROLLOUT, &codex(kind, &[payload])).2;
    for output in [r#","output":null"#, ""] {
        let result = format!(r#"{{"type":"function_call_output","call_id":"c1"{output}}}"#);
        assert_eq!(problems("response_item", &result), counts(&[("result without an output", 1)]));
    }
    assert_eq!(
        problems("event_msg", r#"{"type":"user_message","message":null}"#),
        counts(&[("message without content", 1)])
    );
    for info in [
        r#"{"total_token_usage":{"total_tokens":"many"},"last_token_usage":{}}"#,
        r#"{"total_token_usage":{"total_tokens":5},"last_token_usage":{"input_tokens":[1]}}"#,
        r#"{"total_token_usage":5}"#,
        "true",
    ] {
        let payload = format!(r#"{{"type":"token_count","info":{info}}}"#);
        assert_eq!(problems("event_msg", &payload), counts(&[("count that is no number", 1)]), "{info}");
    }
    assert_eq!(problems("event_msg", r#"{"type":"token_count","info":null}"#), counts(&[]));
    let change = r#"{"type":"item_completed","turn_id":"t","item":{"type":"FileChange","id":"i","changes":"str","status":"completed"}}"#;
    let (told, unknown, problems) = told(ROLLOUT, &codex("event_msg", &[change]));
    assert!(told[0].0 == Kind::Other && told[0].1.contains(r#""changes":"str""#), "{told:?}");
    assert_eq!(unknown, counts(&[("item.FileChange", 1)]));
    assert_eq!(problems, counts(&[("changes that name no files", 1)]));
}

fn claude(records: &[(&str, &str)]) -> Vec<String> {
    let line = |(n, (role, content)): (usize, &(&str, &str))| {
        format!(
            r#"{{"type":"{role}","uuid":"u{n}","sessionId":"4c1a77d2-90be-4e0b-a7a5-3f6d1b2c8e90","timestamp":"2026-10-01T10:00:{n:02}.000Z","cwd":"/p","message":{{"role":"{role}","content":{content}}}}}"#
        )
    };
    records.iter().enumerate().map(line).collect()
}

#[test]
fn blocks_of_claude_that_nobody_knows_are_kept_beside_the_words() {
    let new = r#"{"type":"newkind","data":1.50}"#;
    let said = format!(r#"[{{"type":"text","text":"do it"}},{new},{{"odd":1}}]"#);
    let called = r#"["loose",{"type":"text","text":5},{"type":"tool_use","id":"c1","name":"look","input":{}}]"#;
    let result = format!(
        r#"[{{"type":"tool_result","tool_use_id":"c1","content":[{{"type":"text","text":"out"}},{new}]}},{{"type":"tool_result","tool_use_id":"c2","content":"two"}}]"#
    );
    let lines = claude(&[("user", &said), ("assistant", called), ("user", &result), ("assistant", r#"{"odd":2}"#)]);
    let (told, unknown, problems) = told(TRANSCRIPT, &lines);
    let expected = [
        (Kind::UserMessage, "do it"),
        (Kind::Other, new),
        (Kind::Other, r#"{"odd":1}"#),
        (Kind::AssistantMessage, "loose"),
        (Kind::AssistantMessage, "5"),
        (Kind::ToolCall, r#"{"item":{"type":"tool_call","name":"look","arguments":{}}}"#),
        (Kind::ToolResult, "out"),
        (Kind::ToolResult, "two"),
        (Kind::Other, new),
        (Kind::AssistantMessage, r#"{"odd":2}"#),
    ];
    assert_eq!(told, expected.map(|(kind, text)| (kind, text.to_owned())));
    assert_eq!((unknown, problems), (counts(&[("block.block", 1), ("block.newkind", 2)]), counts(&[])));
}

#[test]
fn results_of_other_types_in_claude_files_are_kept_as_they_are_written() {
    for (content, expected) in
        [(r#"{"a": 1.50}"#, r#"{"a": 1.50}"#), ("42", "42"), ("true", "true"), ("[1,2]", "[1,2]")]
    {
        let result = format!(r#"[{{"type":"tool_result","tool_use_id":"c1","content":{content}}}]"#);
        let (told, ..) = told(TRANSCRIPT, &claude(&[("user", &result)]));
        assert_eq!(told, [(Kind::ToolResult, expected.to_owned())]);
    }
    let usage = claude(&[("assistant", r#"[{"type":"text","text":"hi"}]"#)])
        .remove(0)
        .replace(r#""role":"assistant","#, r#""role":"assistant","usage":{"input_tokens":"many","output_tokens":1},"#);
    assert_eq!(told(TRANSCRIPT, &[usage]).2, counts(&[("count that is no number", 1)]));
}

#[test]
fn parts_of_gemini_that_nobody_knows_are_kept_and_results_of_any_type() {
    let head = r#"{"sessionId":"aaaaaaaa-0000-4000-8000-000000000001","projectHash":"x","startTime":"2026-10-01T10:00:00Z","lastUpdated":"2026-10-01T10:00:00Z","kind":"main"}"#;
    let new = r#"{"newpart":{"a":1.50}}"#;
    let lines = [
        head.to_owned(),
        format!(r#"{{"id":"m1","timestamp":"2026-10-01T10:00:01Z","type":"user","content":[{{"text":"do it"}},{new}]}}"#),
        r#"{"id":"m2","timestamp":"2026-10-01T10:00:02Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"look","args":{},"result":{"a":1},"status":"success"}],"tokens":{"input":"many","output":2}}"#.to_owned(),
        format!(r#"{{"id":"m3","timestamp":"2026-10-01T10:00:03Z","type":"user","content":[{new}]}}"#),
    ];
    let (told, unknown, problems) = told(CHAT, &lines);
    let found: Vec<_> = told.iter().filter(|(kind, _)| !matches!(kind, Kind::ToolCall | Kind::Usage)).collect();
    let expected =
        [(Kind::UserMessage, "do it"), (Kind::Other, new), (Kind::ToolResult, r#"{"a":1}"#), (Kind::Other, new)];
    assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())).iter().collect::<Vec<_>>());
    assert_eq!(unknown, counts(&[("part.newpart", 2)]));
    assert_eq!(problems, counts(&[("count that is no number", 1)]));
}

#[test]
fn half_a_pair_of_surrogates_costs_no_word_in_any_file() {
    let codex = codex("event_msg", &[r#"{"type":"user_message","message":"cut \ud83d off"}"#]);
    let claude = claude(&[("user", r#""cut \ud83d off""#)]);
    let chat = [
        r#"{"sessionId":"aaaaaaaa-0000-4000-8000-000000000001","projectHash":"x","startTime":"2026-10-01T10:00:00Z","lastUpdated":"2026-10-01T10:00:00Z","kind":"main"}"#.to_owned(),
        r#"{"id":"m1","timestamp":"2026-10-01T10:00:01Z","type":"user","content":[{"text":"cut \ud83d off"}]}"#.to_owned(),
    ];
    let log = r#"[{"sessionId":"aaaaaaaa-0000-4000-8000-000000000001","messageId":0,"type":"user","message":"cut \ud83d off","timestamp":"2026-10-01T10:00:01Z"}]"#;
    for (file, lines) in [
        (ROLLOUT, &codex[..]),
        (TRANSCRIPT, &claude[..]),
        (CHAT, &chat[..]),
        (".gemini/tmp/p/logs.json", &[log.to_owned()][..]),
    ] {
        let world = World::new();
        world.put(file, format!("{}\n", lines.join("\n")).as_bytes());
        let summary = world.import();
        let prompts: Vec<_> =
            world.events().into_iter().filter(|stored| stored.event.kind() == Kind::UserMessage).collect();
        assert_eq!(summary.tally.problems, counts(&[]), "{file}");
        assert_eq!(prompts.len(), 1, "{file}");
        assert_eq!(prompts[0].event.content.verbatim(), "cut \u{fffd} off", "{file}");
    }
}

#[test]
fn what_tells_no_time_happened_with_the_line_before_it_and_a_wrong_time_is_counted() {
    const THEN: &str = "2025-01-16T10:00:00.000Z";
    let codex = "rollout-2025-01-16T10-00-00-01a10000-0000-7000-8000-000000000001.jsonl";
    let claude = |uuid: &str, time: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"s",{time}"cwd":"/p","message":{{"role":"user","content":"ask {uuid} please"}}}}"#
        )
    };
    let gemini = |id: &str, time: &str| format!(r#"{{"id":"{id}",{time}"type":"user","content":"ask {id} please"}}"#);
    let rollout = |id: &str, time: &str| {
        format!(r#"{{{time}"type":"event_msg","payload":{{"type":"user_message","message":"ask {id} please"}}}}"#)
    };
    let meta = format!(
        r#"{{"timestamp":"{THEN}","type":"session_meta","payload":{{"id":"01a10000-0000-7000-8000-000000000001","cwd":"/p"}}}}"#
    );
    let header = format!(r#"{{"sessionId":"s","projectHash":"h","startTime":"{THEN}","kind":"main"}}"#);
    for (file, first, line) in [
        (".claude/projects/-p/s.jsonl", None, &claude as &dyn Fn(&str, &str) -> String),
        (".gemini/tmp/p/chats/session-2025-01-16T10-00-s.jsonl", Some(&header), &gemini),
        (&format!(".codex/sessions/{codex}"), Some(&meta), &rollout),
    ] {
        let mut lines: Vec<String> = first.into_iter().cloned().collect();
        lines.push(line("a", &format!(r#""timestamp":"{THEN}","#)));
        lines.push(line("b", ""));
        for (id, wrong) in [("c", "\"2025-01-16 10:00:09\""), ("d", "true"), ("e", "-99999999999999"), ("f", "{}")] {
            lines.push(line(id, &format!(r#""timestamp":{wrong},"#)));
        }
        let world = World::new();
        world.put(file, format!("{}\n", lines.join("\n")).as_bytes());
        let summary = world.import();
        let wrong: u64 = summary.tally.problems.get("bad time").copied().unwrap_or_default();
        assert_eq!(wrong, 4, "{file} {:?}", summary.tally.problems);
        // What comes later goes on from there.
        world.append(file, format!("{}\n", line("g", "")).as_bytes());
        world.import();
        let events = world.events();
        let at = memoir_event::parse_ms(THEN).unwrap();
        assert!(events.len() >= 7 && events.iter().all(|stored| stored.ts_ms == at), "{file} {events:#?}");
        let is_timed = |text: &str| {
            let found = events.iter().find(|stored| stored.event.content.plain() == format!("ask {text} please"));
            found.unwrap().event.time.is_some()
        };
        assert!(is_timed("a") && !is_timed("b") && !is_timed("c"), "{file}");
    }
}

#[test]
fn a_file_without_any_time_happened_when_it_was_written() {
    let world = World::new();
    let file = ".claude/projects/-p/s.jsonl";
    let line = r#"{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"role":"user","content":"ask it"}}"#;
    world.put(file, format!("{line}\n").as_bytes());
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_000);
    std::fs::File::options().write(true).open(world.path(file)).unwrap().set_modified(then).unwrap();
    world.import();
    assert!(world.events().iter().all(|stored| stored.ts_ms == 1_700_000_000_000));
    let world = World::new();
    let said = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}"#;
    world.put("run.jsonl", format!("{{\"type\":\"thread.started\",\"thread_id\":\"t\"}}\n{said}\n").as_bytes());
    std::fs::File::options().write(true).open(world.path("run.jsonl")).unwrap().set_modified(then).unwrap();
    world.import_path(&world.path("run.jsonl"));
    assert!(world.events().iter().all(|stored| stored.ts_ms == 1_700_000_000_000), "of a saved stream too");
}

#[test]
fn a_secret_that_stands_where_a_kind_should_is_kept_nowhere() {
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).split_at(36).0);
    let meta = r#"{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","cwd":"/p"}}"#;
    let time = r#""timestamp":"2026-10-01T10:00:01.000Z""#;
    for (file, line) in [
        (ROLLOUT, format!(r#"{{{time},"type":"{secret}","payload":{{"a":1}}}}"#)),
        (ROLLOUT, format!(r#"{{{time},"type":"event_msg","payload":{{"type":"password={secret}"}}}}"#)),
        (ROLLOUT, format!(r#"{{{time},"type":"response_item","payload":{{"type":"Bearer {secret}"}}}}"#)),
        (TRANSCRIPT, format!(r#"{{{time},"type":"{secret}","sessionId":"s","uuid":"u","cwd":"/p"}}"#)),
        (
            TRANSCRIPT,
            format!(r#"{{{time},"type":"system","subtype":"{secret}","sessionId":"s","uuid":"u","cwd":"/p"}}"#),
        ),
        (CHAT, format!(r#"{{"id":"m",{time},"type":"{secret}","content":"x"}}"#)),
        (CHAT, format!(r#"{{"id":"m",{time},"type":"user","content":[{{"{secret}":1}}]}}"#)),
    ] {
        let world = World::new();
        let first = match file {
            ROLLOUT => meta,
            CHAT => r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#,
            _ => {
                r#"{"type":"user","uuid":"v","sessionId":"s","cwd":"/p","message":{"role":"user","content":"ask it"}}"#
            }
        };
        world.put(file, format!("{first}\n{line}\n").as_bytes());
        let summary = world.import();
        let told = format!("{summary:?} {:?}", world.events());
        assert!(!told.contains(&secret), "{line}: {told}");
        assert!(world.events().len() >= 2 || !summary.tally.left_out.is_empty(), "{line}: {told}");
    }
}

#[test]
fn a_whole_record_behind_a_torn_one_on_its_line_is_kept_and_the_torn_one_is_counted() {
    let meta = r#"{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","cwd":"/p"}}"#;
    let header = r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#;
    let time = |second: u32| format!(r#""timestamp":"2026-10-01T10:00:0{second}.000Z""#);
    let codex = |text: &str, at: u32| {
        format!(r#"{{{},"type":"event_msg","payload":{{"type":"user_message","message":"{text}"}}}}"#, time(at))
    };
    let claude = |text: &str, at: u32| {
        format!(
            r#"{{"type":"user","uuid":"u{at}",{},"sessionId":"s","cwd":"/p","message":{{"role":"user","content":"{text}"}}}}"#,
            time(at)
        )
    };
    let gemini = |text: &str, at: u32| format!(r#"{{"id":"m{at}",{},"type":"user","content":"{text}"}}"#, time(at));
    for (file, first, line) in
        [(ROLLOUT, meta, &codex as &dyn Fn(&str, u32) -> String), (TRANSCRIPT, "", &claude), (CHAT, header, &gemini)]
    {
        let half = line("never said", 2);
        for torn in [&half[..half.len() - 9], &half[..20], "\0\0\0\0", "\0"] {
            let world = World::new();
            let text =
                format!("{first}\n{}\n{torn}{}\n{}\n", line("ask one", 1), line("ask two", 3), line("ask three", 4));
            world.put(file, text.as_bytes());
            let summary = world.import();
            let said: Vec<String> = world
                .events()
                .iter()
                .filter(|stored| stored.event.kind() == Kind::UserMessage)
                .map(|stored| stored.event.content.plain().into_owned())
                .collect();
            assert_eq!(said, ["ask one", "ask two", "ask three"], "{file} {torn:?}");
            assert!(!summary.problems.is_empty() || torn.starts_with('\0'), "{file} {torn:?}");
        }
    }
}

#[test]
fn nul_bytes_where_a_client_was_cut_off_are_counted_and_cost_no_record() {
    let world = World::new();
    let line = r#"{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-10-01T10:00:00Z","cwd":"/p","message":{"role":"user","content":"ask it"}}"#;
    for (file, text) in [
        (".claude/projects/-p/a.jsonl", format!("{}\n{line}\n", "\0".repeat(40))),
        (".claude/projects/-p/b.jsonl", format!("{}{}\n", "\0".repeat(40), line.replace("\"u\"", "\"v\""))),
    ] {
        world.put(file, text.as_bytes());
        let summary = world.import();
        assert_eq!(summary.tally.problems, [("NUL bytes".to_owned(), 1)].into(), "{file}");
        assert_eq!(summary.problems[0].path, world.path(file));
    }
    assert_eq!(world.events().iter().filter(|stored| stored.event.content.plain() == "ask it").count(), 2);
}
