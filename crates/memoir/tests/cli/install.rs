//! Hooks in the settings of clients: put in, kept, proven and taken out, with every byte of the user's left alone.

use crate::support::{Home, MEMOIR, Ran, run, set_mode};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const CLAUDE_SETTINGS: &str = "{\n  // which model\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  },\n  \"zeta\": [1,\n   2], /* odd */\n}\n";
const CODEX_CONFIG: &str = "# mine\nmodel = \"gpt-5\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\" # yes\n";

/// A user with all three clients, and settings of their own.
fn user() -> Home {
    let home = Home::new();
    for dir in [".codex", ".claude", ".gemini"] {
        fs::create_dir(home.top().join(dir)).unwrap();
    }
    fs::write(home.top().join(".codex/config.toml"), CODEX_CONFIG).unwrap();
    fs::write(home.top().join(".claude/settings.json"), CLAUDE_SETTINGS).unwrap();
    set_mode(&home.top().join(".claude/settings.json"), 0o640);
    home
}

/// Every file below, but memoir's own, with its text and rights.
fn files(home: &Home) -> BTreeMap<PathBuf, (String, u32)> {
    fn walk(dir: &Path, all: &mut BTreeMap<PathBuf, (String, u32)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, all);
            } else {
                let mode = fs::metadata(&path).unwrap().mode();
                all.insert(path.clone(), (String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(), mode));
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(home.top(), &mut all);
    all.retain(|path, _| !path.starts_with(home.dir()));
    all
}

fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.top().join(name)).unwrap()
}

#[test]
fn init_shows_a_diff_installs_and_is_idempotent_and_uninstall_restores_every_byte() {
    let home = user();
    let before = files(&home);
    let shown = home.run(&["init", "--dry-run"]).succeeded();
    for part in ["+++ ", "\"SessionStart\"", "trusted_hash", "hook gemini", "nothing was changed", "would import"] {
        assert!(shown.out.contains(part), "{part} in {}", shown.out);
    }
    assert_eq!(files(&home), before);
    assert!(!home.dir().exists());

    home.run(&["init", "--yes"]).succeeded();
    let settings = read(&home, ".claude/settings.json");
    for kept in ["// which model", "say done", "/* odd */", "\"zeta\": [1,\n   2]"] {
        assert!(settings.contains(kept), "{kept} in {settings}");
    }
    assert_eq!(read(&home, ".claude/settings.json.before-memoir"), CLAUDE_SETTINGS);
    assert_eq!(fs::metadata(home.top().join(".claude/settings.json")).unwrap().mode() & 0o777, 0o640);
    let installed = files(&home);

    let again = home.run(&["init", "--yes"]).succeeded();
    assert!(again.out.contains("claude: hooks are installed already"), "{}", again.out);
    assert_eq!(files(&home), installed);

    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
    assert!(!home.dir().join("bin").exists());
    let nothing = home.run(&["uninstall", "--yes"]).succeeded();
    assert!(nothing.out.contains("no client has hooks"), "{}", nothing.out);
    home.run(&["uninstall", "--everything", "--yes"]).succeeded();
    assert!(!home.dir().exists());
}

#[test]
fn a_copy_that_somebody_else_made_is_left_alone() {
    let home = user();
    fs::write(home.top().join(".claude/settings.json.before-memoir"), "mine").unwrap();
    let before = files(&home);
    home.run(&["init", "--yes"]).succeeded();
    assert_eq!(read(&home, ".claude/settings.json.before-memoir-2"), CLAUDE_SETTINGS);
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
}

#[test]
fn the_last_copy_of_settings_that_are_gone_stays() {
    let home = user();
    home.run(&["init", "--yes"]).succeeded();
    fs::remove_file(home.top().join(".claude/settings.json")).unwrap();
    let told = home.run(&["uninstall", "--yes"]).succeeded();
    assert!(told.err.contains("as they were, they are in"), "{}", told.err);
    assert_eq!(read(&home, ".claude/settings.json.before-memoir"), CLAUDE_SETTINGS);
}

#[test]
fn settings_behind_a_link_that_memoir_never_wrote_do_not_keep_it_from_leaving() {
    let home = user();
    let settings = home.top().join(".claude/settings.json");
    fs::rename(&settings, home.top().join("real.json")).unwrap();
    std::os::unix::fs::symlink(home.top().join("real.json"), &settings).unwrap();
    home.run(&["init", "--yes"]).failed(1, &["is a symbolic link"]);
    home.run(&["uninstall", "--everything", "--yes"]).succeeded();
    assert!(!home.dir().exists());
    assert_eq!(read(&home, "real.json"), CLAUDE_SETTINGS);
}

#[test]
fn without_a_terminal_nothing_is_changed_unless_the_user_says_yes() {
    let home = user();
    let before = files(&home);
    home.run(&["init"]).failed(2, &["pass --yes"]);
    assert_eq!(files(&home), before);
    home.run(&["init", "--yes"]).succeeded();
    let installed = files(&home);
    home.run(&["uninstall"]).failed(2, &["pass --yes"]);
    assert_eq!(files(&home), installed);
}

#[test]
fn what_the_user_changed_after_the_install_stays_when_hooks_go() {
    let home = user();
    home.run(&["init", "--yes"]).succeeded();
    let path = home.top().join(".claude/settings.json");
    let edited = fs::read_to_string(&path).unwrap().replace("\"opus\"", "\"sonnet\"");
    fs::write(&path, edited).unwrap();
    let config = home.top().join(".codex/config.toml");
    fs::write(&config, format!("{}\n[tui]\ntheme = \"x\"\n", fs::read_to_string(&config).unwrap())).unwrap();
    // An install in between must not take the edited file for memoir's own.
    home.run(&["init", "--yes"]).succeeded();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(fs::read_to_string(&path).unwrap(), CLAUDE_SETTINGS.replace("\"opus\"", "\"sonnet\""));
    let config = fs::read_to_string(&config).unwrap();
    assert!(config.starts_with(CODEX_CONFIG) && config.ends_with("[tui]\ntheme = \"x\"\n"), "{config}");
    assert!(!config.contains("hooks.state"), "{config}");
    assert!(!home.top().join(".claude/settings.json.before-memoir").exists());
}

#[test]
fn hooks_can_be_taken_out_even_if_memoirs_home_was_lost() {
    let home = user();
    home.run(&["init", "--yes"]).succeeded();
    fs::remove_dir_all(home.dir()).unwrap();
    // Installed anew, the backup is of the time before memoir, not of files with its hooks in them.
    home.run(&["init", "--yes"]).succeeded();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(read(&home, ".claude/settings.json"), CLAUDE_SETTINGS);
    assert_eq!(read(&home, ".codex/config.toml"), CODEX_CONFIG);
    assert!(!read(&home, ".codex/hooks.json").contains("memoir"));
}

#[test]
fn links_and_files_that_are_no_settings_are_left_alone_and_the_other_clients_still_go() {
    let home = user();
    let elsewhere = home.top().join("dotfiles.json");
    fs::write(&elsewhere, "{}").unwrap();
    symlink(&elsewhere, home.top().join(".gemini/settings.json")).unwrap();
    fs::write(home.top().join(".codex/hooks.json"), "{ no json").unwrap();
    let ran = home.run(&["init", "--yes", "--no-import"]).failed(1, &["is a symbolic link", "is not JSON"]);
    assert!(ran.out.contains("claude: hooks are in"), "{}", ran.out);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "{}");
    assert_eq!(read(&home, ".codex/hooks.json"), "{ no json");
    assert_eq!(read(&home, ".codex/config.toml"), CODEX_CONFIG);
}

#[test]
fn clients_are_found_where_their_variables_say() {
    let home = Home::new();
    let dirs = ["cx", "cc", "gm/.gemini"].map(|name| home.top().join(name));
    dirs.iter().for_each(|dir| fs::create_dir_all(dir).unwrap());
    let gemini = home.top().join("gm");
    let variables = [
        ("CODEX_HOME", dirs[0].to_str().unwrap()),
        ("CLAUDE_CONFIG_DIR", dirs[1].to_str().unwrap()),
        ("GEMINI_CLI_HOME", gemini.to_str().unwrap()),
    ];
    home.run_with(&variables, &["init", "--yes"]).succeeded();
    assert!(read(&home, "cx/config.toml").contains(&format!("{}/hooks.json:stop:0:0", dirs[0].display())));
    assert!(read(&home, "cc/settings.json").contains(" hook claude"));
    assert!(read(&home, "gm/.gemini/settings.json").contains(" hook gemini"));
    // The list knows where hooks are, whatever the variables say now.
    home.run(&["uninstall", "--yes"]).succeeded();
    assert!(files(&home).is_empty(), "{:?}", files(&home));
}

#[test]
fn one_client_or_no_trust_is_what_the_user_gets_if_that_is_asked_for() {
    let home = user();
    home.run(&["init", "--yes", "--client", "codex", "--no-trust"]).succeeded();
    assert!(read(&home, ".codex/hooks.json").contains(" hook codex"));
    assert_eq!(read(&home, ".codex/config.toml"), CODEX_CONFIG);
    assert_eq!(read(&home, ".claude/settings.json"), CLAUDE_SETTINGS);
    let json = home.run(&["init", "--yes", "--json", "--no-import"]).succeeded().json();
    let states: Vec<&str> = json["clients"].as_array().unwrap().iter().map(|c| c["state"].as_str().unwrap()).collect();
    assert_eq!(states[..3], ["installed"; 3], "{json}");
    assert!(read(&home, ".codex/config.toml").contains("trusted_hash"));
}

/// Runs an installed command as a client does.
fn run_hook(home: &Home, command: &str, payload: &str) -> Ran {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.top());
    run(shell, payload.as_bytes())
}

fn installed_command(home: &Home) -> String {
    let settings: serde_json::Value = serde_json::from_str(&read(home, ".gemini/settings.json")).unwrap();
    settings["hooks"]["BeforeAgent"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn an_installed_hook_records_survives_a_move_of_the_program_and_is_silent_when_it_is_gone() {
    let home = user();
    let program = home.top().join("a memoir's place/memoir");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(MEMOIR, &program).unwrap();
    let init = |program: &Path| run(home.command_of(program, &["init", "--yes", "--no-import"]), b"").succeeded();
    init(&program);
    let command = installed_command(&home);
    let payload = |prompt: &str| {
        format!(
            r#"{{"session_id":"s","transcript_path":"","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":"2026-01-01T00:00:00.000Z","prompt":"{prompt}"}}"#
        )
    };
    assert_eq!(run_hook(&home, &command, &payload("one")).succeeded().out, "{}\n");
    let moved = home.top().join("memoir");
    fs::rename(&program, &moved).unwrap();
    let ran = run_hook(&home, &command, &payload("lost")).succeeded();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    init(&moved);
    assert_eq!(installed_command(&home), command);
    run_hook(&home, &command, &payload("two")).succeeded();
    assert_eq!(home.texts(), ["one", "two"]);
}

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
