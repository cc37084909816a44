//! Who writes next. SQLite lets in whoever asks at the right moment: a process that writes one batch after another would
//! keep out all others, who ask only now and then. Here those ask often and leave a mark that they wait, and whoever
//! writes lets them go first.

use crate::JournalError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often one that waits asks.
const PAUSE: Duration = Duration::from_millis(1);

/// How long one that writes lets others go first.
const WAY: Duration = Duration::from_millis(4);

/// The queue of all processes that write one journal.
#[derive(Debug)]
pub struct Queue {
    mark: PathBuf,
    wait: Duration,
}

impl Queue {
    /// The queue with its mark at that path.
    pub const fn new(mark: PathBuf, wait: Duration) -> Queue {
        Queue { mark, wait }
    }

    /// Begins to write once nobody else does.
    pub fn begin<'c>(&self, connection: &'c Connection) -> Result<Transaction<'c>, JournalError> {
        if std::fs::remove_file(&self.mark).is_ok() {
            std::thread::sleep(WAY);
        }
        connection.busy_timeout(Duration::ZERO)?;
        let begun = self.ask(connection);
        connection.busy_timeout(self.wait)?;
        begun
    }

    fn ask<'c>(&self, connection: &'c Connection) -> Result<Transaction<'c>, JournalError> {
        let deadline = Instant::now() + self.wait;
        let mut has_waited = false;
        loop {
            match Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(JournalError::from) {
                Err(JournalError::Locked) if Instant::now() < deadline => {
                    // Without a mark it is a matter of luck, as ever.
                    let _ = std::fs::File::create(&self.mark);
                    has_waited = true;
                    std::thread::sleep(PAUSE);
                }
                done => {
                    if has_waited {
                        let _ = std::fs::remove_file(&self.mark);
                    }
                    return done;
                }
            }
        }
    }
}
