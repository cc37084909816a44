//! Finds the events in the bytes of a segment, whatever else is in there.

use crate::lines::{End, Lines};
use crate::problems::{ProblemKind, Problems};
use crate::record::Record;
use memoir_event::without_lone_surrogates;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::{self, BufReader, Read};
use std::ops::Range;

/// How often reading starts anew inside a broken line.
const STARTS_MAX: usize = 16;
const READ_BYTES: usize = 256 << 10;

/// An event in a segment.
pub struct Found<'a> {
    /// Its fields.
    pub record: &'a Record<'a>,
    /// Its id.
    pub id: Cow<'a, str>,
    /// Its session.
    pub session: Cow<'a, str>,
    /// Where its line starts.
    pub offset: u64,
}

/// Hands out every event in `reader`, in order, and counts what is not one.
pub fn scan(reader: impl Read, line_bytes_max: usize, each: &mut dyn FnMut(&Found<'_>)) -> io::Result<Problems> {
    let mut problems = Problems::default();
    let mut lines = Lines::new(BufReader::with_capacity(READ_BYTES, reader), line_bytes_max);
    while let Some(line) = lines.read_line()? {
        let Some(bytes) = line.bytes else {
            problems.add(if line.end == End::File { ProblemKind::Torn } else { ProblemKind::TooLong });
            continue;
        };
        let sifted = sift(bytes, &mut |record| match (record.event_id(), record.session_id()) {
            (None, _) => problems.add(ProblemKind::NoEventId),
            (_, None) => problems.add(ProblemKind::NoSessionId),
            (Some(id), Some(session)) => each(&Found { record, id, session, offset: line.offset }),
        });
        if sifted.broken {
            problems.add(if line.end == End::File { ProblemKind::Torn } else { ProblemKind::Unparsable });
        }
        if sifted.objects > 1 {
            problems.add(ProblemKind::Glued);
        }
        if sifted.not_utf8 {
            problems.add(ProblemKind::InvalidUtf8);
        }
    }
    Ok(problems)
}

/// What a line was like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sifted {
    /// How many objects were found.
    pub objects: usize,
    /// Some of it is no object.
    pub broken: bool,
    /// Some of it is no UTF-8.
    pub not_utf8: bool,
}

/// Hands out the objects of a line: one, as it should be, or those that can be told apart in one that went wrong.
pub fn sift(line: &[u8], each: &mut dyn FnMut(&Record<'_>)) -> Sifted {
    sift_at(line, &mut |record, _| each(record))
}

/// The same, with where in the line each object stands. One that is alone has all of its line.
pub fn sift_at(line: &[u8], each: &mut dyn FnMut(&Record<'_>, Range<usize>)) -> Sifted {
    let read = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    let mut sifted = Sifted { not_utf8: matches!(read, Cow::Owned(_)), ..Sifted::default() };
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let text = read.trim_start_matches(is_blank);
    let before = read.len() - text.len();
    let text = text.trim_end_matches(is_blank);
    if text.is_empty() {
        return sifted;
    }
    if let Some(record) = Record::parse(text) {
        each(&record, 0..line.len());
        return Sifted { objects: 1, ..sifted };
    }
    let (pieces, broken) = salvage(text);
    sifted.broken = broken;
    for at in pieces {
        let piece = text.get(at.clone()).unwrap_or_default();
        // A name that no Rust string can hold must not cost the event.
        let mended = without_lone_surrogates(piece);
        match Record::parse(piece).or_else(|| Record::parse(&mended)) {
            Some(record) => {
                sifted.objects += 1;
                each(&record, origin(line, before + at.start)..origin(line, before + at.end));
            }
            None => sifted.broken = true,
        }
    }
    sifted
}

/// Where in a line that stands which is read at `at`: bytes that are no UTF-8 are read as U+FFFD.
fn origin(line: &[u8], at: usize) -> usize {
    let (mut in_line, mut in_text) = (0, 0);
    for chunk in line.utf8_chunks() {
        let valid = chunk.valid().len();
        if at <= in_text + valid {
            return in_line + at - in_text;
        }
        in_line += valid + chunk.invalid().len();
        in_text += valid + char::REPLACEMENT_CHARACTER.len_utf8();
    }
    line.len()
}

/// Where the whole objects are in a line that is not just one, and whether there is anything else.
///
/// After something broken, an object may be a part of what broke: it counts only if the line is whole from it on.
fn salvage(text: &str) -> (Vec<Range<usize>>, bool) {
    let mut pieces = Vec::new();
    let mut sure = 0;
    let mut broken = false;
    let mut rest = text;
    let mut starts = 0;
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        if let Some(Ok(value)) = values.next() {
            let end = text.len() - rest.len() + values.byte_offset();
            if value.get().starts_with('{') {
                pieces.push(end - value.get().len()..end);
            } else {
                broken = true;
            }
            rest = text.get(end..).unwrap_or_default().trim_start();
            if !broken {
                sure = pieces.len();
            }
            continue;
        }
        broken = true;
        pieces.truncate(sure);
        starts += 1;
        let next = rest.as_bytes().get(1..).and_then(|tail| memchr::memmem::find(tail, br#"{"eventId""#));
        rest = match next {
            Some(at) if starts < STARTS_MAX => rest.get(at + 1..).unwrap_or_default(),
            _ => break,
        };
    }
    (pieces, broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(line: &str) -> (Vec<String>, bool) {
        let mut ids = Vec::new();
        let sifted = sift(line.as_bytes(), &mut |record| {
            ids.push(record.event_id().map_or_else(String::new, Cow::into_owned));
        });
        assert_eq!(sifted.objects, ids.len());
        (ids, sifted.broken)
    }

    #[test]
    fn glued_events_are_told_apart() {
        assert_eq!(
            ids(r#"{"eventId":"a"}{"eventId":"b"} {"eventId":"c"}"#),
            (vec!["a".into(), "b".into(), "c".into()], false)
        );
    }

    #[test]
    fn every_object_is_where_it_is_said_to_be() {
        for line in [
            &b"{\"eventId\":\"a\"}{\"eventId\":\"b\"}"[..],
            b"\xef\xbb\xbf \xff{\"eventId\":\"a\"} \xc3\xa9 {\"eventId\":\"b\"}\xfe\xfe\xc3 {\"eventId\":\"c\"}\t",
            b"{\"eventId\":\"\xff\"} {\"eventId\":\"b\xe2\x82\"}{\"eventId\":\"\\ud800\"}",
        ] {
            let mut objects = 0;
            sift_at(line, &mut |record, at| {
                objects += 1;
                let there = String::from_utf8_lossy(&line[at.clone()]).into_owned();
                assert!(there.starts_with('{') && there.ends_with('}'), "{there}");
                assert_eq!(ids(&there).0, [record.event_id().unwrap()]);
            });
            assert!(objects > 0);
        }
        let alone = "\u{feff} {\"eventId\":\"a\"} \r";
        sift_at(alone.as_bytes(), &mut |_, at| assert_eq!(at, 0..alone.len()));
    }

    #[test]
    fn a_whole_event_after_a_torn_one_is_found() {
        assert_eq!(ids(r#"{"eventId":"a","payload":{"te{"eventId":"b"}"#), (vec!["b".into()], true));
        assert_eq!(ids(r#"{"eventId":"a"}{"eventId":"b","pa{"eventId":"c"}"#), (vec!["a".into(), "c".into()], true));
    }

    #[test]
    fn a_part_of_a_torn_event_is_not_taken_for_an_event() {
        assert_eq!(ids(r#"{"eventId":"a","payload":{"x":{"eventId":"b"},"y":1"#), (vec![], true));
    }

    #[test]
    fn a_line_full_of_beginnings_ends() {
        assert_eq!(ids(&r#"{"eventId":["#.repeat(100_000)), (vec![], true));
    }

    #[test]
    fn a_multibyte_character_at_the_start_of_a_broken_line_is_no_trouble() {
        assert_eq!(ids("é{\"eventId\":\"a\"}"), (vec!["a".into()], true));
    }
}
