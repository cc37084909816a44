//! `project.json`: what project a mirror belongs to.

use crate::error::{MirrorError, refused};
use crate::files;
use crate::layout::Layout;
use memoir_event::format_ms;
use serde_json::{Map, Value};

const SCHEMA: &str = "codaph.project.v2";
const PROJECT_BYTES_MAX: u64 = 1 << 20;

/// The project whose events a mirror holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInfo {
    /// Its directory.
    pub path: String,
    /// Its id.
    pub repo_id: String,
    /// Its name for people.
    pub label: String,
}

/// Writes what is known of the project, if it is not written already. What others put there stays, and so does
/// `createdAt`; `updatedAt` is when any of it changed, so that a run which changes nothing writes nothing.
pub fn record(layout: &Layout, project: &ProjectInfo, now_ms: i64) -> Result<(), MirrorError> {
    let path = layout.project();
    // A file that cannot be read is replaced: nothing depends on it.
    let old = files::read_whole(&path, PROJECT_BYTES_MAX).ok().flatten().unwrap_or_default();
    let old: Map<String, Value> = serde_json::from_slice(&old).unwrap_or_default();
    let now = format_ms(now_ms);
    let mut new = old.clone();
    let ours = [
        ("schema", SCHEMA),
        ("projectPath", &project.path),
        ("repoId", &project.repo_id),
        ("projectLabel", &project.label),
    ];
    for (name, value) in ours {
        new.insert(name.to_owned(), Value::from(value));
    }
    if !new.get("createdAt").is_some_and(Value::is_string) {
        new.insert("createdAt".to_owned(), Value::from(now.as_str()));
    }
    if new == old && new.contains_key("updatedAt") {
        return Ok(());
    }
    new.insert("updatedAt".to_owned(), Value::from(now));
    files::replace(&path, format!("{:#}\n", Value::Object(new)).as_bytes())?;
    files::sync_dir(layout.dir()).map_err(refused("write", layout.dir()))
}
