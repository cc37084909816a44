//! Splits bytes into lines, holding one line at a time and none that is too long.

use std::io::{self, BufRead};

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By a newline.
    Newline,
    /// With the file: it may be torn, or still being written.
    File,
}

/// One line without its newline.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// What it says; none if it is longer than allowed.
    pub bytes: Option<&'a [u8]>,
    /// Where it starts.
    pub offset: u64,
    /// How it ended.
    pub end: End,
}

/// Reads lines.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    offset: u64,
    bytes_max: usize,
}

impl<R: BufRead> Lines<R> {
    pub const fn new(reader: R, bytes_max: usize) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), offset: 0, bytes_max }
    }

    /// How much was read.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line, if there is one.
    pub fn read_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let offset = self.offset;
        let mut fits = true;
        let end = loop {
            let available = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                break End::File;
            }
            let newline = memchr::memchr(b'\n', available);
            let part = available.get(..newline.unwrap_or(available.len())).unwrap_or_default();
            fits = fits && self.buffer.len() + part.len() <= self.bytes_max;
            if fits {
                self.buffer.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(newline.is_some());
            self.reader.consume(taken);
            self.offset += u64::try_from(taken).unwrap_or(u64::MAX);
            if newline.is_some() {
                break End::Newline;
            }
        };
        if self.offset == offset {
            return Ok(None);
        }
        Ok(Some(Line { bytes: fits.then_some(self.buffer.as_slice()), offset, end }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, bytes_max: usize, at_once: usize) -> Vec<(Option<String>, u64, End)> {
        let reader = io::BufReader::with_capacity(at_once, text.as_bytes());
        let mut lines = Lines::new(reader, bytes_max);
        let mut all = Vec::new();
        while let Some(line) = lines.read_line().unwrap() {
            all.push((line.bytes.map(|bytes| String::from_utf8(bytes.to_owned()).unwrap()), line.offset, line.end));
        }
        all
    }

    #[test]
    fn lines_come_out_whatever_is_read_at_once() {
        for at_once in [1, 2, 3, 5, 100] {
            let some = |text: &str| Some(text.to_owned());
            assert_eq!(
                lines("ab\n\ncde\nf", 3, at_once),
                [
                    (some("ab"), 0, End::Newline),
                    (some(""), 3, End::Newline),
                    (some("cde"), 4, End::Newline),
                    (some("f"), 8, End::File)
                ]
            );
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_passed_over_and_the_next_one_is_read() {
        for at_once in [1, 2, 3, 5, 100] {
            assert_eq!(
                lines("abcd\nabc\n", 3, at_once),
                [(None, 0, End::Newline), (Some("abc".to_owned()), 5, End::Newline)]
            );
        }
    }
}
