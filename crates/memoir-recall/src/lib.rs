//! A query answered by few, ranked, budgeted blocks from the journal.
//!
//! Owns what helps: words of a query, signals, ranks, confidence, what may leave, how it is cut; and what is to be
//! forgotten. Reads the journal and the index, writes tombstones, takes what is forgotten out of mirrors, calls no
//! model. Must not know who asks over which wire.

mod choose;
mod claims;
mod confidence;
mod copies;
mod echo;
mod essence;
mod exact;
mod field;
mod first_look;
mod forget;
mod listed;
mod long_units;
mod meaning;
mod memories;
mod name_words;
mod names;
mod ordinary;
mod outdated;
mod passage;
mod place;
mod policy;
mod projects;
mod rank;
mod recall;
mod render;
mod request;
mod scope;
mod session_score;
mod sessions;
mod weights;
mod when;
mod words;

pub use copies::{Followed, IMPORTED, INSTRUCTED, MIRRORED, take_out_of_copies};
pub use essence::{Essence, Kept, LastSession, conventions, essence};
pub use forget::{Choice, ForgetError, Forgetter, Unwanted};
pub use listed::Listed;
pub use meaning::{Meaning, Nearness};
pub use ordinary::{asks_nothing, orders_the_usual};
pub use policy::{Blocked, Form, Gate, Withheld, clean, fit_to_show};
pub use projects::{ProjectNames, directory};
pub use recall::{QUERY_BYTES_MAX, Recall, RecallError};
pub use render::{digest, memory_from, memory_json, origin, session_name, to_json, what};
pub use request::{Answer, Block, Copied, Effort, Request, SessionBlock};
pub use weights::{Signal, Weights};
