//! The API over a real journal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]

mod pausing;
