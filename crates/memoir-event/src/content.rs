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
            Content::Json(json) => Cow::Owned(leaves(json.as_str(), Names::Shown)),
            // The names in a payload are ours or the client's, the same in every event: nobody looks for them.
            Content::Payload(json) => Cow::Owned(leaves(json.as_str(), Names::LeftOut)),
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

/// Replaces every `\uD800`–`\uDFFF` escape that is not half of a pair by `\ufffd`.
pub fn without_lone_surrogates(json: &str) -> String {
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

/// Whether the names of fields belong to the text that people read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Shown,
    LeftOut,
}

/// Names and leaves in their order. The document is valid, so its tokens are all there is to look at: no depth is too
/// deep, and numbers keep their spelling.
fn leaves(json: &str, names: Names) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let (mut types, mut of_type) = (0, false);
    while let Some(at) =
        rest.find(|c: char| !matches!(c, '{' | '}' | '[' | ']' | ',' | ':') && !c.is_ascii_whitespace())
    {
        rest = rest.get(at..).unwrap_or_default();
        let end =
            if rest.starts_with('"') { string_end(rest) } else { rest.find([',', '}', ']', ' ', '\t', '\n', '\r']) };
        let (token, tail) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        rest = tail;
        if names == Names::LeftOut && tail.trim_start().starts_with(':') {
            // The first type says what the item is; one further in belongs to what it says.
            types += usize::from(token == "\"type\"");
            of_type = types == 1 && token == "\"type\"";
            continue;
        }
        match token {
            "null" => {}
            _ if std::mem::take(&mut of_type) => {}
            token if token.starts_with('"') => push_line(&unescaped(token), &mut out),
            token => push_line(token, &mut out),
        }
    }
    out
}

/// Where the string that `text` starts with ends, its closing quote included.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    let close = text.bytes().skip(1).position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    close.map(|at| at + 2)
}

/// The text of a JSON string; a lone surrogate, which no Rust string can hold, becomes U+FFFD.
pub(crate) fn unescaped(token: &str) -> String {
    serde_json::from_str(token).or_else(|_| serde_json::from_str(&without_lone_surrogates(token))).unwrap_or_default()
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
    fn deep_and_escaped_json_reads_the_same() {
        let deep = format!("{}{}{}", "[".repeat(100_000), r#""say \"hi\" \\""#, "]".repeat(100_000));
        assert_eq!(Content::Json(Json(deep.into())).plain(), r#"say "hi" \"#);
        let json = Json::parse(r#" { "n" : -1.5e+3 , "big":12345678901234567890123 } "#.trim().to_owned()).unwrap();
        assert_eq!(Content::Json(json).plain(), "n\n-1.5e+3\nbig\n12345678901234567890123");
    }

    #[test]
    fn plain_text_of_a_payload_has_what_it_says_and_not_how_its_fields_are_called() {
        let json = Json::parse(
            r#"{"item":{"type":"tool_call","name":"Bash","arguments":{"command":"ls","n":[1,null]}}}"#.to_owned(),
        );
        assert_eq!(Content::Payload(json.unwrap()).plain(), "Bash\nls\n1");
    }

    #[test]
    fn plain_text_of_json_has_names_and_leaves() {
        let json = Json::parse(r#"{"cmd":"ls -l","n":2.50,"ok":true,"x":[null,"a"]}"#.to_owned()).unwrap();
        assert_eq!(Content::Json(json).plain(), "cmd\nls -l\nn\n2.50\nok\ntrue\nx\na");
    }
}
