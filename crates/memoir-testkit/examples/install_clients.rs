//! Installs the clients that tests run, unless they are there; says so loudly if they cannot be had.

#![allow(clippy::print_stderr, reason = "it is all that this program does")]

use memoir_testkit::Clients;

fn main() {
    if Clients::get().is_none() {
        eprintln!("clients: NOTHING IS TESTED WITH THE REAL CODEX, CLAUDE CODE AND GEMINI CLI; their tests pass unrun");
    }
}
