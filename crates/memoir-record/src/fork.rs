//! Sessions that began as a copy of another: hooks tell so, and what such a file shares is read of the other one first.

use crate::import::{ImportError, Importer, SourceFile, copied_thread};
use memoir_event::Client;
use memoir_journal::{Cursor, Journal, JournalError};

/// What the names of the cursors begin with that say so.
pub(crate) const PREFIX: &str = "fork|";

/// Says that a session began as a copy.
pub fn fork_cursor(client: Client, session: &str) -> Cursor {
    Cursor { stream: stream_of(client, session), sequence: 1, position: String::new() }
}

/// Whether a session file is not to be read by itself: it begins with a copy of one that may not have been read.
pub fn is_unread_fork(importer: &Importer<'_>, session: &str, file: &SourceFile) -> Result<bool, ImportError> {
    let is_copy = is_fork(importer.journal, file.format.client(), session)? || copied_thread(file).is_some();
    Ok(is_copy && !importer.has_begun(file)?)
}

fn is_fork(journal: &dyn Journal, client: Client, session: &str) -> Result<bool, JournalError> {
    Ok(journal.cursor(&stream_of(client, session))?.is_some())
}

fn stream_of(client: Client, session: &str) -> String {
    format!("{PREFIX}{client}|{session}")
}
