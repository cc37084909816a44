//! `memoir timeline`.

use super::{Context, archive, filter, search, times};
use crate::cli::TimelineArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::{Archive, Client};
use memoir_journal::{Journal, Order, Page, PageToken, StoredEvent};
use memoir_recall::{Form, Gate};
use std::borrow::Cow;

const TEXT_CHARS: usize = 96;

pub fn run(context: &Context, args: &TimelineArgs) -> Result<Done> {
    let filter = filter::filter(&args.filter)?;
    let view = filter::view(&args.view);
    let after = args.after.as_deref().map(|text| {
        PageToken::parse(text)
            .ok_or_else(|| Usage(format!("`{text}` is not a cursor: pass what an earlier page printed")))
    });
    let order = if args.oldest_first { Order::OldestFirst } else { Order::NewestFirst };
    let page = Page { limit: args.limit, order, after: after.transpose()? };
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return nothing(args.json);
    };
    let filter = filter::in_journal(filter, &journal)?;
    let (events, next) = match &args.text {
        Some(text) => search::by_time(context, &journal, text, &filter, &view, &page)?,
        None => {
            let page = journal.page(&filter, &view, &page)?;
            (page.events, page.next)
        }
    };
    let none = events.is_empty();
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let gate = Gate::new(&redactor, Form::Shown);
    for event in events.into_iter().filter_map(|event| gate.event(event)) {
        if args.json { out.json(&event.into_envelope())? } else { print_event(&mut out, &event)? }
    }
    out.flush()?;
    if let Some(next) = next {
        print::warn(&format!("there is more: add --after {next}"));
    } else if none {
        return nothing(args.json);
    }
    Ok(Done::Well)
}

/// Says that nothing was found; a program reading JSON sees that from no lines.
pub fn nothing(json: bool) -> Result<Done> {
    if !json {
        print::warn("nothing found");
    }
    Ok(Done::Well)
}

/// One event on a line.
pub fn print_event(out: &mut Out, event: &StoredEvent) -> Result<()> {
    let time = out.styled(Style::Dim, &times::local(event.ts_ms));
    let who = out.styled(Style::Bold, event.event.kind().as_str());
    let session = print::one_line(&Client::shown_session(event.event.client, &event.event.session), 24);
    let text = Archive::of_event(&event.event).as_ref().map(archive::summary);
    let text = print::one_line(&text.map_or_else(|| event.event.content.plain(), Cow::Owned), TEXT_CHARS);
    let id = out.styled(Style::Dim, &event.id.to_string());
    out.line(&format!("{time}  {id}  {session}  {who}  {text}"))?;
    Ok(())
}
