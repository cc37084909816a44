//! Whether the models that are configured can be used.

use super::{bad, good};
use crate::clients;
use crate::commands::Context;
use crate::commands::embed::described;
use crate::commands::models::Waits;
use crate::commands::times;
use crate::home::Life;
use memoir_event::Client;
use memoir_model::Embedder as _;
use memoir_record::Check;
use memoir_session::silent_since;
use serde_json::Value;
use std::time::Instant;

/// What is sent to see whether a model is there.
const PROBE: &str = "memoir";

/// Says nothing where nothing is configured.
pub fn check(context: &Context) -> Vec<Check> {
    let settings = &context.settings;
    let mut checks = Vec::new();
    if settings.embeddings.url.is_some() {
        let (check, dimension) = embeddings(context);
        checks.push(check);
        checks.extend(vectors(context, dimension));
    }
    if settings.has_model() {
        checks.push(model(context));
    }
    checks.extend(compressor(context));
    checks
}

/// Whether what is to make digests was there when it was asked last.
fn compressor(context: &Context) -> Option<Check> {
    const FIX: &str = "see that `codex exec` works, or set compressor.enabled to false; until then rules make digests";
    if !context.settings.compressor.is_on {
        return None;
    }
    if !clients::is_installed(Client::Codex) {
        return Some(bad("compressor", "there is no program `codex` on the search path".to_owned(), FIX));
    }
    let kept = std::fs::read(context.home.compressor_file()).unwrap_or_default();
    let kept: Value = serde_json::from_slice(&kept).unwrap_or_default();
    let when = kept["checked_ms"].as_i64().map(times::local);
    Some(match (kept["is_on"].as_bool(), when) {
        (Some(true), Some(when)) => {
            let model = kept["model"].as_str().unwrap_or("the model that codex has by itself");
            good("compressor", format!("{model} answered when it was tried last, {when}"))
        }
        (Some(false), Some(when)) => {
            bad("compressor", format!("no model answered when it was asked last, {when}"), FIX)
        }
        _ => good("compressor", "not tried yet: the next session tries it".to_owned()),
    })
}

/// With how long the model's vectors are, if it answers.
fn embeddings(context: &Context) -> (Check, Option<usize>) {
    const FIX: &str = "start it, or correct [embeddings] in config.toml; until then words alone rank";
    const SLOW: &str = "use a faster one, or let questions wait longer with embeddings.timeout_ms";
    let model = match context.embedding_model(Waits::Doctor) {
        Ok(Some(model)) => model,
        Ok(None) => return (good("embeddings", "none are configured".to_owned()), None),
        Err(error) => return (bad("embeddings", format!("{error:#}"), FIX), None),
    };
    if let Err(error) = model.embed(&[PROBE]) {
        return (bad("embeddings", error.to_string(), FIX), None);
    }
    let dimension = model.identity().map(|identity| identity.dimension);
    let by = model.identity().map_or_else(|| model.model().to_owned(), |identity| identity.to_string());
    let by = format!("{by} at {}", model.host());
    // It is awake now; is it fast enough for somebody who waits?
    let start = Instant::now();
    let check = match context.embedding_model(Waits::Question).map(|model| model.map(|model| model.embed(&[PROBE]))) {
        Ok(Some(Err(error))) => bad("embeddings", format!("{by} is too slow for questions: {error}"), SLOW),
        _ => good("embeddings", format!("{by} answered in {} ms", start.elapsed().as_millis())),
    };
    (check, dimension)
}

fn vectors(context: &Context, dimension: Option<usize>) -> Option<Check> {
    let journal = context.existing_journal(Life::Short).ok().flatten()?;
    let redactor = context.settings.redactor().ok()?;
    Some(match context.vectors().status(&journal, &redactor) {
        Ok(status) => {
            let other = status.made_by.as_ref().map(|made_by| &made_by.model);
            let is_other = other.is_some() && other != context.settings.embeddings.name.as_ref();
            let made = status.made_by.as_ref().map(|made_by| made_by.dimension);
            if !is_other && let (Some(made), Some(now)) = (made, dimension.filter(|now| made != Some(*now))) {
                let detail = format!("{} have {made} numbers, and the model makes {now} now", described(&status));
                return Some(bad(
                    "vectors",
                    detail,
                    "run `memoir embed`: it makes them anew; until then words alone rank",
                ));
            }
            let note = if is_other { "; that is another model: `memoir embed` makes them anew" } else { "" };
            good("vectors", format!("{}{note}", described(&status)))
        }
        Err(error) => bad("vectors", error.to_string(), "run `memoir verify`"),
    })
}

/// A model is only asked when somebody asks: an answer may cost something.
fn model(context: &Context) -> Check {
    match context.chat_model() {
        Ok(Some(model)) if silent(context).is_some() => {
            let since = silent(context).map(times::local).unwrap_or_default();
            let detail =
                format!("{} at {} told no archive when it was asked last, {since}", model.name(), model.place());
            bad(
                "model",
                detail,
                "see that it is there and has budget left; archives wait for it as the rules chose them",
            )
        }
        Ok(Some(model)) => {
            let told = if context.settings.model_archives { " and tells archives" } else { "" };
            good(
                "model",
                format!("{} at {} answers for `memoir ask`{told}{}", model.name(), model.place(), spent(context)),
            )
        }
        Ok(None) => good("model", "none is configured".to_owned()),
        Err(error) => {
            bad("model", format!("{error:#}"), "correct [model] in config.toml; until then there is only evidence")
        }
    }
}

/// When the model was asked last and was not there, if it is to tell archives.
fn silent(context: &Context) -> Option<i64> {
    let journal = context.existing_journal(Life::Short).ok().flatten().filter(|_| context.settings.model_archives)?;
    silent_since(&journal).ok().flatten()
}

fn spent(context: &Context) -> String {
    let journal = context.existing_journal(Life::Short).ok().flatten();
    let spent = journal.and_then(|journal| context.settings.model_budget.described(&journal).ok());
    spent.map(|spent| format!("; {spent}")).unwrap_or_default()
}
