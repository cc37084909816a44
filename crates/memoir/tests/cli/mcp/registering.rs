//! memoir's tools in the clients' lists of MCP servers: put in by `init`, taken out by `uninstall`, byte by byte.

use crate::install::{files, read, user};
use crate::support::Home;
use serde_json::{Value, json};
use std::fs;

/// A user who has all five clients, each with a list of servers of their own.
fn user_with_lists() -> Home {
    let home = user();
    for dir in [".copilot", ".local/share/opencode", ".config/opencode"] {
        fs::create_dir_all(home.top().join(dir)).unwrap();
    }
    let lists = [
        (".codex/config.toml", "# mine\nmodel = \"gpt-5\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n"),
        (
            ".claude.json",
            "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
        ),
        (
            ".gemini/settings.json",
            "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } },\n  \"zeta\": 1\n}\n",
        ),
        (".copilot/mcp-config.json", "{\"mcpServers\": {}}"),
        (".config/opencode/opencode.json", "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"),
    ];
    for (name, text) in lists {
        fs::write(home.top().join(name), text).unwrap();
    }
    home
}

/// What the lists say that each client is to run.
fn registered(home: &Home) -> Vec<Vec<String>> {
    let words = |value: &Value| -> Vec<String> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let own = |value: &Value| value.as_str().map(str::to_owned);
        let (command, args) = (&value["command"], &value["args"]);
        own(command)
            .into_iter()
            .chain(list(command).iter().filter_map(own))
            .chain(list(args).iter().filter_map(own))
            .collect()
    };
    let codex: Value = serde_json::to_value(read(home, ".codex/config.toml").parse::<toml::Table>().unwrap()).unwrap();
    let parsed = |name: &str| -> Value { serde_json::from_str(&read(home, name).replace("// mine", "")).unwrap() };
    vec![
        words(&codex["mcp_servers"]["memoir"]),
        words(&parsed(".claude.json")["mcpServers"]["memoir"]),
        words(&parsed(".gemini/settings.json")["mcpServers"]["memoir"]),
        words(&parsed(".copilot/mcp-config.json")["mcpServers"]["memoir"]),
        words(&parsed(".config/opencode/opencode.json")["mcp"]["memoir"]),
    ]
}

#[test]
fn init_registers_with_every_client_and_uninstall_leaves_every_byte_as_it_was() {
    let home = user_with_lists();
    let before = files(&home);
    let shown = home.run(&["init", "--dry-run", "--no-import"]).succeeded();
    for part in ["[mcp_servers.memoir]", ".claude.json", "mcp-config.json", "opencode.json", "memoir's tools (MCP)"] {
        assert!(shown.out.contains(part), "{part} in {}", shown.out);
    }
    assert_eq!(files(&home), before);
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    let link = home.dir().join("bin/memoir").to_string_lossy().into_owned();
    let expected = vec![link, "--home".to_owned(), home.dir().to_string_lossy().into_owned(), "mcp".to_owned()];
    assert_eq!(registered(&home), vec![expected; 5]);
    assert!(read(&home, ".codex/config.toml").contains("env_vars = [\"MEMOIR_AGENT\"]"));
    let installed = files(&home);
    let again = home.run(&["init", "--yes", "--no-import"]).succeeded();
    assert!(!again.out.contains("memoir's tools are in"), "{}", again.out);
    assert_eq!(files(&home), installed);

    let doctor = home.run(&["doctor", "--json"]);
    for client in ["codex", "claude", "gemini", "copilot", "opencode"] {
        let name = format!("{client} tools");
        let check = doctor.json_lines().into_iter().find(|check| check["check"] == name.as_str()).unwrap();
        assert!(check["ok"] == true && check["detail"].as_str().unwrap().starts_with("registered in"), "{check}");
    }
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
}

#[test]
fn clients_without_lists_get_one_and_lose_it_again() {
    let home = user();
    fs::create_dir_all(home.top().join(".copilot")).unwrap();
    fs::create_dir_all(home.top().join(".local/share/opencode")).unwrap();
    let before = files(&home);
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    assert_eq!(registered(&home).iter().filter(|command| command.len() == 4).count(), 5);
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(files(&home), before);
    assert!(!home.top().join(".config").exists());
}

#[test]
fn what_others_wrote_meanwhile_and_by_hand_stays() {
    let home = user_with_lists();
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    // The client writes to its own file all the time.
    let claude = read(&home, ".claude.json").replace("\"numStartups\": 7", "\"numStartups\": 8");
    fs::write(home.top().join(".claude.json"), claude).unwrap();
    let codex = format!("{}\n[mcp_servers.later]\ncommand = \"y\"\n", read(&home, ".codex/config.toml"));
    fs::write(home.top().join(".codex/config.toml"), codex).unwrap();
    home.run(&["uninstall", "--yes"]).succeeded();
    let claude = read(&home, ".claude.json");
    assert_eq!(claude, "{\n  \"numStartups\": 8,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n");
    let codex = read(&home, ".codex/config.toml");
    assert!(codex.contains("later") && codex.contains("# keep") && !codex.contains("memoir"), "{codex}");

    let by_hand = "[mcp_servers.memoir]\ncommand = \"memoir\"\nargs = [\"mcp\"]\n";
    fs::write(home.top().join(".codex/config.toml"), by_hand).unwrap();
    let told = home.run(&["init", "--yes", "--no-import", "--client", "codex"]).succeeded();
    assert!(told.out.contains("an MCP server named memoir already"), "{}", told.out);
    assert!(read(&home, ".codex/config.toml").starts_with(by_hand));
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(read(&home, ".codex/config.toml"), by_hand);
}

#[test]
fn whoever_does_not_want_tools_gets_hooks_alone() {
    let home = user_with_lists();
    let before = read(&home, ".claude.json");
    home.run(&["init", "--yes", "--no-import", "--no-mcp"]).succeeded();
    assert_eq!(read(&home, ".claude.json"), before);
    assert!(!read(&home, ".codex/config.toml").contains("mcp_servers.memoir"));
    assert!(read(&home, ".gemini/settings.json").contains(" hook gemini"));
    let doctor = home.run(&["doctor", "--json"]);
    let check = doctor.json_lines().into_iter().find(|check| check["check"] == "claude tools").unwrap();
    assert!(check["ok"] == true && check["detail"].as_str().unwrap().contains("not registered"), "{check}");
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    assert!(read(&home, ".claude.json").contains("bin/memoir"));
}

#[test]
fn a_list_that_cannot_be_read_is_told_of_and_hooks_go_in_all_the_same() {
    let home = user_with_lists();
    fs::write(home.top().join(".claude.json"), "{ nonsense").unwrap();
    let ran = home.run(&["init", "--yes", "--no-import"]);
    assert_eq!(ran.code(), 1, "{ran:?}");
    assert!(ran.err.contains(".claude.json") && ran.err.contains("is not JSON"), "{}", ran.err);
    assert!(read(&home, ".claude/settings.json").contains(" hook claude"));
    assert_eq!(read(&home, ".claude.json"), "{ nonsense");
    home.run(&["uninstall", "--yes"]).succeeded();
    assert_eq!(read(&home, ".claude.json"), "{ nonsense");
}

#[test]
fn what_another_home_registered_is_taken_over_and_put_back_by_the_new_one() {
    let home = user_with_lists();
    let before = files(&home);
    home.run(&["init", "--yes", "--no-import"]).succeeded();
    let second = home.top().join("second");
    let second = second.to_str().unwrap();
    let told = home.run(&["--home", second, "init", "--yes", "--no-import"]).succeeded();
    assert!(told.out.contains("of another home"), "{}", told.out);
    assert!(
        registered(&home).iter().all(|command| command.iter().any(|word| word == second)),
        "{:?}",
        registered(&home)
    );
    home.run(&["uninstall", "--yes"]);
    assert!(registered(&home).iter().all(|command| command.iter().any(|word| word == second)));
    home.run(&["--home", second, "uninstall", "--yes"]).succeeded();
    let mut after = files(&home);
    after.retain(|path, _| !path.starts_with(second));
    assert_eq!(after, before);
    let json = home.run(&["init", "--json", "--yes", "--no-import"]).succeeded().json();
    assert_eq!(json["clients"][3]["tools"]["changed"], json!(true), "{json}");
}
