//! Whether a line that a model tells says what the notes say that it names.

use memoir_event::Section;
use memoir_index::stems_in;
use std::collections::HashSet;

/// A shorter beginning of a word tells nothing.
const STEM_CHARS_MIN: usize = 4;
/// So much behind a denial is denied.
const DENIED_STEMS: usize = 3;
/// Words that deny what stands behind them.
const DENIALS: [&str; 35] = [
    "not",
    "no",
    "never",
    "nor",
    "neither",
    "cannot",
    "without",
    "avoid",
    "avoids",
    "avoided",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nie",
    "niemals",
    "ohne",
    "statt",
    "ne",
    "jamais",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "jamás",
    "sin",
    "ninguna",
    "non",
    "mai",
    "senza",
    "нет",
    "не",
    "никогда",
    "без",
];
const DENIALS_OF_TWO: [(&str, &str); 5] =
    [("instead", "of"), ("rather", "than"), ("no", "longer"), ("anstelle", "von"), ("au", "lieu")];
/// Words that begin another clause.
const CLAUSES: [&str; 20] = [
    "because",
    "but",
    "and",
    "so",
    "since",
    "as",
    "while",
    "though",
    "weil",
    "aber",
    "und",
    "denn",
    "parce",
    "car",
    "mais",
    "et",
    "porque",
    "pero",
    "потому",
    "но",
];

/// Whether a line says what its notes say: at least half of what it is about is in them. A telling puts things together and
/// turns them around; it brings nothing of its own.
pub(crate) fn rests_on(text: &str, source: &str, section: Section) -> bool {
    let known: HashSet<String> = stems_in(source).into_iter().collect();
    let mut told: HashSet<String> = stems_in(text).into_iter().collect();
    // What its section says already it may say, too.
    stems_in(section.as_str()).iter().filter(|stem| !known.contains(*stem)).for_each(|stem| {
        told.remove(stem);
    });
    // The language of few words may be mistaken: then a word is known by the form that another begins with.
    let begins = |long: &str, short: &str| short.chars().count() >= STEM_CHARS_MIN && long.starts_with(short);
    let is_alike = |stem: &String| known.iter().any(|known| begins(known, stem) || begins(stem, known));
    let resting = told.iter().filter(|stem| known.contains(*stem) || is_alike(stem)).count();
    resting > 0 && resting * 2 >= told.len() && !contradicts(text, source)
}

/// Whether one of the two denies what the other says.
fn contradicts(text: &str, source: &str) -> bool {
    let (told, noted) = (Said::of(text), Said::of(source));
    told.denies(&noted) || noted.denies(&told)
}

/// What a text is about, by stems.
#[derive(Default)]
struct Said {
    asserted: HashSet<String>,
    /// What each of its denials is about.
    denied: Vec<Vec<String>>,
}

impl Said {
    fn of(text: &str) -> Said {
        let mut said = Said::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let next = words.peek().copied().unwrap_or_default();
            if !is_denial(word, next) {
                said.asserted.extend(stems_in(word));
                continue;
            }
            // What is denied stands behind the denial, in its own clause.
            let (mut denied, mut is_over) = (Vec::new(), ends_clause(word));
            while let Some(word) = words.next_if(|word| !is_over && denied.len() < DENIED_STEMS && !begins_clause(word))
            {
                denied.extend(stems_in(word));
                is_over = ends_clause(word);
            }
            said.denied.push(denied);
        }
        said
    }

    /// Whether all of what one of its denials is about is asserted by the other, and not only beside its own denials.
    fn denies(&self, other: &Said) -> bool {
        let is_denied = |stem: &String| other.denied.iter().any(|denied| denied.contains(stem));
        let is_against = |stem: &String| !self.asserted.contains(stem) && !is_denied(stem);
        let is_met = |denied: &&Vec<String>| denied.iter().all(|stem| other.asserted.contains(stem));
        self.denied.iter().filter(is_met).any(|denied| denied.iter().any(is_against))
    }
}

fn is_denial(word: &str, next: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'");
    let word = bare(word);
    DENIALS.contains(&word.as_str())
        || word.ends_with("n't")
        || DENIALS_OF_TWO.contains(&(word.as_str(), bare(next).as_str()))
}

fn ends_clause(word: &str) -> bool {
    word.ends_with([',', ';', ':', '.', '!', '?', ')', '，', '；', '。'])
}

fn begins_clause(word: &str) -> bool {
    CLAUSES.contains(&word.to_lowercase().as_str())
}

/// Words that a model must not make up: paths, names of things in code, numbers.
pub(crate) fn exact_words(text: &str) -> impl Iterator<Item = String> {
    let is_exact = |word: &str| {
        let inside = word.chars().any(|c| c.is_ascii_digit() || matches!(c, '/' | '_' | '='));
        let dotted = word.split('.').filter(|part| !part.is_empty()).count() > 1 || word.contains("::");
        inside || dotted || word.starts_with("--")
    };
    let bare =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '-' | '_')).to_lowercase();
    let words = text.split_whitespace().map(bare).collect::<Vec<_>>();
    words.into_iter().filter(move |word| is_exact(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_other_forms_and_languages_of_words_rests_on_the_notes_all_the_same() {
        let says = |note: &str, line: &str| rests_on(line, &note.to_lowercase(), Section::Decided);
        for (note, line) in [
            ("We poll port 5432 because sleeping is slow.", "Polling the port replaces slow sleeps."),
            (
                "wir fragen den Port ab, weil Schlafen langsam ist",
                "Der Port wird abgefragt, denn Schlafen ist langsam.",
            ),
            ("登录测试失败了", "登录测试失败"),
            ("почини вход, тест падает", "Тест входа падает."),
            ("use date-fns, not moment.js", "date-fns instead of moment.js"),
        ] {
            assert!(says(note, line), "{line}");
        }
        assert!(!says("登录测试失败了", "月球基地开放"));
    }

    #[test]
    fn a_line_that_denies_what_its_notes_say_or_says_what_they_deny_does_not_rest_on_them() {
        let says = |note: &str, line: &str| rests_on(line, &note.to_lowercase(), Section::Decided);
        for (note, opposite, same) in [
            (
                "We decided to use a BTreeMap because the order matters for walrus",
                "Decided not to use a BTreeMap because the order never matters for walrus.",
                "A BTreeMap for walrus, because the order matters.",
            ),
            (
                "I changed src/cache.rs. The docs still need a line on walrus.",
                "src/cache.rs was not changed; the docs need no line on walrus.",
                "src/cache.rs is changed; the docs need a line.",
            ),
            (
                "Deploys never go through kubectl, use ship-it.sh",
                "Deploys go through kubectl.",
                "Deploys go through ship-it.sh, not through kubectl.",
            ),
            ("use date-fns, not moment.js", "moment.js, not date-fns", "date-fns rather than moment.js"),
            ("wir nehmen kein Redis", "Redis wird genommen.", "Kein Redis."),
            (
                "we don't cache sessions because they are small",
                "Sessions are cached.",
                "Sessions are small, so no cache.",
            ),
        ] {
            assert!(!says(note, opposite), "{opposite}");
            assert!(says(note, same), "{same}");
        }
    }
}
