//! Any bytes are lines of a Claude Code transcript, in however many sittings they are read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_capture::{Salt, claude::Transcript};
use memoir_event::Source;

fuzz_target!(|bytes: &[u8]| {
    let salt = Salt::default();
    memoir_fuzz::read_in_sittings(
        bytes,
        || Transcript::new(None, salt),
        |state| Transcript::resume(Source::ClaudeCodeHistory, state, salt),
    );
});
