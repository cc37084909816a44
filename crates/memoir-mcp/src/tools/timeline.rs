//! The tool `timeline`: what happened, by time.

use super::session_read::{Walk, walk};
use super::{Desk, Wanted, after};
use crate::answer::Answer;
use crate::error::ToolError;
use memoir_journal::Order;
use serde::Deserialize;

const LIMIT: usize = 20;
const LIMIT_MAX: usize = 100;
/// An event is cut to about so many characters.
const EVENT_CHARS: usize = 240;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    session: Option<String>,
    project: Option<String>,
    since: Option<String>,
    until: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    oldest_first: bool,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) fn run(desk: &Desk<'_>, asked: &Asked) -> Result<Answer, ToolError> {
    let wanted = Wanted::at([&asked.project, &asked.session], [&asked.since, &asked.until]).of_kind(&asked.kind);
    let order = if asked.oldest_first { Order::OldestFirst } else { Order::NewestFirst };
    let walked = walk(
        desk,
        &Walk {
            filter: desk.filter(&wanted)?,
            order,
            after: after(asked.cursor.as_deref())?,
            events_max: asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
            event_chars: EVENT_CHARS,
        },
    )?;
    let more = walked.next.map(|next| format!("There is more: pass cursor {next}.")).unwrap_or_default();
    if walked.text.is_empty() {
        return Ok(Answer::told(if more.is_empty() { "Nothing happened there.".to_owned() } else { more }));
    }
    Ok(Answer::quoted("timeline", &walked.text, &more))
}
