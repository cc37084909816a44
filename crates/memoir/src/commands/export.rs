//! `memoir export`.

use super::{Context, filter, timeline};
use crate::cli::{ExportArgs, ExportFormat};
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out};
use crate::stop;
use anyhow::Result;
use memoir_journal::{Filter, Journal, Order, Page, View};
use memoir_recall::{Form, Gate};

const EVENTS_A_PAGE: usize = 1000;

pub fn run(context: &Context, args: &ExportArgs) -> Result<Done> {
    let ExportFormat::Jsonl = args.format;
    let filter = filter::filter(&args.filter)?;
    let view = if args.everything { View::owner_all() } else { filter::view(&args.view) };
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return timeline::nothing(true);
    };
    let filter = filter::in_journal(filter, &journal)?;
    let stop = stop::on_signal()?;
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    // The owner's own data, as it was recorded: it only loses what newer rules know to be secret.
    let gate = Gate::new(&redactor, Form::Verbatim);
    let mut page = Page::first(EVENTS_A_PAGE, Order::OldestFirst);
    let mut exported: u64 = 0;
    loop {
        let found = journal.page(&filter, &view, &page)?;
        for event in found.events.into_iter().filter_map(|event| gate.event(event)) {
            out.json(&event.into_envelope())?;
            exported += 1;
        }
        page.after = found.next;
        if page.after.is_none() {
            break;
        }
        if stop::requested(&stop) {
            out.flush()?;
            anyhow::bail!("stopped after {exported} events");
        }
    }
    out.flush()?;
    let stats = journal.stats()?;
    let left_out = stats.events.saturating_sub(stats.forgotten).saturating_sub(exported);
    if filter == Filter::default() && left_out > 0 {
        print::warn(&format!(
            "{left_out} secret, private, sealed or superseded events were left out: --everything exports them too"
        ));
    }
    Ok(Done::Well)
}
