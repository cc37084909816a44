//! Finds the events in the bytes of a segment, whatever else is in there.

use crate::lines::{End, Lines};
use crate::problems::{ProblemKind, Problems};
use crate::record::Record;
use memoir_event::without_lone_surrogates;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::{self, BufReader, Read};

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
    let text = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    let mut sifted = Sifted { not_utf8: matches!(text, Cow::Owned(_)), ..Sifted::default() };
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return sifted;
    }
    if let Some(record) = Record::parse(text) {
        each(&record);
        return Sifted { objects: 1, ..sifted };
    }
    let (pieces, broken) = salvage(text);
    sifted.broken = broken;
    for piece in pieces {
        // A name that no Rust string can hold must not cost the event.
        let mended = without_lone_surrogates(piece);
        match Record::parse(piece).or_else(|| Record::parse(&mended)) {
            Some(record) => {
                sifted.objects += 1;
                each(&record);
            }
            None => sifted.broken = true,
        }
    }
    sifted
}

/// The whole objects in a line that is not just one, and whether there is anything else.
///
/// After something broken, an object may be a part of what broke: it counts only if the line is whole from it on.
fn salvage(text: &str) -> (Vec<&str>, bool) {
    let mut pieces = Vec::new();
    let mut sure = 0;
    let mut broken = false;
    let mut rest = text;
    let mut starts = 0;
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        if let Some(Ok(value)) = values.next() {
            if value.get().starts_with('{') {
                pieces.push(value.get());
            } else {
                broken = true;
            }
            rest = rest.get(values.byte_offset()..).unwrap_or_default().trim_start();
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
