//! What a journal tells about the work in it. Only reads; owns how things are added up and put together.

mod costs;
mod touched;
mod usage;
mod walk;

pub use touched::{Touch, Wanted, touches};
pub use usage::{By, Price, Row, Tokens, usage};
