//! The index on real directories over real journals, through its public face only.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests say what they expect")]

mod alike;
mod cache;
mod damage;
mod filters;
mod queries;
mod support;
