//! Block data: bytes that travel as an array of integers.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserializer, Serialize as _, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// No more than this is reserved on the word of a length hint.
const RESERVE_MAX: usize = 1 << 16;

/// Writes `[104,105]` in one piece: a call for each byte would cost most of the time a batch takes.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(bytes.len() * 4 + 2);
    text.push('[');
    for byte in bytes {
        if text.len() > 1 {
            text.push(',');
        }
        push_decimal(*byte, &mut text);
    }
    text.push(']');
    RawValue::from_string(text).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

fn push_decimal(byte: u8, text: &mut String) {
    let digit = |n: u8| char::from(b'0' + n % 10);
    if byte >= 100 {
        text.push(digit(byte / 100));
    }
    if byte >= 10 {
        text.push(digit(byte / 10));
    }
    text.push(digit(byte));
}

/// Reads an array of integers from 0 to 255.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_seq(Bytes)
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of integers from 0 to 255")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::with_capacity(seq.size_hint().unwrap_or(512).min(RESERVE_MAX));
        while let Some(number) = seq.next_element::<u64>()? {
            bytes.push(u8::try_from(number).map_err(|_| A::Error::custom("a byte of `data` is over 255"))?);
        }
        Ok(bytes)
    }
}
