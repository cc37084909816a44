//! The hash chain: every record carries a hash over itself and the hash of the one before.

use crate::Seq;
use memoir_event::Shape;

/// The hash in a record.
pub type Link = [u8; 32];

/// The link before the first record.
pub const START: Link = [0; 32];

/// Everything of a record that the chain covers.
pub struct Covered<'a> {
    pub seq: Seq,
    pub event: Option<Seq>,
    pub class: u8,
    pub origin: &'a Link,
    pub shape: &'a Shape,
    pub flags: u32,
    pub ts_ms: i64,
    pub lag_ms: i64,
    pub number: u64,
    pub keys: &'a [u8],
}

/// The link of a record that follows `before`.
pub fn link(before: &Link, covered: &Covered<'_>, body_hash: &Link) -> Link {
    let mut hash = blake3::Hasher::new();
    let mut head = [0u8; 49];
    let fields = [
        covered.seq.to_le_bytes(),
        covered.event.unwrap_or(0).to_le_bytes(),
        covered.ts_ms.to_le_bytes(),
        covered.lag_ms.to_le_bytes(),
        covered.number.to_le_bytes(),
        u64::from(covered.flags).to_le_bytes(),
    ];
    for (to, from) in head.iter_mut().zip(fields.iter().flatten().chain([&covered.class])) {
        *to = *from;
    }
    hash.update(before);
    hash.update(&head);
    hash.update(covered.origin);
    hash.update(&[covered.shape.kind.code()]);
    update_text(&mut hash, &covered.shape.event_type);
    update_text(&mut hash, covered.shape.item_type.as_deref().unwrap_or_default());
    hash.update(&u64::try_from(covered.keys.len()).unwrap_or(u64::MAX).to_le_bytes());
    hash.update(covered.keys);
    hash.update(body_hash);
    *hash.finalize().as_bytes()
}

/// The hash of an origin's texts, which records refer to by number.
pub fn origin_hash(source: u8, client: u8, texts: [Option<&str>; 4]) -> Link {
    let mut hash = blake3::Hasher::new();
    hash.update(&[source, client]);
    for text in texts {
        hash.update(&[u8::from(text.is_some())]);
        update_text(&mut hash, text.unwrap_or_default());
    }
    *hash.finalize().as_bytes()
}

fn update_text(hash: &mut blake3::Hasher, text: &str) {
    hash.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::Kind;

    fn example(ts_ms: i64) -> Link {
        let origin = origin_hash(10, 1, [Some("demo"), None, Some("repo"), Some("alice")]);
        let shape = Shape::from(Kind::ToolCall);
        let covered = Covered {
            seq: 2,
            event: None,
            class: 0,
            origin: &origin,
            shape: &shape,
            flags: 5,
            ts_ms,
            lag_ms: 3,
            number: 7,
            keys: &[1; 20],
        };
        link(&START, &covered, &memoir_event::KeyHasher::new([9; 32]).hash(b"body"))
    }

    #[test]
    fn the_chain_is_as_promised() {
        let hex: String = example(1).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, include_str!("../../tests/golden/chain-link.txt").trim());
        assert_ne!(example(1), example(2));
    }
}
