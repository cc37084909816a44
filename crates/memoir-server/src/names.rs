//! Names that nothing else has, for what requests make.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts on from a random number.
pub(crate) struct Names(AtomicU64);

impl Names {
    pub(crate) fn new() -> Names {
        let mut seed = [0u8; 8];
        let _ = getrandom::fill(&mut seed);
        Names(AtomicU64::new(u64::from_le_bytes(seed)))
    }

    fn next(&self) -> u64 {
        // Scattered, so that names of one server do not look like those of another.
        let number = self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    /// A name for a memory.
    pub(crate) fn unique(&self) -> String {
        format!("m-{:016x}{:016x}", self.next(), self.next())
    }

    /// A name for a session that came without one.
    pub(crate) fn session(&self) -> String {
        format!("ov-{:016x}{:016x}", self.next(), self.next())
    }

    /// A name for a forgetting.
    pub(crate) fn forgetting(&self) -> String {
        format!("f-{:012x}", self.next() >> 16)
    }
}
