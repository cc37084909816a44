//! Embeddings from whoever speaks OpenAI's protocol: Ollama, llama.cpp, a cloud.

use crate::address::Address;
use crate::connection::Connection;
use crate::error::ModelError;
use crate::secret::Secret;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

/// More texts than this are never sent at once.
pub const TEXTS_MAX: usize = 256;
/// Longer vectors than this are no embeddings.
pub const DIMENSION_MAX: usize = 16_384;
/// A number in JSON takes at most about so many bytes.
const NUMBER_BYTES: u64 = 28;
/// What an answer has beside its vectors.
const BESIDE_BYTES: u64 = 64 << 10;

/// Where an embedding model is and how it is asked.
#[derive(Debug, Clone)]
pub struct EmbeddingSettings {
    /// Its address: the server, with or without `/v1`, with or without `/embeddings`.
    pub url: String,
    /// Its name.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<Secret>,
    /// The proxy on the way, if there is one.
    pub proxy: Option<String>,
    /// How long a call may take, from its beginning to its end.
    pub timeout: Duration,
}

/// What made a vector: only vectors of one identity can be compared. The same model elsewhere is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The model's name.
    pub model: String,
    /// How many numbers a vector has.
    pub dimension: usize,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} dimensions)", self.model, self.dimension)
    }
}

/// Makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// The model's name.
    fn model(&self) -> &str;

    /// One vector for each text, in their order, all of one dimension.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// An embedding model.
#[derive(Debug)]
pub struct EmbeddingModel {
    connection: Connection,
    model: String,
    dimension: OnceLock<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    /// Some servers leave it out when there is one text.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl EmbeddingModel {
    /// Prepares to ask a model; nothing is sent yet.
    pub fn new(settings: EmbeddingSettings) -> Result<EmbeddingModel, ModelError> {
        let EmbeddingSettings { url, model, key, proxy, timeout } = settings;
        let model = model.trim().to_owned();
        if model.is_empty() {
            return Err(ModelError::NoName);
        }
        let connection = Connection::new(Address::parse(&url)?, key, proxy.as_deref(), timeout)?;
        Ok(EmbeddingModel { connection, model, dimension: OnceLock::new() })
    }

    /// The host that is asked.
    pub fn host(&self) -> &str {
        self.connection.host()
    }

    /// What its vectors are made by; none before the first answer.
    pub fn identity(&self) -> Option<Identity> {
        Some(Identity { model: self.model.clone(), dimension: *self.dimension.get()? })
    }

    fn checked(&self, answer: Answer, texts: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        let unusable = |what: String| self.connection.unusable(what);
        if answer.data.len() != texts {
            return Err(unusable(format!("{} vectors for {texts} texts", answer.data.len())));
        }
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts];
        for (at, entry) in answer.data.into_iter().enumerate() {
            let index = entry.index.unwrap_or(at);
            let place = vectors.get_mut(index).filter(|place| place.is_empty());
            let place = place.ok_or_else(|| unusable(format!("the number {index} of a vector fits no text")))?;
            *place = entry.embedding;
        }
        let dimension = vectors.first().map_or(0, Vec::len);
        if dimension == 0 || dimension > DIMENSION_MAX {
            return Err(unusable(format!("a vector of {dimension} numbers")));
        }
        for vector in &vectors {
            if vector.len() != dimension {
                return Err(unusable(format!("vectors of {dimension} and of {} numbers", vector.len())));
            }
            if !vector.iter().all(|number| number.is_finite()) {
                return Err(unusable("a vector with numbers that are not finite".to_owned()));
            }
            if vector.iter().all(|number| *number == 0.0) {
                return Err(unusable("a vector of nothing but zeros".to_owned()));
            }
        }
        let known = *self.dimension.get_or_init(|| dimension);
        if known != dimension {
            return Err(unusable(format!("vectors of {dimension} numbers, after such of {known}")));
        }
        Ok(vectors)
    }
}

impl Embedder for EmbeddingModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        if texts.len() > TEXTS_MAX {
            return Err(ModelError::TooMany(texts.len()));
        }
        let bearer = self.connection.key().map(|key| format!("Bearer {}", key.reveal()));
        let headers: Vec<(&str, &str)> = bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let numbers = u64::try_from(self.dimension.get().copied().unwrap_or(DIMENSION_MAX)).unwrap_or(u64::MAX);
        let count = u64::try_from(texts.len()).unwrap_or(u64::MAX);
        let bytes_max = count.saturating_mul(numbers.saturating_mul(NUMBER_BYTES)).saturating_add(BESIDE_BYTES);
        let bytes = self.connection.post("/embeddings", &headers, &body, bytes_max)?;
        let answer = serde_json::from_slice(&bytes)
            .map_err(|error| self.connection.unusable(format!("it is not a list of embeddings ({error})")))?;
        self.checked(answer, texts.len())
    }
}
