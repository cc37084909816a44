//! Capture and import on real files and a real journal: whatever happens to files, and in whatever order things are
//! seen, the journal holds each thing once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

mod any_files;
mod any_order;
mod both_ways;
mod copied_history;
mod odd_content;
mod private;
mod rewrites;
mod shapes;
mod world;
