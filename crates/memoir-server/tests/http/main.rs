//! The server over real sockets and a real journal, spoken to in plain bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]

mod auth;
mod batch;
mod client;
mod contract;
mod dreaming;
mod failures;
mod forgetting;
mod hosts;
mod limits;
mod mcp;
mod odd_journal;
mod openviking;
mod openviking_archives;
mod openviking_files;
mod openviking_input;
mod reading;
mod recalling;
mod running;
mod searching;
mod stopping;
mod visibility;
