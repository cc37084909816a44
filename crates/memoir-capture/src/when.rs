//! Times as clients write them.

use crate::lenient::Raw;
use crate::out::Out;
use memoir_event::Time;

/// The time that a value means, if it is one; what is none is counted.
pub(crate) fn told(value: Raw<'_>, out: &mut Out) -> Option<Time> {
    read(value).unwrap_or_else(|_| {
        out.problem("bad time");
        None
    })
}

/// The time that a value means: RFC 3339, or a number of seconds or milliseconds since 1970.
pub(crate) fn read(value: Raw<'_>) -> Result<Option<Time>, BadTime> {
    let Some(text) = value.get() else { return Ok(None) };
    if text.starts_with('"') {
        let given: String = serde_json::from_str(text).map_err(|_| BadTime)?;
        let time = Time::parse(given.trim()).map_err(|_| BadTime)?;
        // No client is so old: who writes the year one has forgotten the time.
        return if time.ms() < 0 { Err(BadTime) } else { Ok(Some(time)) };
    }
    let number: f64 = text.parse().map_err(|_| BadTime)?;
    from_number(number).map(Some)
}

/// Something stands where the time should be, and is none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadTime;

fn from_number(number: f64) -> Result<Time, BadTime> {
    // Seconds of the year 5138 are milliseconds of 1973: nobody means either.
    let ms = if number.abs() < 1e11 { number * 1000.0 } else { number };
    if !ms.is_finite() || !(0.0..=2e14).contains(&ms) {
        return Err(BadTime);
    }
    #[allow(clippy::cast_possible_truncation, reason = "within the calendar")]
    Ok(Time::from_ms(ms.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_json(json: &str) -> Result<Option<String>, BadTime> {
        let raw: Raw<'_> = serde_json::from_str(json).unwrap();
        read(raw).map(|time| time.map(|time| time.given().to_owned()))
    }

    #[test]
    fn every_way_to_write_a_time_is_read_and_nothing_else_is_one() {
        assert_eq!(read_json("\"2026-11-16T03:55:09.391Z\"").unwrap().unwrap(), "2026-11-16T03:55:09.391Z");
        assert_eq!(read_json("1794801309391").unwrap().unwrap(), "2026-11-16T03:55:09.391Z");
        assert_eq!(read_json("1794801309").unwrap().unwrap(), "2026-11-16T03:55:09.000Z");
        assert_eq!(read_json("null"), Ok(None));
        for bad in [
            "\"yesterday\"",
            "{}",
            "true",
            "1e300",
            "\"2026-11-16T03:55:09\"",
            "-99999999999999",
            "\"0001-01-01T00:00:00Z\"",
        ] {
            assert_eq!(read_json(bad), Err(BadTime), "{bad}");
        }
    }
}
