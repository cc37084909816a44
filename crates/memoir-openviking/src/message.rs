//! Messages as they come over the wire.

use crate::align::Heard;
use crate::fault::Fault;
use crate::state::DIGEST_MASK;
use crate::tokens::Quarters;
use memoir_capture::{ToldMessage, ToldPart, ToldTool};
use memoir_event::{KeyHasher, Time};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// So many messages a batch has at most.
pub const MESSAGES_MAX: usize = 100;

/// So many parts a message has at most.
const PARTS_MAX: usize = 10_000;

/// A message that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it tells.
    pub told: ToldMessage,
    /// Where its sender works.
    pub peer: Option<String>,
    /// Names that the sender gave it.
    names: Vec<String>,
}

/// One message; what else stands in it is not looked at.
#[derive(Deserialize)]
struct Wire<'a> {
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    parts: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    peer_id: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    turn_id: Option<String>,
    #[serde(default)]
    source_message_ids: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", default)]
    kind: Option<Cow<'a, str>>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    tool_id: Option<String>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_output: Option<&'a RawValue>,
    #[serde(default)]
    tool_status: Option<String>,
    #[serde(borrow, default)]
    image_url: Option<&'a RawValue>,
}

/// A lone message.
pub fn read_message(body: &[u8]) -> Result<Message, Fault> {
    let raw = text_of_body(body)?;
    message(&raw, "")
}

/// A batch of messages: all of them are good, or the first that is not is named.
pub fn read_batch(body: &[u8]) -> Result<Vec<Message>, Fault> {
    let text = text_of_body(body)?;
    let batch: Batch<'_> = read("messages", &text)?;
    if batch.messages.len() > MESSAGES_MAX {
        let message = format!("a batch has at most {MESSAGES_MAX} messages, this one has {}", batch.messages.len());
        return Err(Fault::invalid("messages", message));
    }
    batch.messages.iter().enumerate().map(|(at, raw)| message(raw.get(), &format!("messages.{at}"))).collect()
}

fn text_of_body(body: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let text = std::str::from_utf8(body).map_err(|_| Fault::invalid("body", "the body is not UTF-8"))?;
    // Half of a character, which some clients write, is no text; the rest of the message is.
    if text.contains("\\ud") || text.contains("\\uD") {
        return Ok(Cow::Owned(memoir_event::without_lone_surrogates(text)));
    }
    Ok(Cow::Borrowed(text))
}

fn read<'a, T: Deserialize<'a>>(field: &str, text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::invalid(field, error.to_string()))
}

fn message(text: &str, field: &str) -> Result<Message, Fault> {
    let wire: Wire<'_> = read(if field.is_empty() { "body" } else { field }, text)?;
    let named = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    let raw_parts = wire.parts.unwrap_or_default();
    if raw_parts.len() > PARTS_MAX {
        return Err(Fault::invalid(&named("parts"), format!("a message has at most {PARTS_MAX} parts")));
    }
    let mut parts = Vec::with_capacity(raw_parts.len().max(1));
    for (at, raw) in raw_parts.iter().enumerate() {
        parts.push(part(raw.get(), &named(&format!("parts.{at}")))?);
    }
    if parts.is_empty() {
        match wire.content.map(RawValue::get).filter(|content| *content != "null") {
            Some(content) => parts.push(ToldPart::Text(read(&named("content"), content)?)),
            None => return Err(Fault::invalid(&named("content"), "a message has either content or parts")),
        }
    }
    if let Some(peer) = &wire.peer_id {
        check_peer(&named("peer_id"), peer)?;
    }
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let names = [given(wire.created_at.clone()), given(wire.turn_id.clone())].into_iter().flatten();
    let names = names.chain(wire.source_message_ids.unwrap_or_default()).collect();
    let told = ToldMessage {
        role: role(wire.role.trim()),
        parts,
        time: given(wire.created_at).and_then(|time| Time::parse(&time).ok()),
        turn: given(wire.turn_id),
    };
    Ok(Message { told, peer: wire.peer_id, names })
}

/// The role, under a name that nobody else takes for the user or the agent: only these two words stand for them.
fn role(given: &str) -> String {
    match given {
        "human" | "model" => format!("role {given}"),
        given => given.to_owned(),
    }
}

fn part(text: &str, field: &str) -> Result<ToldPart, Fault> {
    let part: Part<'_> = read(field, text)?;
    Ok(match part.kind.as_deref() {
        Some("text") | None if part.text.is_some() => ToldPart::Text(part.text.unwrap_or_default()),
        Some("tool") => ToldPart::Tool(tool(part)),
        Some("context") => ToldPart::Injected,
        Some("image_url" | "image") => ToldPart::Image(image(part.image_url)),
        Some("text") => ToldPart::Text(String::new()),
        _ => ToldPart::Other(text.to_owned()),
    })
}

fn tool(part: Part<'_>) -> ToldTool {
    let given = |raw: Option<&RawValue>| raw.map(RawValue::get).filter(|text| *text != "null").map(str::to_owned);
    let output = given(part.tool_output).map(|text| serde_json::from_str::<String>(&text).unwrap_or(text));
    let is_over = matches!(part.tool_status.as_deref(), Some("completed" | "error" | "failed"));
    ToldTool {
        id: part.tool_id.filter(|id| !id.trim().is_empty()),
        name: part.tool_name.filter(|name| !name.trim().is_empty()),
        input: given(part.tool_input),
        // A tool that returned nothing has returned.
        output: output.or_else(|| is_over.then(String::new)),
        failed: matches!(part.tool_status.as_deref(), Some("error" | "failed")),
    }
}

fn image(raw: Option<&RawValue>) -> String {
    let value: Value = raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    value.as_str().or_else(|| value["url"].as_str()).unwrap_or_default().to_owned()
}

/// Refuses what cannot name a peer.
pub fn check_peer(field: &str, peer: &str) -> Result<(), Fault> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '-');
    if peer.is_empty() || peer.len() > 256 || !peer.chars().all(fits) {
        return Err(Fault::invalid(field, "a peer is named by letters, digits and _ . @ -"));
    }
    Ok(())
}

impl Message {
    /// How it is compared with others.
    pub fn heard(&self, hasher: &KeyHasher) -> Heard {
        let mut said = Vec::new();
        let mut add = |text: &str| {
            let text = text.trim();
            said.extend_from_slice(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
            said.extend_from_slice(text.as_bytes());
        };
        add("openviking");
        add(&self.told.role);
        self.names.iter().for_each(|name| add(name));
        let (mut text_bytes, mut has_tool) = (0, false);
        for part in &self.told.parts {
            match part {
                ToldPart::Text(text) => {
                    text_bytes += text.trim().len();
                    add("text");
                    add(&text.replace("\r\n", "\n"));
                }
                ToldPart::Tool(tool) => {
                    has_tool |= tool.id.is_some();
                    add("tool");
                    [&tool.id, &tool.name, &tool.input, &tool.output].iter().for_each(|text| {
                        add(text.as_deref().unwrap_or("-"));
                    });
                }
                ToldPart::Image(url) => add(url),
                ToldPart::Injected => add("context"),
                ToldPart::Other(json) => add(json),
            }
        }
        let hash = hasher.hash(&said);
        let digest = hash.iter().take(6).fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        Heard {
            // Nought stands for what is lost.
            digest: (digest & DIGEST_MASK).max(1),
            is_named: has_tool || !self.names.is_empty(),
            text_bytes,
            is_prompt: self.told.role == "user" && !has_tool,
        }
    }

    /// Counts its tokens.
    pub fn count(&self, quarters: &mut Quarters) {
        for part in &self.told.parts {
            match part {
                ToldPart::Text(text) => quarters.add(text),
                ToldPart::Tool(tool) => {
                    [&tool.id, &tool.name, &tool.input, &tool.output].into_iter().flatten().for_each(|text| {
                        quarters.add(text);
                    });
                }
                ToldPart::Image(_) | ToldPart::Injected | ToldPart::Other(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn one(value: &Value) -> Result<Message, Fault> {
        read_message(value.to_string().as_bytes())
    }

    fn field(result: Result<impl std::fmt::Debug, Fault>) -> String {
        match result {
            Err(Fault::Invalid { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn content_or_parts_make_a_message_and_unknown_fields_do_not_matter() {
        let text = one(&json!({"role": "user", "content": "hello", "mood": 7})).unwrap();
        assert_eq!(text.told.parts, [ToldPart::Text("hello".into())]);
        let tool = one(&json!({"role": "assistant", "parts": [
            {"type": "text", "text": "Checking."},
            {"type": "tool", "tool_id": "t1", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_status": "running"},
            {"type": "tool", "tool_id": "t0", "tool_output": "a", "tool_status": "error"},
            {"type": "tool", "tool_id": "t2", "tool_status": "completed"},
            {"type": "hologram", "x": 1},
        ]}))
        .unwrap();
        let ToldPart::Tool(call) = &tool.told.parts[1] else { panic!() };
        assert_eq!((call.input.as_deref(), &call.output), (Some(r#"{"command":"ls"}"#), &None));
        let ToldPart::Tool(result) = &tool.told.parts[2] else { panic!() };
        assert_eq!((result.output.as_deref(), result.failed), (Some("a"), true));
        let ToldPart::Tool(silent) = &tool.told.parts[3] else { panic!() };
        assert_eq!(silent.output.as_deref(), Some(""));
        assert!(matches!(tool.told.parts[4], ToldPart::Other(_)));
    }

    #[test]
    fn only_user_and_assistant_speak_for_somebody() {
        let role = |role: &str| one(&json!({"role": role, "content": "x"})).unwrap().told.role;
        assert_eq!((role("user"), role(" assistant ")), ("user".to_owned(), "assistant".to_owned()));
        for other in ["USER", "User", "Human", "human", "model", "Assistant", "system", ""] {
            assert!(!matches!(role(other).as_str(), "user" | "assistant" | "human" | "model"), "{other}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(field(one(&json!({"role": "user"}))), "content");
        assert_eq!(field(one(&json!({"role": 7, "content": "x"}))), "body");
        assert_eq!(field(one(&json!({"role": "user", "content": ["x"]}))), "content");
        assert_eq!(field(one(&json!({"role": "user", "content": "x", "peer_id": "a/b"}))), "peer_id");
        assert_eq!(field(read_message(b"")), "body");
        assert_eq!(field(read_message(b"\xff\xfe")), "body");
        let batch = |messages: Value| read_batch(json!({"messages": messages}).to_string().as_bytes());
        assert_eq!(field(batch(json!([{"role": "user", "content": "x"}, {"role": "user"}]))), "messages.1.content");
        assert_eq!(field(batch(json!(vec![json!({"role": "user", "content": "x"}); MESSAGES_MAX + 1]))), "messages");
        assert_eq!(batch(json!([])).unwrap(), []);
        assert_eq!(field(read_batch(b"[]")), "messages");
    }

    #[test]
    fn blanks_around_a_text_make_no_other_message_and_names_do() {
        let hasher = KeyHasher::new([7; 32]);
        let heard = |value: &Value| one(value).unwrap().heard(&hasher);
        let plain = heard(&json!({"role": "user", "content": "go on"}));
        assert_eq!(plain, heard(&json!({"role": "user", "parts": [{"type": "text", "text": "go on\n"}]})));
        assert_ne!(plain, heard(&json!({"role": "assistant", "content": "go on"})));
        let named = heard(&json!({"role": "user", "content": "go on", "turn_id": "t1"}));
        assert!(named.digest != plain.digest && named.is_named && !plain.is_named && plain.is_prompt);
        assert_eq!(heard(&json!({"role": "user", "content": " four "})).text_bytes, 4);
    }

    #[test]
    fn half_a_character_costs_no_message() {
        let message = read_message(br#"{"role":"user","content":"a\ud83d b"}"#).unwrap();
        assert_eq!(message.told.parts, [ToldPart::Text("a\u{fffd} b".into())]);
    }

    proptest! {
        #[test]
        fn any_body_is_a_message_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_message(&body);
            let _ = read_batch(&body);
        }

        #[test]
        fn any_part_is_read_or_refused(part in "\\{(\"type\":\"(text|tool|x)\",)?\"[a-z_]{1,12}\":(1|\"\\PC{0,5}\"|null|\\[\\])\\}") {
            let _ = read_message(format!(r#"{{"role":"user","parts":[{part}]}}"#).as_bytes());
        }
    }
}
