//! Gets events into a journal: here or on a server, with a spool for what cannot go there yet.
//!
//! Owns the ways in that read lines, the wire format of raw records, and what waits in the spool. Must not know the
//! environment, the home directory or the terminal: these are handed in.

mod accept;
mod client;
mod input;
mod lines;
mod names;
mod spool;
mod url;
pub mod wire;

pub use accept::{LineError, LineProblem, OnBadLine, Place};
pub use client::{Client, ClientError, Timeouts};
pub use input::{Input, Polled};
pub use lines::{BadLine, Line, Lines};
pub use names::{Names, NamesError};
pub use spool::{Claim, Claimed, Lane, Recovered, Spool, SpoolError, SpoolFile, SpoolLimits, SpoolListing};
pub use url::{Proxies, Scheme, ServerUrl, UrlError};
