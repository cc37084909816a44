//! Whatever happened before, a purge leaves no byte of the text under the home.

use crate::scan::holding;
use crate::support::{Home, dead_port, to_lines};
use crate::transcripts;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

const TOKEN: &str = "Zqxwalrus";

/// How a text that holds the token is put.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Long,
    Json,
    Escaped,
    Wide,
    Capitals,
}

/// One thing that happens in a home.
#[derive(Debug, Clone)]
enum Step {
    Ingest(u8, Form),
    Nameless(u8, Form),
    ToServer(u8, Form),
    Hook(u8, Form),
    Session(u8, Form),
    Remember(Form),
    Forget(u8),
    Undo,
    Search,
    Backup,
    Rebuild,
}

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![Form::Plain, Form::Long, Form::Json, Form::Escaped, Form::Wide, Form::Capitals])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..3u8, form()).prop_map(|(n, form)| Step::Ingest(n, form)),
        (0..3u8, form()).prop_map(|(n, form)| Step::Nameless(n, form)),
        (0..3u8, form()).prop_map(|(n, form)| Step::ToServer(n, form)),
        (0..3u8, form()).prop_map(|(n, form)| Step::Hook(n, form)),
        (0..3u8, form()).prop_map(|(n, form)| Step::Session(n, form)),
        form().prop_map(Step::Remember),
        (0..3u8).prop_map(Step::Forget),
        Just(Step::Undo),
        Just(Step::Search),
        Just(Step::Backup),
        Just(Step::Rebuild),
    ]
}

fn wide(text: &str) -> String {
    text.chars().map(|c| char::from_u32(c as u32 + 0xfee0).filter(|_| c.is_ascii_graphic()).unwrap_or(c)).collect()
}

/// The content, as JSON text.
fn content(form: Form, n: u8) -> String {
    let escaped = |text: &str| text.chars().map(|c| format!("\\u{:04x}", c as u32)).collect::<String>();
    match form {
        Form::Plain => json!(format!("{n} {TOKEN} said")).to_string(),
        Form::Long => json!(format!("{n} {} {TOKEN}", "words that are worth packing ".repeat(60))).to_string(),
        Form::Json => json!({"n": n, "list": [{"deep": TOKEN}], TOKEN: 1}).to_string(),
        Form::Escaped => format!("{{\"n\":{n},\"text\":\"{}\"}}", escaped(TOKEN)),
        Form::Wide => json!(format!("{n} {} wide", wide(TOKEN))).to_string(),
        Form::Capitals => json!(format!("{n} {}", TOKEN.to_uppercase())).to_string(),
    }
}

fn text(form: Form, n: u8) -> String {
    match serde_json::from_str::<Value>(&content(form, n)).unwrap() {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn take(home: &Home, step: &Step) {
    let line = |n: u8, form: Form, more: &str| {
        format!("{{\"session_id\":\"s{n}\",\"event_type\":\"tool_result\",\"content\":{}{more}}}\n", content(form, n))
    };
    let named = |n: u8| format!(",\"turn_id\":\"t{n}\",\"timestamp\":\"2026-05-10T08:00:0{n}Z\"");
    match step {
        Step::Ingest(n, form) => drop(home.feed(&["ingest", "--repo", "o/r"], line(*n, *form, &named(*n)))),
        Step::Nameless(n, form) => drop(home.feed(&["ingest", "--repo", "o/r"], line(*n, *form, ""))),
        Step::ToServer(n, form) => {
            let url = format!("http://127.0.0.1:{}", dead_port());
            drop(home.feed(&["ingest", "--server-url", &url], line(*n, *form, &named(*n))));
        }
        Step::Hook(n, form) => {
            let payload = json!({"session_id": format!("h{n}"), "prompt_id": "p", "transcript_path": "/nowhere/s.jsonl",
                "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": text(*form, *n)});
            let mut command = home.command(&["hook", "claude"]);
            command.env("MEMOIR_SERVER_URL", format!("http://127.0.0.1:{}", dead_port()));
            crate::support::run(command, payload.to_string().as_bytes()).succeeded();
        }
        Step::Session(n, form) => {
            let first = transcripts::prompt_with(1, &text(*form, *n), json!({"sessionId": format!("i{n}")}));
            transcripts::write(home, &format!("i{n}"), first);
            transcripts::import(home);
        }
        Step::Remember(form) => drop(home.run(&["remember", &text(*form, 0), "--project", "o/r"])),
        Step::Forget(n) => drop(home.run(&["forget", "--session", &format!("s{n}"), "--yes"])),
        Step::Undo => {
            let listed = home.run(&["forgotten", "--json"]).json_lines();
            if let Some(entry) = listed.iter().find(|entry| entry["undone"] == false) {
                drop(home.run(&["forget", "--undo", entry["name"].as_str().unwrap()]));
            }
        }
        Step::Search => drop(home.run(&["search", TOKEN])),
        Step::Backup => {
            let backup = home.top().join(format!("backup-{}.memoir", home.verified()));
            home.run(&["backup", backup.to_str().unwrap()]);
            home.run(&["restore", backup.to_str().unwrap(), "--yes"]);
        }
        Step::Rebuild => drop(std::fs::remove_dir_all(home.dir().join("index"))),
    }
}

/// In every form that it may be kept in.
fn left(home: &Home) -> Vec<PathBuf> {
    let mut found = holding(&home.dir(), TOKEN);
    found.extend(holding(&home.dir(), &wide(TOKEN)));
    found.extend(holding(&home.dir(), &wide(&TOKEN.to_lowercase())));
    let escaped: String = TOKEN.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    found.extend(holding(&home.dir(), &escaped));
    for file in crate::scan::files(&home.dir()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let wanted: Vec<u8> = TOKEN.encode_utf16().flat_map(unit).collect();
            if bytes.windows(wanted.len()).any(|window| window == wanted) {
                found.push(file.clone());
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_purge_leaves_no_byte_of_the_text_under_the_home_whatever_happened_before(
        steps in prop::collection::vec(step(), 1..10),
    ) {
        let home = Home::new();
        let kept = json!({"session_id": "k", "event_type": "user_message", "content": "kept", "turn_id": "k"});
        home.feed(&["ingest", "--repo", "o/r"], to_lines(&[kept])).succeeded();
        steps.iter().for_each(|step| take(&home, step));
        let ran = home.run(&["purge", "--text", TOKEN, "--yes"]);
        prop_assert_eq!(ran.code(), 0, "{:?}", ran);
        prop_assert_eq!(left(&home), Vec::<PathBuf>::new());
        home.verified();
        prop_assert_eq!(home.prompts(), ["kept"]);
        // The same again, by every way that stores here: it stays gone.
        for step in steps.iter().filter(|step| matches!(step, Step::Ingest(..) | Step::Nameless(..) | Step::Session(..))) {
            take(&home, step);
        }
        home.run(&["search", "kept"]).succeeded();
        prop_assert_eq!(left(&home), Vec::<PathBuf>::new());
    }
}
