//! Any text is a query.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = memoir_index::Query::parse(&String::from_utf8_lossy(bytes));
});
