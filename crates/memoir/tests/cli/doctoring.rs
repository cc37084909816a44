//! `memoir doctor` about clients: hooks that are installed, trusted and have fired, and each way in which they are not.

use crate::support::Home;
use serde_json::{Value, json};
use std::fs;

fn check(home: &Home, name: &str) -> Value {
    let ran = home.run(&["doctor", "--json"]);
    let found = ran.json_lines().into_iter().find(|check| check["check"] == name);
    found.unwrap_or_else(|| panic!("no check `{name}`: {ran:?}"))
}

fn fails(home: &Home, name: &str, part: &str) {
    let check = check(home, name);
    assert_eq!(check["ok"], false, "{check}");
    assert!(check["detail"].as_str().unwrap().contains(part), "{part} in {check}");
    assert!(check["fix"].is_string());
    assert_eq!(home.run(&["doctor"]).code(), 1);
}

fn passes(home: &Home, name: &str, part: &str) {
    let check = check(home, name);
    assert_eq!(check["ok"], true, "{check}");
    assert!(check["detail"].as_str().unwrap().contains(part), "{part} in {check}");
}

fn user() -> Home {
    let home = Home::new();
    for dir in [".codex", ".claude", ".gemini"] {
        fs::create_dir(home.top().join(dir)).unwrap();
    }
    home
}

#[test]
fn hooks_are_proven_step_by_step() {
    let home = user();
    passes(&home, "codex hooks", "not installed");
    home.run(&["init", "--yes", "--no-trust", "--no-import"]).succeeded();
    fails(&home, "codex hooks", "12 of 12 in");
    passes(&home, "claude hooks", "none has fired yet");
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    passes(&home, "codex hooks", "installed and trusted; none has fired yet");
    let payload = r#"{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"hi","cwd":"/p"}"#;
    home.feed(&["hook", "codex"], payload).succeeded();
    passes(&home, "codex hooks", "(UserPromptSubmit 1)");
    home.run(&["doctor"]).succeeded();
}

#[test]
fn each_way_in_which_hooks_do_not_run_is_named() {
    let home = user();
    home.run(&["init", "--yes", "--no-import"]).succeeded();

    let claude = home.top().join(".claude/settings.json");
    let text = fs::read_to_string(&claude).unwrap();
    fs::write(&claude, text.replacen('{', "{\"disableAllHooks\": true,", 1)).unwrap();
    fails(&home, "claude hooks", "disableAllHooks");
    fs::write(&claude, text.replace("\"StopFailure\"", "\"Other\"")).unwrap();
    fails(&home, "claude hooks", "StopFailure missing");
    fs::write(&claude, "{").unwrap();
    fails(&home, "claude hooks", "is not JSON");
    fs::write(&claude, &text).unwrap();

    let config = home.top().join(".codex/config.toml");
    let trusted = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("[features]\nhooks = false\n{trusted}")).unwrap();
    fails(&home, "codex hooks", "features.hooks");
    fs::write(&config, format!("[features]\ncodex_hooks = false\n{trusted}")).unwrap();
    fails(&home, "codex hooks", "features.codex_hooks");
    fs::write(&config, trusted.replacen("trusted_hash", "enabled = false\ntrusted_hash", 2)).unwrap();
    fails(&home, "codex hooks", "2 of 12 in");
    fs::write(&config, trusted.replacen("sha256:", "sha256:0", 1)).unwrap();
    fails(&home, "codex hooks", "1 of 12 in");
    fs::write(&config, &trusted).unwrap();

    let hooks = home.top().join(".codex/hooks.json");
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replacen('{', "{\"version\": 1,", 1)).unwrap();
    fails(&home, "codex hooks", "codex refuses all of that file (unknown field `version`");
    fs::write(&hooks, text).unwrap();
    let text = fs::read_to_string(&claude).unwrap();
    fs::write(&claude, format!("{text}// mine\n")).unwrap();
    fails(&home, "claude hooks", "claude refuses all of that file");
    fs::write(&claude, &text).unwrap();
    let elsewhere = home.top().join("elsewhere");
    home.run(&["--home", elsewhere.to_str().unwrap(), "init", "--yes", "--client", "claude", "--no-import"])
        .succeeded();
    fails(&home, "claude hooks", "for another home");
    home.run(&["init", "--yes", "--no-import"]).succeeded();

    passes(&home, "program", "hooks call ");
    fs::remove_file(home.dir().join("bin/memoir")).unwrap();
    fails(&home, "gemini hooks", "leads nowhere");
    fails(&home, "program", "leads nowhere");
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    home.run(&["doctor"]).succeeded();
}

#[test]
fn a_compressor_that_cannot_work_is_named() {
    let home = Home::with_one_event();
    let doctor = |path: &str| {
        let ran = home.run_with(&[("MEMOIR_COMPRESSOR", "1"), ("PATH", path)], &["doctor"]);
        ran.out.lines().find(|line| line.contains(" compressor - ")).map(str::to_owned)
    };
    let bin = home.top().join("bin");
    let path = bin.to_str().unwrap();
    assert!(doctor(path).unwrap().starts_with("fail compressor - there is no program `codex`"));
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("codex"), "").unwrap();
    assert!(doctor(path).unwrap().starts_with("ok   compressor - not tried yet"));
    let kept =
        |is_on: bool| json!({"version": 1, "checked_ms": 0, "wish": "|", "is_on": is_on, "model": "gpt-z"}).to_string();
    fs::write(home.dir().join("compressor.json"), kept(false)).unwrap();
    assert!(doctor(path).unwrap().contains("no model answered when it was asked last, 1970-01-01 00:00:00"));
    fs::write(home.dir().join("compressor.json"), kept(true)).unwrap();
    assert!(doctor(path).unwrap().starts_with("ok   compressor - gpt-z answered"));
    assert!(!home.run(&["doctor"]).out.contains("compressor"));
}

#[test]
fn a_session_that_went_by_without_hooks_is_noticed() {
    let home = user();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    let day = home.top().join(".codex/sessions/2026/01/02");
    fs::create_dir_all(&day).unwrap();
    let rollout = day.join("rollout-2026-01-02T00-00-00-x.jsonl");
    fs::write(&rollout, "{}\n").unwrap();
    passes(&home, "codex hooks", "none has fired yet");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    fs::File::options().append(true).open(&rollout).unwrap().set_modified(later).unwrap();
    fails(&home, "codex hooks", "fired last: never");
}

#[test]
fn payloads_that_cannot_be_read_and_events_that_were_lost_are_counted_until_an_import() {
    let home = user();
    home.feed(&["hook", "gemini"], "no json").succeeded();
    fails(&home, "payloads", "gemini sent 1 payload");
    fs::write(home.dir().join("dropped"), "1700000000000 2\n1700000001000 3\n").unwrap();
    fails(&home, "dropped", "5 events nowhere");
    assert_eq!(home.status()["dropped"], 5);
    home.run(&["import"]).succeeded();
    assert_eq!(home.status()["dropped"], 0);
    assert!(!home.run(&["doctor"]).out.contains("gemini sent"));
    assert_eq!(home.status()["hooks"], serde_json::json!([]));
}

#[test]
fn a_home_that_cannot_be_created_is_no_good_home() {
    let home = Home::new();
    let told = home.run(&["--home", "/proc/nowhere/memoir", "doctor", "--json"]);
    assert_eq!(told.code(), 1, "{told:?}");
    assert!(told.out.contains("cannot be created in /proc"), "{told:?}");
}

#[test]
fn hooks_of_an_older_set_are_completed_and_trusted_by_init() {
    let home = user();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    for (client, file) in [("codex", ".codex/hooks.json"), ("claude", ".claude/settings.json")] {
        let path = home.top().join(file);
        let mut settings: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let hooks = settings["hooks"].as_object_mut().unwrap();
        hooks.retain(|event, _| !event.starts_with("Permission"));
        fs::write(&path, settings.to_string()).unwrap();
        fails(&home, &format!("{client} hooks"), "PermissionRequest");
    }
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    passes(&home, "codex hooks", "12 installed and trusted");
    passes(&home, "claude hooks", "15 installed");
}
