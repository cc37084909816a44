//! Events of a project on their way to another memoir: each is an envelope, known by its id in a run.

use memoir_event::{Envelope, EventId};
use serde::{Deserialize, Serialize};
use std::fmt;

const PREFIX: &str = "codaph:";

/// The name of a run: `codaph:<project>` for everything of a project, `codaph:<project>:<session>` for one session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId {
    /// The project.
    pub project: String,
    /// The session, if the run is of one.
    pub session: Option<String>,
}

/// A text that names no run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run: expected codaph:<project> or codaph:<project>:<session>")]
pub struct RunIdError(String);

impl RunId {
    /// Reads the name of a run.
    pub fn parse(text: &str) -> Result<RunId, RunIdError> {
        let rest = text.strip_prefix(PREFIX).ok_or_else(|| RunIdError(text.to_owned()))?;
        let (project, session) =
            rest.split_once(':').map_or((rest, None), |(project, session)| (project, Some(session)));
        if project.is_empty() || session.is_some_and(str::is_empty) {
            return Err(RunIdError(text.to_owned()));
        }
        Ok(RunId { project: project.to_owned(), session: session.map(str::to_owned) })
    }

    /// Whether an event belongs to the run.
    pub fn has(&self, event: &Envelope) -> bool {
        event.repo_id == self.project && self.session.as_ref().is_none_or(|session| *session == event.session_id)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.project)?;
        self.session.as_ref().map_or(Ok(()), |session| write!(f, ":{session}"))
    }
}

/// Events for a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRequest {
    /// The run.
    pub run_id: String,
    /// Its events.
    pub events: Vec<Envelope>,
}

/// What became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnswer {
    /// The run.
    pub run_id: String,
    /// The name of the journal that they are in now: another name means that another journal answers.
    #[serde(default)]
    pub journal: String,
    /// New in the journal.
    pub stored: u64,
    /// Known, and now fuller.
    pub revised: u64,
    /// Known.
    pub known: u64,
    /// Forgotten, and kept so.
    pub suppressed: u64,
    /// The ids of the events, in their order, by which they can be looked up there.
    pub event_ids: Vec<EventId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_run_is_read_and_written_alike() {
        for text in ["codaph:owner/repo", "codaph:owner/repo:abc123", "codaph:5d41402abc4b:s:t"] {
            assert_eq!(RunId::parse(text).unwrap().to_string(), text);
        }
        for bad in ["", "codaph:", "codaph::s", "codaph:p:", "owner/repo"] {
            assert!(RunId::parse(bad).is_err(), "{bad}");
        }
    }
}
