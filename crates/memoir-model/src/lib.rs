//! Optional models: embeddings of texts, and answers to a prompt, over HTTP or from a coding agent that is installed.
//!
//! Owns the wire formats, how long a call may take, and the proof that an answer is one. Nothing is called that was not
//! configured. Must not know what the texts are, where settings come from, or what becomes of an answer.

mod address;
mod agent;
mod answering_only;
mod chat;
mod connection;
mod embeddings;
mod error;
mod secret;

pub use address::{AddressError, check_address};
pub use agent::{Agent, AgentKind};
pub use chat::{Answer, ChatKind, ChatModel, ChatSettings};
pub use embeddings::{DIMENSION_MAX, Embedder, EmbeddingModel, EmbeddingSettings, Identity, TEXTS_MAX};
pub use error::ModelError;
pub use secret::Secret;
