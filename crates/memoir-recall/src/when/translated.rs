//! Times in other languages, told in English: what tells them from there on knows one grammar.

use memoir_event::fold_into;
use memoir_index::name_stem;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An English word, and words that say the same; several English words are joined by `+`.
const WORDS: &str = "
today: heute aujourdhui hui hoy oggi hoje vandaag
yesterday: gestern hier ayer ieri ontem gisteren
day+before+yesterday: vorgestern avanthier anteayer antier anteontem eergisteren
last: letzten letzter letzte letztem letztes vergangene vergangenen vergangener vergangenes vorigen vorige voriger derniere dernier dernieres derniers passe passee pasado pasada pasados pasadas scorso scorsa scorsi passado passada afgelopen
this: diese dieser diesem diesen dieses cette cet esta este questa questo deze
week: woche wochen semaine semaines semana semanas settimana settimane weken
weekend: wochenende weekeinde
month: monat monate monaten mois mes meses mese mesi maand maanden
year: jahr jahre jahren annee annees ano anos anno anni jaar jaren
day: tag tage tagen jour jours dia dias giorno giorni dag dagen
ago: vor hace fa atras geleden
since: seit depuis desde sinds
between: zwischen entre tussen
and: und et y e en
recently: kurzlich neulich recemment recientemente recentemente
morning: morgens matin mattina manha ochtend
evening: abends soir noche noite avond
monday: montag lundi lunes lunedi maandag
tuesday: dienstag mardi martes martedi dinsdag
wednesday: mittwoch mercredi miercoles mercoledi woensdag
thursday: donnerstag jeudi jueves giovedi donderdag
friday: freitag vendredi viernes venerdi vrijdag
saturday: samstag sonnabend samedi sabado sabato zaterdag
sunday: sonntag dimanche domingo domenica zondag
january: januar janner janvier enero gennaio janeiro januari
february: februar fevrier febrero febbraio fevereiro februari
march: marz mars marzo marco maart
april: avril abril aprile
may: mai mayo maggio maio mei
june: juni juin junio giugno junho
july: juli juillet julio luglio julho
august: aout agosto augustus
september: septembre septiembre settembre setembro
october: oktober octobre octubre ottobre outubro
november: novembre noviembre novembro
december: dezember decembre diciembre dicembre dezembro
spring: fruhling fruhjahr printemps primavera voorjaar
summer: sommer ete verano estate verao zomer
autumn: herbst automne otono autunno outono herfst
winter: hiver invierno inverno
one: ein einem einer eine un une uno una
two: zwei deux dos due dois duas twee
three: drei trois tres tre drie
four: vier quatre cuatro quattro quatro
five: funf cinq cinco cinque vijf
six: sechs sei seis zes
";
/// The same in Cyrillic letters, in any form.
const CYRILLIC: &str = "
today: сегодня
yesterday: вчера
day+before+yesterday: позавчера
last: прошлый прошлая последний
this: этот этой
week: неделя
weekend: выходные
month: месяц
year: год
day: день дней
ago: назад
between: между
and: и
recently: недавно
morning: утром
evening: вечером
monday: понедельник
tuesday: вторник
wednesday: среда среду
thursday: четверг
friday: пятница
saturday: суббота
sunday: воскресенье
january: январь
february: февраль
march: март
april: апрель
may: май
june: июнь
july: июль
august: август
september: сентябрь
october: октябрь
november: ноябрь
december: декабрь
spring: весна
summer: лето
autumn: осень
winter: зима
one: один
two: два две
three: три
four: четыре
five: пять
six: шесть
";

/// Scripts without spaces.
const RUNS: [(&str, &str); 61] = [
    ("前天", "day before yesterday"),
    ("一昨日", "day before yesterday"),
    ("おととい", "day before yesterday"),
    ("昨天", "yesterday"),
    ("昨日", "yesterday"),
    ("きのう", "yesterday"),
    ("어제", "yesterday"),
    ("今天", "today"),
    ("今日", "today"),
    ("きょう", "today"),
    ("오늘", "today"),
    ("今朝", "this morning"),
    ("今早", "this morning"),
    ("昨晚", "last night"),
    ("昨夜", "last night"),
    ("上个星期", "last week"),
    ("上星期", "last week"),
    ("上周末", "last weekend"),
    ("上週末", "last weekend"),
    ("先週末", "last weekend"),
    ("周末", "this weekend"),
    ("週末", "this weekend"),
    ("上周", "last week"),
    ("上週", "last week"),
    ("先週", "last week"),
    ("지난주", "last week"),
    ("지난 주", "last week"),
    ("这个星期", "this week"),
    ("这周", "this week"),
    ("本周", "this week"),
    ("今週", "this week"),
    ("이번 주", "this week"),
    ("이번주", "this week"),
    ("上个月", "last month"),
    ("上個月", "last month"),
    ("先月", "last month"),
    ("지난달", "last month"),
    ("这个月", "this month"),
    ("本月", "this month"),
    ("今月", "this month"),
    ("去年", "last year"),
    ("昨年", "last year"),
    ("작년", "last year"),
    ("今年", "this year"),
    ("올해", "this year"),
    ("最近", "recently"),
    ("최근", "recently"),
    ("星期一", "on monday"),
    ("星期二", "on tuesday"),
    ("星期三", "on wednesday"),
    ("星期四", "on thursday"),
    ("星期五", "on friday"),
    ("星期六", "on saturday"),
    ("星期日", "on sunday"),
    ("星期天", "on sunday"),
    ("月曜", "on monday"),
    ("火曜", "on tuesday"),
    ("水曜", "on wednesday"),
    ("木曜", "on thursday"),
    ("金曜", "on friday"),
    ("土曜", "on saturday"),
];
/// The days of a week behind 周 and 週.
const CJK_WEEKDAYS: [(char, &str); 7] = [
    ('一', "monday"),
    ('二', "tuesday"),
    ('三', "wednesday"),
    ('四', "thursday"),
    ('五', "friday"),
    ('六', "saturday"),
    ('日', "sunday"),
];
const CJK_DIGITS: [char; 10] = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];

/// French for yesterday is German for here; these are little words that stand beside the French one.
const BESIDE_HIER: [&str; 12] = ["que", "qu", "nous", "avons", "fait", "ai", "est", "ce", "quoi", "le", "vous", "avez"];
/// Words that mean a time only where one is told: `mars`, `fa`, `vor`, `en`, `dos`, `mes`.
const ONLY_BESIDE: [&str; 5] = ["last", "this", "ago", "since", "in"];

/// The English of each line by each of its words.
fn by_word(lines: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let line = |(english, others): (&'static str, &'static str)| others.split(' ').map(move |word| (word, english));
    lines.lines().filter_map(|line| line.split_once(": ")).flat_map(line)
}

static TRANSLATED: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| by_word(WORDS).collect());
static TRANSLATED_STEMS: LazyLock<HashMap<String, &str>> =
    LazyLock::new(|| by_word(CYRILLIC).filter_map(|(word, english)| Some((name_stem(word)?, english))).collect());

/// Whether a word of another language tells a time.
pub(super) fn is_word(word: &str) -> bool {
    english(word).is_some()
}

/// A time in English, if a word of another language tells it.
fn english(word: &str) -> Option<&'static str> {
    if word.chars().any(|c| matches!(c, '\u{400}'..='\u{4ff}')) {
        return TRANSLATED_STEMS.get(&name_stem(word)?).copied();
    }
    let mut folded = String::with_capacity(word.len());
    word.chars().for_each(|c| fold_into(c, &mut folded));
    TRANSLATED.get(folded.as_str()).copied()
}

/// The words of a query with its times in English, in lower case.
pub(super) fn words(query: &str) -> Vec<String> {
    let lower = with_runs_apart(&query.to_lowercase()).replace("il y a ", "ago ").replace("avant-hier", "avanthier");
    let typed: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .flat_map(parts)
        .filter(|word| !word.is_empty())
        .collect();
    let in_english: Vec<Option<&str>> = typed.iter().map(|word| english(word)).collect();
    let is_french = typed.iter().any(|word| BESIDE_HIER.contains(word));
    let tells =
        |english: &str| is_unit(english) || super::from_now::is_weekday(english) || super::dates::is_month(english);
    let mut words: Vec<String> = Vec::with_capacity(typed.len());
    for (at, (word, told)) in typed.iter().zip(&in_english).enumerate() {
        let beside = |at: Option<usize>| at.and_then(|at| Some(in_english.get(at).copied()?.unwrap_or(typed.get(at)?)));
        let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
        let stands = [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| typed.get(at)).copied());
        let is_beside = |test: &dyn Fn(&str) -> bool| [before, after].into_iter().chain(stands).flatten().any(test);
        let Some(english) = told.filter(|_| *word != "hier" || is_french) else {
            words.push((*word).to_owned());
            continue;
        };
        let is_meant = match english {
            "last" | "this" => is_beside(&tells) || is_beside(&is_season),
            "week" | "month" | "year" | "day" | "weekend" => is_beside(&|beside| {
                ONLY_BESIDE.contains(&beside) || is_number(beside) || beside == "au" || beside == "am"
            }),
            "ago" => is_beside(&|beside| is_number(beside) || is_unit(beside)),
            "and" | "one" | "two" | "three" | "four" | "five" | "six" => {
                is_beside(&|beside| is_unit(beside) || is_number(beside))
            }
            english if super::dates::is_month(english) || is_season(english) => is_beside(&|beside| {
                const IN: [&str; 14] =
                    ["in", "im", "en", "au", "am", "le", "de", "l", "last", "this", "since", "between", "в", "nel"];
                IN.contains(&beside) || beside.starts_with(|c: char| c.is_ascii_digit())
            }),
            _ => true,
        };
        if !is_meant {
            words.push((*word).to_owned());
            continue;
        }
        // `la semaine dernière`: what it belongs to stands before it.
        let stands_behind = english == "last" && !after.is_some_and(tells) && before.is_some_and(tells);
        let place = words.len() - usize::from(stands_behind && !words.is_empty());
        english.split('+').rev().for_each(|word| words.insert(place, word.to_owned()));
    }
    words
}

/// The parts of a word with strokes in it, unless they are a date: `2026-03-05`, `mid-August`.
fn parts(word: &str) -> Vec<&str> {
    let word = word.trim_matches('-');
    let is_date = word.starts_with(|c: char| c.is_ascii_digit())
        || ["mid-", "early-", "late-"].iter().any(|part| word.starts_with(part));
    if is_date { vec![word] } else { word.split('-').collect() }
}

fn is_unit(word: &str) -> bool {
    matches!(word.trim_end_matches('s'), "day" | "week" | "weekend" | "month" | "year")
}

fn is_season(word: &str) -> bool {
    matches!(word, "spring" | "summer" | "autumn" | "winter")
}

fn is_number(word: &str) -> bool {
    matches!(word, "one" | "two" | "three" | "four" | "five" | "six") || word.parse::<u16>().is_ok()
}

/// With the times in scripts without spaces in English and apart.
fn with_runs_apart(query: &str) -> String {
    if query.is_ascii() {
        return query.to_owned();
    }
    let mut text = numbered(query);
    for (run, english) in RUNS {
        if text.contains(run) {
            text = text.replace(run, &format!(" {english} "));
        }
    }
    text
}

/// `3天前`, `11月16日`, `周三`: numbers with what they count.
fn numbered(query: &str) -> String {
    let chars: Vec<char> = query.chars().collect();
    let mut out = String::with_capacity(query.len());
    let mut at = 0;
    while let Some(c) = chars.get(at).copied() {
        let rest = chars.get(at..).unwrap_or_default();
        let weekday = rest.get(1).and_then(|day| CJK_WEEKDAYS.iter().find(|(known, _)| known == day));
        if let Some((_, weekday)) = weekday.filter(|_| matches!(c, '周' | '週')) {
            out.push_str(&format!(" on {weekday} "));
            at += 2;
        } else if let Some((english, len)) = counted(rest) {
            out.push_str(&english);
            at += len;
        } else {
            out.push(c);
            at += 1;
        }
    }
    out
}

/// A number and what it counts, in English, and how many characters that is.
fn counted(rest: &[char]) -> Option<(String, usize)> {
    let (number, digits) = number(rest)?;
    let behind: String = rest.get(digits..)?.iter().take(4).collect();
    for (unit, english) in [
        ("天前", "days"),
        ("日前", "days"),
        ("周前", "weeks"),
        ("週間前", "weeks"),
        ("个星期前", "weeks"),
        ("个月前", "months"),
        ("個月前", "months"),
        ("ヶ月前", "months"),
        ("か月前", "months"),
        ("年前", "years"),
        ("일 전", "days"),
        ("주 전", "weeks"),
    ] {
        if behind.starts_with(unit) {
            return Some((format!(" {number} {english} ago "), digits + unit.chars().count()));
        }
    }
    if behind.starts_with('月') {
        let month = memoir_index::MONTHS.get(usize::from(number).checked_sub(1)?)?;
        let day = rest.get(digits + 1..).and_then(|rest| {
            let (day, len) = self::number(rest)?;
            matches!(rest.get(len)?, '日' | '号' | '號').then_some((day, len + 1))
        });
        let (day, len) = day.map_or((String::new(), 0), |(day, len)| (day.to_string(), len));
        return Some((format!(" in {month} {day} "), digits + 1 + len));
    }
    (behind.starts_with('年') && number >= 1970).then(|| (format!(" {number} "), digits + 1))
}

/// The number at the beginning, and how many characters it is.
fn number(rest: &[char]) -> Option<(u16, usize)> {
    let digits: String = rest.iter().take_while(|c| c.is_ascii_digit()).take(4).collect();
    if !digits.is_empty() {
        return Some((digits.parse().ok()?, digits.len()));
    }
    let value = |c: &char| match c {
        '两' | '兩' => Some(2),
        c => CJK_DIGITS.iter().position(|digit| digit == c).and_then(|at| u16::try_from(at + 1).ok()),
    };
    let mut spoken = rest.iter().map_while(value);
    match (spoken.next()?, spoken.next()) {
        (10, Some(ones)) if ones < 10 => Some((10 + ones, 2)),
        (first, _) => Some((first, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_languages_are_told_in_english() {
        let mut wrong = Vec::new();
        for (query, english) in [
            ("was haben wir gestern gemacht?", "yesterday"),
            ("Migration letzte Woche", "last week"),
            ("seit letztem Montag", "since last monday"),
            ("vor drei Tagen", "ago three day"),
            ("im März", "im march"),
            ("qu'avons-nous fait hier ?", "yesterday"),
            ("la semaine dernière", "last week"),
            ("il y a trois jours", "ago three day"),
            ("en août", "en august"),
            ("¿qué hicimos la semana pasada?", "last week"),
            ("el lunes pasado", "last monday"),
            ("ayer", "yesterday"),
            ("на прошлой неделе", "last week"),
            ("в марте", "в march"),
            ("昨日何をしましたか", "yesterday"),
            ("先週のエラー", "last week"),
            ("上周我们做了什么", "last week"),
            ("3天前", "3 days ago"),
            ("三月", "in march"),
            ("11月16日", "in november 16"),
            ("周三", "on wednesday"),
        ] {
            wrong.extend((!words(query).join(" ").contains(english)).then(|| (query, words(query))));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn words_that_only_look_like_a_time_are_left_as_they_are() {
        for query in
            ["hier steht der Fehler", "the mars rover", "dos attack on mes", "cache in 三", "fa icons", "un test"]
        {
            let plain: Vec<String> = query.split(' ').map(str::to_lowercase).collect();
            assert_eq!(words(query), plain);
        }
    }
}
