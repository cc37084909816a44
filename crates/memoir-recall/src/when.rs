//! The query's own sense of time: dates it names, times it tells from now, first and last.

mod dates;
mod from_now;
mod moments;
mod translated;

use dates::Named;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use memoir_index::{is_little, is_little_run, is_unspaced, name_stem};
use std::collections::HashSet;
use std::sync::LazyLock;

/// When the query means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct When {
    /// Dates and parts of dates that it names.
    named: Vec<Named>,
    /// Days from and to, both included, told from now.
    ranges: Vec<(Date, Date)>,
    /// Parts of days and hours from and to, in milliseconds since 1970.
    moments: Vec<(i64, i64)>,
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
/// How well the rest of the day fits of which a part is meant.
const BESIDE_FIT: f32 = 0.3;
/// How well days after it fit, by how many they are: a thing is mostly talked of on its day and soon after it.
const AFTER_FIT: [(i32, f32); 3] = [(3, 0.7), (8, 0.45), (15, 0.25)];

/// Stems of words that ask for nothing but what there was, in several languages.
const ASKED_OF_A_TIME: &str = "
    do did done happen work chang talk discuss show list tell everyth anyth thing stuff summari summar recap ask say said
    told decid go went get got make made build built fix finish ship implement learn try tri look session progress
    conversat last latest first new news new been there us on at in of for from to until till since dure between
    gemacht gearbeitet passiert getan besprochen geandert gefragt habe haben hast
    fait faire travaille passe change demande discute avons avez
    hicimos hizo hice hecho paso cambiamos cambio trabajamos pregunte pedi
    fatto fizemos feito gedaan делали сделали делал сделал было
";

/// So many days after a thing it is still talked of, mostly.
const TALKED_OF_DAYS: i64 = 3;
/// A query that names more times means none in particular.
const SPANS_MAX: usize = 3;
/// What was before a time was at most so many days before it.
const BEFORE_DAYS: i64 = 3_650;

impl When {
    /// What `query` says of time; `now_ms` is what "yesterday" is told from, 0 if nobody knows.
    pub fn of(query: &str, now_ms: i64, zone: &TimeZone) -> When {
        let words = translated::words(query);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let today = day_of(now_ms, zone).filter(|_| now_ms > 0);
        let mut told: Vec<(usize, Told)> = dates::named(&words, query.contains("May"))
            .into_iter()
            .map(|(at, named)| {
                (at, Told::Named(today.map_or(named, |today| last_of_its_kind(named, (&words, at), today))))
            })
            .collect();
        told.extend(
            today
                .into_iter()
                .flat_map(|today| from_now::ranges(&words, today))
                .map(|(at, days)| (at, Told::Days(days))),
        );
        told.sort_by_key(|(at, _)| *at);
        if now_ms > 0 {
            let hours = moments::hours(&words, now_ms);
            let is_other = |at: usize| !hours.iter().any(|(of, _)| of.contains(&at));
            told.retain(|(at, _)| is_other(*at));
            told.extend(hours.iter().map(|(of, span)| (of.start, Told::Moment(*span))));
        }
        for (at, told) in &mut told {
            let part = told.days().and_then(|days| moments::part_of_day(&words, *at, days, zone));
            if let Some((from, to)) = part {
                let is_since = at.checked_sub(1).and_then(|at| words.get(at)) == Some(&"since");
                *told = Told::Moment((from, if is_since { now_ms } else { to }));
            }
        }
        told.sort_by_key(|(at, _)| *at);
        let mut when = When { end: end_of(&words), asks_when: asks_when(&words), ..When::default() };
        for told in joined(told, &words, today) {
            match told {
                Told::Named(named) => when.named.push(named),
                Told::Days(days) => when.ranges.push(days),
                Told::Moment(span) => when.moments.push(span),
            }
        }
        when
    }

    /// Whether a word of a query tells a time, as it is typed in lower case.
    pub fn is_told_by(word: &str) -> bool {
        dates::is_word(word) || from_now::is_word(word) || translated::is_word(word) || When::is_last(word)
    }

    /// Whether a word asks for the last.
    pub fn is_last(word: &str) -> bool {
        LATEST.contains(&word)
    }

    /// Whether it says nothing of a time.
    pub fn is_open(&self) -> bool {
        self.named.is_empty() && self.ranges.is_empty() && self.moments.is_empty()
    }

    /// The spans of days that the query means, in milliseconds since 1970, with the days after that fit as well. A year is
    /// no span, unless nothing else is asked: half of everything lies in it.
    pub fn spans(&self, zone: &TimeZone, of: Asked) -> Vec<(i64, i64)> {
        let days = |named: &Named| if of == Asked::OnlyTime { named.all_days() } else { named.days() };
        let spans = self.named.iter().filter_map(days).chain(self.ranges.iter().copied());
        let begins = |day: Date| day.to_zoned(zone.clone()).ok().map(|time| time.timestamp().as_millisecond());
        let span = |(first, last): (Date, Date)| {
            let after = last.checked_add(jiff::Span::new().days(TALKED_OF_DAYS + 1)).ok()?;
            Some((begins(first)?, begins(after)? - 1))
        };
        spans.filter_map(span).chain(self.moments.iter().copied()).take(SPANS_MAX).collect()
    }

    /// Whether the query asks for a time and for nothing else: `what did we do yesterday?`
    pub fn is_all_that_is_asked(&self, query: &str) -> bool {
        let is_of_time = |word: &str| {
            dates::is_word(word) || from_now::is_word(word) || word.starts_with(|c: char| c.is_ascii_digit())
        };
        let is_nothing = |word: &String| is_of_time(word) || is_little(word) || only_asks(word);
        let is_told = !self.is_open() || self.end == Some(End::Last);
        is_told && translated::words(query).iter().all(is_nothing)
    }

    /// How well a moment fits, from 0 to 1.
    pub fn fit(&self, ts_ms: i64, zone: &TimeZone) -> f32 {
        let Some(day) = day_of(ts_ms, zone) else { return 0.0 };
        let named = self.named.iter().map(|named| named.fit(day));
        let ranges = self.ranges.iter().map(|days| f32::from(u8::from(is_in(*days, day))));
        let is_in = |span: &(i64, i64)| (span.0..=span.1).contains(&ts_ms);
        let is_beside = |span: &(i64, i64)| [span.0, span.1].into_iter().any(|end| day_of(end, zone) == Some(day));
        let moments = self.moments.iter().map(|span| match is_in(span) {
            true => 1.0,
            false if is_beside(span) => BESIDE_FIT,
            false => 0.0,
        });
        named.chain(ranges).chain(moments).fold(0.0, f32::max)
    }

    /// Whether a moment is in the very time that is told.
    pub fn has(&self, ts_ms: i64, zone: &TimeZone) -> bool {
        let Some(day) = day_of(ts_ms, zone) else { return false };
        let named = self.named.iter().any(|named| match named.all_days() {
            Some(days) => is_in(days, day),
            None => named.fit(day) >= 1.0,
        });
        named
            || self.ranges.iter().any(|days| is_in(*days, day))
            || self.moments.iter().any(|(from, to)| (*from..=*to).contains(&ts_ms))
    }
}

/// What a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Something, and perhaps of a time.
    Something,
    /// Whatever there was at a time.
    OnlyTime,
}

/// A time as a query tells it.
#[derive(Debug, Clone, Copy)]
enum Told {
    Named(Named),
    Days((Date, Date)),
    /// From and to, in milliseconds since 1970.
    Moment((i64, i64)),
}

impl Told {
    fn days(self) -> Option<(Date, Date)> {
        match self {
            Told::Named(named) => named.all_days(),
            Told::Days(days) => Some(days),
            Told::Moment(_) => None,
        }
    }
}

fn is_in((first, last): (Date, Date), day: Date) -> bool {
    first <= day && day <= last
}

/// `last March` is over, whenever it is said.
fn last_of_its_kind(named: Named, (words, at): (&[&str], usize), today: Date) -> Named {
    let told = named.told_on(today);
    let is_last = at.checked_sub(1).and_then(|at| words.get(at)) == Some(&"last");
    let is_on = told.days().is_some_and(|days| is_in(days, today));
    if is_last && is_on { named.told_before(told) } else { told }
}

/// Times that belong together: `between … and …`, `since …`, `before …`, `after …`.
fn joined(told: Vec<(usize, Told)>, words: &[&str], today: Option<Date>) -> Vec<Told> {
    if let [(first, from), (second, to)] = told.as_slice()
        && let (Some((from, _)), Some((_, to))) = (from.days(), to.days())
        && from <= to
        && words
            .get(..*first)
            .is_some_and(|before| before.iter().any(|word| matches!(*word, "between" | "from" | "von" | "de")))
        && words.get(*first..*second + 1).is_some_and(|between| {
            between.iter().any(|word| matches!(*word, "and" | "to" | "until" | "till" | "bis" | "a"))
        })
    {
        return vec![Told::Days((from, to))];
    }
    told.into_iter().map(|(at, told)| reached(told, words, at, today)).collect()
}

/// With what `since`, `after` or `before` in front of it mean.
fn reached(told: Told, words: &[&str], at: usize, today: Option<Date>) -> Told {
    const BETWEEN: [&str; 14] =
        ["the", "of", "on", "in", "last", "this", "early", "late", "mid", "end", "beginning", "start", "week", "first"];
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut before = words.get(..at).unwrap_or_default().iter().rev().take(4);
    let Some(word) = before.find(|word| !BETWEEN.contains(word) && !is_number(word)) else { return told };
    // `the day before yesterday`, `the week before last` are told as they are.
    let is_own = before.next().is_some_and(|word| matches!(*word, "day" | "week"));
    let (Some((first, last)), Some(today)) = (told.days(), today) else { return told };
    let days = |from: Option<Date>, to: Option<Date>| Some((from?, to?)).filter(|(from, to)| from <= to);
    let days = match *word {
        "since" => days(Some(first), Some(today)),
        "after" => days(last.tomorrow().ok(), Some(today)),
        "before" if !is_own => {
            days(first.checked_sub(jiff::Span::new().days(BEFORE_DAYS)).ok(), first.yesterday().ok())
        }
        _ => None,
    };
    days.map_or(told, Told::Days)
}

fn asks_when(words: &[&str]) -> bool {
    words.first() == Some(&"when") || words.windows(2).any(|pair| pair == ["what", "date"])
}

static ONLY_ASKING: LazyLock<HashSet<&str>> = LazyLock::new(|| ASKED_OF_A_TIME.split_whitespace().collect());

/// Whether a word asks for nothing but what there was.
fn only_asks(word: &str) -> bool {
    if ONLY_ASKING.contains(word) {
        return true;
    }
    match word.chars().all(is_unspaced) {
        true => is_little_run(word),
        false => name_stem(word).is_none_or(|stem| ONLY_ASKING.contains(stem.as_str())),
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

/// Words that ask for the last.
const LATEST: [&str; 6] = ["latest", "recently", "recent", "lately", "currently", "nowadays"];

fn end_of(words: &[&str]) -> Option<End> {
    let pair = |a: &str, b: &str| words.windows(2).any(|pair| pair == [a, b]);
    if pair("first", "time")
        || pair("first", "thing")
        || pair("we", "first")
        || pair("i", "first")
        || words.contains(&"originally")
    {
        return Some(End::First);
    }
    let is_last = words.iter().any(|word| LATEST.contains(word))
        || ["time", "thing", "session"].iter().any(|what| pair("last", what));
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
        assert!(
            (fit("the 3rd of June", "2026-06-03") - 1.0).abs() < 1e-6 && fit("the 3rd of June", "2020-06-03") == 0.0
        );
        // Nobody knows when it is said: any year may be meant.
        let open = When::of("the 3rd of June", 0, &TimeZone::UTC);
        let day = memoir_event::parse_ms("2020-06-03T12:00:00Z").unwrap();
        assert!((open.fit(day, &TimeZone::UTC) - 1.0).abs() < 1e-6);
        assert!((fit("before March", "2026-02-10") - 1.0).abs() < 1e-6 && fit("before March", "2026-03-02") == 0.0);
    }

    #[test]
    fn a_day_and_a_month_are_spans_and_a_year_is_none() {
        let spans = |query: &str| When::of(query, NOW_MS, &TimeZone::UTC).spans(&TimeZone::UTC, Asked::Something);
        let day = |text: &str| memoir_event::parse_ms(text).unwrap();
        assert_eq!(spans("on 7 May 2023"), [(day("2023-05-07T00:00:00Z"), day("2023-05-11T00:00:00Z") - 1)]);
        assert_eq!(spans("in March 2022"), [(day("2022-03-01T00:00:00Z"), day("2022-04-04T00:00:00Z") - 1)]);
        assert_eq!(spans("yesterday"), [(day("2026-11-17T00:00:00Z"), day("2026-11-21T00:00:00Z") - 1)]);
        assert_eq!(spans("in June"), [(day("2026-06-01T00:00:00Z"), day("2026-07-04T00:00:00Z") - 1)]);
        assert_eq!((spans("in 2022").len(), spans("what?").len()), (0, 0));
        let all = When::of("in 2022", NOW_MS, &TimeZone::UTC).spans(&TimeZone::UTC, Asked::OnlyTime);
        assert_eq!(all, [(day("2022-01-01T00:00:00Z"), day("2023-01-04T00:00:00Z") - 1)]);
    }

    #[test]
    fn a_query_may_ask_for_nothing_but_a_time() {
        let mut wrong = Vec::new();
        let is_all = |query: &str| When::of(query, NOW_MS, &TimeZone::UTC).is_all_that_is_asked(query);
        for query in [
            "what did we do yesterday?",
            "what happened last week",
            "On 2026-03-05",
            "what changed in March 2026?",
            "what did we do in March?",
            "what did I ask you on Wednesday",
            "what did we do between Nov 10 and Nov 15?",
            "what did we do since Monday",
            "what did we work on in the past week",
            "what did we do in 2025",
            "what have we been working on recently",
            "what was the last thing we did",
            "what did we do in Q1?",
            "was haben wir gestern gemacht?",
            "qu'avons-nous fait hier ?",
            "¿qué hicimos la semana pasada?",
            "昨日何をしましたか",
            "上周我们做了什么？",
            "что мы делали вчера?",
        ] {
            wrong.extend((!is_all(query)).then_some((query, translated::words(query))));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        for query in
            ["what did we do?", "what broke yesterday", "the cache last week", "", "昨日のエラー", "gestern der Export"]
        {
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
        let mut wrong = Vec::new();
        for (query, day) in [
            ("what did we do yesterday", "2026-11-17"),
            ("last week", "2026-11-10"),
            ("this week", "2026-11-16"),
            ("last friday", "2026-11-13"),
            ("three days ago", "2026-11-15"),
            ("2 weeks ago", "2026-11-04"),
            ("last month", "2026-10-20"),
            ("what did we do in March?", "2026-03-20"),
            ("on Nov 16", "2026-11-16"),
            ("on November 16th?", "2026-11-16"),
            ("what did we do on Nov 25", "2025-11-25"),
            ("last March", "2026-03-31"),
            ("last November", "2025-11-20"),
            ("last summer", "2026-07-20"),
            ("in spring", "2026-04-20"),
            ("last weekend", "2026-11-14"),
            ("over the weekend", "2026-11-15"),
            ("in the past week", "2026-11-12"),
            ("in the last few days", "2026-11-16"),
            ("the last 3 weeks", "2026-10-30"),
            ("since Monday", "2026-11-17"),
            ("since last week", "2026-11-18"),
            ("since Nov 10", "2026-11-12"),
            ("between Nov 10 and Nov 15", "2026-11-13"),
            ("between Nov 10 and 15", "2026-11-13"),
            ("from Monday to Wednesday last week", "2026-11-10"),
            ("after November 10", "2026-11-13"),
            ("what did I ask you on Monday", "2026-11-16"),
            ("the day before yesterday", "2026-11-16"),
            ("the week before last", "2026-11-04"),
            ("a couple of days ago", "2026-11-16"),
            ("recently", "2026-11-10"),
            ("in Q1", "2026-02-10"),
            ("last year", "2025-12-31"),
            ("gestern", "2026-11-17"),
            ("letzte Woche", "2026-11-10"),
            ("vor drei Tagen", "2026-11-15"),
            ("im März", "2026-03-05"),
            ("hier, qu'avons-nous fait", "2026-11-17"),
            ("la semaine dernière", "2026-11-10"),
            ("il y a deux jours", "2026-11-16"),
            ("la semana pasada", "2026-11-10"),
            ("el lunes", "2026-11-16"),
            ("昨日", "2026-11-17"),
            ("先週", "2026-11-10"),
            ("上个月", "2026-10-20"),
            ("3天前", "2026-11-15"),
            ("11月16日", "2026-11-16"),
        ] {
            if (fit(query, day) - 1.0).abs() > 1e-6 || fit(query, "2024-06-01") != 0.0 {
                wrong.push((query, day, fit(query, day), When::of(query, NOW_MS, &TimeZone::UTC)));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(When::of("yesterday", 0, &TimeZone::UTC).is_open());
        for query in ["the monday report", "spring boot", "in spring boot", "march on", "hier steht der Fehler"] {
            assert!(When::of(query, NOW_MS, &TimeZone::UTC).ranges.is_empty(), "{query}");
        }
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
