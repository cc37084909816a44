//! Keeps what was seen as it happened: in the journal, or else in the spool, or else as a number.

use crate::drain::is_kept;
use crate::names::Names;
use crate::runs;
use crate::spool::{Lane, Note, Spool};
use crate::wire::{Destination, RawRecord, Sender, encode};
use memoir_event::Identity;
use memoir_journal::{Cursor, Journal, Redacted};

/// What became of it.
#[derive(Debug)]
pub enum Kept {
    /// It is in the journal.
    Stored,
    /// It waits in the spool, because of what is wrong with the journal.
    Spooled(String),
    /// It is lost: neither would have it.
    Lost(String),
}

/// Stores a batch with its cursors; what the journal cannot take now is spooled: what was captured, and of the cursors
/// those that nobody could work out again.
pub fn keep(
    journal: Option<&dyn Journal>,
    spool: &Spool,
    names: &Names,
    batch: &[Redacted],
    cursors: &[Cursor],
) -> Kept {
    let problem = match journal.map(|journal| journal.append(batch, cursors)) {
        Some(Ok(_)) => return Kept::Stored,
        Some(Err(error)) => error.to_string(),
        None => "the journal cannot be opened".to_owned(),
    };
    let notes: Vec<Note> = cursors.iter().filter_map(|cursor| note(cursor, journal.is_some())).collect();
    if let Err(error) = spool.note(&notes) {
        return Kept::Lost(format!("{problem}; {error}"));
    }
    if batch.is_empty() {
        return Kept::Spooled(problem);
    }
    let records: Vec<RawRecord> = batch.iter().map(|event| record(event, journal.is_some(), names)).collect();
    match spool.keep(Lane::Journal, &records) {
        Ok(_) => Kept::Spooled(problem),
        Err(error) => Kept::Lost(format!("{problem}; {error}")),
    }
}

/// What is to be kept of a cursor until the journal can be told.
fn note(cursor: &Cursor, has_keys: bool) -> Option<Note> {
    if has_keys {
        return is_kept(cursor).then(|| Note::of(cursor));
    }
    // Digests were made without the journal's key: only runs are looked for by such ones too.
    runs::unkeyed(cursor).map(|cursor| Note::of(&cursor))
}

/// The record that stands for the same event when it is stored later.
fn record(redacted: &Redacted, has_keys: bool, names: &Names) -> RawRecord {
    let event = redacted.event();
    let name = event.identities.iter().find_map(|identity| match identity {
        Identity::Named(name) => Some(name.clone()),
        _ => None,
    });
    let keys = has_keys.then(|| redacted.keys());
    let sender = Sender { cwd: None, to: Destination::Spool(keys) };
    encode(event, sender, Some(&name.unwrap_or_else(|| names.uuid())))
}

/// Records for a server, from events that lost their secrets.
pub fn for_server(batch: &[Redacted], names: &Names) -> Vec<RawRecord> {
    let sender = Sender { cwd: None, to: Destination::Server };
    batch.iter().map(|redacted| encode(redacted.event(), sender, Some(&names.uuid()))).collect()
}
