//! Any text is a hook call of a session, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_capture::read_hook;
use memoir_event::{Client, Time};

fuzz_target!(|bytes: &[u8]| {
    let payload = String::from_utf8_lossy(bytes);
    for &client in Client::ALL {
        if let Ok(call) = read_hook(client, &payload, &Time::from_ms(0)) {
            assert!(!call.session.is_empty());
        }
    }
});
