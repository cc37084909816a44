//! What keeps an agent from doing anything but answer: what it is asked about is quoted from anywhere, and may hold orders.
//!
//! Claude Code has options for that. Codex has settings, which leave it `apply_patch`, refused by its sandbox, and asking
//! the user, who is not there. Gemini CLI reads settings of the directory that it works in.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml_edit::{DocumentMut, TableLike};

/// What Codex can do beside answering, each a feature that can be switched off; a name that a version does not know costs a
/// warning.
const CODEX_FEATURES: [&str; 15] = [
    "apps",
    "browser_use",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "multi_agent",
    "plugins",
    "shell_tool",
    "skill_search",
    "sleep_tool",
    "tool_suggest",
    "unified_exec",
    "view_image",
    "web_search_request",
];

/// Gemini's settings: of its own tools none, and no hooks.
const GEMINI_SETTINGS: &str =
    r#"{"tools":{"core":["none"]},"hooksConfig":{"enabled":false},"skills":{"enabled":false}}"#;

/// Codex's options, in front of its subcommand.
pub fn codex() -> Vec<String> {
    let servers = codex_dir().and_then(|dir| std::fs::read_to_string(dir.join("config.toml")).ok());
    let servers = servers.map(|text| mcp_servers(&text)).unwrap_or_default();
    let features = CODEX_FEATURES.iter().map(|name| format!("features.{name}=false"));
    let settings = [r#"web_search="disabled""#.to_owned(), r#"approval_policy="never""#.to_owned()];
    let servers = servers.iter().map(|name| format!("mcp_servers.{name}.enabled=false"));
    features.chain(settings).chain(servers).flat_map(|setting| ["-c".to_owned(), setting]).collect()
}

/// Where Codex keeps its settings.
fn codex_dir() -> Option<PathBuf> {
    let named = std::env::var_os("CODEX_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".codex")))
}

/// The names of the servers that Codex would start; it takes no others than plain ones.
fn mcp_servers(config: &str) -> Vec<String> {
    let Ok(config) = config.parse::<DocumentMut>() else { return Vec::new() };
    let servers = config.get("mcp_servers").and_then(|servers| servers.as_table_like());
    let names = servers.into_iter().flat_map(TableLike::iter).map(|(name, _)| name);
    let is_plain =
        |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    names.filter(is_plain).map(str::to_owned).collect()
}

/// Takes away what Gemini keeps of a conversation in that directory, which it cannot be told not to keep: it is nobody's.
pub fn forget_gemini(dir: &Path) {
    let named = std::env::var_os("GEMINI_CLI_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let (Some(home), Ok(dir)) = (named.or_else(std::env::home_dir), dir.canonicalize()) else { return };
    let is_of_dir = |kept: &PathBuf| {
        let root = std::fs::read_to_string(kept.join(".project_root")).unwrap_or_default();
        Path::new(root.trim()).canonicalize().is_ok_and(|root| root == dir)
    };
    for place in ["tmp", "history"] {
        let kept = std::fs::read_dir(home.join(".gemini").join(place)).into_iter().flatten().flatten();
        kept.map(|entry| entry.path()).filter(is_of_dir).for_each(|kept| drop(std::fs::remove_dir_all(kept)));
    }
}

/// Has Gemini trust its directory, where there is nothing but the settings that leave it no tool, and start no server.
pub fn gemini(command: &mut Command, dir: &Path) -> io::Result<()> {
    std::fs::create_dir(dir.join(".gemini"))?;
    std::fs::write(dir.join(".gemini/settings.json"), GEMINI_SETTINGS)?;
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    command.args(["--allowed-mcp-server-names", "none", "--extensions", "none"]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_that_codex_knows_is_switched_off() {
        let config = "[mcp_servers.mine]\ncommand = \"x\"\n[mcp_servers.\"no.name\"]\ncommand = \"y\"\n";
        assert_eq!(mcp_servers(config), ["mine"]);
        assert_eq!(mcp_servers("mcp_servers = { a = { command = \"x\" } }"), ["a"]);
        for none in ["", "mcp_servers = 3", "not toml ["] {
            assert!(mcp_servers(none).is_empty(), "{none}");
        }
    }
}
