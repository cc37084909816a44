//! Capture events: the JSON objects that hooks and adapters pipe into the recorder, one to a line.

use crate::access::{Secrecy, Speaker, Visibility};
use crate::content::{Content, Json, unescaped};
use crate::event::{Event, Identity};
use crate::kind::Kind;
use crate::meta::{MetaError, check_meta};
use crate::nearest::nearest;
use crate::source::{Client, Source};
use crate::time::{Time, TimeError};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The longest line that is read as a capture event, surrounding blanks included.
pub const EVENT_BYTES_MAX: usize = 262_144;

const FIELDS: [&str; 13] = [
    "session_id",
    "event_type",
    "content",
    "turn_id",
    "topic_id",
    "action_id",
    "source",
    "speaker",
    "timestamp",
    "visibility",
    "secrecy_level",
    "metadata",
    "meta",
];

/// One observed thing as an adapter reports it.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureEvent {
    /// The session or conversation.
    pub session_id: String,
    /// One of the eight kinds a recorder knows.
    pub event_type: Kind,
    /// What was said or done.
    pub content: Content,
    /// The conversation turn.
    pub turn_id: Option<String>,
    /// The topic.
    pub topic_id: Option<String>,
    /// The tool call or action.
    pub action_id: Option<String>,
    /// The adapter's name.
    pub source: Option<String>,
    /// Who spoke; otherwise inferred.
    pub speaker: Option<Speaker>,
    /// When it was observed.
    pub timestamp: Option<Time>,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy_level: Secrecy,
    /// The caller's metadata.
    pub metadata: Option<Json>,
    /// The caller's MetaMemory.
    pub meta: Option<Json>,
}

/// Why a line is not a capture event.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Not one JSON object.
    #[error("is not a JSON object: {0}")]
    NotJson(String),
    /// A field that no capture event has.
    #[error("has the unknown field `{field}`{}", suggestion(.meant.as_deref()))]
    UnknownField {
        /// The field.
        field: String,
        /// The known field it may have meant.
        meant: Option<String>,
    },
    /// The same field twice.
    #[error("has the field `{0}` twice")]
    Repeated(&'static str),
    /// A required field is not there.
    #[error("lacks the required field `{0}`")]
    Missing(&'static str),
    /// A field that must say something says nothing.
    #[error("has a blank `{0}`")]
    Blank(&'static str),
    /// A field of the wrong type.
    #[error("has a `{field}` that is {found}; expected {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it holds.
        found: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// A value outside the field's vocabulary.
    #[error("has the unknown `{field}` value `{found}`; known are {known}{}", suggestion(.meant.as_deref()))]
    UnknownValue {
        /// The field.
        field: &'static str,
        /// What it holds.
        found: String,
        /// What it may hold.
        known: String,
        /// The known value it may have meant.
        meant: Option<String>,
    },
    /// A time that is none.
    #[error("has a bad `timestamp`")]
    Time(#[from] TimeError),
    /// A MetaMemory that no reader would accept.
    #[error("has a bad `meta`")]
    Meta(#[from] MetaError),
}

fn suggestion(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

impl CaptureEvent {
    /// Reads one line.
    pub fn parse(line: &str) -> Result<CaptureEvent, CaptureError> {
        let fields = Fields::read(line)?;
        let missing = ["session_id", "event_type", "content"].into_iter().find(|name| fields.get(name).is_none());
        if let Some(name) = missing {
            return Err(CaptureError::Missing(name));
        }
        let content = content(fields.required("content")?)?;
        let meta = fields.get("meta").map(Json::from);
        if let Some(meta) = &meta {
            check_meta(&meta.to_value())?;
        }
        Ok(CaptureEvent {
            session_id: fields.text("session_id")?.ok_or(CaptureError::Blank("session_id"))?,
            event_type: fields
                .word("event_type", &Kind::CAPTURED, Kind::as_str)?
                .ok_or(CaptureError::Missing("event_type"))?,
            content,
            turn_id: fields.text("turn_id")?,
            topic_id: fields.text("topic_id")?,
            action_id: fields.text("action_id")?,
            source: fields.text("source")?,
            speaker: fields.word("speaker", Speaker::ALL, Speaker::as_str)?,
            timestamp: fields.string("timestamp")?.map(|given| Time::parse(&given)).transpose()?,
            visibility: fields.word("visibility", Visibility::ALL, Visibility::as_str)?.unwrap_or(Visibility::Normal),
            secrecy_level: fields.word("secrecy_level", Secrecy::ALL, Secrecy::as_str)?.unwrap_or(Secrecy::Sensitive),
            metadata: fields.get("metadata").map(Json::from),
            meta,
        })
    }

    /// Whether the event names itself: only then can a second capture of it be told from a second such event.
    pub const fn is_identified(&self) -> bool {
        self.turn_id.is_some() || self.action_id.is_some() || self.timestamp.is_some()
    }

    /// The working directory its metadata names, if any.
    pub fn cwd(&self) -> Option<String> {
        let metadata = self.metadata.as_ref().filter(|json| json.as_str().contains("\"cwd\""))?;
        metadata.to_value().get("cwd")?.as_str().map(str::to_owned)
    }

    /// The event it is, captured by `source`; `otherwise` names it if it does not name itself.
    pub fn into_event(self, source: Source, repo: String, actor: Option<String>, otherwise: Identity) -> Event {
        let identity = if self.is_identified() { Identity::Explicit } else { otherwise };
        let mut event = Event::new(source, &self.session_id, self.event_type, self.content);
        event.client = self.source.as_deref().and_then(Client::from_adapter);
        event.adapter = self.source;
        event.repo = repo;
        event.actor = actor;
        event.turn = self.turn_id;
        event.topic = self.topic_id;
        event.action = self.action_id;
        event.time = self.timestamp;
        event.speaker = self.speaker.unwrap_or(event.speaker);
        event.visibility = self.visibility;
        event.secrecy = self.secrecy_level;
        event.metadata = self.metadata;
        event.meta = self.meta;
        event.identities = vec![identity];
        event
    }
}

/// The parser's reason with the column only: the line is known, and is another one in the input.
fn plain_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or_default();
    let reason = match reason {
        "expected ident" | "expected value" => "no JSON value begins here",
        reason if reason.starts_with("invalid type") => "it is another kind of JSON value",
        reason if reason.starts_with("EOF") => "it ends too soon",
        reason => reason,
    };
    format!("{reason} (column {})", error.column())
}

fn content(raw: &RawValue) -> Result<Content, CaptureError> {
    if !raw.get().starts_with('"') {
        return Ok(Content::Json(Json::from(raw)));
    }
    let content = match serde_json::from_str::<String>(raw.get()) {
        Ok(text) => Content::Text(text),
        // A lone surrogate fits into no Rust string; as JSON it is kept exactly as it was written.
        Err(_) => Content::Json(Json::from(raw)),
    };
    if content.plain().trim().is_empty() { Err(CaptureError::Blank("content")) } else { Ok(content) }
}

/// The fields of one line, each still in its own spelling.
#[derive(Default)]
struct Fields<'a>([Option<&'a RawValue>; FIELDS.len()]);

impl<'a> Fields<'a> {
    fn read(line: &'a str) -> Result<Fields<'a>, CaptureError> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let mut reader = Reader { fields: Fields::default(), problem: None };
        let read = deserializer.deserialize_map(&mut reader).and_then(|()| deserializer.end());
        match (reader.problem, read) {
            (Some(problem), _) => Err(problem),
            (None, Err(error)) => Err(CaptureError::NotJson(plain_reason(&error))),
            (None, Ok(())) => Ok(reader.fields),
        }
    }

    /// The field, unless it is absent or null.
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        let at = FIELDS.iter().position(|field| *field == name)?;
        self.0.get(at).copied().flatten().filter(|raw| raw.get() != "null")
    }

    fn required(&self, name: &'static str) -> Result<&'a RawValue, CaptureError> {
        self.get(name).ok_or(CaptureError::Missing(name))
    }

    fn string(&self, field: &'static str) -> Result<Option<Cow<'a, str>>, CaptureError> {
        let Some(raw) = self.get(field) else { return Ok(None) };
        let text = raw.get();
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match inner {
            Some(inner) if !inner.contains('\\') => Ok(Some(Cow::Borrowed(inner))),
            Some(_) => Ok(Some(Cow::Owned(unescaped(text)))),
            None => Err(CaptureError::WrongType { field, found: type_of(text), expected: "a string" }),
        }
    }

    /// A trimmed string; blank is absent.
    fn text(&self, field: &'static str) -> Result<Option<String>, CaptureError> {
        let text = self.string(field)?;
        Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    fn word<T: Copy>(
        &self,
        field: &'static str,
        known: &[T],
        name: fn(T) -> &'static str,
    ) -> Result<Option<T>, CaptureError> {
        let Some(found) = self.string(field)? else { return Ok(None) };
        let names = || known.iter().map(|value| name(*value));
        known.iter().copied().find(|value| name(*value) == found).map(Some).ok_or_else(|| CaptureError::UnknownValue {
            field,
            known: names().collect::<Vec<_>>().join(", "),
            meant: nearest(&found, names()).map(str::to_owned),
            found: found.chars().take(64).collect(),
        })
    }
}

fn type_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

struct Reader<'a> {
    fields: Fields<'a>,
    problem: Option<CaptureError>,
}

impl<'a> Visitor<'a> for &mut Reader<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a capture event")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<Cow<'a, str>>()? {
            let value: &'a RawValue = map.next_value()?;
            let slot = FIELDS.iter().zip(self.fields.0.iter_mut()).find(|(field, _)| **field == name);
            let problem = match slot {
                Some((_, slot @ None)) => {
                    *slot = Some(value);
                    continue;
                }
                Some((field, Some(_))) => CaptureError::Repeated(field),
                None => CaptureError::UnknownField {
                    meant: nearest(&name, FIELDS).map(str::to_owned),
                    field: name.chars().take(64).collect(),
                },
            };
            self.problem.get_or_insert(problem);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refusal(line: &str) -> String {
        CaptureEvent::parse(line).unwrap_err().to_string()
    }

    fn with(extra: &str) -> String {
        format!(r#"{{"session_id":"s","event_type":"command","content":"ls"{extra}}}"#)
    }

    #[test]
    fn the_smallest_event_gets_the_documented_defaults() {
        let event = CaptureEvent::parse(&with("")).unwrap();
        assert_eq!((event.visibility, event.secrecy_level), (Visibility::Normal, Secrecy::Sensitive));
        assert!(!event.is_identified());
        let event = event.into_event(Source::Recorder, "r".into(), None, Identity::Unique { at_ms: 0, nonce: 1 });
        assert_eq!((event.speaker, event.session.as_str(), event.thread.as_deref()), (Speaker::Tool, "s", Some("s")));
    }

    #[test]
    fn ids_are_trimmed_and_blank_ones_are_absent() {
        let line = r#"{"session_id":" s ","event_type":"command","content":"ls","turn_id":"  ","action_id":" a"}"#;
        let event = CaptureEvent::parse(line).unwrap();
        assert_eq!((event.session_id.as_str(), event.turn_id, event.action_id.as_deref()), ("s", None, Some("a")));
    }

    #[test]
    fn each_refusal_says_what_is_wrong() {
        assert_eq!(
            refusal(&with(r#","visiblity":"sealed""#)),
            "has the unknown field `visiblity`; did you mean `visibility`?"
        );
        assert_eq!(refusal(&with(r#","turn_id":5"#)), "has a `turn_id` that is a number; expected a string");
        assert_eq!(refusal(&with(r#","turn_id":"a","turn_id":"b""#)), "has the field `turn_id` twice");
        assert_eq!(refusal(r#"{"event_type":"command","content":"ls"}"#), "lacks the required field `session_id`");
        assert_eq!(refusal(r#"{"session_id":" ","event_type":"command","content":"ls"}"#), "has a blank `session_id`");
        assert_eq!(
            refusal(r#"{"session_id":"s","event_type":"command","content":null}"#),
            "lacks the required field `content`"
        );
        assert_eq!(refusal(r#"{"session_id":"s","event_type":"command","content":"  "}"#), "has a blank `content`");
        assert!(
            refusal(r#"{"session_id":"s","event_type":"comand","content":"x"}"#).ends_with("did you mean `command`?")
        );
        assert!(refusal(&with(r#","timestamp":1714298400"#)).contains("expected a string"));
        assert!(refusal(&with(r#","timestamp":"yesterday""#)).contains("timestamp"));
        assert!(refusal(&with(r#","meta":{"confidence":1.5}"#)).contains("meta"));
        assert!(refusal("[1]").starts_with("is not a JSON object"));
        assert!(refusal("{").starts_with("is not a JSON object"));
    }

    #[test]
    fn json_content_is_kept_verbatim() {
        let line = r#"{"session_id":"s","event_type":"tool_call","content":{"b": 2.50,"a":1e400}}"#;
        let event = CaptureEvent::parse(line).unwrap();
        assert_eq!(event.content.verbatim(), r#"{"b": 2.50,"a":1e400}"#);
        for kept in ["{}", "[]", "0", "false"] {
            assert!(CaptureEvent::parse(&line.replace(r#"{"b": 2.50,"a":1e400}"#, kept)).is_ok(), "{kept}");
        }
    }

    #[test]
    fn a_lone_surrogate_does_not_lose_the_event() {
        let event = CaptureEvent::parse(&with("").replace("ls", r"cut \ud83d")).unwrap();
        assert_eq!(event.content.verbatim(), r#""cut \ud83d""#);
        let event = CaptureEvent::parse(&with(r#","turn_id":"t\ud83d""#)).unwrap();
        assert_eq!(event.turn_id.as_deref(), Some("t\u{fffd}"));
    }

    proptest! {
        #[test]
        fn any_line_is_an_event_or_an_error(line in ".*") {
            let _ = CaptureEvent::parse(&line);
        }

        #[test]
        fn any_text_survives(text in "\\PC*[a-z]\\PC*", session in "[a-z./]{1,9}") {
            let line = serde_json::json!({"session_id": session, "event_type": "error", "content": text}).to_string();
            let event = CaptureEvent::parse(&line).unwrap();
            prop_assert_eq!(event.content, Content::Text(text));
            prop_assert_eq!(event.session_id, session);
        }
    }
}
