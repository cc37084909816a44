//! Goes through all events of a kind, page by page.

use memoir_event::Kind;
use memoir_journal::{Filter, Journal, JournalError, Order, Page, StoredEvent, View};

/// Events in one page.
const PAGE_EVENTS: usize = 1000;

/// Whether to go on.
pub(crate) enum Go {
    On,
    Stop,
}

/// Shows each event of that kind that passes.
pub(crate) fn each(
    journal: &dyn Journal,
    filter: &Filter,
    view: &View,
    kind: Kind,
    order: Order,
    show: &mut dyn FnMut(StoredEvent) -> Go,
) -> Result<(), JournalError> {
    let filter = Filter { event_type: Some(kind.as_str().to_owned()), ..filter.clone() };
    let mut page = Page::first(PAGE_EVENTS, order);
    loop {
        let found = journal.page(&filter, view, &page)?;
        for event in found.events {
            if let Go::Stop = show(event) {
                return Ok(());
            }
        }
        match found.next {
            Some(next) => page.after = Some(next),
            None => return Ok(()),
        }
    }
}
