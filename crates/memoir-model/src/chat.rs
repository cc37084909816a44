//! One answer to one prompt, from whoever speaks OpenAI's or Anthropic's protocol.

use crate::address::Address;
use crate::connection::Connection;
use crate::error::ModelError;
use crate::secret::Secret;
use serde_json::{Value, json};
use std::time::Duration;

/// More than this is no answer.
const ANSWER_BYTES_MAX: u64 = 4 << 20;
/// The version of Anthropic's protocol that is spoken here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Which protocol a model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatKind {
    /// `POST …/v1/chat/completions`.
    OpenAi,
    /// `POST …/v1/messages`.
    Anthropic,
}

impl ChatKind {
    /// Every kind.
    pub const ALL: [ChatKind; 2] = [ChatKind::OpenAi, ChatKind::Anthropic];

    /// Its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            ChatKind::OpenAi => "openai",
            ChatKind::Anthropic => "anthropic",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<ChatKind> {
        ChatKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

/// Where a model is and how it is asked.
#[derive(Debug, Clone)]
pub struct ChatSettings {
    /// Its address: the server, with or without `/v1`, with or without the endpoint.
    pub url: String,
    /// Its name.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<Secret>,
    /// The proxy on the way, if there is one.
    pub proxy: Option<String>,
    /// How long a call may take, from its beginning to its end.
    pub timeout: Duration,
    /// The protocol; without one it is told from the address.
    pub kind: Option<ChatKind>,
}

/// A model that answers prompts.
#[derive(Debug)]
pub struct ChatModel {
    connection: Connection,
    model: String,
    kind: ChatKind,
}

impl ChatModel {
    /// Prepares to ask a model; nothing is sent yet.
    pub fn new(settings: ChatSettings) -> Result<ChatModel, ModelError> {
        let ChatSettings { url, model, key, proxy, timeout, kind } = settings;
        let model = model.trim().to_owned();
        if model.is_empty() {
            return Err(ModelError::NoName);
        }
        let address = Address::parse(&url)?;
        let guess = if address.is_anthropic() { ChatKind::Anthropic } else { ChatKind::OpenAi };
        let connection = Connection::new(address, key, proxy.as_deref(), timeout)?;
        Ok(ChatModel { connection, model, kind: kind.unwrap_or(guess) })
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The host that is asked.
    pub fn host(&self) -> &str {
        self.connection.host()
    }

    /// The protocol that is spoken.
    pub const fn kind(&self) -> ChatKind {
        self.kind
    }

    /// What the model says to `user`, having been told `system`; at most so many tokens.
    pub fn complete(&self, system: &str, user: &str, tokens_max: u32) -> Result<String, ModelError> {
        let answer = match self.kind {
            ChatKind::OpenAi => self.openai(system, user, tokens_max)?,
            ChatKind::Anthropic => self.anthropic(system, user, tokens_max)?,
        };
        let answer = answer.trim();
        if answer.is_empty() {
            return Err(self.connection.unusable("it says nothing"));
        }
        Ok(answer.to_owned())
    }

    fn openai(&self, system: &str, user: &str, tokens_max: u32) -> Result<String, ModelError> {
        let bearer = self.connection.key().map(|key| format!("Bearer {}", key.reveal()));
        let headers: Vec<(&str, &str)> = bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let ask = |limit: &str| {
            let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": user}]);
            let body = json!({"model": self.model, "messages": messages, "stream": false, limit: tokens_max});
            self.connection.post("/chat/completions", &headers, &body, ANSWER_BYTES_MAX)
        };
        let bytes = match ask("max_tokens") {
            // Newer models know the limit by another name only, and say so.
            Err(ModelError::Refused { said, .. }) if said.contains("max_completion_tokens") => {
                ask("max_completion_tokens")?
            }
            asked => asked?,
        };
        let answer = self.json(&bytes)?;
        let said = answer.pointer("/choices/0/message/content");
        let said = said.ok_or_else(|| self.connection.unusable("it has no message"))?;
        Ok(texts(said))
    }

    fn anthropic(&self, system: &str, user: &str, tokens_max: u32) -> Result<String, ModelError> {
        let mut headers = vec![("anthropic-version", ANTHROPIC_VERSION)];
        headers.extend(self.connection.key().map(|key| ("x-api-key", key.reveal())));
        let messages = json!([{"role": "user", "content": user}]);
        let body = json!({"model": self.model, "system": system, "messages": messages, "max_tokens": tokens_max});
        let bytes = self.connection.post("/messages", &headers, &body, ANSWER_BYTES_MAX)?;
        let answer = self.json(&bytes)?;
        let said = answer.get("content").ok_or_else(|| self.connection.unusable("it has no message"))?;
        Ok(texts(said))
    }

    fn json(&self, bytes: &[u8]) -> Result<Value, ModelError> {
        serde_json::from_slice(bytes).map_err(|error| self.connection.unusable(format!("it is not JSON ({error})")))
    }
}

/// The text of a message, in one piece or in several.
fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}
