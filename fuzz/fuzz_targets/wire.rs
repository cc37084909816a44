//! Any bytes are raw records or an error, and what was read is written back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_record::wire::{BatchRequest, RawRecord};

fuzz_target!(|bytes: &[u8]| {
    let _ = BatchRequest::parse(bytes);
    if let Ok(record) = RawRecord::parse(bytes) {
        let line = record.to_line();
        assert!(RawRecord::parse(line.as_bytes()).is_ok());
    }
});
