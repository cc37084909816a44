//! One JSON object of a segment, read leniently: a field of the wrong type costs the field, not the event.

use memoir_event::without_lone_surrogates;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The fields that mean something to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
pub enum Field {
    EventId,
    Source,
    RepoId,
    ActorId,
    SessionId,
    ThreadId,
    Ts,
    EventType,
    Payload,
    ReasoningAvailability,
    Kind,
    Client,
    CaptureSource,
    TurnId,
    TopicId,
    ActionId,
    Speaker,
    Visibility,
    SecrecyLevel,
    Metadata,
    Meta,
    Sequence,
    JournalSequence,
    #[serde(other)]
    Other,
}

const FIELDS: usize = Field::Other as usize;

/// An object's fields in their own spelling. Of a field that is given twice the last one counts, as in JavaScript.
#[derive(Debug)]
pub struct Record<'a> {
    values: [Option<&'a RawValue>; FIELDS],
    bytes: usize,
}

impl<'a> Record<'a> {
    /// Reads `object` if it is one JSON object and nothing else.
    pub fn parse(object: &'a str) -> Option<Record<'a>> {
        let record: Record<'a> = serde_json::from_str(object).ok()?;
        Some(Record { bytes: object.len(), ..record })
    }

    /// The field's JSON, if it is there and not null.
    pub fn json(&self, field: Field) -> Option<&'a RawValue> {
        self.values.get(field as usize).copied().flatten().filter(|value| value.get() != "null")
    }

    /// The field as text; what is not a string is taken as it is written.
    pub fn text(&self, field: Field) -> Option<Cow<'a, str>> {
        let json = self.json(field)?.get();
        let Some(inner) = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Some(Cow::Borrowed(json));
        };
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        let lenient = || serde_json::from_str(&without_lone_surrogates(json));
        serde_json::from_str(json).or_else(|_| lenient()).ok().map(Cow::Owned)
    }

    /// The field as a name: a string or a number.
    pub fn name(&self, field: Field) -> Option<Cow<'a, str>> {
        let is_name = |first: &u8| matches!(first, b'"' | b'-' | b'0'..=b'9');
        self.json(field).filter(|json| json.get().as_bytes().first().is_some_and(is_name))?;
        self.text(field)
    }

    /// The event id without blanks around it, unless there is nothing else.
    pub fn event_id(&self) -> Option<Cow<'a, str>> {
        let id = match self.name(Field::EventId)? {
            Cow::Borrowed(id) => Cow::Borrowed(id.trim()),
            Cow::Owned(id) => Cow::Owned(id.trim().to_owned()),
        };
        Some(id).filter(|id| !id.is_empty())
    }

    /// The session, which may be called nothing.
    pub fn session_id(&self) -> Option<Cow<'a, str>> {
        self.name(Field::SessionId)
    }

    /// How much the record says: a later capture of the same event counts only if it says more.
    pub fn weight(&self) -> u32 {
        weight(self.bytes, self.json(Field::JournalSequence).map_or(0, |number| number.get().len()))
    }

    /// The size of the payload.
    pub fn payload_bytes(&self) -> u32 {
        self.json(Field::Payload).map_or(0, |payload| u32::try_from(payload.get().len()).unwrap_or(u32::MAX))
    }
}

/// The size of a record without its number in the journal, whose length says nothing about the event: a journal that
/// was built anew numbers it differently.
pub fn weight(record_bytes: usize, sequence_bytes: usize) -> u32 {
    u32::try_from(record_bytes.saturating_sub(sequence_bytes)).unwrap_or(u32::MAX)
}

impl<'de> Deserialize<'de> for Record<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Record<'de>, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Record<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
        let mut values = [None; FIELDS];
        while let Some(field) = map.next_key::<Field>()? {
            match values.get_mut(field as usize) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(Record { values, bytes: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_whatever_their_type() {
        let text = r#"{"eventId":7,"sessionId":"a\nb","x":{"eventId":1},"ts":null,"source":["s"],"actorId":"\ud800!"}"#;
        let record = Record::parse(text).unwrap();
        assert_eq!(record.event_id().unwrap(), "7");
        assert_eq!(record.text(Field::SessionId).unwrap(), "a\nb");
        assert_eq!(record.text(Field::Ts), None);
        assert_eq!(record.text(Field::Source).unwrap(), r#"["s"]"#);
        assert_eq!(record.name(Field::Source), None);
        assert_eq!(record.text(Field::ActorId).unwrap(), "\u{fffd}!");
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        assert_eq!(Record::parse(r#"{"eventId":"a","eventId":"b"}"#).unwrap().event_id().unwrap(), "b");
    }

    #[test]
    fn a_longer_number_in_the_journal_says_no_more() {
        let weigh = |text: &str| Record::parse(text).unwrap().weight();
        assert_eq!(weigh(r#"{"eventId":"a","journalSequence":9}"#), weigh(r#"{"eventId":"a","journalSequence":1000}"#));
        assert!(weigh(r#"{"eventId":"a","payload":{}}"#) < weigh(r#"{"eventId":"a","payload":{"a":1}}"#));
    }

    #[test]
    fn what_is_not_one_object_is_no_record() {
        for text in ["", "1", "[]", "{}{}", "{", r#"{"a":}"#] {
            assert!(Record::parse(text).is_none(), "{text}");
        }
    }
}
