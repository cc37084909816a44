//! File names of segments: the session id where that is safe, otherwise an encoding of it.
//!
//! A session id comes from outside. It must not lead out of `segments/`, name a device, or share a file with another
//! one, also where the file system does not tell `a` from `A`. Encoded names contain a `%`, plain ones never do, and
//! both are tried in order until one is free; the manifest says which one a session has.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The longest name without its ending.
const STEM_BYTES_MAX: usize = 120;
const ENDING: &str = ".jsonl";
/// Names that Windows gives to devices, whatever follows after a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The names that a session may have, the best first.
pub fn candidates(session_id: &str) -> Vec<String> {
    let plain = is_plain(session_id).then(|| session_id.to_owned());
    let encoded = Some(encode(session_id)).filter(|stem| stem.len() <= STEM_BYTES_MAX);
    let stems = plain.into_iter().chain(encoded).chain([hashed(session_id)]);
    stems.map(|stem| stem + ENDING).collect()
}

fn is_plain(session_id: &str) -> bool {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !session_id.is_empty()
        && session_id.len() <= STEM_BYTES_MAX
        && !session_id.starts_with('.')
        && session_id.bytes().all(safe)
        && !is_device(session_id)
}

fn is_device(session_id: &str) -> bool {
    let base = session_id.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = base.trim_end_matches(|c: char| c.is_ascii_digit());
    DEVICES.contains(&base.as_str()) || (base.len() == numbered.len() + 1 && matches!(numbered, "com" | "lpt"))
}

/// Percent-encoded, upper case letters included, so that two ids differ in more than case. The first byte is always
/// encoded: no result is a plain name, begins with a dot or is a device.
fn encode(session_id: &str) -> String {
    let mut stem = String::with_capacity(session_id.len() + 2);
    for (at, byte) in session_id.bytes().enumerate() {
        if at > 0 && (byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')) {
            stem.push(char::from(byte));
        } else {
            let _ = write!(stem, "%{byte:02x}");
        }
    }
    if stem.is_empty() { "%".to_owned() } else { stem }
}

fn hashed(session_id: &str) -> String {
    let mut stem = "%sha256-".to_owned();
    for byte in Sha256::digest(session_id) {
        let _ = write!(stem, "{byte:02x}");
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn first(session_id: &str) -> String {
        candidates(session_id).swap_remove(0)
    }

    #[test]
    fn ordinary_ids_are_names() {
        for id in ["abc123", "019cafe0-0000-7000-8000-000000000001", "A.b_c-D", "console", "com10", &"x".repeat(120)] {
            assert_eq!(first(id), format!("{id}.jsonl"));
        }
    }

    #[test]
    fn others_are_encoded() {
        assert_eq!(first("../../../escaped"), "%2e.%2f..%2f..%2fescaped.jsonl");
        assert_eq!(first("a/b"), "%61%2fb.jsonl");
        assert_eq!(first("CON"), "%43%4f%4e.jsonl");
        assert_eq!(first("lpt1.x"), "%6cpt1.x.jsonl");
        assert_eq!(first(""), "%.jsonl");
        assert_eq!(first(".hidden"), "%2ehidden.jsonl");
        assert_eq!(first(&"é".repeat(60)).len(), "%sha256-.jsonl".len() + 64);
    }

    proptest! {
        #[test]
        fn no_name_leads_anywhere_else(id in ".*") {
            for name in candidates(&id) {
                prop_assert!(name.len() <= STEM_BYTES_MAX + ENDING.len());
                prop_assert!(!name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']));
            }
        }

        #[test]
        fn two_ids_share_no_encoded_name_in_any_case(a in "[aA%.e2]{0,4}", b in "[aA%.e2]{0,4}") {
            prop_assume!(a != b);
            prop_assert_ne!(encode(&a).to_lowercase(), encode(&b).to_lowercase());
            prop_assert!(!is_plain(&encode(&a)));
        }
    }
}
