//! The append-only truth: events come in redacted, are kept for good, and are read through one view.
//!
//! Owns what is stored and in which order, who may read it, and the proof that nothing was changed. Must not know
//! where events come from or how they are searched.

mod admit;
mod alias;
mod append;
mod body;
mod cut;
mod error;
mod filter;
mod flags;
mod forget;
mod journal;
mod lease;
mod sqlite;
mod stored;
mod view;

pub use admit::{Admission, Redacted};
pub use alias::Alias;
pub use append::{Cursor, Outcome};
pub use cut::Limits;
pub use error::JournalError;
pub use filter::{Filter, Order, Page, PageToken, Selection};
pub use forget::{Chosen, Depth, Forgetting, ForgettingEntry, Scope, Turn};
pub use journal::Journal;
pub use lease::Lease;
pub use sqlite::{
    Erased, Hears, SCHEMA_VERSION, SqliteJournal, SqliteOptions, TakenBack, TextDigest, comparable, taken_back_by,
    verify_file,
};
pub use stored::{
    Change, EventPage, Lookup, OriginEntry, Placed, ProjectEntry, RecordClass, SessionEntry, Sighting, Stats,
    StoredEvent, Touched, Verified,
};
pub use view::{Audience, View};

/// The place of a record in the journal; the first is 1.
pub type Seq = u64;

/// Tells the time in milliseconds since 1970, UTC. Handed in, so that tests own the clock.
pub type Clock = std::sync::Arc<dyn Fn() -> i64 + Send + Sync>;
