//! The tool `commit`: seals what a session has so far. The session goes on under its own id.

use super::Desk;
use crate::answer::Answer;
use crate::error::ToolError;
use memoir_event::Trigger;
use memoir_recall::clean;
use memoir_session::{Effort, Sealed};
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    session: Option<String>,
}

pub(super) fn run(desk: &Desk<'_>, asked: &Asked) -> Result<Answer, ToolError> {
    let named = asked.session.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let name = match named {
        Some(name) => match desk.library.session(name)? {
            Some(session) => session.shown(),
            None => {
                return Ok(told(
                    "nothing",
                    None,
                    &format!("There is no session `{}`: nothing to seal.", clean(name, &desk.library.redactor)),
                ));
            }
        },
        None => desk.caller.session.clone().ok_or_else(|| {
            ToolError::wrong("memoir cannot tell which session you are in: pass `session`; timeline shows their ids")
        })?,
    };
    let shown = clean(&name, &desk.library.redactor);
    let sessions = desk.sessions(&*desk.library.journal);
    let sealed = sessions.commit(&sessions.meant(&name)?, Trigger::Asked, Effort::ALL)?;
    Ok(match &sealed {
        Sealed::Archive(done) => {
            let (events, turns) = (done.archive.events, done.archive.turns);
            let archive = format!("{shown}/{}", done.archive.name());
            let text = format!("Sealed {events} events in {turns} turns as {archive}; `read` shows it.");
            told("sealed", Some(&archive), &text)
        }
        Sealed::Nothing => told("nothing", None, &format!("{shown} has nothing that is not sealed already.")),
        Sealed::Due => told("due", None, &format!("{shown} is sealed at the next occasion.")),
        Sealed::Busy => told("busy", None, &format!("Another process is sealing {shown} right now.")),
    })
}

fn told(what: &str, archive: Option<&str>, text: &str) -> Answer {
    Answer::with_values(text.to_owned(), json!({"outcome": what, "archive": archive, "message": text}))
}
