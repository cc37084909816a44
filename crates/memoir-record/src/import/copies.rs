//! Files that begin with a copy of another file: what they share belongs to the file that was there first.

use super::files::{Found, SourceFile};
use super::format::Format;
use memchr::memmem;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// So much of a file is looked at for its first record: little, and only if that was not enough, more.
const HEAD_BYTES: [usize; 2] = [4 << 10, 64 << 10];

/// How a rollout names the thread that it goes on from.
const FORKED: &[u8] = b"\"forked_from_id\":\"";

/// Files by their numbers: each list is read one after another, different lists at once. A file that was never read, as
/// `is_new` says, and whatever begins with the same record are one list, the oldest first; files beside it that do so
/// too are added.
pub(super) fn lists(files: &mut Vec<SourceFile>, is_new: &dyn Fn(&SourceFile) -> bool) -> Vec<Vec<usize>> {
    add_originals(files, is_new);
    let new = files.iter().filter(|file| may_copy(file) && is_new(file));
    let dirs: BTreeSet<PathBuf> = new.filter_map(|file| file.path.parent()).map(Path::to_owned).collect();
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let mut by_record: HashMap<Vec<u8>, usize> = HashMap::new();
    // Which run a stream is of is told by those that were read before it.
    let mut streams: Vec<usize> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        if file.format.is_stream() {
            streams.push(at);
            continue;
        }
        let is_near = may_copy(file) && file.path.parent().is_some_and(|dir| dirs.contains(dir));
        let Some(record) = is_near.then(|| first_record(&file.path)).flatten() else {
            lists.push(vec![at]);
            continue;
        };
        let list = *by_record.entry(record).or_insert_with(|| {
            lists.push(Vec::new());
            lists.len() - 1
        });
        lists.get_mut(list).into_iter().for_each(|list| list.push(at));
    }
    for file in beside(files, &dirs) {
        let record = first_record(&file.path);
        if let Some(list) = record.and_then(|record| lists.get_mut(*by_record.get(&record)?)) {
            list.push(files.len());
            files.push(file);
        }
    }
    if !streams.is_empty() {
        lists.push(streams);
    }
    for list in lists.iter_mut().filter(|list| list.len() > 1) {
        list.sort_by_cached_key(|at| files.get(*at).map(|file| age(&file.path)));
    }
    lists
}

/// Adds rollouts that were never read, of threads whose history others begin with a copy of: it is told best where it
/// happened.
fn add_originals(files: &mut Vec<SourceFile>, is_new: &dyn Fn(&SourceFile) -> bool) {
    let mut looked = 0;
    while let Some(file) = files.get(looked) {
        looked += 1;
        let Some(thread) = Some(file).filter(|file| is_new(file)).and_then(copied_thread) else { continue };
        if files.iter().any(|known| known.is_of_thread(&thread)) {
            continue;
        }
        let original = Found::beside(&file.path, &|name| name.contains(&thread)).files.into_iter().next();
        files.extend(original.filter(|original| is_new(original)));
    }
}

/// Files that begin with a copy of another thread become one list, the oldest first: one may be a copy of the other.
pub(super) fn in_order(files: &[SourceFile], lists: &mut Vec<Vec<usize>>) {
    let is_copied =
        |list: &Vec<usize>| list.iter().all(|at| files.get(*at).is_some_and(|file| copied_thread(file).is_some()));
    let mut copied: Vec<usize> = lists.extract_if(.., |list| is_copied(list)).flatten().collect();
    copied.sort_by_key(|at| files.get(*at).and_then(|file| file.path.file_name().map(ToOwned::to_owned)));
    if !copied.is_empty() {
        lists.push(copied);
    }
}

/// The thread whose history a rollout may begin with a copy of; today's rollouts only say where it stands.
pub(crate) fn copied_thread(file: &SourceFile) -> Option<String> {
    if file.format != Format::CodexRollout || file.path.extension().is_some_and(|end| end == "zst") {
        return None;
    }
    let mut head = Vec::new();
    File::open(&file.path).ok()?.take(HEAD_BYTES[0] as u64).read_to_end(&mut head).ok()?;
    let first = head.split(|byte| *byte == b'\n').next()?;
    let refers = memmem::find(first, b"\"forked_from_ordinal_exclusive\":").is_some();
    if refers || memmem::find(first, b"\"history_base\":").is_some() {
        return None;
    }
    let (_, rest) = first.split_at(memmem::find(first, FORKED)? + FORKED.len());
    let thread = rest.get(..memchr::memchr(b'"', rest)?)?;
    std::str::from_utf8(thread).ok().filter(|thread| thread.len() >= 32).map(str::to_owned)
}

/// Only Claude Code copies records with their ids and says nothing of it.
fn may_copy(file: &SourceFile) -> bool {
    file.format == Format::ClaudeTranscript
}

/// Session files in those directories that nobody asked for.
fn beside(files: &[SourceFile], dirs: &BTreeSet<PathBuf>) -> Vec<SourceFile> {
    let known: HashSet<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let others = dirs.iter().flat_map(|dir| fs::read_dir(dir).into_iter().flatten().flatten());
    let others = others.filter(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|end| end == "jsonl") && !known.contains(path.as_path())
    });
    let file = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(SourceFile::new(&entry.path(), Format::ClaudeTranscript, None, &metadata))
    };
    others.filter_map(file).collect()
}

/// The id of the first record that has one.
fn first_record(path: &Path) -> Option<Vec<u8>> {
    first_value(path, b"\"uuid\":\"")
}

/// When a session began: by the first time in its file, and where that was copied too, by the file's own.
fn age(path: &Path) -> Option<(Vec<u8>, SystemTime, SystemTime)> {
    let first = first_value(path, b"\"timestamp\":\"").unwrap_or_default();
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?;
    Some((first, metadata.created().unwrap_or(modified), modified))
}

/// The text that follows a name for the first time.
fn first_value(path: &Path, name: &[u8]) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut head = Vec::new();
    HEAD_BYTES.into_iter().find_map(|bytes| {
        let more = bytes - head.len();
        head.reserve_exact(more);
        (&file).take(more as u64).read_to_end(&mut head).ok()?;
        let rest = head.get(memmem::find(&head, name)? + name.len()..)?;
        rest.get(..memchr::memchr(b'"', rest)?).map(<[u8]>::to_owned)
    })
}
