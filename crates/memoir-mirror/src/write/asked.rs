//! Which events are to be removed, and which parts of a segment they are.
//!
//! A capture goes that has an asked id, in a line of its own or among others. So does what is left of one in a line that
//! is broken: from its id to the next event in that line, or to its end. Every other byte stays.

use super::cuts::Cuts;
use super::weigh::weigh_ours;
use crate::digest::{Hashing, checksum};
use crate::event::id_of_another_make;
use crate::ids::IdKey;
use crate::lines::{End, Lines};
use crate::record::{Field, Record};
use crate::scan::sift_at;
use crate::span::Span;
use memchr::memmem;
use memoir_event::{EventId, Source};
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::io::{self, BufReader, Read};
use std::ops::Range;

const READ_BYTES: usize = 256 << 10;
/// How a capture begins.
const BEGINNING: &[u8] = br#"{"eventId""#;

/// The ids that were asked for.
#[derive(Clone, Copy)]
pub struct Asked<'a>(&'a HashSet<EventId>);

/// What removing costs one segment.
pub struct Plan {
    /// What goes.
    pub cuts: Cuts,
    /// The size of the file.
    pub bytes: u64,
    /// The checksum of the file as it is.
    pub checksum: String,
    /// The asked ids that were found.
    pub ids: HashSet<EventId>,
    /// The events that go.
    pub events: HashSet<IdKey>,
    /// From when to when the events are that stay.
    pub span: Span,
}

impl<'a> Asked<'a> {
    pub const fn new(ids: &'a HashSet<EventId>) -> Asked<'a> {
        Asked(ids)
    }

    /// The asked id that an id in a mirror means. One of another make has the id that a journal gives it; the source is
    /// not looked at, so that all captures of an event go together.
    pub fn meaning(self, id: &str) -> Option<EventId> {
        let is_asked = |id: &EventId| self.0.contains(id);
        match EventId::parse(id) {
            Ok(id) => Some(id).filter(is_asked),
            Err(_) => Source::ALL.iter().map(|source| id_of_another_make(*source, id)).find(is_asked),
        }
    }

    /// Whether a segment has any of it. Reads no further than needed.
    pub fn are_in(self, reader: impl Read, line_bytes_max: usize) -> io::Result<bool> {
        let another = memmem::Finder::new(br#""eventId""#);
        let mut lines = Lines::new(BufReader::with_capacity(READ_BYTES, reader), line_bytes_max);
        while let Some(line) = lines.read_line()? {
            let Some(bytes) = line.bytes else { continue };
            // Most lines are ours, and one event each, which shows without a parser.
            let ours = weigh_ours(bytes).filter(|_| another.find(bytes.get(2..).unwrap_or_default()).is_none());
            let found = match ours {
                Some((key, _)) => self.0.contains(&key.id()),
                None => !self.parts_of(bytes, &mut |_, _| {}).is_empty(),
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds out what goes from a segment, and what that leaves.
    pub fn plan(self, reader: impl Read, line_bytes_max: usize) -> io::Result<Plan> {
        let (mut cuts, mut ids, mut events, mut span) =
            (Cuts::default(), HashSet::new(), HashSet::new(), Span::default());
        let mut hashing = Hashing::new(reader);
        let mut lines = Lines::new(BufReader::with_capacity(READ_BYTES, &mut hashing), line_bytes_max);
        while let Some(line) = lines.read_line()? {
            let Some(bytes) = line.bytes else { continue };
            let parts = self.parts_of(bytes, &mut |record, meaning| {
                let event = record.event_id().filter(|_| record.session_id().is_some());
                let key = event.and_then(|id| IdKey::of(&id));
                match (meaning, key) {
                    (Some(_), key) => events.extend(key),
                    (None, Some(_)) => span.take_in(&record.text(Field::Ts).unwrap_or_default()),
                    (None, None) => {}
                }
            });
            let newline = usize::from(line.end == End::Newline);
            let blank = is_blank_without(bytes, &parts);
            for (part, id) in parts {
                ids.insert(id);
                if !blank {
                    cuts.add(within(line.offset, part));
                }
            }
            if blank {
                cuts.add(within(line.offset, 0..bytes.len() + newline));
            }
        }
        let bytes = lines.offset();
        Ok(Plan { cuts, bytes, checksum: checksum(&hashing.finish()), ids, events, span })
    }

    /// The parts of a line that go, in order. `each` is told of every event, and which asked id it has.
    fn parts_of(self, line: &[u8], each: &mut dyn FnMut(&Record<'_>, Option<EventId>)) -> Vec<(Range<usize>, EventId)> {
        let mut parts = Vec::new();
        let mut between = Vec::new();
        let mut end = 0;
        let sifted = sift_at(line, &mut |record, at| {
            between.push(end..at.start);
            end = at.end;
            let meaning = record.event_id().and_then(|id| self.meaning(&id));
            parts.extend(meaning.map(|id| (at, id)));
            each(record, meaning);
        });
        if sifted.broken {
            between.push(end..line.len());
            for at in between {
                let broken = line.get(at.clone()).unwrap_or_default();
                let remains = self.remains_in(broken).into_iter();
                parts.extend(remains.map(|(part, id)| (at.start + part.start..at.start + part.end, id)));
            }
            parts.sort_unstable_by_key(|(part, _)| part.start);
        }
        parts
    }

    /// What is left of captures where nobody can read an event. A torn one may have anything inside, so that all goes
    /// which follows it.
    fn remains_in(self, broken: &[u8]) -> Vec<(Range<usize>, EventId)> {
        let mut remains: Vec<(Range<usize>, EventId)> = Vec::new();
        for start in memmem::find_iter(broken, BEGINNING) {
            if remains.last().is_some_and(|(part, _)| start < part.end) {
                continue;
            }
            let capture = broken.get(start..).unwrap_or_default();
            if let Some(id) = id_of(capture).and_then(|id| self.meaning(id.trim())) {
                let end = object_len(capture).map_or(broken.len(), |len| start + len);
                remains.push((start..end, id));
            }
        }
        remains
    }
}

fn within(offset: u64, part: Range<usize>) -> Range<u64> {
    let at = |at: usize| offset + u64::try_from(at).unwrap_or(0);
    at(part.start)..at(part.end)
}

/// Whether nothing would be left of a line. One that was blank before stays as it is.
fn is_blank_without(line: &[u8], parts: &[(Range<usize>, EventId)]) -> bool {
    let is_blank = |left: Range<usize>| line.get(left).unwrap_or_default().trim_ascii().is_empty();
    let mut from = 0;
    for (part, _) in parts {
        if !is_blank(from..part.start) {
            return false;
        }
        from = part.end;
    }
    from > 0 && is_blank(from..line.len())
}

/// The id of a capture, which may be torn behind it.
fn id_of(capture: &[u8]) -> Option<String> {
    let rest = capture.strip_prefix(BEGINNING)?.trim_ascii_start().strip_prefix(b":")?;
    serde_json::Deserializer::from_slice(rest).into_iter::<String>().next()?.ok()
}

/// How long the object is that stands here, if it is whole.
fn object_len(bytes: &[u8]) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbb";

    /// What is left of a line when `A` is removed; both ways of looking agree on whether anything goes.
    fn left(line: &[u8]) -> Vec<u8> {
        let ids = HashSet::from([EventId::parse(A).unwrap()]);
        let plan = Asked::new(&ids).plan(line, 10_000).unwrap();
        assert_eq!(plan.bytes, u64::try_from(line.len()).unwrap());
        assert_eq!(Asked::new(&ids).are_in(line, 10_000).unwrap(), !plan.cuts.is_empty());
        assert_eq!(plan.ids.is_empty(), plan.cuts.is_empty());
        let dir = tempfile::tempdir().unwrap();
        let (path, tmp) = (dir.path().join("x"), dir.path().join("y"));
        std::fs::write(&path, line).unwrap();
        super::super::cuts::replace_without(&path, plan.bytes, &plan.cuts, &tmp).unwrap();
        std::fs::read(path).unwrap()
    }

    fn left_of(line: &str) -> String {
        String::from_utf8(left(line.as_bytes())).unwrap()
    }

    fn capture(id: &str) -> String {
        format!(r#"{{"eventId":"{id}","sessionId":"s","ts":"2026-01-01T00:00:00Z","payload":{{"text":"of {id}"}}}}"#)
    }

    #[test]
    fn a_line_goes_with_its_newline_and_blanks() {
        let (a, b) = (capture(A), capture(B));
        assert_eq!(left_of(&format!("{b}\n{a}\n\n{b}\n")), format!("{b}\n\n{b}\n"));
        assert_eq!(left_of(&format!("\u{feff} {a} \r\n")), "");
        assert_eq!(left_of(&format!("{b}\n{a}")), format!("{b}\n"));
        assert_eq!(left_of(&a.to_uppercase().replace("EVENTID", "eventId")), "");
        assert_eq!(left_of(&format!("{{\"eventId\":\" {A} \"}}\n")), "", "one without a session too");
    }

    #[test]
    fn a_line_of_ours_goes_by_its_own_id_only() {
        let ours = |id: &str, rest: &str| {
            format!("{{\"eventId\":\"{id}\",\"sessionId\":\"s\",{rest}\"journalSequence\":1,\"sequence\":2}}\n")
        };
        assert_eq!(left_of(&(ours(A, "") + &ours(B, ""))), ours(B, ""));
        let quoting = ours(B, &format!("\"payload\":{{\"eventId\":\"{A}\"}},"));
        assert_eq!(left_of(&quoting), quoting, "an event may tell of another");
        let twice = ours(B, &format!("\"eventId\":\"{A}\","));
        assert_eq!(left_of(&twice), "", "the last of equal names counts");
    }

    #[test]
    fn of_glued_events_the_others_stay() {
        let (a, b) = (capture(A), capture(B));
        assert_eq!(left_of(&format!("{a}{b}\n")), format!("{b}\n"));
        assert_eq!(left_of(&format!("{b} {a}{b}{a}\n")), format!("{b} {b}\n"));
        assert_eq!(left_of(&format!("{a} {a}\n{b}\n")), format!("{b}\n"));
        let odd = [b"\xff\xfe".as_slice(), a.as_bytes(), b"\xc3", b.as_bytes(), b"\n"].concat();
        assert_eq!(left(&odd), [b"\xff\xfe\xc3".as_slice(), b.as_bytes(), b"\n"].concat());
    }

    #[test]
    fn what_is_left_of_a_torn_capture_goes_too() {
        let (a, b) = (capture(A), capture(B));
        let (torn_a, torn_b) = (&a[..a.len() - 5], &b[..b.len() - 5]);
        assert_eq!(left_of(&format!("{torn_a}\n{b}\n")), format!("{b}\n"));
        assert_eq!(left_of(&format!("{torn_a}{b}\n")), format!("{b}\n"));
        assert_eq!(left_of(&format!("{torn_b}{a}\n")), format!("{torn_b}\n"));
        assert_eq!(left_of(&format!("{torn_b}{torn_a}\n")), format!("{torn_b}\n"));
        let nested = format!(r#"{{"eventId" : "{A}","payload":{{"x":{b},"y":"of a"#);
        assert_eq!(left_of(&nested), "", "what is in a torn capture is a part of it");
    }

    #[test]
    fn a_whole_capture_between_broken_bytes_goes_alone() {
        let (a, b) = (capture(A), capture(B));
        assert_eq!(left_of(&format!("rub {a}{b} bish\n")), format!("rub {b} bish\n"));
    }

    #[test]
    fn what_nobody_asked_for_stays_byte_for_byte() {
        let torn = format!("{{\"eventId\":\"{}\n", &A[..23]);
        let lines =
            ["rubbish\n", "\n", " \r\n", "[1]\n", &torn, "{\"eventId\":7}\n", &capture(B)[..50], "\n{\"eventId\""];
        assert_eq!(left_of(&lines.concat()), lines.concat());
        assert_eq!(left(b"\xff\n\0\0\n"), b"\xff\n\0\0\n");
        let long = format!("{}{}\n", capture(A), " ".repeat(10_000));
        assert_eq!(left_of(&long), long, "too long to be read");
    }
}
