//! What tools work with.

use crate::error::ToolError;
use jiff::tz::TimeZone;
use memoir_event::Client;
use memoir_index::Index;
use memoir_journal::{Audience, Clock, Filter, Journal, SessionEntry, View};
use memoir_recall::{Blocked, Recall, Withheld};
use memoir_redact::Redactor;
use std::sync::Arc;

/// What everybody who asks over MCP is shown.
pub(crate) const VIEW: View = View::of(Audience::Recall);

/// So many sessions are looked through for one whose id begins like that.
const SESSIONS_MAX: usize = 100_000;

/// So many are named when several fit.
const NAMED_MAX: usize = 5;

/// What tools work with.
pub struct Library {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The rules that take secrets out of what comes in, and once more out of what goes out.
    pub redactor: Arc<Redactor>,
    /// The full-text index.
    pub index: Arc<Index>,
    /// Recall over both.
    pub recall: Arc<Recall>,
    /// What nobody who asks is shown.
    pub blocked: Blocked,
    /// Tells the time.
    pub clock: Clock,
    /// Where the user's days begin.
    pub zone: TimeZone,
    /// For whom agents write.
    pub actor: Option<String>,
    /// Tells the project of a directory, where callers are on this machine.
    pub project_of: Option<ProjectOf>,
}

/// Tells the project of a directory.
pub type ProjectOf = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Gives the library, and opens it when it is asked for the first time; or says why it cannot.
pub type Open = Arc<dyn Fn() -> Result<Arc<Library>, String> + Send + Sync>;

impl Library {
    /// The journal as whoever asks may read it.
    pub(crate) fn shown(&self) -> Withheld<'_> {
        Withheld::new(&*self.journal, &self.blocked)
    }

    /// The session that goes by that name or whose id begins like that, if the reader may see any of it.
    pub(crate) fn session(&self, name: &str) -> Result<Option<SessionEntry>, ToolError> {
        let name = name.trim();
        if name.is_empty() {
            return Ok(None);
        }
        let exact = Filter { session: Some(name.to_owned()), ..Filter::default() };
        let mut found = self.journal.sessions(&exact, &VIEW, NAMED_MAX, 0)?;
        if found.is_empty() && name.len() >= 4 {
            found = self.journal.sessions(&Filter::default(), &VIEW, SESSIONS_MAX, 0)?;
            found.retain(|session| session.shown().starts_with(name) || session.session.starts_with(name));
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            count => {
                let names: Vec<String> = found.iter().take(NAMED_MAX).map(SessionEntry::shown).collect();
                Err(ToolError::wrong(format!(
                    "{count} sessions go by `{name}`: {}; pass one of them",
                    names.join(", ")
                )))
            }
        }
    }

    /// The session by its full name, or a sentence about it.
    pub(crate) fn known_session(&self, name: &str) -> Result<SessionEntry, ToolError> {
        let unknown =
            || ToolError::unknown(format!("there is no session `{name}`: timeline and search show their ids"));
        self.session(name)?.ok_or_else(unknown)
    }

    /// The project of a directory, or else of a session.
    pub(crate) fn project(&self, dir: Option<&str>, session: Option<&str>) -> Result<Option<String>, ToolError> {
        if let (Some(project_of), Some(dir)) = (&self.project_of, dir) {
            return Ok(Some(project_of(dir)).filter(|project| !project.is_empty()));
        }
        let Some(session) = session else { return Ok(None) };
        let (client, id) = Client::split_session(session);
        let filter = Filter { session: Some(Client::shown_session(client, id)), ..Filter::default() };
        let found = self.journal.sessions(&filter, &VIEW, 1, 0)?;
        Ok(found.into_iter().next().map(|session| session.repo).filter(|repo| !repo.is_empty()))
    }
}
