//! Times that a query tells from now: `yesterday`, `last week`, `three days ago`.

use jiff::Span;
use jiff::civil::Date;

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Whether a word is of a time that is told from now.
pub(super) fn is_word(word: &str) -> bool {
    const PARTS: [&str; 21] = [
        "today",
        "yesterday",
        "this",
        "last",
        "ago",
        "day",
        "days",
        "week",
        "weeks",
        "weekend",
        "month",
        "months",
        "years",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "morning",
        "evening",
    ];
    WEEKDAYS.contains(&word) || PARTS.contains(&word)
}

/// Days from and to, both included.
pub(super) fn ranges(words: &[&str], today: Date) -> Vec<(Date, Date)> {
    let mut ranges = Vec::new();
    let days = |from: i64, to: i64| {
        let shift = |days: i64| today.checked_sub(Span::new().try_days(days).ok()?).ok();
        Some((shift(from)?, shift(to)?))
    };
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let (month_day, year_day) = (i64::from(today.day()), i64::from(today.day_of_year()));
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let range = match (*word, next) {
            ("today", _) => days(0, 0),
            ("yesterday", _) => days(1, 1),
            ("this", "week") => days(weekday, 0),
            ("this", "month") => days(month_day - 1, 0),
            ("last", "week") => days(weekday + 7, weekday + 1),
            ("last", "month") => days(month_day + 30, month_day),
            ("last", "year") => days(year_day + 364, year_day),
            ("last" | "on", named) if WEEKDAYS.contains(&named) => {
                let named = WEEKDAYS.iter().position(|day| *day == named).and_then(|at| i64::try_from(at).ok());
                named.and_then(|named| {
                    let back = (weekday - named).rem_euclid(7);
                    let back = if back == 0 { 7 } else { back };
                    days(back, back)
                })
            }
            ("ago", _) => ago(words, at).and_then(|(count, slack)| days(count + slack, (count - slack).max(0))),
            _ => None,
        };
        ranges.extend(range);
    }
    ranges
}

/// `three weeks ago`: how many days, and how far off it may be.
fn ago(words: &[&str], at: usize) -> Option<(i64, i64)> {
    let unit = words.get(at.checked_sub(1)?)?.trim_end_matches('s');
    let count = words.get(at.checked_sub(2)?)?;
    let count: i64 = match *count {
        "a" | "an" | "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        other => other.parse().ok().filter(|count| (1..=10_000).contains(count))?,
    };
    match unit {
        "day" => Some((count, 0)),
        "week" => Some((count * 7, 3)),
        "month" => Some((count * 30, 15)),
        "year" => Some((count * 365, 180)),
        _ => None,
    }
}
