//! Forgetting over HTTP: invisible everywhere when the answer is out. Erasing is for the owner's own command line.

use crate::errors::{ApiError, json_answer};
use crate::limits::read_json_body;
use crate::params;
use crate::{App, Shared};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use memoir_journal::{Depth, View};
use memoir_recall::{ForgetError, Forgetter, Unwanted};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Ids of at most so many events are named in an answer.
const NAMED_MAX: usize = 1_000;

/// What a request may say.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    ids: Vec<String>,
    session: Option<String>,
    project: Option<String>,
    actor: Option<String>,
    text: Option<String>,
    from: Option<String>,
    to: Option<String>,
    reason: Option<String>,
    by: Option<String>,
    dry_run: bool,
    undo: Option<String>,
}

/// `POST /v1/forget`.
pub(crate) async fn forget(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let body = read_json_body(&app, request).await?;
    let worker = Arc::clone(&app);
    let answer = app.lanes.write(move || {
        let asked: Asked = params::object(&body.bytes, "a forgetting")?;
        drop(body);
        store(&worker, asked)
    });
    Ok(json_answer(StatusCode::OK, &answer.await?))
}

fn store(app: &App, asked: Asked) -> Result<Value, ApiError> {
    let forgetter =
        Forgetter { journal: &*app.journal, index: &app.index, redactor: &app.redactor, now_ms: (app.clock)() };
    if asked.undo.is_some() {
        return undo(app, &forgetter, asked);
    }
    let unwanted = Unwanted {
        ids: asked.ids,
        session: asked.session,
        project: asked.project,
        actor: asked.actor,
        text: asked.text,
        from_ms: params::time("from", asked.from.as_deref())?,
        to_ms: params::time("to", asked.to.as_deref())?,
    };
    if unwanted.is_nothing() {
        return Err(ApiError::validation("say what to forget: ids, session, project, actor, text, from or to"));
    }
    unwanted.check_reason(asked.reason.as_deref())?;
    let choice = forgetter.choose(&unwanted, &mut |_, _| !app.stopping.load(Ordering::Relaxed))?;
    let some: Vec<_> = choice.events.iter().copied().take(NAMED_MAX).collect();
    let ids: Vec<_> = app.journal.events(&some, &View::owner_all())?.iter().map(|event| event.id).collect();
    let (events, unknown) = (choice.events.len(), choice.unknown.clone());
    let says_nothing = events == 0 && unknown.is_empty() && unwanted.text.is_some();
    let hint = match events {
        0 if says_nothing => Some("nothing says that: nothing was changed"),
        0 => Some(
            "nothing is known of that; what may still come of it from before now stays away: `undo` takes that back",
        ),
        _ => None,
    };
    if asked.dry_run {
        return Ok(json!({"dry_run": true, "events": events, "event_ids": ids, "unknown": unknown, "hint": hint}));
    }
    if says_nothing {
        return Ok(json!({
            "name": null, "events": 0, "event_ids": [], "unknown": [], "hint": hint, "mirrors": [], "files": [],
            "not_reached": [], "problems": [],
        }));
    }
    let (name, seqs) = (app.names.forgetting(), choice.events.clone());
    forgetter.forget(choice.into_wish(Depth::Forget, name.clone(), asked.reason, asked.by))?;
    let copies = memoir_recall::take_out_of_copies(&*app.journal, &app.redactor, &seqs, &app.clock);
    Ok(json!({
        "name": name, "events": events, "event_ids": ids, "unknown": unknown, "hint": hint, "mirrors": copies.done,
        "files": copies.files, "not_reached": copies.beyond, "problems": copies.problems,
    }))
}

/// Takes a forgetting back, here and in what waits to be sent. Whoever was interrupted between the two asks again.
fn undo(app: &App, forgetter: &Forgetter<'_>, asked: Asked) -> Result<Value, ApiError> {
    let only = Asked { undo: asked.undo.clone(), by: asked.by.clone(), ..Asked::default() };
    if asked != only {
        return Err(ApiError::validation("what is undone goes by its name alone: pass nothing but `by` beside `undo`"));
    }
    let name = asked.undo.unwrap_or_default();
    let undone = forgetter.undo(&name, asked.by);
    let waiting = match &undone {
        Ok(_) | Err(ForgetError::Undone(_)) => (app.let_go)(&name).map_err(|problem| ApiError::busy(&problem))?,
        Err(_) => 0,
    };
    let events = match undone {
        Ok(entry) => entry.events,
        Err(ForgetError::Undone(_)) if waiting > 0 => 0,
        Err(error) => return Err(error.into()),
    };
    Ok(json!({"name": name, "undone": true, "events": events, "waiting": waiting}))
}

impl From<ForgetError> for ApiError {
    fn from(error: ForgetError) -> ApiError {
        match error {
            ForgetError::Recall(error) => error.into(),
            ForgetError::NoForgetting(_) => ApiError::not_found("NOT_FOUND", error.to_string()),
            ForgetError::Stopped => ApiError::busy("the server is stopping"),
            ForgetError::Unknown(_) => ApiError::validation(
                "one of the ids is none that anything could have: pass event ids, turns or memory ids",
            ),
            error => ApiError::validation(error.to_string()),
        }
    }
}
