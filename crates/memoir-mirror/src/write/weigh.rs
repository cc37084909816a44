//! Ids and weights of a segment that is as it was committed: its lines need no JSON parser.
//!
//! A session may have a hundred megabytes, and each event that is added to it needs its segment read once a run.

use crate::ids::IdKey;
use crate::lines::{End, Lines};
use crate::record;
use crate::scan::sift;
use memoir_event::EventId;
use std::io::{self, BufReader, Read};

/// Hands out the id and the weight of every event. Good for bytes that a checksum vouches for: a line that looks like
/// one of ours is taken for one. Gives how the last line ended, for nothing may be appended to half a line.
pub fn weigh(reader: impl Read, line_bytes_max: usize, each: &mut dyn FnMut(IdKey, u32)) -> io::Result<End> {
    let mut end = End::Newline;
    let mut lines = Lines::new(BufReader::with_capacity(256 << 10, reader), line_bytes_max);
    while let Some(line) = lines.read_line()? {
        end = line.end;
        let Some(bytes) = line.bytes else { continue };
        if let Some((key, weight)) = weigh_ours(bytes) {
            each(key, weight);
            continue;
        }
        sift(bytes, &mut |record| {
            let event = record.event_id().filter(|_| record.session_id().is_some());
            if let Some(key) = event.and_then(|id| IdKey::of(&id)) {
                each(key, record.weight());
            }
        });
    }
    Ok(end)
}

/// The id stands first in our lines, and the number in the journal last but one.
pub fn weigh_ours(line: &[u8]) -> Option<(IdKey, u32)> {
    let (id, rest) = line.strip_prefix(br#"{"eventId":""#)?.split_at_checked(24)?;
    let id = EventId::parse(std::str::from_utf8(id).ok()?).ok()?;
    let (_, rest) = without_digits(rest.strip_prefix(b"\",")?.strip_suffix(b"}")?)?;
    let (digits, rest) = without_digits(rest.strip_suffix(br#","sequence":"#)?)?;
    rest.strip_suffix(br#","journalSequence":"#)?;
    Some((IdKey::from(id), record::weight(line.len(), digits)))
}

/// How many digits `bytes` ends with, at least one, and what is before them.
fn without_digits(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let rest = bytes.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let digits = bytes.len() - rest;
    if digits == 0 { None } else { Some((digits, bytes.get(..rest)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn our_lines_weigh_the_same_with_and_without_a_parser() {
        for (number, sequence) in [(0u64, 0u64), (7, 12), (u64::MAX, u64::MAX)] {
            let line = format!(
                r#"{{"eventId":"a2f0f8e7aa90f2f729efebd4","sessionId":"s","payload":{{"a":"}}"}},"journalSequence":{number},"sequence":{sequence}}}"#
            );
            let parsed = Record::parse(&line).unwrap();
            assert_eq!(
                weigh_ours(line.as_bytes()),
                IdKey::of("a2f0f8e7aa90f2f729efebd4").map(|key| (key, parsed.weight()))
            );
        }
    }

    #[test]
    fn lines_of_others_are_left_to_the_parser() {
        for line in [
            "",
            "{",
            r#"{"eventId":"a2f0f8e7aa90f2f729efebd4"}"#,
            r#"{"eventId":"a2f0f8e7aa90f2f729efebd4","journalSequence":,"sequence":1}"#,
            r#"{"eventId":"evt-1","journalSequence":1,"sequence":1}"#,
            r#"{ "eventId":"a2f0f8e7aa90f2f729efebd4","journalSequence":1,"sequence":1}"#,
        ] {
            assert_eq!(weigh_ours(line.as_bytes()), None, "{line}");
        }
    }
}
