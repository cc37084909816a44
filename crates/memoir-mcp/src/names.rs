//! Names that nothing else has.

/// A name for a memory.
pub(crate) fn memory() -> String {
    format!("m-{:016x}{:016x}", random(), random())
}

/// A name for a forgetting.
pub(crate) fn forgetting() -> String {
    format!("f-{:012x}", random() >> 16)
}

/// Random bits; should the system have none, bits of where and when this runs.
fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        use std::hash::{BuildHasher as _, Hasher as _};
        std::hash::RandomState::new().build_hasher().finish()
    })
}
