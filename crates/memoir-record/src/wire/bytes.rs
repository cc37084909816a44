//! Block data: bytes that travel as an array of integers.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};
use serde_json::value::RawValue;

/// Writes `[104,105]`.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(bytes)
}

/// Reads an array of integers from 0 to 255. Asking serde for each number would be most of the work of a batch.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let array = <&RawValue>::deserialize(deserializer)?;
    integers(array.get()).ok_or_else(|| D::Error::custom("`data` is not an array of integers from 0 to 255"))
}

/// The numbers of an array that is known to be well-formed JSON.
fn integers(array: &str) -> Option<Vec<u8>> {
    let inner = array.strip_prefix('[')?.strip_suffix(']')?;
    let mut bytes = Vec::with_capacity(inner.len() / 3 + 1);
    let mut number: Option<u16> = None;
    for byte in inner.bytes() {
        match byte {
            b'0'..=b'9' => {
                let more = number.unwrap_or(0) * 10 + u16::from(byte - b'0');
                number = (more <= 255).then_some(more);
                number?;
            }
            b',' => bytes.push(u8::try_from(number.take()?).ok()?),
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => return None,
        }
    }
    bytes.extend(number.and_then(|number| u8::try_from(number).ok()));
    Some(bytes)
}
