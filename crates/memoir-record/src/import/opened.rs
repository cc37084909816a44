//! A file that is open for reading from any place, packed or not.

use super::position::{self, Position};
use crate::runs::RUN_HEAD_BYTES;
use memoir_capture::Salt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// A packed file that needs more than this to be unpacked is refused, and counted.
const WINDOW_LOG_MAX: u32 = 27;

/// Of files that need more than this only one is open at a time.
const NARROW_BYTES: u64 = 8 << 20;

/// What says how much is needed stands in so many bytes.
const FRAME_HEAD_BYTES: u64 = 18;

/// How much of what was unpacked has to be kept to unpack on, as the beginning of a zstd frame says.
fn window_bytes(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?;
    let (&about, rest) = rest.split_first()?;
    if about & 0x20 == 0 {
        let &window = rest.first()?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // One segment: all of it is kept, and its size stands there.
    let dictionary_bytes = [0, 1, 2, 4].get(usize::from(about & 3)).copied()?;
    let size_bytes = [1, 2, 4, 8].get(usize::from(about >> 6)).copied()?;
    let size = rest.get(dictionary_bytes..dictionary_bytes + size_bytes)?;
    Some(size.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// A file that is open for reading from any place, packed or not.
pub(super) struct Opened {
    file: File,
    pub is_packed: bool,
}

impl Opened {
    pub fn open(path: &Path) -> io::Result<Opened> {
        let is_packed = path.extension().is_some_and(|end| end == "zst");
        Ok(Opened { file: File::open(path)?, is_packed })
    }

    /// Whether unpacking it takes so much memory that only one file of the kind may be open.
    pub fn is_wide(&mut self) -> io::Result<bool> {
        if !self.is_packed {
            return Ok(false);
        }
        let mut head = Vec::new();
        self.file.by_ref().take(FRAME_HEAD_BYTES).read_to_end(&mut head)?;
        self.file.seek(SeekFrom::Start(0))?;
        Ok(window_bytes(&head).is_none_or(|bytes| bytes > NARROW_BYTES))
    }

    /// A reader from that byte on.
    pub fn from(mut self, offset: u64) -> io::Result<Box<dyn Read>> {
        if !self.is_packed {
            self.file.seek(SeekFrom::Start(offset))?;
            return Ok(Box::new(self.file));
        }
        self.file.seek(SeekFrom::Start(0))?;
        let mut unpacked = zstd::stream::read::Decoder::new(self.file)?;
        unpacked.window_log_max(WINDOW_LOG_MAX)?;
        io::copy(&mut unpacked.by_ref().take(offset), &mut io::sink())?;
        Ok(Box::new(unpacked))
    }

    pub fn checks(&mut self, offset: u64, salt: Salt) -> io::Result<(String, String)> {
        if !self.is_packed {
            return position::checks(&mut self.file, offset, salt);
        }
        // A packed file can only be read from its beginning; its two ends are kept as they go by.
        self.file.seek(SeekFrom::Start(0))?;
        let mut unpacked = zstd::stream::read::Decoder::new(&mut self.file)?;
        unpacked.window_log_max(WINDOW_LOG_MAX)?;
        position::checks_of_stream(&mut unpacked, offset, salt)
    }

    /// Whether the file is still the one that was read up to that place.
    pub fn is_same(&mut self, known: &Position, salt: Salt) -> io::Result<bool> {
        if !self.is_packed && self.file.metadata()?.len() < known.offset {
            return Ok(false);
        }
        let (head, tail) = self.checks(known.offset, salt)?;
        Ok(head == known.head && tail == known.tail)
    }

    /// Enough of what begins there to know the run by.
    pub fn head(&mut self, offset: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        if !self.is_packed {
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.by_ref().take(RUN_HEAD_BYTES).read_to_end(&mut head)?;
        }
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::window_bytes;
    use std::io::Write;

    fn packed(window_log: u32, bytes: usize) -> Vec<u8> {
        let mut packer = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        packer.window_log(window_log).unwrap();
        packer.write_all(&vec![b'x'; bytes]).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn a_packed_file_says_how_much_it_needs() {
        assert_eq!(window_bytes(&packed(27, 1 << 20)), Some(128 << 20));
        assert_eq!(window_bytes(&packed(20, 1 << 20)), Some(1 << 20));
        assert_eq!(window_bytes(&zstd::bulk::compress(&[b'x'; 70_000], 1).unwrap()), Some(70_000));
        assert_eq!(window_bytes(b"nonsense that is no frame"), None);
    }
}
