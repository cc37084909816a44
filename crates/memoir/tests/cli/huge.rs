//! Lines, files and payloads of any size: memory stays within bounds.

use crate::support::{Home, Ran, run_measured};
use crate::torture::number_from;
use crate::transcripts::{append, assert_problems, import, prompt, session, write};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

/// No input may take more memory than this.
const PEAK_KB_MAX: u64 = 300 << 10;

const MEGABYTE: usize = 1 << 20;

/// Imports within bounds.
fn imported(home: &Home) -> Value {
    measured(home).0
}

fn measured(home: &Home) -> (Value, u64) {
    let (ran, peak_kb) = run_measured(home.command(&["import", "--json"]), b"");
    assert!(peak_kb > 0 && peak_kb < PEAK_KB_MAX, "it held {peak_kb} kB");
    (ran.succeeded().json(), peak_kb)
}

/// Writes a beginning, a piece so often that it makes that many bytes, and an end.
fn fill(path: &Path, bytes: usize, (start, piece, end): (&str, &str, &str)) {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(start.as_bytes()).unwrap();
    let block = piece.repeat(MEGABYTE / piece.len());
    for _ in 0..bytes / block.len() {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(end.as_bytes()).unwrap();
}

/// A line around a place where anything may be put.
fn around(line: &str) -> (String, String) {
    let (start, end) = line.split_once("\"HERE\"").unwrap();
    (start.to_owned(), end.to_owned())
}

#[test]
fn a_line_of_a_hundred_megabytes_is_shortened_or_given_up_and_the_lines_around_it_are_read() {
    let home = Home::new();
    let (start, end) = around(&prompt(1, "HERE"));
    let kinds = [
        ("text", format!("{start}\"long "), "x", format!(" end\"{end}"), "huge line, shortened", true),
        ("list", format!("{start}["), "1,", format!("1]{end}"), "huge line, shortened", false),
        (
            "blocks",
            format!("{start}["),
            "{\"type\":\"text\",\"text\":\"x\"},",
            format!("1]{end}"),
            "huge line, shortened",
            true,
        ),
        ("nested", format!("{start}["), "[[],{\"a\":[1,2,3]}],", format!("1]{end}"), "huge line, shortened", false),
        ("garbage", String::new(), "garbage ", "\n".to_owned(), "line too long", false),
        ("quotes", String::new(), "\"\\", "\n".to_owned(), "not JSON", false),
        ("brackets", String::new(), "[", "\n".to_owned(), "line too long", false),
    ];
    for (name, start, piece, end, problem, has_prompt) in kinds {
        let path = write(&home, name, prompt(0, &format!("before {name}")).replace("\"u0\"", &format!("\"{name}-0\"")));
        fill(&path, 100 * MEGABYTE, (&start.replace("\"u1\"", &format!("\"{name}-1\"")), piece, &end));
        append(&path, prompt(2, &format!("after {name}")).replace("\"u2\"", &format!("\"{name}-2\"")));
        let summary = imported(&home);
        let problems = crate::transcripts::problems_of(&summary, &path);
        assert_eq!(problems[problem], 1, "{name}: {summary}");
        let prompts = home.prompts();
        assert!(prompts.contains(&format!("before {name}")) && prompts.contains(&format!("after {name}")), "{name}");
        let has_it = prompts.iter().any(|text| text.starts_with("long x") || text.starts_with("x\n"));
        assert!(has_it || !has_prompt, "{name}");
        fs::remove_file(&path).unwrap();
    }
    home.verified();
}

#[test]
fn a_huge_line_that_is_torn_is_read_once_it_is_finished() {
    let home = Home::new();
    let (start, end) = around(&prompt(1, "HERE"));
    let path = write(&home, "s", prompt(0, "before"));
    fill(&path, 20 * MEGABYTE, (&format!("{start}\"long "), "x", ""));
    let summary = imported(&home);
    assert_eq!((&summary["clients"]["claude"]["unfinished"], home.prompts().len()), (&json!(1), 1));
    append(&path, format!(" end\"{end}{}", prompt(2, "after")));
    let summary = imported(&home);
    assert_problems(&summary, &path, &json!({"huge line, shortened": 1}));
    let prompts = home.prompts();
    assert_eq!((prompts.len(), prompts[0].as_str(), prompts[2].as_str()), (3, "before", "after"));
    assert!(prompts[1].starts_with("long x") && prompts[1].ends_with("x end"));
}

#[test]
fn a_chat_of_one_document_is_read_in_bounds_whatever_is_in_it() {
    let home = Home::new();
    let dir = home.top().join(".gemini/tmp/p/chats");
    fs::create_dir_all(&dir).unwrap();
    let message = |id: &str, text: &str| json!({"id": id, "timestamp": "2026-05-10T08:00:00.000Z", "type": "user", "content": text});
    for (name, quote, piece) in [("text", "\"", "x"), ("list", "", "1,")] {
        let chat = json!({"sessionId": name, "projectHash": "h",
            "messages": [message("1", "before"), message("2", "HERE"), message("3", "after")]});
        let (start, end) = around(&chat.to_string());
        let (open, close) = if quote.is_empty() { ("[", "1]") } else { (quote, quote) };
        let path = dir.join(format!("session-{name}.json"));
        fill(&path, 100 * MEGABYTE, (&format!("{start}{open}"), piece, &format!("{close}{end}")));
        assert_problems(&imported(&home), &path, &json!({"huge record, shortened": 1}));
        let prompts = home.prompts();
        assert!(prompts.contains(&"before".to_owned()) && prompts.contains(&"after".to_owned()));
        fs::remove_file(&path).unwrap();
    }
}

/// A session of that many megabytes.
fn long_session(home: &Home, megabytes: usize) {
    let path = session(home, "long");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    let text = "some words of a long answer, and more of them. ".repeat(1400);
    for n in 0..megabytes * MEGABYTE / (text.len() + 300) {
        let line = json!({"type": "assistant", "uuid": format!("a{n}"), "parentUuid": null, "sessionId": "s", "cwd": "/p",
            "timestamp": "2026-05-10T08:00:00.000Z",
            "message": {"id": format!("m{n}"), "role": "assistant", "content": [{"type": "text", "text": format!("{n} {text}")}]}});
        writeln!(file, "{line}").unwrap();
    }
    file.write_all(prompt(1, "the end").as_bytes()).unwrap();
}

#[test]
fn memory_does_not_grow_with_the_size_of_a_file() {
    let megabytes = number_from("MEMOIR_HUGE_MB").map_or(300, |number| usize::try_from(number).unwrap());
    let peak_kb = |megabytes: usize| {
        let home = Home::new();
        long_session(&home, megabytes);
        let (summary, peak_kb) = measured(&home);
        assert_eq!(summary["problems"], json!({}));
        assert_eq!(home.prompts(), ["the end"]);
        peak_kb
    };
    let (small, large) = (peak_kb(megabytes / 10), peak_kb(megabytes));
    assert!(large < small + (48 << 10), "{small} kB for a tenth, {large} kB for the whole");
}

/// Calls a hook within bounds; the answer is always an empty object.
fn called(home: &Home, client: &str, payload: &str) -> Ran {
    let (ran, peak_kb) = run_measured(home.command(&["hook", client]), payload.as_bytes());
    assert!(peak_kb < PEAK_KB_MAX, "it held {peak_kb} kB");
    let ran = ran.succeeded();
    assert_eq!(ran.out, "{}\n");
    ran
}

#[test]
fn a_hook_takes_fifty_megabytes_of_anything_and_answers() {
    let home = Home::new();
    let size = 50 * MEGABYTE;
    let call = |event: &str, more: &str| {
        format!("{{\"session_id\":\"s\",\"cwd\":\"/p\",\"hook_event_name\":\"{event}\",{more},\"end\":1}}")
    };
    let prompt = call("UserPromptSubmit", &format!("\"prompt\":\"long {} end\"", "x".repeat(size)));
    assert_eq!(called(&home, "codex", &prompt).err, "");
    let list = format!("[{}1]", "1,".repeat(size / 2));
    let tool = "\"tool_name\":\"Bash\",\"tool_use_id\":\"c\",\"tool_input\":";
    for client in ["codex", "claude"] {
        called(&home, client, &call("PostToolUse", &format!("{tool}{{\"command\":\"ls\"}},\"tool_response\":{list}")));
        called(&home, client, &call("PreToolUse", &format!("{tool}{list}")));
    }
    called(&home, "gemini", &call("AfterTool", &format!("{tool}{{}},\"tool_response\":{{\"llmContent\":{list}}}")));
    for garbage in ["garbage ", "\"", "[", "{\"a\":", "\0"] {
        let said = called(&home, "claude", &garbage.repeat(size / garbage.len()));
        assert!(!said.err.is_empty(), "{garbage}");
    }
    let prompts = home.prompts();
    assert!(prompts.len() == 1 && prompts[0].starts_with("long x") && prompts[0].ends_with("x end"));
    assert!(prompts[0].len() < 5 * MEGABYTE);
    assert!(prompts[0].contains(&format!(" of {} characters left out]…", size + "long  end".len())));
    let result =
        call("PostToolUse", &format!("{tool}{{\"command\":\"ls\"}},\"tool_response\":\"{}\"", "x".repeat(size)));
    called(&home, "codex", &result.replace("\"c\"", "\"d\""));
    let told: Vec<String> =
        home.events().iter().filter(|event| event["actionId"] == "d").map(|e| e.to_string()).collect();
    assert!(told.iter().any(|event| event.contains(&format!(" of {size} characters left out]…"))), "{}", told.len());
    home.verified();
    import(&home);
}

#[test]
fn figures_of_ever_more_events_take_no_more_memory() {
    let peak_kb = |prompts: u32| {
        let home = Home::new();
        let line = |n: u32| {
            let at = format!("2026-05-10T{:02}:{:02}:{:02}Z", n / 3600 % 24, n / 60 % 60, n % 60);
            format!(
                r#"{{"session_id":"s","event_type":"user_message","content":"{n}","turn_id":"{n}","timestamp":"{at}"}}"#
            )
        };
        let lines: Vec<String> = (0..prompts).map(line).collect();
        home.feed(&["ingest"], lines.join("\n")).succeeded();
        let (ran, peak_kb) = run_measured(home.command(&["stats", "--json"]), b"");
        assert_eq!(ran.succeeded().json()["turns"], prompts);
        peak_kb
    };
    let (small, large) = (peak_kb(2_000), peak_kb(80_000));
    assert!(large < small + (6 << 10), "{small} kB for few, {large} kB for many");
}

#[test]
fn rows_of_a_hundred_megabytes_are_read_piece_by_piece() {
    let home = Home::new();
    let database = home.top().join(".local/share/opencode/opencode.db");
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
             CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                 time_updated INTEGER, data TEXT);
             INSERT INTO session VALUES('ses_1', NULL, '/tmp', '1', 1794801309000);",
        )
        .unwrap();
    for n in 0..2 {
        let at = 1_794_801_309_000_i64 + n;
        let role = r#"{"role":"assistant"}"#;
        connection
            .execute("INSERT INTO message VALUES(?1, 'ses_1', ?2, ?2, ?3)", (format!("msg_{n}"), at, role))
            .unwrap();
        let text = format!("{{\"type\":\"text\",\"text\":\"begun {n} {}\"}}", "x".repeat(100 * MEGABYTE));
        let ids = (format!("prt_{n}"), format!("msg_{n}"));
        connection.execute("INSERT INTO part VALUES(?1, ?2, 'ses_1', ?3, ?3, ?4)", (ids.0, ids.1, at, text)).unwrap();
    }
    drop(connection);
    let summary = imported(&home);
    assert_eq!(summary["problems"]["huge row, shortened"], 2, "{summary}");
    let texts: Vec<String> = home.events().iter().map(Value::to_string).collect();
    assert!((0..2).all(|n| texts.iter().any(|text| text.contains(&format!("begun {n} x")))));
}

#[test]
fn compressed_files_that_need_much_memory_are_unpacked_one_at_a_time() {
    let home = Home::new();
    let dir = home.top().join(".codex/sessions/2026/05/10");
    fs::create_dir_all(&dir).unwrap();
    for n in 0..4 {
        let id = format!("01a1e24e-1373-7570-aa3c-1a289a7a56a{n}");
        let path = dir.join(format!("rollout-2026-05-10T08-00-0{n}-{id}.jsonl.zst"));
        let mut packer = zstd::stream::write::Encoder::new(fs::File::create(path).unwrap(), 1).unwrap();
        packer.window_log(27).unwrap();
        let begun = json!({"timestamp": "2026-05-10T08:00:00.000Z", "type": "session_meta",
            "payload": {"id": id, "cwd": "/p", "timestamp": "2026-05-10T08:00:00.000Z"}});
        packer.write_all(format!("{begun}\n").as_bytes()).unwrap();
        let output = "output ".repeat(10 << 10);
        for call in 0..2_300 {
            let line = json!({"timestamp": "2026-05-10T08:00:01.000Z", "type": "response_item",
                "payload": {"type": "function_call_output", "call_id": format!("c{call}"), "output": output}});
            packer.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        packer.finish().unwrap();
    }
    let summary = imported(&home);
    assert_eq!(summary["clients"]["codex"]["read"], 4, "{summary}");
}
