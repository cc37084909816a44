//! Raw records out: what was asked for, as far as the key allows it.

use crate::auth::{self, Scope, Scopes};
use crate::errors::{ApiError, json_bytes};
use crate::limits::read_json_body;
use crate::pages::{self, Going, Listed};
use crate::params;
use crate::search;
use crate::{App, Shared};
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_event::Secrecy;
use memoir_index::Window;
use memoir_journal::{Audience, Filter, Order, Page, PageToken, Seq, StoredEvent, View};
use memoir_recall::Form;
use memoir_record::wire::{RecallRecord, RecallRequest};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What we understand beyond the contract of the raw journal.
#[derive(Debug, Default, Deserialize)]
struct Further {
    #[serde(default)]
    order: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Rest {
    total_candidates: usize,
    next_cursor: Option<String>,
}

/// A checked request.
struct Wanted {
    query: Option<String>,
    filter: Filter,
    view: View,
    limit: usize,
    order: Order,
    after: Option<PageToken>,
}

/// `POST /v1/recall/raw`.
pub(crate) async fn raw(
    State(app): State<Shared>,
    Extension(scopes): Extension<Scopes>,
    request: Request,
) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let json = app.lanes.read(move || {
        let wanted = wanted(&body.bytes, scopes, worker.settings.page_max)?;
        drop(body);
        let listed = match &wanted.query {
            _ if wanted.limit == 0 => Listed::default(),
            Some(query) => matching(&worker, query, &wanted)?,
            None => page(&worker, &wanted)?,
        };
        let more = usize::from(listed.next.is_some());
        let next_cursor = listed.next.map(|next| next.to_string());
        let rest = Rest { total_candidates: listed.count + more, next_cursor };
        listed.into_object("records", &rest)
    });
    Ok(json_bytes(StatusCode::OK, json.await?))
}

fn wanted(body: &[u8], scopes: Scopes, page_max: usize) -> Result<Wanted, ApiError> {
    let unreadable =
        |error: serde_json::Error| ApiError::validation(format!("the request is not a raw recall: {error}"));
    let request: RecallRequest = serde_json::from_slice(body).map_err(unreadable)?;
    let further: Further = serde_json::from_slice(body).map_err(unreadable)?;
    let range = request.temporal.unwrap_or_default();
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let wanted = Wanted {
        view: view(scopes, request.include_private_scratch, request.include_sealed, request.secrecy_levels.as_deref())?,
        filter: Filter {
            session: given(request.session_id),
            from_ms: params::time("temporal.start", range.start.as_deref())?,
            to_ms: params::time("temporal.end", range.end.as_deref())?,
            ..Filter::default()
        },
        query: given(request.query),
        limit: request.limit.min(page_max),
        order: params::order(further.order.as_deref())?.unwrap_or(Order::OldestFirst),
        after: params::cursor(further.cursor.as_deref())?,
    };
    if wanted.query.is_some() && wanted.after.is_some() {
        return Err(ApiError::validation("`cursor` pages by time and cannot go with `query`"));
    }
    Ok(wanted)
}

/// What raw clients see, widened by what was asked for; an error if the key may not have that.
fn view(scopes: Scopes, private: bool, sealed: bool, levels: Option<&[Secrecy]>) -> Result<View, ApiError> {
    let mut view = View::of(Audience::Raw);
    if private {
        view = view.with_private();
    }
    if sealed {
        auth::require(scopes, Scope::Secret, "`include_sealed`")?;
        view = view.with_sealed();
    }
    let Some(levels) = levels else { return Ok(view) };
    if levels.contains(&Secrecy::Secret) {
        auth::require(scopes, Scope::Secret, "the secrecy level `secret`")?;
        view = view.with_secret();
    }
    Ok(view.only(levels))
}

fn page(app: &App, wanted: &Wanted) -> Result<Listed, ApiError> {
    let page = Page { limit: wanted.limit, order: wanted.order, after: wanted.after };
    let gate = app.gate(Form::Verbatim);
    let record = |stored: StoredEvent| gate.event(stored).map(|stored| RecallRecord::from(&stored));
    pages::list(&*app.journal, (&wanted.filter, &wanted.view), page, app.settings.answer_bytes_max, record)
}

/// The best matches, then by time.
fn matching(app: &App, query: &str, wanted: &Wanted) -> Result<Listed, ApiError> {
    let window = Window { skip: 0, limit: wanted.limit };
    let hits = search::find(app, query, (&wanted.filter, &wanted.view), window)?.hits;
    let found: Vec<Seq> = hits.iter().map(|hit| hit.seq).collect();
    let mut places: Vec<(i64, Seq)> = Vec::with_capacity(found.len());
    pages::each(&*app.journal, &found, &wanted.view, |stored| {
        places.push((stored.ts_ms, stored.seq));
        Ok(Going::On)
    })?;
    places.sort_unstable();
    if wanted.order == Order::NewestFirst {
        places.reverse();
    }
    let seqs: Vec<Seq> = places.into_iter().map(|(_, seq)| seq).collect();
    let mut listed = Listed::default();
    let gate = app.gate(Form::Verbatim);
    pages::each(&*app.journal, &seqs, &wanted.view, |stored| {
        let Some(stored) = gate.event(stored) else { return Ok(Going::On) };
        listed.push(&RecallRecord::from(&stored))?;
        Ok(listed.going(app.settings.answer_bytes_max))
    })?;
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_shown_that_was_not_asked_for_or_is_not_allowed() {
        let read = Scopes::of(&[Scope::Read]);
        let plain = wanted(b"{}", read, 1000).unwrap();
        assert_eq!((plain.view, plain.limit, plain.order), (View::of(Audience::Raw), 10, Order::OldestFirst));
        for body in [&br#"{"include_sealed":true}"#[..], br#"{"secrecy_levels":["public","secret"]}"#] {
            assert_eq!(wanted(body, read, 1000).err().map(|error| error.status.as_u16()), Some(403));
            assert!(wanted(body, Scopes::ALL, 1000).is_ok());
        }
        assert_eq!(wanted(br#"{"limit":5000}"#, read, 1000).unwrap().limit, 1000);
    }

    proptest! {
        #[test]
        fn any_body_is_a_request_or_an_error(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = wanted(&body, Scopes::ALL, 1000);
        }
    }
}
