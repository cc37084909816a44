//! Names for what has none: UUIDv7s from a clock that is handed in and bits that no other process has.

use memoir_journal::Clock;
use std::sync::atomic::{AtomicU64, Ordering};

/// No random bits could be had.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes: {0}")]
pub struct NamesError(String);

/// Makes names that no other process makes: one draw of 74 random bits, then counting on from there.
pub struct Names {
    clock: Clock,
    high: u64,
    low: AtomicU64,
}

impl Names {
    /// Draws the random bits.
    pub fn new(clock: Clock) -> Result<Names, NamesError> {
        let draw = || getrandom::u64().map_err(|error| NamesError(error.to_string()));
        Ok(Names { clock, high: draw()?, low: AtomicU64::new(draw()?) })
    }

    /// Milliseconds since 1970, as the clock says.
    pub fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// The next number; differs for each call and each process.
    pub fn nonce(&self) -> u64 {
        self.low.fetch_add(1, Ordering::Relaxed)
    }

    /// The next UUIDv7, hyphenated.
    pub fn uuid(&self) -> String {
        let time = u128::from(self.now_ms().max(0).unsigned_abs()) & 0xffff_ffff_ffff;
        let high = u128::from(self.high & 0xfff);
        let low = u128::from(self.nonce()) & ((1 << 62) - 1);
        hyphenated(time << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
    }
}

fn hyphenated(number: u128) -> String {
    let mut text = String::with_capacity(36);
    for at in 0..32u32 {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        let digit = u32::try_from(number >> (124 - 4 * at) & 0xf).unwrap_or(0);
        text.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn names_carry_their_time_and_never_repeat() {
        let names = Names::new(Arc::new(|| 0x0192_0000_abcd)).unwrap();
        let (a, b) = (names.uuid(), names.uuid());
        assert_ne!(a, b);
        assert!(a.starts_with("01920000-abcd-7"), "{a}");
        assert!(memoir_event::RecordUuid::parse(&a).is_some());
        assert!(matches!(a.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
    }
}
