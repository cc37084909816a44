//! Cuts a stream of bytes into lines, each within a limit, and never holds more than one line and one read.

use std::io::{self, Read};

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A line of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number; the first is 1.
    pub number: u64,
    /// Its text without the newline, or what is wrong with it.
    pub text: Result<&'a str, BadLine>,
}

/// Why a line cannot even be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// Over the limit.
    #[error("is {bytes} bytes long; the limit is {bytes_max}")]
    TooLong {
        /// Its length without the newline.
        bytes: u64,
        /// The limit.
        bytes_max: usize,
    },
    /// Not text.
    #[error("is not valid UTF-8 (byte {at})")]
    NotUtf8 {
        /// Where the first bad byte is.
        at: usize,
    },
}

/// What is known of a line that is too long to be held.
struct Skipped {
    bytes: u64,
    blank: bool,
    ends_in_cr: bool,
}

/// The lines of a stream that is fed read by read. Blank lines are left out but counted.
pub struct Lines {
    bytes_max: usize,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
    skipped: Option<Skipped>,
    ended: bool,
    read_total: u64,
}

impl Lines {
    /// Lines of at most `bytes_max` bytes, surrounding blanks included, newline not.
    pub const fn new(bytes_max: usize) -> Lines {
        Lines { bytes_max, buffer: Vec::new(), start: 0, end: 0, number: 0, skipped: None, ended: false, read_total: 0 }
    }

    /// How many bytes have been read.
    pub const fn read_total(&self) -> u64 {
        self.read_total
    }

    /// Reads once; false at the end of the input. Call [`Lines::next_line`] until it has no more before reading on.
    pub fn fill(&mut self, input: &mut (impl Read + ?Sized)) -> io::Result<bool> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + READ_BYTES {
            self.buffer.resize(self.end + READ_BYTES, 0);
        }
        let free = self.buffer.get_mut(self.end..self.end + READ_BYTES).unwrap_or_default();
        let read = loop {
            match input.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.read_total += u64::try_from(read).unwrap_or(0);
        self.ended = read == 0;
        Ok(read > 0)
    }

    /// The next complete line; at the end of the input also one without a newline.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let held = self.buffer.get(self.start..self.end).unwrap_or_default();
            let newline = memchr::memchr(b'\n', held);
            let len = match newline {
                Some(at) => at,
                None if self.ended && (!held.is_empty() || self.skipped.is_some()) => held.len(),
                None => {
                    self.forget_what_is_too_long();
                    return None;
                }
            };
            let from = self.start;
            self.start = (from + len + usize::from(newline.is_some())).min(self.end);
            self.number += 1;
            if let Some(bad) = self.judge(from, len) {
                return self.line(from, len, bad);
            }
        }
    }

    /// Whether the line is to be shown, and what is known to be wrong with it.
    fn judge(&mut self, from: usize, len: usize) -> Option<Option<BadLine>> {
        if let Some(mut skipped) = self.skipped.take() {
            skipped.add(self.buffer.get(from..from + len).unwrap_or_default());
            let bytes = skipped.bytes - u64::from(skipped.ends_in_cr);
            return (!skipped.blank).then_some(Some(BadLine::TooLong { bytes, bytes_max: self.bytes_max }));
        }
        let bytes = self.trimmed(from, len);
        if is_blank(bytes) {
            return None;
        }
        let too_long = bytes.len() > self.bytes_max;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Some(too_long.then_some(BadLine::TooLong { bytes: length, bytes_max: self.bytes_max }))
    }

    fn line(&self, from: usize, len: usize, bad: Option<BadLine>) -> Option<Line<'_>> {
        let bytes = self.trimmed(from, len);
        let text = match bad {
            Some(bad) => Err(bad),
            None => std::str::from_utf8(bytes).map_err(|error| BadLine::NotUtf8 { at: error.valid_up_to() }),
        };
        Some(Line { number: self.number, text })
    }

    /// The line without its carriage return, and the first one without a byte order mark.
    fn trimmed(&self, from: usize, len: usize) -> &[u8] {
        let bytes = self.buffer.get(from..from + len).unwrap_or_default();
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if self.number == 1 { bytes.strip_prefix(BOM).unwrap_or(bytes) } else { bytes }
    }

    /// Drops what is held of a line that is over the limit even if it ends in a carriage return right now.
    fn forget_what_is_too_long(&mut self) {
        let held = self.buffer.get(self.start..self.end).unwrap_or_default();
        if self.skipped.is_none() && held.len() <= self.bytes_max.saturating_add(1 + BOM.len()) {
            return;
        }
        let skipped = self.skipped.get_or_insert(Skipped { bytes: 0, blank: true, ends_in_cr: false });
        skipped.add(held);
        self.start = 0;
        self.end = 0;
    }
}

/// Whether a line has nothing but white space; the first visible character settles it.
fn is_blank(bytes: &[u8]) -> bool {
    !bytes.iter().any(u8::is_ascii_graphic) && std::str::from_utf8(bytes).is_ok_and(|text| text.trim().is_empty())
}

impl Skipped {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(0);
        self.blank &= bytes.iter().all(u8::is_ascii_whitespace);
        self.ends_in_cr = bytes.last().map_or(self.ends_in_cr, |byte| *byte == b'\r');
    }
}
