//! A script for Codex's hooks in one project, and an example of settings that run it. Settings that are there are the
//! user's: they are not touched.

use crate::InstallError;
use crate::change::write_atomically;
use crate::link::quoted;
use crate::settings::with_hooks;
use memoir_event::Client;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const SCRIPT: &str = "memoir-codex-hook";
const EXAMPLE: &str = "memoir.example.json";

/// What the script does.
#[derive(Debug, Clone, Copy)]
pub struct ScriptOptions<'a> {
    /// The project.
    pub target_dir: &'a Path,
    /// The command that it runs in the end.
    pub command: &'a str,
    /// The server that events are sent to as well.
    pub server_url: &'a str,
    /// Whether files that are there are overwritten.
    pub force: bool,
}

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFiles {
    /// The script.
    pub script: PathBuf,
    /// The example.
    pub example: PathBuf,
}

/// Writes both files, or neither if one of them must not be written.
pub fn write_script(options: ScriptOptions<'_>) -> Result<ScriptFiles, InstallError> {
    let target = fs::canonicalize(options.target_dir).map_err(InstallError::io("look into", options.target_dir))?;
    let (codex, hooks) = (target.join(".codex"), target.join(".codex/hooks"));
    let files = ScriptFiles { script: hooks.join(SCRIPT), example: hooks.join(EXAMPLE) };
    for dir in [&codex, &hooks] {
        match fs::symlink_metadata(dir) {
            Ok(metadata) if metadata.is_symlink() => return Err(InstallError::Symlink(dir.clone())),
            Ok(metadata) if !metadata.is_dir() => return Err(InstallError::NotADirectory(dir.clone())),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(InstallError::io("look into", dir)(error));
            }
            _ => {}
        }
    }
    for path in [&files.script, &files.example] {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => return Err(InstallError::Symlink(path.clone())),
            Ok(metadata) if !metadata.is_file() => return Err(InstallError::NotAFile(path.clone())),
            Ok(_) if !options.force => return Err(InstallError::Exists(path.clone())),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(InstallError::io("look at", path)(error));
            }
            _ => {}
        }
    }
    let example = with_hooks(Client::Codex, "", &quoted(&files.script))
        .map_err(|problem| InstallError::Plan { path: files.example.clone(), problem })?;
    fs::create_dir_all(&hooks).map_err(InstallError::io("create", &hooks))?;
    write_atomically(&files.script, script(options).as_bytes(), Some(0o755))?;
    write_atomically(&files.example, example.as_bytes(), Some(0o644))?;
    Ok(files)
}

fn script(options: ScriptOptions<'_>) -> String {
    format!(
        "#!/bin/sh\n\
         # Hands what Codex does to memoir: into the journal here, and to the server below.\n\
         # A server that wants a key finds it in MEMOIR_SERVER_API_KEY.\n\
         MEMOIR_SERVER_URL={}\n\
         export MEMOIR_SERVER_URL\n\
         {}\n",
        quoted(Path::new(options.server_url)),
        options.command
    )
}
