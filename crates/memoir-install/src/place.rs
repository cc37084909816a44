//! Where a client looks for hooks.

use memoir_event::Client;
use std::path::{Path, PathBuf};

/// The files of a client that hooks are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file with the hooks.
    pub hooks: PathBuf,
    /// The file with the list of trusted hooks, if the client has one.
    pub trust: Option<PathBuf>,
}

/// The files of a client that keeps its settings in `dir`; none if it has no hooks that memoir can use.
pub fn place(client: Client, dir: &Path) -> Option<Place> {
    match client {
        Client::Codex => Some(Place { hooks: dir.join("hooks.json"), trust: Some(dir.join("config.toml")) }),
        Client::Claude | Client::Gemini => Some(Place { hooks: dir.join("settings.json"), trust: None }),
        Client::Copilot | Client::Opencode => None,
    }
}
