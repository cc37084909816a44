//! Files that begin with a copy of another file: what they share belongs to the file that was there first.

use super::files::SourceFile;
use super::format::Format;
use memchr::memmem;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

/// So much of a file is looked at for its first record.
const HEAD_BYTES: u64 = 64 << 10;

/// Files by their numbers: each list is read one after another, different lists at once. Files that begin with the
/// same record are one list, the oldest first. `is_new` says whether a file was never read.
pub(super) fn lists(files: &[SourceFile], is_new: &dyn Fn(&SourceFile) -> bool) -> Vec<Vec<usize>> {
    let mut lists: Vec<Vec<usize>> = Vec::new();
    let mut by_record: HashMap<Vec<u8>, usize> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        // Only Claude Code copies records with their ids and says nothing of it.
        let may_copy = file.format == Format::ClaudeTranscript && is_new(file);
        let Some(record) = may_copy.then(|| first_record(&file.path)).flatten() else {
            lists.push(vec![at]);
            continue;
        };
        let list = *by_record.entry(record).or_insert_with(|| {
            lists.push(Vec::new());
            lists.len() - 1
        });
        lists.get_mut(list).into_iter().for_each(|list| list.push(at));
    }
    for list in lists.iter_mut().filter(|list| list.len() > 1) {
        list.sort_by_cached_key(|at| files.get(*at).map(|file| age(&file.path)));
    }
    lists
}

/// The id of the first record that has one.
fn first_record(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let name = b"\"uuid\":\"";
    let from = memmem::find(&head, name)? + name.len();
    let rest = head.get(from..)?;
    Some(rest.get(..memchr::memchr(b'"', rest)?)?.to_owned())
}

/// When a file was made, and last written where nobody knows that.
fn age(path: &Path) -> Option<(SystemTime, SystemTime)> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?;
    Some((metadata.created().unwrap_or(modified), modified))
}
