//! `memoir show`.

use super::{Context, filter, session, timeline, times};
use crate::cli::ShowArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::{Client, format_ms};
use memoir_journal::{Filter, Journal, Lookup, Order, Page, RecordClass, SqliteJournal, StoredEvent, View};
use memoir_recall::{Form, Gate};
use serde_json::json;

/// A session longer than this is cut; `timeline --session` pages through it.
const SESSION_EVENTS_MAX: usize = 500;

pub fn run(context: &Context, args: &ShowArgs) -> Result<Done> {
    if args.id.trim().is_empty() {
        return Err(Usage("nothing is named: pass an event id, a record UUID or a session id".to_owned()).into());
    }
    let (view, redactor) = (filter::view(&args.view), context.settings.redactor()?);
    // As data it is the owner's own, as it was recorded; as text it may be read by anybody.
    let gate = Gate::new(&redactor, if args.json { Form::Verbatim } else { Form::Shown });
    let journal = context.existing_journal(Life::Short)?;
    if let Some(journal) = journal {
        let event = Lookup::parse(&args.id).map(|lookup| journal.event(&lookup, &view)).transpose()?.flatten();
        if let Some(event) = event {
            show_event(&journal, event, &gate, args.json)?;
            return Ok(Done::Well);
        }
        let session = session::find(&journal, &args.id)?.map_or_else(|| args.id.clone(), |session| session.shown());
        if show_session(&journal, &session, (&view, &gate), args.json)? {
            return Ok(Done::Well);
        }
    }
    let unknown = format!(
        "nothing is known as `{}`: pass an event id, a record UUID or a session id (hidden events need --secret, --private or --sealed)",
        args.id
    );
    Err(Usage(unknown).into())
}

fn show_event(journal: &SqliteJournal, event: StoredEvent, gate: &Gate<'_>, json: bool) -> Result<()> {
    let Some(event) = gate.event(event) else { return Ok(()) };
    let sightings = journal.sightings(event.seq)?;
    let mut out = Out::new();
    if json {
        let captures: Vec<_> = sightings
            .iter()
            .map(|seen| json!({"eventId": seen.id, "source": seen.source, "class": class(seen.class), "recordedAt": format_ms(seen.at_ms)}))
            .collect();
        let mut value = serde_json::to_string(&event.into_envelope())?;
        // The envelope's text is kept as it is: its payload must not be spelt anew.
        value.truncate(value.len().saturating_sub(1));
        out.line(&format!("{value},\"sightings\":{}}}", serde_json::Value::from(captures)))?;
        return Ok(out.flush()?);
    }
    let e = &event.event;
    let texts = [
        ("event", event.id.to_string()),
        ("record", event.uuid().to_string()),
        ("kind", format!("{} ({})", e.kind(), e.shape.event_type)),
        ("session", Client::shown_session(e.client, &e.session)),
        ("thread", e.thread.clone().filter(|thread| *thread != e.session).unwrap_or_default()),
        ("project", super::project::shown(journal, &e.repo)?),
        ("actor", e.actor.clone().unwrap_or_default()),
        ("turn", e.turn.clone().unwrap_or_default()),
        ("topic", e.topic.clone().unwrap_or_default()),
        ("action", e.action.clone().unwrap_or_default()),
        ("speaker", e.speaker.to_string()),
        ("access", format!("{}, {}", e.visibility, e.secrecy)),
        ("happened", e.time.as_ref().map_or_else(String::new, |time| time.given().to_owned())),
        ("recorded", times::local(event.at_ms)),
        (
            "captured",
            sightings
                .iter()
                .map(|seen| format!("{} ({})", seen.source, class(seen.class)))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("metadata", e.metadata.as_ref().map_or_else(String::new, |json| json.as_str().to_owned())),
        ("meta", e.meta.as_ref().map_or_else(String::new, |json| json.as_str().to_owned())),
    ];
    for (name, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        let name = out.styled(Style::Dim, &format!("{name:>9}"));
        out.line(&format!("{name}  {}", print::one_line(text, 400)))?;
    }
    out.line("")?;
    out.line(&print::tame(e.content.verbatim()))?;
    Ok(out.flush()?)
}

const fn class(class: RecordClass) -> &'static str {
    match class {
        RecordClass::Event => "first",
        RecordClass::Revision => "revision",
        RecordClass::Sighting => "seen again",
    }
}

fn show_session(journal: &SqliteJournal, id: &str, (view, gate): (&View, &Gate<'_>), json: bool) -> Result<bool> {
    let filter = Filter { session: Some(id.to_owned()), ..Filter::default() };
    let page = journal.page(&filter, view, &Page::first(SESSION_EVENTS_MAX, Order::OldestFirst))?;
    if page.events.is_empty() {
        return Ok(false);
    }
    let mut out = Out::new();
    for event in page.events.into_iter().filter_map(|event| gate.event(event)) {
        if json { out.json(&event.into_envelope())? } else { timeline::print_event(&mut out, &event)? }
    }
    out.flush()?;
    if let Some(next) = page.next {
        print::warn(&format!("there is more: memoir timeline --session {id} --oldest-first --after {next}"));
    }
    Ok(true)
}
