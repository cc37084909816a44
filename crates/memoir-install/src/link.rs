//! The name under which hooks call memoir: it stays the same when memoir is upgraded or moved.

use crate::InstallError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A link in memoir's home that leads to the program.
#[derive(Debug, Clone)]
pub struct Launcher {
    link: PathBuf,
}

impl Launcher {
    /// The launcher in that home.
    pub fn in_home(home: &Path) -> Launcher {
        let name = if cfg!(windows) { "memoir.exe" } else { "memoir" };
        Launcher { link: home.join("bin").join(name) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.link
    }

    /// What it leads to; none if it is not there.
    pub fn target(&self) -> Option<PathBuf> {
        fs::read_link(&self.link).ok()
    }

    /// Whether it leads to a program.
    pub fn is_alive(&self) -> bool {
        fs::metadata(&self.link).is_ok_and(|metadata| metadata.is_file())
    }

    /// Lets it lead to `program`.
    pub fn point_at(&self, program: &Path) -> Result<(), InstallError> {
        let io = |error| InstallError::io("link", &self.link)(error);
        if self.target().as_deref() == Some(program) {
            return Ok(());
        }
        let dir = self.link.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(io)?;
        let partial = dir.join(format!(".memoir-{}", std::process::id()));
        let _ = fs::remove_file(&partial);
        #[cfg(unix)]
        std::os::unix::fs::symlink(program, &partial).map_err(io)?;
        // Links need a right there that users do not have.
        #[cfg(not(unix))]
        fs::copy(program, &partial).map_err(io)?;
        fs::rename(&partial, &self.link).map_err(io)
    }

    /// Takes it away.
    pub fn remove(&self) -> Result<(), InstallError> {
        match fs::remove_file(&self.link) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(InstallError::io("remove", &self.link)(error)),
            _ => {
                let _ = self.link.parent().map(fs::remove_dir);
                Ok(())
            }
        }
    }

    /// The command that a client's hooks run: memoir if it is there, and nothing, successfully, if it is not. `home`
    /// is named if it is not the usual one.
    pub fn command(&self, client: memoir_event::Client, home: Option<&Path>) -> String {
        let program = quoted(&self.link);
        let home = home.map(|home| format!(" --home {}", quoted(home))).unwrap_or_default();
        if cfg!(windows) {
            return format!("{program}{home} hook {client}");
        }
        format!("[ -x {program} ] || exit 0; exec {program}{home} hook {client}")
    }
}

/// A path as one word of a shell's language.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    if cfg!(windows) { format!("\"{path}\"") } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
