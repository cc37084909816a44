//! Questions to the vectors: asked of the model that made them, within its time, and not again for a while after it failed.

use crate::store::{Probe, Vectors};
use memoir_journal::{Journal, Seq};
use memoir_model::Embedder;
use memoir_recall::{Meaning, Nearness};
use memoir_redact::Redactor;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A question loses its end behind this: models read no further.
const QUESTION_CHARS_MAX: usize = crate::TEXT_CHARS_MAX;
/// So long a model that failed is left alone: a prompt does not wait for it again and again.
const REST: Duration = Duration::from_secs(60);
/// Its time tells when the model last failed, for every process.
const FAILED: &str = "failed";

/// Vectors, and the model that made them.
pub struct VectorMeaning {
    vectors: Arc<Vectors>,
    model: Arc<dyn Embedder>,
    redactor: Arc<Redactor>,
}

impl VectorMeaning {
    /// Compares questions with those vectors; the model sees no secret of a question.
    pub fn new(vectors: Arc<Vectors>, model: Arc<dyn Embedder>, redactor: Arc<Redactor>) -> VectorMeaning {
        VectorMeaning { vectors, model, redactor }
    }

    fn failed(&self) -> PathBuf {
        self.vectors.dir().join(FAILED)
    }

    fn rests(&self) -> bool {
        let failed = fs::metadata(self.failed()).and_then(|metadata| metadata.modified());
        let since = failed.ok().and_then(|failed| SystemTime::now().duration_since(failed).ok());
        since.is_some_and(|since| since < REST)
    }

    fn vector(&self, query: &str) -> Option<Vec<f32>> {
        let clean = self.redactor.text(query.trim());
        let end = clean.char_indices().nth(QUESTION_CHARS_MAX).map_or(clean.len(), |(end, _)| end);
        let answer = self.model.embed(&[clean.get(..end)?]).ok().and_then(|mut vectors| vectors.pop());
        if answer.is_none() {
            // Without this note the next question waits again; nothing else depends on it.
            let _ = fs::write(self.failed(), b"");
        }
        answer
    }
}

impl Meaning for VectorMeaning {
    fn of<'a>(&'a self, journal: &dyn Journal, query: &str) -> Option<Box<dyn Nearness + 'a>> {
        let is_empty = self.vectors.refresh().is_none();
        if is_empty || self.rests() {
            return None;
        }
        let (vector, journal) = (self.vector(query)?, journal.identity().ok()?);
        Some(Box::new(VectorQuestion { meaning: self, vector, journal }))
    }
}

struct VectorQuestion<'a> {
    meaning: &'a VectorMeaning,
    vector: Vec<f32>,
    journal: String,
}

impl VectorQuestion<'_> {
    fn probe(&self) -> Probe<'_> {
        Probe { vector: &self.vector, model: self.meaning.model.model(), journal: &self.journal }
    }
}

impl Nearness for VectorQuestion<'_> {
    fn nearest(&self, count: usize, allowed: &mut dyn FnMut(Seq) -> bool) -> Vec<(Seq, f32)> {
        self.meaning.vectors.near(&self.probe(), count, allowed)
    }

    fn near(&self, seqs: &[Seq]) -> Vec<(Seq, f32)> {
        self.meaning.vectors.cosines(&self.probe(), seqs)
    }
}
