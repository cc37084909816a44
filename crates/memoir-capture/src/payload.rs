//! Builds payloads: JSON objects in which a client's own JSON stands exactly as it was written.

use memoir_event::{Content, Json};

/// A JSON object under construction.
pub(crate) struct Payload(String);

impl Payload {
    /// An empty object.
    pub fn new() -> Payload {
        Payload("{".to_owned())
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    /// Adds a text.
    pub fn text(mut self, name: &str, text: &str) -> Payload {
        self.name(name);
        push_text(&mut self.0, text);
        self
    }

    /// Adds a text, if there is one.
    pub fn said(self, name: &str, text: Option<&str>) -> Payload {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    /// Adds JSON as it is written, if there is some. It must be valid.
    pub fn json(mut self, name: &str, json: Option<&str>) -> Payload {
        if let Some(json) = json {
            self.name(name);
            self.0.push_str(json);
        }
        self
    }

    /// Adds a number, if there is one.
    pub fn number(self, name: &str, number: Option<i64>) -> Payload {
        let text = number.map(|number| number.to_string());
        self.json(name, text.as_deref())
    }

    /// Adds `true`, or nothing.
    pub fn flag(self, name: &str, flag: bool) -> Payload {
        self.json(name, flag.then_some("true"))
    }

    /// Adds everything of another object.
    pub fn and(mut self, other: &Payload) -> Payload {
        let more = other.0.trim_start_matches('{');
        if self.0.len() > 1 && !more.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(more);
        self
    }

    /// The finished object.
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    /// The finished object as the item of a payload.
    pub fn into_item(self) -> Content {
        content(format!("{{\"item\":{}}}", self.end()))
    }

    /// The finished object as a payload.
    pub fn into_content(self) -> Content {
        content(self.end())
    }
}

fn content(text: String) -> Content {
    match Json::parse(text) {
        Ok(json) => Content::Payload(json),
        // Only JSON that was no JSON when it came in can do this; it is kept as the text it is.
        Err(_) => Content::Text(String::new()),
    }
}

/// Appends a text as a JSON string.
pub(crate) fn push_text(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_holds_json_as_it_was_written() {
        let content = Payload::new()
            .text("type", "tool_call")
            .said("name", None)
            .json("arguments", Some(r#"{"b": 2.50,"a":"x"}"#))
            .number("n", Some(-3))
            .flag("is_error", false)
            .into_item();
        assert_eq!(content.verbatim(), r#"{"item":{"type":"tool_call","arguments":{"b": 2.50,"a":"x"},"n":-3}}"#);
    }
}
