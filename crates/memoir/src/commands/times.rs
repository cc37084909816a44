//! Times as people type them.

use crate::exit::Usage;
use crate::home::now_ms;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memoir_event::parse_ms;

/// Milliseconds since 1970 of `2026-01-31T12:00:00Z`, `2026-01-31` (its first moment here) or `7d` (ago).
pub fn parse(text: &str) -> Result<i64, Usage> {
    read(text, |day| day)
}

/// As [`parse`], but a date means its last moment.
pub fn parse_end(text: &str) -> Result<i64, Usage> {
    read(text, |day| day.tomorrow().unwrap_or(day)).map(|ms| if day(text).is_some() { ms - 1 } else { ms })
}

fn read(text: &str, of_day: impl Fn(Date) -> Date) -> Result<i64, Usage> {
    let text = text.trim();
    if let Some(ago_ms) = length(text) {
        return Ok(now_ms().saturating_sub(ago_ms));
    }
    if let Some(Ok(midnight)) = day(text).map(|day| of_day(day).to_zoned(TimeZone::system())) {
        return Ok(midnight.timestamp().as_millisecond());
    }
    parse_ms(text).map_err(|_| {
        Usage(format!("`{text}` is not a time: write 2026-01-31T12:00:00Z, 2026-01-31, or 30m, 12h, 7d ago"))
    })
}

fn day(text: &str) -> Option<Date> {
    text.trim().parse().ok().filter(|_| text.trim().len() == 10)
}

/// Milliseconds of `30m`, `12h`, `7d` or `2w`.
pub fn length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 60 * 24,
        'w' => 60 * 24 * 7,
        _ => return None,
    };
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number >= 0)?;
    number.checked_mul(minutes)?.checked_mul(60_000)
}

/// The day of a moment in the user's own zone.
pub fn day_of(ms: i64) -> String {
    local(ms).chars().take(10).collect()
}

/// A moment in the user's own zone, to the second.
pub fn local(ms: i64) -> String {
    let beyond = if ms < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let zoned = jiff::Timestamp::from_millisecond(ms).unwrap_or(beyond).to_zoned(TimeZone::system());
    zoned.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_each_form() {
        assert_eq!(parse("2026-05-10T08:00:00Z").unwrap(), 1_778_400_000_000);
        assert!((now_ms() - parse("2h").unwrap() - 7_200_000).abs() < 1000);
        let (first, last) = (parse("2026-05-10").unwrap(), parse_end("2026-05-10").unwrap());
        assert_eq!(last - first, 24 * 3_600_000 - 1);
        assert_eq!(parse_end("2026-05-10T08:00:00Z").unwrap(), 1_778_400_000_000);
        assert!(local(i64::MAX).starts_with("9999"));
        for bad in ["", "yesterday", "-3d", "99999999999999999d", "2026-05", "2026-05-10T08:00:00"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
