//! Bounds the bytes of documents that wait for the indexing thread: Tantivy's queue only counts documents.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tantivy::TantivyDocument;
use tantivy::schema::document::Document;

/// If nothing was freed for so long, the indexing thread has ended; adding will then say why.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// How many bytes may be on their way.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes_max: usize,
    used: Mutex<usize>,
    freed: Condvar,
}

impl Budget {
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        Arc::new(Budget { bytes_max, used: Mutex::new(0), freed: Condvar::new() })
    }

    /// Waits until `bytes` fit, or nothing else is on its way.
    pub fn take(self: &Arc<Budget>, bytes: usize) -> Ticket {
        let full = |used: &mut usize| *used > 0 && *used + bytes > self.bytes_max;
        let waited = self.freed.wait_timeout_while(self.used(), WAIT_MAX, full);
        let (mut used, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *used += bytes;
        Ticket { budget: Arc::clone(self), bytes }
    }

    fn used(&self) -> MutexGuard<'_, usize> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a portion of documents, given back when they are indexed.
pub(crate) struct Ticket {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        *self.budget.used() -= self.bytes;
        self.budget.freed.notify_one();
    }
}

/// A document, with a ticket if it is the last of its portion.
pub(crate) struct TicketedDocument {
    document: TantivyDocument,
    _ticket: Option<Ticket>,
}

impl TicketedDocument {
    pub const fn new(document: TantivyDocument, ticket: Option<Ticket>) -> TicketedDocument {
        TicketedDocument { document, _ticket: ticket }
    }
}

impl Document for TicketedDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }

    fn into_tantivy_document(self) -> TantivyDocument {
        self.document
    }
}
