//! Full-text search: the best hits first, with the words that matched marked.

use crate::errors::{ApiError, json_bytes};
use crate::pages::{self, Going, Listed};
use crate::params::Params;
use crate::read::VIEW;
use crate::{App, Shared};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_event::Envelope;
use memoir_index::{HITS_MAX, Hits, Snippet, Window};
use memoir_journal::{Filter, Seq, View};
use memoir_recall::Form;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// About how long a snippet is.
const SNIPPET_CHARS: usize = 240;

#[derive(Serialize)]
struct HitItem {
    event: Envelope,
    record_id: String,
    score: f32,
    snippet: SnippetItem,
}

/// A part of the text; `marks` says what in it matched, from and to in bytes.
#[derive(Serialize)]
struct SnippetItem {
    text: String,
    marks: Vec<(usize, usize)>,
    cut_before: bool,
    cut_after: bool,
}

impl From<Snippet> for SnippetItem {
    fn from(snippet: Snippet) -> SnippetItem {
        SnippetItem {
            marks: snippet.marks.iter().map(|mark| (mark.start, mark.end)).collect(),
            text: snippet.text,
            cut_before: snippet.cut_before,
            cut_after: snippet.cut_after,
        }
    }
}

#[derive(Serialize)]
struct Rest {
    next_cursor: Option<String>,
    notes: Vec<String>,
}

/// `GET /v1/search`.
pub(crate) async fn search(
    State(app): State<Shared>,
    query: Result<Query<Params>, QueryRejection>,
) -> Result<Response, ApiError> {
    let params = Params::of(query)?;
    params.refuse("the search", &["order"])?;
    let filter = params.filter()?;
    let window = Window { skip: params.skip()?, limit: params.limit(app.settings.page_max) };
    let q = params.q.ok_or_else(|| ApiError::validation("the search needs the parameter `q`"))?;
    let worker = Arc::clone(&app);
    let json = app.lanes.read(move || answer(&worker, &q, &filter, window));
    Ok(json_bytes(StatusCode::OK, json.await?))
}

fn answer(app: &App, query: &str, filter: &Filter, window: Window) -> Result<Vec<u8>, ApiError> {
    let found = find(app, query, (filter, &VIEW), window)?;
    let scores: HashMap<Seq, (usize, f32)> =
        found.hits.iter().enumerate().map(|(at, hit)| (hit.seq, (at, hit.score))).collect();
    let seqs: Vec<Seq> = found.hits.iter().map(|hit| hit.seq).collect();
    let mut listed = Listed::default();
    // How many of the hits this answer covers, those included that may not be shown any more.
    let mut covered = seqs.len();
    let gate = app.gate(Form::Shown);
    pages::each(&*app.journal, &seqs, &VIEW, |stored| {
        let Some(stored) = gate.event(stored) else { return Ok(Going::On) };
        let (at, score) = scores.get(&stored.seq).copied().unwrap_or_default();
        let snippet = found.marker.snippet(&gate.text(&stored.event.content.plain()), SNIPPET_CHARS).into();
        let record_id = stored.uuid().to_string();
        listed.push(&HitItem { event: stored.into_envelope(), record_id, score, snippet })?;
        let going = listed.going(app.settings.answer_bytes_max);
        if going == Going::Enough {
            covered = at + 1;
        }
        Ok(going)
    })?;
    let reached = window.skip.saturating_add(covered);
    let more = (found.more || covered < seqs.len()) && covered > 0 && reached < HITS_MAX;
    let notes = found.notes.iter().map(ToString::to_string).collect();
    listed.into_object("hits", &Rest { next_cursor: more.then(|| reached.to_string()), notes })
}

/// The best events that match `query`, chosen among those that the filter and the view let through.
pub(crate) fn find(app: &App, query: &str, (filter, view): (&Filter, &View), window: Window) -> Result<Hits, ApiError> {
    let selection = app.journal.select(filter, view)?;
    let query = memoir_index::Query::parse(query);
    let mut go_on = |_, _| !app.stopping.load(Ordering::Relaxed);
    Ok(app.index.search(&*app.journal, &query, &selection, window, &mut go_on)?)
}
