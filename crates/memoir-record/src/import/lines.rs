//! The lines of a session file with their places, however long they are. What follows the last newline is handed over
//! only if it is whole.

use super::shrink::{Shrinker, thinned};
use std::io::{self, Read};

/// How much is read at first: hooks want little.
const FIRST_READ_BYTES: usize = 16 << 10;

/// How much is read at once later.
const READ_BYTES_MAX: usize = 512 << 10;

/// Longer lines are made smaller while they are read.
const SHRINK_FROM_BYTES: usize = 8 << 20;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Its bytes without the newline.
    Whole(&'a [u8]),
    /// What is left of a huge one.
    Shrunk(Vec<u8>),
    /// Too long for anything.
    TooLong {
        /// How long.
        bytes: u64,
    },
}

/// Reads lines from a place on.
pub(super) struct FileLines<R> {
    input: R,
    buffer: Vec<u8>,
    read_bytes: usize,
    start: usize,
    end: usize,
    /// Where the next line begins.
    offset: u64,
    /// A huge line, as far as it was read, and how far that is.
    huge: Option<Shrinker>,
    huge_bytes: u64,
    ended: bool,
}

impl<R: Read> FileLines<R> {
    pub fn new(input: R, offset: u64) -> FileLines<R> {
        FileLines {
            input,
            buffer: Vec::new(),
            read_bytes: FIRST_READ_BYTES,
            start: 0,
            end: 0,
            offset,
            huge: None,
            huge_bytes: 0,
            ended: false,
        }
    }

    /// Where the next line begins: everything before it has been handed over.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line that ends in a newline; none when there is no more for now.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let held = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', held) {
                let from = self.start;
                self.start += at + 1;
                self.offset += u64::try_from(at + 1).unwrap_or(0);
                if let Some(mut huge) = self.huge.take() {
                    self.offset += std::mem::take(&mut self.huge_bytes);
                    huge.push(self.buffer.get(from..from + at).unwrap_or_default());
                    return Ok(Some(shrunk(huge.finish())));
                }
                let line = self.buffer.get(from..from + at).unwrap_or_default();
                return Ok(Some(taken(line)));
            }
            if self.ended {
                return Ok(None);
            }
            if held.len() > SHRINK_FROM_BYTES || self.huge.is_some() {
                let (start, end) = (self.start, self.end);
                let part = self.buffer.get(start..end).unwrap_or_default();
                self.huge.get_or_insert_default().push(part);
                self.huge_bytes += u64::try_from(end - start).unwrap_or(0);
                self.start = 0;
                self.end = 0;
            }
            self.fill()?;
        }
    }

    /// What stands after the last newline, if it is a JSON object: nothing that could follow would still belong to it.
    pub fn last_line(&mut self) -> Option<&[u8]> {
        if self.huge.is_some() {
            return None;
        }
        let (start, end) = (self.start, self.end);
        let rest = self.buffer.get(start..end)?;
        let is_object =
            rest.trim_ascii().starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
        if !is_object {
            return None;
        }
        self.offset += u64::try_from(end - start).unwrap_or(0);
        self.start = end;
        self.buffer.get(start..end)
    }

    /// Whether something stands there that is not whole yet.
    pub fn has_unfinished(&self) -> bool {
        self.huge.is_some() || !self.buffer.get(self.start..self.end).unwrap_or_default().trim_ascii().is_empty()
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + self.read_bytes {
            self.buffer.resize(self.end + self.read_bytes, 0);
        }
        let free = self.buffer.get_mut(self.end..self.end + self.read_bytes).unwrap_or_default();
        self.read_bytes = (self.read_bytes * 2).min(READ_BYTES_MAX);
        let read = loop {
            match self.input.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }
}

/// A line as it is, or what is left of one that has too many values.
pub(super) fn taken(line: &[u8]) -> Line<'_> {
    thinned(line).map_or(Line::Whole(line), shrunk)
}

fn shrunk<'a>(huge: (Option<Vec<u8>>, u64)) -> Line<'a> {
    match huge {
        (Some(line), _) => Line::Shrunk(line),
        (None, bytes) => Line::TooLong { bytes },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> (Vec<String>, u64, bool) {
        let mut lines = FileLines::new(text, 0);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::Shrunk(bytes) => format!("shrunk to {}", bytes.len()),
                Line::TooLong { bytes } => format!("too long: {bytes}"),
            });
        }
        if let Some(last) = lines.last_line() {
            found.push(String::from_utf8_lossy(last).into_owned());
        }
        let unfinished = lines.has_unfinished();
        (found, lines.offset(), unfinished)
    }

    #[test]
    fn a_torn_last_line_is_left_and_a_whole_one_is_taken() {
        assert_eq!(lines(b"{}\n{\"a\":"), (vec!["{}".into()], 3, true));
        assert_eq!(lines(b"{}\n{\"a\":1}"), (vec!["{}".into(), "{\"a\":1}".into()], 10, false));
        assert_eq!(lines(b"{}\n12"), (vec!["{}".into()], 3, true));
        assert_eq!(lines(b""), (vec![], 0, false));
    }

    #[test]
    fn a_torn_huge_line_is_left_from_its_beginning_on() {
        let mut text = b"{}\n{\"a\":\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', 20 << 20));
        assert_eq!(lines(&text), (vec!["{}".into()], 3, true));
    }

    #[test]
    fn a_line_of_a_hundred_megabytes_comes_out_small() {
        let mut text = b"{\"first\":1}\n{\"a\":\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', 100 << 20));
        text.extend_from_slice(b"\"}\n{\"last\":1}\n");
        let (found, offset, _) = lines(&text);
        assert_eq!(found.len(), 3);
        assert!(found[1].starts_with("shrunk to 41"), "{}", found[1]);
        assert_eq!(offset, u64::try_from(text.len()).unwrap());
    }
}
