//! One answer to one prompt, from whoever speaks OpenAI's or Anthropic's protocol, or from a coding agent.

use crate::address::Address;
use crate::agent::Agent;
use crate::connection::Connection;
use crate::error::ModelError;
use crate::secret::Secret;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

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

/// What a model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// How many tokens it counted for question and answer, if it tells.
    pub tokens: Option<u64>,
}

/// A model that answers prompts.
#[derive(Debug)]
pub struct ChatModel(Way);

/// How it is asked.
#[derive(Debug)]
enum Way {
    Http(Http),
    Agent(Agent, Duration),
}

impl ChatModel {
    /// An agent as a model; each answer within that time.
    pub const fn of_agent(agent: Agent, timeout: Duration) -> ChatModel {
        ChatModel(Way::Agent(agent, timeout))
    }

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
        Ok(ChatModel(Way::Http(Http { connection, model, kind: kind.unwrap_or(guess) })))
    }

    /// The model's name.
    pub fn name(&self) -> String {
        match &self.0 {
            Way::Http(http) => http.model.clone(),
            Way::Agent(agent, _) => agent.name(),
        }
    }

    /// Who is asked: a host, or an agent.
    pub fn place(&self) -> String {
        match &self.0 {
            Way::Http(http) => http.connection.host().to_owned(),
            Way::Agent(agent, _) => agent.kind.as_str().to_owned(),
        }
    }

    /// What the model says to `user`, having been told `system`; at most so many tokens, where that can be told.
    pub fn complete(&self, system: &str, user: &str, tokens_max: u32) -> Result<Answer, ModelError> {
        match &self.0 {
            Way::Http(http) => http.complete(system, user, tokens_max),
            Way::Agent(agent, timeout) => {
                let text = agent.ask(&format!("{system}\n\n{user}"), Instant::now() + *timeout)?;
                Ok(Answer { text, tokens: None })
            }
        }
    }
}

/// A model behind an address.
#[derive(Debug)]
struct Http {
    connection: Connection,
    model: String,
    kind: ChatKind,
}

impl Http {
    fn complete(&self, system: &str, user: &str, tokens_max: u32) -> Result<Answer, ModelError> {
        let answer = match self.kind {
            ChatKind::OpenAi => self.openai(system, user, tokens_max)?,
            ChatKind::Anthropic => self.anthropic(system, user, tokens_max)?,
        };
        let text = answer.text.trim();
        if text.is_empty() {
            return Err(self.connection.unusable("it says nothing"));
        }
        Ok(Answer { text: text.to_owned(), ..answer })
    }

    fn openai(&self, system: &str, user: &str, tokens_max: u32) -> Result<Answer, ModelError> {
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
        Ok(Answer { text: texts(said), tokens: counted(&answer, &["total_tokens"]) })
    }

    fn anthropic(&self, system: &str, user: &str, tokens_max: u32) -> Result<Answer, ModelError> {
        let mut headers = vec![("anthropic-version", ANTHROPIC_VERSION)];
        headers.extend(self.connection.key().map(|key| ("x-api-key", key.reveal())));
        let messages = json!([{"role": "user", "content": user}]);
        let body = json!({"model": self.model, "system": system, "messages": messages, "max_tokens": tokens_max});
        let bytes = self.connection.post("/messages", &headers, &body, ANSWER_BYTES_MAX)?;
        let answer = self.json(&bytes)?;
        let said = answer.get("content").ok_or_else(|| self.connection.unusable("it has no message"))?;
        let tokens = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        Ok(Answer { text: texts(said), tokens: counted(&answer, &tokens) })
    }

    fn json(&self, bytes: &[u8]) -> Result<Value, ModelError> {
        serde_json::from_slice(bytes).map_err(|error| self.connection.unusable(format!("it is not JSON ({error})")))
    }
}

/// What an answer says that it cost, all of these together.
fn counted(answer: &Value, fields: &[&str]) -> Option<u64> {
    let usage = answer.get("usage")?;
    let tokens = fields.iter().filter_map(|field| usage.get(field)?.as_u64()).fold(0, u64::saturating_add);
    (tokens > 0).then_some(tokens)
}

/// The text of a message, in one piece or in several.
fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}
