//! The models that somebody configured, ready to be asked.

use super::Context;
use super::hook::OWN_AGENT;
use super::remote::proxy_to;
use crate::exit::Usage;
use crate::home::non_empty;
use crate::print;
use crate::settings::{ModelAccess, ModelKind, Settings};
use anyhow::Result;
use memoir_model::{Agent, ChatModel, ChatSettings, EmbeddingModel, EmbeddingSettings, ModelError, Secret};
use memoir_recall::{Meaning, Recall};
use memoir_redact::Redactor;
use memoir_vectors::VectorMeaning;
use std::sync::Arc;
use std::time::Duration;

/// A model that says nothing for so long is not there for `memoir doctor`.
const DOCTOR_TIMEOUT_MS: u64 = 5_000;

/// Who waits for an embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// Somebody with a question.
    Question,
    /// Nobody: many are made.
    Building,
    /// Somebody who wants to know whether it is there; it may have to wake up first.
    Doctor,
}

/// Where a model is, what it is called, and the key for it.
struct Reached {
    url: String,
    model: String,
    key: Option<Secret>,
    proxy: Option<String>,
}

impl Context {
    /// The embedding model; none if none is configured.
    pub fn embedding_model(&self, waits: Waits) -> Result<Option<EmbeddingModel>> {
        let settings = &self.settings;
        let Some(Reached { url, model, key, proxy }) = reached(&settings.embeddings, "embeddings.model", "embeddings")?
        else {
            return Ok(None);
        };
        let timeout = Duration::from_millis(match waits {
            Waits::Question => settings.embeddings.timeout_ms,
            Waits::Building => settings.embeddings_build_timeout_ms,
            Waits::Doctor => settings.embeddings_build_timeout_ms.min(DOCTOR_TIMEOUT_MS),
        });
        let model = EmbeddingModel::new(EmbeddingSettings { url, model, key, proxy, timeout });
        Ok(Some(model.map_err(|error| unfit("embeddings", &error))?))
    }

    /// Recall as the settings want it.
    pub fn recall(&self, redactor: &Arc<Redactor>) -> Recall {
        let recall = Recall::new(Arc::clone(redactor)).with_meaning(self.meaning(redactor));
        recall.without(self.settings.blocked.clone())
    }

    /// What recall can ask about meaning. A model that cannot be used is told of, and words alone rank.
    pub fn meaning(&self, redactor: &Arc<Redactor>) -> Option<Arc<dyn Meaning>> {
        match self.embedding_model(Waits::Question) {
            Ok(model) => {
                let (vectors, redactor) = (Arc::new(self.vectors()), Arc::clone(redactor));
                Some(Arc::new(VectorMeaning::new(vectors, Arc::new(model?), redactor)))
            }
            Err(error) => {
                print::warn(&format!("{error:#}; words alone rank"));
                None
            }
        }
    }

    /// The model that answers; none if none is configured.
    pub fn chat_model(&self) -> Result<Option<ChatModel>> {
        chat_model(&self.settings)
    }
}

/// The model that answers; none if none is configured.
pub fn chat_model(settings: &Settings) -> Result<Option<ChatModel>> {
    let timeout = Duration::from_millis(settings.model.timeout_ms);
    let kind = match settings.model_kind {
        Some(ModelKind::Agent(kind)) => {
            let (program, model) = (kind.as_str().into(), settings.model.name.clone());
            let agent = Agent { kind, program, model, thinking: None, marker: (OWN_AGENT, "model") };
            return Ok(Some(ChatModel::of_agent(agent, timeout)));
        }
        Some(ModelKind::Http(kind)) => Some(kind),
        None => None,
    };
    let Some(Reached { url, model, key, proxy }) = reached(&settings.model, "model.name", "model")? else {
        return Ok(None);
    };
    let model = ChatModel::new(ChatSettings { url, model, key, proxy, timeout, kind });
    Ok(Some(model.map_err(|error| unfit("model", &error))?))
}

fn reached(access: &ModelAccess, name_key: &str, section: &str) -> Result<Option<Reached>> {
    let Some(url) = access.url.clone() else { return Ok(None) };
    let unnamed = || {
        let message = format!("{section}.url is set, but no model: name it with `memoir config set {name_key} NAME`");
        Usage(message)
    };
    let model = access.name.clone().ok_or_else(unnamed)?;
    let key = match (&access.key, &access.key_env) {
        (None, Some(name)) => {
            let unset = || Usage(format!("{section}.key_env names the variable {name}, which is not set"));
            Some(non_empty(name).as_deref().and_then(Secret::new).ok_or_else(unset)?)
        }
        (key, _) => key.clone(),
    };
    let proxy = proxy_to(&url);
    Ok(Some(Reached { url, model, key, proxy }))
}

fn unfit(section: &str, error: &ModelError) -> Usage {
    Usage(format!("the settings in [{section}] do not fit: {error}"))
}

/// Names of variables that hold keys: they mean something, whatever they begin with.
pub fn key_variables(settings: &Settings) -> impl Iterator<Item = &str> {
    [&settings.embeddings.key_env, &settings.model.key_env].into_iter().flatten().map(String::as_str)
}
