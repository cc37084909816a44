//! Pages of events as JSON, within a number of bytes.

use crate::errors::ApiError;
use memoir_journal::{Filter, Journal, Page, PageToken, Seq, StoredEvent, View};
use serde::Serialize;

/// So many events are in memory at once, however long the page.
const CHUNK: usize = 64;

/// The elements of a JSON array, and where the next page begins.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    json: Vec<u8>,
    pub(crate) count: usize,
    pub(crate) next: Option<PageToken>,
}

impl Listed {
    /// Adds one element.
    pub(crate) fn push<T: Serialize>(&mut self, element: &T) -> Result<(), ApiError> {
        if self.count > 0 {
            self.json.push(b',');
        }
        self.count += 1;
        serde_json::to_writer(&mut self.json, element).map_err(|_| ApiError::internal())
    }

    /// Whether the answer is as long as it may get.
    pub(crate) fn going(&self, bytes_max: usize) -> Going {
        if self.json.len() >= bytes_max { Going::Enough } else { Going::On }
    }

    /// `{"NAME":[…],…}` with `rest` after the array; `rest` is a JSON object.
    pub(crate) fn into_object<T: Serialize>(self, name: &str, rest: &T) -> Result<Vec<u8>, ApiError> {
        let rest = serde_json::to_vec(rest).map_err(|_| ApiError::internal())?;
        let mut json = Vec::with_capacity(self.json.len() + rest.len() + name.len() + 8);
        json.extend_from_slice(format!("{{\"{name}\":[").as_bytes());
        json.extend_from_slice(&self.json);
        json.push(b']');
        match rest.strip_prefix(b"{") {
            Some(fields) if fields != b"}" => {
                json.push(b',');
                json.extend_from_slice(fields);
            }
            _ => json.push(b'}'),
        }
        Ok(json)
    }
}

/// Lists a page of events, each as `element` makes it, but for those of which it makes nothing; ends early rather than exceed `bytes_max`.
pub(crate) fn list<T: Serialize>(
    journal: &dyn Journal,
    (filter, view): (&Filter, &View),
    wanted: Page,
    bytes_max: usize,
    element: impl Fn(StoredEvent) -> Option<T>,
) -> Result<Listed, ApiError> {
    let mut listed = Listed::default();
    let mut after = wanted.after;
    while listed.count < wanted.limit {
        let limit = (wanted.limit - listed.count).min(CHUNK);
        let page = journal.page(filter, view, &Page { limit, after, order: wanted.order })?;
        let mut left = page.events.len();
        for stored in page.events {
            left -= 1;
            let place = PageToken { ts_ms: stored.ts_ms, seq: stored.seq };
            let Some(element) = element(stored) else { continue };
            listed.push(&element)?;
            if listed.going(bytes_max) == Going::Enough && (left > 0 || page.next.is_some()) {
                listed.next = Some(place);
                return Ok(listed);
            }
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(listed),
        }
    }
    listed.next = after.filter(|_| wanted.limit > 0);
    Ok(listed)
}

/// Hands the events at those places on, in that order, without holding many at once; `take` says whether to go on.
pub(crate) fn each(
    journal: &dyn Journal,
    seqs: &[Seq],
    view: &View,
    mut take: impl FnMut(StoredEvent) -> Result<Going, ApiError>,
) -> Result<(), ApiError> {
    for chunk in seqs.chunks(CHUNK) {
        for stored in journal.events(chunk, view)? {
            if take(stored)? == Going::Enough {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Whether more is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Going {
    /// There is room for more.
    On,
    /// The answer is full.
    Enough,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_comes_first_and_the_rest_after_it() {
        let mut listed = Listed::default();
        listed.push(&1).unwrap();
        listed.push(&"a").unwrap();
        let json = listed.into_object("items", &serde_json::json!({"next": null})).unwrap();
        assert_eq!(String::from_utf8(json).unwrap(), r#"{"items":[1,"a"],"next":null}"#);
        let json = Listed::default().into_object("items", &serde_json::json!({})).unwrap();
        assert_eq!(String::from_utf8(json).unwrap(), r#"{"items":[]}"#);
    }
}
