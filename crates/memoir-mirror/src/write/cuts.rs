//! Parts that are cut out of a file, and the file without them.
//!
//! A file is never changed in place: what stays is copied to another one, which then takes its place.

use crate::digest::Hashing;
use crate::error::{MirrorError, refused};
use crate::files;
use sha2::Sha256;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;

const BUFFER_BYTES: usize = 256 << 10;

/// Parts of a file, in order, none of them touching another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cuts(Vec<Range<u64>>);

impl Cuts {
    /// Adds a part that lies behind all others.
    pub fn add(&mut self, part: Range<u64>) {
        match self.0.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => self.0.push(part),
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much they are together.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|part| part.end - part.start).sum()
    }
}

/// What is left of a file.
pub struct Left {
    pub hash: Sha256,
    pub bytes: u64,
}

/// Puts what is left of a file of `bytes` in its place, by way of `tmp`, which is in the same directory. A crash leaves
/// the old file or the new one. The name is durable once the directory is synced.
pub fn replace_without(path: &Path, bytes: u64, cuts: &Cuts, tmp: &Path) -> Result<Left, MirrorError> {
    let put = copy_without(path, bytes, cuts, tmp).and_then(|left| {
        fs::rename(tmp, path).map_err(refused("write", path))?;
        Ok(left)
    });
    put.inspect_err(|_| drop(fs::remove_file(tmp)))
}

fn copy_without(path: &Path, bytes: u64, cuts: &Cuts, tmp: &Path) -> Result<Left, MirrorError> {
    let changed = || MirrorError::Changed { path: path.to_owned() };
    let file = files::open(path).map_err(refused("read", path))?;
    if file.metadata().map_err(refused("read", path))?.len() != bytes {
        return Err(changed());
    }
    let mut kept = Hashing::new(Kept { file, cuts: &cuts.0, at: 0, bytes });
    let written = files::create_anew(tmp).and_then(|file| {
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        let copied = io::copy(&mut kept, &mut writer)?;
        writer.flush()?;
        writer.get_ref().sync_all()?;
        Ok(copied)
    });
    let left = Left { bytes: written.map_err(refused("write", path))?, hash: kept.finish() };
    if left.bytes + cuts.bytes() == bytes { Ok(left) } else { Err(changed()) }
}

/// Reads a file without its cuts.
struct Kept<'a> {
    file: File,
    /// Those that come next.
    cuts: &'a [Range<u64>],
    at: u64,
    bytes: u64,
}

impl Read for Kept<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut until = self.bytes;
        while let Some((cut, later)) = self.cuts.split_first() {
            if cut.start > self.at {
                until = cut.start;
                break;
            }
            self.at = self.file.seek(SeekFrom::Start(cut.end))?;
            self.cuts = later;
        }
        let read = (&self.file).take(until.saturating_sub(self.at)).read(buffer)?;
        self.at += u64::try_from(read).unwrap_or(0);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    fn cuts(parts: &[(u64, u64)]) -> Cuts {
        let mut cuts = Cuts::default();
        parts.iter().for_each(|(start, end)| cuts.add(*start..*end));
        cuts
    }

    #[test]
    fn parts_that_touch_are_one() {
        assert_eq!(cuts(&[(0, 3), (3, 5), (6, 7)]), Cuts(vec![0..5, 6..7]));
        assert_eq!(cuts(&[(0, 3), (3, 5), (6, 7)]).bytes(), 6);
    }

    #[test]
    fn what_is_not_cut_out_is_left_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let (path, tmp) = (dir.path().join("x"), dir.path().join("y"));
        for (parts, expected) in [
            (&[][..], "0123456789"),
            (&[(0, 1)], "123456789"),
            (&[(9, 10)], "012345678"),
            (&[(0, 2), (4, 5), (7, 10)], "2356"),
            (&[(0, 10)], ""),
        ] {
            fs::write(&path, "0123456789").unwrap();
            let left = replace_without(&path, 10, &cuts(parts), &tmp).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(left.bytes, u64::try_from(expected.len()).unwrap());
            assert_eq!(left.hash.finalize(), Sha256::digest(expected));
            assert!(!tmp.exists());
        }
    }

    #[test]
    fn a_file_of_another_size_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (path, tmp) = (dir.path().join("x"), dir.path().join("y"));
        fs::write(&path, "01234").unwrap();
        for bytes in [4, 6] {
            let replaced = replace_without(&path, bytes, &cuts(&[(0, 2), (3, 4)]), &tmp);
            assert!(matches!(replaced, Err(MirrorError::Changed { .. })));
            assert_eq!(fs::read_to_string(&path).unwrap(), "01234");
            assert!(!tmp.exists());
        }
    }
}
