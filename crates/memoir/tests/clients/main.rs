//! memoir beside the real clients: they work in worlds of their own against a scripted model, and what memoir then knows
//! is compared with what the model heard.
//!
//! Where the clients cannot be had, each test says so in a line and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]
#![cfg(unix)]

mod check;
mod desk;
mod script;
mod things;

mod agents;
mod compaction;
mod exec;
mod forks;
mod interrupts;
mod mangled;
mod models;
mod recalls;
mod sessions;
mod settings;
mod terminals;
mod tools;

/// The same test for each client.
macro_rules! for_each_client {
    ($($name:ident: $client:ident),* $(,)? => $test:expr) => {
        $(#[test]
        fn $name() {
            $test(memoir_testkit::Client::$client);
        })*
    };
}
pub(crate) use for_each_client;
