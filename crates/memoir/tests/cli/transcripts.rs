//! Session files as clients leave them, and imports of them.

use crate::support::{Home, Ran};
use memoir_testkit::Client;
use memoir_testkit::files::{Call, End, Manner, Recording, Reply, Run, Scenario, Turn, Write, record};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One line of a Claude session: the so-manieth prompt.
pub fn prompt(n: usize, text: &str) -> String {
    prompt_with(n, text, json!({}))
}

/// The same with other fields.
pub fn prompt_with(n: usize, text: &str, more: Value) -> String {
    let mut line = json!({
        "type": "user", "uuid": format!("u{n}"), "parentUuid": null, "sessionId": "s", "cwd": "/p", "version": "2.1.0",
        "promptId": format!("p{n}"), "timestamp": format!("2026-05-10T08:{:02}:{:02}.{:03}Z", n / 60_000 % 60, n / 1000 % 60, n % 1000),
        "message": {"role": "user", "content": text},
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

/// A session of so many prompts.
pub fn prompts(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|n| prompt(n, &format!("prompt {n}"))).collect()
}

/// Where a Claude session of that name lies.
pub fn session(home: &Home, name: &str) -> PathBuf {
    let dir = home.top().join(".claude/projects/-p");
    fs::create_dir_all(&dir).unwrap();
    dir.join(format!("{name}.jsonl"))
}

/// A Claude session with that in it.
pub fn write(home: &Home, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = session(home, name);
    fs::write(&path, content).unwrap();
    path
}

pub fn append(path: &Path, content: impl AsRef<[u8]>) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(content.as_ref()).unwrap();
}

/// Imports everything; that always goes well.
pub fn import(home: &Home) -> Value {
    home.run(&["import", "--json"]).succeeded().json()
}

pub fn import_path(home: &Home, path: &Path) -> Ran {
    home.run(&["import", "--json", "--path", path.to_str().unwrap()])
}

/// What was wrong with a file, by the summary.
pub fn problems_of(summary: &Value, path: &Path) -> Value {
    let files = summary["files"].as_array().unwrap();
    let of_file = files.iter().find(|file| file["path"].as_str() == path.to_str());
    of_file.map_or(Value::Null, |file| file["problems"].clone())
}

/// That file has those problems, and the summary counts them, in JSON and in words.
pub fn assert_problems(summary: &Value, path: &Path, expected: &Value) {
    assert_eq!(problems_of(summary, path), *expected, "{summary}");
    for (kind, count) in expected.as_object().unwrap() {
        assert!(summary["problems"][kind].as_u64() >= count.as_u64(), "{kind} in {summary}");
    }
}

/// A made-up session of a client with commands and files in each turn, as it is the same in every home.
pub fn made_up(client: Client, number: u32, turns: u32) -> Recording {
    let reply = |calls: Vec<Call>, text: String| Reply { thought: None, texts: vec![text], calls, tokens: (900, 70) };
    let turn = |n: u32| {
        let run = Run { command: format!("cargo test part{n}"), output: format!("ok {n} of {number}"), exit_code: 0 };
        let file = Write { path: format!("notes-{n}.md"), line: format!("a line of {n}") };
        Turn {
            pause_s: 20,
            prompt: format!("please do part {n} of session {number}"),
            blocks: Vec::new(),
            compaction: None,
            replies: vec![reply(vec![Call::Run(run), Call::Write(file)], format!("Let me look at part {n}."))],
            end: End::Answer(reply(Vec::new(), format!("Part {n} of {number} is done."))),
        }
    };
    let scenario = Scenario { number, manner: Manner::Typed, turns: (0..turns).map(turn).collect(), fork: None };
    record(client, &scenario, Path::new("/users/nobody"))
}

/// Puts the files of a recording where their client would.
pub fn put(home: &Home, recording: &Recording) {
    for (file, bytes) in recording.files() {
        let path = home.top().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// What a journal holds: every event by when it was and what it says, and how often it is there. Two times are left out:
/// of a prompt that Gemini wrote down twice, whichever was read first counts; a cost without a time has the import's.
pub fn told(home: &Home) -> BTreeMap<String, usize> {
    let mut told = BTreeMap::new();
    for event in home.events() {
        let is_told_twice = event["client"] == "gemini" && event["kind"] == "user_message";
        let ts = if is_told_twice || event["kind"] == "usage" { &Value::Null } else { &event["ts"] };
        let said = json!([ts, event["kind"], event["sessionId"], event["threadId"], event["payload"]]);
        *told.entry(said.to_string()).or_default() += 1;
    }
    told
}
