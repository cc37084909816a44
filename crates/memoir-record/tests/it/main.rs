//! The recorder on real files, real sockets and real threads.
#![allow(missing_docs)]

mod doctor;
mod lines;
mod local;
mod remote;
mod shared_spool;
mod spool;
mod stub;
mod wire;
mod world;
