//! `memoir embed`, and what the rest of memoir knows of vectors.

use crate::http;
use crate::support::{Home, dead_port, event, eventually};
use memoir_testkit::provider::{Mode, Provider};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const KEY: &str = "sk-that-nobody-may-see";

fn home_with(texts: &[&str], provider: &Provider) -> Home {
    let home = Home::new();
    let events: Vec<Value> = texts.iter().map(|text| event(text)).collect();
    home.ingest(&events).succeeded();
    home.run(&["config", "set", "embeddings.url", &provider.url()]).succeeded();
    home.run(&["config", "set", "embeddings.model", "scripted"]).succeeded();
    home
}

fn vectors_of(home: &Home) -> Value {
    home.status()["vectors"].clone()
}

#[test]
fn without_a_model_it_is_said_how_to_configure_one() {
    let home = Home::with_one_event();
    home.run(&["embed"]).failed_in_one_line(2, &["embeddings.url", "embeddings.model", "memoir config set"]);
    assert!(!home.dir().join("vectors").exists());
    assert_eq!(vectors_of(&home), Value::Null);
    home.run(&["config", "set", "embeddings.url", "http://127.0.0.1:1"]).succeeded();
    home.run(&["embed"]).failed_in_one_line(2, &["no model", "memoir config set embeddings.model NAME"]);
    let none = Home::new();
    let ran =
        none.run_with(&[("MEMOIR_EMBEDDINGS_URL", "http://127.0.0.1:1"), ("MEMOIR_EMBEDDINGS_MODEL", "m")], &["embed"]);
    ran.failed_in_one_line(1, &["nothing is recorded"]);
}

#[test]
fn what_was_said_gets_vectors_once() {
    let provider = Provider::start(24);
    let home = home_with(&["deploy with ./ship", "the login test is flaky", "pasta"], &provider);
    assert_eq!((vectors_of(&home)["events"].as_u64(), vectors_of(&home)["missing"].as_u64()), (Some(0), Some(3)));
    let said = home.run(&["embed"]).succeeded().out;
    assert!(said.starts_with("made 3 vectors; 3 events by scripted (24 dimensions), "), "{said}");
    assert!(home.run(&["embed"]).succeeded().out.starts_with("nothing new; 3 events"), "{said}");
    home.ingest(&[event("tomatoes")]).succeeded();
    let told = home.run(&["embed", "--json"]).succeeded().json();
    assert_eq!((&told["made"], &told["rebuilt"], &told["vectors"]["events"]), (&json!(1), &json!(false), &json!(4)));
    assert_eq!((&told["vectors"]["model"], &told["vectors"]["dimension"]), (&json!("scripted"), &json!(24)));
    // Beside them only a word that tells how long the vectors are by now.
    assert_eq!(provider.texts().iter().filter(|text| *text != "memoir").count(), 4);
    let lines = home.run(&["status"]).succeeded().out;
    assert!(lines.contains("vectors  4 events by scripted (24 dimensions)"), "{lines}");
    let private = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(home.dir().join(name)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((private("vectors"), private("vectors/coarse")), (0o700, 0o600));
}

#[test]
fn a_key_comes_from_the_settings_or_the_variable_that_they_name_and_is_never_shown() {
    let provider = Provider::start(8);
    let home = home_with(&["one"], &provider);
    home.run(&["config", "set", "embeddings.key_env", "MEMOIR_MY_KEY"]).succeeded();
    home.run(&["embed"]).failed_in_one_line(2, &["MEMOIR_MY_KEY", "not set"]);
    provider.set(Mode::Status(400, format!("what is {KEY}?")));
    let ran = home.run_with(&[("MEMOIR_MY_KEY", KEY)], &["embed"]).failed_in_one_line(1, &["refused", "HTTP 400"]);
    assert!(!ran.err.contains(KEY));
    provider.set(Mode::Ok);
    home.run_with(&[("MEMOIR_MY_KEY", KEY)], &["embed"]).succeeded();
    assert!(
        provider.asked().iter().all(|asked| asked.header("authorization") == Some("Bearer sk-that-nobody-may-see"))
    );
    let doctor = home.run_with(&[("MEMOIR_MY_KEY", KEY)], &["doctor"]);
    assert!(doctor.out.contains("are understood"), "{}", doctor.out);
    home.run(&["config", "set", "embeddings.key", KEY]).succeeded();
    home.ingest(&[event("two")]).succeeded();
    home.run(&["embed"]).succeeded();
    for args in [&["config"][..], &["config", "--json"], &["doctor"], &["status", "--json"], &["embed", "--json"]] {
        let ran = home.run(args);
        assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY), "{args:?}: {ran:?}");
    }
}

#[test]
fn settings_that_cannot_be_right_are_refused() {
    let home = Home::with_one_event();
    for (key, value, part) in [
        ("embeddings.url", "localhost:11434", "is not a URL"),
        ("embeddings.url", "ftp://host", "http:// or https://"),
        ("model.url", "https://user:pw@host", "name or password"),
        ("model.kind", "llama", "must be openai, anthropic, codex, claude or gemini"),
        ("embeddings.timeout_ms", "0", "from 1 to 600000"),
    ] {
        home.run(&["config", "set", key, value]).failed_in_one_line(2, &[key, part]);
    }
    let far = [
        ("MEMOIR_EMBEDDINGS_URL", "http://far.example"),
        ("MEMOIR_EMBEDDINGS_MODEL", "m"),
        ("MEMOIR_EMBEDDINGS_KEY", KEY),
    ];
    home.run_with(&far, &["embed"]).failed_in_one_line(2, &["would travel unencrypted to far.example"]);
}

#[test]
fn a_model_that_is_down_or_talks_nonsense_is_told_in_a_sentence_and_harms_nothing() {
    let provider = Provider::start(8);
    let home = home_with(&["one", "two"], &provider);
    for (mode, part) in [
        (Mode::NotJson, "cannot be used"),
        (Mode::WrongCount, "1 vectors for 2 texts"),
        (Mode::Status(500, "broken".into()), "failed (HTTP 500: broken)"),
        (Mode::HangUp, "cannot be reached"),
    ] {
        provider.set(mode);
        home.run(&["embed"]).failed_in_one_line(1, &[part]);
    }
    provider.set(Mode::Hang);
    let start = Instant::now();
    let ran = home.run_with(&[("MEMOIR_EMBEDDINGS_BUILD_TIMEOUT_MS", "300")], &["embed"]);
    ran.failed_in_one_line(1, &["did not answer within 300 ms"]);
    assert!(start.elapsed() < Duration::from_secs(5));
    let gone = format!("http://127.0.0.1:{}", dead_port());
    let ran = home.run_with(&[("MEMOIR_EMBEDDINGS_URL", &gone)], &["doctor"]);
    assert_eq!(ran.code(), 1);
    assert!(ran.out.contains("fail embeddings - ") && ran.out.contains("cannot be reached"), "{}", ran.out);
    provider.set(Mode::Ok);
    let doctor = home.run(&["doctor"]).out;
    assert!(doctor.contains("ok   embeddings - scripted (8 dimensions) at 127.0.0.1 answered in"), "{doctor}");
    assert!(doctor.contains("vectors - none yet; 2 events without one"), "{doctor}");
    assert_eq!(home.run(&["recall", "one"]).code(), 0);
    provider.set(Mode::Slow(Duration::from_millis(600)));
    let doctor = home.run(&["doctor"]);
    assert!(doctor.out.contains("too slow for questions") && doctor.code() == 1, "{}", doctor.out);
}

#[test]
fn another_model_makes_all_vectors_anew() {
    let provider = Provider::start(8);
    let home = home_with(&["one", "two"], &provider);
    home.run(&["embed"]).succeeded();
    home.run(&["config", "set", "embeddings.model", "newer"]).succeeded();
    let doctor = home.run(&["doctor"]).out;
    assert!(doctor.contains("by scripted (8 dimensions)") && doctor.contains("that is another model"), "{doctor}");
    let told = home.run(&["embed", "--json"]).succeeded().json();
    assert_eq!(
        (&told["made"], &told["rebuilt"], &told["vectors"]["model"]),
        (&json!(2), &json!(true), &json!("newer"))
    );
}

#[test]
fn killed_at_any_moment_the_next_run_goes_on_and_embeds_nothing_twice() {
    let provider = Provider::start(64);
    let texts: Vec<String> = (0..900).map(|n| format!("number{n} and word{}", n * 7)).collect();
    let home = home_with(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &provider);
    provider.set(Mode::Slow(Duration::from_millis(30)));
    for round in 1..=4_u64 {
        let before = provider.asked().len();
        let mut running = crate::support::Running::start(home.command(&["embed"]));
        eventually("a batch is made and another is on its way", || provider.asked().len() >= before + 2);
        std::thread::sleep(Duration::from_millis(9 * round));
        running.kill();
    }
    let kept = vectors_of(&home)["events"].as_u64().unwrap();
    assert!(kept > 0, "nothing was kept");
    provider.set(Mode::Ok);
    home.run(&["embed"]).succeeded();
    assert_eq!(vectors_of(&home)["events"], 900);
    assert_eq!(vectors_of(&home)["missing"], 0);
    // A batch that was on its way when its process was killed is embedded again, but no more than that.
    assert!(provider.texts().len() <= 900 + 4 * 64, "{}", provider.texts().len());
    assert!(home.run(&["embed"]).succeeded().out.starts_with("nothing new"));
}

#[test]
fn an_interrupt_ends_it_well() {
    let provider = Provider::start(8);
    let texts: Vec<String> = (0..300).map(|n| format!("number{n}")).collect();
    let home = home_with(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &provider);
    provider.set(Mode::Slow(Duration::from_millis(100)));
    let running = crate::support::Running::start(home.command(&["embed"]));
    eventually("the model is asked", || !provider.asked().is_empty());
    running.signal(rustix::process::Signal::INT);
    let ran = running.finish();
    assert_eq!(ran.code(), 130, "{ran:?}");
    assert!(ran.err.contains("the next run goes on"), "{ran:?}");
}

#[test]
fn a_purge_leaves_no_byte_of_a_vector() {
    let provider = Provider::start(64);
    let home = home_with(&["the merger with acme", "something else", "a third thing"], &provider);
    home.run(&["embed"]).succeeded();
    let bytes = |home: &Home| fs::read(home.dir().join("vectors/coarse")).unwrap();
    let (before, alone) = (bytes(&home), home_with(&["the merger with acme"], &provider));
    alone.run(&["embed"]).succeeded();
    let single = bytes(&alone);
    let trace = single[single.len() - 64..].to_vec();
    let holds = |bytes: &[u8]| bytes.windows(trace.len()).any(|window| window == trace);
    assert!(holds(&before));
    // Also where embeddings are no longer configured.
    home.run(&["config", "unset", "embeddings.url"]).succeeded();
    home.run(&["purge", "--text", "acme", "--yes"]).succeeded();
    assert!(!holds(&bytes(&home)));
    assert_eq!(vectors_of(&home)["events"], 2);
}

#[test]
fn a_server_makes_vectors_by_itself_and_does_not_mind_a_model_that_is_down() {
    let provider = Provider::start(8);
    let home = home_with(&["one", "two"], &provider);
    let server = home.serve();
    eventually("what was there has vectors", || vectors_of(&home)["events"] == 2);
    home.ingest(&[event("three")]).succeeded();
    eventually("what is new has one too", || vectors_of(&home)["events"] == 3);
    provider.set(Mode::Hang);
    home.ingest(&[event("four")]).succeeded();
    eventually("the model is asked", || provider.texts().contains(&"four".to_owned()));
    assert_eq!(http::get(&server, "/health", None).status, 200);
    assert_eq!(http::post(&server, "/v1/recall", None, &json!({"query": "four"})).status, 200);
    home.run(&["purge", "--text", "three", "--yes"]).succeeded();
    assert_eq!(vectors_of(&home)["events"], 2);
    let start = Instant::now();
    let ended = server.stop();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(ended.code(), 0, "{ended:?}");
    let gone = format!("http://127.0.0.1:{}", dead_port());
    let server = home.serve_with(&[("MEMOIR_EMBEDDINGS_URL", &gone)]);
    assert_eq!(http::get(&server, "/health", None).status, 200);
    eventually("it says so once", || server.err_so_far().contains("no vectors are made for now"));
    assert_eq!(server.stop().err.matches("no vectors").count(), 1);
}

#[test]
fn doctor_does_not_wait_long_for_a_model_that_hangs() {
    let provider = Provider::start(8);
    let home = home_with(&["one"], &provider);
    provider.set(Mode::Hang);
    let start = Instant::now();
    let told = home.run(&["doctor", "--json"]).json_lines();
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
    let check = told.iter().find(|check| check["check"] == "embeddings").unwrap();
    assert_eq!(check["ok"], false, "{check}");
}
