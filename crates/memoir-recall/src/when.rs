//! The query's own sense of time: dates it names, times it tells from now, first and last.

mod dates;
mod from_now;

use dates::Named;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

/// When the query means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct When {
    /// Dates and parts of dates that it names.
    named: Vec<Named>,
    /// Days from and to, both included, told from now.
    ranges: Vec<(Date, Date)>,
    /// The end of time that is meant, if one is.
    pub end: Option<End>,
    /// Whether it asks for a time.
    pub asks_when: bool,
}

/// Which end of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

/// How well the days right before fit: what is to come is talked of too.
const BEFORE_FIT: f32 = 0.3;
/// How well days after it fit, by how many they are: a thing is mostly talked of on its day and soon after it.
const AFTER_FIT: [(i32, f32); 3] = [(3, 0.7), (8, 0.45), (15, 0.25)];

/// Words that ask for nothing but what there was.
const WORDS_OF_NOTHING_ELSE: [&str; 56] = [
    "what",
    "did",
    "do",
    "does",
    "done",
    "was",
    "were",
    "is",
    "are",
    "we",
    "i",
    "you",
    "us",
    "me",
    "my",
    "our",
    "the",
    "a",
    "an",
    "on",
    "in",
    "at",
    "of",
    "for",
    "to",
    "from",
    "until",
    "since",
    "during",
    "happened",
    "happen",
    "happens",
    "work",
    "worked",
    "working",
    "change",
    "changed",
    "changes",
    "talk",
    "talked",
    "discuss",
    "discussed",
    "show",
    "list",
    "tell",
    "about",
    "everything",
    "anything",
    "all",
    "been",
    "have",
    "has",
    "there",
    "and",
    "summary",
    "summarize",
];

/// So many days after a thing it is still talked of, mostly.
const TALKED_OF_DAYS: i64 = 3;
/// A query that names more times means none in particular.
const SPANS_MAX: usize = 3;

impl When {
    /// What `query` says of time; `now_ms` is what "yesterday" is told from, 0 if nobody knows.
    pub fn of(query: &str, now_ms: i64, zone: &TimeZone) -> When {
        let lower = query.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .map(|word| word.trim_matches('-'))
            .filter(|word| !word.is_empty())
            .collect();
        let today = day_of(now_ms, zone).filter(|_| now_ms > 0);
        When {
            named: dates::named(&words, query.contains("May")),
            ranges: today.map(|today| from_now::ranges(&words, today)).unwrap_or_default(),
            end: end_of(&words),
            asks_when: words.first() == Some(&"when") || lower.contains("what date"),
        }
    }

    /// Whether it says nothing of a time.
    pub fn is_open(&self) -> bool {
        self.named.is_empty() && self.ranges.is_empty()
    }

    /// The spans of days that the query means, in milliseconds since 1970, with the days after that fit as well. A year is
    /// no span: half of everything lies in it.
    pub fn spans(&self, zone: &TimeZone) -> Vec<(i64, i64)> {
        let named = self.named.iter().filter_map(|named| named.days());
        let spans = named.chain(self.ranges.iter().copied());
        let begins = |day: Date| day.to_zoned(zone.clone()).ok().map(|time| time.timestamp().as_millisecond());
        let span = |(first, last): (Date, Date)| {
            let after = last.checked_add(jiff::Span::new().days(TALKED_OF_DAYS + 1)).ok()?;
            Some((begins(first)?, begins(after)? - 1))
        };
        spans.filter_map(span).take(SPANS_MAX).collect()
    }

    /// Whether the query asks for a time and for nothing else: `what did we do yesterday?`
    pub fn is_all_that_is_asked(&self, query: &str) -> bool {
        let lower = query.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let tells =
            |word: &str| !WORDS_OF_NOTHING_ELSE.contains(&word) && !word.starts_with(|c: char| c.is_ascii_digit());
        !self.is_open()
            && !words.into_iter().any(|word| tells(word) && !dates::is_word(word) && !from_now::is_word(word))
    }

    /// How well a moment fits, from 0 to 1.
    pub fn fit(&self, ts_ms: i64, zone: &TimeZone) -> f32 {
        let Some(day) = day_of(ts_ms, zone) else { return 0.0 };
        let named = self.named.iter().map(|named| named.fit(day));
        let ranges = self.ranges.iter().map(|(from, to)| f32::from(u8::from(*from <= day && day <= *to)));
        named.chain(ranges).fold(0.0, f32::max)
    }
}

/// How well a day fits a span of days.
fn fit_of_span(first: Date, last: Date, day: Date) -> f32 {
    let away = |from: Date, to: Date| from.until(to).map_or(i32::MAX, |span| span.get_days());
    if day < first {
        return if away(day, first) <= 3 { BEFORE_FIT } else { 0.0 };
    }
    if day <= last {
        return 1.0;
    }
    AFTER_FIT.iter().find(|(days, _)| away(last, day) <= *days).map_or(0.0, |(_, fit)| *fit)
}

fn day_of(ts_ms: i64, zone: &TimeZone) -> Option<Date> {
    Some(Timestamp::from_millisecond(ts_ms).ok()?.to_zoned(zone.clone()).date())
}

fn end_of(words: &[&str]) -> Option<End> {
    let pair = |a: &str, b: &str| words.windows(2).any(|pair| pair == [a, b]);
    if pair("first", "time") || pair("we", "first") || pair("i", "first") || words.contains(&"originally") {
        return Some(End::First);
    }
    const LATEST: [&str; 6] = ["latest", "recently", "recent", "lately", "currently", "nowadays"];
    let is_last = words.iter().any(|word| LATEST.contains(word)) || pair("last", "time");
    is_last.then_some(End::Last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-18, a Wednesday.
    const NOW_MS: i64 = 1_794_960_000_000;

    fn fit(query: &str, day: &str) -> f32 {
        let ts = day.parse::<Date>().unwrap().at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        When::of(query, NOW_MS, &TimeZone::UTC).fit(ts.as_millisecond(), &TimeZone::UTC)
    }

    #[test]
    fn a_named_day_fits_itself_best_and_soon_after_it_well() {
        for query in ["what happened on 7 May 2023", "on May 7th, 2023?", "at 2023-05-07", "the 7th of May 2023"] {
            assert!((fit(query, "2023-05-07") - 1.0).abs() < 1e-6, "{query}");
            assert!((fit(query, "2023-05-09") - 0.7).abs() < 1e-6, "{query}");
            assert!(fit(query, "2023-05-06") > 0.0 && fit(query, "2023-07-01") == 0.0, "{query}");
            assert!(fit(query, "2024-05-07") == 0.0, "{query}");
        }
        assert!(fit("what may happen", "2023-05-07") == 0.0);
        assert!((fit("the 3rd of June", "2020-06-03") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_day_and_a_month_are_spans_and_a_year_is_none() {
        let spans = |query: &str| When::of(query, NOW_MS, &TimeZone::UTC).spans(&TimeZone::UTC);
        let day = |text: &str| memoir_event::parse_ms(text).unwrap();
        assert_eq!(spans("on 7 May 2023"), [(day("2023-05-07T00:00:00Z"), day("2023-05-11T00:00:00Z") - 1)]);
        assert_eq!(spans("in March 2022"), [(day("2022-03-01T00:00:00Z"), day("2022-04-04T00:00:00Z") - 1)]);
        assert_eq!(spans("yesterday"), [(day("2026-11-17T00:00:00Z"), day("2026-11-21T00:00:00Z") - 1)]);
        assert_eq!((spans("in 2022").len(), spans("in June").len(), spans("what?").len()), (0, 0, 0));
    }

    #[test]
    fn a_query_may_ask_for_nothing_but_a_time() {
        let is_all = |query: &str| When::of(query, NOW_MS, &TimeZone::UTC).is_all_that_is_asked(query);
        for query in
            ["what did we do yesterday?", "what happened last week", "On 2026-03-05", "what changed in March 2026?"]
        {
            assert!(is_all(query), "{query}");
        }
        for query in ["what did we do?", "what broke yesterday", "the cache last week", ""] {
            assert!(!is_all(query), "{query}");
        }
    }

    #[test]
    fn parts_of_months_years_and_seasons_are_spans() {
        for (query, inside, outside) in [
            ("in March 2022", "2022-03-20", "2022-06-20"),
            ("the second week of November 2023", "2023-11-10", "2023-10-20"),
            ("the last week of August 2023", "2023-08-30", "2023-08-10"),
            ("at the beginning of January 2023", "2023-01-04", "2022-12-01"),
            ("in mid-August 2023", "2023-08-15", "2023-07-15"),
            ("late August 2023", "2023-08-25", "2023-08-01"),
            ("in summer 2022", "2022-07-20", "2022-03-20"),
        ] {
            assert!((fit(query, inside) - 1.0).abs() < 1e-6, "{query}");
            assert!(fit(query, outside) == 0.0, "{query}");
        }
        assert!(fit("in 2022?", "2022-01-01") > 0.0 && fit("in 2022?", "2023-01-01") == 0.0);
    }

    #[test]
    fn times_are_told_from_now() {
        for (query, day) in [
            ("what did we do yesterday", "2026-11-17"),
            ("last week", "2026-11-10"),
            ("this week", "2026-11-16"),
            ("last friday", "2026-11-13"),
            ("three days ago", "2026-11-15"),
            ("2 weeks ago", "2026-11-04"),
            ("last month", "2026-10-20"),
        ] {
            assert!((fit(query, day) - 1.0).abs() < 1e-6, "{query}");
            assert!(fit(query, "2025-01-01") == 0.0, "{query}");
        }
        assert!(When::of("yesterday", 0, &TimeZone::UTC).is_open());
    }

    #[test]
    fn ends_of_time_are_heard() {
        let end = |query| When::of(query, NOW_MS, &TimeZone::UTC).end;
        assert_eq!(end("when we first set up CI"), Some(End::First));
        assert_eq!(end("the most recent deploy"), Some(End::Last));
        assert_eq!(end("deploy"), None);
        assert!(When::of("When was it?", NOW_MS, &TimeZone::UTC).asks_when);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_sense_of_time_or_none(query in ".*", now_ms in proptest::num::i64::ANY, ts_ms in proptest::num::i64::ANY) {
            let fit = When::of(&query, now_ms, &TimeZone::UTC).fit(ts_ms, &TimeZone::UTC);
            proptest::prop_assert!((0.0..=1.0).contains(&fit));
        }
    }
}
