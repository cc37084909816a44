//! `memoir install-hook`: a script for one project, and nothing else written.

use crate::support::Home;
use crate::upgrade::run_hook;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

#[test]
fn a_hook_script_is_written_for_one_project_and_its_settings_stay_as_they_are() {
    let home = Home::new();
    let project = home.top().join("project");
    fs::create_dir_all(project.join(".codex")).unwrap();
    fs::write(project.join(".codex/hooks.json"), "{\"hooks\": {}}").unwrap();
    let args =
        ["install-hook", "codex", "--server-url", "http://127.0.0.1:9", "--target-dir", project.to_str().unwrap()];
    home.run(&args).succeeded();
    assert_eq!(fs::read_to_string(project.join(".codex/hooks.json")).unwrap(), "{\"hooks\": {}}");
    let (script, example) =
        (project.join(".codex/hooks/memoir-codex-hook"), project.join(".codex/hooks/memoir.example.json"));
    assert_eq!(fs::metadata(&script).unwrap().mode() & 0o777, 0o755);
    let shown: serde_json::Value = serde_json::from_str(&fs::read_to_string(&example).unwrap()).unwrap();
    let command = shown["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"].as_str().unwrap();
    let payload = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":"by script"}"#;
    assert_eq!(run_hook(&home, command, payload).succeeded().out, "{}\n");
    assert_eq!(home.texts(), ["by script"]);

    home.run(&args).failed_in_one_line(1, &["exists already", "--force"]);
    fs::write(&script, "changed").unwrap();
    let forced: Vec<&str> = args.into_iter().chain(["--force"]).collect();
    home.run(&forced).succeeded();
    assert!(fs::read_to_string(&script).unwrap().starts_with("#!/bin/sh"));
}

#[test]
fn a_hook_script_goes_through_no_link_and_one_refused_path_leaves_both_unwritten() {
    for link in [".codex", ".codex/hooks", ".codex/hooks/memoir-codex-hook", ".codex/hooks/memoir.example.json"] {
        let home = Home::new();
        let (project, elsewhere) = (home.top().join("project"), home.top().join("elsewhere"));
        fs::create_dir_all(project.join(link).parent().unwrap()).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, project.join(link)).unwrap();
        let target = project.to_str().unwrap();
        let args = ["install-hook", "codex", "--server-url", "http://127.0.0.1:9", "--target-dir", target, "--force"];
        home.run(&args).failed_in_one_line(1, &["is a symbolic link"]);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{link}");
        let other = project.join(".codex/hooks/memoir-codex-hook");
        assert!(link.ends_with("-hook") || !other.exists(), "{link}");
    }
    let home = Home::new();
    home.run(&["install-hook", "codex"]).failed_in_one_line(2, &["--server-url"]);
    home.run(&["install-hook", "codex", "--server-url", "nonsense"]).failed_in_one_line(2, &["--server-url"]);
    home.run(&["install-hook", "codex", "--server-url", "http://127.0.0.1:9", "--target-dir", "/nowhere"])
        .failed_in_one_line(1, &["/nowhere"]);
}

#[test]
fn a_caller_that_leaves_the_pipe_open_is_answered_all_the_same() {
    let home = Home::with_one_event();
    let payload = serde_json::json!({
        "session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "a walrus is here", "turn_id": "t", "cwd": "/w",
    });
    let mut running = crate::support::Running::start(home.command(&["hook", "codex"]));
    running.write(format!("{}\n", payload));
    crate::support::eventually("it is answered", || running.out_so_far().starts_with('{'));
    running.finish().succeeded();
    assert!(home.prompts().contains(&"a walrus is here".to_owned()));
}
