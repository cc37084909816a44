//! Files of a mirror: private, never through links, replaced whole or not at all.
//!
//! A mirror may lie in a checkout that someone else made, so a link or a pipe in it is met with care.

use crate::error::{MirrorError, refused};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Makes a directory and its missing parents, all private. An existing one is left as it is; a link is refused.
pub fn ensure_dir(path: &Path) -> Result<(), MirrorError> {
    if has_dir(path)? { Ok(()) } else { make_dir(path).map_err(refused("create", path)) }
}

/// Whether there is a directory, or nothing at all. A link is refused.
pub fn has_dir(path: &Path) -> Result<bool, MirrorError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => Err(MirrorError::Link { path: path.to_owned() }),
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(MirrorError::NotADirectory { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(refused("look at", path)(error)),
    }
}

fn make_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)?;
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), sync_dir)
}

/// Options that make private files, follow no link at the end of the path, and do not wait for the other end of a pipe.
pub fn careful() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options
}

/// Opens a file for reading if it is one.
pub fn open(path: &Path) -> io::Result<File> {
    regular(careful().read(true).open(path)?)
}

/// Opens a file for appending, made if it is missing.
pub fn open_to_append(path: &Path) -> Result<File, MirrorError> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_symlink()) {
        return Err(MirrorError::Link { path: path.to_owned() });
    }
    careful().append(true).create(true).open(path).and_then(regular).map_err(refused("open", path))
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// All of a file; none if it is missing. One beyond `bytes_max` is an error, not a surprise for the memory.
pub fn read_whole(path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|len| len <= bytes_max) {
        return Ok(Some(bytes));
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {bytes_max} bytes")))
}

/// The name under which a file is written before it takes its place.
pub fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}

/// A new private file at `path`, whatever was there before.
pub fn create_anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    careful().write(true).create_new(true).open(path)
}

/// Removes a file that may be there. A directory is not one, and stays.
pub fn remove_left(path: &Path) -> Result<(), MirrorError> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir()) {
        fs::remove_file(path).map_err(refused("remove", path))?;
    }
    Ok(())
}

/// Puts `bytes` in the place of a file: a reader sees the old or the new, a crash leaves the old or the new.
/// The name is durable once the directory is synced.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), MirrorError> {
    let tmp = unfinished(path);
    let written = create_anew(&tmp).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&tmp, path)).map_err(|source| {
        let _ = fs::remove_file(&tmp);
        refused("write", path)(source)
    })
}

/// Makes a file durable. Not every system does that for one that is open only to be read.
pub fn sync(path: &Path) -> io::Result<()> {
    careful().append(true).open(path)?.sync_all()
}

/// Makes the names in a directory durable.
#[cfg(unix)]
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes the names in a directory durable: elsewhere a rename is.
#[cfg(not(unix))]
pub fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}
