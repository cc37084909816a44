//! What a run tells while it goes on, and how it ended.

use crate::accept::LineProblem;
use crate::spool::{Recovered, SpoolError};
use memoir_journal::JournalError;
use std::io;
use std::path::PathBuf;

/// Something worth a line on a terminal or in a log. All texts are redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A line was not taken.
    Line(LineProblem),
    /// Records wait in the spool.
    Spooled {
        /// How many.
        records: usize,
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A record was set aside: it will never be taken.
    SetAside {
        /// Where it is.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Lines in the spool were no records.
    Quarantined {
        /// Where they are.
        path: PathBuf,
    },
    /// What a killed process left unfinished in the spool was mended.
    Recovered(Recovered),
    /// What waits in the spool could not be delivered now; it still waits.
    Waiting {
        /// Why.
        reason: String,
    },
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// At the end of the input.
    Finished,
    /// By a signal; what was accepted is safe.
    Stopped,
    /// At a bad line, as asked for.
    BadLine(LineProblem),
    /// Something accepted could not be kept, or nothing more could be read.
    Failed(IngestError),
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The input broke.
    #[error("the input cannot be read")]
    Input(#[source] io::Error),
    /// The server cannot be reached and the spool cannot keep what is for it.
    #[error("records could be neither delivered nor spooled")]
    Spool(#[source] SpoolError),
    /// The journal cannot be written and the spool cannot keep what is for it.
    #[error("events could be neither stored ({journal}) nor spooled")]
    JournalAndSpool {
        /// What is wrong with the journal.
        journal: JournalError,
        /// What is wrong with the spool.
        #[source]
        spool: SpoolError,
    },
    /// A part of memoir broke.
    #[error("the writer ended before its time")]
    Writer,
}
