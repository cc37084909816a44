//! One hook call: what the client tells is recorded, and the client gets an answer that it accepts.
//!
//! Owns the order of what happens in a hook and how little time it may take; what is put into a conversation, when, and
//! in which form. Whatever goes wrong, the client must not notice: the answer is always valid, and what could not be
//! stored is spooled, marked or counted. Must not know how things are ranked.

mod call;
mod compress;
mod compressor;
mod context;
mod essence;
mod fired;
mod fork;
mod inject;
mod late;
mod life;
mod prompt;
mod resume;
mod rounds;
mod shown;
mod tool;

pub use call::{Hook, Recorded};
pub use compressor::Compressor;
pub use context::Occasion;
pub use fired::{Fired, fired, forgive};
pub use inject::{InjectError, Injector, Time, Wanted};
pub use late::{Late, count_late, late};
pub use life::SessionLife;
