//! The life of a session: when what it has so far is sealed into an archive, and what the archive tells.
//!
//! Owns which sessions wait, the rules by which one is taken for ended, and the points of an overview. Its state is rows
//! of the journal's cursor table, moved in the same transaction as the events that they speak of. Must not know which
//! hook, command or wire calls it; reads no clock, environment or process table, and asks no model: these are handed in.

mod archives;
mod commit;
mod error;
mod found;
mod name;
mod overview;
mod points;
mod resting;
mod rules;
mod sessions;
mod state;
mod sweep;
mod telling;
mod told;
mod wait;

pub use commit::{Committed, Sealed};
pub use error::SessionError;
pub use memoir_recall::{ProjectNames, directory};
pub use name::{Process, SessionName};
pub use overview::{Overview, OverviewLine};
pub use rules::{Began, CommitRules, Effort};
pub use sessions::Sessions;
pub use sweep::WorkedOff;
pub use telling::{Answer, Ask, Silence, TellingTally, ToldOff, silent_since};
pub use wait::{Pending, waiting_count};
