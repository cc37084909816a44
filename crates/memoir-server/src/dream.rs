//! Dreaming over HTTP: `POST /v1/lifecycle/dream-tick`, in the words of others who have it.

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_dream::{DreamError, DreamWish, Dreamer, Dreamt};
use memoir_event::{Secrecy, Trigger};
use memoir_session::{Effort, SessionError, SessionName, Sessions};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A request dreams so many archives, if it does not say how many.
const GROUPS_DEFAULT: usize = 10;

/// What a request may say. A group is an archive. What is private, sealed or secret is counted and never read, whoever
/// asks for it: those fields are known and change nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    session_id: Option<String>,
    dry_run: bool,
    max_groups: Option<usize>,
    #[serde(rename = "include_private_scratch")]
    _include_private_scratch: bool,
    #[serde(rename = "include_sealed")]
    _include_sealed: bool,
    promote_semantic: Option<bool>,
    #[serde(rename = "secrecy_levels")]
    _secrecy_levels: Option<Vec<Secrecy>>,
}

/// `POST /v1/lifecycle/dream-tick`.
pub(crate) async fn tick(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.write(move || {
        let bytes = if body.bytes.trim_ascii().is_empty() { b"{}".as_slice() } else { body.bytes.as_slice() };
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(ApiError::validation("the request is no wish to dream: it must be an object"));
        }
        let asked: Asked = serde_json::from_slice(bytes)
            .map_err(|error| ApiError::validation(format!("the request is no wish to dream: {error}")))?;
        drop(body);
        dream(&worker, asked)
    });
    Ok(json_answer(StatusCode::OK, &answer.await?))
}

fn dream(app: &App, asked: Asked) -> Result<Value, ApiError> {
    let Asked { session_id, dry_run, max_groups, promote_semantic, .. } = asked;
    // What nobody wants to be made into memories yet waits for the next time.
    let makes_nothing = dry_run || promote_semantic == Some(false);
    let owner = format!("dream-tick {}", std::process::id());
    let sessions = Sessions {
        journal: &*app.journal,
        redactor: &app.redactor,
        clock: &app.clock,
        rules: app.settings.commit_rules,
        owner: &owner,
        is_alive: &*app.is_alive,
    };
    let session = session_id.as_deref().map(|name| sessions.meant(name)).transpose()?;
    let groups_max = max_groups.unwrap_or(GROUPS_DEFAULT);
    let to_come = if (app.is_paused)() { Vec::new() } else { commit(app, &sessions, session.as_ref(), dry_run)? };
    let wish = DreamWish {
        session: session.map(|session| (session.client, session.id)),
        archives_max: Some(groups_max),
        dry_run: makes_nothing,
        ..DreamWish::default()
    };
    let dreamer = Dreamer { journal: &*app.journal, redactor: &app.redactor, clock: &app.clock };
    let mut dreamt = dreamer.dream(&wish, &mut |_, _| !app.stopping.load(Ordering::Relaxed))?;
    if dreamt.is_busy {
        return Err(ApiError::busy("another process dreams now: try again"));
    }
    let left = groups_max.saturating_sub(usize::try_from(dreamt.archives).unwrap_or(usize::MAX));
    for events in to_come.into_iter().take(left) {
        dreamt.archives += 1;
        dreamt.events += u64::try_from(events).unwrap_or(u64::MAX);
    }
    Ok(answer(&dreamt, makes_nothing))
}

/// Only what was committed is dreamt: what is over is committed before, and a session that is asked for by its name, over
/// or not. A dry run says how many events each of these archives would have.
fn commit(
    app: &App,
    sessions: &Sessions<'_>,
    named: Option<&SessionName>,
    dry_run: bool,
) -> Result<Vec<usize>, ApiError> {
    if dry_run {
        let mut pending = sessions.pending()?;
        pending.retain(|one| named.map_or_else(|| one.due.is_some(), |named| one.session == *named));
        return Ok(pending.into_iter().map(|one| one.events).collect());
    }
    let problem = match named {
        Some(named) => sessions.commit(named, Trigger::Asked, Effort::ALL).err(),
        None => sessions.work_off(&mut |_| !app.stopping.load(Ordering::Relaxed))?.problem,
    };
    problem.map_or(Ok(Vec::new()), |problem| Err(problem.into()))
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> ApiError {
        match error {
            SessionError::Journal(error) => error.into(),
        }
    }
}

fn answer(dreamt: &Dreamt, makes_nothing: bool) -> Value {
    let semantic = if makes_nothing { 0 } else { dreamt.made - dreamt.episodes };
    json!({
        "groups_processed": dreamt.archives,
        "raw_records_processed": dreamt.events,
        "episodic_summaries_created": if makes_nothing { dreamt.archives } else { dreamt.episodes },
        "semantic_nodes_created": semantic,
    })
}

impl From<DreamError> for ApiError {
    fn from(error: DreamError) -> ApiError {
        match error {
            DreamError::Journal(error) => error.into(),
            DreamError::Memory(error) => error.into(),
        }
    }
}
