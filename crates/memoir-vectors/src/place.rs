//! Files as the system has them: private, told apart, read at a place.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a directory that only its owner can look into.
pub(crate) fn create_private(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Opens a file; if that makes it, only its owner can read it.
pub(crate) fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Whether both are one file.
#[cfg(unix)]
pub(crate) fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether both are one file, as far as that can be told.
#[cfg(not(unix))]
pub(crate) fn same_file(a: &Metadata, b: &Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

/// Fills the buffer from that place on, whatever others read from the same file.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills the buffer from that place on, whatever others read from the same file.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                buffer = buffer.get_mut(read..).unwrap_or_default();
                at += read as u64;
            }
        }
    }
    Ok(())
}

/// Makes sure that what was renamed or made in a directory is there after a power cut.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(dir)?.sync_all() } else { Ok(()) }
}
