//! `memoir commit`.

use super::{Context, session, telling};
use crate::cli::CommitArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, Progress, count};
use crate::stop;
use anyhow::Result;
use memoir_event::Trigger;
use memoir_session::{Committed, Effort, Sealed, SessionName, Sessions, WorkedOff};
use serde_json::{Value, json};

pub fn run(context: &Context, args: &CommitArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal_with_open_sessions(Life::Long)? else {
        return tell(args, &WorkedOff::default(), args.session.as_deref());
    };
    let known = args.session.as_deref().map(|name| session::find(&journal, name)).transpose()?;
    let done = match &known {
        Some(None) => WorkedOff::default(),
        Some(Some(known)) => {
            let name = SessionName::new(known.client, &known.session);
            context.with_sessions(&journal, |sessions| one(sessions, &name))?
        }
        None => context.with_sessions(&journal, |sessions| all(sessions, args.all))?,
    };
    if !args.no_model {
        telling::by_model(context, &journal)?;
    }
    tell(args, &done, args.session.as_deref().filter(|_| matches!(known, Some(None))))
}

fn one(sessions: &Sessions<'_>, session: &SessionName) -> Result<WorkedOff> {
    let mut done = WorkedOff::default();
    match sessions.commit(session, Trigger::Asked, Effort::ALL)? {
        Sealed::Archive(committed) => done.committed.push(committed),
        Sealed::Nothing => {}
        Sealed::Due | Sealed::Busy => done.left = 1,
    }
    Ok(done)
}

fn all(sessions: &Sessions<'_>, also_open: bool) -> Result<WorkedOff> {
    let stop = stop::on_signal()?;
    let mut bar = Progress::new("committing");
    let mut total = 0;
    let mut done = sessions.work_off(&mut |left| {
        total = total.max(left);
        bar.at((total - left) as u64, total as u64);
        !stop::requested(&stop)
    })?;
    if !also_open || stop::requested(&stop) {
        return Ok(done);
    }
    for pending in sessions.pending()? {
        if stop::requested(&stop) {
            done.left += 1;
            continue;
        }
        let more = one(sessions, &pending.session)?;
        done.committed.extend(more.committed);
        done.left += more.left;
    }
    Ok(done)
}

/// A session that nobody knows has nothing to commit: that is told, and no failure.
fn tell(args: &CommitArgs, done: &WorkedOff, unknown: Option<&str>) -> Result<Done> {
    let mut out = Out::new();
    if args.json {
        out.json(&json!({
            "committed": done.committed.iter().map(as_json).collect::<Vec<_>>(),
            "left": done.left,
            "failed": done.failed,
            "unknown": unknown,
        }))?;
    } else {
        for one in &done.committed {
            out.line(&described(one))?;
        }
        if done.committed.is_empty() && done.left + done.failed == 0 {
            out.line("nothing to commit")?;
        }
    }
    out.flush()?;
    if let Some(name) = unknown {
        print::warn(&session::unknown(name));
    }
    if done.left > 0 {
        print::warn(&format!("{} still to be committed", count(done.left as u64, "session")));
    }
    if let Some(problem) = &done.problem {
        print::warn(&format!("{} could not be committed: {problem}", count(done.failed as u64, "session")));
    }
    Ok(if done.failed > 0 { Done::Partly } else { Done::Well })
}

fn described(one: &Committed) -> String {
    let archive = &one.archive;
    format!(
        "{}: {} with {} in {} ({})",
        print::one_line(&one.session.shown(), 48),
        archive.name(),
        count(archive.events, "event"),
        count(archive.turns, "turn"),
        archive.trigger
    )
}

fn as_json(one: &Committed) -> Value {
    let archive = &one.archive;
    json!({
        "session": one.session.shown(),
        "archive": archive.name(),
        "number": archive.number,
        "id": one.id,
        "events": archive.events,
        "turns": archive.turns,
        "trigger": archive.trigger,
    })
}
