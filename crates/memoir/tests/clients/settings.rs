//! What memoir writes into the clients' settings: it works, it harms nobody, and it goes away again.

use crate::check::{everything_is_known_once, hooks_have_fired};
use crate::desk::{Desk, Home, MEMOIR};
use crate::for_each_client;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

for_each_client! {
    codex_uninstall_leaves_the_settings_as_they_were: Codex,
    claude_uninstall_leaves_the_settings_as_they_were: Claude,
    gemini_uninstall_leaves_the_settings_as_they_were: Gemini,
    => uninstall_leaves_the_settings
}

/// Every settings file that memoir may touch, with what is in it.
fn settings(desk: &Desk) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut files: Vec<PathBuf> = Client::ALL.iter().map(|client| desk.world.settings(*client)).collect();
    files.push(desk.world.home().join(".codex/hooks.json"));
    files.into_iter().map(|file| (file.clone(), fs::read(file).ok())).collect()
}

fn uninstall_leaves_the_settings(client: Client) {
    let Some(desk) = Desk::new() else { return };
    let before = settings(&desk);
    desk.memoir(Home::Usual, &["init", "--yes"]);
    assert_ne!(settings(&desk), before);
    let model = Model::start(vec![text("The first answer."), text("The second answer.")]);
    desk.run(client, &model).prompt("first prompt").run().ok();
    hooks_have_fired(&desk, client);
    desk.memoir(Home::Usual, &["uninstall", "--yes"]);
    assert_eq!(settings(&desk), before);
    let known = desk.events(Home::Usual);
    desk.run(client, &model).prompt("second prompt").run().ok();
    assert_eq!(desk.events(Home::Usual), known, "nothing calls memoir any more");
}

for_each_client! {
    codex_goes_on_when_memoir_is_gone: Codex,
    claude_goes_on_when_memoir_is_gone: Claude,
    gemini_goes_on_when_memoir_is_gone: Gemini,
    => goes_on_when_memoir_is_gone
}

fn goes_on_when_memoir_is_gone(client: Client) {
    let Some(desk) = Desk::new() else { return };
    let program = desk.world.root().join("memoir");
    fs::hard_link(MEMOIR, &program).or_else(|_| fs::copy(MEMOIR, &program).map(drop)).unwrap();
    let mut init = Command::new(&program);
    init.args(["init", "--yes"]);
    desk.world.dress(&mut init);
    assert!(init.output().unwrap().status.success());
    fs::remove_file(&program).unwrap();
    let model = Model::start(vec![shell("echo from-the-shell"), text("The answer.")]);
    let done = desk.run(client, &model).prompt("first prompt").run().ok();
    assert!(done.stdout.contains("The answer."), "{done:?}");
    assert_eq!(model.replies_left(), 0);
    assert!(desk.events(Home::Usual).is_empty());
}

#[test]
fn codex_hooks_in_a_linked_codex_home_are_trusted_and_fire() {
    let Some(mut desk) = Desk::new() else { return };
    let (usual, real) = (desk.world.home().join(".codex"), desk.world.root().join("real"));
    let link = desk.world.root().join("link");
    fs::rename(usual, &real).unwrap();
    symlink(&real, &link).unwrap();
    desk.variables.push(("CODEX_HOME", link));
    works_in_another_home(&desk, Client::Codex);
}

#[test]
fn codex_hooks_in_a_usual_home_that_is_a_link_are_trusted_and_fire() {
    let Some(desk) = Desk::new() else { return };
    let (usual, real) = (desk.world.home().join(".codex"), desk.world.root().join("real"));
    fs::rename(&usual, &real).unwrap();
    symlink(&real, &usual).unwrap();
    works_in_another_home(&desk, Client::Codex);
}

#[test]
fn claude_hooks_in_another_configuration_directory_fire() {
    let Some(mut desk) = Desk::new() else { return };
    let other = desk.world.root().join("other");
    fs::create_dir(&other).unwrap();
    desk.variables.push(("CLAUDE_CONFIG_DIR", other));
    works_in_another_home(&desk, Client::Claude);
}

#[test]
fn gemini_hooks_in_another_home_fire() {
    let Some(mut desk) = Desk::new() else { return };
    let other = desk.world.root().join("other");
    copy_settings(&desk, &other);
    desk.variables.push(("GEMINI_CLI_HOME", other));
    works_in_another_home(&desk, Client::Gemini);
}

fn copy_settings(desk: &Desk, to: &Path) {
    fs::create_dir_all(to.join(".gemini")).unwrap();
    for name in ["settings.json", "trustedFolders.json"] {
        fs::copy(desk.world.home().join(".gemini").join(name), to.join(".gemini").join(name)).unwrap();
    }
}

fn works_in_another_home(desk: &Desk, client: Client) {
    desk.memoir(Home::Usual, &["init", "--yes"]);
    let model = Model::start(vec![shell("echo from-the-shell"), text("The answer.")]);
    desk.run(client, &model).prompt("first prompt").run().ok();
    everything_is_known_once(desk, client, &model);
}

/// What doctor says of a client's hooks, whether it is content or not.
fn verdict(desk: &Desk, client: Client) -> (bool, String) {
    let output = desk.command(Home::Usual, &["doctor", "--json"]).output().unwrap();
    let name = format!("{} hooks", client.name());
    let checks: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let check = checks.iter().find(|check| check["check"] == name.as_str()).unwrap();
    (check["ok"].as_bool().unwrap(), check["detail"].as_str().unwrap().to_owned())
}

/// Whether a run of the client makes its hooks fire.
fn fires(desk: &Desk, client: Client) -> bool {
    let known = desk.events(Home::Usual).len();
    let model = Model::start(vec![text("The answer.")]);
    desk.run(client, &model).prompt("a prompt").run().ok();
    desk.events(Home::Usual).len() > known
}

#[test]
fn codex_runs_no_hook_of_a_file_that_doctor_says_it_refuses_and_all_of_one_that_it_takes() {
    let Some(desk) = Desk::new() else { return };
    let hooks = desk.world.home().join(".codex/hooks.json");
    let other = r#"{"hooks":[{"type":"command","command":"true"}]}"#;
    for (before, is_taken) in [
        (r#"{"version": 1, "hooks": {}}"#.to_owned(), false),
        (format!(r#"{{"hooks": {{"PostModelRequest": [{other},]}}}}"#), false),
        ("{\"hooks\": {} // mine\n}".to_owned(), false),
        ("\u{feff}{\"hooks\": {}}".to_owned(), false),
        (r#"{"hooks": {"PostModelRequest": null}}"#.to_owned(), false),
        (r#"{"description": "mine", "hooks": {"Unknown": 5}}"#.to_owned(), true),
    ] {
        fs::write(&hooks, &before).unwrap();
        let init = desk.command(Home::Usual, &["init", "--yes", "--no-import"]).output().unwrap();
        assert!(init.status.success(), "{init:?}");
        let warned = String::from_utf8_lossy(&init.stderr).contains("codex: it refuses all of ");
        let (is_well, detail) = verdict(&desk, Client::Codex);
        let said = (!warned, is_well, detail.contains("refuses all of"));
        assert_eq!(said, (is_taken, is_taken, !is_taken), "{before}: {detail}");
        assert_eq!(fires(&desk, Client::Codex), is_taken, "{before}");
        desk.memoir(Home::Usual, &["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(&hooks).unwrap(), before);
    }
}

#[test]
fn codex_trusts_what_is_written_into_an_inline_table() {
    let Some(desk) = Desk::new() else { return };
    let config = desk.world.settings(Client::Codex);
    let before = fs::read_to_string(&config).unwrap();
    for list in [
        r#"hooks = { state = { "/other:stop:0:0" = { trusted_hash = "sha256:1" } } }"#,
        r#"hooks.state."/other:stop:0:0".trusted_hash = "sha256:1""#,
    ] {
        fs::write(&config, format!("\u{feff}{list}\n{before}")).unwrap();
        desk.memoir(Home::Usual, &["init", "--yes", "--no-import"]);
        assert!(verdict(&desk, Client::Codex).0);
        assert!(fires(&desk, Client::Codex), "{list}");
        desk.memoir(Home::Usual, &["uninstall", "--yes"]);
        assert_eq!(fs::read_to_string(&config).unwrap(), format!("\u{feff}{list}\n{before}"));
    }
}

#[test]
fn a_hook_that_is_turned_off_in_codex_does_not_fire_and_doctor_says_so() {
    let Some(desk) = Desk::with_hooks() else { return };
    let config = desk.world.settings(Client::Codex);
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("trusted_hash", "enabled = false\ntrusted_hash")).unwrap();
    let (is_well, detail) = verdict(&desk, Client::Codex);
    assert!(!is_well && detail.starts_with("12 of 12 in"), "{detail}");
    assert!(!fires(&desk, Client::Codex));
}

#[test]
fn claude_takes_a_byte_order_mark_and_refuses_comments_as_doctor_says() {
    let Some(desk) = Desk::new() else { return };
    let settings = desk.world.settings(Client::Claude);
    for (before, is_taken) in [("\u{feff}{}\n", true), ("{} // mine\n", false)] {
        fs::write(&settings, before).unwrap();
        desk.memoir(Home::Usual, &["init", "--yes", "--no-import"]);
        let (is_well, detail) = verdict(&desk, Client::Claude);
        assert_eq!(is_well, is_taken, "{detail}");
        assert_eq!(fires(&desk, Client::Claude), is_taken, "{before}");
        desk.memoir(Home::Usual, &["uninstall", "--yes"]);
    }
}

#[test]
fn gemini_takes_comments_as_doctor_says() {
    let Some(desk) = Desk::new() else { return };
    let settings = desk.world.settings(Client::Gemini);
    let before = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("// mine\n{before}")).unwrap();
    desk.memoir(Home::Usual, &["init", "--yes", "--no-import"]);
    assert!(verdict(&desk, Client::Gemini).0);
    assert!(fires(&desk, Client::Gemini));
}
