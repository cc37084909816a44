//! The life of the session that a call is about: that it was touched, that it is over, that something of it is sealed.

use memoir_capture::{HookCall, Moment, Start};
use memoir_event::{Client, Trigger};
use memoir_journal::Cursor;
use memoir_session::{Began, Effort, Process, Sealed, SessionError, SessionName, Sessions};

/// So much is sealed in a hook; the rest is due, and done by whoever has time.
const EFFORT: Effort = Effort { events_max: 300 };
/// A compaction asks a model, and takes many seconds: sealing what it drops is worth a part of one.
const BEFORE_COMPACTION: Effort = Effort { events_max: 5_000 };
/// What was not read of the session file yet cannot be sealed: it is only noted.
const NOT_NOW: Effort = Effort { events_max: 0 };

/// Moves the state of sessions along with the calls of their hooks.
#[derive(Clone, Copy)]
pub struct SessionLife<'a> {
    /// The sessions of the journal.
    pub sessions: Sessions<'a>,
    /// The client's own process, if it has one.
    pub process: Option<Process>,
}

impl SessionLife<'_> {
    /// What goes into the journal together with the events of a call.
    pub(crate) fn cursor(&self, call: &HookCall) -> Result<Option<Cursor>, SessionError> {
        let session = name_of(call);
        match call.moment {
            // No touch: a turn that goes on is not taken for one that is over.
            Moment::Prompt => self.sessions.goes_on(&session, self.process),
            Moment::SessionStart if matches!(call.start, Some(Start::Resume | Start::Compact)) => {
                self.sessions.goes_on(&session, self.process)
            }
            Moment::TurnEnd => self.sessions.touched(&session, self.process).map(Some),
            Moment::SessionEnd => self.sessions.ended(&session).map(Some),
            // Where it cannot be sealed now it waits for that.
            Moment::Compaction if is_before_compaction(call) => {
                self.sessions.due_for(&session, Trigger::Compaction).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What follows from a call once its events are stored; `is_whole` says whether all of the session file is.
    pub(crate) fn go_on(&self, call: &HookCall, is_whole: bool) -> Result<(), SessionError> {
        let session = name_of(call);
        if is_before_compaction(call) {
            let effort = if is_whole { BEFORE_COMPACTION } else { NOT_NOW };
            let sealed = self.sessions.commit(&session, Trigger::Compaction, effort)?;
            debug_assert!(is_whole || !matches!(sealed, Sealed::Archive(_)));
        }
        if call.moment == Moment::SessionStart
            && let Some(start) = call.start
        {
            self.sessions.began(&session, began(start), self.process, EFFORT)?;
        }
        Ok(())
    }
}

/// The session of a call.
pub(crate) fn name_of(call: &HookCall) -> SessionName {
    SessionName::new(Some(call.client), &call.session)
}

/// Whether the conversation is about to be compacted. Gemini says so before every model call, and mostly it is not.
pub(crate) fn is_before_compaction(call: &HookCall) -> bool {
    call.event == "PreCompact" && call.client != Client::Gemini
}

const fn began(start: Start) -> Began {
    match start {
        Start::Startup => Began::Startup,
        Start::Clear => Began::Clear,
        Start::Resume => Began::Resume,
        Start::Compact => Began::Compact,
        Start::Fork => Began::Fork,
    }
}
