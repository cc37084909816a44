//! A change to one file: known before it is made, made at once or not at all.

use crate::InstallError;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What a file is and what it shall be; none means that it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// Its text as it is.
    pub before: Option<String>,
    /// Its text as it shall be.
    pub after: Option<String>,
    /// Whether something of memoir's is in it as it is.
    pub has_ours: bool,
}

impl Change {
    /// Whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Makes the change, if the file is still what it was.
    pub fn make(&self) -> Result<(), InstallError> {
        if !self.is_needed() {
            return Ok(());
        }
        if read(&self.path)? != self.before {
            return Err(InstallError::Changed(self.path.clone()));
        }
        match &self.after {
            Some(text) => write_atomically(&self.path, text.as_bytes(), None),
            None => fs::remove_file(&self.path).map_err(InstallError::io("remove", &self.path)),
        }
    }
}

/// The text of a settings file; none if there is no such file. Links are refused.
pub(crate) fn read(path: &Path) -> Result<Option<String>, InstallError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::io("read", path)(error)),
        Ok(metadata) if metadata.is_symlink() => return Err(InstallError::Symlink(path.to_owned())),
        Ok(metadata) if !metadata.is_file() => return Err(InstallError::NotAFile(path.to_owned())),
        Ok(_) => {}
    }
    let text = fs::read_to_string(path).map_err(InstallError::io("read", path))?;
    Ok(Some(text))
}

/// Writes a file whole or not at all. It gets the rights `mode`, else those of the file that it replaces, else it is the
/// owner's alone.
pub fn write_atomically(path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<(), InstallError> {
    // What stands for the file until it is whole is nobody's business.
    let io = |error: std::io::Error| {
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let told = if is_full { std::io::Error::new(error.kind(), "the disk is full") } else { error };
        InstallError::io("write", path)(told)
    };
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = tempfile::Builder::new().prefix(".memoir-").tempfile_in(dir).map_err(io)?;
    partial.write_all(bytes).map_err(io)?;
    let known = || fs::symlink_metadata(path).ok().map(|metadata| metadata.permissions());
    #[cfg(unix)]
    let wanted = mode.map(std::os::unix::fs::PermissionsExt::from_mode).or_else(known);
    #[cfg(not(unix))]
    let wanted = mode.map_or_else(known, |_| None);
    if let Some(permissions) = wanted {
        partial.as_file().set_permissions(permissions).map_err(io)?;
    }
    partial.as_file().sync_all().map_err(io)?;
    partial.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}
