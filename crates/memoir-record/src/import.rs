//! History import: what clients have on disk, into the journal. Again: only what is new.
//!
//! Files are read by several threads and written by one. Each batch moves its file's cursor in the same transaction, so
//! that an import can be killed at any moment and goes on where it was. Whatever is read twice is known by its names.

mod clears;
mod copies;
mod coverage;
mod database;
mod files;
mod format;
mod lines;
mod opened;
mod position;
mod read;
mod run;
mod shrink;
mod summary;
mod torn;

pub(crate) use copies::copied_thread;
pub use coverage::{Coverage, ReadState};
pub use files::{ClientDirs, Found, SourceFile, Unreadable, Wanted};
pub use format::Format;
pub use read::Portion;
pub use run::{CaughtUp, ImportError, Importer, Progress, rename_project};
pub(crate) use shrink::Shrinker;
pub use shrink::read_shrunk;
pub use summary::{ClientSummary, FileProblem, ImportSummary};
