//! Which providers are named in a piece of text.

use std::sync::OnceLock;

use crate::providers::contextual::{CONTEXTUAL, Contextual};

/// Providers by the first three letters of their keyword.
pub(super) struct Index {
    heads: Vec<u16>,
    nexts: Vec<u16>,
}

const NONE: u16 = u16::MAX;
const INDEX_BITS: u32 = 12;

impl Index {
    pub fn get() -> &'static Index {
        static INDEX: OnceLock<Index> = OnceLock::new();
        INDEX.get_or_init(|| {
            let mut index = Index { heads: vec![NONE; 1 << INDEX_BITS], nexts: vec![NONE; CONTEXTUAL.len()] };
            for (i, provider) in CONTEXTUAL.iter().enumerate() {
                if let &[a, b, c, ..] = provider.keyword.as_bytes() {
                    let head = &mut index.heads[Index::slot([a, b, c])];
                    index.nexts[i] = *head;
                    *head = i as u16;
                }
            }
            index
        })
    }

    fn slot([a, b, c]: [u8; 3]) -> usize {
        (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> (32 - INDEX_BITS)) as usize
    }

    /// The providers whose keyword stands in `text`, which is lower case.
    pub fn named_in(&self, text: &[u8]) -> Vec<&'static Contextual> {
        let mut found = Vec::new();
        for (at, w) in text.windows(3).enumerate() {
            let &[a, b, c] = w else { continue };
            let mut next = self.heads[Index::slot([a, b, c])];
            while let Some(provider) = CONTEXTUAL.get(usize::from(next)) {
                if text[at..].starts_with(provider.keyword.as_bytes()) {
                    found.push(provider);
                }
                next = self.nexts[usize::from(next)];
            }
        }
        found
    }
}
