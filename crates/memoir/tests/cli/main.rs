//! memoir as its users meet it: real processes of the real binary, real sockets, real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what a test meets unexpectedly fails it")]
#![allow(clippy::print_stderr, reason = "what was skipped is said loudly")]
#![allow(clippy::needless_pass_by_value, reason = "`json!` at the call site reads better than a reference to it")]
#![cfg(unix)]

mod http;
mod process;
mod scan;
mod stub;
mod support;
mod transcripts;

mod agents_md;
mod asking;
mod blocked;
mod broken_index;
mod brought;
mod capture;
mod commands;
mod compacting;
mod control;
mod copies;
mod corrupt;
mod disk;
mod doctoring;
mod dreaming;
mod duplicates;
mod durable;
mod embedding;
mod erasing;
mod exec;
mod files;
mod forgetting;
mod forked;
mod gate;
mod held_back;
mod help;
mod homes;
mod hook_script;
mod hooks;
mod huge;
mod hushed;
mod importing;
mod injecting;
mod install;
mod left;
mod lines;
mod locked;
mod mcp;
mod mirroring;
mod output;
mod places;
mod purging;
mod pushing;
mod recalling;
mod regressions;
mod remembering;
mod remembering_http;
mod remote;
mod reports;
mod second_home;
mod serving;
mod sessions;
mod settings;
mod signals;
mod slips;
mod spooling;
mod still_forgotten;
mod telling;
mod torture;
mod upgrade;
mod verbatim;
mod wire;
mod wrong_types;
