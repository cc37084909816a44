//! Full text over the journal: lazily caught up, safe with many processes, disposable.
//!
//! Owns how text becomes terms, how a query is read, and the Tantivy index in its directory. The index is a cache:
//! delete it, and the next search builds it again and answers the same. Must not know where events come from, who
//! is asking, or how hits are shown.
//!
//! A search answers from the last commit and from a scan of what the journal got since, so it is never stale; only
//! a long tail is indexed first, because a commit costs far more than a short scan.

mod brief;
mod calendar;
mod called;
mod error;
mod fold;
mod guard;
mod hidden;
mod index;
mod lengths;
mod little_runs;
mod lock;
mod lookup;
mod matching;
mod name_stem;
mod pairs;
mod places;
mod plan;
mod query;
mod rank;
mod reading;
mod replace;
mod schema;
mod short_forms;
mod snapshot;
mod snippet;
mod speech;
mod stats;
mod stem;
mod stop_words;
mod tail;
mod term_stream;
mod ticket;
mod token;
mod write;

pub use brief::Brief;
pub use calendar::{MONTHS, WEEKDAYS};
pub use called::SLIP_CHARS_MIN;
pub use error::IndexError;
pub use fold::is_unspaced;
pub use index::{HITS_MAX, Hit, Hits, Index, IndexOptions, IndexStatus, Merging, Note, Window};
pub use lengths::Lengths;
pub use little_runs::is_little_run;
pub use name_stem::{Beginnings, NameStem, Tongue, name_stem};
pub use query::{CLAUSES_MAX, QUERY_BYTES_MAX, Query};
pub use reading::{Doc, Reading, Unit};
pub use snippet::{Marker, Snippet};
pub use speech::{Traits, speech_of};
pub use stem::{Word, is_little, stems_in};
pub use write::CatchUp;
