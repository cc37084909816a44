//! Real records in which anything may stand anywhere: nothing fails, nothing breaks, the good records are kept.

use crate::support::Home;
use crate::torture::Dice;
use crate::transcripts::{import, made_up, prompt, write};
use memoir_testkit::Client;
use memoir_testkit::files::Recording;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};
use std::fs;

/// The places in a value, the outermost first.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| places(value, &format!("{at}/{}", escaped(name)), all))
        }
        Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| places(value, &format!("{at}/{n}"), all)),
        _ => {}
    }
}

/// Values of every type, and the odd ones of each.
fn others() -> Vec<Value> {
    let deep = (0..100).fold(json!(1), |inner, n| if n % 2 == 0 { json!([inner]) } else { json!({"a": inner}) });
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!(" "),
        json!("text"),
        json!("\u{0}\u{1}\u{7f}\u{202e}"),
        json!("../../etc"),
        json!("2026-05-10T08:00:00Z"),
        json!("x".repeat(5000)),
        json!([]),
        json!([null]),
        json!([[["a"]]]),
        json!({}),
        json!({"type": 5}),
        json!({"text": []}),
        json!({"": ""}),
        deep,
    ]
}

/// The record with one to three of its values replaced.
fn changed(record: &str, dice: &mut Dice, others: &[Value]) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(record) else { return record.to_owned() };
    for _ in 0..=dice.roll(3) {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let place = &all[usize::try_from(dice.roll(all.len() as u64)).unwrap()];
        let other = others[usize::try_from(dice.roll(others.len() as u64)).unwrap()].clone();
        if let Some(old) = value.pointer_mut(place) {
            *old = other;
        }
    }
    value.to_string()
}

/// Puts the files of a recording with some of their lines, or the document that they are, changed.
fn put_changed(home: &Home, recording: &Recording, dice: &mut Dice) {
    let others = others();
    for (file, bytes) in recording.files() {
        let path = home.top().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let is_document = path.extension().is_some_and(|end| end == "json");
        let changed = if is_document {
            (0..3).fold(text, |text, _| changed(&text, dice, &others))
        } else {
            let line =
                |line: &str| if dice.roll(2) == 0 { changed(line, dice, &others) } else { line.to_owned() } + "\n";
            text.lines().map(line).collect()
        };
        fs::write(path, changed).unwrap();
    }
}

/// Sessions of clients that no test kit makes up.
fn others_sessions(home: &Home, dice: &mut Dice) {
    let copilot = [
        json!({"type": "session.start", "id": "1", "timestamp": "2026-05-10T08:00:00.000Z", "parentId": null,
            "data": {"sessionId": "s", "startTime": "2026-05-10T08:00:00.000Z", "context": {"cwd": "/p"}}}),
        json!({"type": "user.message", "id": "2", "timestamp": "2026-05-10T08:00:01.000Z", "data": {"content": "asked"}}),
        json!({"type": "assistant.message", "id": "3", "timestamp": "2026-05-10T08:00:02.000Z",
            "data": {"content": "said", "toolRequests": [{"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}]}}),
        json!({"type": "tool.execution_complete", "id": "4", "timestamp": "2026-05-10T08:00:03.000Z",
            "data": {"toolCallId": "c", "success": true, "result": {"content": "a.txt"}}}),
    ];
    let dir = home.top().join(".copilot/session-state/s");
    fs::create_dir_all(&dir).unwrap();
    let lines: String = copilot.iter().map(|line| changed(&line.to_string(), dice, &others()) + "\n").collect();
    fs::write(dir.join("events.jsonl"), lines).unwrap();
}

fn cases(share: u32) -> Config {
    let default = Config::default();
    let rng_seed = if std::env::var_os("PROPTEST_RNG_SEED").is_some() { default.rng_seed } else { RngSeed::Fixed(0) };
    Config { cases: (default.cases * share / 256).max(1), rng_seed, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn an_import_of_records_with_values_of_other_types_never_fails(seed in 1u64..) {
        let home = Home::new();
        let mut dice = Dice(seed);
        for client in Client::ALL {
            put_changed(&home, &made_up(client, 1, 3), &mut dice);
        }
        put_changed(&home, &memoir_testkit::files::in_old_gemini_form(&made_up(Client::Gemini, 2, 2)), &mut dice);
        others_sessions(&home, &mut dice);
        write(&home, "good", prompt(1, "a good one"));
        let summary = import(&home);
        prop_assert!(summary["stored"].as_u64().unwrap() > 0, "{}", summary);
        prop_assert!(home.prompts().contains(&"a good one".to_owned()));
        let again = import(&home);
        prop_assert_eq!((&again["stored"], &again["revised"]), (&json!(0), &json!(0)), "{}", again);
        home.verified();
        home.run(&["timeline", "--limit", "1000"]).succeeded();
    }

    #[test]
    fn a_hook_call_with_values_of_other_types_is_answered(seed in 1u64..) {
        let home = Home::new();
        let mut dice = Dice(seed);
        let client = Client::ALL[usize::try_from(dice.roll(3)).unwrap()];
        for (_, payload) in made_up(client, 1, 1).hooks() {
            let ran = home.feed(&["hook", client.name()], changed(payload, &mut dice, &others())).succeeded();
            prop_assert_eq!(ran.out, "{}\n");
        }
        home.verified();
    }
}
