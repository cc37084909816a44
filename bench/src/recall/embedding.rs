//! The embedding model that recall asks: one behind an address, or one that knows nothing.

use anyhow::Result;
use memoir_model::{Embedder, EmbeddingModel, EmbeddingSettings, ModelError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Instead of an address: vectors without any sense, which must do no harm.
pub const NONSENSE: &str = "nonsense";

/// The model of that name.
pub fn model(url: &str, model: &str) -> Result<Arc<dyn Embedder>> {
    if url == NONSENSE {
        return Ok(Arc::new(Nonsense));
    }
    let timeout = Duration::from_secs(120);
    let settings = EmbeddingSettings { url: url.to_owned(), model: model.to_owned(), key: None, proxy: None, timeout };
    Ok(Arc::new(Remembering { model: EmbeddingModel::new(settings)?, known: Mutex::default() }))
}

/// Asks each text once: questions are asked again with other weights.
struct Remembering {
    model: EmbeddingModel,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Remembering {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let [text] = texts else { return self.model.embed(texts) };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = known().get(*text) {
            return Ok(vec![vector.clone()]);
        }
        let vectors = self.model.embed(texts)?;
        known().extend(vectors.first().map(|vector| ((*text).to_owned(), vector.clone())));
        Ok(vectors)
    }
}

struct Nonsense;

impl Embedder for Nonsense {
    fn model(&self) -> &str {
        NONSENSE
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let number = |text: &str, at: u32| {
            let mut noise = text
                .bytes()
                .fold(u64::from(at) + 1, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            noise = (noise ^ noise >> 31).wrapping_mul(0x7fb5_d329_728e_a185);
            (noise >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        Ok(texts.iter().map(|text| (0..64).map(|at| number(text, at)).collect()).collect())
    }
}
