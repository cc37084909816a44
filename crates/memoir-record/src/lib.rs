//! Gets events into a journal: here or on a server, with a spool for what cannot go there yet.
//!
//! Owns the ways in that read lines, the wire format of raw records, and what waits in the spool. Must not know the
//! environment, the home directory or the terminal: these are handed in.

pub mod wire;
