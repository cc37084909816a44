//! One line in, one event out: parsed, placed in its project, named, and without its secrets.

use crate::lines::{BadLine, Line};
use crate::names::Names;
use memoir_event::{CaptureEvent, Identity, Source};
use memoir_journal::{Admission, Redacted};
use memoir_redact::Redactor;
use std::error::Error;

/// A line that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// Its number; the first is 1.
    pub line: u64,
    /// Why.
    pub error: LineError,
}

impl std::fmt::Display for LineProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} {}", self.line, self.error)
    }
}

/// Why a line was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is not even a line of text within the limit.
    #[error(transparent)]
    Bad(#[from] BadLine),
    /// It is not a capture event; the reason is redacted.
    #[error("{0}")]
    Refused(String),
}

/// What to do about a line that cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBadLine {
    /// Report it and go on.
    Report,
    /// Report it and stop reading.
    Stop,
}

/// Where the recorder works and for whom.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The recorder's working directory.
    pub cwd: Option<&'a str>,
    /// The contributor.
    pub actor: Option<&'a str>,
    /// The project of a directory.
    pub repo_of: &'a (dyn Fn(Option<&str>) -> String + Sync),
}

/// Turns lines into redacted events.
pub struct Acceptor<'a> {
    place: Place<'a>,
    names: &'a Names,
    redactor: &'a Redactor,
    admission: Admission<'a>,
    /// The last directory asked for and its project: a stream rarely leaves one.
    last_repo: Option<(Option<String>, String)>,
}

impl<'a> Acceptor<'a> {
    /// Names go to events that do not name themselves.
    pub const fn new(
        place: Place<'a>,
        names: &'a Names,
        redactor: &'a Redactor,
        admission: Admission<'a>,
    ) -> Acceptor<'a> {
        Acceptor { place, names, redactor, admission, last_repo: None }
    }

    /// The redacted event of a line.
    pub fn accept(&mut self, line: Line<'_>) -> Result<Redacted, LineProblem> {
        let Line { number, text } = line;
        let problem = |error| LineProblem { line: number, error };
        let text = text.map_err(|bad| problem(bad.into()))?;
        let captured = CaptureEvent::parse(text)
            .map_err(|error| problem(LineError::Refused(self.redactor.text(&whole_sentence(&error)).into_owned())))?;
        let repo = self.repo(captured.cwd());
        // A name, not a nonce: should the answer to a write get lost, the second try is the same event.
        let name = if captured.is_identified() { String::new() } else { self.names.uuid() };
        let actor = self.place.actor.map(str::to_owned);
        let mut event = captured.into_event(Source::Recorder, repo, actor, Identity::Named(name));
        event.captured_ms = Some(self.names.now_ms());
        Ok(self.admission.admit(event))
    }

    fn repo(&mut self, cwd: Option<String>) -> String {
        let cwd = cwd.or_else(|| self.place.cwd.map(str::to_owned));
        match &self.last_repo {
            Some((last, repo)) if *last == cwd => repo.clone(),
            _ => {
                let repo = (self.place.repo_of)(cwd.as_deref());
                self.last_repo = Some((cwd, repo.clone()));
                repo
            }
        }
    }
}

/// An error and its causes in one sentence.
pub fn whole_sentence(error: &dyn Error) -> String {
    let mut sentence = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        sentence.push_str(": ");
        sentence.push_str(&error.to_string());
        cause = error.source();
    }
    sentence
}
