//! When something happened: the text as it was given, and the instant it means.

use jiff::Timestamp;

/// A moment with the text that named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    given: String,
    ms: i64,
    sub_ms_ns: u32,
}

/// A text that is not a time with a zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not an RFC 3339 time with a zone, such as 2026-04-28T09:30:00Z")]
pub struct TimeError {
    /// What was given.
    pub given: String,
}

impl Time {
    /// Reads an RFC 3339 time with a zone and keeps its spelling.
    pub fn parse(given: &str) -> Result<Time, TimeError> {
        let ns = instant_ns(given)?;
        Ok(Time {
            given: given.to_owned(),
            ms: i64::try_from(ns.div_euclid(1_000_000)).unwrap_or(i64::MAX),
            sub_ms_ns: u32::try_from(ns.rem_euclid(1_000_000)).unwrap_or(0),
        })
    }

    /// The moment `ms` milliseconds after 1970, spelt the usual way.
    pub fn from_ms(ms: i64) -> Time {
        Time { given: format_ms(ms), ms, sub_ms_ns: 0 }
    }

    /// The text as it was given.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Milliseconds since 1970, UTC.
    pub const fn ms(&self) -> i64 {
        self.ms
    }

    /// Nanoseconds beyond [`Time::ms`]: two spellings of one instant agree on both.
    pub const fn sub_ms_ns(&self) -> u32 {
        self.sub_ms_ns
    }
}

fn instant_ns(given: &str) -> Result<i128, TimeError> {
    // A bracketed zone name is RFC 9557, not RFC 3339; everything else jiff accepts here has an offset.
    let plausible =
        given.len() >= 20 && !given.contains('[') && given.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let read = || given.parse::<Timestamp>().map(|instant| instant.as_nanosecond()).ok().or_else(|| end_of_time(given));
    plausible.then(read).flatten().ok_or_else(|| TimeError { given: given.chars().take(64).collect() })
}

/// The last hours of 9999, a favourite for "never", lie beyond what jiff counts: they are counted a year earlier.
fn end_of_time(given: &str) -> Option<i128> {
    let year_9999_ns = 365 * 86_400 * 1_000_000_000_i128;
    let earlier: Timestamp = format!("9998{}", given.strip_prefix("9999")?).parse().ok()?;
    Some(earlier.as_nanosecond() + year_9999_ns)
}

/// Milliseconds since 1970 of an RFC 3339 time.
pub fn parse_ms(given: &str) -> Result<i64, TimeError> {
    Time::parse(given).map(|time| time.ms)
}

/// `2026-04-28T09:30:00.000Z`.
pub fn format_ms(ms: i64) -> String {
    let beyond = if ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let instant = Timestamp::from_millisecond(ms).unwrap_or(beyond);
    format!("{instant:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_spelling_stays_and_the_instant_is_utc() {
        let time = Time::parse("2026-05-10T10:00:00.25+02:00").unwrap();
        assert_eq!((time.given(), time.ms()), ("2026-05-10T10:00:00.25+02:00", 1_778_400_000_250));
        assert_eq!(format_ms(time.ms()), "2026-05-10T08:00:00.250Z");
        assert_eq!(Time::parse("2026-05-10T08:00:00.000001Z").unwrap().sub_ms_ns(), 1000);
    }

    #[test]
    fn ancient_and_future_times_are_times() {
        assert!(Time::parse("0001-01-01T00:00:00Z").unwrap().ms() < 0);
        assert_eq!(Time::parse("9999-12-31T23:59:59Z").unwrap().ms(), 253_402_300_799_000);
    }

    #[test]
    fn a_moment_beyond_the_calendar_is_written_as_its_end() {
        assert!(format_ms(i64::MAX).starts_with("9999-12-30T"));
        assert!(format_ms(i64::MIN).starts_with("-009999-"));
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for bad in [
            "",
            "now",
            "1714298400",
            "2026-05-10",
            "2026-05-10T08:00:00",
            "2026-13-10T08:00:00Z",
            "2026-05-10T08:00:00Z[UTC]",
        ] {
            assert!(Time::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn milliseconds_survive_their_text(ms in -62_000_000_000_000i64..253_000_000_000_000) {
            prop_assert_eq!(parse_ms(&format_ms(ms)).unwrap(), ms);
        }

        #[test]
        fn any_text_is_a_time_or_an_error(text in ".*") {
            let _ = Time::parse(&text);
        }
    }
}
