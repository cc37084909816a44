//! Times that a query tells from now: `yesterday`, `last week`, `three days ago`, `since Monday`.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};
use memoir_index::WEEKDAYS;

/// A weekday behind one of these is a day; else it may be any, as in `the monday report`.
const BEFORE_WEEKDAY: [&str; 20] = [
    "on", "last", "this", "since", "until", "till", "from", "by", "between", "and", "past", "to", "am", "le", "el",
    "il", "seit", "в", "во", "of",
];
/// So many days are lately.
const LATELY_DAYS: i64 = 14;
/// So many are a few.
const FEW: (i64, i64) = (2, 6);

/// The first and the last day, both included.
pub(super) type Days = (Date, Date);

/// Whether a word is the name of a weekday.
pub(super) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// Whether a word is of a time that is told from now.
pub(super) fn is_word(word: &str) -> bool {
    const PARTS: [&str; 38] = [
        "today",
        "yesterday",
        "this",
        "last",
        "past",
        "ago",
        "since",
        "between",
        "before",
        "after",
        "day",
        "days",
        "week",
        "weeks",
        "weekend",
        "month",
        "months",
        "year",
        "years",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "couple",
        "few",
        "several",
        "recently",
        "recent",
        "lately",
        "earlier",
        "other",
        "previous",
        "latest",
        "time",
        "seven",
        "ten",
    ];
    is_weekday(word) || PARTS.contains(&word) || super::moments::is_word(word)
}

/// Every time that is told from now, with the place of the word that tells it.
pub(super) fn ranges(words: &[&str], today: Date) -> Vec<(usize, Days)> {
    let mut ranges = Vec::new();
    for at in 0..words.len() {
        ranges.extend(range(words, at, today).map(|days| (at, days)));
    }
    ranges
}

fn range(words: &[&str], at: usize, today: Date) -> Option<Days> {
    let word = |step: isize| at.checked_add_signed(step).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let days = |from: i64, to: i64| Some((back(today, from)?, back(today, to)?));
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    match (word(0), word(1)) {
        ("today" | "tonight", _) => days(0, 0),
        ("this", "morning" | "afternoon" | "evening") => days(0, 0),
        ("earlier", "today") => None,
        ("yesterday", _) if word(-1) == "before" && word(-2) == "day" => days(2, 2),
        ("yesterday", _) => days(1, 1),
        ("last", "night") => days(1, 0),
        ("this", "week") => days(weekday, 0),
        ("this", "month") => Some((today.first_of_month(), today)),
        ("this", "year") => Some((today.first_of_year(), today)),
        ("last", _) if word(-1) == "before" && word(-2) == "week" => days(weekday + 14, weekday + 8),
        ("last" | "previous", "week") => days(weekday + 7, weekday + 1),
        ("last" | "previous", "month") => month_before(today),
        ("last" | "previous", "year") => {
            let first = today.first_of_year().checked_sub(1.year()).ok()?;
            Some((first, first.last_of_year()))
        }
        ("past", "week") => days(7, 0),
        ("past", "month") => days(30, 0),
        ("past", "year") => days(365, 0),
        ("past" | "last", _) => last_few(words, at).and_then(|back| days(back, 0)),
        ("weekend", _) => weekend(word(-1), today),
        ("recently" | "lately", _) => days(LATELY_DAYS, 0),
        ("other", "day") => days(FEW.1, 1),
        ("ago", _) => ago(words, at).and_then(|(count, slack)| days(count + slack, (count - slack).max(0))),
        (named, next) if is_weekday(named) => {
            let is_day = BEFORE_WEEKDAY.contains(&word(-1))
                || matches!(next, "morning" | "afternoon" | "evening" | "night")
                || words.len() == 1;
            let named = WEEKDAYS.iter().position(|day| *day == named).and_then(|at| i64::try_from(at).ok())?;
            let back = (weekday - named).rem_euclid(7);
            // Said on a Monday, Monday is a week ago.
            let back = if back == 0 { 7 } else { back };
            is_day.then(|| days(back, back)).flatten()
        }
        _ => None,
    }
}

fn back(today: Date, days: i64) -> Option<Date> {
    today.checked_sub(Span::new().try_days(days).ok()?).ok()
}

fn month_before(today: Date) -> Option<Days> {
    let last = today.first_of_month().checked_sub(1.day()).ok()?;
    Some((last.first_of_month(), last))
}

/// The last weekend that began; `last weekend` is over.
fn weekend(before: &str, today: Date) -> Option<Days> {
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let since_saturday = (weekday - 5).rem_euclid(7);
    let is_on = weekday >= 5;
    let saturday = if is_on && before == "last" { since_saturday + 7 } else { since_saturday };
    let last = if is_on && before != "last" { 0 } else { saturday - 1 };
    Some((back(today, saturday)?, back(today, last)?))
}

/// `the last few days`, `past 3 weeks`: so many days back.
fn last_few(words: &[&str], at: usize) -> Option<i64> {
    let rest: Vec<&str> = words.get(at + 1..)?.iter().copied().filter(|word| *word != "of").take(2).collect();
    let [count, unit] = rest.as_slice() else { return None };
    let (_, most) = number(count)?;
    Some(most * unit_days(unit)?.0)
}

/// `three weeks ago`, and with the words the other way round: how many days, and how far off it may be.
fn ago(words: &[&str], at: usize) -> Option<(i64, i64)> {
    let told = |words: Vec<&str>| {
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "of").collect();
        let (unit, count) = match words.as_slice() {
            [unit] => (unit, (1, 1)),
            [unit, count, ..] => (unit, number(count).unwrap_or((1, 1))),
            [] => return None,
        };
        let (days, slack) = unit_days(unit)?;
        let (least, most) = count;
        Some(((least + most) * days / 2, slack + (most - least) * days / 2))
    };
    let before: Vec<&str> = words.get(at.saturating_sub(3)..at)?.iter().rev().copied().collect();
    let behind: Vec<&str> = words.get(at + 1..)?.iter().take(2).rev().copied().collect();
    told(before).or_else(|| told(behind))
}

/// How many days a unit has, and how far off a time may be that is told in it.
fn unit_days(unit: &str) -> Option<(i64, i64)> {
    match unit.trim_end_matches('s') {
        "day" => Some((1, 0)),
        "week" => Some((7, 3)),
        "month" => Some((30, 15)),
        "year" => Some((365, 180)),
        _ => None,
    }
}

/// The least and the most that a number may be.
pub(super) fn number(word: &str) -> Option<(i64, i64)> {
    let exactly = |count: i64| Some((count, count));
    match word {
        "a" | "an" | "one" => exactly(1),
        "two" | "couple" => exactly(2),
        "three" => exactly(3),
        "four" => exactly(4),
        "five" => exactly(5),
        "six" => exactly(6),
        "seven" => exactly(7),
        "ten" => exactly(10),
        "few" | "several" => Some(FEW),
        other => exactly(other.parse().ok().filter(|count| (1..=10_000).contains(count))?),
    }
}
