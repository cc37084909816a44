//! Standard base64 with padding, for the bytes of blocks that are not text.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0u32, |group, at| group << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4u32 {
            let index = usize::try_from(group >> (18 - 6 * at) & 63).unwrap_or(0);
            let padded = usize::try_from(at).unwrap_or(0) > chunk.len();
            text.push(if padded { '=' } else { ALPHABET.get(index).copied().map_or('=', char::from) });
        }
    }
    text
}

pub fn decode(text: &str) -> Option<Vec<u8>> {
    let plain = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - plain.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(plain.len() / 4 * 3 + 2);
    for chunk in plain.as_bytes().chunks(4) {
        let mut group = 0u32;
        for at in 0..4 {
            group = group << 6 | chunk.get(at).map_or(Some(0), |byte| value(*byte))?;
        }
        let [_, triple @ ..] = group.to_be_bytes();
        bytes.extend(triple.iter().take(chunk.len().checked_sub(1).filter(|taken| *taken > 0)?));
    }
    Some(bytes)
}

fn value(byte: u8) -> Option<u32> {
    let offset = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_texts_come_out() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }

    proptest! {
        #[test]
        fn bytes_survive(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn any_text_is_bytes_or_none(text in ".*") {
            let _ = decode(&text);
        }
    }
}
