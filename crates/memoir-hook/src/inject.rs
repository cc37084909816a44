//! What a conversation is given: chosen for the moment, not twice, and nothing at all where nothing is good enough.

use crate::compressor::Compressor;
use crate::context::{Occasion, answer, wrapped};
use crate::essence::{leave_out_instructions, told as essence_told};
use crate::prompt::Asking;
use crate::shown::{Due, Shown};
use jiff::tz::TimeZone;
use memoir_capture::{HookCall, Moment, Start};
use memoir_event::Client;
use memoir_index::{Index, IndexError};
use memoir_journal::{Clock, Cursor, Journal, JournalError};
use memoir_recall::{Blocked, Recall, RecallError, Withheld, essence};
use memoir_record::Projects;
use memoir_redact::Redactor;
use memoir_session::SessionError;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Why nothing could be given.
#[derive(Debug, thiserror::Error)]
pub enum InjectError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A session cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Recall failed.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// What the user wants to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// What helps with each prompt.
    pub at_prompts: bool,
    /// What one should know when a session begins.
    pub at_start: bool,
    /// What a session had come to when it is taken up again, or was compacted.
    pub at_resume: bool,
    /// So many characters of that.
    pub resume_chars_max: usize,
    /// What is known of a file or a failing command before a tool is called.
    pub before_tools: bool,
    /// Nothing comes again within so many turns of the user.
    pub repeat_turns: u64,
    /// What recall for a prompt may take, in tokens.
    pub budget_tokens: usize,
    /// Whether the user wants this prompt kept out of everything: no model hears of it.
    pub is_private: bool,
}

/// Chooses what a conversation is given.
pub struct Injector {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The index over it.
    pub index: Index,
    /// Recalls.
    pub recall: Recall,
    /// What nobody but the owner is shown.
    pub blocked: Blocked,
    /// Looks for secrets once more.
    pub redactor: Arc<Redactor>,
    /// The time.
    pub clock: Clock,
    /// Where the user's days begin.
    pub zone: TimeZone,
    /// The user's own directory.
    pub user_home: Option<PathBuf>,
    /// What is wanted.
    pub wanted: Wanted,
    /// Who makes digests, if somebody configured one.
    pub compressor: Option<Compressor>,
}

/// How much time there is.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    /// Until then new work may begin.
    pub begin_until: Instant,
    /// By then everything must be done.
    pub end: Instant,
}

impl Time {
    /// Whether new work may begin.
    pub(crate) fn is_left(&self) -> bool {
        Instant::now() < self.begin_until
    }
}

impl Injector {
    /// Whether a call may be answered with more than nothing.
    pub fn is_about(wanted: &Wanted, call: &HookCall) -> bool {
        match call.moment {
            _ if call.agent.is_some() => false,
            Moment::SessionStart => wanted.at_start || wanted.at_resume,
            Moment::Prompt => is_prompt(call) && (wanted.at_prompts || wanted.at_start || wanted.at_resume),
            Moment::Tool => wanted.before_tools && call.event == "PreToolUse",
            _ => false,
        }
    }

    /// The answer to a call, if there is something to give in that time.
    pub fn answer(&self, call: &HookCall, time: Time) -> Result<Option<String>, InjectError> {
        let text = match call.moment {
            Moment::SessionStart => self.at_start(call, time)?,
            Moment::Prompt if is_prompt(call) => self.at_prompt(call, time)?,
            Moment::Tool => self.before_tool(call, time)?,
            _ => None,
        };
        Ok(text.and_then(|text| answer(call.client, &call.event, &text)))
    }

    fn at_start(&self, call: &HookCall, time: Time) -> Result<Option<String>, InjectError> {
        let row = Shown::row(&*self.journal, call.client, &call.session)?;
        let mut shown = self.shown_of(call, row.as_ref())?;
        if !shown.begin(call.start.unwrap_or(Start::Startup), (self.clock)()) {
            return Ok(None);
        }
        let is_copy = row.is_none() && !shown.copied().is_empty();
        let due = match call.start {
            // It knows what the other one knows.
            _ if is_copy => Due::Nothing,
            Some(Start::Fork) => Due::Nothing,
            // What is open the client has itself.
            Some(Start::Resume) if self.is_open(call)? => Due::Nothing,
            Some(Start::Resume) => Due::Resumed,
            Some(Start::Compact) => {
                shown.dropped((self.clock)());
                Due::Compacted
            }
            Some(Start::Startup | Start::Clear) | None => Due::Essence,
        };
        // Gemini puts it in front of what the user says, and loses that: it waits for the prompt.
        let text = if call.client == Client::Gemini {
            shown.set_due(due);
            None
        } else {
            self.due(call, due, &mut shown)?
        };
        if !self.keep_if(row, &shown)? {
            // The same call, delivered twice at once: the other one tells it.
            return Ok(None);
        }
        if let Some(compressor) = self.compressor.as_ref().filter(|compressor| compressor.detect) {
            compressor.detect((self.clock)(), time.end);
        }
        Ok(text)
    }

    fn at_prompt(&self, call: &HookCall, time: Time) -> Result<Option<String>, InjectError> {
        let row = Shown::row(&*self.journal, call.client, &call.session)?;
        let (is_new, mut shown) = (row.is_none(), self.shown_of(call, row.as_ref())?);
        let Some(speech) = call.speech() else { return Ok(None) };
        shown.next_turn(self.wanted.repeat_turns);
        let due = match shown.take_due() {
            Due::Nothing if is_new && call.client == Client::Gemini => Due::Essence,
            due => due,
        };
        let first = self.due(call, due, &mut shown)?;
        let recalled = if self.wanted.at_prompts && time.is_left() {
            let project = self.project(call);
            let asking = Asking { speech: &speech, project: &project, session: &self.shown_session(call) };
            self.recalled(&asking, &mut shown, time)?
        } else {
            None
        };
        let recalled = recalled.map(|digest| wrapped(Occasion::Prompt, &digest, None));
        self.keep(&shown)?;
        Ok(match (first, recalled) {
            (Some(first), Some(recalled)) => Some(format!("{first}\n{recalled}")),
            (first, recalled) => first.or(recalled),
        })
    }

    /// Keeps what was shown. While another process holds the journal it is told all the same: better twice than never.
    pub(crate) fn keep(&self, shown: &Shown) -> Result<(), InjectError> {
        match self.journal.append(&[], &[shown.cursor()]) {
            Err(error) if !error.is_transient() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The same, unless it was changed since it was read; says whether it was not.
    fn keep_if(&self, row: Option<Cursor>, shown: &Shown) -> Result<bool, InjectError> {
        let cursor = shown.cursor();
        let before = row.unwrap_or_else(|| Cursor::gone(cursor.stream.clone()));
        match self.journal.append_if(&[before], &[], &[cursor]) {
            Ok(kept) => Ok(kept.is_some()),
            Err(error) if error.is_transient() => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// What is due at the beginning of a session or a part of it.
    fn due(&self, call: &HookCall, due: Due, shown: &mut Shown) -> Result<Option<String>, InjectError> {
        match due {
            Due::Essence if self.wanted.at_start => self.essence(call, shown),
            Due::Resumed if self.wanted.at_resume => self.archive(call, Occasion::Resume, shown),
            Due::Compacted if self.wanted.at_resume => self.archive(call, Occasion::Compaction, shown),
            _ => Ok(None),
        }
    }

    fn essence(&self, call: &HookCall, shown: &mut Shown) -> Result<Option<String>, InjectError> {
        let (project, session) = (self.project(call), self.shown_session(call));
        let mut essence = essence(&self.shown(), &self.redactor, &project, &session, crate::essence::SESSIONS_MAX)?;
        leave_out_instructions(&mut essence, call);
        let loose = self.loose_ends(&essence)?;
        Ok(essence_told(&essence, &loose, shown, &self.zone).map(|body| wrapped(Occasion::SessionStart, &body, None)))
    }

    /// The journal as a conversation may be given it.
    pub(crate) fn shown(&self) -> Withheld<'_> {
        Withheld::new(&*self.journal, &self.blocked)
    }

    pub(crate) fn project(&self, call: &HookCall) -> String {
        Projects::new(self.user_home.clone()).of(call.cwd.as_deref(), None).id.clone()
    }

    pub(crate) fn shown_session(&self, call: &HookCall) -> String {
        Client::shown_session(Some(call.client), &call.session)
    }
}

/// Whether the user asks something now; clients have other events at that moment too.
fn is_prompt(call: &HookCall) -> bool {
    let event = match call.client {
        Client::Gemini => "BeforeAgent",
        _ => "UserPromptSubmit",
    };
    call.event == event
}
