//! Any bytes are lines of a Codex rollout, in however many sittings they are read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_capture::{Salt, codex::Rollout};

fuzz_target!(|bytes: &[u8]| {
    let salt = Salt::default();
    memoir_fuzz::read_in_sittings(bytes, || Rollout::new(None, salt), |state| Rollout::resume(state, salt));
});
