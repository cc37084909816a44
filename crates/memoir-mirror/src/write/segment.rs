//! A segment as its writer knows it.

use crate::digest::checksum;
use crate::manifest::Entry;
use crate::span::Span;
use sha2::{Digest as _, Sha256};

/// What is known of the bytes of a segment.
pub enum Sum {
    /// What the manifest says; the file was not read in this run.
    Committed(String),
    /// The hash of all that is in the file.
    Running(Sha256),
}

/// Whether the bytes in the file are known to be durable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    Yes,
    NotYet,
}

/// A segment: what is in its file, and what waits to be.
pub struct Segment {
    pub session_id: String,
    /// The file's name.
    pub name: String,
    /// How much is in the file, all of it whole lines.
    pub bytes: u64,
    /// How many events it has that no segment before it has.
    pub events: u64,
    pub span: Span,
    pub sum: Sum,
    pub durable: Durable,
    /// Lines that are not in the file yet. `events` and `span` have them already.
    pub waiting: Vec<u8>,
}

impl Segment {
    /// One whose file is not there yet.
    pub fn new(session_id: String, name: String) -> Segment {
        Segment {
            session_id,
            name,
            bytes: 0,
            events: 0,
            span: Span::default(),
            sum: Sum::Running(Sha256::new()),
            durable: Durable::Yes,
            waiting: Vec::new(),
        }
    }

    /// One that is as the manifest says.
    pub fn committed(entry: &Entry, bytes: u64) -> Segment {
        Segment {
            session_id: entry.session_id.clone(),
            name: entry.segment.clone(),
            bytes,
            events: entry.event_count,
            span: Span::between(&entry.first_ts, &entry.last_ts),
            sum: Sum::Committed(entry.checksum.clone()),
            durable: Durable::Yes,
            waiting: Vec::new(),
        }
    }

    /// Its line in the manifest, once nothing waits.
    pub fn entry(&self) -> Entry {
        Entry {
            session_id: self.session_id.clone(),
            segment: self.name.clone(),
            checksum: match &self.sum {
                Sum::Committed(checksum) => checksum.clone(),
                Sum::Running(hash) => checksum(hash),
            },
            event_count: self.events,
            first_ts: self.span.first().to_owned(),
            last_ts: self.span.last().to_owned(),
            bytes: Some(self.bytes),
        }
    }
}
