//! Dates that a query names: days, parts of months, months, seasons, years.

use super::fit_of_span;
use jiff::civil::Date;

/// A date or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    year: Option<i16>,
    /// The first and the last month and day; none for a whole year.
    span: Option<((i8, i8), (i8, i8))>,
}

/// How well any day of a year fits that is all that is named.
const YEAR_FIT: f32 = 0.3;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

impl Named {
    /// The first and the last day, if a year and more than that is named.
    pub fn days(self) -> Option<(Date, Date)> {
        let (year, ((month, first), (last_month, last))) = (self.year?, self.span?);
        Some((date(year, month, first)?, date(year, last_month, last)?))
    }

    /// How well a day fits, from 0 to 1.
    pub fn fit(self, day: Date) -> f32 {
        let Some(((month, first), (last_month, last))) = self.span else {
            return if self.year == Some(day.year()) { YEAR_FIT } else { 0.0 };
        };
        // Without a year it is the one that was last.
        let year = self.year.unwrap_or_else(|| if month <= day.month() { day.year() } else { day.year() - 1 });
        match (date(year, month, first), date(year, last_month, last)) {
            (Some(first), Some(last)) => fit_of_span(first, last, day),
            _ => 0.0,
        }
    }
}

/// The date, or the last day of a month that is not so long.
fn date(year: i16, month: i8, day: i8) -> Option<Date> {
    let first = Date::new(year, month, 1).ok()?;
    Date::new(year, month, day.min(first.days_in_month())).ok()
}

/// Every date in the words of a query; `may` is a month only if it is written with a capital somewhere.
pub(super) fn named(words: &[&str], capital_may: bool) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Ok(date) = word.parse::<Date>() {
            let day = (date.month(), date.day());
            found.push(Named { year: Some(date.year()), span: Some((day, day)) });
        } else if let Some((month, part)) = month_of(word, capital_may) {
            let year = [1, 2, 3].into_iter().find_map(|step| year_number(words.get(at + step)?));
            let days = day_beside(words, at).map(|day| (day, day)).or(part).or_else(|| part_of_month(words, at));
            let (first, last) = days.unwrap_or((1, 31));
            found.push(Named { year, span: Some(((month, first), (month, last))) });
        } else if let Some(span) = season(word)
            && let Some(year) = words.get(at + 1).and_then(|next| year_number(next))
        {
            found.push(Named { year: Some(year), span: Some(span) });
        }
    }
    for year in words.iter().filter_map(|word| year_number(word)) {
        if found.iter().all(|named| named.year != Some(year)) {
            found.push(Named { year: Some(year), span: None });
        }
    }
    found
}

/// Whether a word is of a date.
pub(super) fn is_word(word: &str) -> bool {
    const PARTS: [&str; 12] =
        ["early", "mid", "late", "beginning", "middle", "end", "start", "first", "second", "third", "half", "year"];
    month_of(word, true).is_some() || season(word).is_some() || PARTS.contains(&word)
}

/// A month by its name or the beginning of it, and the part of it that is joined on: `mid-august`.
fn month_of(word: &str, capital_may: bool) -> Option<(i8, Option<(i8, i8)>)> {
    let (part, name) = match word.split_once('-') {
        Some((part, name)) => (Some(days_of_part(part)?), name),
        None => (None, word),
    };
    if name == "may" && !capital_may {
        return None;
    }
    let is_short = (3..=4).contains(&name.len()) && name != "mar";
    let at = MONTHS.iter().position(|month| *month == name || (is_short && month.starts_with(name)))?;
    Some((i8::try_from(at + 1).ok()?, part))
}

/// The number of a day that stands before or behind a month.
fn day_beside(words: &[&str], at: usize) -> Option<i8> {
    let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).copied();
    let before = beside(at.checked_sub(1));
    let next = beside(Some(at + 1)).and_then(day_number);
    let of = beside(at.checked_sub(2)).filter(|_| before == Some("of")).and_then(day_number);
    next.or_else(|| before.and_then(day_number)).or(of)
}

/// `the second week of`, `early`, `the end of` before a month: which days of it.
fn part_of_month(words: &[&str], at: usize) -> Option<(i8, i8)> {
    let before: Vec<&str> = words
        .get(at.saturating_sub(4)..at)?
        .iter()
        .rev()
        .copied()
        .filter(|word| !matches!(*word, "of" | "in" | "the"))
        .collect();
    let is_week = |word: &str| matches!(word, "week" | "weeks" | "weekend");
    match before.as_slice() {
        [week, "two", "last", ..] if is_week(week) => Some((15, 31)),
        [week, ordinal, ..] if is_week(week) => match *ordinal {
            "first" => Some((1, 8)),
            "second" => Some((8, 15)),
            "third" => Some((15, 22)),
            "fourth" => Some((22, 28)),
            "last" => Some((24, 31)),
            _ => None,
        },
        ["half", "first", ..] => Some((1, 15)),
        ["half", "second", ..] => Some((16, 31)),
        [part, ..] => days_of_part(part),
        [] => None,
    }
}

fn days_of_part(part: &str) -> Option<(i8, i8)> {
    match part {
        "early" | "beginning" | "start" => Some((1, 10)),
        "mid" | "middle" => Some((10, 20)),
        "late" | "end" => Some((20, 31)),
        _ => None,
    }
}

fn season(word: &str) -> Option<((i8, i8), (i8, i8))> {
    match word {
        "spring" => Some(((3, 1), (5, 31))),
        "summer" => Some(((6, 1), (8, 31))),
        "autumn" | "fall" => Some(((9, 1), (11, 30))),
        _ => None,
    }
}

fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    let ordinal = word.get(digits.len()..).is_some_and(|end| matches!(end, "" | "st" | "nd" | "rd" | "th"));
    digits.parse().ok().filter(|day| ordinal && (1..=31).contains(day))
}

fn year_number(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1970..=2100).contains(year))
}
