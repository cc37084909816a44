//! Any bytes are lines; any line is a capture event or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_event::{CaptureEvent, Time};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = CaptureEvent::parse(text);
        let _ = Time::parse(text);
        let _ = memoir_event::EventId::parse(text);
    }
});
