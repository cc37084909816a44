//! `memoir archive`.

use super::{Context, filter, session, timeline, times};
use crate::cli::ArchiveArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style, count};
use anyhow::Result;
use jiff::tz::TimeZone;
use memoir_event::{Archive, EventId, format_ms};
use memoir_session::{Overview, SessionName};
use serde_json::{Value, json};

/// An overview on a terminal is at most so long.
const OVERVIEW_CHARS: usize = 40_000;

pub fn run(context: &Context, args: &ArchiveArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Short)? else { return timeline::nothing(args.json) };
    let known = session::named(&journal, &args.session)?;
    let name = SessionName::new(known.client, &known.session);
    let view = filter::view(&args.view);
    context.with_sessions(&journal, |sessions| {
        let archives = sessions.archives_in(&name, &view)?;
        if args.list {
            return list(args, &archives);
        }
        let chosen = match args.number {
            Some(number) => archives.into_iter().find(|(_, archive)| archive.number == number),
            None => sessions.latest_in(&name, &view)?,
        };
        let Some((id, archive)) = chosen else { return Err(none(args, &name).into()) };
        show(args, id, &archive, &sessions.overview(&archive, &view)?)
    })
}

fn none(args: &ArchiveArgs, name: &SessionName) -> Usage {
    let name = name.shown();
    match args.number {
        Some(number) => Usage(format!("{name} has no archive {number}: `memoir archive {name} --list` lists them")),
        None => Usage(format!("{name} has no archive yet: `memoir commit {name}` makes one")),
    }
}

fn list(args: &ArchiveArgs, archives: &[(EventId, Archive)]) -> Result<Done> {
    let mut out = Out::new();
    for (id, archive) in archives {
        if args.json {
            out.json(&about(*id, archive))?;
        } else {
            let when = out.styled(Style::Dim, &times::local(archive.last_ms));
            out.line(&format!("{when}  {}", summary(archive)))?;
        }
    }
    out.flush()?;
    if archives.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

/// An archive on a line of a list.
pub fn summary(archive: &Archive) -> String {
    format!("{}: {}", archive.name(), sizes(archive))
}

fn sizes(archive: &Archive) -> String {
    let (events, turns) = (count(archive.events, "event"), count(archive.turns, "turn"));
    format!("{events} in {turns} ({})", archive.trigger)
}

fn show(args: &ArchiveArgs, id: EventId, archive: &Archive, overview: &Overview) -> Result<Done> {
    let mut out = Out::new();
    if args.json {
        let mut told = about(id, archive);
        if let Value::Object(fields) = &mut told {
            fields.insert("toldBy".to_owned(), json!(overview.told_by));
            fields.insert("leftOut".to_owned(), json!(overview.left_out));
            fields.insert("lines".to_owned(), lines(overview));
        }
        out.json(&told)?;
    } else {
        let head = format!("{}, {} of {}", print::one_line(&archive.shown_session(), 48), archive.name(), id);
        let head = out.styled(Style::Bold, &head);
        out.line(&head)?;
        let (from, to) = (times::local(archive.first_ms), times::local(archive.last_ms));
        let by = overview.told_by.as_ref().map(|model| format!(", told by {}", print::one_line(model, 48)));
        out.line(&format!("{from} to {to}, {}{}", sizes(archive), by.unwrap_or_default()))?;
        out.line("")?;
        let digest = overview.digest(&TimeZone::system(), OVERVIEW_CHARS, None);
        out.line(print::tame(digest.trim_end()).as_str())?;
    }
    out.flush()?;
    Ok(Done::Well)
}

fn about(id: EventId, archive: &Archive) -> Value {
    json!({
        "session": archive.shown_session(),
        "archive": archive.name(),
        "number": archive.number,
        "id": id,
        "firstTs": format_ms(archive.first_ms),
        "lastTs": format_ms(archive.last_ms),
        "events": archive.events,
        "turns": archive.turns,
        "trigger": archive.trigger,
    })
}

fn lines(overview: &Overview) -> Value {
    let line = |line: &memoir_session::OverviewLine| {
        json!({
            "section": line.section, "text": line.text, "cut": line.cut, "id": line.event,
            "ts": format_ms(line.ts_ms), "times": line.times,
        })
    };
    overview.lines.iter().map(line).collect()
}
