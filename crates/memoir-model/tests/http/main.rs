//! Models over real sockets, well and badly behaved.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]

mod chat;
mod embeddings;
