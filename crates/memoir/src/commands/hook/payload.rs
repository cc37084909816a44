//! The payload of a hook call: read until it is whole, for some callers leave the pipe open.

use std::io::{Read, Result};

/// Reads one JSON object and ends behind it; whatever is none is read to the end of the input.
pub struct OneObject<R> {
    input: R,
    depth: usize,
    is_quoted: bool,
    is_escaped: bool,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Before,
    Inside,
    Whole,
    /// It is no object.
    Other,
}

impl<R: Read> OneObject<R> {
    pub fn of(input: R) -> OneObject<R> {
        OneObject { input, depth: 0, is_quoted: false, is_escaped: false, state: State::Before }
    }

    fn note(&mut self, byte: u8) {
        match (&self.state, byte) {
            (State::Before, b'{') => self.state = State::Inside,
            // Some put a mark in front of a text.
            (State::Before, b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf) | (State::Whole | State::Other, _) => {
                return;
            }
            (State::Before, _) => self.state = State::Other,
            (State::Inside, _) => {}
        }
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_quoted => self.is_escaped = true,
            b'"' => self.is_quoted = !self.is_quoted,
            b'{' | b'[' if !self.is_quoted => self.depth += 1,
            b'}' | b']' if !self.is_quoted => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.state = State::Whole;
                }
            }
            _ => {}
        }
    }
}

impl<R: Read> Read for OneObject<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.state == State::Whole {
            return Ok(0);
        }
        let read = self.input.read(buffer)?;
        buffer.iter().take(read).for_each(|byte| self.note(*byte));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its parts one by one, and then nothing but an error: nobody may ask further.
    struct Open(Vec<&'static [u8]>);

    impl Read for Open {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            if self.0.is_empty() {
                return Err(std::io::Error::other("still open"));
            }
            let part = self.0.remove(0);
            let (now, later) = part.split_at(part.len().min(buffer.len()));
            if !later.is_empty() {
                self.0.insert(0, later);
            }
            buffer.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
            Ok(now.len())
        }
    }

    #[test]
    fn an_object_is_read_to_its_end_and_no_further() {
        for parts in [
            vec![&b"{\"a\": \"}\\\"{\", \"b\": [{}, 1]"[..], b"}\n"],
            vec![b"\xef\xbb\xbf ", b"{}"],
            vec![b"{\"a\":", b"{\"b\":[]}}"],
        ] {
            let mut text = String::new();
            OneObject::of(Open(parts.clone())).read_to_string(&mut text).unwrap();
            assert_eq!(text.as_bytes(), parts.concat());
        }
        for open in [vec![&b"{\"a\": 1"[..]], vec![b"[{}]"], vec![b"hello {}"]] {
            assert!(OneObject::of(Open(open)).read_to_end(&mut Vec::new()).is_err());
        }
    }
}
