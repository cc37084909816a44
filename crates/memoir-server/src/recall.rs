//! Recall over HTTP: few, ranked, budgeted blocks.

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::params;
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_journal::{Audience, Filter, View};
use memoir_recall::{RecallError, Request as RecallRequest, to_json};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// More blocks than this are not given at once.
const LIMIT_MAX: usize = 100;

/// What a request may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    query: Option<String>,
    /// One project, or several.
    project: Option<OneOrMore>,
    session: Option<String>,
    not_session: Option<String>,
    /// The project that the reader is in.
    here: Option<String>,
    files: Vec<String>,
    actor: Option<String>,
    from: Option<String>,
    to: Option<String>,
    limit: Option<usize>,
    budget: Option<usize>,
    min_confidence: Option<f32>,
    blocked_kinds: Vec<memoir_event::Kind>,
    blocked_sources: Vec<memoir_event::Source>,
}

/// A text, or a list of texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OneOrMore(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<OneOrMore, D::Error> {
        let error = || serde::de::Error::custom("expected a text or a list of texts");
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(OneOrMore(vec![text])),
            Value::Array(list) => {
                let texts = list.into_iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(error));
                Ok(OneOrMore(texts.collect::<Result<_, _>>()?))
            }
            _ => Err(error()),
        }
    }
}

/// `POST /v1/recall`.
pub(crate) async fn recall(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.read(move || {
        let request = wanted(&body.bytes, (worker.clock)())?;
        drop(body);
        answer(&worker, &request)
    });
    Ok(json_answer(StatusCode::OK, &answer.await?))
}

fn answer(app: &App, request: &RecallRequest) -> Result<Value, ApiError> {
    let mut go_on = |_, _| !app.stopping.load(Ordering::Relaxed);
    Ok(to_json(&app.recall.recall(&*app.journal, &app.index, request, &mut go_on)?))
}

fn wanted(body: &[u8], now_ms: i64) -> Result<RecallRequest, ApiError> {
    let asked: Asked = params::object(body, "a recall")?;
    let query = asked.query.ok_or_else(|| ApiError::validation("the request has no `query`"))?;
    if query.trim().is_empty() && asked.files.is_empty() {
        return Err(ApiError::validation("the `query` is empty: say what it is about"));
    }
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let mut request = RecallRequest::new(&query, View::of(Audience::Recall), now_ms);
    request.filter = Filter {
        session: given(asked.session),
        actor: given(asked.actor),
        from_ms: params::time("from", asked.from.as_deref())?,
        to_ms: params::time("to", asked.to.as_deref())?,
        ..Filter::default()
    };
    request.projects = asked.project.map(|projects| projects.0).unwrap_or_default();
    request.not_session = given(asked.not_session);
    request.here = given(asked.here);
    request.files = asked.files;
    request.limit = asked.limit.unwrap_or(request.limit).min(LIMIT_MAX);
    request.budget_tokens = asked.budget.or(request.budget_tokens);
    (request.blocked_kinds, request.blocked_sources) = (asked.blocked_kinds, asked.blocked_sources);
    if let Some(share) = asked.min_confidence {
        if !(0.0..=1.0).contains(&share) {
            return Err(ApiError::validation("`min_confidence` must be a share from 0 to 1"));
        }
        request.min_confidence = share;
    }
    Ok(request)
}

impl From<RecallError> for ApiError {
    fn from(error: RecallError) -> ApiError {
        match error {
            RecallError::Journal(error) => error.into(),
            RecallError::Index(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_misspelt_is_refused() {
        let refused = |body: &str| wanted(body.as_bytes(), 0).unwrap_err().message;
        assert!(refused(r#"{"query":"x","buget":3}"#).contains("buget"));
        assert!(refused(r#"{"query":"x","min_confidence":7}"#).contains("share"));
        assert!(refused(r#"{"query":"x","from":"yesterday"}"#).contains("`from`"));
        assert!(refused(r#"{"query":3}"#).contains("not a recall"));
        let both = wanted(br#"{"query":"x","project":["a","b"],"limit":100000}"#, 0).unwrap();
        assert_eq!((both.projects.len(), both.limit), (2, LIMIT_MAX));
    }

    proptest! {
        #[test]
        fn any_body_is_a_request_or_an_error(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = wanted(&body, 0);
        }
    }
}
