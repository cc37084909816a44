//! Archives that a configured model tells: by `commit`, by `serve`, over HTTP or by an agent, within a budget.

use crate::support::{Home, Running, eventually};
use memoir_testkit::provider::{Mode, Provider};
use serde_json::{Value, json};

const SAID: &str = r#"{"section":"decided","text":"Polling won over sleeping.","from":["e2"]}"#;

fn home_with(provider: &Provider) -> Home {
    let home = Home::new();
    let event = |n: u32, kind: &str, text: &str| {
        json!({
            "session_id": "login", "event_type": kind, "content": text, "turn_id": format!("login-{n}"),
            "timestamp": format!("2026-05-10T08:00:{n:02}Z"),
        })
    };
    home.ingest(&[
        event(1, "user_message", "the login test is flaky, find out why"),
        event(2, "command", "cargo test login"),
        event(
            3,
            "assistant_message",
            "We decided to poll the port because sleeping is slow. The docs still need a line.",
        ),
    ])
    .succeeded();
    home.run(&["config", "set", "model.url", &provider.url()]).succeeded();
    home.run(&["config", "set", "model.name", "scripted-chat"]).succeeded();
    home
}

fn archive(home: &Home) -> Value {
    home.run(&["archive", "login", "--json"]).succeeded().json()
}

fn decided(home: &Home) -> Vec<String> {
    let lines = archive(home)["lines"].as_array().unwrap().clone();
    let decided = lines.iter().filter(|line| line["section"] == "decided");
    decided.map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_commit_is_told_by_the_model_only_where_somebody_wants_it() {
    let provider = Provider::start(8);
    provider.set_answer(SAID);
    let home = home_with(&provider);
    home.run(&["commit", "login"]).succeeded();
    assert_eq!((provider.asked().len(), decided(&home).len()), (0, 1), "nobody asked for it");
    home.run(&["config", "set", "model.archives", "true"]).succeeded();
    home.run(&["commit", "--no-model"]).succeeded();
    assert_eq!(provider.asked().len(), 0);
    let ran = home.run(&["commit"]).succeeded();
    assert!(
        ran.err.contains("1 archive told by scripted-chat; ") && ran.err.contains(" of 200000 tokens today"),
        "{ran:?}"
    );
    assert_eq!(decided(&home), ["Polling won over sleeping."]);
    assert_eq!(archive(&home)["toldBy"], "scripted-chat");
    assert!(home.run(&["archive", "login"]).succeeded().out.contains(", told by scripted-chat\n"));
    home.run(&["commit"]).succeeded();
    assert_eq!(provider.asked().len(), 1, "once is enough");
    let status = home.run(&["status", "--json"]).succeeded().json();
    assert_eq!((&status["model"]["told"], &status["model"]["dailyTokens"]), (&json!(1), &json!(200_000)));
    assert!(status["model"]["tokensToday"].as_u64().unwrap() > 0, "{status}");
    assert!(home.run(&["status"]).succeeded().out.contains("tokens today; 1 archive told by a model"));
    assert!(home.run(&["doctor"]).out.contains("answers for `memoir ask` and tells archives; "));
    // It is searched like everything else.
    assert!(home.run(&["search", "polling won"]).succeeded().out.to_lowercase().contains("polling"));
}

#[test]
fn whatever_the_model_does_the_commit_is_there() {
    for (mode, part) in [
        (Mode::NotJson, "it is not JSON"),
        (Mode::Status(500, "overloaded".into()), "failed (HTTP 500: overloaded)"),
        (Mode::Status(401, "bad key".into()), "does not accept the key"),
        (Mode::HangUp, "cannot be reached"),
        (Mode::Hang, "did not answer within 300 ms"),
        (Mode::Ok, "said nothing that can be used"),
    ] {
        let provider = Provider::start(8);
        provider.set_answer("Once upon a time there was a test.");
        let home = home_with(&provider);
        provider.set(mode);
        let variables = [("MEMOIR_MODEL_ARCHIVES", "on"), ("MEMOIR_MODEL_TIMEOUT_MS", "300")];
        let ran = home.run_with(&variables, &["commit", "login"]).succeeded();
        assert_eq!(ran.out, "login: archive_001 with 3 events in 1 turn (asked)\n", "{ran:?}");
        assert!(ran.err.starts_with("memoir: 1 archive as the rules chose it: ") && ran.err.contains(part), "{ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
        assert_eq!(decided(&home), ["We decided to poll the port because sleeping is slow."]);
        let is_not_there = !matches!(part, "it is not JSON" | "said nothing that can be used");
        for told in [home.run_with(&variables, &["status"]).out, home.run_with(&variables, &["doctor"]).out] {
            assert_eq!(
                told.contains("when asked last") || told.contains("when it was asked last"),
                is_not_there,
                "{part}: {told}"
            );
        }
    }
}

#[test]
fn of_half_an_answer_what_is_whole_is_told_and_the_rules_tell_the_rest() {
    let provider = Provider::start(8);
    provider.set_answer(&format!("Sure, here it is:\n{SAID}\n{{\"section\":\"open\",\"text\":\"The docs sti"));
    let home = home_with(&provider);
    let ran = home.run_with(&[("MEMOIR_MODEL_ARCHIVES", "on")], &["commit", "login"]).succeeded();
    assert!(ran.err.contains("1 archive told by scripted-chat; "), "{ran:?}");
    assert_eq!(decided(&home), ["Polling won over sleeping."]);
    let lines = archive(&home)["lines"].as_array().unwrap().clone();
    let asked = lines.iter().find(|line| line["section"] == "asked").unwrap();
    assert_eq!(asked["text"], "the login test is flaky, find out why");
}

#[test]
fn nothing_is_asked_beyond_the_budget_of_a_day() {
    let provider = Provider::start(8);
    provider.set_answer(SAID);
    let home = home_with(&provider);
    let variables = [("MEMOIR_MODEL_ARCHIVES", "on"), ("MEMOIR_MODEL_DAILY_TOKENS", "100")];
    let ran = home.run_with(&variables, &["commit", "login"]).succeeded();
    assert!(ran.err.contains("budget does not reach for this: 0 of 100 tokens today (model.daily_tokens)"), "{ran:?}");
    let asked = home.run_with(&variables, &["ask", "why is the login test flaky?"]).succeeded();
    assert!(asked.err.contains("no answer, only evidence: the model's budget does not reach"), "{asked:?}");
    assert_eq!(provider.asked().len(), 0);
    // The archive is there as the rules chose it, and what is left of the budget is shown.
    assert_eq!(decided(&home), ["We decided to poll the port because sleeping is slow."]);
    assert!(archive(&home)["toldBy"].is_null());
    assert!(home.run_with(&variables, &["status"]).succeeded().out.contains("0 of 100 tokens today"));
    let status = home.run_with(&variables, &["status", "--json"]).succeeded().json();
    assert_eq!((&status["model"]["tokensToday"], &status["model"]["dailyTokens"]), (&json!(0), &json!(100)));
    let doctor = home.run_with(&variables, &["doctor"]).out;
    assert!(doctor.contains("fail model") && doctor.contains("see that it is there and has budget left"), "{doctor}");
    // With more of it, what waited is told, and both count.
    let variables = [("MEMOIR_MODEL_ARCHIVES", "on"), ("MEMOIR_MODEL_DAILY_TOKENS", "0")];
    home.run_with(&variables, &["commit"]).succeeded();
    let before = home.run(&["status", "--json"]).succeeded().json()["model"]["tokensToday"].as_u64().unwrap();
    home.run_with(&variables, &["ask", "why is the login test flaky?"]).succeeded();
    let after = home.run(&["status", "--json"]).succeeded().json()["model"]["tokensToday"].as_u64().unwrap();
    assert!(before > 0 && after > before, "{before} {after}");
}

#[test]
fn a_server_has_archives_told_by_itself() {
    let provider = Provider::start(8);
    provider.set_answer(SAID);
    let home = home_with(&provider);
    let mut command = home.command(&["serve", "--port", "0"]);
    command.env("MEMOIR_MODEL_ARCHIVES", "on").env("MEMOIR_SESSION_IDLE_TTL_MS", "400");
    let running = Running::start(command);
    eventually("it is told", || {
        let ran = home.run(&["archive", "login", "--json"]);
        ran.code() == 0 && ran.json()["toldBy"] == "scripted-chat"
    });
    running.signal(rustix::process::Signal::TERM);
    running.finish();
}

#[cfg(unix)]
#[test]
fn an_agent_can_be_the_model() {
    use std::os::unix::fs::PermissionsExt;
    let provider = Provider::start(8);
    for (agent, answer) in [
        ("claude", format!("echo '{SAID}'")),
        ("gemini", format!("echo '{SAID}'")),
        ("codex", format!("while [ \"$1\" != --output-last-message ]; do shift; done; echo '{SAID}' > \"$2\"")),
    ] {
        let home = home_with(&provider);
        home.run(&["config", "unset", "model.url"]).succeeded();
        home.run(&["config", "unset", "model.name"]).succeeded();
        home.run(&["config", "set", "model.kind", agent]).succeeded();
        let bin = home.top().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let program = bin.join(agent);
        let script = format!(
            "#!/bin/sh\n[ -n \"$MEMOIR_AGENT\" ] || exit 9\ngrep -q 'the login test is flaky' || exit 8\n{answer}\n"
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let variables = [("MEMOIR_MODEL_ARCHIVES", "on"), ("PATH", path.as_str())];
        let ran = home.run_with(&variables, &["commit", "login"]).succeeded();
        assert!(ran.err.contains(&format!("1 archive told by {agent}; ")), "{ran:?}");
        assert_eq!(decided(&home), ["Polling won over sleeping."], "{agent}");
        assert_eq!(provider.asked().len(), 0);
        // One that fails leaves the next archive to the rules.
        std::fs::write(&program, "#!/bin/sh\necho no credit >&2\nexit 3\n").unwrap();
        let ran = home.run_with(&variables, &["ask", "why is the login test flaky?"]).succeeded();
        assert!(
            ran.err.contains(&format!("no answer, only evidence: {agent} ended with exit status: 3: no credit")),
            "{ran:?}"
        );
    }
}
