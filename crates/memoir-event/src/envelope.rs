//! The envelope: how an event looks to the outside, one JSON object on one line with the seed's ten fields first.

use crate::access::{Reasoning, Secrecy, Speaker, Visibility};
use crate::content::{Content, Json};
use crate::event::{Event, Identity};
use crate::id::EventId;
use crate::kind::{Kind, Shape};
use crate::source::{Client, Source};
use crate::time::{Time, format_ms};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// An event as the outside sees it. The first ten fields are always there; of the others, those that say something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The deterministic id.
    pub event_id: EventId,
    /// How it was captured.
    pub source: Source,
    /// The project.
    pub repo_id: String,
    /// The contributor.
    pub actor_id: Option<String>,
    /// The client's own session id.
    pub session_id: String,
    /// The thread.
    pub thread_id: Option<String>,
    /// When it happened, as given; the time of storage if nobody said.
    pub ts: String,
    /// The event type.
    pub event_type: String,
    /// What it says.
    #[serde(serialize_with = "on_one_line")]
    pub payload: Json,
    /// How much reasoning it carries.
    pub reasoning_availability: Reasoning,
    /// Our kind.
    pub kind: Kind,
    /// The agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The adapter's name for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_source: Option<String>,
    /// The conversation turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic_id: Option<String>,
    /// The tool call or action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Who said or did it.
    pub speaker: Speaker,
    /// Where it may appear.
    pub visibility: Visibility,
    /// How confidential it is.
    pub secrecy_level: Secrecy,
    /// The caller's metadata.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "perhaps_on_one_line")]
    pub metadata: Option<Json>,
    /// The caller's MetaMemory.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "perhaps_on_one_line")]
    pub meta: Option<Json>,
    /// `ts` as milliseconds since 1970, UTC.
    pub ts_ms: i64,
    /// When it was stored.
    pub recorded_at: String,
    /// Its place in the journal.
    pub journal_sequence: u64,
    /// Its number in its stream, of which its id is made.
    #[serde(default)]
    pub sequence: u64,
}

impl Envelope {
    /// The envelope of a stored event.
    pub fn new(event: Event, event_id: EventId, ts_ms: i64, at_ms: i64, journal_sequence: u64) -> Envelope {
        let sequence = event.sequence.unwrap_or(0);
        let payload = payload(&event.shape, &event.content);
        Envelope {
            event_id,
            source: event.source,
            repo_id: event.repo,
            actor_id: event.actor,
            session_id: event.session,
            thread_id: event.thread,
            ts: event.time.map_or_else(|| format_ms(ts_ms), |time| time.given().to_owned()),
            kind: event.shape.kind,
            event_type: event.shape.event_type,
            payload,
            reasoning_availability: event.reasoning,
            client: event.client,
            capture_source: event.adapter,
            turn_id: event.turn,
            topic_id: event.topic,
            action_id: event.action,
            speaker: event.speaker,
            visibility: event.visibility,
            secrecy_level: event.secrecy,
            metadata: event.metadata,
            meta: event.meta,
            ts_ms,
            recorded_at: format_ms(at_ms),
            journal_sequence,
            sequence,
        }
    }

    /// The event that this is the envelope of, known by its id.
    pub fn into_event(self) -> Event {
        let item_type = item_type(&self.payload);
        let shape = Shape { kind: self.kind, event_type: self.event_type, item_type };
        let mut event = Event {
            source: self.source,
            client: self.client,
            adapter: self.capture_source,
            repo: self.repo_id,
            actor: self.actor_id,
            session: self.session_id,
            thread: self.thread_id,
            turn: self.turn_id,
            topic: self.topic_id,
            action: self.action_id,
            time: Time::parse(&self.ts).ok(),
            captured_ms: None,
            sequence: Some(self.sequence),
            content: content(&shape, self.payload),
            shape,
            speaker: self.speaker,
            visibility: self.visibility,
            secrecy: self.secrecy_level,
            reasoning: self.reasoning_availability,
            metadata: self.metadata,
            meta: self.meta,
            identities: vec![Identity::Id(self.event_id)],
        };
        if event.derived_id() != Some(self.event_id) {
            // Perhaps nobody said when it happened: then its time is when it was stored.
            let time = event.time.take();
            if event.derived_id() == Some(self.event_id) {
                event.captured_ms = time.map(|time| time.ms());
            } else {
                (event.time, event.sequence) = (time, None);
            }
        }
        event
    }
}

/// Writes JSON on one line: whoever promises a line for each event need not look into it. A client may have spelt it over
/// several; line breaks stand between its tokens only, for in a string they are escaped.
fn on_one_line<S: Serializer>(json: &Json, serializer: S) -> Result<S::Ok, S::Error> {
    if !json.as_str().contains(['\n', '\r']) {
        return json.serialize(serializer);
    }
    let line = Json::parse(json.as_str().replace(['\n', '\r'], " ")).map_err(serde::ser::Error::custom)?;
    line.serialize(serializer)
}

fn perhaps_on_one_line<S: Serializer>(json: &Option<Json>, serializer: S) -> Result<S::Ok, S::Error> {
    match json {
        Some(json) => on_one_line(json, serializer),
        None => serializer.serialize_none(),
    }
}

/// `item.type` of a payload.
fn item_type(payload: &Json) -> Option<String> {
    #[derive(Deserialize)]
    struct Item {
        #[serde(default, rename = "type")]
        kind: Option<String>,
    }
    #[derive(Deserialize)]
    struct Payload {
        #[serde(default)]
        item: Option<Item>,
    }
    serde_json::from_str::<Payload>(payload.as_str()).ok()?.item?.kind
}

/// The content of which a payload was made; one that was a payload already stays one.
fn content(shape: &Shape, payload: Json) -> Content {
    let parsed: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(payload.as_str()).ok();
    let only = |name: &str| parsed.as_ref().filter(|fields| fields.len() == 1)?.get(name).copied();
    let said = match (&shape.item_type, shape.kind) {
        (Some(_), _) => only("item").and_then(|item| {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(item.get()).ok()?;
            let other = |name: &str| fields.get(name).copied().filter(|_| fields.len() == 2);
            Some((other("text"), other("content")))
        }),
        (None, Kind::UserMessage) => Some((only("prompt"), only("prompt"))),
        (None, Kind::Error) => Some((only("message"), only("message"))),
        (None, _) => Some((only("text"), only("content"))),
    };
    let (text, json) = said.unwrap_or_default();
    let text = text.and_then(|text| serde_json::from_str::<String>(text.get()).ok()).map(Content::Text);
    let json = || json.and_then(|json| Json::parse(json.get().to_owned()).ok()).map(Content::Json);
    let made = text.or_else(json);
    // Only if the same payload comes of it again.
    made.filter(|made| self::payload(shape, made) == payload).unwrap_or(Content::Payload(payload))
}

/// The payload object; JSON content stands in it exactly as it was written.
fn payload(shape: &Shape, content: &Content) -> Json {
    let (name, value) = match content {
        Content::Payload(payload) => return payload.clone(),
        Content::Text(text) => ("text", serde_json::Value::from(text.as_str()).to_string()),
        Content::Json(json) => ("content", json.as_str().to_owned()),
    };
    let text = match (&shape.item_type, shape.kind) {
        (Some(item), _) => {
            format!(r#"{{"item":{{"type":{},"{name}":{value}}}}}"#, serde_json::Value::from(item.as_str()))
        }
        (None, Kind::UserMessage) => format!(r#"{{"prompt":{value}}}"#),
        (None, Kind::Error) => format!(r#"{{"message":{value}}}"#),
        (None, _) => format!(r#"{{"{name}":{value}}}"#),
    };
    Json::parse(text).unwrap_or_else(|_| Json::from_value(&serde_json::Value::Object(serde_json::Map::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_the_ten_fields_first_and_camel_case_names() {
        let mut event = Event::new(Source::Recorder, "demo", Kind::UserMessage, Content::Text("hello \"x\"".into()));
        event.repo = "owner/repo".into();
        event.time = Some(Time::parse("2026-05-10T10:00:00+02:00").unwrap());
        event.turn = Some("t1".into());
        let id = EventId::derive(Source::Recorder, Some("demo"), 1, "prompt.submitted", "2026-05-10T10:00:00+02:00");
        let envelope = Envelope::new(event, id, 1_778_400_000_000, 1_778_400_000_500, 7);
        let expected = concat!(
            r#"{"eventId":"04b4d9d8a9c6f9ee1da1cbc4","source":"recorder","repoId":"owner/repo","actorId":null,"#,
            r#""sessionId":"demo","threadId":"demo","ts":"2026-05-10T10:00:00+02:00","eventType":"prompt.submitted","#,
            r#""payload":{"prompt":"hello \"x\""},"reasoningAvailability":"unavailable","kind":"user_message","#,
            r#""turnId":"t1","speaker":"user","visibility":"normal","secrecyLevel":"sensitive","tsMs":1778400000000,"#,
            r#""recordedAt":"2026-05-10T08:00:00.500Z","journalSequence":7,"sequence":0}"#
        );
        let text = serde_json::to_string(&envelope).unwrap();
        assert_eq!(text.replace(&id.to_string(), "04b4d9d8a9c6f9ee1da1cbc4"), expected);
        assert_eq!(serde_json::from_str::<Envelope>(&text).unwrap(), envelope);
    }

    #[test]
    fn json_content_stands_in_the_payload_as_written() {
        let content = Content::Json(Json::parse(r#"{"b": 2.50,"a":1}"#.into()).unwrap());
        assert_eq!(
            payload(&Shape::from(Kind::ToolCall), &content).as_str(),
            r#"{"item":{"type":"tool_call","content":{"b": 2.50,"a":1}}}"#
        );
        assert_eq!(payload(&Shape::from(Kind::UserMessage), &content).as_str(), r#"{"prompt":{"b": 2.50,"a":1}}"#);
    }

    #[test]
    fn an_envelope_is_one_line_however_its_json_was_spelt() {
        let spelt = |text: &str| Json::parse(text.into()).unwrap();
        let payload = spelt("{\n  \"command\": \"a\\nb\",\r\n\t\"n\": 2.50\n}");
        let mut event = Event::new(Source::CodexHook, "s", Kind::ToolCall, Content::Json(payload.clone()));
        (event.metadata, event.meta) = (Some(spelt("{\n}")), Some(spelt("[1,\n2]")));
        let id = EventId::parse("04b4d9d8a9c6f9ee1da1cbc4").unwrap();
        for content in [Content::Json(payload.clone()), Content::Payload(payload)] {
            let event = Event { content, ..event.clone() };
            let text = serde_json::to_string(&Envelope::new(event, id, 0, 0, 1)).unwrap();
            assert!(!text.contains(['\n', '\r']), "{text}");
            for part in [r#"{   "command": "a\nb",  "#, r#""n": 2.50 }"#, r#""metadata":{ }"#, r#""meta":[1, 2]"#] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
    }

    #[test]
    fn an_event_comes_back_from_its_envelope_with_the_same_id() {
        let payload = |text: &str| Content::Payload(Json::parse(text.into()).unwrap());
        let contents = [
            (Kind::UserMessage, Content::Text("a \"b\"".into())),
            (Kind::UserMessage, Content::Json(Json::parse("[1, 2.50]".into()).unwrap())),
            (Kind::AssistantMessage, Content::Text("x".into())),
            (Kind::ToolCall, payload(r#"{"item":{"type":"tool_call","name":"Bash","arguments":{"a": 1}}}"#)),
            (Kind::ToolResult, Content::Json(Json::parse(r#"{"b": 1}"#.into()).unwrap())),
            (Kind::Error, Content::Text("bad".into())),
            (Kind::SessionStarted, payload(r#"{"thread_id":"t"}"#)),
            (Kind::Usage, payload(r#"{"text":"not text","n":1}"#)),
        ];
        for (kind, content) in contents {
            for time in [None, Some(Time::parse("2026-05-10T10:00:00+02:00").unwrap())] {
                let mut event = Event::new(Source::CodexHook, "s", kind, content.clone());
                (event.time, event.sequence, event.action) = (time, Some(5), Some("call".into()));
                let id = event.derived_id().unwrap();
                let envelope = Envelope::new(event.clone(), id, 1_778_400_000_000, 1_778_400_000_500, 7);
                let back = envelope.clone().into_event();
                assert_eq!(back.derived_id(), Some(id), "{kind}");
                assert_eq!((&back.content, &back.shape, &back.time), (&event.content, &event.shape, &event.time));
                assert_eq!(Envelope::new(back, id, 1_778_400_000_000, 1_778_400_000_500, 7), envelope);
            }
        }
    }

    #[test]
    fn an_id_that_something_else_made_is_kept_as_a_name() {
        let event = Event::new(Source::CodexHook, "s", Kind::UserMessage, Content::Text("x".into()));
        let id = EventId::parse("04b4d9d8a9c6f9ee1da1cbc4").unwrap();
        let back = Envelope::new(event, id, 0, 0, 1).into_event();
        assert_eq!((back.sequence, back.identities), (None, vec![Identity::Id(id)]));
    }
}
