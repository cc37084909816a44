//! Where things lie in a mirror, and which of its files hold events.

use crate::error::{MirrorError, refused};
use crate::files;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MIRROR: &str = ".codaph";
/// How deep day segments are looked for: a nested repository id, year, month, day, and some more.
const DEPTH_MAX: usize = 16;
/// More of a file is not read to find out whether a directory is a mirror.
const MARK_BYTES_MAX: u64 = 1 << 20;

/// The paths of one mirror.
#[derive(Debug, Clone)]
pub struct Layout {
    dir: PathBuf,
}

/// A file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name in `segments/`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// What `segments/` holds.
#[derive(Debug, Default)]
pub struct Listing {
    /// The segments, by name.
    pub segments: Vec<Listed>,
    /// Every name that is taken, in lower case: some file systems do not tell `a` from `A`.
    pub taken: HashSet<String>,
    /// What is no segment.
    pub strangers: Vec<PathBuf>,
}

/// A file that may hold events.
#[derive(Debug, Clone)]
pub struct EventFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its path inside the mirror, for people.
    pub shown: PathBuf,
    /// Whether it is a file at all, and not a link or a pipe that is called like one.
    pub is_file: bool,
}

impl Layout {
    /// The mirror that `dir` is, or that it holds or shall hold.
    pub fn at(dir: &Path) -> Layout {
        let inside = dir.join(MIRROR);
        let is_mirror = dir.file_name() == Some(OsStr::new(MIRROR)) || (!inside.exists() && is_marked(dir));
        Layout { dir: if is_mirror { dir.to_owned() } else { inside } }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn manifest(&self) -> PathBuf {
        self.dir.join("manifest.json")
    }

    pub fn sparse_index(&self) -> PathBuf {
        self.dir.join("sparse-index.jsonl")
    }

    pub fn id_index(&self) -> PathBuf {
        self.dir.join("eventid-index.jsonl")
    }

    pub fn lock(&self) -> PathBuf {
        self.dir.join("sync-lock.json")
    }

    pub fn project(&self) -> PathBuf {
        self.dir.join("project.json")
    }

    pub fn ignore_file(&self) -> PathBuf {
        self.dir.join(".gitignore")
    }

    pub fn segments(&self) -> PathBuf {
        self.dir.join("segments")
    }

    /// Where a segment is written anew before it takes its place; one at a time. No segment has such a name.
    pub fn rewritten(&self) -> PathBuf {
        self.segments().join("rewritten.tmp")
    }

    /// What a killed writer may have left half written. The lock has its own care.
    pub fn unfinished(&self) -> [PathBuf; 6] {
        let [manifest, sparse_index, id_index, project, ignore_file] =
            [self.manifest(), self.sparse_index(), self.id_index(), self.project(), self.ignore_file()]
                .map(|path| files::unfinished(&path));
        [manifest, sparse_index, id_index, project, ignore_file, self.rewritten()]
    }

    /// Where codaph 0.1.15 keeps its day segments.
    pub fn days(&self) -> PathBuf {
        self.dir.join("events")
    }

    /// Where codaph 0.1.15 keeps its indexes.
    pub fn day_indexes(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// What `segments/` holds; nothing if it is not there.
    pub fn list_segments(&self) -> Result<Listing, MirrorError> {
        let dir = self.segments();
        let failed = |error| refused("read", &dir)(error);
        let mut listing = Listing::default();
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else {
                listing.strangers.push(entry.path());
                continue;
            };
            listing.taken.insert(name.to_lowercase());
            let found = match entry.metadata() {
                // A writer removes empty files that another one left.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.map_err(failed)?,
            };
            if found.is_file() && name.ends_with(".jsonl") && !name.starts_with('.') {
                listing.segments.push(Listed { name, bytes: found.len() });
            } else {
                listing.strangers.push(entry.path());
            }
        }
        listing.segments.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    /// The segments of the documented layout.
    pub fn session_files(&self) -> Result<Vec<EventFile>, MirrorError> {
        self.files_under(&self.segments(), 1, ".jsonl")
    }

    /// The segments that codaph 0.1.15 writes.
    pub fn day_files(&self) -> Result<Vec<EventFile>, MirrorError> {
        self.files_under(&self.days(), DEPTH_MAX, ".jsonl")
    }

    /// The indexes that codaph 0.1.15 writes, of one name.
    pub fn day_index_files(&self, name: &str) -> Result<Vec<EventFile>, MirrorError> {
        self.files_under(&self.day_indexes(), DEPTH_MAX, name)
    }

    /// What lies under `dir` and is called so, sorted by path. Links are listed and never followed.
    fn files_under(&self, dir: &Path, depth: usize, ending: &str) -> Result<Vec<EventFile>, MirrorError> {
        let mut files = Vec::new();
        let mut waiting = vec![(dir.to_owned(), depth)];
        while let Some((dir, depth)) = waiting.pop() {
            let entries = match fs::read_dir(&dir) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(refused("read", &dir))?,
            };
            for entry in entries {
                let entry = entry.map_err(refused("read", &dir))?;
                let kind = entry.file_type().map_err(refused("look at", &entry.path()))?;
                let path = entry.path();
                if kind.is_dir() && depth > 1 {
                    waiting.push((path, depth - 1));
                } else if entry.file_name().as_encoded_bytes().ends_with(ending.as_bytes()) {
                    let shown = path.strip_prefix(&self.dir).unwrap_or(&path).to_owned();
                    files.push(EventFile { path, shown, is_file: kind.is_file() });
                }
            }
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// Whether a directory of another name is a mirror: one that was copied, or the one we stand in.
fn is_marked(dir: &Path) -> bool {
    ["manifest.json", "project.json"].iter().any(|name| {
        let bytes = files::read_whole(&dir.join(name), MARK_BYTES_MAX).ok().flatten().unwrap_or_default();
        let schema = serde_json::from_slice::<Marked>(&bytes).map(|marked| marked.schema).unwrap_or_default();
        schema.starts_with("codaph.mirror.") || schema.starts_with("codaph.project.")
    })
}

#[derive(serde::Deserialize)]
struct Marked {
    schema: String,
}
