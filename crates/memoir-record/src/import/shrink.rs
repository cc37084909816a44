//! Makes huge JSON small while it is read: long strings lose their middle and long lists their end, so that input of any
//! length can be parsed in bounded memory.

use std::collections::VecDeque;
use std::io::{self, Read};

/// So much of the beginning and of the end of a long string is kept.
const KEPT_BYTES: usize = 2 << 20;

/// A record that is longer than this even so is given up.
const RECORD_BYTES_MAX: usize = 32 << 20;

/// So many elements of one list or object are kept.
const ELEMENTS_MAX: u32 = 10_000;

/// So many values of one record are kept: each costs far more memory than its text.
const VALUES_MAX: u32 = 100_000;

/// No parser goes deeper.
const DEPTH_MAX: usize = 256;

/// Shorter records have few enough values whatever they are.
const CROWDED_FROM_BYTES: usize = 256 << 10;

/// Takes one line, piece by piece.
pub(crate) struct Shrinker {
    kept: Vec<u8>,
    place: Place,
    /// Elements so far of each list and object that is open.
    open: Vec<u32>,
    /// How many of them, from the outermost, are kept whole.
    whole_depth: usize,
    /// Whether what is in those is many records, not one.
    has_records: bool,
    /// The depth of the list whose end is being left out, and how many of its elements are so far.
    skipping: Option<(usize, u32)>,
    /// Values and bytes of the present record so far.
    values: u32,
    record_bytes: usize,
    /// Bytes of the present string so far.
    string_bytes: usize,
    /// The end of the present string, once its beginning is long enough; each byte with whether a character begins there.
    tail: VecDeque<(u8, bool)>,
    /// Characters left out of the present string, and whether anything was.
    left_out: u64,
    is_string_cut: bool,
    total: u64,
    is_cut: bool,
    given_up: bool,
}

/// Where in the JSON the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
    /// After a backslash.
    Escape,
    /// In an escape, with so many digits to come.
    Digits(u8),
}

impl Default for Shrinker {
    fn default() -> Shrinker {
        Shrinker::new(1, false)
    }
}

impl Shrinker {
    fn new(whole_depth: usize, has_records: bool) -> Shrinker {
        Shrinker {
            kept: Vec::new(),
            place: Place::Outside,
            open: Vec::new(),
            whole_depth,
            has_records,
            skipping: None,
            values: 0,
            record_bytes: 0,
            string_bytes: 0,
            tail: VecDeque::new(),
            left_out: 0,
            is_string_cut: false,
            total: 0,
            is_cut: false,
            given_up: false,
        }
    }

    /// Takes more of the line, which holds no newline.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += u64::try_from(bytes.len()).unwrap_or(0);
        for &byte in bytes {
            match self.place {
                Place::Outside => self.outside(byte),
                Place::Inside if byte == b'"' => {
                    self.end_string();
                    self.keep(b"\"");
                    self.place = Place::Outside;
                }
                Place::Inside => {
                    self.inside(byte, byte & 0xc0 != 0x80);
                    if byte == b'\\' {
                        self.place = Place::Escape;
                    }
                }
                Place::Escape => {
                    self.inside(byte, false);
                    self.place = if byte == b'u' { Place::Digits(4) } else { Place::Inside };
                }
                Place::Digits(left) => {
                    self.inside(byte, false);
                    self.place = if left == 1 { Place::Inside } else { Place::Digits(left - 1) };
                }
            }
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.place = Place::Inside;
                self.string_bytes = 0;
            }
            b'[' | b'{' if self.open.len() < DEPTH_MAX => self.open.push(0),
            b'[' | b'{' => self.given_up = true,
            b']' | b'}' => {
                let elements = self.open.pop().unwrap_or(0).saturating_add(1);
                if let Some((_, left_out)) = self.skipping.filter(|(depth, _)| *depth == self.open.len() + 1) {
                    self.skipping = None;
                    self.note(byte == b'}', left_out, elements);
                }
            }
            b',' => self.next_element(),
            b':' => {}
            _ => return self.keep_text(&[byte]),
        }
        self.keep(&[byte]);
    }

    fn next_element(&mut self) {
        let depth = self.open.len();
        if let Some((skipped, left_out)) = &mut self.skipping {
            if *skipped == depth {
                *left_out = left_out.saturating_add(1);
                self.open.last_mut().into_iter().for_each(|elements| *elements = elements.saturating_add(1));
            }
            return;
        }
        if depth <= self.whole_depth && self.has_records {
            (self.values, self.record_bytes, self.given_up) = (0, 0, false);
        }
        self.values += 1;
        let Some(elements) = self.open.last_mut() else { return };
        *elements += 1;
        let is_too_much = *elements >= ELEMENTS_MAX || self.values >= VALUES_MAX || self.given_up;
        if depth > self.whole_depth && is_too_much {
            self.skipping = Some((depth, 1));
        }
    }

    /// Says at the end of a list or an object how much of it is left out.
    fn note(&mut self, is_object: bool, left_out: u32, elements: u32) {
        let what = if is_object { "fields" } else { "elements" };
        let said = format!("\"…[{left_out} of {elements} {what} left out]…\"");
        let name = if is_object { "\"…\":" } else { "" };
        self.keep(format!(",{name}{said}").as_bytes());
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skipping.is_some() {
            self.is_cut = true;
            return;
        }
        self.record_bytes += bytes.len();
        if self.record_bytes > RECORD_BYTES_MAX {
            self.given_up = true;
        }
        self.kept.extend_from_slice(bytes);
    }

    /// Keeps what the JSON is whole without.
    fn keep_text(&mut self, bytes: &[u8]) {
        if self.given_up {
            self.is_cut = true;
        } else {
            self.keep(bytes);
        }
    }

    fn inside(&mut self, byte: u8, begins: bool) {
        self.string_bytes += 1;
        // A character is never cut: the beginning ends where one begins.
        if self.tail.is_empty() && !self.is_string_cut && (self.string_bytes <= KEPT_BYTES || !begins) {
            self.keep_text(&[byte]);
            return;
        }
        self.tail.push_back((byte, begins));
        if self.tail.len() > KEPT_BYTES {
            self.leave_out();
        }
    }

    /// Leaves out the first byte of the end.
    fn leave_out(&mut self) {
        let Some((byte, begins)) = self.tail.pop_front() else { return };
        self.is_string_cut = true;
        // The second half of a pair of escapes is the same character as the first.
        let next = |at: usize| self.tail.get(at).map_or(0, |(byte, _)| byte.to_ascii_lowercase());
        let is_half = byte == b'\\' && next(0) == b'u' && next(1) == b'd' && matches!(next(2), b'c'..=b'f');
        self.left_out += u64::from(begins && !is_half);
    }

    fn end_string(&mut self) {
        if std::mem::take(&mut self.is_string_cut) {
            self.is_cut = true;
            while self.tail.front().is_some_and(|(_, begins)| !begins) {
                self.leave_out();
            }
            self.is_string_cut = false;
            let mark = crate::shortened::mark(self.left_out);
            self.keep_text(mark.as_bytes());
        }
        let tail: Vec<u8> = self.tail.drain(..).map(|(byte, _)| byte).collect();
        self.keep_text(&tail);
        self.left_out = 0;
    }

    /// The line, as far as it was kept; none if even that is too much. And how long it was.
    pub fn finish(mut self) -> (Option<Vec<u8>>, u64) {
        if self.place != Place::Outside {
            self.end_string();
        }
        ((!self.given_up).then_some(self.kept), self.total)
    }
}

/// What is left of a record that has more values than memory is worth; nothing if it is to be taken as it is.
pub(super) fn thinned(record: &[u8]) -> Option<(Option<Vec<u8>>, u64)> {
    // Commas in texts count too: then nothing is left out.
    let is_crowded = record.len() > CROWDED_FROM_BYTES
        && memchr::memchr_iter(b',', record).count() > usize::try_from(ELEMENTS_MAX).unwrap_or(usize::MAX);
    if !is_crowded {
        return None;
    }
    let mut shrinker = Shrinker::default();
    shrinker.push(record);
    (shrinker.is_cut || shrinker.given_up).then(|| shrinker.finish())
}

/// Reads one JSON document of any length; long strings lose their middle. None if it stays too long even so.
pub fn read_shrunk(input: &mut dyn Read) -> io::Result<Option<String>> {
    let mut plain = Vec::new();
    input.take(u64::try_from(PLAIN_BYTES_MAX).unwrap_or(u64::MAX)).read_to_end(&mut plain)?;
    let document = if plain.len() < PLAIN_BYTES_MAX {
        thinned(&plain).map_or(Some(plain), |(thinned, _)| thinned)
    } else {
        let mut shrinker = Shrinker::default();
        shrinker.push(&std::mem::take(&mut plain));
        let mut buffer = vec![0; 64 << 10];
        while let Some(part) = next_part(input, &mut buffer)? {
            shrinker.push(part);
        }
        shrinker.finish().0
    };
    Ok(document.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// What comes next; nothing at the end.
fn next_part<'a>(input: &mut dyn Read, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return Ok(buffer.get(..read?).filter(|part| !part.is_empty())),
        }
    }
}

/// A document that is many records, each of them made small while it is read.
pub(super) struct ShrinkingReader<R> {
    input: R,
    shrinker: Shrinker,
    buffer: Vec<u8>,
    given: usize,
}

impl<R: Read> ShrinkingReader<R> {
    /// `records_depth` says how many lists and objects there are around a record.
    pub fn new(input: R, records_depth: usize) -> ShrinkingReader<R> {
        ShrinkingReader { input, shrinker: Shrinker::new(records_depth, true), buffer: vec![0; 64 << 10], given: 0 }
    }

    /// Whether something was left out.
    pub fn has_cut(&self) -> bool {
        self.shrinker.is_cut
    }
}

impl<R: Read> Read for ShrinkingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.shrinker.kept.len() {
            self.shrinker.kept.clear();
            self.given = 0;
            let Some(part) = next_part(&mut self.input, &mut self.buffer)? else { return Ok(0) };
            self.shrinker.push(part);
        }
        let mut ready = self.shrinker.kept.get(self.given..).unwrap_or_default();
        let read = ready.read(into)?;
        self.given += read;
        Ok(read)
    }
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
        let (head, rest) = text.split_once('\u{2063}').unwrap();
        let (mark, tail) = rest.split_once('\u{2063}').unwrap();
        assert!(head.starts_with("é\né") && tail.ends_with("éx"));
        let left_out: usize = mark.trim_start_matches("…[").split(' ').next().unwrap().parse().unwrap();
        assert_eq!(head.chars().count() + left_out + tail.chars().count(), 4_000_000);
        let pairs = format!(r#"{{"a":"{}"}}"#, r"\ud83d\ude00".repeat(1_000_000));
        let (kept, _) = shrink(pairs.as_bytes(), 4096);
        let kept = String::from_utf8(kept.unwrap()).unwrap();
        let left_out: usize = kept.split("…[").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((left_out * 12).abs_diff(12_000_000 - 4 * 1024 * 1024) <= 24, "{left_out}");
    }

    #[test]
    fn a_line_that_stays_too_long_is_given_up_and_measured() {
        let line = "1".repeat(40 << 20);
        assert_eq!(shrink(line.as_bytes(), 1 << 20), (None, u64::try_from(line.len()).unwrap()));
    }

    #[test]
    fn a_long_list_loses_its_end_and_what_stands_around_it_is_kept() {
        let line = format!(r#"{{"a":[[{}1],{{"b":[{}"x"]}}],"c":"end"}}"#, "1,".repeat(500_000), "[],".repeat(500_000));
        let (kept, _) = thinned(line.as_bytes()).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&kept.unwrap()).unwrap();
        let lengths = [&value["a"][0], &value["a"][1]["b"]].map(|list| list.as_array().unwrap().len());
        assert_eq!(lengths, [10_001, 10_001]);
        assert_eq!(value["a"][0][10_000], "…[490001 of 500001 elements left out]…");
        assert_eq!(value["c"], "end");
        let fields: String = (0..500_000).map(|n| format!("\"f{n}\":1,")).collect();
        let (kept, _) = thinned(format!(r#"{{"a":{{{fields}"last":1}},"c":"end"}}"#).as_bytes()).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&kept.unwrap()).unwrap();
        assert_eq!((&value["a"]["…"], &value["c"]), (&"…[490001 of 500001 fields left out]…".into(), &"end".into()));
        assert!(thinned(serde_json::json!({"text": "a,".repeat(500_000)}).to_string().as_bytes()).is_none());
    }

    #[test]
    fn lists_of_lists_are_no_way_around_the_limit() {
        let inner = format!("[{}1]", "1,".repeat(999));
        let line = format!(r#"{{"a":[{}1],"c":"end"}}"#, format!("{inner},").repeat(1000));
        let (kept, _) = thinned(line.as_bytes()).unwrap();
        let kept = kept.unwrap();
        assert!(kept.len() < 400_000, "{}", kept.len());
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&kept).unwrap()["c"], "end");
    }

    #[test]
    fn each_record_of_a_document_is_shrunk_by_itself() {
        let long = "x".repeat(6 << 20);
        let crowded = "1,".repeat(200_000);
        let record = format!(r#"{{"long":"{long}","crowded":[{crowded}1],"end":1}}"#);
        let document = format!(r#"{{"first":1,"messages":[{record},{record},{record}],"last":1}}"#);
        let mut reader = ShrinkingReader::new(document.as_bytes(), 2);
        let value: serde_json::Value = serde_json::from_reader(&mut reader).unwrap();
        assert!(reader.has_cut());
        assert_eq!((&value["first"], &value["last"]), (&1.into(), &1.into()));
        let messages = value["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 3);
        for message in messages {
            assert!(message["long"].as_str().unwrap().len() < 5 << 20);
            assert_eq!(message["crowded"].as_array().unwrap().len(), 10_001);
            assert_eq!(message["end"], 1);
        }
    }

    #[test]
    fn a_document_of_ordinary_records_comes_out_as_it_went_in() {
        let document = format!("[{}1]", r#"{"a":["\u00e9\\",{}]},"#.repeat(300_000));
        let mut reader = ShrinkingReader::new(document.as_bytes(), 1);
        let mut out = String::new();
        reader.read_to_string(&mut out).unwrap();
        assert!(out == document && !reader.has_cut());
    }

    proptest! {
        #[test]
        fn a_line_of_ordinary_length_comes_out_as_it_went_in(text in "\\PC{0,200}", piece in 1usize..40) {
            let line = serde_json::json!({"k": text, "l": ["\u{1}\u{20ac}\\u", text]}).to_string();
            prop_assert_eq!(shrink(line.as_bytes(), piece).0.unwrap(), line.as_bytes());
        }
    }
}
