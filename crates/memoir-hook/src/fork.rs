//! What a session takes over that began as a copy of another: what was said there, and what was shown to it.

use crate::inject::{InjectError, Injector};
use crate::shown::Shown;
use memoir_capture::HookCall;
use memoir_event::{Client, Time};
use memoir_journal::{Cursor, Filter, Order, Page, View};
use memoir_record::fork_cursor;
use serde_json::Value;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A client tells in whole seconds when the last answer came, and hooks hear of that a moment later.
const NEAR_MS: i64 = 5_000;
/// So many events about that moment are looked at.
const EVENTS_MAX: usize = 64;
/// So many of the last sessions.
const SESSIONS_MAX: usize = 16;
/// A rollout names the thread that it goes on from at the beginning of its first line.
const HEAD_BYTES: u64 = 4 << 10;
const FORKED: &str = "\"forked_from_id\":\"";

/// Where a session began as a copy.
struct Origin {
    /// The client's own id of the other one.
    session: String,
    /// What was said in it by then was copied.
    until_ms: i64,
}

/// The cursor which says that a session begins as a copy, and when what it copies ended, as far as its client tells.
pub(crate) fn began_as_copy(call: &HookCall, payload: &str, now: &Time) -> Cursor {
    let told: Value = serde_json::from_str(payload).unwrap_or_default();
    let seconds = told.get("seconds_since_last_response").and_then(Value::as_u64);
    let age_ms = seconds.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1_000));
    let answered_ms = age_ms.map(|age_ms| now.ms().saturating_sub(age_ms).to_string());
    Cursor { position: answered_ms.unwrap_or_default(), ..fork_cursor(call.client, &call.session) }
}

impl Injector {
    /// What a session was shown, as its row says; where it has none yet, what it was shown as the session that it copies.
    pub(crate) fn shown_of(&self, call: &HookCall, row: Option<&Cursor>) -> Result<Shown, InjectError> {
        if let Some(row) = row {
            return Ok(Shown::of(row));
        }
        let new = Shown::new(call.client, &call.session);
        let Some(origin) = self.origin_of(call)?.filter(|origin| origin.session != call.session) else {
            return Ok(new);
        };
        let known = Shown::read(&*self.journal, call.client, &origin.session)?.unwrap_or_default();
        Ok(new.copying(&known, &Client::shown_session(Some(call.client), &origin.session), origin.until_ms))
    }

    fn origin_of(&self, call: &HookCall) -> Result<Option<Origin>, InjectError> {
        match call.client {
            Client::Codex => {
                let session = call.transcript.as_deref().and_then(|path| forked_from(Path::new(path)));
                Ok(session.map(|session| Origin { session, until_ms: (self.clock)() }))
            }
            // Nothing names the other one, and the file is not there before the first answer.
            Client::Claude => match self.journal.cursor(&fork_cursor(call.client, &call.session).stream)? {
                Some(fork) => self.copied_about(call, fork.position.parse().ok()),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The session of the project that said something at that moment, or else the last one.
    fn copied_about(&self, call: &HookCall, answered_ms: Option<i64>) -> Result<Option<Origin>, InjectError> {
        let (project, view) = (Some(self.project(call)), View::owner_all());
        let is_other = |client: Option<Client>, session: &str| client == Some(call.client) && session != call.session;
        if let Some(at_ms) = answered_ms {
            let (from_ms, to_ms) = (Some(at_ms.saturating_sub(NEAR_MS)), Some(at_ms.saturating_add(NEAR_MS)));
            let filter = Filter { repo: project.clone(), from_ms, to_ms, ..Filter::default() };
            let about = self.journal.page(&filter, &view, &Page::first(EVENTS_MAX, Order::NewestFirst))?.events;
            let others = about.into_iter().filter(|one| is_other(one.event.client, &one.event.session));
            if let Some(nearest) = others.min_by_key(|one| one.ts_ms.abs_diff(at_ms)) {
                let until_ms = at_ms.saturating_add(NEAR_MS).min((self.clock)());
                return Ok(Some(Origin { session: nearest.event.session, until_ms }));
            }
        }
        let filter = Filter { repo: project, ..Filter::default() };
        let last = self.journal.sessions(&filter, &view, SESSIONS_MAX, 0)?;
        let last = last.into_iter().find(|entry| is_other(entry.client, &entry.session));
        Ok(last.map(|entry| Origin { session: entry.session, until_ms: (self.clock)() }))
    }
}

/// The thread that a rollout goes on from.
fn forked_from(rollout: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(rollout).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let (_, rest) = head.lines().next()?.split_once(FORKED)?;
    let (thread, _) = rest.split_once('"')?;
    (!thread.is_empty()).then(|| thread.to_owned())
}
