//! How a run ends that is seen as a stream, and what it used.

use super::record::Record;
use super::transcript::{At, Transcript};
use crate::lenient::Raw;
use crate::payload::Payload;
use crate::scene::digest;
use memoir_event::{Identity, Source};
use serde_json::json;

impl Transcript {
    pub(super) fn is_stream(&self) -> bool {
        self.scene.source == Source::ClaudeCodeExec
    }

    /// The end of a run in a stream.
    pub(super) fn result(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        self.cost(found.stream_cost.0, at);
        if let Some(text) = found.result.said().filter(|_| found.is_error.is_set()) {
            let name = Identity::Named(format!("failed/{}", digest(text)));
            self.maker(at).error(text.to_owned(), vec![name]);
        }
        let name = Identity::Named(format!("done/{}", digest(at.text)));
        let status = if found.is_error.is_set() { "failed" } else { "completed" };
        let usage = usage_of_run(found);
        let details = Payload::new().json("usage", usage.as_ref().map(ToString::to_string).as_deref());
        self.maker(at).end_of_turn(name, status, &details);
    }
}

/// What a run used, by model where it says so; what was read from a cache is counted as input, too.
fn usage_of_run(found: &Record<'_>) -> Option<serde_json::Value> {
    let read =
        |raw: Raw<'_>| serde_json::from_str::<serde_json::Value>(raw.get()?).ok().filter(|told| told.is_object());
    let told = |usage: &serde_json::Value, names: [&str; 4]| {
        let [input, cached, written, output] = names.map(|name| usage[name].as_u64().unwrap_or(0));
        json!({
            "input_tokens": input.saturating_add(cached), "cached_input_tokens": cached,
            "cache_write_tokens": written, "output_tokens": output,
        })
    };
    const OF_MODEL: [&str; 4] = ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens"];
    const OF_RUN: [&str; 4] =
        ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
    let by_model = read(found.stream_models);
    if let Some(models) = by_model.as_ref().and_then(|models| models.as_object()).filter(|models| !models.is_empty()) {
        let models: serde_json::Map<_, _> =
            models.iter().map(|(model, usage)| (model.clone(), told(usage, OF_MODEL))).collect();
        return Some(json!({"models": models}));
    }
    let usage = told(&read(found.stream_usage)?, OF_RUN);
    // Of all that the session has used so far only the names are of use.
    let ever = read(found.stream_models_ever);
    let mut models = ever.iter().filter_map(|models| models.as_object()).flat_map(|models| models.keys());
    Some(match (models.next(), models.next()) {
        (Some(model), None) => json!({"models": {model.as_str(): usage}}),
        _ => usage,
    })
}
