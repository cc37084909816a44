//! Where the environment says that clients keep their files, and who their user is.

use crate::home::non_empty;
use memoir_event::Client;
use memoir_record::{ClientDirs, GitFiles};
use std::path::PathBuf;

/// The user's own directory.
pub fn user_home() -> Option<PathBuf> {
    non_empty("HOME").or_else(|| non_empty("USERPROFILE")).map(PathBuf::from)
}

/// Where each client keeps its sessions and settings.
pub fn dirs() -> ClientDirs {
    let home = user_home();
    // Kept where it was: what is installed is taken out again from anywhere.
    let absolute = |dir: String| std::path::absolute(&dir).unwrap_or_else(|_| PathBuf::from(dir));
    let named = |variable: &str| non_empty(variable).map(absolute);
    let in_home = |name: &str| home.as_ref().map(|home| home.join(name));
    ClientDirs {
        codex: named("CODEX_HOME").or_else(|| in_home(".codex")),
        claude: named("CLAUDE_CONFIG_DIR").or_else(|| in_home(".claude")),
        gemini: named("GEMINI_CLI_HOME").or_else(|| home.clone()).map(|home| home.join(".gemini")),
        copilot: named("COPILOT_HOME").or_else(|| in_home(".copilot")),
        opencode: named("XDG_DATA_HOME").or_else(|| in_home(".local/share")).map(|data| data.join("opencode")),
    }
}

/// The file in which a client lists its MCP servers.
pub fn server_list(client: Client) -> Option<PathBuf> {
    let home = user_home();
    let dirs = dirs();
    match client {
        Client::Codex => dirs.codex.map(|dir| dir.join("config.toml")),
        // Beside its directory, unless that is named.
        Client::Claude => {
            non_empty("CLAUDE_CONFIG_DIR").map(PathBuf::from).or(home).map(|dir| dir.join(".claude.json"))
        }
        Client::Gemini => dirs.gemini.map(|dir| dir.join("settings.json")),
        Client::Copilot => dirs.copilot.map(|dir| dir.join("mcp-config.json")),
        Client::Opencode => {
            let config = non_empty("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home?.join(".config")))?;
            let (plain, commented) = (config.join("opencode/opencode.json"), config.join("opencode/opencode.jsonc"));
            Some(if commented.exists() && !plain.exists() { commented } else { plain })
        }
    }
}

/// The name under which the system knows the user.
pub fn login_name() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| non_empty(name)).or_else(account_name)
}

/// The name of the account that this process runs under, from the system's list of accounts.
#[cfg(unix)]
fn account_name() -> Option<String> {
    let user = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == user).then(|| name.to_owned())
    });
    name.filter(|name| !name.is_empty())
}

#[cfg(not(unix))]
const fn account_name() -> Option<String> {
    None
}

/// The files that git reads for every repository.
pub fn git_files() -> GitFiles {
    let home = user_home();
    let everyones = non_empty("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".to_owned());
    let own = match (non_empty("GIT_CONFIG_GLOBAL"), &home) {
        (Some(file), _) => vec![PathBuf::from(file)],
        (None, Some(home)) => {
            let config = non_empty("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
            vec![config.join("git/config"), home.join(".gitconfig")]
        }
        (None, None) => Vec::new(),
    };
    GitFiles { home, files: std::iter::once(PathBuf::from(everyones)).chain(own).collect() }
}

/// The name under which git knows the user everywhere.
pub fn git_user() -> Option<String> {
    git_files().user(None)
}

/// Whether a client's program is on the search path.
pub fn is_installed(client: Client) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| {
        let program = dir.join(client.as_str());
        program.is_file() || program.with_extension("cmd").is_file() || program.with_extension("exe").is_file()
    })
}
