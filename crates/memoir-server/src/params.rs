//! What the query string of a reading route can say.

use crate::errors::ApiError;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use memoir_event::{Kind, Source, nearest, parse_ms};
use memoir_journal::{Filter, Order, Page, PageToken};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads a body that must be a JSON object; `what` says what it should be.
pub(crate) fn object<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, ApiError> {
    if body.trim_ascii_start().first().is_some_and(|first| *first != b'{') {
        return Err(ApiError::validation(format!("the request is not {what}: it is no JSON object")));
    }
    serde_json::from_slice(body).map_err(|error| ApiError::validation(format!("the request is not {what}: {error}")))
}

/// How many events a page has if the request does not say.
const PAGE_DEFAULT: usize = 100;

/// The parameters of every reading route; each route says which of them it takes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    pub(crate) q: Option<String>,
    repo: Option<String>,
    session: Option<String>,
    thread: Option<String>,
    actor: Option<String>,
    from: Option<String>,
    to: Option<String>,
    item_type: Option<String>,
    #[serde(rename = "type")]
    event_type: Option<String>,
    source: Option<String>,
    limit: Option<usize>,
    order: Option<String>,
    cursor: Option<String>,
}

impl Params {
    /// The parameters, or a sentence about the one that is wrong.
    pub(crate) fn of(query: Result<Query<Params>, QueryRejection>) -> Result<Params, ApiError> {
        query.map(|Query(params)| params).map_err(|rejection| ApiError::validation(rejection.body_text()))
    }

    /// What events must match.
    pub(crate) fn filter(&self) -> Result<Filter, ApiError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(Filter {
            repo: given(&self.repo),
            session: given(&self.session),
            thread: given(&self.thread),
            actor: given(&self.actor),
            from_ms: time("from", self.from.as_deref())?,
            to_ms: time("to", self.to.as_deref())?,
            item_type: given(&self.item_type),
            event_type: given(&self.event_type).map(event_type).transpose()?,
            source: given(&self.source).map(|name| source(&name)).transpose()?,
        })
    }

    /// How many, at most `max`.
    pub(crate) fn limit(&self, max: usize) -> usize {
        self.limit.unwrap_or(PAGE_DEFAULT).min(max)
    }

    /// Which page of events.
    pub(crate) fn page(&self, max: usize) -> Result<Page, ApiError> {
        let order = order(self.order.as_deref())?.unwrap_or(Order::NewestFirst);
        Ok(Page { limit: self.limit(max), order, after: cursor(self.cursor.as_deref())? })
    }

    /// How many entries to skip, where a cursor is a count.
    pub(crate) fn skip(&self) -> Result<usize, ApiError> {
        self.cursor.as_deref().map_or(Ok(0), |text| text.parse().map_err(|_| bad_cursor()))
    }

    /// Refuses parameters that this route cannot honour, rather than answer as if they were not there.
    pub(crate) fn refuse(&self, route: &str, without: &[&str]) -> Result<(), ApiError> {
        let given = [
            ("q", self.q.is_some()),
            ("order", self.order.is_some()),
            ("type", self.event_type.is_some()),
            ("item_type", self.item_type.is_some()),
        ];
        match given.iter().find(|(name, given)| *given && without.contains(name)) {
            Some((name, _)) => Err(ApiError::validation(format!("{route} does not take the parameter `{name}`"))),
            None => Ok(()),
        }
    }
}

/// An RFC 3339 time; a `+` that the query string turned into a blank is put back.
pub(crate) fn time(name: &str, given: Option<&str>) -> Result<Option<i64>, ApiError> {
    let Some(text) = given.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    parse_ms(&text.replace(' ', "+")).map(Some).map_err(|error| ApiError::validation(format!("`{name}`: {error}")))
}

/// The order of that name.
pub(crate) fn order(given: Option<&str>) -> Result<Option<Order>, ApiError> {
    match given {
        None => Ok(None),
        Some("newest") => Ok(Some(Order::NewestFirst)),
        Some("oldest") => Ok(Some(Order::OldestFirst)),
        Some(_) => Err(ApiError::validation("`order` must be `newest` or `oldest`")),
    }
}

/// The place that an earlier answer gave as `next_cursor`.
pub(crate) fn cursor(given: Option<&str>) -> Result<Option<PageToken>, ApiError> {
    given.map(|text| PageToken::parse(text).ok_or_else(bad_cursor)).transpose()
}

fn bad_cursor() -> ApiError {
    ApiError::validation("`cursor` must be the `next_cursor` of an earlier answer")
}

fn event_type(name: String) -> Result<String, ApiError> {
    if Kind::is_type(&name) {
        return Ok(name);
    }
    let names = || Kind::ALL.iter().map(|kind| kind.as_str());
    let meant = nearest(&name, names()).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    let known = names().collect::<Vec<_>>().join(", ");
    Err(ApiError::validation(format!("`type` is not a known type{meant} (known are {known})")))
}

fn source(name: &str) -> Result<Source, ApiError> {
    Source::parse(name).ok_or_else(|| {
        let names = Source::ALL.iter().map(|source| source.as_str());
        let meant = nearest(name, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        ApiError::validation(format!("`source` is not a source that events come from{meant}"))
    })
}
