//! `event_id`, the name of an event to the outside, and the UUID form that the raw journal's clients expect.

use crate::source::Source;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

const ID_BYTES: usize = 12;

/// 24 hexadecimal characters: the start of SHA-256 over what names an event in its stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId([u8; ID_BYTES]);

/// A text that is not an event id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an event id: expected 24 hexadecimal characters")]
pub struct IdError(pub String);

impl EventId {
    /// Derives the id; a missing time is the empty string, a missing thread the word `no-thread`.
    pub fn derive(source: Source, thread: Option<&str>, sequence: u64, event_type: &str, ts: &str) -> EventId {
        let mut digits = [0u8; 20];
        let mut hash = Sha256::new();
        hash.update(source.as_str());
        hash.update(b"|");
        hash.update(thread.unwrap_or("no-thread"));
        hash.update(b"|");
        hash.update(decimal(sequence, &mut digits));
        hash.update(b"|");
        hash.update(event_type);
        hash.update(b"|");
        hash.update(ts);
        let digest = hash.finalize();
        let mut id = [0u8; ID_BYTES];
        for (to, from) in id.iter_mut().zip(digest.iter()) {
            *to = *from;
        }
        EventId(id)
    }

    /// The id as bytes.
    pub const fn as_bytes(&self) -> &[u8; ID_BYTES] {
        &self.0
    }

    /// The id from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<EventId> {
        bytes.try_into().ok().map(EventId)
    }

    /// The first eight bytes as a number: enough to find the event by.
    pub fn prefix(&self) -> u64 {
        self.0.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte))
    }

    /// Reads 24 hexadecimal characters, in either case.
    pub fn parse(text: &str) -> Result<EventId, IdError> {
        let mut id = [0u8; ID_BYTES];
        decode_hex(text, &mut id).ok_or_else(|| IdError(text.to_owned()))?;
        Ok(EventId(id))
    }
}

fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        start -= 1;
        if number == 0 {
            break;
        }
    }
    digits.get(start..).unwrap_or_default()
}

pub(crate) fn decode_hex(text: &str, out: &mut [u8]) -> Option<()> {
    let bytes = text.as_bytes();
    if bytes.len() != out.len() * 2 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|n| u8::try_from(n).ok());
    for (slot, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        *slot = digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?;
    }
    Some(())
}

pub(crate) fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({self})")
    }
}

impl Serialize for EventId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<EventId, D::Error> {
        let text = String::deserialize(deserializer)?;
        EventId::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The UUIDv7 under which clients of the raw journal know an event.
///
/// It is computed, not stored: the time of storage, then the first 74 bits of the event id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordUuid([u8; 16]);

impl RecordUuid {
    /// The UUID of an event stored at `at_ms`.
    pub fn new(at_ms: i64, id: &EventId) -> RecordUuid {
        let time = u128::from(at_ms.max(0).unsigned_abs()) & 0xffff_ffff_ffff;
        let name = id.0.iter().fold(0u128, |n, byte| n << 8 | u128::from(*byte)) >> 22;
        let high = name >> 62;
        let low = name & ((1 << 62) - 1);
        RecordUuid((time << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low).to_be_bytes())
    }

    /// Reads the hyphenated form.
    pub fn parse(text: &str) -> Option<RecordUuid> {
        let hyphens_right =
            text.len() == 36 && [8, 13, 18, 23].iter().all(|&at| text.as_bytes().get(at) == Some(&b'-'));
        let plain = text.replace('-', "");
        let mut bytes = [0u8; 16];
        (hyphens_right && plain.len() == 32).then_some(())?;
        decode_hex(&plain, &mut bytes)?;
        Some(RecordUuid(bytes))
    }

    /// The first eight bytes of the event id inside, as [`EventId::prefix`] gives them.
    pub fn id_prefix(self) -> u64 {
        let number = u128::from_be_bytes(self.0);
        let name = (number >> 64 & 0xfff) << 62 | number & ((1 << 62) - 1);
        u64::try_from(name >> 10 & u128::from(u64::MAX)).unwrap_or(0)
    }
}

impl fmt::Display for RecordUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (range, dash) in [(0..4, "-"), (4..6, "-"), (6..8, "-"), (8..10, "-"), (10..16, "")] {
            write_hex(self.0.get(range).unwrap_or_default(), f)?;
            f.write_str(dash)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(source: Source, thread: Option<&str>, sequence: u64, event_type: &str, ts: &str) -> String {
        EventId::derive(source, thread, sequence, event_type, ts).to_string()
    }

    #[test]
    fn event_ids_are_byte_exact() {
        use Source::{ClaudeCodeHistory, CodexExec, CodexHistory, CodexSdk, GeminiCliHistory};
        let at = "2024-03-01T10:00:00.000Z";
        assert_eq!(id(CodexSdk, None, 1, "prompt.submitted", at), "a2f0f8e7aa90f2f729efebd4");
        assert_eq!(id(CodexSdk, Some("thread_1"), 2, "thread.started", at), "dc6c2485c543a4da820b6c58");
        let codex = Some("019cafe0-0000-7000-8000-000000000001");
        assert_eq!(id(CodexExec, codex, 1, "thread.started", "2026-03-01T10:00:00.000Z"), "7f75c9c9bd94d41ce706c1b5");
        let claude = Some("11111111-2222-4333-8444-555555555555");
        assert_eq!(
            id(ClaudeCodeHistory, claude, 2, "prompt.submitted", "2026-03-02T09:00:01.000Z"),
            "3e8bd207a56dedfa2b47a989"
        );
        let gemini = Some("aaaabbbb-0000-4000-8000-000000000001");
        assert_eq!(
            id(GeminiCliHistory, gemini, 4, "item.completed", "2026-03-03T08:00:05.000Z"),
            "968c915515200991926fca4d"
        );
        assert_eq!(
            id(CodexHistory, Some(""), 1, "prompt.submitted", "2024-03-01T10:00:00Z"),
            "4b19799cdad3f9d34bc17095"
        );
        assert_eq!(id(CodexExec, Some("tëst|x"), 10, "item.completed", at), "d7c9fa2797302f77ec443fa7");
    }

    proptest! {
        #[test]
        fn an_id_survives_its_text(bytes in proptest::array::uniform12(any::<u8>())) {
            let id = EventId(bytes);
            prop_assert_eq!(EventId::parse(&id.to_string()).unwrap(), id);
            prop_assert_eq!(EventId::parse(&id.to_string().to_uppercase()).unwrap(), id);
        }

        #[test]
        fn a_record_uuid_leads_back_to_its_event(bytes in proptest::array::uniform12(any::<u8>()), at_ms in 0i64..1 << 47) {
            let id = EventId(bytes);
            let uuid = RecordUuid::new(at_ms, &id);
            let text = uuid.to_string();
            prop_assert_eq!(text.as_bytes()[14], b'7');
            prop_assert_eq!(RecordUuid::parse(&text), Some(uuid));
            prop_assert_eq!(uuid.id_prefix(), id.prefix());
        }

        #[test]
        fn any_text_is_an_id_or_an_error(text in ".*") {
            let _ = EventId::parse(&text);
            let _ = RecordUuid::parse(&text);
        }

        #[test]
        fn sequences_are_written_in_decimal(number in any::<u64>()) {
            let mut digits = [0u8; 20];
            prop_assert_eq!(decimal(number, &mut digits).to_vec(), number.to_string().into_bytes());
        }
    }
}
