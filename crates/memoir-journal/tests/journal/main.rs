//! The journal on real files, through its public face only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod append;
mod chain;
mod conversations;
mod copies;
mod forgetting;
mod formats;
mod many;
mod nameless;
mod read;
mod support;
mod taking_back;
