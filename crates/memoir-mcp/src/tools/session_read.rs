//! Events in the order of time, as many as fit on a page.

use super::Desk;
use crate::error::ToolError;
use crate::library::VIEW;
use crate::lines;
use memoir_journal::{Filter, Journal as _, Order, Page, PageToken};

/// A page has about so many characters: some three thousand tokens.
pub(crate) const PAGE_CHARS: usize = 12_000;
/// So many events are read at once.
const PORTION: usize = 50;
/// So many are looked at for one page; most may say nothing.
const LOOKED_AT_MAX: usize = 2_000;

/// Which events, and how much of them.
pub(crate) struct Walk {
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    pub(crate) after: Option<PageToken>,
    pub(crate) events_max: usize,
    /// An event is cut to so many characters.
    pub(crate) event_chars: usize,
}

/// A page of events.
pub(crate) struct Walked {
    pub(crate) text: String,
    pub(crate) next: Option<PageToken>,
}

/// Reads until the page is full.
pub(crate) fn walk(desk: &Desk<'_>, wanted: &Walk) -> Result<Walked, ToolError> {
    let (mut text, mut chars, mut shown, mut looked_at) = (String::new(), 0, 0, 0);
    let mut page = Page { limit: PORTION, order: wanted.order, after: wanted.after };
    loop {
        let found = desk.library.shown().page(&wanted.filter, &VIEW, &page)?;
        for stored in found.events {
            let Some(entry) = lines::entry(desk.library, &stored, wanted.event_chars) else {
                page.after = Some(PageToken { ts_ms: stored.ts_ms, seq: stored.seq });
                continue;
            };
            let length = entry.chars().count();
            let is_full = shown >= wanted.events_max || (shown > 0 && chars + length > PAGE_CHARS);
            if is_full {
                return Ok(Walked { text, next: page.after });
            }
            page.after = Some(PageToken { ts_ms: stored.ts_ms, seq: stored.seq });
            text.push_str(&entry);
            (chars, shown) = (chars + length, shown + 1);
        }
        looked_at += PORTION;
        match found.next {
            Some(next) if looked_at < LOOKED_AT_MAX && (desk.go_on)() => page.after = Some(next),
            next => return Ok(Walked { text, next }),
        }
    }
}
