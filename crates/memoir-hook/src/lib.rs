//! One hook call: what the client tells is recorded, and the client gets an answer that it accepts.
//!
//! Owns the order of what happens in a hook and how little time it may take. Whatever goes wrong, the client must not
//! notice: the answer is always valid, and what could not be stored is spooled, marked or counted.

mod call;
mod fired;

pub use call::{Answer, Hook};
pub use fired::{Fired, fired, forgive};
