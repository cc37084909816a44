//! Times as a model writes them.

use crate::error::ToolError;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memoir_event::parse_ms;

/// The two ends of a time that is only a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

/// Milliseconds since 1970 of `2026-01-31T12:00:00Z`, of a day, or of `7d` ago.
pub(crate) fn moment(text: &str, end: End, now_ms: i64, zone: &TimeZone) -> Result<i64, ToolError> {
    let text = text.trim();
    if let Some(ago_ms) = length(text) {
        return Ok(now_ms.saturating_sub(ago_ms));
    }
    if let Some(day) = text.parse::<Date>().ok().filter(|_| text.len() == 10) {
        let midnight = |day: Date| day.to_zoned(zone.clone()).map(|midnight| midnight.timestamp().as_millisecond());
        let found = match end {
            End::First => midnight(day),
            End::Last => day.tomorrow().and_then(midnight).map(|ms| ms - 1),
        };
        return found.map_err(|_| wrong(text));
    }
    parse_ms(text).map_err(|_| wrong(text))
}

fn wrong(text: &str) -> ToolError {
    ToolError::wrong(format!(
        "`{text}` is not a time: write 2026-01-31T12:00:00Z, 2026-01-31, or 30m, 12h, 7d, 2w for so long ago"
    ))
}

fn length(text: &str) -> Option<i64> {
    let minutes = match text.chars().last()? {
        'm' => 1,
        'h' => 60,
        'd' => 60 * 24,
        'w' => 60 * 24 * 7,
        _ => return None,
    };
    let number: i64 = text.get(..text.len() - 1)?.parse().ok().filter(|number| *number >= 0)?;
    number.checked_mul(minutes)?.checked_mul(60_000)
}

/// A moment as a line shows it.
pub(crate) fn shown(ms: i64, zone: &TimeZone) -> String {
    let beyond = if ms < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let moment = jiff::Timestamp::from_millisecond(ms).unwrap_or(beyond);
    moment.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_is_a_moment_a_day_or_so_long_ago() {
        let at = |text: &str, end| moment(text, end, 1_000_000_000_000, &TimeZone::UTC);
        assert_eq!(at("2026-05-10T08:00:00Z", End::First).unwrap(), 1_778_400_000_000);
        assert_eq!(at("1h", End::First).unwrap(), 1_000_000_000_000 - 3_600_000);
        let (first, last) = (at("2026-05-10", End::First).unwrap(), at("2026-05-10", End::Last).unwrap());
        assert_eq!(last - first, 24 * 3_600_000 - 1);
        assert!(at("yesterday", End::First).unwrap_err().to_string().contains("is not a time"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_an_error(text in "\\PC{0,24}", now in any::<i64>()) {
            let _ = moment(&text, End::Last, now, &TimeZone::UTC);
            let _ = shown(now, &TimeZone::UTC);
        }
    }
}
