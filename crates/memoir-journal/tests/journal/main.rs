//! The journal on real files, through its public face only.

mod append;
mod chain;
mod copies;
mod formats;
mod many;
mod read;
mod support;
