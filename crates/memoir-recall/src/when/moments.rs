//! Parts of days and hours: `this morning`, `yesterday evening`, `two hours ago`, `in the last hour`.

use super::from_now::number;
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::ops::Range;

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
/// Nobody tells minutes to the minute.
const SLACK_MIN_MS: i64 = 10 * MINUTE_MS;

/// From and to, in milliseconds since 1970.
pub(super) type Span = (i64, i64);

/// Whether a word is of a part of a day, or of hours.
pub(super) fn is_word(word: &str) -> bool {
    hours_of(word).is_some() || unit_ms(word).is_some()
}

/// The part that is told of the day that a word tells: in it, right behind it, or a word further.
pub(super) fn part_of_day(words: &[&str], at: usize, (first, last): (Date, Date), zone: &TimeZone) -> Option<Span> {
    let near = words.get(at..)?.iter().take_while(|word| !matches!(**word, "and" | "to" | "until" | "since")).take(4);
    let (from, to) = near.copied().find_map(hours_of)?;
    // `last night` is of two days.
    let day = if from < NIGHT.0 { last } else { first };
    let is_one = first == last || (from == NIGHT.0 && first.tomorrow().ok() == Some(last));
    let begin = day.to_zoned(zone.clone()).ok()?;
    let ms = |hours: i64| Some(begin.checked_add(hours.hours()).ok()?.timestamp().as_millisecond());
    if is_one { Some((ms(from)?, ms(to)? - 1)) } else { None }
}

/// So many hours after a day begins, night does, and ends.
const NIGHT: (i64, i64) = (18, 30);

/// From and to which hour of its day a part lasts.
fn hours_of(word: &str) -> Option<(i64, i64)> {
    match word {
        "morning" => Some((4, 12)),
        "noon" | "lunch" => Some((11, 14)),
        "afternoon" => Some((12, 18)),
        "evening" => Some((17, 24)),
        "night" | "tonight" => Some(NIGHT),
        _ => None,
    }
}

/// `two hours ago`, `half an hour ago`, `the last 20 minutes`: which words tell it, and when it was.
pub(super) fn hours(words: &[&str], now_ms: i64) -> Vec<(Range<usize>, Span)> {
    let mut found = Vec::new();
    for (at, unit) in words.iter().enumerate().filter_map(|(at, word)| Some((at, unit_ms(word)?))) {
        let before = |steps: usize| at.checked_sub(steps).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let skipped = usize::from(before(1) == "of");
        let count = number(before(1 + skipped));
        let halves = if before(1) == "an" && before(2) == "half" { 1 } else { 2 };
        let (least, most) = count.unwrap_or((1, 1));
        let long = |count: i64| count.saturating_mul(unit) / 2 * halves;
        let told = usize::from(count.is_some()) * (1 + skipped) + usize::from(halves == 1);
        let begin = at.saturating_sub(told);
        let lead =
            words.get(..begin).unwrap_or_default().iter().rev().take(2).any(|word| matches!(*word, "last" | "past"));
        if words.get(at + 1) == Some(&"ago") {
            let slack = (long(least) / 2).max(SLACK_MIN_MS);
            let span = (now_ms.saturating_sub(long(most) + slack), now_ms.saturating_sub((long(least) - slack).max(0)));
            found.push((begin..at + 2, span));
        } else if lead {
            found.push((begin.saturating_sub(2)..at + 1, (now_ms.saturating_sub(long(most)), now_ms)));
        }
    }
    found
}

fn unit_ms(word: &str) -> Option<i64> {
    match word {
        "hour" | "hours" => Some(HOUR_MS),
        "minute" | "minutes" | "mins" | "min" => Some(MINUTE_MS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::When;
    use super::*;

    /// 2026-11-18, a Wednesday, at four in the afternoon.
    const NOW: &str = "2026-11-18T16:00:00Z";

    #[test]
    fn parts_of_days_and_hours_are_told_from_the_rest_of_the_day() {
        let ms = |text: &str| memoir_event::parse_ms(text).unwrap();
        let mut wrong = Vec::new();
        for (query, inside, outside) in [
            ("what did we do this morning?", "2026-11-18T09:30:00Z", "2026-11-18T14:00:00Z"),
            ("yesterday evening", "2026-11-17T19:00:00Z", "2026-11-17T10:00:00Z"),
            ("yesterday in the afternoon", "2026-11-17T15:00:00Z", "2026-11-17T20:00:00Z"),
            ("monday morning", "2026-11-16T08:00:00Z", "2026-11-16T15:00:00Z"),
            ("last night", "2026-11-17T23:00:00Z", "2026-11-17T12:00:00Z"),
            ("last night", "2026-11-18T01:00:00Z", "2026-11-18T12:00:00Z"),
            ("two hours ago", "2026-11-18T14:05:00Z", "2026-11-18T10:00:00Z"),
            ("what did we do an hour ago", "2026-11-18T15:05:00Z", "2026-11-18T12:00:00Z"),
            ("half an hour ago", "2026-11-18T15:28:00Z", "2026-11-18T12:00:00Z"),
            ("20 minutes ago", "2026-11-18T15:41:00Z", "2026-11-18T15:10:00Z"),
            ("in the last hour", "2026-11-18T15:10:00Z", "2026-11-18T14:00:00Z"),
            ("the past two hours", "2026-11-18T14:10:00Z", "2026-11-18T13:00:00Z"),
            ("a couple of hours ago", "2026-11-18T14:05:00Z", "2026-11-18T08:00:00Z"),
            ("since this morning", "2026-11-18T15:00:00Z", "2026-11-17T15:00:00Z"),
            ("gestern abends", "2026-11-17T19:00:00Z", "2026-11-17T10:00:00Z"),
        ] {
            let when = When::of(query, ms(NOW), &TimeZone::UTC);
            let fit = |text: &str| when.fit(ms(text), &TimeZone::UTC);
            let is_told = when.has(ms(inside), &TimeZone::UTC) && !when.has(ms(outside), &TimeZone::UTC);
            if !is_told || fit(inside) < 1.0 || fit(outside) >= 0.5 {
                wrong.push((query, when.clone()));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        for query in ["an hour of work", "the morning report", "timeout of 20 minutes"] {
            assert!(When::of(query, ms(NOW), &TimeZone::UTC).is_open(), "{query}");
        }
        let all = |query: &str| When::of(query, ms(NOW), &TimeZone::UTC).is_all_that_is_asked(query);
        assert!(all("what did we do two hours ago?") && all("what did we do this morning?"));
        assert!(!all("what broke two hours ago?"));
    }
}
