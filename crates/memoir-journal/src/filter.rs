//! Which events a reader wants, in what order, and where the next page begins.

use crate::Seq;
use memoir_event::{Kind, Source};
use std::fmt;
use std::sync::Arc;

/// What events must match; what is not set matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The project, also under an id it had before.
    pub repo: Option<String>,
    /// The session, with or without its client's prefix.
    pub session: Option<String>,
    /// The thread.
    pub thread: Option<String>,
    /// The contributor.
    pub actor: Option<String>,
    /// From this moment on (milliseconds since 1970).
    pub from_ms: Option<i64>,
    /// Up to and including this moment.
    pub to_ms: Option<i64>,
    /// The payload's item type.
    pub item_type: Option<String>,
    /// The kind's name, or the envelope's event type.
    pub event_type: Option<String>,
    /// How it was captured.
    pub source: Option<Source>,
}

impl Filter {
    /// Whether a shape passes.
    pub(crate) fn passes_shape(&self, kind: Kind, event_type: &str, item_type: Option<&str>) -> bool {
        let type_passes =
            self.event_type.as_deref().is_none_or(|wanted| kind.as_str() == wanted || event_type == wanted);
        type_passes && self.item_type.as_deref().is_none_or(|wanted| item_type == Some(wanted))
    }
}

/// In which order pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// What happened last comes first.
    #[default]
    NewestFirst,
    /// What happened first comes first.
    OldestFirst,
}

/// Which page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// At most so many events.
    pub limit: usize,
    /// The order.
    pub order: Order,
    /// Go on after this place.
    pub after: Option<PageToken>,
}

impl Page {
    /// The first page.
    pub const fn first(limit: usize, order: Order) -> Page {
        Page { limit, order, after: None }
    }
}

/// Where the next page begins; its text form is for clients to hand back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageToken {
    /// The time of the last event of the page before.
    pub ts_ms: i64,
    /// Its place.
    pub seq: Seq,
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.ts_ms, self.seq)
    }
}

impl PageToken {
    /// Reads the text form.
    pub fn parse(text: &str) -> Option<PageToken> {
        let (ts_ms, seq) = text.split_once('.')?;
        Some(PageToken { ts_ms: ts_ms.parse().ok()?, seq: seq.parse().ok()? })
    }
}

/// A filter and a view in the numbers that records and indexes carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these origins, sorted; none means all.
    pub origins: Option<Vec<u32>>,
    /// Only these shapes, sorted; none means all.
    pub shapes: Option<Vec<u32>>,
    /// From this moment on.
    pub from_ms: Option<i64>,
    /// Up to and including this moment.
    pub to_ms: Option<i64>,
    /// The access codes that are shown, one bit each.
    pub access_mask: u16,
    /// Events that must not be shown whatever they match, sorted.
    pub hidden: Arc<[Seq]>,
}

impl Selection {
    /// Whether nothing at all can match.
    pub fn is_empty(&self) -> bool {
        self.origins.as_ref().is_some_and(Vec::is_empty) || self.shapes.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether an event with these numbers is selected.
    pub fn admits(&self, seq: Seq, origin: u32, shape: u32, ts_ms: i64, access: u8) -> bool {
        self.access_mask >> (access & 15) & 1 == 1
            && self.from_ms.is_none_or(|from| ts_ms >= from)
            && self.to_ms.is_none_or(|to| ts_ms <= to)
            && self.shapes.as_ref().is_none_or(|shapes| shapes.binary_search(&shape).is_ok())
            && self.origins.as_ref().is_none_or(|origins| origins.binary_search(&origin).is_ok())
            && self.hidden.binary_search(&seq).is_err()
    }
}
