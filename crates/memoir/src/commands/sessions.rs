//! `memoir sessions`.

use super::{Context, filter, timeline, times};
use crate::cli::SessionsArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::format_ms;
use memoir_journal::{Filter, Journal, SessionEntry};
use memoir_recall::{Form, Gate};
use serde_json::json;

pub fn run(context: &Context, args: &SessionsArgs) -> Result<Done> {
    if args.pending {
        return pending(context, args);
    }
    let filter = filter::filter(&args.filter)?;
    let view = filter::view(&args.view);
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return timeline::nothing(args.json);
    };
    let filter = match filter.repo.as_deref() {
        Some(repo) => Filter { repo: Some(filter::project_in(&journal, repo)?), ..filter },
        None => filter,
    };
    let mut sessions = journal.sessions(&filter, &view, args.limit.saturating_add(1), args.skip)?;
    let more = sessions.len() > args.limit;
    sessions.truncate(args.limit);
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let gate = Gate::new(&redactor, Form::Shown);
    for session in &mut sessions {
        session.title = session.title.take().map(|title| gate.text(&title));
    }
    for session in &sessions {
        if args.json { out.json(&as_json(session))? } else { print_session(&mut out, session)? }
    }
    out.flush()?;
    if more {
        print::warn(&format!("there is more: add --skip {}", args.skip.saturating_add(args.limit)));
    }
    if sessions.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

/// The sessions that wait to be committed.
fn pending(context: &Context, args: &SessionsArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal_with_open_sessions(Life::Short)? else {
        return timeline::nothing(args.json);
    };
    let pending = context.with_sessions(&journal, |sessions| Ok(sessions.pending()?))?;
    let mut out = Out::new();
    for one in pending.iter().skip(args.skip).take(args.limit) {
        if args.json {
            out.json(&json!({
                "session": one.session.shown(),
                "events": one.events,
                "touchedTs": format_ms(one.touched_ms),
                "due": one.due,
                "alive": one.is_alive,
            }))?;
        } else {
            let name = out.styled(Style::Bold, &print::one_line(&one.session.shown(), 48));
            let when = out.styled(Style::Dim, &times::local(one.touched_ms));
            let why = match (one.due, one.is_alive) {
                (Some(due), _) => format!("due ({due})"),
                (None, true) => "its client is running".to_owned(),
                (None, false) => "goes on".to_owned(),
            };
            out.line(&format!("{when}  {name}  {}  {why}", print::count(one.events as u64, "new event")))?;
        }
    }
    out.flush()?;
    if pending.len() > args.skip.saturating_add(args.limit) {
        print::warn(&format!("there is more: add --skip {}", args.skip.saturating_add(args.limit)));
    }
    if pending.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

fn as_json(session: &SessionEntry) -> serde_json::Value {
    json!({
        "session": session.shown(),
        "sessionId": session.session,
        "client": session.client,
        "repoId": session.repo,
        "events": session.events,
        "firstTs": format_ms(session.first_ms),
        "lastTs": format_ms(session.last_ms),
        "title": session.title,
    })
}

fn print_session(out: &mut Out, session: &SessionEntry) -> Result<()> {
    let name = out.styled(Style::Bold, &print::one_line(&session.shown(), 48));
    let title = print::one_line(session.title.as_deref().unwrap_or("(no prompt)"), 80);
    let events = print::count(session.events, "event");
    let when = out.styled(Style::Dim, &times::local(session.last_ms));
    out.line(&format!("{when}  {name}  {events}  {title}"))?;
    Ok(())
}
