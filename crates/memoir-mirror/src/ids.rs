//! Event ids as map keys of 12 bytes, so that millions of them fit in memory.

use memoir_event::EventId;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// Names an event. An id that is not 24 hexadecimal characters, as another tool may write, is hashed to that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdKey(EventId);

/// A map by id: 46 bytes an entry at most while it holds 8 bytes for each.
pub type ById<T> = HashMap<IdKey, T>;

impl IdKey {
    /// The key of an id as it is written.
    pub fn of(text: &str) -> Option<IdKey> {
        let hashed = || EventId::from_bytes(Sha256::digest(text).get(..12)?);
        EventId::parse(text).ok().or_else(hashed).map(IdKey)
    }

    /// The id that it is the key of, or the hash of one of another make.
    pub const fn id(self) -> EventId {
        self.0
    }
}

impl From<EventId> for IdKey {
    fn from(id: EventId) -> IdKey {
        IdKey(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_another_make_has_a_key_too() {
        let ours = EventId::from_bytes(&[7; 12]).unwrap();
        assert_eq!(IdKey::of(&ours.to_string()), Some(IdKey::from(ours)));
        assert_ne!(IdKey::of("evt-1"), IdKey::of("evt-2"));
        assert_eq!(IdKey::of("evt-1"), IdKey::of("evt-1"));
    }

    #[test]
    fn an_entry_with_two_numbers_has_twenty_bytes() {
        assert_eq!(size_of::<(IdKey, (u32, u32))>(), 20);
    }
}
