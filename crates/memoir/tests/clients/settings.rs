//! What memoir writes into the clients' settings: it works, it harms nobody, and it goes away again.

use crate::check::{everything_is_known_once, hooks_have_fired};
use crate::desk::{Desk, Home, MEMOIR};
use crate::for_each_client;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model};
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
