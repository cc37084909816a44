//! Vectors of what was said, quantised: lazily caught up, safe with many processes, disposable.
//!
//! Owns how a vector becomes few bytes, the files that hold them, and which events have one. They are a cache over the
//! journal and a model: delete them, and catching up makes them again. Only what recall may hand out is ever given to
//! a model, redacted once more. Must not know who asks or how hits are ranked.
//!
//! A search scans the coarse bytes of all vectors, which are kept in memory, and scores the best again with the finer
//! bytes, which are read from disk as they are needed.

mod block;
mod catch_up;
mod embed;
mod error;
mod header;
mod lock;
mod names;
mod place;
mod quantise;
mod question;
mod rewrite;
mod scan;
mod snapshot;
mod speech;
mod store;
mod write;

pub use catch_up::{CatchUp, Made};
pub use error::VectorsError;
pub use question::VectorMeaning;
pub use speech::TEXT_CHARS_MAX;
pub use store::{Probe, Removed, Vectors, VectorsStatus, Watch};
