//! memoir as its users meet it: real processes of the real binary, real sockets, real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]
#![cfg(unix)]

mod support;

mod capture;
mod commands;
mod copies;
mod corrupt;
mod disk;
mod duplicates;
mod durable;
mod files;
mod homes;
mod http;
mod lines;
mod locked;
mod output;
mod remote;
mod serving;
mod settings;
mod signals;
mod torture;
mod verbatim;
mod wire;
