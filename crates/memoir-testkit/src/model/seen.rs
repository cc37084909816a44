//! A request as the server saw it, and what the client wanted with it.

use serde_json::Value;

use super::reply::Spoken;
use crate::Client;

/// One request that reached the model, with how it was answered.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The HTTP method.
    pub method: String,
    /// Path and query as sent.
    pub path: String,
    /// Header names in lower case, with their values, in order.
    pub headers: Vec<(String, String)>,
    /// The decoded JSON body, or null.
    pub body: Value,
    /// The client whose wire format this is, when it is one.
    pub client: Option<Client>,
    /// What the request is for.
    pub purpose: Purpose,
    /// The position in the script of the reply that answered.
    pub reply: Option<usize>,
    /// How much of the answer went out.
    pub sent: Sent,
    /// The decoded body as text, for `when`.
    pub(super) text: String,
    pub(super) said: Vec<Spoken>,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A step of the main conversation.
    Turn,
    /// A step of a sub-agent.
    Agent,
    /// A summary of the conversation, so that it can be shortened.
    Compaction,
    /// Something the client wants to know beside the conversation: a title, which model to use.
    Side,
    /// A count of tokens.
    Count,
    /// Anything else.
    Other,
}

/// How much of an answer was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Nothing yet, or the client had gone, or the answer was an error.
    Nothing,
    /// A part, because the stream was cut or the client left.
    Part,
    /// All of it.
    Whole,
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Responses,
    Messages,
    Gemini,
}

impl Api {
    pub fn of(path: &str) -> Option<Api> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/responses") {
            Some(Api::Responses)
        } else if path.ends_with("/messages") {
            Some(Api::Messages)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Api::Gemini)
        } else {
            None
        }
    }

    pub fn client(self) -> Client {
        match self {
            Api::Responses => Client::Codex,
            Api::Messages => Client::Claude,
            Api::Gemini => Client::Gemini,
        }
    }

    /// The JSON schema that the answer shall have.
    pub fn wanted_schema(self, body: &Value) -> Option<&Value> {
        let schema = match self {
            Api::Responses => &body["text"]["format"]["schema"],
            Api::Messages if body["output_config"]["format"].is_object() => &body["output_config"]["format"]["schema"],
            Api::Messages => &body["output_format"]["schema"],
            Api::Gemini if body["generationConfig"]["responseJsonSchema"].is_object() => {
                &body["generationConfig"]["responseJsonSchema"]
            }
            Api::Gemini => &body["generationConfig"]["responseSchema"],
        };
        schema.is_object().then_some(schema)
    }
}

impl Seen {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Codex's description of the turn, which it sends as a header.
    pub(super) fn turn_metadata(&self) -> Value {
        self.header("x-codex-turn-metadata").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Whether a sub-agent asks, be it for a step or for a summary.
    pub(super) fn is_agents(&self) -> bool {
        self.purpose == Purpose::Agent
            || self.header("x-openai-subagent").is_some()
            || self.header("x-claude-code-agent-id").is_some()
    }

    pub(super) fn purpose_of(&self, api: Api) -> Purpose {
        if api.wanted_schema(&self.body).is_some() {
            return Purpose::Side;
        }
        match api {
            Api::Responses => self.codex_purpose(),
            Api::Messages => self.claude_purpose(),
            Api::Gemini => self.gemini_purpose(),
        }
    }

    fn codex_purpose(&self) -> Purpose {
        let turn = self.turn_metadata();
        let last = self.body["input"].as_array().and_then(|items| items.last()).unwrap_or(&Value::Null);
        let asks_for_summary =
            last["content"][0]["text"].as_str().is_some_and(|text| text.contains("CONTEXT CHECKPOINT COMPACTION"));
        if turn["request_kind"] == "compaction" || last["type"] == "compaction_trigger" || asks_for_summary {
            Purpose::Compaction
        } else if turn["thread_source"] == "thread_title" {
            Purpose::Side
        } else if turn["thread_source"] == "subagent" || self.header("x-openai-subagent").is_some() {
            Purpose::Agent
        } else {
            Purpose::Turn
        }
    }

    fn claude_purpose(&self) -> Purpose {
        // Messages of the system may follow the user's last one.
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let last = messages.iter().rfind(|message| message["role"] == "user").unwrap_or(&Value::Null);
        let texts = match &last["content"] {
            Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
            other => other.as_str().into_iter().collect::<Vec<&str>>(),
        };
        if texts.iter().any(|text| text.starts_with("CRITICAL: Respond with TEXT ONLY")) {
            Purpose::Compaction
        } else if self.header("x-claude-code-agent-id").is_some() {
            Purpose::Agent
        } else if self.body["tools"].as_array().is_none_or(Vec::is_empty) {
            Purpose::Side
        } else {
            Purpose::Turn
        }
    }

    fn gemini_purpose(&self) -> Purpose {
        let last = self.body["contents"].as_array().and_then(|contents| contents.last()).unwrap_or(&Value::Null);
        let snapshot = last["parts"][0]["text"].as_str().is_some_and(|text| text.contains("<state_snapshot>"));
        let tools = gemini_tools(&self.body);
        if snapshot && tools.is_empty() {
            Purpose::Compaction
        } else if tools.contains(&"complete_task") {
            Purpose::Agent
        } else if tools.is_empty() {
            Purpose::Side
        } else {
            Purpose::Turn
        }
    }
}

/// The names of the tools that a Gemini request declares.
pub(super) fn gemini_tools(body: &Value) -> Vec<&str> {
    let groups = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    groups
        .iter()
        .filter_map(|group| group["functionDeclarations"].as_array())
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}
