//! Makes huge lines small while they are read: long strings lose their middle, so that a line of any length can be
//! parsed in bounded memory.

use std::collections::VecDeque;

/// So much of the beginning and of the end of a long string is kept.
const KEPT_BYTES: usize = 2 << 20;

/// A line that is longer than this even so is given up.
const LINE_BYTES_MAX: usize = 32 << 20;

/// Takes one line, piece by piece.
#[derive(Default)]
pub(crate) struct Shrinker {
    line: Vec<u8>,
    place: Place,
    /// Bytes of the present string so far.
    string_bytes: u64,
    /// The end of the present string, once its beginning is long enough; each byte with whether a character begins there.
    tail: VecDeque<(u8, bool)>,
    /// Bytes left out of the present string.
    left_out: u64,
    total: u64,
    given_up: bool,
}

/// Where in the JSON the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Outside,
    Inside,
    /// After a backslash, with so many digits to come.
    Escape(u8),
}

impl Shrinker {
    /// Takes more of the line, which holds no newline.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += u64::try_from(bytes.len()).unwrap_or(0);
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            match self.place {
                Place::Outside => {
                    let end = memchr::memchr(b'"', rest).map_or(rest.len(), |at| at + 1);
                    let (part, after) = rest.split_at(end);
                    self.keep(part);
                    if part.last() == Some(&b'"') {
                        self.place = Place::Inside;
                        self.string_bytes = 0;
                    }
                    rest = after;
                }
                Place::Inside if byte == b'"' => {
                    self.end_string();
                    self.keep(b"\"");
                    self.place = Place::Outside;
                    rest = after;
                }
                Place::Inside if byte == b'\\' => {
                    self.inside(byte, true);
                    self.place = Place::Escape(1);
                    rest = after;
                }
                Place::Inside => {
                    self.inside(byte, byte & 0xc0 != 0x80);
                    rest = after;
                }
                Place::Escape(left) => {
                    self.inside(byte, false);
                    let left = if left == 1 && byte == b'u' && self.begins_escape() { 5 } else { left };
                    self.place = if left == 1 { Place::Inside } else { Place::Escape(left - 1) };
                    rest = after;
                }
            }
        }
    }

    /// Whether the byte before the one just taken was the backslash: a `u` further on is a digit's place, not an escape.
    fn begins_escape(&self) -> bool {
        let before = if self.tail.len() >= 2 {
            self.tail.get(self.tail.len() - 2).map(|(byte, _)| *byte)
        } else {
            self.line.len().checked_sub(2).and_then(|at| self.line.get(at)).copied()
        };
        before == Some(b'\\')
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > LINE_BYTES_MAX {
            self.given_up = true;
        }
        if !self.given_up {
            self.line.extend_from_slice(bytes);
        }
    }

    fn inside(&mut self, byte: u8, begins: bool) {
        self.string_bytes += 1;
        let is_long = self.string_bytes > u64::try_from(KEPT_BYTES).unwrap_or(u64::MAX);
        // A character is never cut: the beginning ends where one begins.
        if self.tail.is_empty() && self.left_out == 0 && (!is_long || !begins) {
            self.keep(&[byte]);
            return;
        }
        self.tail.push_back((byte, begins));
        if self.tail.len() > KEPT_BYTES {
            self.tail.pop_front();
            self.left_out += 1;
        }
    }

    fn end_string(&mut self) {
        if self.left_out > 0 {
            while self.tail.front().is_some_and(|(_, begins)| !begins) {
                self.tail.pop_front();
                self.left_out += 1;
            }
            let note = format!(" …[{} bytes left out]… ", self.left_out);
            self.keep(note.as_bytes());
        }
        let tail: Vec<u8> = self.tail.drain(..).map(|(byte, _)| byte).collect();
        self.keep(&tail);
        self.left_out = 0;
    }

    /// The line, as far as it was kept; none if even that is too much. And how long it was.
    pub fn finish(mut self) -> (Option<Vec<u8>>, u64) {
        if self.place != Place::Outside {
            self.end_string();
        }
        ((!self.given_up).then_some(self.line), self.total)
    }
}

/// Reads one JSON document of any length; long strings lose their middle. None if it stays too long even so.
pub fn read_shrunk(input: &mut dyn std::io::Read) -> std::io::Result<Option<String>> {
    let mut shrinker = Shrinker::default();
    let mut plain = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = match input.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let part = buffer.get(..read).unwrap_or_default();
        if part.is_empty() {
            break;
        }
        if shrinker.total == 0 && plain.len() + part.len() <= PLAIN_BYTES_MAX {
            plain.extend_from_slice(part);
            continue;
        }
        shrinker.push(&std::mem::take(&mut plain));
        shrinker.push(part);
    }
    let document = if shrinker.total == 0 { Some(plain) } else { shrinker.finish().0 };
    Ok(document.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// A document up to this length is taken as it is.
const PLAIN_BYTES_MAX: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shrink(line: &[u8], piece: usize) -> (Option<Vec<u8>>, u64) {
        let mut shrinker = Shrinker::default();
        line.chunks(piece).for_each(|piece| shrinker.push(piece));
        shrinker.finish()
    }

    #[test]
    fn a_huge_string_loses_its_middle_and_the_line_is_still_json() {
        let filler = "é\\n\\u00e9x".repeat(1_000_000);
        let line = format!(r#"{{"a":"{filler}","b":[1,"short \" one"],"c":"end"}}"#);
        let (kept, total) = shrink(line.as_bytes(), 65_536);
        let kept = kept.unwrap();
        assert_eq!(total, u64::try_from(line.len()).unwrap());
        assert!(kept.len() < 5 << 20);
        let value: serde_json::Value = serde_json::from_slice(&kept).unwrap();
        assert_eq!(value["b"][1], "short \" one");
        assert_eq!(value["c"], "end");
        let text = value["a"].as_str().unwrap();
        assert!(text.starts_with("é\né") && text.ends_with("éx") && text.contains("bytes left out"));
    }

    #[test]
    fn a_line_that_stays_too_long_is_given_up_and_measured() {
        let line = format!("[{}]", "1,".repeat(20 << 20));
        assert_eq!(shrink(line.as_bytes(), 1 << 20), (None, u64::try_from(line.len()).unwrap()));
    }

    proptest! {
        #[test]
        fn a_line_of_ordinary_length_comes_out_as_it_went_in(text in "\\PC{0,200}", piece in 1usize..40) {
            let line = serde_json::json!({"k": text, "l": ["\u{1}\u{20ac}\\u", text]}).to_string();
            prop_assert_eq!(shrink(line.as_bytes(), piece).0.unwrap(), line.as_bytes());
        }
    }
}
