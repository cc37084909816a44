//! Dates that a query names: days, parts of months, months, seasons, years.

use super::fit_of_span;
use jiff::civil::Date;
use memoir_index::{MONTHS, is_little};

/// A date or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    year: Option<i16>,
    /// The first and the last month and day; none for a whole year.
    span: Option<((i8, i8), (i8, i8))>,
}

/// How well any day of a year fits that is all that is named.
const YEAR_FIT: f32 = 0.3;

impl Named {
    /// The first and the last day, if a year and more than that is named.
    pub fn days(self) -> Option<(Date, Date)> {
        let (year, ((month, first), (last_month, last))) = (self.year?, self.span?);
        Some((date(year, month, first)?, date(year, last_month, last)?))
    }

    /// The same, and all of a year where nothing but a year is named.
    pub fn all_days(self) -> Option<(Date, Date)> {
        self.days().or_else(|| Some((date(self.year?, 1, 1)?, date(self.year?, 12, 31)?)))
    }

    /// With the year that is meant, told on a certain day: the last in which it had begun by then.
    pub fn told_on(self, today: Date) -> Named {
        let Some(((month, first), _)) = self.span.filter(|_| self.year.is_none()) else { return self };
        let has_begun = (month, first) <= (today.month(), today.day());
        Named { year: Some(today.year() - i16::from(!has_begun)), ..self }
    }

    /// The one a year before that.
    pub fn told_before(self, told: Named) -> Named {
        Named { year: told.year.map(|year| year - 1), ..self }
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

/// Every date in the words of a query, each with the place of the word that tells it; `may` is a month only if it is
/// written with a capital somewhere.
pub(super) fn named(words: &[&str], capital_may: bool) -> Vec<(usize, Named)> {
    let mut found: Vec<(usize, Named)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Ok(date) = word.parse::<Date>() {
            let day = (date.month(), date.day());
            found.push((at, Named { year: Some(date.year()), span: Some((day, day)) }));
        } else if let Some((month, part)) = month_of(word, capital_may) {
            let year = [1, 2, 3].into_iter().find_map(|step| year_number(words.get(at + step)?));
            let days = day_beside(words, at).map(|day| (day, day)).or(part).or_else(|| part_of_month(words, at));
            let (first, last) = days.unwrap_or((1, 31));
            found.push((at, Named { year, span: Some(((month, first), (month, last))) }));
            // `between Nov 10 and 15`
            let joined = words.get(at + 2).filter(|word| matches!(**word, "and" | "to" | "until" | "till"));
            let other =
                words.get(at + 3).and_then(|word| day_number(word)).filter(|_| joined.is_some() && first == last);
            if let Some(day) =
                other.filter(|_| words.get(at + 4).is_none_or(|next| month_of(next, capital_may).is_none()))
            {
                found.push((at + 3, Named { year, span: Some(((month, day), (month, day))) }));
            }
        } else if let Some(quarter) = quarter(words, at) {
            let year = [1, 2].into_iter().find_map(|step| year_number(words.get(at + step)?));
            found.push((at, Named { year, span: Some(quarter) }));
        } else if let Some(span) = season(word) {
            let year = [1, 2].into_iter().find_map(|step| year_number(words.get(at + step)?));
            if year.is_some() || is_alone(words, at) {
                found.push((at, Named { year, span: Some(span) }));
            }
        }
    }
    for (at, year) in words.iter().enumerate().filter_map(|(at, word)| Some((at, year_number(word)?))) {
        if found.iter().all(|(_, named)| named.year != Some(year)) {
            found.push((at, Named { year: Some(year), span: None }));
        }
    }
    found
}

/// Whether a season is told as a time, and not as what things are called after: `in spring`, not `in spring boot`.
fn is_alone(words: &[&str], at: usize) -> bool {
    const BEFORE: [&str; 10] = ["in", "last", "this", "since", "during", "over", "im", "en", "l", "the"];
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    before.is_some_and(|before| BEFORE.contains(before)) && words.get(at + 1).is_none_or(|next| is_little(next))
}

/// `Q1`, `first quarter`.
fn quarter(words: &[&str], at: usize) -> Option<((i8, i8), (i8, i8))> {
    let number = match *words.get(at)? {
        "q1" => 1,
        "q2" => 2,
        "q3" => 3,
        "q4" => 4,
        "quarter" => match *words.get(at.checked_sub(1)?)? {
            "first" => 1,
            "second" => 2,
            "third" => 3,
            "fourth" => 4,
            _ => return None,
        },
        _ => return None,
    };
    Some(((number * 3 - 2, 1), (number * 3, 31)))
}

/// Whether a word is the whole name of a month.
pub(super) fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// Whether a word is of a date.
pub(super) fn is_word(word: &str) -> bool {
    const PARTS: [&str; 12] =
        ["early", "mid", "late", "beginning", "middle", "end", "start", "first", "second", "third", "half", "year"];
    month_of(word, true).is_some() || season(word).is_some() || PARTS.contains(&word) || is_quarter(word)
}

fn is_quarter(word: &str) -> bool {
    matches!(word, "q1" | "q2" | "q3" | "q4" | "quarter" | "fourth")
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
