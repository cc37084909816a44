//! How far a file was read: enough to go on there, and to notice that it is not the same file any more.

use memoir_capture::Salt;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::UNIX_EPOCH;

/// So much of the beginning, and of what stands before the place, is compared.
const CHECKED_BYTES: u64 = 1024;

/// A place in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// Everything before this byte was read.
    pub offset: u64,
    /// The number of the last line.
    pub lines: u64,
    /// What the file looked like when it was read.
    pub seen: Stamp,
    /// Digest of the file's beginning.
    pub head: String,
    /// Digest of what stands right before the place.
    pub tail: String,
    /// What the parser has to know.
    #[serde(with = "state")]
    pub state: String,
    /// Sessions that are at a private request, and which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<(String, String)>,
    /// The run that it is a stream of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Where that begins, and how many lines are before it: several runs may be saved to one file.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub run_offset: u64,
    #[serde(default, skip_serializing_if = "is_nought")]
    pub run_lines: u64,
    /// The file, for people to read; redacted.
    pub path: String,
    /// How many events it gave so far.
    #[serde(default)]
    pub events: u64,
    /// How many problems it had so far.
    #[serde(default)]
    pub problems: u64,
    /// How often it was written anew.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub rewrites: u64,
    /// When what stands before the place happened, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_nought(number: &u64) -> bool {
    *number == 0
}

/// Lines of a file that was written anew are numbered from here, times the number of times: no line of a file that was
/// there before has such a number.
const REWRITE: u64 = 1 << 42;

/// So many times have numbers of their own.
const REWRITES_MAX: u64 = 1 << 20;

/// The number of an event of a file that was written anew so many times.
pub(super) const fn numbered(number: u64, rewrites: u64) -> u64 {
    let rewrites = if rewrites < REWRITES_MAX { rewrites } else { REWRITES_MAX };
    number.saturating_add(rewrites * REWRITE)
}

/// The state is JSON itself and stands in the position as it is: escaped it would take a quarter more.
mod state {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::value::RawValue;

    pub fn serialize<S: Serializer>(state: &str, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(state) {
            Ok(json) => json.serialize(serializer),
            Err(_) => state.serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        if json.get().starts_with('"') {
            return serde_json::from_str(json.get()).map_err(D::Error::custom);
        }
        Ok(json.get().to_owned())
    }
}

/// Size, times and number of a file: if none of them changed, nothing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub bytes: u64,
    pub modified_ns: u64,
    pub inode: u64,
    /// When anything about it was changed, be it its place: nobody can set that. Nought if it is not known.
    #[serde(default)]
    pub changed_ns: u64,
}

/// What has become of a file since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing.
    Same,
    /// It may have grown.
    Grown,
    /// It is another, or says something else.
    Rewritten,
}

impl Position {
    /// What has become of the file, as far as its stamp tells: whoever only appends makes it longer. `is_moved` says
    /// whether it is elsewhere now.
    pub fn fate(&self, stamp: Stamp, is_moved: &dyn Fn() -> bool) -> Fate {
        let seen = self.seen;
        let is_alike = (stamp.bytes, stamp.modified_ns, stamp.inode) == (seen.bytes, seen.modified_ns, seen.inode);
        let is_touched = seen.changed_ns != 0 && stamp.changed_ns != seen.changed_ns;
        match () {
            () if is_alike && !is_touched => Fate::Same,
            // Not read to its end, or moved or packed: then the two ends of what was read tell.
            () if seen == Stamp::default() => Fate::Grown,
            () if is_moved() => {
                if is_alike {
                    Fate::Same
                } else {
                    Fate::Grown
                }
            }
            () if stamp.bytes <= seen.bytes || stamp.inode != seen.inode => Fate::Rewritten,
            () => Fate::Grown,
        }
    }
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Stamp {
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let (inode, changed_ns) = {
            use std::os::unix::fs::MetadataExt;
            let ns = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
            (metadata.ino(), u64::try_from(ns).unwrap_or(0))
        };
        #[cfg(not(unix))]
        let (inode, changed_ns) = (0, 0);
        let modified_ns = modified.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        Stamp { bytes: metadata.len(), modified_ns, inode, changed_ns }
    }

    /// The same, with whatever a second file beside it adds.
    pub fn with(self, other: Option<Stamp>) -> Stamp {
        let other = other.unwrap_or_default();
        Stamp {
            bytes: self.bytes + other.bytes,
            modified_ns: self.modified_ns.max(other.modified_ns),
            inode: self.inode,
            changed_ns: self.changed_ns.max(other.changed_ns),
        }
    }
}

/// Digests of the beginning of a file and of what stands before a place in it.
pub(super) fn checks(file: &mut (impl Read + Seek), offset: u64, salt: Salt) -> io::Result<(String, String)> {
    let head = digest_at(file, 0, offset.min(CHECKED_BYTES), salt)?;
    let from = offset.saturating_sub(CHECKED_BYTES);
    let tail = digest_at(file, from, offset - from, salt)?;
    Ok((head, tail))
}

fn digest_at(file: &mut (impl Read + Seek), from: u64, bytes: u64, salt: Salt) -> io::Result<String> {
    file.seek(SeekFrom::Start(from))?;
    let mut read = Vec::new();
    file.by_ref().take(bytes).read_to_end(&mut read)?;
    Ok(blake3::keyed_hash(&salt.0, &read).to_hex().chars().take(16).collect())
}

/// The same digests of something that can only be read forwards.
pub(super) fn checks_of_stream(stream: &mut impl Read, offset: u64, salt: Salt) -> io::Result<(String, String)> {
    let digest = |bytes: &[u8]| -> String { blake3::keyed_hash(&salt.0, bytes).to_hex().chars().take(16).collect() };
    let mut head = Vec::new();
    let mut tail: Vec<u8> = Vec::new();
    let mut rest = stream.take(offset);
    let mut buffer = vec![0; 64 << 10];
    let checked = usize::try_from(CHECKED_BYTES).unwrap_or(usize::MAX);
    loop {
        let read = rest.read(&mut buffer)?;
        let part = buffer.get(..read).unwrap_or_default();
        if part.is_empty() {
            break;
        }
        if head.len() < checked {
            head.extend(part.iter().take(checked - head.len()));
        }
        tail.extend_from_slice(part);
        let surplus = tail.len().saturating_sub(checked);
        tail.drain(..surplus);
    }
    Ok((digest(&head), digest(&tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_appends_makes_a_file_longer() {
        let seen = Stamp { bytes: 10, modified_ns: 1, inode: 7, changed_ns: 1 };
        let known = Position { seen, ..Position::default() };
        let fate = |stamp: Stamp| known.fate(stamp, &|| false);
        assert_eq!(fate(seen), Fate::Same);
        assert_eq!(fate(Stamp { bytes: 11, modified_ns: 2, changed_ns: 2, ..seen }), Fate::Grown);
        assert_eq!(fate(Stamp { modified_ns: 2, changed_ns: 2, ..seen }), Fate::Rewritten);
        assert_eq!(fate(Stamp { changed_ns: 2, ..seen }), Fate::Rewritten, "its time was set back");
        assert_eq!(fate(Stamp { bytes: 9, ..seen }), Fate::Rewritten);
        assert_eq!(fate(Stamp { bytes: 99, inode: 8, ..seen }), Fate::Rewritten, "another took its place");
        let moved = |stamp: Stamp| known.fate(stamp, &|| true);
        assert_eq!(moved(Stamp { changed_ns: 2, ..seen }), Fate::Same);
        assert_eq!(moved(Stamp { bytes: 5, inode: 8, ..seen }), Fate::Grown, "packed, perhaps");
        let old = Position { seen: Stamp { changed_ns: 0, ..seen }, ..Position::default() };
        assert_eq!(old.fate(seen, &|| false), Fate::Same, "noted by a memoir that did not know of it");
        assert_eq!(Position::default().fate(seen, &|| false), Fate::Grown);
    }
}
