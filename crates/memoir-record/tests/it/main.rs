//! The recorder on real files, real sockets and real threads.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

mod doctor;
mod lines;
mod local;
mod remote;
mod shared_spool;
mod spool;
mod stub;
mod wire;
mod world;
