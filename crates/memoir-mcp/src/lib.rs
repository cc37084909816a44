//! memoir for agents over MCP: tools, prompts and resources, on standard input and output or over HTTP.
//!
//! Owns what a model is told of memoir, what it can ask, and how answers read. What is found and who may see it belongs to
//! the journal and to recall: everything here reads through their view and their policy. Reads no environment and no
//! clock; work on the journal runs on a bounded number of blocking threads.

mod answer;
mod caller;
mod error;
mod frames;
mod http;
mod lanes;
mod library;
mod lines;
mod names;
mod prompts;
mod resources;
mod roots;
mod server;
mod stdio;
mod tools;
mod when;

pub use caller::{Surroundings, Writer};
pub use http::{HttpService, Rights};
pub use library::{Library, Open, ProjectOf};
pub use server::Mcp;
pub use stdio::{LINE_BYTES_MAX, serve};
