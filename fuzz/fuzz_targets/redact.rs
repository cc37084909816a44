//! Redacting twice changes nothing, and JSON stays JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_redact::Redactor;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let redactor = Redactor::builtin();
    let once = redactor.text(text).into_owned();
    assert_eq!(redactor.text(&once), once);
    if serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok() {
        let clean = redactor.json(text).into_owned();
        assert!(serde_json::from_str::<&serde_json::value::RawValue>(&clean).is_ok());
        assert_eq!(redactor.json(&clean), clean);
    }
});
