//! Hooks in the settings of clients: put in, kept, proven and taken out, with every byte of the user's left alone.

use crate::support::{Home, set_mode};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

const CLAUDE_SETTINGS: &str = "{\n  // which model\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  },\n  \"zeta\": [1,\n   2], /* odd */\n}\n";
const CODEX_CONFIG: &str = "# mine\nmodel = \"gpt-5\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\" # yes\n";

/// A user with all three clients, and settings of their own.
pub fn user() -> Home {
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
pub fn files(home: &Home) -> BTreeMap<PathBuf, (String, u32)> {
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

pub fn read(home: &Home, name: &str) -> String {
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
    let before = files(&home);
    home.run(&["init", "--yes"]).succeeded();
    fs::remove_dir_all(home.dir()).unwrap();
    // Installed anew, the backup is of the time before memoir, not of files with its hooks in them.
    home.run(&["init", "--yes"]).succeeded();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
}

#[test]
fn what_was_edited_while_memoirs_home_was_lost_stays_when_hooks_go() {
    let home = user();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    fs::remove_dir_all(home.dir()).unwrap();
    let path = home.top().join(".claude/settings.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"opus\"", "\"sonnet\"")).unwrap();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(fs::read_to_string(&path).unwrap(), CLAUDE_SETTINGS.replace("\"opus\"", "\"sonnet\""));
    assert!(!home.top().join(".codex/hooks.json").exists());
    assert!(!home.top().join(".claude/settings.json.before-memoir").exists());
}

#[test]
fn the_copy_of_what_was_edited_goes_with_the_hooks_also_when_memoirs_home_was_lost() {
    let home = user();
    let (path, copy) =
        (home.top().join(".claude/settings.json"), home.top().join(".claude/settings.json.before-memoir"));
    let edit = || fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"opus\"", "\"sonnet\"")).unwrap();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    fs::remove_dir_all(home.dir()).unwrap();
    edit();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert!(!copy.exists());
    // A copy that the user had made stays: memoir's own has another name then.
    fs::write(&path, CLAUDE_SETTINGS).unwrap();
    fs::write(&copy, "{\"mine\": 1}").unwrap();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    fs::remove_dir_all(home.dir()).unwrap();
    edit();
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(fs::read_to_string(&copy).unwrap(), "{\"mine\": 1}");
}

/// A user whose settings are written as tersely as can be.
pub fn terse_user() -> Home {
    let home = Home::new();
    for dir in [".codex", ".claude"] {
        fs::create_dir(home.top().join(dir)).unwrap();
    }
    fs::write(home.top().join(".claude/settings.json"), "{\"a\":1}").unwrap();
    fs::write(home.top().join(".codex/config.toml"), "model=\"x\"").unwrap();
    home
}

#[test]
fn inline_tables_and_byte_order_marks_are_handled_and_come_back() {
    let home = terse_user();
    let config = "model = \"x\"\nhooks = { state = { \"/other:stop:0:0\" = { trusted_hash = \"sha256:1\" } } }\n";
    fs::write(home.top().join(".codex/config.toml"), format!("\u{feff}{config}")).unwrap();
    fs::write(home.top().join(".claude/settings.json"), "\u{feff}{\"a\": 1}\r\n").unwrap();
    let before = files(&home);
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    let settings = read(&home, ".claude/settings.json");
    let value: serde_json::Value = serde_json::from_str(settings.strip_prefix('\u{feff}').unwrap()).unwrap();
    assert_eq!((&value["a"], value["hooks"].as_object().unwrap().len()), (&serde_json::json!(1), 15));
    let written = read(&home, ".codex/config.toml");
    let written: toml_edit::DocumentMut = written.strip_prefix('\u{feff}').unwrap().parse().unwrap();
    assert_eq!(written["hooks"]["state"].as_inline_table().unwrap().len(), 13, "{written}");
    let checks = home.run(&["doctor", "--json"]).json_lines();
    let codex = checks.iter().find(|check| check["check"] == "codex hooks").unwrap();
    assert!(codex["detail"].as_str().unwrap().starts_with("12 installed and trusted"), "{codex}");
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
}

#[test]
fn a_diff_tells_of_a_newline_at_the_end_as_diff_tools_do() {
    let home = terse_user();
    let shown = home.run(&["init", "--dry-run", "--no-import"]).succeeded().out;
    let expected = "-model=\"x\"\n\\ No newline at end of file\n+model=\"x\"\n";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn init_tells_of_a_file_that_the_client_refuses() {
    let home = terse_user();
    fs::write(home.top().join(".codex/hooks.json"), "{\"version\": 1, \"hooks\": {}}\n").unwrap();
    fs::write(home.top().join(".claude/settings.json"), "{\"a\": 1} // mine\n").unwrap();
    for args in [&["init", "--dry-run", "--no-import"][..], &["init", "--yes", "--no-import"], &["init", "--no-import"]]
    {
        let told = home.run(args).succeeded();
        assert!(
            told.err.contains("codex: it refuses all of ") && told.err.contains("unknown field `version`"),
            "{told:?}"
        );
        assert!(told.err.contains("claude: it refuses all of "), "{told:?}");
    }
    let json = home.run(&["init", "--yes", "--no-import", "--json"]).succeeded().json();
    assert!(json["clients"][0]["problem"].as_str().unwrap().contains("unknown field `version`"), "{json}");
    assert_eq!(json["clients"][2]["problem"], serde_json::Value::Null, "{json}");
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
    home.run(&["init", "--yes", "--client", "codex", "--no-trust", "--no-mcp"]).succeeded();
    assert!(read(&home, ".codex/hooks.json").contains(" hook codex"));
    assert_eq!(read(&home, ".codex/config.toml"), CODEX_CONFIG);
    assert_eq!(read(&home, ".claude/settings.json"), CLAUDE_SETTINGS);
    let json = home.run(&["init", "--yes", "--json", "--no-import"]).succeeded().json();
    let states: Vec<&str> = json["clients"].as_array().unwrap().iter().map(|c| c["state"].as_str().unwrap()).collect();
    assert_eq!(states[..3], ["installed"; 3], "{json}");
    assert!(read(&home, ".codex/config.toml").contains("trusted_hash"));
}
