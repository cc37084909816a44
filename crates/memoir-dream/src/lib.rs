//! Memories: taken in, named, merged with what is known, superseded by what is newer.
//!
//! Owns when two statements are about one thing and which of them holds. Everything it decides is appended to the
//! journal as an event. Must not know who says it over which wire; calls no model.

mod about;
mod book;
mod change;
mod claim;
mod dreamer;
mod file;
mod keep;
mod kindred;
mod meant;
mod naming;
mod phrase;
pub mod privacy;
mod reading;
mod remember;
mod review;
mod rules;
mod settle;
mod shapes;
mod statement;
mod tally;
mod tongues;
mod vocabulary;

pub use about::{Likeness, change_in, likeness};
pub use change::Change;
pub use dreamer::{DreamError, DreamWish, Dreamer, Dreamt, Explained};
pub use file::{BadMemory, Brought, read_memories};
pub use naming::{aliases_in, name_of};
pub use privacy::{takes_back, wants_privacy};
pub use remember::{Given, MemoryError, Remembered, Remembering, Said, Way, supersede};
pub use review::{Review, ReviewError, is_to_review};
pub use rules::{Rule, is_of_self};
pub use settle::Became;
pub use tally::{LeftOut, waiting_archives};
