//! Sessions with tools, gone on with later.

use crate::check::everything_is_known_once;
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::write;
use crate::things;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model, Reply};
use serde_json::Value;
use std::fs;

for_each_client! {
    codex_a_session_with_tools_and_its_resume_are_known_once: Codex,
    claude_a_session_with_tools_and_its_resume_are_known_once: Claude,
    gemini_a_session_with_tools_and_its_resume_are_known_once: Gemini,
    => a_session_with_tools_and_its_resume
}

fn a_session_with_tools_and_its_resume(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![
        Reply::new().reasoning("I should look.").text("Let me look.").shell("echo from-the-shell"),
        shell("echo it-failed; exit 3"),
        shell("seq 1 30000"),
        write(client),
        text("It is written."),
        shell("echo from-the-shell"),
        text("Said again."),
    ]);
    let run = || desk.run(client, &model).allow(&["Bash", "Write"]);
    run().prompt("first prompt").run().ok();
    run().prompt("second prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, client, &model);

    let commands = commands(&desk);
    let expected =
        [("echo from-the-shell", 0), ("echo it-failed; exit 3", 3), ("seq 1 30000", 0), ("echo from-the-shell", 0)];
    assert_eq!(commands, expected.map(|(command, code)| (command.to_owned(), code)));
    let touched = desk.json(Home::Usual, &["file", "notes.txt", "--json"]);
    assert_eq!(touched.len(), 1, "{touched:?}");
    assert!(touched[0].to_string().contains("first prompt"), "{touched:?}");
}

for_each_client! {
    codex_the_same_words_again_are_another_event: Codex,
    claude_the_same_words_again_are_another_event: Claude,
    gemini_the_same_words_again_are_another_event: Gemini,
    => the_same_words_again
}

fn the_same_words_again(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let step = || Reply::new().text("Again.").shell("echo from-the-shell");
    let model = Model::start(vec![step(), step(), text("Done."), step(), text("Done."), text("Done.")]);
    desk.run(client, &model).prompt("go on").run().ok();
    desk.run(client, &model).prompt("go on").resume().run().ok();
    desk.run(client, &model).prompt("go on").run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, client, &model);
    let prompts = desk.events(Home::Usual).iter().filter(|event| event["kind"] == "user_message").count();
    assert_eq!(prompts, 3);
}

for_each_client! {
    codex_calls_at_once_are_known_once_each: Codex,
    claude_calls_at_once_are_known_once_each: Claude,
    gemini_calls_at_once_are_known_once_each: Gemini,
    => calls_at_once
}

fn calls_at_once(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let both = || Reply::new().text("Both.").shell("echo one; sleep 0.2").shell("echo two").shell("echo two");
    let model = Model::start(vec![both(), both(), text("Done.")]);
    desk.run(client, &model).prompt("first prompt").run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, client, &model);
    assert_eq!(commands(&desk).len(), 6);
}

/// A session that went on in a later minute has a second file, with nothing in it. Gemini takes that for broken when it
/// starts next, and deletes all files of the session.
#[test]
fn gemini_a_session_whose_files_it_deletes_stays_known() {
    let Some(desk) = Desk::with_hooks() else { return };
    let settings = desk.world.settings(Client::Gemini);
    let kept = fs::read_to_string(&settings).unwrap();
    let mut deleting: Value = serde_json::from_str(&kept).unwrap();
    deleting["general"].as_object_mut().unwrap().remove("sessionRetention");
    fs::write(&settings, deleting.to_string()).unwrap();
    let model = Model::start(vec![shell("echo from-the-shell"), text("The first answer."), text("The second answer.")]);
    desk.run(Client::Gemini, &model).prompt("first prompt").run().ok();
    let file = desk.world.sessions(Client::Gemini).remove(0);
    let header = fs::read_to_string(&file).unwrap().lines().next().unwrap().to_owned();
    let name = file.file_name().unwrap().to_str().unwrap();
    let id = name.rsplit('-').next().unwrap();
    fs::write(file.with_file_name(format!("session-2026-11-01T00-00-{id}")), header + "\n").unwrap();
    desk.run(Client::Gemini, &model).prompt("second prompt").run().ok();
    assert!(!file.exists(), "Gemini deletes what it takes for broken");
    let events = desk.events(Home::Usual);
    assert_eq!(things::stored(Client::Gemini, &events), things::heard(Client::Gemini, &model));
}

#[test]
fn codex_commands_of_a_script_are_known_once() {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![shell("echo from-javascript"), text("Done."), shell("seq 1 30000"), text("Done.")]);
    let run = || desk.run(Client::Codex, &model).model_name("gpt-6-sol");
    run().prompt("first prompt").run().ok();
    run().prompt("second prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, Client::Codex, &model);
    assert_eq!(commands(&desk), [("echo from-javascript".to_owned(), 0), ("seq 1 30000".to_owned(), 0)]);
}

/// Every command with its exit code, the oldest first.
fn commands(desk: &Desk) -> Vec<(String, i64)> {
    let events = desk.events(Home::Usual);
    let commands = events.iter().filter(|event| event["kind"] == "command").map(|event| &event["payload"]["item"]);
    commands.map(|item| (item["command"].as_str().unwrap().to_owned(), item["exit_code"].as_i64().unwrap())).collect()
}
