//! The directory under Tantivy: knows whether its files are still the ones that were committed.
//!
//! Tantivy reads damaged files until it panics, so damage must be found before it looks. `meta.json` therefore ends
//! with a line that has its own checksum and the length and time of every segment file at the moment of the commit.
//! A file of another length is damaged; one of another time (a copy, a restore, a stray write) is read through once.
//! Tantivy's own list of files is not kept but made from what is there, which saves a sync per file and lets the
//! next writer clear away what a killed one left.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::footer::Footer;
use tantivy::directory::{
    DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

const META: &str = "meta.json";
const MANAGED: &str = ".managed.json";
const SEAL: &str = "\n//memoir ";

#[derive(Clone)]
pub(crate) struct GuardedDirectory {
    root: PathBuf,
    files: MmapDirectory,
    /// The commit that was found sound last: whoever opens an index reads it several times.
    sound: Arc<Mutex<Vec<u8>>>,
}

impl fmt::Debug for GuardedDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GuardedDirectory({})", self.root.display())
    }
}

impl GuardedDirectory {
    pub fn open(root: &Path) -> tantivy::Result<GuardedDirectory> {
        Ok(GuardedDirectory { root: root.to_owned(), files: MmapDirectory::open(root)?, sound: Arc::default() })
    }

    /// The segment files that are there, by name.
    fn segment_files(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let name = entry?.file_name();
            names.extend(name.to_str().filter(|name| is_segment_file(name)).map(str::to_owned));
        }
        names.sort_unstable();
        Ok(names)
    }

    fn seal(&self, meta: &[u8]) -> io::Result<String> {
        let mut seal = format!("{SEAL}{:08x}", checksum(meta));
        let text = String::from_utf8_lossy(meta);
        for name in self.segment_files()? {
            if is_live(&name, &text) {
                let (len, time) = self.stamp(&name)?;
                seal.push_str(&format!(" {name}:{len}:{time}"));
            }
        }
        let sum = checksum(seal.as_bytes());
        seal.push_str(&format!(" {sum:08x}"));
        Ok(seal)
    }

    fn stamp(&self, name: &str) -> io::Result<(u64, u128)> {
        let metadata = fs::metadata(self.root.join(name))?;
        let time = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Ok((metadata.len(), time))
    }

    /// The commit without its seal, if it and all its files are as they were.
    fn unsealed(&self, mut sealed: Vec<u8>) -> io::Result<Vec<u8>> {
        let text = std::str::from_utf8(&sealed).map_err(|_| damaged(META))?;
        let at = text.rfind(SEAL).ok_or_else(|| damaged(META))?;
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        if *sound == sealed {
            sealed.truncate(at);
            return Ok(sealed);
        }
        let (meta, seal) = text.split_at(at);
        let (listed, sum) = seal.rsplit_once(' ').ok_or_else(|| damaged(META))?;
        let mut words = listed.trim_start_matches(SEAL).split(' ');
        let expected = format!("{:08x}", checksum(meta.as_bytes()));
        if format!("{:08x}", checksum(listed.as_bytes())) != sum || words.next() != Some(&expected) {
            return Err(damaged(META));
        }
        for word in words {
            let mut fields = word.split(':');
            let name = fields.next().unwrap_or_default();
            let (len, time) = self.stamp(name)?;
            if fields.next() != Some(&len.to_string()) {
                return Err(damaged(name));
            }
            if fields.next() != Some(&time.to_string()) && !self.is_sound(name)? {
                return Err(damaged(name));
            }
        }
        sound.clone_from(&sealed);
        sealed.truncate(at);
        Ok(sealed)
    }

    /// Reads a whole file and compares it with the checksum in its footer.
    fn is_sound(&self, name: &str) -> io::Result<bool> {
        let file = self.files.open_read(Path::new(name)).map_err(io::Error::other)?;
        let (footer, body) = Footer::extract_footer(file)?;
        Ok(checksum(body.read_bytes()?.as_slice()) == footer.crc)
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Whether the commit `meta` uses that file. Others may lie about until the next clearing.
fn is_live(name: &str, meta: &str) -> bool {
    let mut parts = name.split('.');
    let id = parts.next().unwrap_or_default();
    // Tantivy writes the segment's id with dashes, and names its files without.
    let of_segment = meta.contains(id) || meta.contains(&dashed(id));
    let current = match (parts.next(), parts.next()) {
        (Some("idx" | "pos" | "term" | "store" | "fast" | "fieldnorm"), None) => true,
        (Some(opstamp), Some("del")) => {
            meta.contains(&format!("\"opstamp\":{opstamp}")) || meta.contains(&format!("\"opstamp\": {opstamp}"))
        }
        _ => false,
    };
    of_segment && current
}

fn dashed(id: &str) -> String {
    let cut = |range: std::ops::Range<usize>| id.get(range).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", cut(0..8), cut(8..12), cut(12..16), cut(16..20), cut(20..id.len().max(20)))
}

fn is_segment_file(name: &str) -> bool {
    let id = name.split('.').next().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && name.bytes().all(plain)
}

/// Whether a file of that name belongs to the cache, so that it may be deleted with it.
pub(crate) fn is_ours(name: &str) -> bool {
    is_segment_file(name)
        || name == META
        || name == MANAGED
        || name.starts_with(".tantivy-")
        || name.starts_with(".tmp")
}

fn damaged(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} is damaged"))
}

impl Directory for GuardedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let writer = self.files.open_write(path)?;
        make_private(&self.root.join(path)).map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(writer)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let wrap = |error| OpenReadError::wrap_io_error(error, path.to_owned());
        if path == Path::new(MANAGED) {
            let mut names = self.segment_files().map_err(wrap)?;
            names.push(META.to_owned());
            return Ok(format!("[\"{}\"]", names.join("\",\"")).into_bytes());
        }
        let content = self.files.atomic_read(path)?;
        if path == Path::new(META) { self.unsealed(content).map_err(wrap) } else { Ok(content) }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(MANAGED) {
            return Ok(());
        }
        if path == Path::new(META) {
            let mut sealed = data.to_vec();
            sealed.extend_from_slice(self.seal(data)?.as_bytes());
            return self.files.atomic_write(path, &sealed);
        }
        self.files.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        // Who writes is settled by our own lock; Tantivy's would only say the same again.
        if lock.filepath == INDEX_WRITER_LOCK.filepath {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        match self.files.acquire_lock(lock) {
            // Where nothing can be written, nobody clears files away under a reader either.
            Err(LockError::IoError(error)) if is_read_only(&error) => Ok(DirectoryLock::from(Box::new(()))),
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull
    )
}

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}
