//! Vectors over real journals, files, threads and sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]

mod building;
mod damage;
mod models;
mod removing;
mod support;
mod together;
