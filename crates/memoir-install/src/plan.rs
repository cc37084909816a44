//! What has to change so that a client calls memoir, or no longer does.

use crate::change::{Change, read};
use crate::place::{Place, place};
use crate::{InstallError, Ledger};
use memoir_capture::install::{PlanError, Trust, trust_entries, with_hooks, with_trust, without_hooks, without_trust};
use memoir_event::Client;
use std::path::{Path, PathBuf};

/// The changes for one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The client.
    pub client: Client,
    /// Its hooks.
    pub hooks: Change,
    /// The list of what it trusts, if it has one.
    pub trust: Option<Change>,
}

impl Plan {
    /// The changes, in the order in which they are to be made.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        std::iter::once(&self.hooks).chain(&self.trust)
    }

    /// Whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.changes().any(Change::is_needed)
    }
}

/// What has to change so that a client with its settings in `dir` runs `command` at each event; none if it cannot.
pub fn plan(client: Client, dir: &Path, command: &str) -> Result<Option<Plan>, InstallError> {
    let Some(Place { hooks, trust: list }) = place(client, dir) else { return Ok(None) };
    let before = read(&hooks)?;
    let after = with_hooks(client, before.as_deref().unwrap_or_default(), command).map_err(wrong(&hooks))?;
    let trust = match list {
        None => None,
        Some(path) => {
            let entries = trust(&hooks, &after)?;
            let before = read(&path)?;
            let after = with_trust(before.as_deref().unwrap_or_default(), &entries).map_err(wrong(&path))?;
            Some(Change { path, before, after: Some(after) })
        }
    };
    Ok(Some(Plan { client, hooks: Change { path: hooks, before, after: Some(after) }, trust }))
}

/// What has to change so that the client no longer calls memoir.
pub fn undo_plan(client: Client, dir: &Path, ledger: &Ledger) -> Result<Option<Plan>, InstallError> {
    let Some(Place { hooks, trust: list }) = place(client, dir) else { return Ok(None) };
    let before = read(&hooks)?;
    let after = match &before {
        None => None,
        Some(text) => {
            let rest = without_hooks(client, text).map_err(wrong(&hooks))?;
            let is_clean = |original: &str| without_hooks(client, original).is_ok_and(|rest| rest == original);
            put_back(ledger, &hooks, text, rest, is_clean)
        }
    };
    let trust = match list {
        None => None,
        Some(path) => {
            let entries = trust(&hooks, before.as_deref().unwrap_or_default())?;
            let before = read(&path)?;
            let after = match &before {
                None => None,
                Some(text) => {
                    let rest = without_trust(text, &entries).map_err(wrong(&path))?;
                    let is_clean =
                        |original: &str| without_trust(original, &entries).is_ok_and(|rest| rest == original);
                    put_back(ledger, &path, text, rest, is_clean)
                }
            };
            Some(Change { path, before, after })
        }
    };
    Ok(Some(Plan { client, hooks: Change { path: hooks, before, after }, trust }))
}

/// The file as it was before memoir came, if that is known; else without memoir's part; else not at all, if nothing but
/// memoir's part was in it.
fn put_back(ledger: &Ledger, path: &Path, now: &str, rest: String, is_clean: impl Fn(&str) -> bool) -> Option<String> {
    match ledger.original(path, now) {
        Some(None) => None,
        Some(Some(original)) if is_clean(&original) => Some(original),
        _ if ledger.is_new(path) && matches!(rest.trim(), "" | "{}") => None,
        _ => Some(rest),
    }
}

/// What Codex must trust to run memoir's hooks. It knows a file by its real path if `CODEX_HOME` names the directory,
/// and by the path through `~/.codex` if not: where the two differ, both are needed.
pub(crate) fn trust(hooks: &Path, text: &str) -> Result<Vec<Trust>, InstallError> {
    let real = hooks.parent().and_then(|dir| dir.canonicalize().ok()).zip(hooks.file_name());
    let real = real.map(|(dir, name)| dir.join(name)).filter(|real| real != hooks);
    let mut entries = Vec::new();
    for path in std::iter::once(hooks).chain(real.as_deref()) {
        entries.extend(trust_entries(&path.to_string_lossy(), text).map_err(wrong(hooks))?);
    }
    Ok(entries)
}

pub(crate) fn wrong(path: &Path) -> impl FnOnce(PlanError) -> InstallError {
    let path = PathBuf::from(path);
    move |problem| InstallError::Plan { path, problem }
}
