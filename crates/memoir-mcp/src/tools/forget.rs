//! The tool `forget`: first what would go, then, with the code of that answer, it goes. Nothing is ever erased here.
//!
//! A caller is told only of what it may see: else one could ask what hidden events say.

use super::Desk;
use crate::answer::{Answer, bounded};
use crate::caller::Writer;
use crate::error::ToolError;
use crate::library::VIEW;
use crate::{lines, names};
use memoir_journal::{Chosen, Depth, Journal as _, Seq, StoredEvent};
use memoir_recall::{Choice, Forgetter, Unwanted, take_out_of_copies};
use serde::Deserialize;
use serde_json::json;

/// So many events are shown.
const SHOWN_MAX: usize = 5;
const SHOWN_CHARS: usize = 160;
/// So many are looked at for what may be seen of them.
const PORTION: usize = 1_000;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    ids: Vec<String>,
    session: Option<String>,
    text: Option<String>,
    reason: Option<String>,
    confirm: Option<String>,
}

pub(super) fn run(desk: &Desk<'_>, asked: Asked) -> Result<Answer, ToolError> {
    let unwanted = unwanted(desk, &asked)?;
    let library = desk.library;
    let forgetter = Forgetter {
        journal: &*library.journal,
        index: &library.index,
        redactor: &library.redactor,
        now_ms: desk.now_ms(),
    };
    let mut choice = forgetter.choose(&unwanted, &mut |_, _| (desk.go_on)())?;
    let (seen, first) = seen(desk, &choice.events)?;
    if unwanted.session.is_none() {
        only_seen(desk, &mut choice, &seen)?;
    }
    if seen.is_empty() && choice.unknown.is_empty() {
        return Err(ToolError::unknown("nothing that you can see matches that: nothing was changed"));
    }
    let code = code(desk, &unwanted, &seen);
    match asked.confirm.as_deref().map(str::trim).filter(|given| !given.is_empty()) {
        None => Ok(preview(desk, &seen, &first, &choice, &code)),
        Some(given) if given != code => Err(ToolError::wrong(format!(
            "`{given}` is not the code for this: it would take {} events now. Call without `confirm` to see them",
            seen.len()
        ))),
        Some(_) => {
            let name = names::forgetting();
            let by = match desk.caller.writer {
                Writer::UsersAgent => library.actor.clone(),
                Writer::OwnAgent => Some("an agent started by memoir".to_owned()),
            };
            let events = choice.events.clone();
            forgetter.forget(choice.into_wish(Depth::Forget, name.clone(), asked.reason, by))?;
            let mirrors = take_out_of_copies(&*library.journal, &library.redactor, &events, &library.clock);
            let count = seen.len();
            let mut text = format!("Forgot {count} events as {name}; `memoir forget --undo {name}` brings them back.");
            for problem in &mirrors.problems {
                text.push_str(&format!("\n{}", lines::one_line(problem)));
            }
            let values = json!({"name": name, "events": count, "problems": mirrors.problems, "message": text});
            Ok(Answer::with_values(text, values))
        }
    }
}

fn unwanted(desk: &Desk<'_>, asked: &Asked) -> Result<Unwanted, ToolError> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let session = given(&asked.session).map(|name| desk.library.known_session(&name)).transpose()?;
    let unwanted = Unwanted {
        ids: asked.ids.iter().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect(),
        session: session.map(|session| session.shown()),
        text: given(&asked.text),
        ..Unwanted::default()
    };
    if unwanted.is_nothing() {
        return Err(ToolError::wrong("say what to forget: ids, a session, or a text"));
    }
    Ok(unwanted)
}

/// The places that the caller may see, and the first events of them.
fn seen(desk: &Desk<'_>, events: &[Seq]) -> Result<(Vec<Seq>, Vec<StoredEvent>), ToolError> {
    let (mut seen, mut first) = (Vec::new(), Vec::new());
    for portion in events.chunks(PORTION) {
        for stored in desk.library.shown().events(portion, &VIEW)? {
            seen.push(stored.seq);
            if first.len() < SHOWN_MAX {
                first.push(stored);
            }
        }
    }
    Ok((seen, first))
}

/// What was found by ids or a text loses what the caller may not see.
fn only_seen(desk: &Desk<'_>, choice: &mut Choice, seen: &[Seq]) -> Result<(), ToolError> {
    if choice.events.len() == seen.len() {
        return Ok(());
    }
    choice.events = seen.to_vec();
    match &mut choice.chosen {
        Chosen::Events(events) => *events = seen.to_vec(),
        Chosen::Ids(ids) | Chosen::Turns { ids, .. } => {
            let seen = desk.library.journal.events(seen, &VIEW)?;
            ids.retain(|id| choice.unknown.contains(&id.to_string()) || seen.iter().any(|event| event.id == *id));
        }
        Chosen::Scope(_) => {}
    }
    Ok(())
}

/// A code for this wish and what it takes now. A session may go on meanwhile: it is meant as a whole.
fn code(desk: &Desk<'_>, unwanted: &Unwanted, seen: &[Seq]) -> String {
    let places: &[Seq] = if unwanted.session.is_some() { &[] } else { seen };
    let wish = format!("{:?}\0{:?}\0{:?}\0{places:?}", unwanted.ids, unwanted.session, unwanted.text);
    let hash = desk.library.journal.hasher().hash(wish.as_bytes());
    hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn preview(desk: &Desk<'_>, seen: &[Seq], first: &[StoredEvent], choice: &Choice, code: &str) -> Answer {
    let shown: String = first.iter().filter_map(|stored| lines::entry(desk.library, stored, SHOWN_CHARS)).collect();
    let mut text = format!("Nothing is changed yet. This would forget {} events", seen.len());
    if !choice.unknown.is_empty() {
        text.push_str(&format!(" and {} ids that are not known yet", choice.unknown.len()));
    }
    text.push_str(&format!(". If that is what the user wants, call again with confirm `{code}`."));
    if !shown.is_empty() {
        let more = seen.len().saturating_sub(first.len());
        let more = if more > 0 { format!("… and {more} more\n") } else { String::new() };
        text = format!("{}\n{text}", bounded("forget", &format!("{shown}{more}")));
    }
    Answer::told(text)
}
