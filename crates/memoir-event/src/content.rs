//! What an event says: text, or JSON kept exactly as it was written.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A JSON document in its own spelling: key order, numbers, escapes and blanks are not touched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Json(Box<str>);

impl Json {
    /// Accepts `text` if it is one JSON document.
    pub fn parse(text: String) -> Result<Json, serde_json::Error> {
        Ok(Json(RawValue::from_string(text)?.into()))
    }

    /// The document from any value that can be written as JSON.
    pub fn from_value(value: &Value) -> Json {
        Json(value.to_string().into())
    }

    /// The document's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The document as a value tree, for reading only.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or(Value::Null)
    }
}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Json {
        Json(raw.into())
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Json {
        Json(raw.get().into())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Json::from).map_err(D::Error::custom)
    }
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A JSON value of a capture event.
    Json(Json),
    /// A whole envelope payload, as a client's history or stream gave it.
    Payload(Json),
}

impl Content {
    /// The text people read and search: strings unescaped, one leaf to a line.
    pub fn plain(&self) -> Cow<'_, str> {
        match self {
            Content::Text(text) => Cow::Borrowed(text),
            Content::Json(json) | Content::Payload(json) => {
                let mut plain = String::with_capacity(json.as_str().len());
                push_leaves(&lossy_value(json.as_str()), &mut plain);
                Cow::Owned(plain)
            }
        }
    }

    /// The exact characters of the content, for identity.
    pub fn verbatim(&self) -> &str {
        match self {
            Content::Text(text) => text,
            Content::Json(json) | Content::Payload(json) => json.as_str(),
        }
    }
}

/// Reads JSON for display: a lone surrogate, which no Rust string can hold, becomes U+FFFD.
fn lossy_value(json: &str) -> Value {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&without_lone_surrogates(json))).unwrap_or(Value::Null)
}

/// Replaces every `\uD800`–`\uDFFF` escape that is not half of a pair by `\ufffd`.
pub(crate) fn without_lone_surrogates(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let taken = match (escaped_unit(tail), tail.get(6..).and_then(escaped_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                out.push_str(tail.get(..12).unwrap_or_default());
                12
            }
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                6
            }
            _ => {
                let len = 1 + tail.chars().nth(1).map_or(0, char::len_utf8);
                out.push_str(tail.get(..len).unwrap_or_default());
                len
            }
        };
        rest = tail.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn escaped_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

fn push_leaves(value: &Value, out: &mut String) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => push_line(if *flag { "true" } else { "false" }, out),
        Value::Number(number) => push_line(&number.to_string(), out),
        Value::String(text) => push_line(text, out),
        Value::Array(items) => items.iter().for_each(|item| push_leaves(item, out)),
        Value::Object(fields) => {
            for (name, field) in fields {
                push_line(name, out);
                push_leaves(field, out);
            }
        }
    }
}

fn push_line(text: &str, out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_spelling() {
        let text = r#"{"b": 2.50, "a":12345678901234567890123,"e":"\u00e9"}"#;
        let json = Json::parse(text.to_owned()).unwrap();
        assert_eq!(json.as_str(), text);
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
    }

    #[test]
    fn a_lone_surrogate_is_kept_and_readable() {
        let json = Json::parse(r#"{"a":"x\ud800y\\ud800 \ud83d\ude00"}"#.to_owned()).unwrap();
        assert_eq!(json.as_str(), r#"{"a":"x\ud800y\\ud800 \ud83d\ude00"}"#);
        assert_eq!(Content::Json(json).plain(), "a\nx\u{fffd}y\\ud800 😀");
    }

    #[test]
    fn plain_text_of_json_has_names_and_leaves() {
        let json = Json::parse(r#"{"cmd":"ls -l","n":2.50,"ok":true,"x":[null,"a"]}"#.to_owned()).unwrap();
        assert_eq!(Content::Json(json).plain(), "cmd\nls -l\nn\n2.5\nok\ntrue\nx\na");
    }
}
