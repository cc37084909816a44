//! The directory is ours alone, or it is not used.

use super::SpoolError;
use std::fs;
use std::io;
use std::path::Path;

/// Creates the directory and its missing parents, all private, then checks it. An existing one is never changed.
pub fn ensure(dir: &Path) -> Result<(), SpoolError> {
    if check(dir)? {
        return Ok(());
    }
    create(dir).map_err(|source| SpoolError::Io { doing: "create", path: dir.to_owned(), source })?;
    check(dir).map(|_| ())
}

#[cfg(unix)]
fn create(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    dir.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), super::write::sync_dir)
}

#[cfg(not(unix))]
fn create(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}

/// Whether the directory is there; an error if it is there and cannot be trusted.
pub fn check(dir: &Path) -> Result<bool, SpoolError> {
    let found = match fs::symlink_metadata(dir) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(SpoolError::Io { doing: "look at", path: dir.to_owned(), source }),
    };
    if found.file_type().is_symlink() {
        return Err(SpoolError::Link { dir: dir.to_owned() });
    }
    if !found.is_dir() {
        return Err(SpoolError::NotADirectory { dir: dir.to_owned() });
    }
    check_owner(dir, &found).map(|()| true)
}

#[cfg(unix)]
fn check_owner(dir: &Path, found: &fs::Metadata) -> Result<(), SpoolError> {
    use std::os::unix::fs::MetadataExt as _;
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours {
        return Err(SpoolError::NotOurs { dir: dir.to_owned(), owner: found.uid(), ours });
    }
    let mode = found.mode() & 0o777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(SpoolError::NotPrivate { dir: dir.to_owned(), mode }) }
}

#[cfg(not(unix))]
fn check_owner(_dir: &Path, _found: &fs::Metadata) -> Result<(), SpoolError> {
    Ok(())
}
