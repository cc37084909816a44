//! Mirrors in real directories, written by real processes that are killed, and read whatever is in them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

mod appending;
mod child;
mod codaph;
mod disk_full;
mod disturbed;
mod faults;
mod formats;
mod killed;
mod locking;
mod names;
mod properties;
mod reading;
mod removing;
mod repairing;
mod verifying;
mod world;
